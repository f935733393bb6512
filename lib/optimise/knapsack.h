/* SPDX-License-Identifier: Apache-2.0 */
/* The continuous knapsack of one node: what is the most that fractions of pods on it are worth, and what prices of its
 * resources say so. A simplex with one row per resource and bounds on the copies. */
#ifndef OPTIMISE_KNAPSACK_H
#define OPTIMISE_KNAPSACK_H

#include <base/memory.h>

typedef struct knapsack {
    uint32_t dims, count; /* rows; items */
    uint32_t *dim_of; /* [dims]: the resource of each row, as sizes have them; those that do not matter have no row */
    uint32_t stride; /* of sizes */
    uint32_t *items; /* by item: its number in sizes and worth */
    double *capacity; /* [dims], above 0 */
    double *most; /* by item: copies, more than 0; may be HUGE_VAL */
    const double *sizes; /* [number * stride] */
    const double *worth; /* by number */
    /* the answer: */
    double *shares; /* [dims]: what all of a resource is worth, not negative */
    double *copies; /* by item; knapsacks may share them */
    double *surplus; /* by item, what a copy is worth above its shares; may be shared, too */
    double *rows; /* while it is solved: what the items are worth, take and gain, row by row; may be shared, too */
    double value; /* sum of shares + most × what each item is worth above its shares: never below the best */
    /* its own: */
    double *inverse, *level, *paid, *column, *rate; /* [dims * dims]; the rest [dims] */
    uint32_t *basis; /* [dims]: an item, or count + d for what is left of resource d */
    uint8_t *state; /* by item */
    bool limited; /* the copies of some item are */
    uint32_t solved; /* how often since it began anew */
} knapsack;

/* Memory for `dims` and at most `count` items; the caller fills dim_of, items, capacity and most, sets `stride` and `count`, and gives it
 * its room. false = refused. */
bool knapsack_init(knapsack *k, arena *a, uint32_t dims, uint32_t count);
/* Room for `copies`, `surplus` and `rows`, which knapsacks of at most `dims` and `count` may share. false = refused. */
bool knapsack_room(knapsack *k, arena *a, uint32_t dims, uint32_t count);
/* Has @p k use the room of @p from. */
void knapsack_share(knapsack *k, const knapsack *from);
/* Goes on from the answer before: other prices do not make that one infeasible. How many steps of the simplex it took. */
uint32_t knapsack_solve(knapsack *k);
/* What a copy of the item is worth above what it takes. */
double knapsack_surplus(const knapsack *k, uint32_t item);

#endif
