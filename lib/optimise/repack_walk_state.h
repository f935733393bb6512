/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attempt that a walk (repack_walk.h) is building: its steps, and the free capacity of its launches and of nodes
 * that stay.
 */
#pragma once

#include <optimise/chance.h>
#include <optimise/repack_walk.h>

/* Pods that a step moves to a place: a host, or a launch (numbered after the hosts). */
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
    LIST_OF(uint32_t) order; /* nodes in the order of removal */
    LIST_OF(put) puts;
    LIST_OF(uint32_t) bins; /* offers of the launches */
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
    attempt now, at_hand, best; /* now: the attempt being built, a variation of at_hand */
    bool *fixed, *chosen; /* by node: it must stay; the new attempt may remove it */
    double slack; /* an attempt is accepted if it saves at most so many dollars less than at_hand */
    uint32_t stale;
    int64_t *free; /* [place * dims] */
    size_t free_places;
    double *scale; /* by resource: about 1 / the capacity of a launch */
    uint32_t *waiting, waiting_count;
    uint32_t *demand, *rank; /* by class: number of pods to place; classes, the largest first */
    packing_entry *wanted;
    step_budget budget; /* of the current step */
    double part; /* fraction of its worth that used space costs in the new attempt */
    bool bins_first, per_pod;
    double larger; /* how much larger than its contents a launch may be */
    int64_t *used; /* by resource */
};

/* These change the new attempt. false = out of memory, or there are too many launches. */
bool walk_put(repack_walk *w, uint32_t place, uint32_t c, uint32_t copies);
bool walk_launch(repack_walk *w, uint32_t offer, uint32_t *place);
void walk_take_back(repack_walk *w, size_t puts, size_t bins); /* truncates to so many of them */
/* The result of removing these nodes at once: *saving in dollars. Returns a score in which the space used costs
 * `part` of its worth. The changes are kept. */
double walk_try(repack_walk *w, const uint32_t *nodes, uint32_t count, double *saving);
