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

/* The C library's allocator. It lives in memory.c with every other use of malloc. */
karp_allocator libc_allocator(void);

#endif
