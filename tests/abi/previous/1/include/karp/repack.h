/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file repack.h  Plans for a cheaper cluster with the same pods, step by step: terminated nodes, launches, moved
 * pods.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_REPACK_H
#define KARP_REPACK_H

#include <karp/disrupt.h>
#include <karp/objective.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No limit, for max_evictions and max_steps. Since 1.0. */
#define KARP_REPACK_ANY UINT64_MAX

/** Options of karp_repack(). Since 1.0. */
typedef struct karp_repack_options {
    size_t size;
    /** Clock, profile, when to stop; its objective has the effort and the cost of a node in addition to its price. NULL
     * = defaults. */
    const karp_options *common;
    uint64_t max_evictions; /**< of the whole plan; KARP_REPACK_ANY = no limit */
    uint64_t max_steps; /**< steps of the plan; KARP_REPACK_ANY = no limit */
    double max_evicted_percent; /**< 0 … 100 of the pods that could move on any node; 100 = no limit */
    double min_saving; /**< $/h that each step saves at least; finite, at least 0 */
    double min_saving_per_eviction; /**< $/h that each step saves at least for each pod it moves; likewise */
    uint32_t ignore_budgets; /**< 1 = steps may disrupt more nodes at once than the NodePools' budgets allow */
    uint32_t ignore_consolidate_after; /**< 1 = consolidateAfter does not protect nodes */
    const karp_str *in_progress; /**< names of nodes in commands that are being carried out: they stay, IN_QUEUE */
    size_t in_progress_count;
    /** 1 = karp_decision_certificate() has the proof of the bounds. There is none if no node may be disrupted, if nodes
     * are in progress, or if nodes times classes of pods are more than 2^23. */
    uint64_t certificate;
} karp_repack_options;

/** Sets the size, and the limits to "no limit"; everything else is 0. Since 1.0. */
KARP_API void karp_repack_options_init(karp_repack_options *options, size_t size);

/**
 * The plan with the largest saving per hour that the search finds within the limits, as steps to be carried out one
 * after the other. The decision's commands are the steps: which nodes are terminated, what is launched before that, and
 * where each pod goes. A launch lists the pods that move to it in its own step; pods that later steps move there are
 * placements whose node is the launch's id. After each step the cluster is feasible and costs less than before. Only
 * nodes that consolidation may disrupt are terminated; pods move at most once. The decision has no unschedulable pods
 * and notes of a launch decision: the places that pending pods would get stay reserved for them. Equal input and equal
 * effort give equal decisions. A search that is stopped (should_stop) returns the best plan so far if keep_partial is
 * set, and sets karp_repack_cost.stopped. Errors: INVALID (an option), RANGE (amounts that cannot be added up or
 * counted exactly), UNSUPPORTED (a negative price), NOMEM, CANCELED, ABI_*. May be called by several threads at once.
 * Since 1.0.
 */
KARP_API karp_status karp_repack(const karp_snapshot *snapshot, const karp_repack_options *options, karp_decision **out,
                                 karp_error *error);

/** The figures of a repack plan. Costs are $/h of all nodes, with the cost of a node in addition to its price. Since
 * 1.0. */
typedef struct karp_repack_cost {
    size_t size;
    double before; /**< of the cluster as it is */
    double after; /**< when all steps are done */
    double bound; /**< no plan with so many evictions ends with less; 0 = unknown */
    uint64_t evictions; /**< of the whole plan */
    uint64_t pods; /**< that could move, on all nodes */
    uint64_t effort; /**< steps of work that were allowed … */
    uint64_t work; /**< … and used, without the set-up */
    uint32_t stopped; /**< 1 = should_stop ended the search, so another run may differ */
    uint32_t reserved;
} karp_repack_cost;

/** The figures of a decision of karp_repack(). Errors: NOT_FOUND (of another function), INVALID, ABI_*. Since 1.0. */
KARP_API karp_status karp_decision_repack(const karp_decision *decision, karp_repack_cost *out);

/** The figures of one step, which is the command with the same index. Since 1.0. */
typedef struct karp_repack_step {
    size_t size;
    double saving; /**< $/h, more than 0 */
    double total_saving; /**< with the steps before */
    double cost_after; /**< $/h of the cluster after the step */
    uint64_t evictions; /**< pods that the step moves */
    uint64_t total_evictions; /**< with the steps before */
} karp_repack_step;

/** Step @p index. Errors: NOT_FOUND beyond the end, INVALID, ABI_*. Since 1.0. */
KARP_API karp_status karp_decision_repack_step(const karp_decision *decision, size_t index, karp_repack_step *out);

/** The lowest cost that was found for a number of evictions. Since 1.0. */
typedef struct karp_repack_point {
    size_t size;
    uint64_t evictions;
    double cost; /**< $/h */
    double bound; /**< no plan with so many evictions ends with less; 0 = none is known */
} karp_repack_point;

/** The curve: points by rising evictions and falling cost, from none to the full repack. Since 1.0. */
KARP_API size_t karp_decision_repack_point_count(const karp_decision *decision);
/** Point @p index. Errors: NOT_FOUND beyond the end, INVALID, ABI_*. Since 1.0. */
KARP_API karp_status karp_decision_repack_point(const karp_decision *decision, size_t index, karp_repack_point *out);

#ifdef __cplusplus
}
#endif
#endif
