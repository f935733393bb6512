/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a round notes of each workload of a queue, for karp_admit(): a workload is a group of pods with everything below
 * it. gang_loop.c places them in the order of the queue, and asks each of them for all flavours.
 */
#pragma once

#include <schedule/common.h>

/* Nodes that are alike in some labels: those that exist, and those that could be launched. */
typedef struct flavour {
    uint32_t pool, zone, capacity_type, reservation; /* text ids; NO_ID = nodes without, or not told apart by it */
    bool launches; /* nodes of it can be launched */
    struct gang_domain *domain; /* its nodes: gang_domains.h */
} flavour;

/* A workload at its turn: with all nodes, or with those of one flavour. */
typedef struct workload_try {
    bool starts; /* its minimum is met; of pods that are placed one by one: all are placed */
    uint32_t placed, waiting; /* pods with a place; those of them that wait for a node that is not ready */
    uint32_t launches; /* nodes that are launched for it */
    double cost; /* of these, $/h */
    const char *why; /* why it does not start, as far as its own group says; "" = nothing is known */
} workload_try;

enum { MOST_RESOURCE_FLAVORS = 64 };

/* A workload with one ResourceFlavor of Kueue alone. */
typedef struct resource_try {
    uint32_t flavor; /* text id of its name */
    workload_try at;
} resource_try;

typedef struct queued {
    /* set by the caller */
    bool waits; /* it has a turn */
    bool asked; /* flavours are tried for it, if they are wanted */
    bool alone; /* the round only finds out whether it starts if nothing of the queue is placed before it */
    bool whole; /* all of its pods have to be placed, although its group places them one by one */
    /* results */
    bool tried, starts_alone;
    bool offered; /* of a capacity buffer: some NodePool has an offering for its pods, available or not */
    workload_try now;
    workload_try *flavours;
    resource_try *resources; /* by ResourceFlavor of its queue, in the order in which they are tried */
    uint32_t resource_count;
    uint32_t left; /* a pod that had no place when it was tried; NO_ID = not known */
} queued;

/* Belongs to the caller, and lives as long as the scheduler uses it. */
struct workloads {
    queued *items; /* by group; of a workload the topmost */
    uint32_t by; /* KARP_FLAVOUR_*, ored: what tells flavours apart; 0 = there are none */
    bool alone; /* this round is about the workloads that are to be tried alone */
    arena *data; /* for flavours and texts */
    flavour *flavours; /* found when they are first needed */
    uint32_t flavour_count;
    bool found;
};

void scheduler_set_workloads(scheduler *s, struct workloads *w);
/* Finds out whether some NodePool has an offering that is compatible with the pod, available or not, and of a type that
 * is large enough for it. Limits, other pods and DaemonSets do not count. false = out of memory. */
bool scheduler_is_offered(scheduler *s, uint32_t pod_number, bool *offered);
/* Finds the flavours. false = out of memory. */
bool workloads_find_flavours(scheduler *s);
