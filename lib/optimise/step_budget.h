/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of one step of a repack plan: nodes per NodePool, pods per PodDisruptionBudget, and the saving it needs. */
#ifndef OPTIMISE_STEP_BUDGET_H
#define OPTIMISE_STEP_BUDGET_H

#include <optimise/repack_search.h>

typedef struct repack_limits {
    const int64_t *at_once; /* by NodePool: most nodes that one step may remove; NULL = no limit */
    uint32_t pool_count;
    const int64_t
        *evictions_at_once; /* by PodDisruptionBudget: most of its pods that one step may move; NULL = there are none */
    uint32_t budget_count;
    uint64_t max_steps;
    double min_saving, min_saving_per_eviction;
} repack_limits;

/* The pods that move: those of each node, with their classes. */
typedef struct repack_pods {
    const uint32_t *const *pods; /* by node */
    const uint32_t *counts;
    const uint32_t *class_of; /* by pod */
    const uint32_t
        *budget_of; /* by pod: the PodDisruptionBudget it counts against, UINT32_MAX = none; NULL = there are none */
    size_t all; /* number of pods in the snapshot */
} repack_pods;

/* The counts of the current step. */
typedef struct step_budget {
    const repack_problem *p;
    const repack_pods *pods;
    const repack_limits *limits;
    int64_t *nodes; /* by NodePool: nodes removed */
    int64_t *evicted; /* by PodDisruptionBudget: pods moved */
} step_budget;

/* The counts are allocated in the arena; everything else is borrowed. false = out of memory. */
bool step_budget_init(step_budget *b, arena *a, const repack_problem *p, const repack_pods *pods,
                      const repack_limits *limits);
void step_budget_clear(step_budget *b); /* for a step that removes nothing yet */
void step_budget_count(step_budget *b, uint32_t which,
                       int64_t by); /* adds (by = 1) or subtracts (by = -1) a removed node */
/* Whether the step may also remove this node. */
bool step_budget_allows(step_budget *b, uint32_t which);
/* Whether the step is within its limits. */
bool step_budget_kept(const step_budget *b);

/* Whether a saving of so many dollars per hour justifies the evictions. */
bool step_pays(const repack_limits *l, double saving, uint64_t evictions);

#endif
