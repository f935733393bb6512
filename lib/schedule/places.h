/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the pods of a round were placed. Placements are recorded by pod, or as runs while all pods of the snapshot are being
 * placed on claims, mostly in long runs: then a million pods need no record of their own.
 */
#ifndef SCHEDULE_PLACES_H
#define SCHEDULE_PLACES_H

#include <decision/pod_run.h>
#include <schedule/common.h>

enum { PLACE_NONE = 0, PLACE_HOST = 1, PLACE_CLAIM = 2 };
typedef struct place {
    uint32_t target; /* host or claim */
    uint8_t where;
} place;

/* An unschedulable pod. */
typedef struct failure {
    uint32_t pod,
        view; /* the last view that was tried; NO_ID = none was, or the pod was rejected after the loop had placed it */
    uint32_t reason;
} failure;

struct placement {
    place *places; /* by pod, or … */
    LIST_OF(pod_run) runs;
    bool in_runs; /* … these, which then say it all */
    uint8_t last_where; /* where the pod placed last is */
    LIST_OF(failure) failures;
    struct pod_outcome {
        uint32_t last_length, reason, view;
    } * outcomes; /* by pod, for the loop; made when the first pod fails */
    uint16_t *gave_up; /* by pod: the step of the ladder it was placed at; the caller's, NULL = nobody wants to know */
};

/* No pod is placed; the pods of the round are listed. */
bool places_begin_round(scheduler *s);
/* Forgets the placements of the pods of the round. */
void places_clear(scheduler *s);
void places_put(scheduler *s, uint32_t pod_number, place at);
/* Places `count` pods, which follow each other in the queue from `first` on and are listed in `pods`. */
void places_put_run(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t claim_number);
/* Makes the record by pod, also of runs. false = out of memory. */
bool places_settle(scheduler *s);
place places_get(scheduler *s, uint32_t pod_number);

#endif
