/* SPDX-License-Identifier: Apache-2.0 */
/** @file passes.h  More of disruption passes: what one leaves for the next, which nodes it looked at, what budgets allowed. */
#ifndef KARP_PASSES_H
#define KARP_PASSES_H

#include <karp/disrupt.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What one pass leaves for the next, as plain values that are the caller's to keep; Karpenter has them in the memory of its
 * process. A zeroed one (karp_memory_init()) is that of a first pass. A method that found nothing, although budgets let it,
 * is not asked again while nothing changes, for five minutes at most.
 */
typedef struct karp_memory {
    size_t size;
    /**
     * Instant of the last change that matters: pods bound or deleted, nodes and claims that come, go, become initialised or
     * marked, NodePools and NodeOverlays edited. 0 = not known. A pass finds changes by comparing the cluster with `seen`; a
     * caller that watches the cluster and knows of a later one may write it here. (A pod that is deleted before it was bound
     * changes nothing that a pass could see.)
     */
    int64_t changed;
    uint64_t seen; /**< digest of the cluster as the last pass saw it; 0 = none */
    int64_t emptiness_mark; /**< `changed` when the method last found nothing; 0 = never */
    int64_t multi_node_mark; /**< likewise */
    int64_t single_node_mark; /**< likewise */
    const karp_str *unseen; /**< NodePools that single-node consolidation did not reach: their turn comes first */
    size_t unseen_count;
} karp_memory;

/** Zeroes @p memory and sets its size. */
KARP_API void karp_memory_init(karp_memory *memory, size_t size);

/** What the next pass is to be given. Borrowed. Errors: NOT_FOUND (the options had no memory), ABI_SIZE. */
KARP_API karp_status karp_decision_memory(const karp_decision *decision, karp_memory *out);

/** What repair would do with a node, and why. Since 0.1. */
typedef struct karp_candidate_repair {
    uint32_t action; /**< KARP_REPAIR_* */
    uint32_t fallback; /**< 1 = by the policy that is there for all other reasons */
    uint32_t escalated; /**< 1 = it would be rebooted, but has been twice within a day */
    uint32_t reserved;
    karp_str condition; /**< type of the condition that decides */
    karp_str reason; /**< its reason */
    double score; /**< the highest goes first */
    int64_t eligible_at; /**< instant */
    int64_t termination_grace_period; /**< duration: the shortest that a policy states; KARP_DURATION_UNSET = none */
} karp_candidate_repair;

/** A node that may be disrupted. */
typedef struct karp_candidate {
    size_t size;
    karp_str node;
    karp_str node_pool;
    double price;
    double disruption_cost;
    double reschedule_cost;
    const uint32_t *pods; /**< reschedulable ones, by name */
    size_t pod_count;
    const karp_candidate_repair *repair; /**< of KARP_METHOD_REPAIR; else NULL */
} karp_candidate;

/** Candidates of the method that answered, in its order. */
KARP_API size_t karp_decision_candidate_count(const karp_decision *decision);

/** Row @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_candidate(const karp_decision *decision, size_t index, karp_candidate *out);

/** What a NodePool's budgets allow at this instant. */
typedef struct karp_pool_budget {
    size_t size;
    karp_str node_pool;
    int64_t remaining; /**< disruptions still allowed */
    int64_t next_change; /**< instant at which an active window opens or closes; KARP_NO_TIME = never */
} karp_pool_budget;

/** Budgets, by the names of the NodePools. */
KARP_API size_t karp_decision_budget_count(const karp_decision *decision);

/** Row @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_budget(const karp_decision *decision, size_t index, karp_pool_budget *out);

#ifdef __cplusplus
}
#endif
#endif
