/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file passes.h  Disruption passes in sequence: their methods, the memory between passes, candidates, budgets, and the
 * nodes that stay.
 */
#ifndef KARP_PASSES_H
#define KARP_PASSES_H

#include <karp/disrupt.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The name of a method, "MultiNodeConsolidation". "" for a number that is no method. Lives as long as the library. */
KARP_API const char *karp_method_name(uint32_t method);

/**
 * The reason of a method's commands: "Underutilized", "Empty", "Drifted", "Expired", "Unhealthy" or "ScaleDown". "" for
 * a number that is no method. Lives as long as the library.
 */
KARP_API const char *karp_method_reason(uint32_t method);

/** What is true of a method; ored. */
enum {
    KARP_METHOD_FLAG_PASS = 1, /**< karp_disrupt() decides by it */
    KARP_METHOD_FLAG_REPACK = 2, /**< karp_repack() does */
    KARP_METHOD_FLAG_PODS_LATER = 4, /**< its commands do not say where pods go: the next launch decision does */
    KARP_METHOD_FLAG_FORCED = 8 /**< its nodes are removed even if pods then fit nowhere */
};

/** KARP_METHOD_FLAG_* of a method; 0 for a number that is no method. Methods have the numbers from 1 on, without a gap.
 * Since 1.0. */
KARP_API uint32_t karp_method_flags(uint32_t method);

/** Header of a disruption decision. */
typedef struct karp_disruption {
    size_t size;
    uint32_t method; /**< KARP_METHOD_* that found a command, or the last one tried */
    uint32_t simulations; /**< how many simulations were made */
    karp_str error_code; /**< "" = the method was evaluated; else why not: "NODEPOOLS_NOT_FOUND" */
    karp_str error_message; /**< the same in English; may change */
    /**
     * Nanoseconds until the next pass of Karpenter's controller: 0 if there is a command, 1 s while some NodeClaim has
     * no provider ID yet, else 10 s.
     */
    int64_t requeue_after;
} karp_disruption;

/**
 * The header of a disruption decision, borrowed from @p decision. Errors: NOT_FOUND for a launch decision, ABI_SIZE.
 */
KARP_API karp_status karp_decision_disruption(const karp_decision *decision, karp_disruption *out);

/** A node that stays, and why. */
typedef struct karp_kept {
    size_t size;
    karp_str node;
    karp_str detail; /**< what is in the way: a pod, a budget, a NodePool; "" = nothing to add */
    uint32_t code; /**< KARP_REASON_* */
    uint32_t reserved; /**< 0 */
    /**
     * With SPOT_TO_SPOT_TOO_FEW_TYPES the number of cheaper types, with SEVERAL_NODES_NEEDED the number of new nodes;
     * else 0. Since 1.0.
     */
    uint32_t found;
    uint32_t reserved_; /**< 0 */
} karp_kept;

/** Number of nodes that stay, ordered by name. 0 for a launch decision. */
KARP_API size_t karp_decision_kept_count(const karp_decision *decision);

/** Kept node @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_kept(const karp_decision *decision, size_t index, karp_kept *out);

/**
 * The state between disruption passes as plain values, which the caller stores; Karpenter keeps it in memory. A zeroed
 * one (karp_memory_init()) is for the first pass. A method that found nothing although budgets allowed disruptions is
 * not tried again while nothing changes, for five minutes at most.
 */
typedef struct karp_memory {
    size_t size;
    /**
     * Instant of the last change that matters. 0 = unknown. Pods: bound or deleted. Nodes and NodeClaims: created,
     * deleted, initialised or marked for deletion. NodePools and NodeOverlays: edited. A pass detects changes by
     * comparing the cluster with `seen`. A caller that watches the cluster may set the time of a later change here. (A
     * pod that is deleted before it was bound is not a change for a pass.)
     */
    int64_t changed;
    uint64_t seen; /**< digest of the cluster in the last pass; 0 = none */
    int64_t emptiness_mark; /**< `changed` when the method last found nothing; 0 = never */
    int64_t multi_node_mark; /**< likewise */
    int64_t single_node_mark; /**< likewise */
    /** NodePools that single-node consolidation did not reach; the next pass begins with them */
    const karp_str *unseen;
    size_t unseen_count;
} karp_memory;

/** Zeroes @p memory and sets its size. */
KARP_API void karp_memory_init(karp_memory *memory, size_t size);

