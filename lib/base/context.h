/* SPDX-License-Identifier: Apache-2.0 */
/* What a context is made of; only memory.c and context.c look inside. */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <karp/base.h>

struct karp_context {
    atomic_size_t holds;
    karp_allocator allocator;
    karp_allocator counted; /* of a guarded root: for plugins and the like, which know the allocator alone */
    karp_context_options options; /* defaults filled in; its allocator points at one of the two above */
    karp_context *root; /* whose memory is counted: itself, but for a run's */
    bool guarded; /* there is a ceiling, or somebody who may stop */
    atomic_uint_least64_t used; /* bytes; of a root with a ceiling */
    atomic_uint_least64_t asked; /* bytes asked for since somebody was asked whether to stop */
    atomic_int refusal; /* of a root: why memory was refused last: 0, KARP_E_LIMIT or KARP_E_CANCELED */
    bool is_run;
    bool stop_noted; /* of a run: somebody wants it to stop … */
    bool gentle; /* … which refuses nothing, but is looked for where it can stop with what it has */
    uint64_t most_work; /* of a run: the units after which it stops by itself; 0 = no end */
    uint64_t work; /* of a run with such an end: units since it was set */
};

/* The context of one run: memory of the parent, to which it also counts, but stopped by the run's own caller, if it has one. It is the
 * caller's memory, lives shorter than the parent and is not held. */
void context_begin_run(karp_context *run, karp_context *parent, int32_t (*should_stop)(void *user), void *user);
/* Ends the run after so much work from here on; 0 = no end. */
void context_limit_run(karp_context *run, uint64_t units);
/* From here on a wish to stop is noted and refuses nothing. */
void context_stop_gently(karp_context *run);
/* From here on nobody is asked: what is left to do has to be done. */
void context_finish_run(karp_context *run);

/* The guard. What ASK_AFTER units stand for, bytes of memory that are filled or as much work, takes well under a millisecond; a small
 * piece of memory counts for the work that it stands for. Inline, because memory.c is part of both libraries. */
enum { ASK_AFTER = 1 << 15, LEAST_COUNTED = 256 };

/* Threads that share a context may lose each other's counts, and ask a little later for it. */
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
    uint64_t asked = atomic_load_explicit(&c->asked, memory_order_relaxed) + piece;
    bool ask = asked >= ASK_AFTER;
    atomic_store_explicit(&c->asked, ask ? 0 : asked, memory_order_relaxed);
    if (!ask || c->options.should_stop(c->options.stop_user) == 0) return false;
    c->stop_noted = c->is_run;
    return !c->gentle;
}

static inline void context_give_back(karp_context *c, size_t bytes)
{
    if (c->options.max_memory != 0) atomic_fetch_sub_explicit(&c->root->used, bytes, memory_order_relaxed);
}

/* Whether `more` bytes may be asked for; they are counted then. */
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

/* Work that asks for no memory; false = to be ended as if memory had been refused. */
static inline bool context_work(karp_context *c, size_t units)
{
    if (!c->guarded || !context_stopped(c, units)) return true;
    atomic_store_explicit(&c->root->refusal, KARP_E_CANCELED, memory_order_relaxed);
    return false;
}

/* KARP_E_NOMEM as what it was: see karp_context_refusal(). */
karp_status context_refusal(karp_context *context, karp_status status, karp_error *error);

/* What to return when memory was refused. */
karp_status context_nomem(karp_context *context, karp_error *error);

/* Sizes the allocator sees: never 0, and what was asked as 0 is given back under the same size. */
static inline size_t allocated_size(size_t bytes) { return bytes == 0 ? 1 : bytes; }

/* The C library's allocator. It lives in context.c with every other use of malloc. */
karp_allocator libc_allocator(void);

#endif
