/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/eviction.h>

#include <base/admit.h>

/* A number of pods that must stay counts the pods themselves; what may be missing, and percentages, count those that
 * their controllers should have. */
kube_allowance kube_budget_allows(const karp_pod_disruption_budget *b, const kube_covered *covered)
{
    bool scaled = b->max_unavailable.is_set || (b->min_available.is_set && b->min_available.is_text);
    if (scaled && covered->unscaled) return (kube_allowance){ .failed = true };
    if (!b->max_unavailable.is_set && !b->min_available.is_set) return (kube_allowance){ 0 };
    kube_allowance a = { .expected = scaled ? covered->replicas : covered->pods };
    a.desired = pods_to_stay(&b->min_available, &b->max_unavailable, a.expected);
    a.allowed = evictions_left(a.desired, a.expected, covered->healthy);
    return a;
}

int kube_evict(const kube_eviction *e)
{
    if (e->idle || e->budgets == 0) return KUBE_EVICTS_FREELY;
    if (e->budgets > 1) return KUBE_CANNOT_EVICT;
    bool enough = e->allowance.desired > 0 && e->healthy >= e->allowance.desired;
    if (!e->ready && (e->always || enough)) return KUBE_EVICTS_FREELY;
    return e->allowance.failed || e->allowance.allowed <= 0 ? KUBE_REFUSES : KUBE_EVICTS;
}
