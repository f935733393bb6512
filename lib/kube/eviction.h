/* SPDX-License-Identifier: Apache-2.0 */
/* What the disruption controller computes of a PodDisruptionBudget, and how the API server answers to an eviction. */
#pragma once

#include <karp/objects.h>
#include <stdbool.h>

/* The pods that a budget selects. */
typedef struct kube_covered {
    uint64_t pods; /* also those that have ended or terminate */
    uint64_t replicas; /* of their controllers, as their specs say: pods without a controller add nothing */
    uint64_t healthy; /* ready, and not terminating */
    uint64_t unscaled; /* how many have a controller that has no scale, or that does not exist any more */
} kube_covered;

typedef struct kube_allowance {
    bool failed; /* the controller cannot tell how many pods are expected: no eviction is allowed */
    uint64_t expected, desired;
    int32_t allowed;
} kube_allowance;

kube_allowance kube_budget_allows(const karp_pod_disruption_budget *budget, const kube_covered *covered);

enum { KUBE_EVICTS, KUBE_EVICTS_FREELY /* no budget is charged */, KUBE_REFUSES, KUBE_CANNOT_EVICT };

/* The pod, and the budgets that cover it: the state of the only one, if there is one. */
typedef struct kube_eviction {
    bool idle; /* it is pending, has ended or terminates */
    bool ready;
    size_t budgets;
    kube_allowance allowance;
    uint64_t healthy; /* pods of the budget */
    bool always; /* unhealthyPodEvictionPolicy AlwaysAllow */
} kube_eviction;

int kube_evict(const kube_eviction *e);
