/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The continuous knapsack of one node: the fractions of pods on it that are worth most in total, and the dual prices
 * of its resources. Solved by the simplex method with one row per resource and bounds on the copies.
 */
#pragma once

#include <base/memory.h>

typedef struct knapsack {
    uint32_t dims, count; /* number of rows; number of items */
    uint32_t *dim_of; /* [dims]: index in `sizes` of each row's resource; irrelevant resources have no row */
    uint32_t stride; /* of sizes */
    uint32_t *items; /* by item: its index in sizes and worth */
    double *capacity; /* [dims], above 0 */
    double *most; /* by item: most copies, more than 0; may be HUGE_VAL */
    const double *sizes; /* [index * stride] */
    const double *worth; /* [index] */
    /* The result. */
    double *shares; /* [dims]: worth of all of a resource, not negative */
    double *copies; /* by item; knapsacks may share the array */
    double *surplus; /* by item: worth of a copy minus its charge by the shares; knapsacks may share the array */
    double *rows; /* scratch for solving: worth, sizes and gains of the items, row by row; knapsacks may share it */
    double value; /* sum of shares, plus most × surplus of each item with a surplus; an upper bound on the optimum */
    /* Internal. */
    double *inverse, *level, *paid, *column, *rate; /* [dims * dims]; the others [dims] */
    uint32_t *basis; /* [dims]: an item, or count + d for the slack of resource d */
    uint8_t *state; /* by item */
    bool limited; /* some item has a limited number of copies */
    uint32_t solved; /* number of solves since the basis was computed from scratch */
} knapsack;

/* Allocates memory for `dims` rows and at most `count` items. The caller fills dim_of, items, capacity and most, sets
 * `stride` and `count`, and calls knapsack_alloc() or knapsack_share(). false = out of memory. */
bool knapsack_init(knapsack *k, arena *a, uint32_t dims, uint32_t count);
/* Allocates `copies`, `surplus` and `rows`, which knapsacks of at most this size may share. false = out of memory. */
bool knapsack_alloc(knapsack *k, arena *a, uint32_t dims, uint32_t count);
/* Makes `k` use these arrays of `from`. */
void knapsack_share(knapsack *k, const knapsack *from);
/* Solves, starting from the previous solution, which stays feasible when `worth` changes. Returns the number of
 * pivots. */
uint32_t knapsack_solve(knapsack *k);
/* The worth of a copy of the item minus its charge. */
double knapsack_surplus(const knapsack *k, uint32_t item);
