/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses nodes to buy for classes of pods. Only resources matter, the offers that a class can use, the most copies
 * of a class on one node, and which classes cannot share a node. It works on numbers alone, so that millions of moves
 * are cheap.
 *
 * The search is a fixed sequence of moves. More steps always continue from the state that fewer steps reach.
 */
#pragma once

#include <schedule/guide.h>
#include <schedule/menu.h>

/* Units of work in one step, which takes about a microsecond. Most time is spent on visiting classes while a node is
 * filled. */
enum { WORK_A_STEP = 160 };

/* The caller owns the arrays. */
typedef struct packing_problem {
    uint32_t dims, class_count, offer_count;
    const int64_t *requests; /* [class * dims], not negative */
    const uint32_t *counts; /* number of pods in each class */
    const uint32_t *limits; /* most copies on one node, at least 1 */
    const int64_t *spaces; /* [offer * dims]: free capacity of a new node */
    const double *prices; /* by offer, ascending */
    const uint64_t *allowed; /* [class * bits_words(offer_count)]: offers that the class can use */
    /* [class * bits_words(class_count)]: classes that cannot share a node with it; NULL = none */
    const uint64_t *conflicts;
    const double *worth; /* by class: approximate worth of one pod; see bound.h */
    const double *promise; /* by offer: highest worth of a content divided by its price, at most 1; NULL = not known */
    /* [offer * dims]: fraction of the offer's price that belongs to each resource; NULL = not known */
    const double *shares;
} packing_problem;

typedef struct packing_entry {
    uint32_t class_, copies;
} packing_entry;

/* One node: its offer and its contents. */
typedef struct packing_bin {
    uint32_t offer;
    LIST_OF(packing_entry) entries;
} packing_bin;

typedef struct packing_bins {
    LIST_OF(packing_bin) list;
    double cost;
} packing_bins;

typedef struct packing packing; /* a search */

/* Begins a search from a copy of a plan that serves every pod, or from no plan. NULL = out of memory. */
packing *packing_begin(karp_context *context, const packing_problem *p, const packing_bins *from);
void packing_end(packing *k);
/* Continues until `steps` steps have been done in total. false = out of memory. */
bool packing_search(packing *k, uint64_t steps);
uint64_t packing_steps(const packing *k);
/* The cheapest plan so far. Its cost is infinite if there is none. */
const packing_bins *packing_best(const packing *k);

/* worth.c: computes the problem's worth, promise and shares. false = out of memory. */
bool packing_rate(arena *a, packing_problem *p);

/* Nodes to buy, in fractions, for groups of equal classes: from the bound for whole pods (bound.h). */
typedef struct packing_patterns {
    uint32_t count, group_count;
    const uint32_t *group_of; /* by class */
    const uint32_t *offer; /* by pattern */
    const double *nodes;
    const uint32_t *copies; /* [pattern * group_count] */
    const double *worth; /* by class */
    bool holds; /* that it is worth no more than nodes cost, and all pods are those of the problem that is looked at */
} packing_patterns;

/* Contents of nodes that another problem buys. Any class with equal requests may stand for the class that is meant. */
typedef struct packing_contents {
    uint32_t count;
    const uint32_t *offer; /* by content; UINT32_MAX = of no use */
    const uint32_t *copies; /* [content * kind_count] */
    uint32_t kind_count;
    const uint32_t *class_of; /* by kind; UINT32_MAX = of no use */
} packing_contents;

/* worth.c: computes the patterns in about `steps` steps of work; none if there are too many classes. `known` has those
 * of a similar problem with the same classes and offers, to begin with, and `others` more; NULL = none. false = out of
 * memory. */
bool packing_find_patterns(arena *a, const packing_problem *p, const packing_patterns *known,
                           const packing_contents *others, uint64_t steps, packing_patterns *out);
/* bins.c: makes plans with whole numbers of these nodes. The rest is covered by new patterns, for which the bound is
 * computed again, with `steps` steps in all. The search continues from the cheapest if that is an improvement. false
 * = out of memory. */
bool packing_round(packing *k, karp_context *context, const packing_problem *p, const packing_patterns *from, arena *a,
                   uint64_t steps);
/* Completes these nodes to a plan. The search continues from it if it is cheaper. false = out of memory. */
bool packing_complete(packing *k, const packing_bins *part);

/* Buys new nodes for these pods alone, without changing the plan, and returns their cost. Infinite = more than
 * `most`, or some pod fits nowhere. The nodes can be read until the next call. */
double packing_buy(packing *k, const packing_entry *pods, uint32_t count, double most);
/* From now on packing_buy() gives up after so many more steps of work, or when the caller wants to stop. */
void packing_limit(packing *k, uint64_t steps);
uint32_t packing_bought_count(const packing *k);
/* Returns its offer. */
uint32_t packing_bought(const packing *k, uint32_t index, const packing_entry **entries, uint32_t *count);
/* The cheapest offer that can contain these pods, whose requests add up to `used`; UINT32_MAX = none can. */
uint32_t packing_offer_for(packing *k, const packing_entry *pods, uint32_t count, const int64_t *used);

packing_bin *packing_add_bin(karp_context *context, packing_bins *b, uint32_t offer); /* NULL = out of memory */
bool packing_add_entry(karp_context *context, packing_bin *b, uint32_t class_, uint32_t copies);
/* Adds a bin with these entries. false = out of memory. */
bool packing_copy_bin(karp_context *context, packing_bins *b, uint32_t offer, const packing_entry *entries,
                      size_t count);
void packing_bins_free(karp_context *context, packing_bins *b);

/* A menu as a packing problem, allocated in `a`; also points to arrays of the menu. false = out of memory. */
bool menu_problem(arena *a, const menu *m, packing_problem *out);

/* guide_types() of an offer, computed once. `known` caches results by offer; initially 0. */
uint32_t menu_types(scheduler *s, const menu *m, uint32_t offer, const policy *p, uint32_t *known);
