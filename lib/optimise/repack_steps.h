/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a plan (repack_search.h) into consecutive steps. Each step launches the nodes that its pods need and that do
 * not exist yet, and then removes a few nodes. Pods of one class are interchangeable, so any pod of a class can take
 * any place of that class. The first steps use existing free space, and each launch is made as late as possible. If
 * budgets allow a step too few nodes for this to pay in each step, the steps choose their own launches instead.
 */
#ifndef OPTIMISE_REPACK_STEPS_H
#define OPTIMISE_REPACK_STEPS_H

#include <optimise/step_budget.h>

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

#endif
