/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without libFuzzer:   driver [-m COUNT] [-c COUNT] [-o FILE] PATH...
 *
 * Every file, and every file of every folder named, is given to the target: as it is, cut short in several places (32,
 * or as many as -c says), and, with -m, changed at random COUNT times. The changes depend on the file alone, so a
 * failure repeats. With -o, FILE holds the input that is being run, to look at after a crash.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILE = 1 << 20, MAX_PATH = 4096 };

static size_t inputs;
static size_t cuts = 32;
static const char *current; /* where -o wants the input, or NULL */

static void keep(const uint8_t *data, size_t size)
{
    FILE *file = fopen(current, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size) fprintf(stderr, "%s: %s\n", current, strerror(errno));
    if (file != NULL) fclose(file);
}

/* The input in exactly as many bytes as it has, so that a sanitizer sees a step beyond it. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + (size == 0));
    if (copy == NULL) {
        fputs("no memory\n", stderr);
        exit(2);
    }
    if (size > 0) memcpy(copy, data, size);
    if (current != NULL) keep(data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    inputs++;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One to four small changes: a bit, a byte, a piece copied over another, a piece taken out. */
static size_t change(uint8_t *data, size_t size, uint64_t *state)
{
    static const char telling[] = "{}[]:,\"'&*!|>-#\n \t0e9mKiGnul\\\x7f\xff";
    for (uint64_t left = 1 + next_random(state) % 4; left > 0 && size > 0; left--) {
        size_t at = (size_t)(next_random(state) % size);
        size_t other = (size_t)(next_random(state) % size);
        size_t reach = size - (at > other ? at : other);
        size_t length = 1 + (size_t)(next_random(state) % (reach < 32 ? reach : 32));
        switch (next_random(state) % 4) {
        case 0: data[at] = (uint8_t)(data[at] ^ (1U << (next_random(state) % 8))); break;
        case 1: data[at] = (uint8_t)telling[next_random(state) % (sizeof telling - 1)]; break;
        case 2: memmove(data + at, data + other, length); break;
        default:
            memmove(data + at, data + at + length, size - at - length);
            size -= length;
            break;
        }
    }
    return size;
}

static void run_variants(const uint8_t *data, size_t size, size_t changes)
{
    run(data, size);
    for (size_t cut = 0; cut < cuts && size > 0; cut++) run(data, size <= cuts ? cut % size : size * cut / cuts);

    uint64_t state = UINT64_C(0x9e3779b97f4a7c15) ^ size;
    for (size_t i = 0; i < size; i++) state = state * 31 + data[i] + 1;
    state |= 1;
    uint8_t *scratch = malloc(size + (size == 0));
    for (size_t i = 0; scratch != NULL && i < changes && size > 0; i++) {
        memcpy(scratch, data, size);
        run(scratch, change(scratch, size, &state));
    }
    free(scratch);
}

static int run_file(const char *path, size_t changes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MAX_FILE);
    if (file == NULL || data == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        if (file != NULL) fclose(file);
        free(data);
        return 1;
    }
    size_t size = fread(data, 1, MAX_FILE, file);
    fclose(file);
    fprintf(stderr, "%s\n", path);
    run_variants(data, size, changes);
    free(data);
    return 0;
}

static int run_path(const char *path, size_t changes)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    if (!S_ISDIR(status.st_mode)) return run_file(path, changes);

    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    int failed = 0;
    for (int i = 0; i < count; i++) {
        char below[MAX_PATH];
        int length = snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name);
        if (length < 0 || (size_t)length >= sizeof below) failed = 1;
        else if (entries[i]->d_name[0] != '.') failed |= run_path(below, changes);
        free(entries[i]);
    }
    free(entries);
    return failed;
}

static size_t number(const char *text)
{
    size_t value = 0;
    for (; *text >= '0' && *text <= '9' && value < 100000000; text++) value = value * 10 + (size_t)(*text - '0');
    return value;
}

int main(int argc, char **argv)
{
    int first = 1;
    size_t changes = 0;
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        if (strcmp(argv[first], "-m") == 0) changes = number(argv[first + 1]);
        else if (strcmp(argv[first], "-c") == 0) cuts = number(argv[first + 1]);
        else if (strcmp(argv[first], "-o") == 0) current = argv[first + 1];
    }
    int failed = 0;
    for (int i = first; i < argc; i++) failed |= run_path(argv[i], changes);
    printf("%zu inputs\n", inputs);
    return failed || inputs == 0 ? 1 : 0;
}
