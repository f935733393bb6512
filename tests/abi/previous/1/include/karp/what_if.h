/* SPDX-License-Identifier: Apache-2.0 */
/** @file what_if.h  Launch decisions on a snapshot with changes. */
#ifndef KARP_WHAT_IF_H
#define KARP_WHAT_IF_H

#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a change does. */
enum {
    /** The state node `name` is removed. Its pods, except those of DaemonSets, are placed elsewhere, regardless of
       budgets and annotations. */
    KARP_CHANGE_REMOVE_NODE = 1,
    /**
     * The nodes of the zone `name` are removed, and nothing can be launched there. The zone stays a topology domain, as
     * in Karpenter: because of it, pods with a required zonal spread may be unschedulable.
     */
    KARP_CHANGE_LOSE_ZONE = 2,
    /** Prices of the capacity type `name` ("spot"; "" = of all) are multiplied by `factor`. */
    KARP_CHANGE_SCALE_PRICE = 3,
    /** Nothing can be launched of the instance type `name`: "m7i.large", "m7i.large/us-west-2a" (there),
     * "m7i.large/us-west-2a/spot" (there, of that capacity type). "*" is any type or zone. Nodes that exist stay. Since
     * 1.0. */
    KARP_CHANGE_UNAVAILABLE = 4
};

/** One change to a snapshot. */
typedef struct karp_change {
    karp_str name;
    double factor; /**< of KARP_CHANGE_SCALE_PRICE: finite, not negative; else 0 */
    uint32_t kind; /**< KARP_CHANGE_* */
    uint32_t reserved;
} karp_change;

/**
 * karp_provision() on the snapshot with @p changes; the snapshot itself is unchanged. All changes apply together, and
 * factors of one capacity type multiply. The decision is that of provisioning, not of consolidation: pending pods are
 * placed as well, and the mode of reserved offerings is that of the snapshot. In its nodes, removed ones are marked. A
 * pod that has a node, or would get one without the changes, is not reported as permanently unschedulable because of a
 * lost zone. karp_decision_cost_before() is the current cost, karp_decision_cost_after() the cost after the changes, at
 * the new prices. Each change is noted in the decision's warnings. To remove pods, or to add nodes or pods, make
 * another snapshot with karp_snapshot_edit(). Without changes the decision is that of karp_provision(). @p options may
 * be NULL. Errors: NOT_FOUND (no such node, zone, capacity type or offering), INVALID, RANGE (amounts that cannot be
 * added up or counted exactly), LIMIT, UNSUPPORTED (an objective, in a build without cost plans), NOMEM, CANCELED,
 * ABI_*.
 */
KARP_API karp_status karp_what_if(const karp_snapshot *snapshot, const karp_change *changes, size_t change_count,
                                  const karp_options *options, karp_decision **out, karp_error *error);

/** The number of changes of karp_what_if(); 0 for other decisions. */
KARP_API size_t karp_decision_change_count(const karp_decision *decision);

#ifdef __cplusplus
}
#endif
#endif
