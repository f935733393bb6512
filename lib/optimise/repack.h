/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one repacking, shared by its parts. repack.c shows the order of the steps. */
#pragma once

#include <disrupt/pass.h>
#include <optimise/repack_walk.h>
#include <optimise/certify.h>
#include <schedule/guide.h>
#include <schedule/menu.h>
#include <schedule/policy.h>
#include <schedule/options.h>
#include <schedule/result.h>

/* Lower bound on the cost of a plan with a given number of evictions; repack_bound.c. Costs are in $/h, and units are
 * 10^-12 $/h. */
struct repack_bound {
    bool known, exact; /* exact: the worth of free space comes from the proof */
    round_bound facts; /* pods, offerings and free space, with a proof */
    struct bound_node { /* nodes that can be removed */
        uint32_t node, evictions;
        double price;
        double space; /* upper bound on the worth of pods placed on it */
        double worth; /* lower bound on the worth of its own pods */
        int64_t cost;
        amount space_units, worth_units;
    } * nodes;
    uint32_t count;
    bool *removable; /* by node of the snapshot: it can be removed */
    double fixed, fixed_value; /* of nodes that cannot be removed */
    amount fixed_units, fixed_space;
    double dearest; /* highest price of a node per eviction */
};

typedef struct repacking {
    pass p; /* candidates and disruption budgets */
    const karp_snapshot *seen;
    karp_context *context; /* the pass's context */
    karp_repack_options options;
    karp_objective objective;
    karp_error *error;
    arena data;
    run_options how;
    scheduler *s;
    policy policy;
    uint16_t *steps, *steps_now; /* by pod: number of relaxation steps */
    menu_home *homes; /* candidates, sorted by name */
    uint32_t home_count;
    menu menu;
    menu_hosts hosts;
    repack_problem problem; /* the candidates that can be expressed in numbers */
    uint32_t *candidate_of; /* by node of the problem: index in p.candidates */
    repack_pods pods;
    int64_t *evictions_at_once; /* by PodDisruptionBudget; NULL = there are none */
    uint32_t *types; /* by offer: cached results of menu_types() */
    struct repack_bound bound, untuned; /* untuned: for more evictions than the prices of `bound` are optimised for */
    bound_patterns bound_contents; /* contents of launches that serve all pods best, without numbers of nodes */
    bool wants_tree; /* all pods may move, and there are few */
    bound_tree tree; /* over numbers of launches for all pods */
    int64_t tree_value; /* what it proves of every plan; 0 = nothing */
    uint64_t counted_for; /* number of evictions for which the bound counts whole nodes, too; 0 = none */
    uint64_t tuned_for; /* number of evictions for which the prices of `bound` are optimised */
    /* the same problem for plans that are split into steps; budgets make expensive launches useless there */
    repack_problem small_launches;
    repack_search *search; /* plans without regard to budgets */
    repack_search *stepped; /* plans within the budgets of steps; the same search if budgets do not limit it */
    repack_search *
        /* like `stepped`, with the prices of pods that give the best bound for these evictions; NULL = those are no
         * better */
        guided;
    repack_problem guided_problem; /* the problem of `guided` */
    repack_limits limits;
    repack_walk *walk; /* builds plans step by step if budgets split plans; NULL = they do not */
    repack_plan plan;
    repack_plan chosen; /* the plan whose steps save most, of all searches */
    double chosen_saving;
    repack_steps stages;
    guide guide; /* for the current plan: its nodes, and additional launches that the scheduler wanted */
    uint32_t *slot_of, *host_of; /* arrays of `guide`, by pod */
    uint32_t *stage_of_slot, slot_capacity;
    uint32_t *to_host, *to_slot; /* by pod: its target by the plan, with the scheduler's corrections */
    bool *takes_pods; /* by host: it receives pods */
    uint32_t *removed_hosts; /* by any step */
    uint64_t *moved; /* by pod: it has moved before the current step */
    uint32_t *removed, *moving; /* of the current round */
    uint32_t removed_count, moving_count;
    double admitted; /* $/h that the admitted plan saves */
    uint64_t work_before; /* of searches that are over */
    round_result result; /* result of the last round */
    karp_repack_cost cost;
    LIST_OF(karp_repack_point) points;
    LIST_OF(karp_certificate_point) proven;
    bool may_act; /* NodePools can be used, and deciding again would give the same */
    /* the best plan so far that the scheduler admits, for callers that stop the search; NULL = none */
    karp_decision *kept;
    bool stopped, refused;
    bool cut; /* the caller cut the last round short, so it did not consider every pod */
} repacking;

bool repack_must_stop(repacking *r);
bool repack_may_stop(const repacking *r); /* and the caller wants the best plan so far */
karp_status repack_canceled(const repacking *r);
/* Keeps the best plan so far, if the scheduler admits it. Status: OK, NOMEM. */
karp_status repack_keep(repacking *r);
/* repack_problem.c: makes `hosts`, `problem`, `small_launches`, `pods` and the budgets of a step from the menu. */
karp_status repack_numbers(repacking *r);
/* repack_again.c: if the scheduler placed pods of the admitted plan in other zones than the search, searches again with
 * the pods in those zones. The plan that saves more is admitted in the end. */
karp_status repack_again(repacking *r, uint64_t most);
/* repack_look.c: searches with increasing effort, up to that of the objective. The best results are kept in `stepped`
 * and `walk`. Status: OK, NOMEM. */
