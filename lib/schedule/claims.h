/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open claims, which are nodes to be launched, and how new ones are opened: passes 2 and 3 of placing a pod.
 */
#pragma once

#include <schedule/claim_order.h>
#include <schedule/templates.h>

/*
 * Karpenter's slice of open claims. It is sorted by pod count before each attempt at a pod, with Go's sort.Slice, which
 * does not keep the order of equals above 12 elements (go_sort.h). What the sort does is known beforehand except in a
 * few cases, because since the last one a single claim has received a pod or has been opened.
 *
 * The slice also has the claims that are retired. With the option for a stable order it is not maintained.
 */

enum { SLICE_QUARTERS = 3 };

struct claim_slice {
    uint32_t count, first;
    uint32_t *last; /* by pod count: the last claim with so many pods, NO_ID = none; in the round's arena */
    uint32_t last_count;
    uint32_t quarters[SLICE_QUARTERS]; /* the claims at 1/4, 2/4, 3/4, where Go looks for a pivot; from 50 claims on */
    uint64_t *slots; /* scratch for sorting; in the round's arena */
    uint32_t slot_count;
};

void slice_clear(scheduler *s);

/* Sort the slice, and give the claim its stamp. true = claims with equally many pods have changed places, so that all
 * claims have other stamps. */
bool slice_sort_grown(scheduler *s, uint32_t number); /* the claim has received one pod */
bool slice_sort_opened(scheduler *s, uint32_t number); /* the claim is new and has one pod */
/* Sorts the slice after claims that are in no list have lost pods. */
void slice_sort_again(scheduler *s);

/* A node to be launched. */
struct claim {
    uint32_t template_;
    uint32_t number; /* host number */
    uint32_t set; /* requirements, without the host name */
    uint32_t types; /* typeset */
    int64_t *requests; /* without daemons */
    /* per resource, the most that any remaining type could still accept: a fast test that a pod has to pass */
    int64_t *slack;
    uint8_t *binary; /* per resource: suffix family of the printed quantity (decimal or binary), 2 = none yet */
    uint32_t pods;
    uint32_t bucket; /* requirement bucket: see claim_order.h */
    uint32_t next, prev; /* neighbours in the bucket's list of claims with the same pod count; NO_ID = end */
    uint32_t after, before; /* neighbours in Karpenter's slice, see claim_slice.c; NO_ID = end */
    int64_t stamp; /* among claims with the same number of pods, the smallest is tried first */
    struct skip_range skip;
    /* while a run is distributed over many claims: number of its pods before (0 = not looked at), and how many pods of
     * the run still fit */
    uint32_t had, more;
    bool retired; /* no pod of the round can fit any more; it is in no list */
    bool relaxed_min_values, dropped;
    uint32_t step; /* split.h: its last step, plus 1; 0 = none */
    uint32_t billed; /* savepoint_cost() has counted it already: the stamp of that call */
    struct port_use *ports;
    uint32_t port_count, port_capacity;
    uint32_t *reserved; /* numbers of the reservations that it uses */
    uint32_t reserved_count;
    const struct volume_use *volumes; /* the volumes of its pods, each once; see volumes.h */
    uint32_t volume_count;
};

struct claims {
    LIST_OF(claim) list;
    LIST_OF(requirement_bucket) buckets; /* open claims that are not retired */
    int64_t front_stamp, back_stamp; /* stamps of the claims that were linked last at the front and at the back */
    uint32_t linked; /* number of claims that are in some list */
    struct claim_slice slice; /* all claims */
    int64_t *least_requests; /* per resource, the smallest request of any pod of the round */
    struct {
        uint32_t set;
        bool there;
    } min_values; /* the last answer of set_has_min_values() for claims: a set, and whether it has minValues */
    struct claim_run run;
    LIST_OF(uint32_t) reached; /* scratch for a run: claims that have received pods, each once */
    struct size_ranks size_ranks;
};

struct reservations {
    const reservation_credit *credits; /* reserved instances that are freed before the round (K15-10) */
    uint32_t credit_count;
    uint32_t count;
    int64_t *left, *initial;
    uint32_t *texts; /* number -> text id */
    /* by number, scratch for one claim: the stamp of the last list that the reservation is in */
    uint32_t *listed, *held, stamp;
    map64 numbers; /* text id -> number */
};

