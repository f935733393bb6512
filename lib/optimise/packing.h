/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes to buy for which pods, where all that counts are resources, which offers a class of pods may go to, how many of a
 * class one node may hold, and which classes may not share a node. Numbers alone, so that a million moves are cheap.
 *
 * The search is a fixed sequence of moves, so that more steps only ever go on from where fewer ended.
 */
#ifndef OPTIMISE_PACKING_H
#define OPTIMISE_PACKING_H

#include <model/store.h>

/* What a step is: about a microsecond. Visits of a class while a node is filled are what most of the time goes into. */
enum { WORK_A_STEP = 160 };

/* The arrays are the caller's. */
typedef struct packing_problem {
    uint32_t dims, class_count, offer_count;
    const int64_t *requests; /* [class * dims], not negative */
    const uint32_t *counts; /* pods of each class */
    const uint32_t *limits; /* copies on one node, at least 1 */
    const int64_t *rooms; /* [offer * dims] */
    const double *prices; /* by offer, rising */
    const uint64_t *allowed; /* [class * bits_words(offer_count)]: where it may go */
    const uint64_t *conflicts; /* [class * bits_words(class_count)]; NULL = none */
    const double *worth; /* by class: what one pod is worth, about; see bound.h */
    const double *promise; /* by offer: what its content can be worth, by its price, 1 at most; NULL = nobody knows */
    const double *shares; /* [offer * dims]: which part of its price each resource is worth; NULL likewise */
} packing_problem;

typedef struct packing_entry {
    uint32_t class_, copies;
} packing_entry;

/* One node: its offer, and what is on it. */
typedef struct packing_bin {
    uint32_t offer;
    LIST_OF(packing_entry) entries;
} packing_bin;

typedef struct packing_bins {
    LIST_OF(packing_bin) list;
    double cost;
} packing_bins;

typedef struct packing packing; /* a search */

/* Begins from a plan that serves every pod, which is copied; without it from none. NULL = refused. */
packing *packing_begin(karp_context *context, const packing_problem *p, const packing_bins *from);
void packing_end(packing *k);
/* Goes on until so many steps are done since the beginning; false = refused. */
bool packing_search(packing *k, uint64_t steps);
uint64_t packing_steps(const packing *k);
/* The cheapest plan so far. Its cost is infinite as long as there is none. */
const packing_bins *packing_best(const packing *k);

/* worth.c: the problem's worth, promise and shares. false = refused. */
bool packing_rate(arena *a, packing_problem *p);

/* What to buy, in fractions of nodes, of classes that are alike: from the bound of whole pods (bound.h). */
typedef struct packing_patterns {
    uint32_t count, group_count;
    const uint32_t *group_of; /* by class */
    const uint32_t *offer; /* by pattern */
    const double *nodes;
    const uint32_t *copies; /* [pattern * group_count] */
    const double *worth; /* by class */
} packing_patterns;

/* worth.c: by so many steps of work; none where classes are too many. false = refused. */
bool packing_find_patterns(arena *a, const packing_problem *p, uint64_t steps, packing_patterns *out);
/* bins.c: plans with whole numbers of these nodes, and others for the rest, for which the bound is asked again, `steps` in all; the search goes on from the cheapest when it is cheaper. false =
 * refused. */
bool packing_round(packing *k, karp_context *context, const packing_problem *p, const packing_patterns *from, arena *a,
                   uint64_t steps);
/* A plan that has these nodes, and others for the rest; the search goes on from it when it is cheaper. false = refused. */
bool packing_complete(packing *k, const packing_bins *part);

/* New nodes for these pods alone, beside the plan: what they cost, infinite = more than `most`, or some fit nowhere. They can be read until
 * the next call, and leave the plan as it is. */
double packing_buy(packing *k, const packing_entry *pods, uint32_t count, double most);
/* From here on packing_buy() gives up once it has worked for so many steps more, or somebody wants to stop. */
void packing_limit(packing *k, uint64_t steps);
uint32_t packing_bought_count(const packing *k);
uint32_t packing_bought(const packing *k, uint32_t index, const packing_entry **entries,
                        uint32_t *count); /* its offer */
/* The cheapest offer that holds these pods, which ask for `used`; UINT32_MAX = none does. */
uint32_t packing_offer_for(packing *k, const packing_entry *pods, uint32_t count, const int64_t *used);

packing_bin *packing_add_bin(karp_context *context, packing_bins *b, uint32_t offer); /* NULL = refused */
bool packing_add_entry(karp_context *context, packing_bin *b, uint32_t class_, uint32_t copies);
void packing_bins_free(karp_context *context, packing_bins *b);

#endif
