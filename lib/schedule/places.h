/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the pods of a round have gone: by pod, or, as long as all pods of the snapshot are being placed, all of them on claims
 * and most of them in long runs, as those runs. Then a million pods need not be looked at one by one.
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

/* A pod that fits nowhere. */
typedef struct failure {
    uint32_t pod,
        view; /* the last view that was tried; NO_ID = none was, or the pod was placed, and then refused by what follows the loop */
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
};

/* Nobody is anywhere; s->pods is listed. */
bool places_begin_round(scheduler *s);
/* The pods of s->pods are nowhere again. */
void places_clear(scheduler *s);
void places_put(scheduler *s, uint32_t pod_number, place at);
/* `count` pods from the one on that stands at `first` in the queue, which `pods` lists. */
void places_put_run(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t claim_number);
/* s->places, by pod, even if there were runs. false = out of memory. */
bool places_settle(scheduler *s);
place places_get(scheduler *s, uint32_t pod_number);

#endif
