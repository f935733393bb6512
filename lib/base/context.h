/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a context. Only allocate.c and context.c use them. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <karp/base.h>

struct karp_context {
    atomic_size_t references;
    karp_allocator allocator;
    /* for a guarded root: an allocator with the same limits, for plugins and other code that only knows allocators */
    karp_allocator counted;
    karp_context_options options; /* with defaults applied; its allocator is one of the two above */
    karp_context *root; /* the context that counts memory: itself, or the parent of a run */
    bool guarded; /* there is a memory limit or a should_stop callback */
    atomic_uint_least64_t used; /* bytes in use; for a root with a limit */
    atomic_uint_least64_t unpolled; /* bytes allocated and units of work since the last call of should_stop */
    atomic_int refusal; /* for a root: why an allocation failed last: 0, KARP_E_LIMIT or KARP_E_CANCELED */
    bool is_run;
    bool stop_noted; /* for a run: a stop was requested */
    /* a stop request does not fail allocations; the code checks stop_noted where it can stop with a partial result */
    bool gentle;
    uint64_t most_work; /* for a run: units of work after which it stops; 0 = no limit */
    uint64_t work; /* for a run with such a limit: units of work since it was set */
};

/* Initializes the context of one run. It allocates from the parent, which counts the memory, but uses the run's own
 * should_stop if there is one. The caller provides the memory of the context. The parent must outlive it; no
 * reference is taken. */
void context_begin_run(karp_context *run, karp_context *parent, int32_t (*should_stop)(void *user), void *user);
/* Stops the run after so many more units of work; 0 = no limit. */
void context_limit_run(karp_context *run, uint64_t units);
/* From now on a stop request is only recorded and fails no allocation. */
void context_stop_gently(karp_context *run);
/* From now on should_stop is not called: the remaining work is done in any case. */
void context_finish_run(karp_context *run);

/* The guard. should_stop is called every POLL_AFTER units: bytes of memory that are filled, or an equal amount of
 * work. This takes well under a millisecond. A small allocation counts as LEAST_COUNTED. */
enum { POLL_AFTER = 1 << 15, LEAST_COUNTED = 256 };

/* Threads that share a context may overwrite each other's counts, so that should_stop is called a little later. */
static inline bool context_stopped(karp_context *c, size_t more)
{
    size_t piece = more < LEAST_COUNTED ? LEAST_COUNTED : more;
    if (c->most_work != 0) {
        c->work = c->work > UINT64_MAX - piece ? UINT64_MAX : c->work + piece;
        if (c->work > c->most_work) {
            c->stop_noted = true;
            return !c->gentle;
        }
    }
    if (c->stop_noted) return !c->gentle;
    if (c->options.should_stop == NULL) return false;
    uint64_t unpolled = atomic_load_explicit(&c->unpolled, memory_order_relaxed) + piece;
    bool poll = unpolled >= POLL_AFTER;
    atomic_store_explicit(&c->unpolled, poll ? 0 : unpolled, memory_order_relaxed);
    if (!poll || c->options.should_stop(c->options.stop_user) == 0) return false;
    c->stop_noted = c->is_run;
    return !c->gentle;
}

static inline void context_give_back(karp_context *c, size_t bytes)
{
    if (c->options.max_memory != 0) atomic_fetch_sub_explicit(&c->root->used, bytes, memory_order_relaxed);
}

/* Whether `more` bytes may be allocated. If so, they are counted. */
static inline bool context_admit(karp_context *c, size_t more)
{
    int why = context_stopped(c, more) ? KARP_E_CANCELED : 0;
    uint64_t most = c->options.max_memory;
    if (why == 0 && most != 0) {
        uint64_t used = atomic_fetch_add_explicit(&c->root->used, more, memory_order_relaxed);
        if (used > most || more > most - used) {
            context_give_back(c, more);
            why = KARP_E_LIMIT;
        }
    }
    if (why == 0) return true;
    atomic_store_explicit(&c->root->refusal, why, memory_order_relaxed);
    return false;
}

/* Counts work that allocates nothing. false = stop, as after a failed allocation. */
static inline bool context_work(karp_context *c, size_t units)
{
    if (!c->guarded || !context_stopped(c, units)) return true;
    atomic_store_explicit(&c->root->refusal, KARP_E_CANCELED, memory_order_relaxed);
    return false;
}

/* Returns the cause of KARP_E_NOMEM: see karp_context_refusal(). */
karp_status context_refusal(karp_context *context, karp_status status, karp_error *error);

/* The status to return when an allocation failed. */
karp_status context_nomem(karp_context *context, karp_error *error);

/* The size that is passed to the allocator, which is never 0. Freeing uses the same size. */
static inline size_t allocated_size(size_t bytes) { return bytes == 0 ? 1 : bytes; }
