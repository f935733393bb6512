/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which open claims are tried (scheduling.md §17.4, §19): by pod count; among equals, who received a pod last
 * comes first, new claims come last.
 *
 * Claims stand in buckets, one for each set of requirements: where requirements or a topology domain refuse a pod they refuse
 * it for the whole bucket. A search visits the claims of all buckets in their common order, and a run of equal pods goes on where
 * the pod before stood.
 */
#ifndef SCHEDULE_CLAIM_ORDER_H
#define SCHEDULE_CLAIM_ORDER_H

#include <schedule/claim_skip.h>
#include <schedule/pods.h>
#include <schedule/views.h>

/* Claims of a bucket that have equally many pods. */
struct claim_list {
    uint32_t first, last;
    struct skip_range skip; /* what all its claims have in common */
};

/* A position in a bucket: behind everything in the lists below `count`, at a claim of that list (NO_ID = at its end). */
typedef struct bucket_spot {
    uint32_t count, claim;
} bucket_spot;

/* Open claims with equal requirements; what is not about hosts or amounts answers alike for all of them. */
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
/* The next claim that has not refused the class for good; NO_ID = none is left. */
uint32_t search_next(scheduler *s, class_state *k);
/* The claim has refused: search_next() goes on behind it. */
enum refused_how { REFUSED_NOW, REFUSED_FOR_THE_RUN };
void search_refused(scheduler *s, enum refused_how how);
/* The claim has no room for the class, and never will. */
void search_too_small(scheduler *s, class_state *k, uint32_t number);
/* So do all claims of its bucket, when they have their requirements in common. false = they have not. */
bool search_bucket_refused(scheduler *s, enum refused_how how);
/* The claim takes the pod: it is about to be unlinked. */
void search_took(scheduler *s);
/* All claims refused, so the pod opened this one, which is linked. */
void search_opened(scheduler *s, uint32_t view_number, uint32_t number);
void search_end(scheduler *s); /* no run goes on */

/* Whether a refusal of a pod of the view holds for the rest of the run, whatever it is about. */
bool refusals_last(const scheduler *s, const view *v);
/* Claims the class can never get into again in this round. */
bool refused_for_good(const scheduler *s, const class_state *k, uint32_t number);
/* The claim's host is of them, for all classes like this one. */
void barred_for_good(scheduler *s, const class_state *k, uint32_t number);

/* Whether runs of the view may be placed so; of a pod of it that went on a claim all nodes have refused the next. */
bool claims_countable(scheduler *s, const view *v);
/* Places as many of `pods`, more of the view's run, as it can; how many that were. The one before them went on a claim. `first`:
 * where they stand in the queue. */
uint32_t claims_fill(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t view_number);

#endif
