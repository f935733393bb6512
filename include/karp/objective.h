/* SPDX-License-Identifier: Apache-2.0 */
/** @file objective.h  What a launch decision aims at: Karpenter's order of events, or the least cost. */
#ifndef KARP_OBJECTIVE_H
#define KARP_OBJECTIVE_H

#include <karp/decision.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a launch decision aims at. */
enum {
    KARP_OBJECTIVE_COMPATIBLE = 0, /**< decide as Karpenter does */
    KARP_OBJECTIVE_COST = 1 /**< the least $/h within the same rules; never more than Karpenter's plan */
};

/**
 * Effort, in steps of work. A step is about a microsecond of one core, whatever the input; the names say for how long a core
 * is busy, and are counts like any other. Efforts are rounded down to 1, 2 or 5 times a power of ten.
 */
#define KARP_EFFORT_NONE 0 /**< the compatible plan */
#define KARP_EFFORT_10MS 10000
#define KARP_EFFORT_100MS 100000 /**< what karp_objective_init() sets */
#define KARP_EFFORT_1S 1000000

/** What else a plan for the least cost may do; flags of karp_objective. Since 0.1. */
enum {
    KARP_COST_PRICE_SLACK = 1, /**< price_slack counts; without this flag it is 0, and 0.15 where a launch is spot */
    KARP_COST_IGNORE_PREFERENCES =
        2, /**< preferences do not count: decided as with Karpenter's preference policy Ignore */
    KARP_COST_IGNORE_WEIGHTS = 4 /**< a NodePool may be used before one of higher weight, where that is cheaper */
};

/** The objective of a launch decision. Costs are $/h. Since 0.1. */
typedef struct karp_objective {
    size_t size;
    uint32_t kind; /**< KARP_OBJECTIVE_* */
    uint32_t flags; /**< KARP_COST_*, added up */
    uint64_t effort; /**< steps of work; more never gives a dearer plan */
    double node_cost; /**< what any node costs beside its price; finite, at least 0 */
    /**
     * What the prices of spot are multiplied by, as a risk of interruptions is worth it: finite, at least 0; 0 is as 1. Launch
     * decisions alone have it.
     */
    double spot_factor;
    double
        price_slack; /**< how much dearer than its cheapest a type may be that a launch lists: 0.1 = 10 %; finite, at least 0 */
} karp_objective;

/** Sets the size, the kind COMPATIBLE and the effort of 100 ms; everything else is 0. Since 0.1. */
KARP_API void karp_objective_init(karp_objective *objective, size_t size);

/** What a decision with an objective says of its cost. Costs are $/h, of launches, with what each node costs beside its
 * price and the factor of spot. Since 0.1. */
typedef struct karp_cost {
    size_t size;
    double cost; /**< of this plan */
    double compatible_cost; /**< of the plan that Karpenter would make */
    double bound; /**< no plan for these pods costs less; 0 = none is known */
    double gap; /**< (cost − bound) / bound; 0 when both are 0; negative = no bound is known */
    uint64_t effort; /**< steps that were asked for … */
    uint64_t steps; /**< … and done; setting up is not counted */
    uint32_t compatible_launches; /**< nodes of the plan that Karpenter would make */
    uint32_t stopped; /**< 1 = should_stop ended the search, so that another run may differ */
    uint32_t optimal; /**< 1 = the bound proves that no plan is cheaper */
    uint32_t flags; /**< KARP_COST_*, as they were asked for */
} karp_cost;

/**
 * The figures of a decision that was made with the objective COST. @p out's size must be set.
 * Errors: NOT_FOUND (it had another objective), INVALID, ABI_*. Any number of threads may ask. Since 0.1.
 */
KARP_API karp_status karp_decision_cost(const karp_decision *decision, karp_cost *out);

#ifdef __cplusplus
}
#endif
#endif
