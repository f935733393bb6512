/* SPDX-License-Identifier: Apache-2.0 */
/* Every test runs in a context of its own, and must leave nothing behind and no block under a wrong size. */
#ifndef SUPPORT_COUNTED_H
#define SUPPORT_COUNTED_H

#include <string.h>

#include <support/fault.h>

typedef struct fixture {
    fault fault;
    karp_context *context;
} fixture;

static inline int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.context = fault_context(&f.fault);
    *state = &f;
    return f.context ? 0 : -1;
}

static inline int tear_down(void **state)
{
    fixture *f = *state;
    karp_context_unref(f->context);
    return f->fault.live_blocks == 0 && f->fault.live_bytes == 0 && f->fault.wrong_sizes == 0 ? 0 : -1;
}

#endif
