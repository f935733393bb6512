/* SPDX-License-Identifier: Apache-2.0 */
/* reference FILE, or as the conformance driver calls it: reference plan -f FILE -o json */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

int main(int argc, char **argv)
{
    const char *path = argc == 2 ? argv[1] : NULL;
    for (int i = 1; i + 1 < argc; i++) {
        path = strcmp(argv[i], "-f") == 0 ? argv[i + 1] : path;
        if (strcmp(argv[i], "--profile") == 0 && strcmp(argv[i + 1], "karpenter-1.14") == 0) {
            reference_follow(1014);
        }
    }
    if (path == NULL) {
        fputs("usage: reference SNAPSHOT.json\n", stderr);
        return 2;
    }
    json_error_t error;
    json_t *snapshot = json_load_file(path, 0, &error);
    if (snapshot == NULL) {
        fprintf(stderr, "reference: %s:%d: %s\n", path, error.line, error.text);
        return 1;
    }
    const char *slash = strrchr(path, '/');
    char *directory = strdup(slash != NULL ? path : ".");
    if (directory != NULL && slash != NULL) {
        directory[slash - path] = '\0';
    }
    char *plan = directory != NULL ? reference_plan(snapshot, directory) : NULL;
    if (plan != NULL) {
        puts(plan);
    } else {
        fprintf(stderr, "reference: %s\n", reference_error() != NULL ? reference_error() : "out of memory");
    }
    int status = plan == NULL;
    free(plan);
    json_decref(snapshot);
    free(directory);
    return status;
}
