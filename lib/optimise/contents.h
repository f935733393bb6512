/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the best content of one node in whole pods, and an upper bound on the worth of any content: by labels
 * (labels.h), or where there would be too many of them, by branch and bound over the continuous knapsack. The branches
 * correspond to the cases of a proof (bound.h): contents with at most so many copies of a class, and contents with
 * more.
 */
#pragma once

#include <optimise/labels.h>
#include <optimise/master.h>

/* Most branches for a content; operations on a label or a number of the linear program that count as a step. */
enum { CONTENTS_BRANCHES = 4096, CONTENTS_A_STEP = 160 };

/* Contents with `low` to `high` copies of a class, in addition to the restrictions of the parent. */
typedef struct branch {
    uint32_t parent, class_, deep; /* not used for the first branch */
    int64_t low, high;
    /* the child with fewer copies of the class that the branch is split by; the child with more follows it. 0 =
     * not split */
    uint32_t below;
    uint32_t split; /* a class with a fractional number of copies in the best content; UINT32_MAX = none */
    double part; /* that number of copies */
    double at_most; /* upper bound on the worth of a content of the branch */
} branch;

typedef struct contents {
    const bound_problem *p;
    arena *memory; /* the arrays of branches grow there */
    uint32_t row, capacity, reserved; /* capacity: maximum number of branches */
    branch *branches;
    uint32_t branch_count;
    double *shares; /* [branch * dims] */
    /* The result. */
    double at_most; /* upper bound on the worth of any content */
    double value; /* worth of the best content found */
    double *copies; /* by class: that content */
    bool by_labels; /* the upper bound is that of the labels, at the prices in `labels` */
    bool listed; /* contents_next() has more contents */
    uint32_t steps; /* about one per class visited */
    /* Internal. */
    const double *worth;
    knapsack k;
    labels labels;
    double *rates; /* by resource: prices for the labels */
    int64_t *most, *low, *high; /* by class: most copies on the row; limits of the current branch */
    uint32_t *order, order_count; /* classes that fit, by worth per size, descending */
    double *density, *tried;
    int64_t *left; /* by resource */
    uint32_t *heap, heap_count; /* branches that are not split, by at_most, descending */
    bool failed; /* out of memory */
} contents;

/* Allocates memory for any row of the problem; a search may add to it (labels.h). `sizes` has its requests. false = out
 * of memory. */
bool contents_init(contents *w, arena *a, const bound_problem *p, const double *sizes, uint32_t capacity);
/* Solves until no content can be worth more than `enough` or than the best found, or there are `most` branches. With
 * more than one branch, labels are tried first. false = out of memory, or the caller wants to stop. */
bool contents_solve(contents *w, uint32_t row, const double *worth, double enough, uint32_t most);
/* prove_contents.c: a proof in integers (bound.h) for the best prices of the master problem, scaled to what the offers
 * bear. Rows of existing nodes have cases, too, where whole pods can use less than fractions. false = out of memory. */
bool prove_contents(master *m, contents *x, arena *a, bound_proof *out);
/* The same, with the most that the contents of each offer are worth, if that takes no more than so many operations.
 * *out has no y if it takes more. *work counts down, to 0 at least. */
bool prove_charges(master *m, contents *x, uint64_t *work, arena *a, bound_proof *out);

/* Puts the next best content into `copies`, of those that the labels found. false = there are no others. */
bool contents_next(contents *w);
