/* SPDX-License-Identifier: Apache-2.0 */
#include <decision/bound_object.h>

#include <decision/decision.h>

double karp_bound_value(const karp_bound *bound) { return (double)bound->certificate.value / KARP_MONEY_PER_DOLLAR; }

const karp_certificate *karp_bound_certificate(const karp_bound *bound) { return &bound->certificate; }

void karp_bound_free(karp_bound *bound)
{
    if (bound == NULL) return;
    karp_context *context = bound->data.context;
    karp_snapshot *snapshot = bound->snapshot;
    arena_free(&bound->data);
    mem_free(context, bound, sizeof *bound);
    karp_snapshot_unref(snapshot);
}

const karp_certificate *karp_decision_certificate(const karp_decision *decision)
{
    return decision->bound != NULL ? &decision->bound->certificate : NULL;
}
