/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disruption costs of pods and nodes. Pure functions; IEEE doubles, added in the order of names.
 */
#pragma once

#include <model/peer.h>
#include <model/snapshot.h>

/* How cost annotations are read (K15-6). */
typedef struct cost_reading {
    bool whole; /* karpenter.sh/disruption-cost takes precedence, and values are whole numbers */
    bool managed; /* Karpenter writes deletion costs itself, so it does not read them */
    bool proposal; /* node-autoscaling.kubernetes.io/disruption-cost is read */
} cost_reading;
cost_reading costs_read(const karp_snapshot *s, uint32_t profile, uint64_t rules);

/* EvictionCost from the text of the annotation in effect ({NULL, 0} = none) and the priority. Never NaN. */
double eviction_cost_of(karp_str text, bool whole, bool has_priority, int32_t priority);
double eviction_cost(const karp_snapshot *s, cost_reading how, uint32_t pod_number);

/* The remaining fraction of a claim's lifetime, from 1 to 0. A lifetime of zero gives 0. The arithmetic is Karpenter's:
 * the age is an exact number of nanoseconds, and the division is in seconds. */
double lifetime_remaining(int64_t creation, int64_t expire_after, int64_t now);

/* Adds one pod's eviction cost to a node's disruption cost, which is 1 plus the positive eviction costs of its pods. */
static inline double cost_with(double cost, double eviction) { return eviction > 0.0 ? cost + eviction : cost; }
/* The same for a node that is not a candidate: over its pods except daemon and terminal pods. */
double incremental_cost(const karp_snapshot *s, cost_reading how, const state_node *n);

/* The price of the type's first offering in the labels' zone and capacity type; 0 = unknown. `reservations`: an
 * offering of the labels' reservation takes precedence, if any (without D-Q10). */
double labels_price(const karp_snapshot *s, uint32_t pool, label_list labels, bool reservations);
/* The same for a node with a known type. */
double type_price(const karp_snapshot *s, const state_node *n, uint32_t type, bool reservations);
