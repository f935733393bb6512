/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which open claims are tried (scheduling.md §17.4, §19): by pod count. Of claims with equally many pods, the one
 * that received a pod last comes first, and new claims come last.
 *
 * Claims are kept in requirement buckets, one for each requirement set, and in each bucket in lists by pod count. Requirements and
 * topology domains that reject a pod reject it for a whole bucket. A search visits the claims of all buckets in their common
 * order. In a run of equal pods it continues where the search for the previous pod ended.
 *
 * Runs of equal pods that change nothing of a claim but its amounts are placed by counting (claim_runs.c).
 */
#ifndef SCHEDULE_CLAIM_ORDER_H
#define SCHEDULE_CLAIM_ORDER_H

#include <schedule/claim_skip.h>
#include <schedule/pods.h>
#include <schedule/views.h>

/* The claims of a bucket that have equally many pods. */
struct claim_list {
    uint32_t first, last;
    struct skip_range skip; /* what all its claims have in common */
};

/* A position in a bucket: behind everything in the lists below `count`, at a claim of that list (NO_ID = at its end). */
typedef struct bucket_spot {
    uint32_t count, claim;
} bucket_spot;

/* Open claims with equal requirements. Checks that depend on neither host nor amounts have one answer for all of them. */
typedef struct requirement_bucket {
    uint32_t set; /* NO_ID = the last bucket, for all sets that found no bucket of their own */
    claim_list *lists; /* by pod count; in the round's arena … */
    uint64_t *filled; /* … and which of them have claims */
    uint32_t list_count;
    bucket_spot from; /* all claims before it refuse every pod of the run */
    bucket_spot at; /* where the search for this pod stands */
    bool apart; /* `at` has passed a claim that may take the next pod of the run */
    bool closed, passed; /* all of it refuses, what is left of it: the run; this pod */
} requirement_bucket;

/* A run of equal pods: claims that refused one of them for good refuse the next, so the search goes on where it stood. */
struct claim_run {
    uint32_t view; /* NO_ID = none */
    uint32_t only; /* the one claim left to try, which the run opened: all others have refused. NO_ID = all of them */
    uint32_t bucket; /* of the claim being tried; NO_ID = none has been tried yet … */
    const claim *second; /* … and the head of the other buckets that comes first, NULL = they are done */
    uint32_t size_rank; /* of its class */
};

void claim_order_clear(scheduler *s); /* no claims; the buckets' memory is the round's */
void claim_unlink(scheduler *s, uint32_t number);
void claim_link_front(scheduler *s, uint32_t number); /* it has just received a pod */
void claim_link_back(scheduler *s, uint32_t number); /* it is new */

/* ---- one pod's search ---- */

void search_begin(scheduler *s, uint32_t view_number);
/* The next claim that may still take a pod of the class; NO_ID = none is left. */
uint32_t search_next(scheduler *s, class_state *k);
/* The claim rejected the pod: search_next() continues behind it. */
enum refused_how { REFUSED_NOW, REFUSED_FOR_THE_RUN };
void search_refused(scheduler *s, enum refused_how how);
/* All claims rejected the pod, and would for the rest of the run; as if each had been asked by search_next(). */
void search_all_refused(scheduler *s);
/* The claim has no room for the class, and never will have. */
void search_too_small(scheduler *s, class_state *k, uint32_t number);
/* All claims of its bucket reject the pod as well. false = the bucket is the last one, whose claims differ in requirements. */
bool search_bucket_refused(scheduler *s, enum refused_how how);
/* The claim takes the pod: it is about to be unlinked. */
void search_took(scheduler *s);
/* All claims rejected the pod, so it opened this one, which is linked. */
void search_opened(scheduler *s, uint32_t view_number, uint32_t number);
void search_end(scheduler *s); /* no run goes on */

/* Whether every rejection of a pod of the view holds for the rest of the run. */
bool refusals_last(const scheduler *s, const view *v);
/* Whether the claim can take no more pods of the class in this round. */
bool refused_for_good(const scheduler *s, const class_state *k, uint32_t number);
/* The claim's host rejects this class, and all classes with the same rules, for the rest of the round. */
void barred_for_good(scheduler *s, const class_state *k, uint32_t number);

/* Whether runs of the view may be placed by counting. All nodes have rejected the pod before. */
bool claims_countable(scheduler *s, const view *v);
/* Places as many of `pods`, the next of the view's run, as it can and returns how many. The pod before them went on a claim.
 * `first` is their position in the queue. */
uint32_t claims_fill(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t view_number);

#endif