/** The memory for the next pass. Borrowed. Errors: NOT_FOUND (the options had no memory), ABI_SIZE. */
KARP_API karp_status karp_decision_memory(const karp_decision *decision, karp_memory *out);

/** What repair would do with a node, and why. Since 1.0. */
typedef struct karp_candidate_repair {
    uint32_t action; /**< KARP_REPAIR_* */
    uint32_t fallback; /**< 1 = by the policy for all other reasons */
    uint32_t escalated; /**< 1 = replaced instead of rebooted, as it was rebooted twice within a day */
    uint32_t reserved;
    karp_str condition; /**< type of the condition that caused it */
    karp_str reason; /**< its reason */
    double score; /**< the highest is repaired first */
    int64_t eligible_at; /**< instant */
    int64_t termination_grace_period; /**< duration: the shortest that a policy states; KARP_DURATION_UNSET = none */
} karp_candidate_repair;

/** A node that may be disrupted. */
typedef struct karp_candidate {
    size_t size;
    karp_str node;
    karp_str node_pool;
    double price; /**< $/h of the node's offering; 0 = unknown */
    /** The eviction costs of its pods (no unit; 1 for an ordinary pod), times the part of expireAfter that is left. */
    double disruption_cost;
    double reschedule_cost; /**< 1 + the positive eviction costs of its pods; no unit */
    const uint32_t *pods; /**< reschedulable ones, by name */
    size_t pod_count;
    const karp_candidate_repair *repair; /**< of KARP_METHOD_REPAIR; else NULL */
} karp_candidate;

/** Number of candidates of the method that found a command, or of the last one tried, in its order. */
KARP_API size_t karp_decision_candidate_count(const karp_decision *decision);

/** Candidate @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_candidate(const karp_decision *decision, size_t index, karp_candidate *out);

/** Why a node counts as disrupted already. Numbers never change. Since 1.0. */
enum {
    KARP_BUSY_DELETING = 1, /**< it is being deleted, or marked for deletion */
    KARP_BUSY_REBOOTING = 2,
    KARP_BUSY_NOT_READY = 3 /**< not for KARP_METHOD_REPAIR */
};

/** The name of a KARP_BUSY_*: "DELETING". "UNKNOWN" for any other number. Lives as long as the library. Since 1.0. */
KARP_API const char *karp_busy_name(uint32_t code);

/** A node that uses up one disruption of its NodePool's budgets. Since 1.0. */
typedef struct karp_busy_node {
    karp_str node;
    uint32_t code; /**< KARP_BUSY_* */
    uint32_t reserved; /**< 0 */
} karp_busy_node;

/** What a NodePool's budgets allow at the time of the decision. */
typedef struct karp_pool_budget {
    size_t size;
    karp_str node_pool;
    int64_t remaining; /**< disruptions still allowed */
    int64_t next_change; /**< instant at which the schedule of a budget begins or ends; KARP_NO_TIME = never */
    /** nodes that may be disrupted at a time; KARP_UNLIMITED = no budget applies now. Since 1.0. */
    int64_t allowed;
    /** number of the budget that allows the fewest; KARP_NO_BUDGET = none applies now. Since 1.0. */
    uint32_t tightest;
    uint32_t nodes; /**< initialized nodes of the NodePool, which percentages refer to. Since 1.0. */
    const karp_busy_node *busy; /**< nodes that count as disrupted, by name. Since 1.0. */
    size_t busy_count; /**< since 1.0 */
    karp_str schedule; /**< of `tightest`, in cron's notation; "" = it always applies. Since 1.0. */
    int64_t duration; /**< of `tightest`, in nanoseconds; 0 = not stated. Since 1.0. */
} karp_pool_budget;

/** No budget of a NodePool applies. Since 1.0. */
#define KARP_NO_BUDGET UINT32_MAX
/** The number of disruptions if no budget applies; `remaining` is then this number less the disrupted nodes. Since 1.0.
 */
#define KARP_UNLIMITED INT64_C(2147483647)

/** Number of budgets: one of each NodePool, by the names of the NodePools. */
KARP_API size_t karp_decision_budget_count(const karp_decision *decision);

/** Budget @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_budget(const karp_decision *decision, size_t index, karp_pool_budget *out);

#ifdef __cplusplus
}
#endif
#endif
