/* SPDX-License-Identifier: Apache-2.0 */
/* An attempt of a walk (repack_walk.h) as it is made: its steps, and what its launches and the nodes that stay have left. */
#ifndef OPTIMISE_REPACK_WALK_STATE_H
#define OPTIMISE_REPACK_WALK_STATE_H

#include <optimise/chance.h>
#include <optimise/repack_walk.h>

/* Pods that a step sends to a place: a host, or behind the hosts a launch. */
typedef struct put {
    uint32_t place, class_, copies;
} put;

typedef struct leg {
    uint32_t first_node, nodes, first_put, puts, first_bin, bins;
    uint64_t evictions;
    double saving;
} leg;

/* One attempt. */
typedef struct attempt {
    LIST_OF(uint32_t) order; /* nodes as they go */
    LIST_OF(put) puts;
    LIST_OF(uint32_t) bins; /* their offers */
    LIST_OF(leg) legs;
    double saving;
    uint64_t evictions;
} attempt;

struct repack_walk {
    karp_context *context;
    const repack_problem *p;
    const repack_pods *pods;
    const repack_limits *limits;
    packing *packing;
    arena data;
    uint64_t random, work, end, most;
    bool failed;
    attempt now, at_hand, best; /* now: the new one, which changes the one at hand */
    bool *fixed, *chosen; /* by node: it stays; it may go in the new attempt */
    double slack; /* dollars that an attempt may save less than the one at hand */
    uint32_t stale;
    int64_t *free; /* [place * dims] */
    size_t free_places;
    double *scale; /* by resource: 1 / what a launch has of it, about */
    uint32_t *waiting, waiting_count;
    uint32_t *demand, *rank; /* by class: pods without a place; classes, the largest first */
    packing_entry *wanted;
    step_budget budget; /* of the step that is being made */
    double part; /* of what it is worth that space costs in the new attempt */
    bool bins_first, per_pod;
    double larger; /* how much larger a launch may be than what it is for */
    int64_t *used; /* by resource */
};

/* These change the new attempt; false = refused, or there are too many launches. */
bool walk_put(repack_walk *w, uint32_t place, uint32_t c, uint32_t copies);
bool walk_launch(repack_walk *w, uint32_t offer, uint32_t *place);
void walk_take_back(repack_walk *w, size_t puts, size_t bins); /* to so many of them */
/* What removing these nodes at once comes to: *saving in dollars, and how good it is when space that it takes costs part of its worth.
 * The changes stay. */
double walk_try(repack_walk *w, const uint32_t *nodes, uint32_t count, double *saving);

#endif
