/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What whoever drives a scheduler may want otherwise than Karpenter: which types a new claim has, and what a finished claim
 * lists. Who may go where stays the scheduler's own to judge. lib/optimise sees schedulers through this header, menu.h, guide.h,
 * relaxed.h and those that lib/disrupt uses.
 */
#ifndef SCHEDULE_POLICY_H
#define SCHEDULE_POLICY_H

#include <karp/objective.h>
#include <schedule/common.h>

/* Owned by whoever sets it, for as long as the scheduler has it. */
typedef struct policy {
    const uint32_t
        *first_types; /* by template: what a new claim has where one of them takes the pod, a typeset or NO_ID;
                                    where none does, it has all that the template has. NULL = it has all at once */
    double slack,
        spot_slack; /* how much dearer than its first a listed type may be, and where that one is spot: 0.15 = 15 % */
} policy;

/* Takes what the objective says of prices (C-8). */
void policy_aim(policy *p, const karp_objective *aim);
/* From the next round on; NULL = Karpenter's. */
void scheduler_set_policy(scheduler *s, const policy *p);
/* The template's types of which one node has at most so many CPUs; NO_ID = all of them, or none, or out of memory. */
uint32_t policy_types_within(scheduler *s, uint32_t template_number, int64_t cpus);
/* Where the steps of the ladder go at which pods are placed, by pod; NULL = nowhere. The caller zeroes it for each round. */
void policy_note_given_up(scheduler *s, uint16_t *steps);
uint32_t policy_template_count(const scheduler *s);

/* How many of the types in order may be listed under the policy: those that cost as much as the first, or little more, and as
 * many as minValues asks for. false = out of memory. */
bool policy_listed(scheduler *s, const type_table *t, const uint32_t *types, uint32_t set, uint32_t *count);

/* What the launches of the finished round cost under the objective, $/h. */
typedef struct round_bill {
    double cost;
    uint32_t launches;
    bool priced; /* every launch has an offering */
    bool dropped; /* some claim is not launched after all: its pods are left */
} round_bill;
bool policy_bill(scheduler *s, const karp_objective *aim, round_bill *out);
/* Sets the bits of the pods that the round has left. */
void policy_left(const scheduler *s, uint64_t *pods);
/* Whether some rule is about more than the space and the requirements of a node: about who is where, or about volumes. */
bool policy_has_topology(const scheduler *s);
/* Whether the round ended before its time. */
bool policy_cut_short(const scheduler *s);
/* Whether somebody wanted it to stop, although it may have had nothing left to do. */
bool policy_stopped(const scheduler *s);
/* Whether that has ended the round. */
bool policy_round_stopped(const scheduler *s);

#endif
