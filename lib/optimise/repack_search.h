/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes to remove, and where their pods go: onto nodes that stay, as far as there is space, and onto new ones. Numbers
 * alone, as in packing.h. A fixed sequence of moves, so that equal work gives equal plans.
 */
#ifndef OPTIMISE_REPACK_SEARCH_H
#define OPTIMISE_REPACK_SEARCH_H

#include <optimise/packing.h>

/* A node that may be removed. */
typedef struct repack_node {
    uint32_t host; /* as which it takes pods; UINT32_MAX = it takes none */
    uint32_t pool; /* whose budget it counts against */
    double price;
    const packing_entry *entries; /* its pods */
    uint32_t entry_count, evictions;
} repack_node;

/* The arrays are the caller's. */
typedef struct repack_problem {
    packing_problem launches; /* counts: of all pods that may move */
    uint32_t host_count, node_count;
    const int64_t *left; /* [host * dims]: free on nodes that exist */
    const uint64_t *host_allowed; /* [class * bits_words(host_count)] */
    const bool *alone; /* by class: a host takes one of it at most */
    const repack_node *nodes;
    const uint32_t *node_of_host; /* UINT32_MAX = it is no candidate */
    double per_eviction; /* what moving a pod costs in the search, at least a little */
} repack_problem;

/* Pods that go to a host. */
typedef struct repack_put {
    uint32_t host, class_, copies;
} repack_put;

typedef struct repack_plan {
    LIST_OF(uint32_t) removed; /* node numbers, rising */
    LIST_OF(repack_put) puts;
    packing_bins bins; /* launches */
    double saving; /* $/h */
    uint64_t evictions;
} repack_plan;

void repack_plan_free(karp_context *context, repack_plan *p);

typedef struct repack_search repack_search;

repack_search *repack_search_begin(karp_context *context, const repack_problem *p); /* NULL = refused */
void repack_search_end(repack_search *q);
/* The node stays from now on. */
bool repack_search_keep(repack_search *q, uint32_t node);
/* Goes on for so many steps of work with at most so many evictions, from the best plan so far; `last`: each node is looked at
 * once more, however many there are. false = refused. */
bool repack_search_run(repack_search *q, uint64_t most, uint64_t steps, bool last);
/* Whether as many pods may move, since the last run, as there are on all nodes. */
bool repack_search_may_all_go(const repack_search *q);
/* Every node replaced, where so many pods may move: a packing of its own, which is the plan when it is better. false = refused. */
bool repack_search_everything(repack_search *q, uint64_t steps);
/* Makes this the best plan of the last run. false = refused. */
bool repack_search_take(repack_search *q, const repack_plan *plan);
uint64_t repack_search_work(const repack_search *q);
double repack_search_saving(const repack_search *q); /* $/h, of the best plan of the last run */
/* A copy of the best plan of the last run. false = refused. */
bool repack_search_plan(const repack_search *q, repack_plan *out);

/* Efforts at which the search is done, so that more effort has done all that less has: 1, 2 or 5 times a power of ten; where there
 * are many nodes, only powers of ten. Below the first, looking at each node would be all that is done. */
uint64_t repack_first_effort(uint32_t nodes);
uint64_t repack_next_effort(uint32_t nodes, uint64_t effort);

#endif
