/* SPDX-License-Identifier: Apache-2.0 */
#include <support/fault.h>

#include <stdlib.h>
#include <string.h>

/* In front of every block: its size. 16 bytes keep the alignment. */
typedef union head {
    size_t bytes;
    char room[16];
} head;

static bool refuses(fault *f)
{
    f->calls++;
    bool refused = f->fail_at != 0 && (f->calls == f->fail_at || (f->keep_failing && f->calls > f->fail_at));
    if (refused) f->refused++;
    return refused;
}

enum { FILLED = 1 << 18 }; /* of a block: much of a large one is never touched, and would take most of the time */

static void *take(size_t bytes, void *user)
{
    fault *f = user;
    if (refuses(f)) return NULL;
    head *h = malloc(sizeof *h + bytes);
    if (!h) return NULL;
    h->bytes = bytes;
    f->live_bytes += bytes;
    f->live_blocks++;
    if (f->cleared) memset(h + 1, 0, bytes);
    else memset(h + 1, 0xa5, bytes < FILLED ? bytes : FILLED);
    return h + 1;
}

static void give(void *ptr, size_t bytes, void *user)
{
    fault *f = user;
    head *h = (head *)ptr - 1;
    if (h->bytes != bytes) f->wrong_sizes++;
    f->live_bytes -= h->bytes;
    f->live_blocks--;
    free(h);
}

static void *resize(void *ptr, size_t old_bytes, size_t new_bytes, void *user)
{
    head *h = (head *)ptr - 1;
    if (h->bytes != old_bytes) ((fault *)user)->wrong_sizes++;
    void *moved = take(new_bytes, user);
    if (!moved) return NULL;
    memcpy(moved, ptr, h->bytes < new_bytes ? h->bytes : new_bytes);
    give(ptr, h->bytes, user);
    return moved;
}

karp_allocator fault_allocator(fault *f)
{
    karp_allocator a = { sizeof a, take, resize, give, f };
    return a;
}

static karp_context *context_with(fault *f, karp_context_options *options)
{
    karp_allocator allocator = fault_allocator(f);
    karp_context *context = NULL;
    options->allocator = &allocator;
    return karp_context_new(options, &context, NULL) == KARP_OK ? context : NULL;
}

karp_context *fault_context(fault *f)
{
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    return context_with(f, &options);
}

static int32_t should_stop(void *user)
{
    fault *f = user;
    return ++f->polls == f->stop_at;
}

karp_context *fault_context_with(fault *f, uint64_t max_memory)
{
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.max_memory = max_memory;
    options.should_stop = should_stop;
    options.stop_user = f;
    return context_with(f, &options);
}

void fault_arm(fault *f, size_t fail_at, bool keep_failing)
{
    f->calls = 0;
    f->refused = 0;
    f->fail_at = fail_at;
    f->keep_failing = keep_failing;
}
