/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a picture of a decision: two rows of nodes, before and after, and the pods on them by workload. */
#ifndef IO_SCENE_H
#define IO_SCENE_H

#include <io/table.h>

#include "write_decision.h"

typedef enum node_fate { FATE_STAYS, FATE_RECEIVES, FATE_NEW, FATE_REPLACED, FATE_GONE, FATE_REPLACES } node_fate;

/* Pods of one workload on one node. Pods that leave the node or arrive on it have a run of their own. */
typedef struct scene_run {
    uint32_t workload;
    uint32_t pods;
    bool moved;
    double cpu, memory; /* of all these pods: cores, bytes */
} scene_run;

/* A node, or `copies` nodes that differ only in their names and pods. Amounts are sums over all of them. */
typedef struct scene_node {
    node_fate fate;
    karp_str name, node_pool, instance_type, zone, capacity_type;
    double price; /* per hour */
    double idle; /* the part of the price that remains after the larger of the requested shares of CPU and memory */
    double cpu, memory; /* allocatable: cores, bytes */
    double cpu_used, memory_used;
    karp_str
        scarce; /* an extended resource that its pods request: "nvidia.com/gpu"; "" = none, or it is an existing node */
    double scarce_used, scarce_all;
    double daemon_cpu, daemon_memory; /* requests of daemons, which are not in the runs */
    bool cordoned;
    uint32_t pods;
    uint32_t copies;
    uint32_t kept; /* KARP_REASON_*: why the disruption keeps it; 0 = no reason is given */
    karp_str kept_detail;
    scene_run *runs;
    size_t run_count;
} scene_node;

typedef struct scene_lane {
    scene_node *nodes;
    size_t count;
    size_t node_total; /* before folding */
    size_t left_out; /* nodes that are not shown */
    double cpu, cpu_used, memory, memory_used;
    double idle; /* per hour */
    size_t pods;
} scene_lane;

/* The requests of an owner's pods on the nodes after the decision, and the cost of this part of the nodes. */
typedef struct scene_share {
    uint32_t pods;
    double cpu, memory; /* cores, bytes */
    double cost, idle; /* per hour; `idle` is the part of it that no pod requests */
} scene_share;

typedef struct scene_workload {
    karp_str name; /* "namespace/name" */
    double cpu; /* sum over both lanes, without daemons */
    double running; /* the part of it in the lane before */
    uint32_t rank; /* 0 = the largest */
    uint32_t colour; /* SCENE_COLOURS = the colour of all other workloads */
    scene_share share;
} scene_workload;

typedef struct scene {
    arena arena; /* memory of everything below */
    scene_lane before, after;
    scene_workload *workloads;
    size_t workload_count;
    const void **owners; /* workloads that have pods afterwards, by decreasing cost */
    size_t owner_count;
    scene_share daemons, nobody; /* nobody: nodes without requests */
} scene;

/* If there are more nodes than SCENE_MOST_NODES, they are grouped by fate, pool, type, zone and capacity type. Groups
 * beyond SCENE_MOST_GROUPS are left out. */
enum { SCENE_MOST_NODES = 60, SCENE_MOST_GROUPS = 120, SCENE_COLOURS = 10 };

/* scene_colours.c: assigns colours; workloads must have their ranks. */
void scene_give_colours(scene *s);

/* Collects the scene of the job's plan (NULL = none) and disruption (NULL = none). Call scene_free() also after a
 * failure. */
karp_status scene_collect(scene *s, const write_job *job, const karp_decision *plan, const karp_decision *disruption);
void scene_free(scene *s);
static inline double scene_part(double amount, double whole) { return whole > 0 ? amount / whole : 0; }
/* scene_fold.c: computes the sums of a lane and the idle cost of its nodes; then merges similar nodes to one box.
 * false = out of memory. */
void scene_add_up(scene_lane *lane);
bool scene_fold(scene *s, scene_lane *lane, karp_context *context);
/* scene_shares.c: computes the shares. Call it after scene_add_up() and before scene_fold(). false = out of memory. */
bool scene_share_costs(scene *s, karp_context *context);

#endif
