/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the pods of a round were placed. Placements are recorded by pod. While all pods of the snapshot are being
 * placed on claims, mostly in long runs, they are recorded as runs instead, so that a million pods need no record
 * each.
 */
#pragma once

#include <schedule/common.h>

enum { PLACE_NONE = 0, PLACE_HOST = 1, PLACE_CLAIM = 2 };
typedef struct place {
    uint32_t target; /* host or claim */
    uint8_t where;
} place;

/* Consecutive pods in the queue of their snapshot that have the same placement. */
typedef struct pod_run {
    uint32_t first, count; /* positions in snapshot.queue */
    uint32_t target; /* while scheduling a NodeClaim; in a decision a launch */
} pod_run;

/* An unschedulable pod. */
typedef struct failure {
    uint32_t pod,
        view; /* the last view that was tried; NO_ID = none, or the pod was rejected after the loop had placed it */
    uint32_t reason;
} failure;

struct placement {
    place *places; /* by pod; unused while in_runs */
    LIST_OF(pod_run) runs;
    bool in_runs; /* `runs` has all placements */
    uint8_t last_where; /* where of the pod that was placed last */
    LIST_OF(failure) failures;
    struct pod_outcome {
        uint32_t last_length, reason, view;
    } * outcomes; /* by pod, for the loop; allocated when the first pod fails */
    uint16_t *gave_up; /* by pod: the ladder step at which it was placed; memory of the caller, NULL = not wanted */
};

/* Starts with no pod placed, and lists the pods of the round. */
bool placement_begin_round(scheduler *s);
/* Forgets the placements of the round's pods. */
void placement_clear(scheduler *s);
void placement_put(scheduler *s, uint32_t pod_number, place at);
/* Places `count` pods, listed in `pods`, which are consecutive in the queue from `first` on. */
void placement_put_run(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t claim_number);
/* Converts runs to records by pod. false = out of memory. */
bool placement_settle(scheduler *s);
place placement_get(scheduler *s, uint32_t pod_number);
