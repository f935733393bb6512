/* SPDX-License-Identifier: Apache-2.0 */
/* The continuous knapsack of one node: what is the most that fractions of pods on it are worth, and what prices of its
 * resources say so. A simplex with one row per resource and bounds on the copies. */
#ifndef OPTIMISE_KNAPSACK_H
#define OPTIMISE_KNAPSACK_H

#include <base/memory.h>

typedef struct knapsack {
    uint32_t dims, count; /* rows; items */
    const double *sizes; /* [item * dims] */
    double *capacity; /* [dims]; 0 = none of it, and no item that may come needs any */
    double *most; /* by item: copies, 0 = it may not come; may be HUGE_VAL */
    const double *worth; /* by item */
    /* the answer: */
    double *shares; /* [dims]: what all of a resource is worth, not negative */
    double *copies; /* by item */
    double value; /* sum of shares + most × what each item is worth above its shares: never below the best */
    /* its own: */
    double *inverse, *level, *paid, *column, *rate; /* [dims * dims]; the rest [dims] */
    uint32_t *basis; /* [dims]: an item, or count + d for what is left of resource d */
    uint8_t *state; /* by item */
} knapsack;

/* Memory for `dims` and `count`; false = refused. */
bool knapsack_init(knapsack *k, arena *a, uint32_t dims, uint32_t count);
void knapsack_solve(knapsack *k);

#endif
