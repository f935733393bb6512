/* SPDX-License-Identifier: Apache-2.0 */
/* A round in which somebody says where each pod goes, as far as the scheduler admits it; it decides about the others by itself. */
#ifndef SCHEDULE_GUIDE_H
#define SCHEDULE_GUIDE_H

#include <schedule/common.h>
#include <schedule/policy.h>
#include <schedule/solve.h>

/* A node to be launched. */
typedef struct guide_slot {
    uint32_t template_;
    uint32_t types; /* what it has at most, a typeset; NO_ID = all of the template's */
    uint32_t set; /* requirements beside those of the template */
    uint32_t claim; /* once it is open; else NO_ID */
} guide_slot;

/* The lists are the caller's; by pod, UINT32_MAX = nobody says. */
typedef struct guide {
    guide_slot *slots;
    uint32_t slot_count;
    const uint32_t *slot_of, *host_of;
    const uint64_t *first; /* bits of pods that are there already, whatever topology says; NULL = none is */
    const uint32_t *closed; /* hosts that take nobody … */
    uint32_t closed_count; /* … so many */
    const uint16_t *steps; /* how far a pod gives up preferences */
    uint32_t refused; /* pods that were not admitted where they were to go, after the round */
} guide;

/* As scheduler_round(), with a guide. */
karp_status scheduler_guided_round(scheduler *s, guide *g, const uint32_t *removed, uint32_t removed_count,
                                   const uint32_t *extra, uint32_t extra_count, karp_error *error);

/* After the round: whether the pod is where the guide wanted it, … */
bool guide_followed(scheduler *s, const guide *g, uint32_t pod_number);
/* … and where it is: on a host, or on a claim, the other UINT32_MAX; false = nowhere. */
bool guide_found(scheduler *s, uint32_t pod_number, uint32_t *host_index, uint32_t *claim_number);
/* What holds the claim in the domains in which its pods are counted. */
uint32_t guide_claim_pin(scheduler *s, uint32_t claim_number);

/* The types of the template that cost at most what the offering does, or by as much more as may be listed; NO_ID = minValues has a say, or out of memory. */
uint32_t guide_types(scheduler *s, uint32_t template_number, uint32_t offering_number, const policy *p);
/* The set, and the capacity type of the offering: where not the price alone decides which of them it is. */
uint32_t guide_meet_capacity_type(scheduler *s, uint32_t set, uint32_t template_number, uint32_t offering_number);
/* What a claim of the finished round has. */
uint32_t guide_claim_types(const scheduler *s, uint32_t claim_number);
uint32_t guide_claim_template(const scheduler *s, uint32_t claim_number);
/* Both requirement sets. */
uint32_t guide_meet(scheduler *s, uint32_t x, uint32_t y);

/* The view of the class at that step of the ladder, ready to be placed; NO_ID = out of memory. */
uint32_t guide_view(scheduler *s, uint32_t class_number, uint32_t step);

/* guide.c, for solve.c: places what it can of `pods`, in order; those that are left are moved to the front. Returns how many. */
uint32_t guide_place(scheduler *s, guide *g, uint32_t *pods, uint32_t count);

#endif
