/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the scheduler, from set-up to its raw result; provisioning and the simulations of disruption share it. */
#ifndef SCHEDULE_SOLVE_H
#define SCHEDULE_SOLVE_H

#include <schedule/common.h>

typedef struct run_options {
    const karp_options *options; /* checked; NULL = defaults */
    bool ignore_preferences; /* whatever the settings say */
    bool simulation; /* §32.5: pods of candidates move */
    bool shield; /* nodes under consolidateAfter are closed to pods that move */
    bool exact_budgets; /* of a simulation, D-Q22; else the profile says */
    bool strict_reservations; /* of a simulation: it defers as a launch decision does (K15-10) … */
    reservation_credit credit; /* … and has these slots back; 0 = none */
} run_options;

/* Sets everything up, for any number of rounds. Status: OK, NOMEM. */
karp_status scheduler_new(const karp_snapshot *snapshot, const run_options *how, scheduler **out, karp_error *error);
void scheduler_free(scheduler *s);

/* One round: these state nodes are gone and these pods, in list order, move. Ends what the round before had decided.
 * The loop of §17. Status: OK, NOMEM, CANCELED (unless options keep partial results). */
karp_status scheduler_round(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *extra,
                            uint32_t extra_count, karp_error *error);
/* CANCELED when something was stopped, in the round or in the report on it, unless options keep partial results. */
karp_status scheduler_stopped(const scheduler *s, karp_error *error);
/* Nobody is asked any more: what there is is reported. */
void scheduler_finish(scheduler *s);
/* Whether this scheduler's next round would decide like the first of a new one: see rounds.h. */
bool scheduler_repeatable(const scheduler *s);
/*
 * Whether it is certain that a round without the removed state nodes, whose pods move, ends in none of the two ways in which nodes
 * can go: all pods that run now on existing nodes; or what is left of them on one new node of a type that can be had below the limit.
 * false = it may, or nobody knows, or memory was refused (scheduler_failed()). The scheduler is ready for its next round then.
 */
bool scheduler_in_vain(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *moving,
                       uint32_t moving_count, double limit);

/* §31.1: requirements as emitted, of a claim with pods; the types in price order, at most 600. */
typedef struct final_claim {
    uint32_t claim, set;
    const uint32_t *types; /* table indices, cheapest first */
    uint32_t type_count;
    uint32_t list; /* 1 + the number of the types in final_lists; 0 = they are in none */
    resource_list requests; /* pods and daemons */
    uint32_t same_as; /* the first claim of which all but its pods is the same */
} final_claim;
/* What claims share: equal variants under equal requirements have equal lists of types, and claims that agree in all a result
 * depends on have equal results. */
typedef struct final_lists {
    words keys; /* template, set, variants */
    LIST_OF(struct final_list {
        const uint32_t *types;
        uint32_t count;
        uint32_t number;
    })
    lists;
    words claim_keys; /* template, set, types, requests */
    LIST_OF(uint32_t) firsts; /* claims, the first of each kind */
    uint64_t *fitting; /* of the claim at hand: variants, … */
    uint32_t *key; /* … and its key */
} final_lists;
bool final_lists_init(final_lists *l, scheduler *s, arena *a); /* false = out of memory; to be freed all the same */
void final_lists_free(final_lists *l);
/* To all[claim_number], when all claims before it are there; `lists` is of all claims that are finished into this arena. */
bool claim_finalize(scheduler *s, uint32_t claim_number, arena *a, final_lists *lists, final_claim *all);

/* default_spread.c (§15) */
bool default_spread_init(scheduler *s);

#endif
