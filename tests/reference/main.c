/* SPDX-License-Identifier: Apache-2.0 */
/* reference FILE, or as the conformance driver calls it: reference plan -f FILE -o json */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

static char *read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *length = 0;
    for (size_t got = 1; f != NULL && got > 0; *length += got) {
        if (room - *length < 65536) {
            room = room == 0 ? 1 << 17 : 2 * room;
            char *more = realloc(text, room);
            if (more == NULL) {
                break;
            }
            text = more;
        }
        got = fread(text + *length, 1, room - *length, f);
    }
    if (f != NULL) {
        fclose(f);
    }
    return text;
}

int main(int argc, char **argv)
{
    const char *path = argc == 2 ? argv[1] : NULL;
    for (int i = 1; i + 1 < argc; i++) {
        path = strcmp(argv[i], "-f") == 0 ? argv[i + 1] : path;
    }
    if (path == NULL) {
        fputs("usage: reference SNAPSHOT.json\n", stderr);
        return 2;
    }
    size_t length;
    char *text = read_file(path, &length);
    if (text == NULL) {
        fprintf(stderr, "reference: cannot read %s\n", path);
        return 1;
    }
    const char *slash = strrchr(path, '/');
    char *directory = strdup(slash != NULL ? path : ".");
    if (directory != NULL && slash != NULL) {
        directory[slash - path] = '\0';
    }
    char *plan = directory != NULL ? reference_plan(text, length, directory) : NULL;
    if (plan != NULL) {
        puts(plan);
    } else {
        fprintf(stderr, "reference: %s\n", reference_error() != NULL ? reference_error() : "out of memory");
    }
    int status = plan == NULL;
    free(plan);
    free(text);
    free(directory);
    return status;
}
