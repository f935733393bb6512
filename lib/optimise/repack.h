/* SPDX-License-Identifier: Apache-2.0 */
/* One repacking: what its parts share. repack.c says how they follow each other. */
#ifndef OPTIMISE_REPACK_H
#define OPTIMISE_REPACK_H

#include <disrupt/pass.h>
#include <karp/certificate.h>
#include <karp/repack.h>
#include <optimise/repack_walk.h>
#include <optimise/round_bound.h>
#include <schedule/guide.h>
#include <schedule/menu.h>
#include <schedule/policy.h>
#include <schedule/provision.h>
#include <schedule/result.h>

/* How cheap a plan with so many evictions can be at most; repack_bound.c. Costs are $/h, units 10^-12 of them. */
struct repack_bound {
    bool known, exact; /* exact: free space is valued by the proof */
    round_bound facts; /* pods, offerings and free space, with a proof */
    struct bound_node { /* that may go */
        uint32_t node, evictions;
        double price;
        double space; /* what pods that came to it could be worth at most */
        double worth; /* of its own pods, at least */
        int64_t cost;
        amount space_units, worth_units;
    } * nodes;
    uint32_t count;
    bool *may_go; /* by node of the snapshot */
    double fixed, fixed_value; /* of nodes that may not */
    amount fixed_units, fixed_space;
    double dearest; /* price per eviction */
};

typedef struct repacking {
    pass p; /* who may go, and what budgets allow */
    const karp_snapshot *seen;
    karp_context *context; /* the pass's */
    karp_repack_options options;
    karp_objective objective;
    karp_error *error;
    arena data;
    run_options how;
    scheduler *s;
    policy policy;
    uint16_t *steps, *steps_now; /* by pod: what they give up */
    menu_home *homes; /* candidates, by name … */
    uint32_t home_count;
    menu menu;
    menu_hosts hosts;
    repack_problem problem; /* … and those of them that numbers can tell of */
    uint32_t *candidate_of; /* by node of the problem: in p.candidates */
    repack_pods pods;
    int64_t *evictions_at_once; /* by PodDisruptionBudget; NULL = there are none */
    uint32_t *types; /* by offer: see menu_types() */
    struct repack_bound bound, untuned; /* the second for more evictions than the prices of the first are made for … */
    uint64_t tuned_for; /* … which are so many */
    repack_problem small_launches; /* the same for plans that are cut into steps: budgets make dear launches useless */
    repack_search *search; /* of any plan */
    repack_search *stepped; /* of plans that budgets allow; the same where they allow any */
    repack_search *
        guided; /* the same with pods worth what proves most for the evictions; NULL = the bound has no better prices … */
    repack_problem guided_problem; /* … which this has */
    repack_limits limits;
    repack_walk *walk; /* step by step, where budgets cut plans; NULL = they do not */
    repack_plan plan;
    repack_plan chosen; /* of all searches, the one whose steps save most */
    double chosen_saving;
    repack_steps stages;
    guide guide; /* of the plan at hand: its bins, and launches that the scheduler wants beside them */
    uint32_t *slot_of, *host_of; /* its lists, by pod */
    uint32_t *stage_of_slot, slot_room;
    uint32_t *to_host, *to_slot; /* by pod: where the plan, and the scheduler's corrections of it, send it */
    bool *takes_pods; /* by host */
    uint32_t *closed; /* hosts that go with some step */
    uint64_t *moved; /* by pod: before the step at hand */
    uint32_t *removed, *moving; /* of the round at hand */
    uint32_t removed_count, moving_count;
    round_result result; /* of the last round */
    karp_repack_cost cost;
    LIST_OF(karp_repack_point) points;
    LIST_OF(karp_certificate_point) proven;
    bool may_act; /* whether NodePools can be used, and the same is decided again */
    karp_decision
        *kept; /* the best plan so far that the scheduler admits, for callers who may stop the search; NULL = none */
    bool stopped, refused;
    bool cut; /* by the caller: the last round did not look at every pod */
} repacking;

bool repack_asked_to_stop(repacking *r);
karp_status repack_canceled(const repacking *r);
/* Keeps the best plan so far, if the scheduler admits it. Status: OK, NOMEM. */
karp_status repack_keep(repacking *r);
/* repack_problem.c: `problem`, `pods` and what budgets allow at once, from the menu and its hosts. false = refused. */
bool repack_numbers(repacking *r);
bool repack_limit_launches(repacking *r); /* … and `small_launches` */
/* repack_look.c: searches, from the least effort to that of the objective; the best of what they find is in `stepped` and `walk`. Status: OK, NOMEM. */
karp_status repack_look(repacking *r, uint64_t most);
/* … and goes on when a node of the problem has to stay. */
karp_status repack_look_without(repacking *r, uint32_t number, uint64_t most, uint64_t steps);
karp_status repack_steps_of_best(repacking *r); /* `stages` */
uint64_t repack_look_work(const repacking *r);
void repack_look_end(repacking *r);
karp_status repack_steps_so_far(repacking *r); /* `stages` while it looks */
/* repack_admit.c. A round without those nodes, in which these pods are placed anew: NULL = as the scheduler likes. Status: OK, NOMEM, CANCELED. */
karp_status repack_new_round(repacking *r, const uint32_t *removed, uint32_t removed_count, const uint32_t *moving,
                             uint32_t moving_count, guide *g);
/* Asks the scheduler for `stages`. *refused: a node that has to stay, because its pods have no place or its step does not pay; UINT32_MAX =
 * there is none. The first *good steps are admitted. Status: OK, and then only `cut` may say that it was not asked to the end; NOMEM, CANCELED. */
karp_status repack_admit(repacking *r, uint32_t *refused, uint32_t *good);
/* Cuts `stages` to so many, all admitted before, and asks for them once more. */
karp_status repack_admit_first(repacking *r, uint32_t count);
/* After a round in which all that may move does, and no node is gone; false = refused. */
bool repack_bound_make(repacking *r);
bool repack_bound_facts(repacking *r); /* the problem without a proof */
bool repack_bound_fill(repacking *r,
                       const amount *spaces); /* by node: what its free space is worth; the proof is in the facts */
amount *repack_bound_spaces(repacking *r,
                            const amount *spent); /* by node, of those by node of the facts; NULL = refused */
/* The most that the prices of pods prove, in doubles, and with which part of them and which price of an eviction. */
double repack_bound_best(const struct repack_bound *b, uint64_t evictions, double *part, double *price);
/* repack_prices.c: `bound` with prices of pods that prove more for so many evictions, where it is exact. false = refused. */
bool repack_prices_for(repacking *r, uint64_t evictions);
double repack_bound_at(repacking *r, uint64_t evictions); /* 0 = none is known */
/* What a point of a certificate may claim, when the bound is exact; false = a sum is larger than can be. */
bool repack_bound_proves(const struct repack_bound *b, const karp_certificate_point *point, int64_t *value);
int64_t repack_node_cost(const repacking *r, uint32_t index); /* 10^-12 $/h */
/* repack_certify.c: the proof of what repack_bound_at() has answered, as the decision's. false = refused. */
bool repack_certify(repacking *r, karp_decision *d);
karp_status repack_certificate_holds(repacking *r, const karp_certificate *c);
/* repack_rows.c: the decision, after the round of all steps. whole: the search has ended by itself. */
karp_status repack_decision(repacking *r, bool whole, karp_decision **out);

#endif
