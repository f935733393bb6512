/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef SCHEDULE_CLAIM_SKIP_H
#define SCHEDULE_CLAIM_SKIP_H

#include <schedule/common.h>

typedef struct claim claim;
typedef struct claim_list claim_list;

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

/* Ranks the classes that take part in the round, if there are enough of them to make it worth the work. false = out
 * of memory. */
bool skip_begin_round(scheduler *s, uint32_t entered);
/* The rank of a class; NO_ID = nothing is skipped in this round. */
uint32_t skip_rank(const scheduler *s, uint32_t class_number);

static inline bool skips(const struct skip_range *r, uint32_t rank) { return rank - r->from < r->to - r->from; }
/* The claim has no space for the class of this rank. Computes how many of the next smaller classes it has no space for
 * either. */
void skip_from_now(const scheduler *s, claim *c, uint32_t rank);
/* The first claim of the list that is not skipped. NO_ID = all are skipped, which the list's own range then records. */
uint32_t skip_to_first(const scheduler *s, claim_list *b, uint32_t rank);

#endif
