/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program: its allocation number REFUSE_AT returns NULL, and so does every later one. At the end the
 * number of its allocations is written to the file that REFUSE_COUNT names.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long asked, refuse_at;
static void *(*next_malloc)(size_t), *(*next_calloc)(size_t, size_t), *(*next_realloc)(void *, size_t);

/* POSIX lets a function's address be a void *, C does not. */
static void find(void *function, const char *name) { *(void **)function = dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("REFUSE_AT");
    find(&next_malloc, "malloc");
    find(&next_calloc, "calloc");
    find(&next_realloc, "realloc");
    refuse_at = at != NULL ? strtoul(at, NULL, 10) : 0;
    asked = 0;
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    const char *path = getenv("REFUSE_COUNT");
    int length = snprintf(text, sizeof text, "%lu", asked), file = path != NULL ? open(path, O_WRONLY | O_TRUNC) : -1;
    if (file >= 0 && write(file, text, (size_t)length) == length) (void)close(file);
}

static int refused(void) { return ++asked >= refuse_at && refuse_at > 0; }

void *malloc(size_t size)
{
    if (next_malloc == NULL) find(&next_malloc, "malloc");
    return refused() ? NULL : next_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (next_calloc == NULL) find(&next_calloc, "calloc");
    return refused() ? NULL : next_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (next_realloc == NULL) find(&next_realloc, "realloc");
    return refused() ? NULL : next_realloc(old, size);
}
