/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan (repack_search.h) as steps that follow each other: each removes a few nodes, after launching what their pods need that
 * is not there yet. Pods of one class are alike, so that whose pods go where is free to choose: the first steps take the space
 * that is there, and each launch is made as late as can be. Where budgets let a step remove too few nodes for that to pay each time,
 * the steps buy for themselves instead.
 */
#ifndef OPTIMISE_REPACK_STEPS_H
#define OPTIMISE_REPACK_STEPS_H

#include <optimise/step_budget.h>

typedef struct repack_stage {
    uint32_t first, count; /* of the order */
    uint64_t evictions;
    double saving;
} repack_stage;

typedef struct repack_steps {
    LIST_OF(uint32_t) order; /* nodes, as they are removed */
    LIST_OF(repack_stage) stages;
    packing_bins bins; /* launches: those of the plan, or step by step what each needs by itself */
    uint32_t *stage_of_bin; /* by bin: the step that launches it, UINT32_MAX = none does */
    uint32_t *host_of, *bin_of; /* by pod: where it goes, UINT32_MAX = not to one of these */
    uint32_t *stage_of; /* by pod, of those that move */
    arena data;
} repack_steps;

/* false = refused. */
bool repack_steps_make(karp_context *context, const repack_problem *p, const repack_plan *plan, const repack_pods *pods,
                       const repack_limits *limits, repack_steps *out);
/* Room for where so many pods go and which steps make so many launches: none yet. The arena is there. false = refused. */
bool repack_steps_room(repack_steps *s, size_t pods, size_t bins);
/* The first steps only. */
void repack_steps_cut(repack_steps *s, uint32_t count);
void repack_steps_free(karp_context *context, repack_steps *s);

#endif
