/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of the scheduler, from its set-up to its raw result. Used for provisioning and by the simulations of
 * disruption.
 */
#pragma once

#include <schedule/common.h>

typedef struct run_options {
    const karp_options *options; /* checked; NULL = defaults */
    bool ignore_preferences; /* true overrides the settings */
    bool simulation; /* pods of candidates are placed again */
    bool shield; /* nodes protected by consolidateAfter accept no pods that move */
    bool exact_budgets; /* D-Q22 in a simulation; otherwise the profile decides */
    bool strict_reservations; /* reserved capacity in a simulation is handled as in a launch decision (K15-10) */
    reservation_credit credit; /* reserved instances that are freed for it; 0 = none */
} run_options;

/* Sets up a scheduler for any number of rounds. Status: OK, NOMEM. */
karp_status scheduler_new(const karp_snapshot *snapshot, const run_options *how, scheduler **out, karp_error *error);
void scheduler_free(scheduler *s);

/* Runs one round without the removed state nodes. The extra pods, in list order, are placed as
 * well. Results of the previous round become invalid. Status: OK, NOMEM, CANCELED (unless the options keep partial
 * results). */
karp_status scheduler_round(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *extra,
                            uint32_t extra_count, karp_error *error);
/* CANCELED when the round or its report was stopped, unless the options keep partial results. */
karp_status scheduler_stopped(const scheduler *s, karp_error *error);
/* Stops calling should_stop: the existing result is reported. */
void scheduler_finish(scheduler *s);
/* Whether this scheduler's next round decides like the first round of a new one: see rounds.h. */
bool scheduler_repeatable(const scheduler *s);
/* Whether it is certain that a round without the removed state nodes fails. It succeeds if all running pods fit on
 * existing nodes, or if the others fit on one new node whose type can be launched at a price below the limit. `moving`
 * has the pods of the removed nodes. false = the round may succeed, or an allocation failed (scheduler_failed()).
 * Afterwards the scheduler is ready for its next round. */
bool scheduler_in_vain(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *moving,
                       uint32_t moving_count, double limit);

/* The final requirements of a claim with pods, and its types in price order, at most 600. */
typedef struct final_claim {
    uint32_t claim, set;
    const uint32_t *types; /* table indices, cheapest first */
    uint32_t type_count, all_count; /* the types that were left out follow */
    uint32_t list; /* 1 + the number of the types in final_lists; 0 = not in there */
    resource_list requests; /* of its pods and of daemons */
    uint32_t same_as; /* the first claim that is equal in everything but its pods */
} final_claim;
/* Results that claims share. Equal variants under equal requirements have equal lists of types. Claims with equal
 * inputs have equal results. */
typedef struct final_lists {
    words keys; /* template, set, variants */
    LIST_OF(struct final_list {
        const uint32_t *types;
        uint32_t count;
        uint32_t number;
    })
    lists;
    words claim_keys; /* template, set, types, requests */
    LIST_OF(uint32_t) firsts; /* the first claim with each key */
    uint64_t *fitting; /* fitting variants of the current claim */
    uint32_t *key; /* key of the current claim */
} final_lists;
/* false = out of memory; call final_lists_free() in any case */
bool final_lists_init(final_lists *l, scheduler *s, arena *a);
void final_lists_free(final_lists *l);
/* Writes all[claim_number]. All claims before it must have been finalized with the same `lists` and arena. */
bool claim_finalize(scheduler *s, uint32_t claim_number, arena *a, final_lists *lists, final_claim *all);

/* default_spread.c */
bool default_spread_init(scheduler *s);