bool claims_init(scheduler *s);
void claims_free(scheduler *s);

/* Places the pod on the first open claim that accepts it, in ascending order of their pod counts. */
bool claims_place(scheduler *s, uint32_t pod_number, uint32_t view_number);
/* Opens a claim for the pod from the first template that can serve it. Returns KARP_REASON_NONE on success, otherwise
 * the reason of the last template that was tried. After KARP_REASON_RESERVED no further template is tried. */
uint32_t claims_open(scheduler *s, uint32_t pod_number, uint32_t view_number);
/* Whether no claim, open or new, can ever receive a pod of the view, because no type of any template meets its
 * requirements. Claims have no types and no requirements beyond those of their templates, so the answer stays valid.
 * Also false when it is not known. */
bool claims_typeless(scheduler *s, uint32_t view_number);

/* For a guide (guide.h): places the pod on this open claim, if the claim accepts it. */
bool claims_put(scheduler *s, uint32_t claim_number, uint32_t pod_number, uint32_t view_number);
/* For a guide: opens a claim of this template for the pod, restricted to these types (NO_ID = all) and with these
 * additional requirements. Returns the same as claims_open(). */
uint32_t claims_open_as(scheduler *s, uint32_t template_number, uint32_t types, uint32_t set, uint32_t pod_number,
                        uint32_t view_number);
/* Places more pods like the last one that the claim received, as many as it has space for, and returns their number.
 * Their view must be countable, and they are consecutive in the queue from `first` on. */
uint32_t claims_put_run(scheduler *s, uint32_t claim_number, const uint32_t *pods, uint32_t first, uint32_t count,
                        uint32_t view_number);

/* The reason why the template cannot open a claim for the pod. Changes nothing. *set receives the requirements of the
 * attempt. */
uint32_t template_refusal(scheduler *s, uint32_t template_number, uint32_t pod_number, uint32_t view_number,
                          uint32_t *set);
/* Whether one of these types of the template could be launched for a pod of the view with these requirements. */
bool template_takes(scheduler *s, uint32_t template_number, uint32_t types, uint32_t view_number, uint32_t set);
/* Whether only the NodePool's limits keep the template from opening a claim. Changes nothing. */
bool template_limited(scheduler *s, uint32_t template_number, uint32_t pod_number, uint32_t view_number);
/* The reason why an open claim rejects the pod. Changes nothing. */
uint32_t claim_refusal(scheduler *s, uint32_t claim_number, uint32_t pod_number, uint32_t view_number);
/* Steps of adding a pod: which suffix the claim's amounts are printed with, and what its types could still accept. */
void claim_note_families(const scheduler *s, claim *c, const shape *p);
bool claim_measure(scheduler *s, claim *c); /* false = out of memory */
/* The set with what the pod's Exists, Gt or Lt demand of labels where another pod's NotIn hides that they must exist
 * (Q-37, which the caller asks for). The same set if nothing is hidden. */
uint32_t set_with_hidden(scheduler *s, uint32_t set, const view *v);
/* A claim's requirements, restricted to the reservations that it holds. */
uint32_t claim_final_set(scheduler *s, uint32_t set, const uint32_t *reserved, uint32_t count);
bool template_host_allows(const scheduler *s, const template_ *t, uint32_t requirement_id);
/* reservations.c */
bool reservations_init(scheduler *s);
void reservations_free(scheduler *s);
/* The reservations that a claim with these fitting variants would use. KARP_REASON_RESERVED when it must not be
 * launched without one. */
uint32_t reservations_wanted(scheduler *s, const claim *c, uint32_t template_number, const uint64_t *fitting,
                             uint32_t set, uint32_t **ids, uint32_t *count);
void reservations_hold(scheduler *s, claim *c, uint32_t *ids, uint32_t count);
/* Counts the reservations of one more table. false = out of memory. */
bool reservations_add(scheduler *s, const type_table *t);
/* Whether a launch that holds no reservation could use the offering: it is none of a reservation, or of one that has
 * an instance left. */
bool reservation_left(const scheduler *s, const offering *o);
/* A launch that holds no reservation uses the offering. */
void reservation_use_one(scheduler *s, const offering *o);
