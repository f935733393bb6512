/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skip ranges: which classes an open claim has no room for.
 *
 * The classes of a round are ranked by size, the biggest first, which is their order in the queue. A claim without room for a
 * class seldom has room for the next smaller ones. Its skip range holds the ranks for which that has been worked out, so that a
 * search passes over the claim without asking. The claims of a list have a common range that passes over all of them at once.
 *
 * A skip range depends on size alone. Topology, relaxation and other claims do not change it. A claim that receives a pod loses it.
 */
#ifndef SCHEDULE_CLAIM_SKIP_H
#define SCHEDULE_CLAIM_SKIP_H

#include <schedule/common.h>

typedef struct claim claim;
typedef struct claim_list claim_list;

/* Ranks for which there is no room, `to` not included. Empty when both are equal. */
struct skip_range {
    uint32_t from, to;
};

struct size_ranks {
    uint32_t count; /* of this round; 0 = nothing is skipped */
    uint32_t *by_size; /* all classes; NULL = not ordered yet */
    uint32_t *of_class;
    int64_t *sizes; /* [rank * dims] */
};

/* Ranks the classes that have entered the round, where there are enough of them for it to pay. false = out of memory. */
bool skip_begin_round(scheduler *s, uint32_t entered);
/* The rank of a class; NO_ID = nothing is skipped in this round. */
uint32_t skip_rank(const scheduler *s, uint32_t class_number);

static inline bool skips(const struct skip_range *r, uint32_t rank) { return rank - r->from < r->to - r->from; }
/* The claim has no room for the class of this rank: works out for how many smaller ones it has none either. */
void skip_from_now(const scheduler *s, claim *c, uint32_t rank);
/* The first claim of the list that is not skipped. NO_ID = all are, which the list remembers. */
uint32_t skip_to_first(const scheduler *s, claim_list *b, uint32_t rank);

#endif
