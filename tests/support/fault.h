/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts, that refuses on demand, and that insists on being told the right sizes. */
#ifndef SUPPORT_FAULT_H
#define SUPPORT_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <karp/base.h>

typedef struct fault {
    size_t calls; /* requests for memory so far, refused ones included */
    size_t fail_at; /* the request, from 1, that is refused; 0 = none */
    bool keep_failing; /* so are all later ones */
    size_t refused;
    bool cleared; /* memory comes cleared; else it looks uncleared */
    size_t live_bytes, live_blocks;
    size_t polls, stop_at; /* who wants to stop does so at this poll, from 1; 0 = never */
    size_t wrong_sizes; /* a block given back or resized under another size than it was taken with */
} fault;

/* The allocator that works on *f, which must outlive its blocks. */
karp_allocator fault_allocator(fault *f);

/* A context on it. NULL when the context itself was refused. */
karp_context *fault_context(fault *f);

/* The same under a ceiling (0 = none), with somebody who may want to stop. */
karp_context *fault_context_with(fault *f, uint64_t max_memory);

/* Starts counting anew: request `fail_at` is the one to be refused. */
void fault_arm(fault *f, size_t fail_at, bool keep_failing);

#endif
