/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deviations from Karpenter that a caller of the scheduler can request: which types a new claim starts with, and
 * which types a finished claim lists. Where pods may be placed is not affected. lib/optimise uses schedulers through
 * this header, menu.h, guide.h, relaxed.h and the headers that lib/disrupt uses.
 */
#pragma once

#include <karp/objective.h>
#include <schedule/common.h>

/* Belongs to the caller, and must live as long as the scheduler uses it. */
typedef struct policy {
    /* by template: typeset that a new claim starts with if one of its types accepts the pod, or NO_ID; otherwise
     * the claim starts with all types of the template. NULL = always with all */
    const uint32_t *first_types;
    /* how much more than the first type a listed type may cost, in general and if the first is spot: 0.15 = 15 % */
    double slack, spot_slack;
} policy;

/* Copies what the objective defines about prices (C-8). */
void policy_aim(policy *p, const karp_objective *aim);
/* Takes effect in the next round; NULL = Karpenter's behaviour. */
void scheduler_set_policy(scheduler *s, const policy *p);
/* The template's types whose nodes have at most so many CPUs. NO_ID = all or none of them, or out of memory. */
uint32_t policy_types_within(scheduler *s, uint32_t template_number, int64_t cpus);
/* Sets the array, by pod, that receives the relaxation step at which each pod is placed; NULL = none. The caller
 * clears it before each round. */
void policy_note_given_up(scheduler *s, uint16_t *steps);
uint32_t policy_template_count(const scheduler *s);

/* How many of the types, which are in order, may be listed under the policy: those that cost little more than the
 * first, and at least as many as minValues require. false = out of memory. */
bool policy_listed(scheduler *s, const type_table *t, const uint32_t *types, uint32_t set, uint32_t *count);

/* The cost of the finished round's launches under the objective, $/h. */
typedef struct round_bill {
    double cost;
    uint32_t launches;
    bool priced; /* every launch has an offering */
    bool dropped; /* some claim is not launched after all, so its pods are unschedulable */
} round_bill;
bool policy_bill(scheduler *s, const karp_objective *aim, round_bill *out);
/* Sets the bits of the pods that the round did not place. Only after policy_bill() is it known which claims are not
 * launched after all. */
void policy_left(scheduler *s, uint64_t *pods);
/* Whether any rule depends on more than capacity and node requirements: on where other pods are, on groups of pods that
 * start together, or on volumes. */
bool policy_has_topology(const scheduler *s);
/* Whether the round ended early. */
bool policy_cut_short(const scheduler *s);
/* Whether a stop was requested, even if nothing was left to do. */
bool policy_stopped(const scheduler *s);
/* Whether a stop request ended the round. */
bool policy_round_stopped(const scheduler *s);
