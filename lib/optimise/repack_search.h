/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the nodes to remove and new places for their pods: free space on nodes that stay, or new nodes. Works on
 * numbers alone, as packing.h does. The search is a fixed sequence of moves, so that equal work gives equal plans.
 */
#pragma once

#include <optimise/packing.h>

/* A node that may be removed. */
typedef struct repack_node {
    uint32_t host; /* its number as a host that can receive pods; UINT32_MAX = it cannot */
    uint32_t pool; /* the NodePool whose budget it counts against */
    double price;
    const packing_entry *entries; /* its pods */
    uint32_t entry_count, evictions;
} repack_node;

/* The caller owns the arrays. */
typedef struct repack_problem {
    packing_problem launches; /* counts: all movable pods */
    uint32_t host_count, node_count;
    const int64_t *left; /* [host * dims]: free capacity of existing nodes */
    const uint64_t *host_allowed; /* [class * bits_words(host_count)]: hosts that can receive the class */
    const bool *alone; /* by class: a host can receive at most one copy */
    const repack_node *nodes;
    const uint32_t *node_of_host; /* UINT32_MAX = not a candidate */
    double per_eviction; /* cost of moving a pod in the search, slightly above 0 at least */
} repack_problem;

/* Pods that are moved to a host. */
typedef struct repack_put {
    uint32_t host, class_, copies;
} repack_put;

typedef struct repack_plan {
    LIST_OF(uint32_t) removed; /* node numbers, ascending */
    LIST_OF(repack_put) puts;
    packing_bins bins; /* launches */
    double saving; /* $/h */
    uint64_t evictions;
} repack_plan;

void repack_plan_free(karp_context *context, repack_plan *p);

typedef struct repack_search repack_search;

repack_search *repack_search_begin(karp_context *context, const repack_problem *p); /* NULL = out of memory */
void repack_search_end(repack_search *q);
/* Excludes the node from removal from now on. */
bool repack_search_keep(repack_search *q, uint32_t node);
/* Continues from the best plan so far, with at most `most` evictions, for so many steps of work. `last`: visits each
 * node once more, whatever the number of nodes. false = out of memory. */
bool repack_search_run(repack_search *q, uint64_t most, uint64_t steps, bool last);
/* Whether the limit of the last run allows all pods to be moved. */
bool repack_search_may_all_go(const repack_search *q);
/* Considers replacing every node, if the limit allows it: a packing of all pods, which becomes the plan if it is
 * better. false = out of memory. */
bool repack_search_everything(repack_search *q, uint64_t steps);
/* Makes this plan the best one of the last run. false = out of memory. */
bool repack_search_take(repack_search *q, const repack_plan *plan);
uint64_t repack_search_work(const repack_search *q);
double repack_search_saving(const repack_search *q); /* $/h, for the best plan of the last run */
/* Copies the best plan of the last run. false = out of memory. */
bool repack_search_plan(const repack_search *q, repack_plan *out);

/* Efforts at which results are taken, so that a search with more effort includes the results of those with less: 1, 2
 * or 5 times a power of ten; with many nodes only powers of ten. Below the first effort a search could not visit each
 * node. */
uint64_t repack_first_effort(uint32_t nodes);
uint64_t repack_next_effort(uint32_t nodes, uint64_t effort);
