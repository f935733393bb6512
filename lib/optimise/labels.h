/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the best whole content of one node by dynamic programming. A label is the load of a partial content and its
 * worth. The classes are added one after another, each in a stage. A label is dropped if no completion of it can be
 * worth enough, by one of several vectors of resource prices, or if another label has no more load and is worth no
 * less.
 */
#pragma once

#include <optimise/completions.h>
#include <optimise/knapsack.h>

enum { LABEL_PRICES = 4 }; /* most vectors of resource prices for one node */

typedef struct label {
    uint64_t load; /* a field of bits for each resource */
    double worth; /* of the classes so far */
    double at_most[LABEL_PRICES]; /* upper bounds on the worth of its completions, by prices */
    double top; /* the least of these and of that of the tables */
    uint32_t parent, copies; /* index of the label that it continues; copies of its stage's class */
} label;

/* One node: the classes that may be placed there, and prices of its resources. The caller owns the arrays. */
typedef struct label_node {
    const int64_t *capacity; /* by resource */
    const double *rates; /* by resource: price of a unit, not negative */
    const uint32_t *classes;
    uint32_t class_count;
    const int64_t *most; /* by class: most copies */
    const double *worth; /* by class */
    double enough; /* contents that are worth no more are never looked for */
    uint32_t cells; /* size of the tables (completions.h) */
} label_node;

typedef struct labels {
    const bound_problem *p;
    arena *memory; /* the arrays of labels grow there */
    label *list, *next, *merged; /* all labels by stage; those of the stage under construction */
    uint32_t capacity, reserved, limit, count, next_count, open_count;
    uint32_t *open; /* labels of the stage before that can have more copies */
    uint32_t *run_first; /* index in `next` of the first label with so many copies */
    uint32_t *items, item_count; /* classes that the contents may have, largest first */
    uint32_t price_count;
    double *rates; /* [price vector * dims] */
    double *size, *gain; /* by class; [price vector * class]: worth beyond the resource prices */
    knapsack k; /* of the classes that come late */
    uint64_t *load; /* by class */
    load_form form;
    completions completions;
    label_node node;
    label first; /* of the empty content */
    uint32_t last; /* first label of the last stage */
    uint64_t full, guards; /* the load of a full node; a bit above each field */
    uint64_t steps; /* work so far: about one per label that was made */
    bool failed; /* out of memory */
} labels;

/* For any node of the problem and at most so many labels, for which there is room in the arena once a search has them:
 * do not release a part of it that a search was in. false = out of memory. */
bool labels_init(labels *l, arena *a, const bound_problem *p, const double *sizes, uint32_t capacity);
/* Prepares to look for contents of a node. false = its resources do not fit a load. */
bool labels_prepare(labels *l, const label_node *n);
/* Looks for the content that is worth most, among those that are worth more than `enough`, with at most `limit` labels
 * in all. With a width, only so many labels are continued in each stage, and the content may not be the best; 0 = all
 * are. false = there are too many, or l->failed. *value receives its worth, and `copies` the content, by class;
 * unchanged if none is found. */
bool labels_solve(labels *l, double enough, uint32_t limit, uint32_t width, double *value, double *copies);
/* After a content was found: the best one that is worth less than *below, which receives its worth. false = none. */
bool labels_next(labels *l, double *below, double *copies);
