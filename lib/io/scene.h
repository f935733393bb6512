/* SPDX-License-Identifier: Apache-2.0 */
/* What a picture of a decision shows: two rows of nodes, before and after, and the pods on them by workload. */
#ifndef IO_SCENE_H
#define IO_SCENE_H

#include <io/table.h>

#include "write_decision.h"

typedef enum node_fate { FATE_STAYS, FATE_RECEIVES, FATE_NEW, FATE_REPLACED, FATE_GONE, FATE_REPLACES } node_fate;

/* Pods of one workload on one node, those that leave it or come to it apart from those that stay. */
typedef struct scene_run {
    uint32_t workload;
    uint32_t pods;
    bool moved;
    double cpu, memory; /* of all of them: cores, bytes */
} scene_run;

/* A node, or `copies` nodes that differ in nothing but their names and pods; amounts are those of all together. */
typedef struct scene_node {
    node_fate fate;
    karp_str name, node_pool, instance_type, zone, capacity_type;
    double price; /* per hour */
    double idle; /* the part of it that the larger of the shares of requested CPU and memory leaves */
    double cpu, memory; /* allocatable: cores, bytes */
    double cpu_used, memory_used;
    karp_str
        scarce; /* what only few types have and its pods ask for: "nvidia.com/gpu"; "" = nothing, or it is a node that exists */
    double scarce_used, scarce_all;
    double daemon_cpu, daemon_memory; /* the parts of what is used that are not in the runs */
    bool cordoned;
    uint32_t pods;
    uint32_t copies;
    uint32_t kept; /* KARP_REASON_*: why the disruption keeps it; 0 = nothing is said */
    karp_str kept_detail;
    scene_run *runs;
    size_t run_count;
} scene_node;

typedef struct scene_lane {
    scene_node *nodes;
    size_t count;
    size_t node_total; /* before folding */
    size_t left_out; /* nodes that are not shown at all */
    double cpu, cpu_used, memory, memory_used;
    double idle; /* per hour */
    size_t pods;
} scene_lane;

/* What somebody's pods request of the nodes afterwards, and what that part of the nodes costs. */
typedef struct scene_share {
    uint32_t pods;
    double cpu, memory; /* cores, bytes */
    double cost, idle; /* per hour; `idle` is the part of it that no pod requests */
} scene_share;

typedef struct scene_workload {
    karp_str name; /* "namespace/name" */
    double cpu; /* over both lanes, without daemons */
    double running; /* of it, before */
    uint32_t rank; /* 0 = the largest */
    uint32_t colour; /* SCENE_COLOURS = that of all other workloads */
    scene_share share;
} scene_workload;

typedef struct scene {
    arena arena; /* of everything */
    scene_lane before, after;
    scene_workload *workloads;
    size_t workload_count;
    const void **owners; /* workloads that have pods afterwards, the dearest first */
    size_t owner_count;
    scene_share daemons, nobody; /* nobody: nodes on which nothing is requested */
} scene;

/* More nodes than this are folded by fate, pool, type, zone and capacity type; more groups than the other left out. */
enum { SCENE_MOST_NODES = 60, SCENE_MOST_GROUPS = 120, SCENE_COLOURS = 10 };

/* scene_colours.c: once the workloads have their ranks. */
void scene_give_colours(scene *s);

/* Collects the scene of the job's plan (NULL = none) and disruption (NULL = none). Freed by scene_free(), also after a failure. */
karp_status scene_collect(scene *s, const write_job *job, const karp_decision *plan, const karp_decision *disruption);
void scene_free(scene *s);
static inline double scene_part(double amount, double whole) { return whole > 0 ? amount / whole : 0; }
/* scene_fold.c: the sums of a lane and the idle cost of its nodes; then one box for many of a kind. false = out of memory. */
void scene_add_up(scene_lane *lane);
bool scene_fold(scene *s, scene_lane *lane, karp_context *context);
/* scene_shares.c: the shares; the nodes have their idle cost and are not folded yet. false = out of memory. */
bool scene_share_costs(scene *s, karp_context *context);

#endif
