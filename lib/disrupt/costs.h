/* SPDX-License-Identifier: Apache-2.0 */
/* What disrupting pods and nodes is said to cost (deprovisioning.md §7). Pure; IEEE doubles, added in the order of names. */
#ifndef DISRUPT_COSTS_H
#define DISRUPT_COSTS_H

#include <model/peer.h>
#include <model/snapshot.h>

/* How annotations about costs are read (K15-6). */
typedef struct cost_reading {
    bool whole; /* karpenter.sh/disruption-cost comes first, and values are whole numbers */
    bool managed; /* Karpenter writes deletion costs itself, and so does not read them */
    bool proposal; /* node-autoscaling.kubernetes.io/disruption-cost is read */
} cost_reading;
cost_reading costs_read(const karp_snapshot *s, uint32_t profile, uint64_t rules);

/* EvictionCost from the text of the annotation that counts ({NULL, 0} = none) and the priority. Never NaN. */
double eviction_cost_of(karp_str text, bool whole, bool has_priority, int32_t priority);
double eviction_cost(const karp_snapshot *s, cost_reading how, uint32_t pod_number);

/* The part of its life that a claim has before it, 1 … 0. A claim that lives for no time at all has none. In
 * Karpenter's arithmetic: the age is an exact number of nanoseconds, and seconds are what is divided. */
double lifetime_remaining(int64_t creation, int64_t expire_after, int64_t now);

/* What disrupting a node costs: 1, and the positive costs of evicting its pods, which are added one by one. */
static inline double cost_with(double cost, double eviction) { return eviction > 0.0 ? cost + eviction : cost; }
/* §1: the same of a node that is no candidate: its pods, daemons and terminal ones aside. */
double incremental_cost(const karp_snapshot *s, cost_reading how, const state_node *n);

/* §14.1: the first offering of that type in the labels' zone and capacity type; 0 = unknown. `reservations`: one of the
 * labels' reservation, if there is any, comes before it (without D-Q10). */
double labels_price(const karp_snapshot *w, uint32_t pool, label_list labels, bool reservations);
/* The same of a node whose type is known. */
double type_price(const karp_snapshot *w, const state_node *n, uint32_t type, bool reservations);

#endif
