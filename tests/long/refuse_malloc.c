/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: refuses the REFUSE_AT-th request for memory of a program, whoever makes it; with REFUSE_ON all later ones,
 * too. At the end the number of requests is written to descriptor 9 where REFUSE_COUNT is set. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);

static long requests, at = -1, later;

static int refused(void)
{
    if (at < 0) {
        const char *asked = getenv("REFUSE_AT");
        at = asked == NULL ? 0 : atol(asked);
        later = getenv("REFUSE_ON") != NULL;
    }
    long number = __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
    return at > 0 && (later ? number >= at : number == at);
}

void *malloc(size_t bytes) { return refused() ? NULL : __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return refused() ? NULL : __libc_calloc(count, bytes); }
void *realloc(void *memory, size_t bytes) { return refused() ? NULL : __libc_realloc(memory, bytes); }

__attribute__((destructor)) static void tell(void)
{
    char text[32];
    if (getenv("REFUSE_COUNT") == NULL) return;
    int length = snprintf(text, sizeof text, "%ld\n", requests);
    if (write(9, text, (size_t)length) != length) _exit(99);
}
