/* SPDX-License-Identifier: Apache-2.0 */
/* What one step of a repack plan may remove: nodes by NodePool, pods by PodDisruptionBudget, and only for a saving. */
#ifndef OPTIMISE_STEP_BUDGET_H
#define OPTIMISE_STEP_BUDGET_H

#include <optimise/repack_search.h>

typedef struct repack_limits {
    const int64_t *at_once; /* by pool: nodes that one step may remove; NULL = any number */
    uint32_t pool_count;
    const int64_t
        *evictions_at_once; /* by PodDisruptionBudget: pods of it that one step may move; NULL = there are none */
    uint32_t budget_count;
    uint64_t max_steps;
    double min_saving, min_saving_per_eviction;
} repack_limits;

/* Who moves: by node, its pods, each with its class. */
typedef struct repack_pods {
    const uint32_t *const *pods; /* by node */
    const uint32_t *counts;
    const uint32_t *class_of; /* by pod */
    const uint32_t
        *budget_of; /* by pod: the PodDisruptionBudget it counts against, UINT32_MAX = none; NULL = there are none */
    size_t all; /* pods there are */
} repack_pods;

/* Of the step at hand. */
typedef struct step_budget {
    const repack_problem *p;
    const repack_pods *pods;
    const repack_limits *limits;
    int64_t *nodes; /* by pool: that it removes */
    int64_t *evicted; /* by PodDisruptionBudget: pods that it moves */
} step_budget;

/* false = refused. The arena has the counts, everything else is borrowed. */
bool step_budget_init(step_budget *b, arena *a, const repack_problem *p, const repack_pods *pods,
                      const repack_limits *limits);
void step_budget_clear(step_budget *b); /* the step removes nothing yet */
void step_budget_count(step_budget *b, uint32_t which,
                       int64_t by); /* the node is removed, too (1), or not after all (-1) */
/* Whether the step may remove the node besides. */
bool step_budget_allows(step_budget *b, uint32_t which);
/* Whether it may remove what it does. */
bool step_budget_kept(const step_budget *b);

/* Whether a step that saves so many dollars an hour is worth its evictions. */
bool step_pays(const repack_limits *l, double saving, uint64_t evictions);

#endif
