/* SPDX-License-Identifier: Apache-2.0 */
#include <base/in_use.h>

#include <base/error.h>
#include <karp/library.h>

karp_status in_use_begin(in_use *u, const karp_context *context, const char *what, karp_error *error)
{
    if ((karp_context_get_options(context)->debug & KARP_DEBUG_THREADS) == 0) return KARP_OK;
    if (!atomic_exchange_explicit(&u->now, true, memory_order_acquire)) return KARP_OK;
    return fail(error, KARP_E_STATE, "another call uses the %s: two threads at once, or a callback during a call",
                what);
}
