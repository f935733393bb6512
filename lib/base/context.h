/* SPDX-License-Identifier: Apache-2.0 */
/* What a context is made of; only memory.c and context.c look inside. */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <stdatomic.h>
#include <karp/base.h>

struct karp_context {
    atomic_size_t holds;
    karp_allocator allocator;
    karp_context_options options; /* defaults filled in; its allocator points at the copy above */
};

/* Sizes the allocator sees: never 0, and what was asked as 0 is given back under the same size. */
static inline size_t allocated_size(size_t bytes) { return bytes == 0 ? 1 : bytes; }

/* The C library's allocator. It lives in context.c with every other use of malloc. */
karp_allocator libc_allocator(void);

#endif
