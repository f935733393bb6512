/* SPDX-License-Identifier: Apache-2.0 */
/* One search for a cheap plan: what its parts share. plan.c says how they follow each other. */
#ifndef OPTIMISE_SEARCH_H
#define OPTIMISE_SEARCH_H

#include <schedule/guide.h>
#include <schedule/menu.h>
#include <schedule/policy.h>
#include <schedule/provision.h>
#include <schedule/result.h>

/* A plan that numbers were found for, as the scheduler is asked for it. */
typedef struct guided_plan {
    guide guide;
    uint32_t *slot_of; /* by pod */
    karp_context *context;
    size_t slot_room, pod_room; /* what the lists have been taken with */
} guided_plan;

typedef struct search {
    const karp_snapshot *seen;
    const karp_options *options;
    const karp_objective *objective;
    const round_changes *changes;
    karp_error *error;
    scheduler *s;
    bool fresh; /* the scheduler has had no round yet */
    bool ignoring; /* preferences */
    bool weighs_spot; /* prices of spot have a factor */
    arena data;
    uint64_t *left, *now_left; /* pods that Karpenter's plan leaves, and that of the round at hand */
    uint16_t *steps_kept, *steps_now; /* by pod: what they gave up in these */
    uint16_t *steps_begun; /* … and in the plan that numbers were made of */
    uint32_t *first_types; /* by template, of the round at hand */
    int64_t best_cap; /* CPUs */
    policy capped, guided; /* of the round at hand */
    round_bill compatible, best;
    struct karp_bound *bound; /* of every plan that counts; NULL = none */
    enum { PLAN_COMPATIBLE, PLAN_CAPPED, PLAN_GUIDED } best_is;
    guided_plan best_guided;
    uint32_t
        faults; /* that the verifier finds in Karpenter's plan, which has its quirks: no other plan may have more */
    bool stopped;
    karp_decision *decision; /* the best plan */
    uint64_t steps;
} search;

/* One round, in a scheduler that decides as a new one does; `g` may be NULL. */
karp_status search_round(search *q, const policy *p, guide *g, const karp_options *options);
/* Whether the round that has ended is a plan that counts, and cheaper than the best: it is the best then. *status tells of trouble. */
bool search_better(search *q, karp_status *status);
bool search_asked_to_stop(const search *q);
/* The round of the best plan once more, for what it leaves in the scheduler. */
karp_status search_replay(search *q, const karp_options *options);

/* refine.c: a cheaper plan in numbers, asked for at the scheduler. */
karp_status search_refine(search *q);
void guided_plan_free(guided_plan *g);

#endif
