/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one search for a cheap plan, shared by its parts. plan.c shows the order of the steps. */
#pragma once

#include <optimise/certify.h>
#include <schedule/guide.h>
#include <schedule/menu.h>
#include <schedule/policy.h>
#include <schedule/options.h>
#include <schedule/result.h>

/* A plan found in numbers, in the form in which the scheduler is asked to follow it. */
typedef struct guided_plan {
    guide guide;
    uint32_t *slot_of; /* by pod */
    karp_context *context;
    size_t slot_capacity, pod_capacity; /* capacities with which the lists were allocated */
} guided_plan;

typedef struct search {
    const karp_snapshot *seen;
    const karp_options *options;
    const karp_objective *objective;
    const round_changes *changes;
    run_options how; /* of rounds, apart from the options and preferences */
    bool bare; /* for a caller with the scheduler, who only wants the round: no decision is made */
    karp_error *error;
    scheduler *s;
    bool fresh; /* the scheduler has not run a round yet */
    bool ignoring; /* preferences are ignored */
    bool weighs_spot; /* spot prices have a factor */
    arena data;
    uint64_t *left, *now_left; /* pods that Karpenter's plan does not place, and the same for the current round */
    uint16_t *steps_kept, *steps_now; /* by pod: relaxation steps in these two plans */
    uint16_t *steps_begun; /* relaxation steps in the plan from which the numbers were made */
    uint32_t *first_types; /* by template, for the current round */
    int64_t best_cap; /* CPU limit of the best capped plan */
    policy capped, guided; /* for the current round */
    round_bill compatible, best;
    struct karp_bound *bound; /* bound on every valid plan; NULL = none */
    round_trail trail; /* of the bound, at the stops of the search */
    enum { PLAN_COMPATIBLE, PLAN_CAPPED, PLAN_GUIDED } best_is;
    guided_plan best_guided;
    /* number of faults that the verifier finds in Karpenter's plan, because of its quirks; no other plan may have
     * more */
    uint32_t faults;
    bool stopped;
    karp_decision *decision; /* the best plan */
    uint64_t steps;
} search;

/* Runs one round, in a scheduler that decides like a new one. `g` may be NULL. */
karp_status search_round(search *q, const policy *p, guide *g, const karp_options *options);
/* Whether the round that has ended is a valid plan and cheaper than the best. If so, it becomes the best. *status
 * receives errors. */
bool search_better(search *q, karp_status *status);
bool search_must_stop(const search *q);
/* Repeats the round of the best plan, for the state that it leaves in the scheduler. */
karp_status search_replay(search *q, const karp_options *options);

#define OPTIMAL_GAP 1e-9 /* rounding errors of sums of prices */

enum { FIRST_STOP = 1000, MOST_STOPS = 64 };
/* The next of 1, 2, 5, 10, 20, … thousand steps. */
uint64_t search_stop_after(uint64_t stop);

/* refine.c: searches for a cheaper plan in numbers and lets the scheduler check it. */
karp_status search_refine(search *q);
void guided_plan_free(guided_plan *g);
