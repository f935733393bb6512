/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of karp_fit() in the order in which copies try them, and what is left on a node of each. A tree over them knows
 * the most that any run of a subtree has left of each resource, so that the next run with room for a copy is found without
 * looking at all that are full. */
#ifndef SCHEDULE_FIT_ORDER_H
#define SCHEDULE_FIT_ORDER_H

#include <model/store.h>

typedef struct order_node {
    uint32_t parent, before, after; /* runs, NO_ID = none */
} order_node;

/* A treap: ordered as the runs are, and above each other by a hash of their numbers. */
typedef struct fit_order {
    karp_context *context;
    uint32_t dims;
    uint32_t root;
    LIST_OF(order_node) nodes; /* by run */
    LIST_OF(int64_t) room; /* vectors by run */
    LIST_OF(int64_t) most; /* vectors by run: the most in its subtree */
    uint64_t seen; /* runs that were looked at in search */
} fit_order;

void order_init(fit_order *o, karp_context *context, uint32_t dims);
void order_free(fit_order *o);

/* The next run, numbered in turn from 0, behind all others; or one that is like a run, right after it. false = out of memory. */
bool order_append(fit_order *o, const int64_t *room);
bool order_split(fit_order *o, uint32_t run);
/* The run that was added last goes. */
void order_drop(fit_order *o);

static inline const int64_t *order_room(const fit_order *o, uint32_t run)
{
    return o->room.items + (size_t)run * o->dims;
}
void order_take(fit_order *o, uint32_t run, const int64_t *need, uint64_t copies);
void order_restore(fit_order *o, uint32_t run, const int64_t *room);

/* The run after this one (NO_ID: the first); NO_ID = none. */
uint32_t order_next(const fit_order *o, uint32_t run);
/* The first after it, likewise, that has room for `need`. */
uint32_t order_find(fit_order *o, uint32_t run, const int64_t *need);

#endif
