/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round with a guide: the caller determines where each pod is placed, as far as the scheduler's rules allow it.
 * Pods without a target are placed as usual.
 */
#pragma once

#include <schedule/common.h>
#include <schedule/policy.h>
#include <schedule/solve.h>

/* A node to be launched. */
typedef struct guide_slot {
    uint32_t template_;
    uint32_t types; /* typeset with the only types that it can have; NO_ID = all of the template's */
    uint32_t set; /* requirements in addition to those of the template */
    uint32_t claim; /* number of the claim once it is open, else NO_ID */
} guide_slot;

/* The arrays belong to the caller. slot_of and host_of are by pod; UINT32_MAX = no target. */
typedef struct guide {
    guide_slot *slots;
    uint32_t slot_count;
    const uint32_t *slot_of, *host_of;
    /* bits of pods that are placed first, regardless of topology, as if they ran there already; NULL = none */
    const uint64_t *first;
    const uint32_t *closed; /* hosts that accept no pods */
    uint32_t closed_count; /* number of closed hosts */
    const uint16_t *steps; /* by pod: number of relaxation steps */
    uint32_t refused; /* after the round: number of pods that their target rejected */
} guide;

/* Like scheduler_round(), with a guide. */
karp_status scheduler_guided_round(scheduler *s, guide *g, const uint32_t *removed, uint32_t removed_count,
                                   const uint32_t *extra, uint32_t extra_count, karp_error *error);

/* After the round: whether the pod is where the guide wanted it. */
bool guide_followed(scheduler *s, const guide *g, uint32_t pod_number);
/* After the round: where the pod is, on a host or on a claim; the other is UINT32_MAX. false = it was not placed. */
bool guide_found(scheduler *s, uint32_t pod_number, uint32_t *host_index, uint32_t *claim_number);
/* Requirements that keep the claim in the domains in which its pods are counted. */
uint32_t guide_claim_pin(scheduler *s, uint32_t claim_number);

/* The types of the template that cost at most as much as the offering, or as much more as the policy lets a claim
 * list. NO_ID = minValues matter here, or out of memory. */
uint32_t guide_types(scheduler *s, uint32_t template_number, uint32_t offering_number, const policy *p);
/* The set intersected with the capacity type of the offering, where price alone does not decide the capacity type. */
uint32_t guide_meet_capacity_type(scheduler *s, uint32_t set, uint32_t template_number, uint32_t offering_number);
/* The set intersected with the zone of the offering, if it has one. */
uint32_t guide_meet_zone(scheduler *s, uint32_t set, uint32_t template_number, uint32_t offering_number);
/* The types and the template of a claim of the finished round. */
uint32_t guide_claim_types(const scheduler *s, uint32_t claim_number);
uint32_t guide_claim_template(const scheduler *s, uint32_t claim_number);
/* The intersection of two requirement sets. */
uint32_t guide_meet(scheduler *s, uint32_t x, uint32_t y);

/* The view of the class after `step` steps of the ladder, ready to be placed. NO_ID = out of memory. */
uint32_t guide_view(scheduler *s, uint32_t class_number, uint32_t step);

/* guide.c, for solve.c: places `pods` in order, as far as possible. Moves those that are left to the front and
 * returns their number. */
uint32_t guide_place(scheduler *s, guide *g, uint32_t *pods, uint32_t count);
