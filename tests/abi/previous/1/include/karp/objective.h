/* SPDX-License-Identifier: Apache-2.0 */
/** @file objective.h  The objective of launch decisions: Karpenter's own decisions, or the least cost. */
#ifndef KARP_OBJECTIVE_H
#define KARP_OBJECTIVE_H

#include <karp/decision.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The objective of a launch decision. */
enum {
    KARP_OBJECTIVE_COMPATIBLE = 0, /**< decide as Karpenter does */
    KARP_OBJECTIVE_COST = 1 /**< the least $/h within the same rules; never more than Karpenter's plan */
};

/**
 * Effort, in steps of work. A step takes about a microsecond of one core for any input. The names state this time, but
 * the values are counts. Efforts are rounded down to 1, 2 or 5 times a power of ten.
 */
#define KARP_EFFORT_NONE 0 /**< the compatible plan */
#define KARP_EFFORT_10MS 10000
#define KARP_EFFORT_100MS 100000 /**< what karp_objective_init() sets */
#define KARP_EFFORT_1S 1000000

/** Flags of karp_objective for plans of least cost. Since 1.0. */
enum {
    KARP_COST_PRICE_SLACK = 1, /**< use price_slack; without this flag it is 0, and 0.15 for spot launches */
    KARP_COST_IGNORE_PREFERENCES = 2, /**< ignore preferences, as with Karpenter's preference policy Ignore */
    KARP_COST_IGNORE_WEIGHTS = 4 /**< a NodePool may be used before one of higher weight if that is cheaper */
};

/** The objective of a launch decision. Costs are $/h. Since 1.0. */
typedef struct karp_objective {
    size_t size;
    uint32_t kind; /**< KARP_OBJECTIVE_* */
    uint32_t flags; /**< KARP_COST_*, added up */
    uint64_t effort; /**< steps of work; more effort never gives a more expensive plan */
    double node_cost; /**< cost of every node in addition to its price; finite, at least 0 */
    /**
     * Factor for spot prices that accounts for the risk of interruptions: finite, at least 0; 0 means 1. Only for
     * launch decisions.
     */
    double spot_factor;
    double price_slack; /**< a launch lists types that cost up to so much more than its cheapest type: 0.1 = 10 %;
                           finite, at least 0 */
} karp_objective;

/** Sets the size, the kind COMPATIBLE and the effort of 100 ms; everything else is 0. Since 1.0. */
KARP_API void karp_objective_init(karp_objective *objective, size_t size);

/** Figures of a decision with an objective. Costs are $/h of its launches, with node_cost and spot_factor. Since 1.0.
 */
typedef struct karp_cost {
    size_t size;
    double cost; /**< of this plan */
    double compatible_cost; /**< of the plan that Karpenter would make */
    double bound; /**< no plan for these pods costs less; 0 = unknown */
    double gap; /**< (cost − bound) / bound; 0 when both are 0; negative = unknown */
    uint64_t effort; /**< steps of work that were allowed … */
    uint64_t steps; /**< … and used, without the set-up */
    uint32_t compatible_launches; /**< nodes of the plan that Karpenter would make */
    uint32_t stopped; /**< 1 = should_stop ended the search, so another run may differ */
    uint32_t optimal; /**< 1 = the bound proves that no plan is cheaper */
    uint32_t flags; /**< KARP_COST_* of the objective */
} karp_cost;

/**
 * The figures of a decision with the objective COST. @p out's size must be set.
 * Errors: NOT_FOUND (it had another objective), INVALID, ABI_*. Any thread. Since 1.0.
 */
KARP_API karp_status karp_decision_cost(const karp_decision *decision, karp_cost *out);

#ifdef __cplusplus
}
#endif
#endif
