/* SPDX-License-Identifier: Apache-2.0 */
/** @file what_if.h  Launch decisions for a cluster that is not quite the one in the snapshot. */
#ifndef KARP_WHAT_IF_H
#define KARP_WHAT_IF_H

#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a change does. */
enum {
    /** The state node `name` is gone. Its pods, but those of DaemonSets, are to be placed, whatever budgets or annotations say. */
    KARP_CHANGE_REMOVE_NODE = 1,
    /**
     * The nodes of the zone `name` are gone, and nothing can be bought there. The zone stays a topology domain, as it does
     * for Karpenter: a zonal spread that must not be violated may hold pods back because of it.
     */
    KARP_CHANGE_LOSE_ZONE = 2,
    /** Prices of the capacity type `name` ("spot"; "" = of all) are multiplied by `factor`. */
    KARP_CHANGE_SCALE_PRICE = 3
};

/** One change that is laid over a snapshot. */
typedef struct karp_change {
    karp_str name;
    double factor; /**< of KARP_CHANGE_SCALE_PRICE: finite, not negative; else 0 */
    uint32_t kind; /**< KARP_CHANGE_* */
    uint32_t reserved;
} karp_change;

/**
 * karp_provision() with @p changes laid over the snapshot, which stays as it is. All changes hold at once, factors of one
 * capacity type multiply. The decision is that of provisioning, not of a consolidation: pending pods are placed as well,
 * and reserved offerings are as strict as the snapshot says. Its nodes show those that are gone as marked;
 * a pod that has a node, or would get one without the changes, is not called permanently unschedulable for the loss of a zone;
 * karp_decision_cost_before() is the cost today, karp_decision_cost_after() that after the changes, at the new prices.
 * Each change is noted among the decision's warnings. Pods that are gone, and nodes or pods to be added, belong into a
 * snapshot of their own: karp_snapshot_edit() makes it of this one.
 * Without changes the decision is karp_provision()'s. @p options may be NULL.
 * Errors: NOT_FOUND (no such node, zone or capacity type), INVALID, NOMEM, CANCELED, ABI_*.
 */
KARP_API karp_status karp_what_if(const karp_snapshot *snapshot, const karp_change *changes, size_t change_count,
                                  const karp_options *options, karp_decision **out, karp_error *error);

/** How many changes karp_what_if() laid over the snapshot of this decision; 0 for one that was made without. */
KARP_API size_t karp_decision_change_count(const karp_decision *decision);

#ifdef __cplusplus
}
#endif
#endif
