/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a plan (repack_search.h) into consecutive steps. Each step launches the nodes that its pods need and that do
 * not exist yet, and then removes a few nodes. Pods of one class are interchangeable, so any pod of a class can take
 * any place of that class. The first steps use existing free space, and each launch is made as late as possible. If
 * budgets allow a step too few nodes for this to pay in each step, the steps choose their own launches instead.
 */
#pragma once

#include <optimise/repack_search.h>

/* ---- step_budget.c: the limits of one step ----------------------------------------------------------------------- */

/* Nodes per NodePool, pods per PodDisruptionBudget, and the saving it needs. */
typedef struct repack_limits {
    const int64_t *at_once; /* by NodePool: most nodes that one step may remove; NULL = no limit */
    uint32_t pool_count;
    /* by PodDisruptionBudget: most of its pods that one step may move; NULL = there are none */
    const int64_t *evictions_at_once;
    uint32_t budget_count;
    uint64_t max_steps;
    double min_saving, min_saving_per_eviction;
} repack_limits;

/* The pods that move: those of each node, with their classes. */
typedef struct repack_pods {
    const uint32_t *const *pods; /* by node */
    const uint32_t *counts;
    const uint32_t *class_of; /* by pod */
    /* by pod: the PodDisruptionBudget it counts against, UINT32_MAX = none; NULL = there are none */
    const uint32_t *budget_of;
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
/* Adds (by = 1) or subtracts (by = -1) a removed node. */
void step_budget_count(step_budget *b, uint32_t which, int64_t by);
/* Whether the step may also remove this node. */
bool step_budget_allows(step_budget *b, uint32_t which);
/* Whether the step is within its limits. */
bool step_budget_kept(const step_budget *b);

/* Whether a saving of so many dollars per hour justifies the evictions. */
bool step_pays(const repack_limits *l, double saving, uint64_t evictions);

/* ---- steps ------------------------------------------------------------------------------------------------------- */

typedef struct repack_stage {
    uint32_t first, count; /* range in the order */
    uint64_t evictions;
    double saving;
} repack_stage;

typedef struct repack_steps {
    LIST_OF(uint32_t) order; /* nodes in the order of removal */
    LIST_OF(repack_stage) stages;
    packing_bins bins; /* launches: those of the plan, or those that each step chose */
    uint32_t *stage_of_bin; /* by bin: the step that launches it, UINT32_MAX = none */
    uint32_t *host_of, *bin_of; /* by pod: its target, UINT32_MAX = not one of these */
    uint32_t *stage_of; /* by pod that moves: its step */
    arena data;
} repack_steps;

/* false = out of memory. */
bool repack_steps_make(karp_context *context, const repack_problem *p, const repack_plan *plan, const repack_pods *pods,
                       const repack_limits *limits, repack_steps *out);
/* Allocates the arrays for so many pods and launches, without targets or steps. The arena must have been initialized.
 * false = out of memory. */
bool repack_steps_alloc(repack_steps *s, size_t pods, size_t bins);
/* Keeps only the first `count` steps. */
void repack_steps_cut(repack_steps *s, uint32_t count);
void repack_steps_free(karp_context *context, repack_steps *s);
