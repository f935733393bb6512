/* SPDX-License-Identifier: Apache-2.0 */
/* Open claims, which are nodes to be launched, and new ones: passes 2 and 3 of placing a pod (scheduling.md §19–§22). */
#ifndef SCHEDULE_CLAIMS_H
#define SCHEDULE_CLAIMS_H

#include <schedule/claim_order.h>
#include <schedule/templates.h>

/* A node to be launched (§20, §21). */
struct claim {
    uint32_t template_;
    uint32_t number; /* host number */
    uint32_t set; /* requirements, without the host name */
    uint32_t types; /* typeset */
    int64_t *requests; /* without daemons */
    int64_t *slack; /* per resource, the most that any type left could still take: a quick necessary test */
    uint8_t *binary; /* per resource: print family, 2 = nothing yet */
    uint32_t pods;
    uint32_t bucket; /* see claim_order.h … */
    uint32_t next, prev; /* … and its neighbours in the list of its pod count there; NO_ID ends */
    int64_t stamp; /* among claims with as many pods, the smallest comes first */
    struct skip_range skip;
    uint32_t before, more; /* while a run goes over many claims: its pods before, and how many more it takes */
    bool retired; /* no pod of the round can fit any more: it is in no list */
    bool relaxed_min_values, dropped;
    struct port_use *ports;
    uint32_t port_count, port_capacity;
    uint32_t *reserved; /* reservation numbers held */
    uint32_t reserved_count;
    const struct volume_use *volumes; /* of its pods, each once; see launch_volumes.h */
    uint32_t volume_count;
};

struct claims {
    LIST_OF(claim) list;
    LIST_OF(requirement_bucket) buckets; /* the open claims that are not retired */
    int64_t front_stamp, back_stamp; /* of the claims moved to the front and to the back last */
    uint32_t linked; /* claims that are in some list */
    int64_t *least_requests; /* per resource, the smallest request of any pod of the round */
    struct {
        uint32_t set;
        bool there;
    } min_values; /* whether the set asked about last has any */
    struct claim_run run;
    struct size_ranks size_ranks;
};

struct reservations {
    const reservation_credit *credits; /* slots that come back before the round (K15-10) */
    uint32_t credit_count;
    uint32_t count;
    int64_t *left, *initial;
    uint32_t *texts; /* number -> text id */
    uint32_t *listed, *held, stamp; /* by number, while one claim is looked at: the stamp of the last list it is in */
    map64 numbers; /* text id -> number */
};

bool claims_init(scheduler *s);
void claims_free(scheduler *s);

/* Puts the pod on the first open claim that takes it, those with the fewest pods first. */
bool claims_place(scheduler *s, uint32_t pod_number, uint32_t view_number);
/* Opens a claim for the pod from the first template that can. KARP_REASON_NONE on success, else why the last template could not
 * (KARP_REASON_RESERVED: no further template was tried). */
uint32_t claims_open(scheduler *s, uint32_t pod_number, uint32_t view_number);
/* Whether no claim, open or new, can ever take a pod of the view, as no type of any template meets its requirements. Claims have no
 * other types and no wider requirements than their templates, so the answer lasts. False also when it is not known. */
bool claims_typeless(scheduler *s, uint32_t view_number);

/* For a guide (guide.h): the pod goes on this open claim, if the claim takes it … */
bool claims_put(scheduler *s, uint32_t claim_number, uint32_t pod_number, uint32_t view_number);
/* … or opens one of the template, with these types at most (NO_ID = all) and these requirements besides. The answer is
 * claims_open()'s. */
uint32_t claims_open_as(scheduler *s, uint32_t template_number, uint32_t types, uint32_t set, uint32_t pod_number,
                        uint32_t view_number);
/* More pods like the one that the claim took last, as far as it has room for them: returns how many. Their view is countable, and
 * they follow each other in the queue from `first` on. */
uint32_t claims_put_run(scheduler *s, uint32_t claim_number, const uint32_t *pods, uint32_t first, uint32_t count,
                        uint32_t view_number);

/* Why a template cannot open a claim for the pod; changes nothing. *set receives the requirements of the attempt. */
uint32_t template_refusal(scheduler *s, uint32_t template_number, uint32_t pod_number, uint32_t view_number,
                          uint32_t *set);
/* Whether it is the pool's limits alone that keep the template from opening one; changes nothing. */
bool template_limited(scheduler *s, uint32_t template_number, uint32_t pod_number, uint32_t view_number);
/* Why an open claim does not take the pod; changes nothing. */
uint32_t claim_refusal(scheduler *s, uint32_t claim_number, uint32_t pod_number, uint32_t view_number);
/* Parts of taking a pod: which suffix the claim's amounts are printed with, and what the types left could still take. */
void claim_note_families(const scheduler *s, claim *c, const shape *p);
bool claim_measure(scheduler *s, claim *c); /* false = out of memory */
bool template_host_allows(const scheduler *s, const template_ *t, uint32_t requirement_id);
/* reservations.c (§25) */
bool reservations_init(scheduler *s);
void reservations_free(scheduler *s);
/* Which reservations a claim with these fitting variants would hold; KARP_REASON_RESERVED when it may not go on without. */
uint32_t reservations_wanted(scheduler *s, const claim *c, uint32_t template_number, const uint64_t *fitting,
                             uint32_t set, uint32_t **ids, uint32_t *count);
void reservations_hold(scheduler *s, claim *c, uint32_t *ids, uint32_t count);

#endif
