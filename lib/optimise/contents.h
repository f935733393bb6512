/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best content of one node in whole pods, by branch and bound over the continuous knapsack, and a number that no content is
 * worth more than. The branches are the cases of a proof (bound.h): contents with at most so many copies of a class, and those with more.
 */
#ifndef OPTIMISE_CONTENTS_H
#define OPTIMISE_CONTENTS_H

#include <optimise/bound.h>
#include <optimise/knapsack.h>

/* Contents of which a class has from `low` to `high` copies, and otherwise as the parent has it. */
typedef struct branch {
    uint32_t parent, class_, deep; /* the first has none */
    int64_t low, high;
    uint32_t
        below; /* the branch with fewer copies of the class that it is split by; the one with more follows. 0 = not split */
    uint32_t split; /* a class that the best has a part of; UINT32_MAX = it has none */
    double part; /* … which is this */
    double at_most; /* what a content of the branch is worth */
} branch;

typedef struct contents {
    const bound_problem *p;
    uint32_t row, room; /* branches there may be */
    branch *branches;
    uint32_t branch_count;
    double *shares; /* [branch * dims] */
    /* the answer: */
    double at_most; /* no content is worth more */
    double value; /* … than the best that was found */
    double *copies; /* by class: that one */
    uint32_t steps; /* about a class looked at each */
    /* its own: */
    const double *worth;
    knapsack k;
    int64_t *most, *low, *high; /* by class: on the row; of the branch at hand */
    uint32_t *order, order_count; /* classes that fit, the worthiest for their size first */
    double *density, *tried;
    int64_t *left; /* by resource */
    uint32_t *heap, heap_count; /* branches that are not split, the largest at_most first */
} contents;

/* Memory for all rows of the problem. `sizes`: its requests. false = refused. */
bool contents_init(contents *w, arena *a, const bound_problem *p, const double *sizes, uint32_t room);
/* Until no content is worth more than `enough` or than the best that was found, or there are `most` branches. */
void contents_solve(contents *w, uint32_t row, const double *worth, double enough, uint32_t most);

#endif
