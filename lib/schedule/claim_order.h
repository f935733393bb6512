/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which open claims are tried: by pod count. Claims with equally many pods are
 * tried in the order of Karpenter's slice (claim_slice.h), in which the one that received a pod last usually comes
 * first, and new claims come last. With the option for a stable order that is always so.
 *
 * Claims are kept in requirement buckets, one for each requirement set, and in each bucket in lists by pod count.
 * Requirements and topology domains that reject a pod reject it for a whole bucket. A search visits the claims of all
 * buckets in their common order. In a run of equal pods it continues where the search for the previous pod ended.
 *
 * Runs of equal pods that change nothing of a claim but its amounts are placed by counting (claim_runs.c).
 */
#pragma once

#include <schedule/pods.h>
#include <schedule/views.h>

typedef struct claim claim;
typedef struct claim_list claim_list;

/*
 * Skip ranges: the classes for which an open claim is known to have no space.
 *
 * The classes of a round are ranked by size, the biggest first, which is their order in the queue. A claim without
 * space for a class seldom has space for the next smaller ones. Its skip range contains the ranks for which this has
 * been computed, so that a search passes over the claim without checking it. The claims of a list also have a common
 * skip range, which passes over all of them at once.
 *
 * A skip range depends on size alone. Topology, relaxation and other claims do not change it. It is cleared when the
 * claim receives a pod.
 */

/* Ranks from `from` up to, but not including, `to`. Empty when both are equal. */
struct skip_range {
    uint32_t from, to;
};

struct size_ranks {
    uint32_t count; /* classes ranked in this round; 0 = nothing is skipped */
    uint32_t *by_size; /* all classes; NULL = not sorted yet */
    uint32_t *of_class;
    int64_t *sizes; /* [rank * dims] */
};

/* The claims of a bucket that have the same number of pods. */
struct claim_list {
    uint32_t first, last;
    struct skip_range skip; /* the sizes that all its claims skip */
};

/* A position in a bucket: behind all claims with fewer than `count` pods, at a claim with `count` pods (NO_ID =
 * behind those as well). */
typedef struct bucket_spot {
    uint32_t count, claim;
} bucket_spot;

/* Further sets share the last bucket, in which every claim is checked separately. */
enum { MOST_BUCKETS = 32 };

/* Open claims with equal requirements. A check that depends on neither the host name nor the amounts has the same
 * result for all of them. */
typedef struct requirement_bucket {
    uint32_t set; /* NO_ID = the last bucket, which has the claims of all sets without a bucket of their own */
    claim_list *lists; /* by pod count; in the round's arena */
    uint64_t *filled; /* bits of the lists that have claims */
    uint32_t list_count;
    bucket_spot from; /* all claims before it reject every pod of the run */
    bucket_spot at; /* where the search for the current pod is */
    bool apart; /* `at` has passed a claim that may still accept the next pod of the run, so `from` stays behind */
    /* all remaining claims reject: the whole run (exhausted), the current pod (passed) */
    bool exhausted, passed;
} requirement_bucket;

/* A run of equal pods. A claim that rejected one of them for the whole run is not tried again: the search continues
 * behind it. */
struct claim_run {
    uint32_t view; /* NO_ID = none */
    uint32_t only; /* the only claim left to try, which the run opened: all others have rejected. NO_ID = try all */
    uint32_t bucket; /* of the claim that is being tried; NO_ID = none has been tried yet */
    const claim *second; /* the first claim of the other buckets in the common order; NULL = they have none left */
    uint32_t size_rank; /* size rank of the pods' class */
};

/* ---- skip ranges ------------------------------------------------------------------------------------------------- */

/* Ranks the classes that take part in the round, if there are enough of them to make it worth the work. false = out
 * of memory. */
bool skip_begin_round(scheduler *s, uint32_t entered);

/* ---- the order --------------------------------------------------------------------------------------------------- */

void claim_order_clear(scheduler *s); /* removes all claims; the buckets' memory belongs to the round */
void claim_unlink(scheduler *s, uint32_t number);
/* Give the claim its place in the order. It enters no list when it is retired. */
void claim_link_opened(scheduler *s, uint32_t number); /* it is new and has one pod */
/* It was unlinked, and has received so many pods one after another. true = other claims have changed places as well,
 * and a search has to begin again. */
bool claim_link_grown(scheduler *s, uint32_t number, uint32_t more);
/* It returns to the place among equals that its stamp says. Not with Karpenter's order. */
void claim_relink(scheduler *s, uint32_t number);

/* ---- one pod's search -------------------------------------------------------------------------------------------- */

void search_begin(scheduler *s, uint32_t view_number);
/* The next claim that may still accept a pod of the class; NO_ID = none is left. */
uint32_t search_next(scheduler *s, class_state *k);
/* The claim rejected the pod. search_next() continues behind it. */
enum refused_how { REFUSED_NOW, REFUSED_FOR_THE_RUN };
void search_refused(scheduler *s, enum refused_how how);
/* All claims rejected the pod, and would reject it for the rest of the run. Has the effect of visiting each of them
 * with search_next(). */
void search_all_refused(scheduler *s);
/* The claim has no space for the class, and will not have any later. */
void search_too_small(scheduler *s, class_state *k, uint32_t number);
/* All claims of this claim's bucket reject the pod as well. false = it is the last bucket, whose claims differ in
 * requirements. */
bool search_bucket_refused(scheduler *s, enum refused_how how);
/* The claim accepts the pod. Call before it is unlinked. */
void search_took(scheduler *s);
/* All claims rejected the pod, so this one was opened for it. It is already linked. */
void search_opened(scheduler *s, uint32_t view_number, uint32_t number);
void search_end(scheduler *s); /* ends the current run */

/* Whether every rejection of a pod of the view remains valid for the rest of the run, but for those by the view's own
 * groups with keys other than the host name. */
bool refusals_last_but_for_domains(const scheduler *s, const view *v);
/* A rejection is valid for the rest of the run if only the claim itself causes it. Domains of keys other than the
 * host name change with every placement, and so do reservations. */
static inline bool refusals_last(const scheduler *s, const view *v)
{
    return !v->elsewhere && refusals_last_but_for_domains(s, v);
}
/* Whether the claim cannot receive pods of the class any more in this round. */
bool refused_for_good(const scheduler *s, const class_state *k, uint32_t number);
/* The claim's host rejects this class for the rest of the round, and so all classes with the same rules. */
void barred_for_good(scheduler *s, const class_state *k, uint32_t number);

/* Whether runs of the view can be placed by counting. All nodes must have rejected the pod before. */
bool claims_countable(scheduler *s, const view *v);
/* The same for pods that spread over domains (spread_run.h). No node may be left that could take one of them. */
bool claims_countable_by_domain(scheduler *s, const view *v);
/* Places as many of `pods`, the next ones of the view's run, as it can, and returns their number. The pod before them
 * was placed on a claim. `first` is their position in the queue. */
uint32_t claims_fill(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t view_number);