karp_status repack_look(repacking *r, uint64_t most);
/* Continues the searches after it turned out that a node of the problem has to stay. */
karp_status repack_look_without(repacking *r, uint32_t number, uint64_t most, uint64_t steps);
/* The same for other numbers, in a single run. `guided`: also with the present prices of the bound. */
karp_status repack_look_again(repacking *r, uint64_t most, uint64_t steps, bool guided);
karp_status repack_steps_of_best(repacking *r); /* makes `stages` */
double repack_look_saving(const repacking *r); /* of the best plan so far */
uint64_t repack_look_work(const repacking *r);
void repack_look_end(repacking *r);
karp_status repack_steps_so_far(repacking *r); /* makes `stages` during the search */
/* repack_admit.c: runs a round without the removed nodes, in which the moving pods are placed again. g NULL = the
 * scheduler chooses freely. Status: OK, NOMEM, CANCELED. */
karp_status repack_new_round(repacking *r, const uint32_t *removed, uint32_t removed_count, const uint32_t *moving,
                             uint32_t moving_count, guide *g);
/* Lets the scheduler check `stages`. *refused: a node that has to stay because its pods cannot be placed or its step
 * does not pay; UINT32_MAX = none. The first *good steps are admitted. Status: OK (the check was cut short if `cut`
 * is set), NOMEM, CANCELED. */
karp_status repack_admit(repacking *r, uint32_t *refused, uint32_t *good);
/* If one step may remove these nodes: looks for the cheapest launches for their pods, and lets the scheduler check
 * them. *found: it admits them, they save more than `saving`, and `stages` has that step. Status: OK, NOMEM. */
karp_status repack_admit_anew(repacking *r, const uint32_t *nodes, uint32_t count, double saving, bool *found);
/* Truncates `stages` to the first steps, all of them admitted before, and checks these again. */
karp_status repack_admit_first(repacking *r, uint32_t count);
/* Computes the bound. Call after a round in which all movable pods were placed again and no node was removed. false =
 * out of memory. */
bool repack_bound_make(repacking *r);
bool repack_bound_facts(repacking *r); /* the problem without a proof, and without limits by the number of pods */
/* Limits the copies of classes: to the number of pods, and on a node that can be removed to those that are not its own,
 * for a node that receives pods keeps its own. */
bool repack_bound_limits(repacking *r);
bool repack_bound_fill(repacking *r,
                       /* spaces: by node, the worth of its free space; the proof is in the facts */
                       const amount *spaces);
/* Adopts the proof if it proves a better bound for so many evictions than *value, which then receives that. false = out
 * of memory. */
bool repack_bound_take(repacking *r, const bound_proof *proof, uint64_t evictions, double *value);
/* The same for a proof with the charges of offers, by what whole nodes prove. */
bool repack_bound_take_whole(repacking *r, const bound_proof *proof, uint64_t evictions);
amount *repack_bound_spaces(repacking *r,
                            /* converts charges by row of the facts to charges by node; NULL = out of memory */
                            const amount *spent);
/* By class: what a pod of it that stays is worth at these prices. `dearest` receives the most that one is worth
 * anywhere. */
void repack_value_staying(const relaxed *q, const int64_t *y, int64_t *worth, int64_t *dearest);
/* The class of a pod that stays on the node: that of its zone, if its pods are divided. UINT32_MAX = none. */
uint32_t repack_class_at(const repacking *r, uint32_t pod_number, uint32_t node_number);
/* The best bound that scaling the prices of pods gives, in doubles, with the scale factor (*part) and the price of an
 * eviction (*price). */
double repack_bound_best(const struct repack_bound *b, uint64_t evictions, double *part, double *price);
/* repack_prices.c: improves the prices of `bound` for so many evictions, if it is exact. false = out of memory. */
bool repack_prices_for(repacking *r, uint64_t evictions);
double repack_bound_at(repacking *r, uint64_t evictions); /* 0 = no bound is known */
/* The bound that a certificate point proves, if the bound is exact. false = a sum overflows. */
bool repack_bound_proves(const struct repack_bound *b, const karp_certificate_point *point, int64_t *value);
/* repack_counts.c: raises *value to what whole nodes prove at the point's prices, at most to `enough`. false = out of
 * memory. */
bool repack_counts_prove(karp_context *context, const struct repack_bound *b, const karp_certificate_point *point,
                         int64_t enough, int64_t *value);
bool repack_counts_raise(karp_context *context, const struct repack_bound *b, karp_certificate_point *point);
/* *value: what the tree over numbers of launches proves of every plan, at most `enough`; 0 = nothing. The proofs hold.
 * false = out of memory. */
bool repack_tree_proves(repacking *r, const bound_tree *tree, int64_t enough, int64_t *value);
/* The tree that was grown becomes that of the bound, if it proves anything. false = out of memory. */
bool repack_take_tree(repacking *r);
int64_t repack_node_cost(const repacking *r, uint32_t index); /* 10^-12 $/h */
/* repack_certify.c: adds the proof of the results of repack_bound_at() to the decision. false = out of memory. */
bool repack_certify(repacking *r, karp_decision *d);
karp_status repack_certificate_holds(repacking *r, const karp_certificate *c);
/* repack_rows.c: makes the decision, after the round of all steps. `whole`: the search was not stopped. */
karp_status repack_decision(repacking *r, bool whole, karp_decision **out);
