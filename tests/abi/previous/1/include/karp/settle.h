/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file settle.h  What a cluster comes to: a snapshot after a decision was carried out, and all decisions until nothing
 * changes any more.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_SETTLE_H
#define KARP_SETTLE_H

#include <karp/disrupt.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The cluster as it is at @p now after @p decision was carried out. Launched nodes have joined the cluster as POOL-N; a
 * launch without an instance type adds none. Pods placed on existing nodes, and those that nodes were launched for, are
 * bound to them and ready; the nodes of commands are still empty. Pods whose condition Created is False are created
 * (pending) when the pod before them, of the next lower number, is ready. Launches have taken instances of capacity
 * reservations, and nodes that ended have returned theirs. The nodes of commands and nodes that were being deleted no
 * longer exist. Their pods are pending, except those of DaemonSets and of nodes, and those that had finished or were
 * being deleted, which end. NodeClaims are consolidatable as of @p now. Volumes stay unbound. @p decision comes from
 * karp_provision(), karp_disrupt() or karp_launch_static_pools() for this snapshot; NULL = only time passes. @p before
 * does not change; the caller owns *@p out (karp_snapshot_unref()). Errors: INVALID (@p now is before the snapshot's
 * time), DUPLICATE (a node of that name is there already), NOT_FOUND (a decision of another snapshot), RANGE, NOMEM,
 * LIMIT, CANCELED. Any thread. Since 1.0.
 */
KARP_API karp_status karp_snapshot_after(const karp_snapshot *before, const karp_decision *decision, int64_t now,
                                         karp_snapshot **out, karp_error *error);

/**
 * The cluster as it is when @p count @p nodes are lost at its own time: they and their NodeClaims no longer exist, and
 * their pods are pending or end as with karp_snapshot_after(). Names are those of Nodes, or of NodeClaims without one.
 * @p before does not change; the caller owns *@p out (karp_snapshot_unref()). Errors: INVALID, NOT_FOUND (a node),
 * DUPLICATE, RANGE, NOMEM, LIMIT, CANCELED. Any thread. Since 1.0.
 */
KARP_API karp_status karp_snapshot_without(const karp_snapshot *before, const karp_str *nodes, size_t count,
                                           karp_snapshot **out, karp_error *error);

/** What follows the launches of a settlement. Numbers never change. Since 1.0. */
enum {
    KARP_SETTLE_LAUNCHES = 0, /**< nothing */
    KARP_SETTLE_ALL = 1, /**< disruption passes, until one finds nothing and nothing can change that */
    KARP_SETTLE_DRIFT = 2 /**< passes that replace nodes that have drifted, and no others */
};

/** Options of karp_settle(). Since 1.0. */
typedef struct karp_settle_options {
    size_t size;
    const karp_options *common; /**< of every decision; its clock is not used. NULL = defaults */
    int64_t boot; /**< duration: from a launch until its nodes take pods; 0 = 60 s */
    uint32_t disrupt; /**< KARP_SETTLE_* */
    uint32_t reserved; /**< 0 */
    void (*progress)(size_t round, void *user); /**< before each round, from 1; NULL = never */
    void *progress_user;
} karp_settle_options;

/** Sets the size, and everything else to 0. Since 1.0. */
KARP_API void karp_settle_options_init(karp_settle_options *options, size_t size);

/** The launches of one instance type in a round. */
typedef struct karp_launched {
    karp_str instance_type;
    size_t nodes;
    double price; /**< $/h of all of them */
} karp_launched;

/** A round: one decision that launched or removed nodes. Since 1.0. */
typedef struct karp_settle_round {
    size_t size;
    int64_t at; /**< instant of the decision */
    /** KARP_METHOD_* of the nodes that are removed; KARP_METHOD_ANY = nodes are launched, or deleted nodes end */
    uint32_t method;
    uint32_t is_static; /**< 1 = by the controllers of static NodePools */
    const karp_launched *launched; /**< by name of the type */
    size_t launched_count;
    size_t launches; /**< number of nodes of all these types */
    const karp_str *removed; /**< names of nodes, in the order of the commands */
    size_t removed_count;
    size_t pods_launched_for; /**< pending pods that the launches are for */
    size_t pods_left; /**< pods that have no place after the round */
    double cost; /**< $/h after the round */
} karp_settle_round;

/**
 * How nodes that have drifted are replaced: those of the beginning, when the last of them is gone, and what the cluster
 * costs. Since 1.0.
 */
