/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of karp_fit() in the order in which copies try them, with the free capacity of a node of each. A tree over
 * the runs contains, for each subtree, the most free capacity of each resource. So the next run with space for a copy
 * is found without visiting all full ones.
 */
#ifndef SCHEDULE_FIT_ORDER_H
#define SCHEDULE_FIT_ORDER_H

#include <model/store.h>

typedef struct order_node {
    uint32_t parent, before, after; /* runs, NO_ID = none */
} order_node;

/* A treap: in-order is the order of the runs, and the heap priority is a hash of a run's number. */
typedef struct fit_order {
    karp_context *context;
    uint32_t dims;
    uint32_t root;
    LIST_OF(order_node) nodes; /* by run */
    LIST_OF(int64_t) space; /* vectors by run */
    LIST_OF(int64_t) most; /* vectors by run: the most in its subtree */
    uint64_t seen; /* number of runs visited by searches */
} fit_order;

void order_init(fit_order *o, karp_context *context, uint32_t dims);
void order_free(fit_order *o);

/* order_append() adds the next run at the end; runs are numbered from 0. order_split() adds a run equal to `run`
 * right after it. false = out of memory. */
bool order_append(fit_order *o, const int64_t *space);
bool order_split(fit_order *o, uint32_t run);
/* Removes the run that was added last. */
void order_drop(fit_order *o);

static inline const int64_t *order_space(const fit_order *o, uint32_t run)
{
    return o->space.items + (size_t)run * o->dims;
}
void order_take(fit_order *o, uint32_t run, const int64_t *need, uint64_t copies);
void order_restore(fit_order *o, uint32_t run, const int64_t *space);

/* The run after this one (NO_ID: the first run); NO_ID = none. */
uint32_t order_next(const fit_order *o, uint32_t run);
/* The first run after this one (NO_ID: the first of all) that has space for `need`. */
uint32_t order_find(fit_order *o, uint32_t run, const int64_t *need);

#endif
