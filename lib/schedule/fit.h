/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of karp_fit() share. Amounts are vectors of 64-bit integers, and labels are numbers. */
#pragma once

#include <karp/fit.h>
#include <model/store.h>

/* ---- fit_input.c: the request, checked and copied ---------------------------------------------------------------- */

/* What copies can be placed on: existing nodes, then types. */
typedef struct fit_source {
    resource_list amounts;
    const int64_t *space; /* capacity of one node, as a vector */
    label_list labels;
    uint64_t most; /* existing nodes: their number; types: the most that may be launched */
    uint64_t least; /* types: the number that is launched in any case */
    double price;
} fit_source;

typedef struct fit_demand {
    resource_list amounts;
    const int64_t *need; /* request of one copy, as a vector */
    const selector *selects; /* NULL = any */
    uint64_t count, most_per_node;
    uint32_t group;
    int32_t priority;
    int64_t part, whole; /* its size: the largest share of the largest amount that a source has, as a fraction */
} fit_demand;

typedef struct fit_input {
    karp_context *context;
    strings text, resources;
    arena data;
    fit_source *sources;
    fit_demand *demands;
    uint32_t node_count, source_count, demand_count;
    uint32_t dims;
    uint64_t most_launched; /* nodes of all types; UINT64_MAX = any number */
} fit_input;

#ifndef KARP_NO_FIT
/* Call fit_input_free() also after a failure. */
karp_status fit_input_read(fit_input *in, karp_context *context, const karp_fit_request *request, karp_error *error);
void fit_input_free(fit_input *in);
#endif

/* ---- fit_order.c: the order of runs ------------------------------------------------------------------------------ */

/*
 * The runs of karp_fit() in the order in which copies try them, with the free capacity of a node of each. A tree over
 * the runs contains, for each subtree, the most free capacity of each resource. So the next run with space for a copy
 * is found without visiting all full ones.
 */
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

#ifndef KARP_NO_FIT
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

/* ---- lib/optimise/fit_cost.c: the least cost --------------------------------------------------------------------- */

/* Instead of the nodes that the rules of karp_fit() launch, it chooses new ones as lib/optimise/packing.h does. */

typedef struct fit_copies {
    uint64_t copies;
    uint32_t demand;
} fit_copies;

/* Nodes of one type with equal contents. */
typedef struct fit_bought {
    uint64_t nodes;
    uint32_t source;
    const fit_copies *copies; /* the copies on each node */
    size_t copies_count;
} fit_bought;

typedef struct fit_purchase {
    karp_context *context;
    const karp_fit_request *request;
    const fit_input *in;
    const uint64_t *placed, *bought; /* by demand: all placed copies, and those of them on nodes launched for them */
    /* by source: nodes launched for copies, without the minimum that is launched in any case */
    const uint64_t *launched;
    arena *data; /* arena of the result */
    /* The result. */
    fit_bought *list;
    size_t count; /* 0 = the nodes that the rules launch are at most as expensive */
    karp_cost cost;
} fit_purchase;
