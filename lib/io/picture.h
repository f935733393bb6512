/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a picture of a decision: two rows of nodes, before and after, and the pods on them by workload. */
#pragma once

#include <io/table.h>

#include "write_decision.h"
#include <karp/columns.h>

typedef enum node_fate { FATE_STAYS, FATE_RECEIVES, FATE_NEW, FATE_REPLACED, FATE_GONE, FATE_REPLACES } node_fate;

/* Pods of one workload on one node. Pods that leave the node or arrive on it have a run of their own. */
typedef struct picture_run {
    uint32_t workload;
    uint32_t pods;
    bool moved;
    double cpu, memory; /* of all these pods: cores, bytes */
} picture_run;

/* A node, or `copies` nodes that differ only in their names and pods. Amounts are sums over all of them. */
typedef struct picture_node {
    node_fate fate;
    karp_str name, node_pool, instance_type, zone, capacity_type;
    double price; /* per hour */
    double idle; /* the part of the price that remains after the larger of the requested shares of CPU and memory */
    double cpu, memory; /* allocatable: cores, bytes */
    double cpu_used, memory_used;
    /* an extended resource that its pods request: "nvidia.com/gpu"; "" = none, or it is an existing node */
    karp_str scarce;
    double scarce_used, scarce_all;
    double daemon_cpu, daemon_memory; /* requests of daemons, which are not in the runs */
    bool cordoned;
    uint32_t pods;
    uint32_t copies;
    uint32_t kept; /* KARP_REASON_*: why the disruption keeps it; 0 = no reason is given */
    karp_str kept_detail;
    picture_run *runs;
    size_t run_count;
} picture_node;

typedef struct picture_row {
    picture_node *nodes;
    size_t count;
    size_t node_total; /* before folding */
    size_t left_out; /* nodes that are not shown */
    double cpu, cpu_used, memory, memory_used;
    double idle; /* per hour */
    size_t pods;
} picture_row;

/* The requests of an owner's pods on the nodes after the decision, and the cost of this part of the nodes. */
typedef struct picture_share {
    uint32_t pods;
    double cpu, memory; /* cores, bytes */
    double cost, idle; /* per hour; `idle` is the part of it that no pod requests */
} picture_share;

typedef struct picture_workload {
    karp_str name; /* "namespace/name" */
    double cpu; /* sum over both rows, without daemons */
    double running; /* the part of it in the row before */
    uint32_t rank; /* 0 = the largest */
    uint32_t colour; /* PICTURE_COLOURS = the colour of all other workloads */
    picture_share share;
} picture_workload;

typedef struct picture {
    arena arena; /* memory of everything below */
    picture_row before, after;
    picture_workload *workloads;
    size_t workload_count;
    const void **owners; /* workloads that have pods afterwards, by decreasing cost */
    size_t owner_count;
    picture_share daemons, nobody; /* nobody: nodes without requests */
} picture;

/* If there are more nodes than PICTURE_MOST_NODES, they are grouped by fate, pool, type, zone and capacity type. Groups
 * beyond PICTURE_MOST_GROUPS are left out. */
enum { PICTURE_MOST_NODES = 60, PICTURE_MOST_GROUPS = 120, PICTURE_COLOURS = 10 };

/* Collects the picture of the job's plan (NULL = none) and disruption (NULL = none). Call picture_free() also after a
 * failure. */
karp_status picture_collect(picture *s, const write_job *job, const karp_decision *plan,
                            const karp_decision *disruption);
void picture_free(picture *s);
static inline double picture_part(double amount, double whole) { return whole > 0 ? amount / whole : 0; }
/* picture_fold.c: computes the sums of a row and the idle cost of its nodes; then merges similar nodes to one box.
 * false = out of memory. */
void picture_add_up(picture_row *row);
bool picture_fold(picture *s, picture_row *row, karp_context *context);

/* ---- picture_workloads.c ----------------------------------------------------------------------------------------- */

/* Columns of KARP_TABLE_SNAPSHOT_PODS, borrowed from the table. */
typedef struct picture_owners {
    karp_column space, kind, name;
} picture_owners;

karp_status picture_owners_open(picture_owners *o, karp_table *pods);

/* Whether the pod belongs to a DaemonSet or is a static pod of a node. */
bool picture_of_daemon(const picture_owners *o, size_t pod);

/* The workload under the name that users know, the Deployment's and not its ReplicaSet's: "namespace/workload", in
 * `room` or borrowed from `pod_name` ("namespace/name"). Out of memory is recorded only in `room`. */
karp_str picture_workload_of(const picture_owners *o, size_t pod, karp_str pod_name, strbuf *room);

/* Chooses colours by the workloads' names, so that pages about designs of one cluster use the same colours. Workloads
 * must have their ranks. */
void picture_give_colours(picture *s);
/* Computes the shares. Call it after picture_add_up() and before picture_fold(). false = out of memory. */
bool picture_share_costs(picture *s, karp_context *context);
