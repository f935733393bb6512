/* SPDX-License-Identifier: Apache-2.0 */
/* Notices calls on one object that overlap, if the context asks for it (KARP_DEBUG_THREADS). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include <karp/base.h>

typedef struct in_use {
    atomic_bool now; /* a call has begun and has not ended */
} in_use;

/* KARP_E_STATE: a call on the object has not ended, so this one must not touch it, nor end. `what` names the object. */
karp_status in_use_begin(in_use *u, const karp_context *context, const char *what, karp_error *error);

static inline void in_use_end(in_use *u) { atomic_store_explicit(&u->now, false, memory_order_release); }