typedef struct karp_drift {
    size_t size;
    size_t nodes; /**< that have drifted at the beginning */
    size_t left; /**< that are still there in the end: something blocks them, or no disruption followed */
    size_t at_once; /**< the most that are replaced at a time, as budgets and limits allow */
    int64_t begins; /**< instant of the beginning */
    int64_t ends; /**< instant at which the last that goes has gone; KARP_NO_TIME = none goes */
    double cost_before; /**< $/h when the first goes: pending pods have their nodes then; if none goes, at the
                           beginning */
    double cost_during; /**< $/h at most while nodes and their replacements run; 0 = none is replaced */
    double cost_after; /**< $/h in the end */
    size_t played; /**< 0 = only `nodes` is known */
    /**
     * Of the replaced nodes, those with pods that cannot be evicted (karpenter.sh/do-not-disrupt,
     * PodDisruptionBudgets). Their drains last until terminationGracePeriod is over, at the latest: `ends` counts that
     * time.
     */
    size_t held;
    size_t limited; /**< 1 = limits.nodes of a static NodePool, and no budget, lets no more go at a time. Since 1.0 */
} karp_drift;

/** The rounds of a cluster and its end. Immutable: several threads may read it. */
typedef struct karp_settlement karp_settlement;

/**
 * Carries decisions out in virtual time until nothing changes. First the controllers of static NodePools launch, then
 * karp_provision() decides again and again until pending pods get no more nodes. With `disrupt` karp_disrupt() follows:
 * each of its commands is carried out, and pods of the removed nodes are placed anew. Commands for drift begin at the
 * same time as far as budgets allow, as Karpenter makes the next pass at once. Where budgets or consolidateAfter forbid
 * more, their time is waited for, at most seven days. After 500 rounds it ends unsettled. @p options may be NULL. The
 * caller owns *@p out (karp_settlement_free()). Errors: those of karp_provision(), karp_disrupt() and
 * karp_snapshot_after(), ABI_*. Any thread; work and memory of a round are those of its decision. Since 1.0.
 */
KARP_API karp_status karp_settle(const karp_snapshot *snapshot, const karp_settle_options *options,
                                 karp_settlement **out, karp_error *error);
/** Frees a settlement and its decisions; NULL is allowed. Since 1.0. */
KARP_API void karp_settlement_free(karp_settlement *settlement);

/**
 * Whether rounds after @p decision may change the nodes and their cost: 1 = it launches nodes and leaves pods that need
 * not wait for ever, or there are static NodePools. Then karp_settle() tells what the cluster comes to. 0 = its cost is
 * the settled one. @p decision comes from karp_provision() for @p snapshot. Since 1.0.
 */
KARP_API uint32_t karp_more_rounds(const karp_snapshot *snapshot, const karp_decision *decision);

/**
 * How many pods have no place after @p decision: unschedulable ones, and those that their StatefulSet has not created
 * yet (KARP_REASON_NOT_CREATED). Since 1.0.
 */
KARP_API size_t karp_decision_pods_left(const karp_decision *decision);

/** 1 = nothing changes any more; 0 = it ended after 500 rounds. Since 1.0. */
KARP_API uint32_t karp_settlement_settled(const karp_settlement *settlement);
/** The rounds that were played, at most 500. Since 1.0. */
KARP_API size_t karp_settlement_round_count(const karp_settlement *settlement);
/** Round @p index, borrowed from @p settlement. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_settlement_round(const karp_settlement *settlement, size_t index, karp_settle_round *out);

/** The course of the drift. Errors: INVALID, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_settlement_drift(const karp_settlement *settlement, karp_drift *out);
/** How many nodes of @p snapshot have drifted and are not being deleted. Since 1.0. */
KARP_API size_t karp_drifted_nodes(const karp_snapshot *snapshot);

/** The first decision on pods. Borrowed, never NULL. Since 1.0. */
KARP_API const karp_decision *karp_settlement_first(const karp_settlement *settlement);
/** The number of its round, from 1: later if static NodePools launched or removed nodes before. Since 1.0. */
KARP_API size_t karp_settlement_first_round(const karp_settlement *settlement);
/** The decision on the settled cluster: its nodes, its cost, and the pods that are left. Borrowed. Since 1.0. */
KARP_API const karp_decision *karp_settlement_last(const karp_settlement *settlement);
/** The settled cluster. Borrowed. Since 1.0. */
KARP_API const karp_snapshot *karp_settlement_snapshot(const karp_settlement *settlement);

#ifdef __cplusplus
}
#endif
#endif
