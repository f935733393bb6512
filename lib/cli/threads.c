/* SPDX-License-Identifier: Apache-2.0 */
#include <cli/cli.h>

#if defined(__wasi__) /* WASI has no threads */

void threads_run(size_t count, void (*body)(size_t index, void *data), void *data, void *user)
{
    (void)user;
    for (size_t i = 0; i < count; i++) body(i, data);
}

#else

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS_MOST = 64 };

typedef struct work {
    size_t count;
    atomic_size_t next;
    void (*body)(size_t index, void *data);
    void *data;
} work;

static void *take_next(void *user)
{
    work *w = user;
    for (size_t i = atomic_fetch_add(&w->next, 1); i < w->count; i = atomic_fetch_add(&w->next, 1)) w->body(i, w->data);
    return NULL;
}

static size_t wanted(uint64_t given, size_t count)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t most = given > 0 ? given : processors > 1 ? (uint64_t)processors : 1;
    if (most > THREADS_MOST) most = THREADS_MOST;
    return most < count ? (size_t)most : count;
}

/* What a thread that cannot be had would have done, the others do. */
void threads_run(size_t count, void (*body)(size_t index, void *data), void *data, void *user)
{
    work w = { .count = count, .body = body, .data = data };
    pthread_t threads[THREADS_MOST];
    size_t begun = 0, most = wanted(*(const uint64_t *)user, count);
    atomic_init(&w.next, 0);
    while (begun + 1 < most && pthread_create(&threads[begun], NULL, take_next, &w) == 0) begun++;
    (void)take_next(&w);
    while (begun > 0) (void)pthread_join(threads[--begun], NULL);
}

#endif
