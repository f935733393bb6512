/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, from their launch to their end. */
#pragma once

#include <replay/common.h>

typedef struct replay_node {
    /* Members that loops over all nodes read come first, close together. */
    double price; /* per hour */
    uint64_t listed; /* the number of the last listing of candidates that it is in */
    int64_t ready_at, last_event, nominated_until; /* KARP_NO_TIME = it was not nominated */
    uint32_t pool_number;
    uint32_t kind; /* nodes of the same kind admit the same pods */
    uint32_t first_pod, pod_count;
    uint32_t scheduled; /* its number for kube-scheduler; REPLAY_NONE = it has not joined */
    bool ready, deleting, gone, tainted;
    bool initializing; /* it takes pods, and Karpenter has not initialised it */
    bool failed, silent, unready, evicts; /* engine_health.h: its kubelet is silent; pods are not ready; NoExecute */
    bool executes; /* has a NoExecute taint */
    bool consolidatable, drifted; /* conditions of its claim */
    bool nominated; /* for pods: no pass selects it. Until then, as reviewed last (disrupt_conditions()) */
    bool unmanaged; /* has no NodeClaim */
    bool given; /* one of the objects: the snapshot contains it already, and it never changes */
    bool dirty, claim_in_snapshot, node_in_snapshot;
    bool shown_disrupted; /* the Node in the snapshot has the disruption taint */
    bool shown_unready, shown_evicts; /* likewise */
    int64_t free[RESOURCES_MOST], allocatable[RESOURCES_MOST];
    int64_t created, deleted_at, gone_at;
    arena memory; /* of the members below, until the node ends */
    karp_str name;
    karp_str pool, instance_type, zone, capacity_type; /* interned */
    const karp_label *labels; /* of the Node */
    const karp_label *annotations;
    const karp_taint *taints, *startup_taints;
    const karp_taint *node_taints; /* of the Node: also those of a node that has failed */
    size_t node_taint_count;
    int64_t health_since,
        stuck_until; /* stuck_until: pods that were deleted while it was silent; KARP_NO_TIME = none */
    const karp_resource *capacity, *resources; /* resources: allocatable */
    size_t label_count, annotation_count, taint_count, startup_taint_count, capacity_count, resource_count;
    karp_node_class_ref node_class;
    int64_t expire_after, termination_grace_period;
    uint64_t serial; /* sequence number of the launch, which also selects its random events */
    int64_t drifted_at; /* when its drift was detected */
    karp_str drift_reason; /* of the condition; interned */
    int64_t billed; /* start of its costs: its launch, or the start of the replay */
    double list_price; /* per hour, before NodeOverlays */
    double idle; /* dollars spent on unrequested capacity */
    int64_t idle_until;
} replay_node;

/* Nodes with equal labels (except hostnames) and equal taints. */
typedef struct replay_kind {
    const karp_label *labels;
    const karp_taint *taints;
    size_t label_count, taint_count;
} replay_kind;

typedef struct replay_pool {
    karp_str name;
    int64_t window; /* consolidateAfter, or KARP_DURATION_NEVER */
    bool when_empty; /* consolidationPolicy WhenEmpty */
    bool is_static; /* has replicas */
    bool limited; /* has limits */
} replay_pool;

struct replay_nodes {
    replay_node *list;
    size_t count, capacity, given_count; /* given_count: those from the objects */
    io_table index; /* by name */
    uint64_t next_serial;
    uint32_t *alive; /* numbers of the nodes that have not ended */
    size_t alive_count, alive_capacity;
    uint32_t *drains; /* nodes that are being deleted, and some that are gone */
    size_t drain_count, drain_capacity;
    size_t draining; /* nodes that are being deleted and still have pods */
    bool fresh; /* a node became ready at this time */
    replay_kind *kinds;
    size_t kind_count, kind_capacity;
    io_table kind_index;
    io_table pool_index; /* by name */
    replay_pool *pools;
    size_t pool_count, pool_capacity;
};

/* REPLAY_NONE = the cloud has no suitable machine now. */
uint32_t node_start(engine *e, const karp_decision *d, const karp_launch *launch);
uint32_t node_launch(engine *e, const karp_launch *launch, const int64_t amounts[RESOURCES_MOST]);
/* Adds an existing node. The caller must set its state and then call node_begin(). REPLAY_NONE = a failure. */
uint32_t node_add(engine *e, const karp_launch *launch, karp_str name);
void node_begin(engine *e, uint32_t node);
/* The requests of the pods for which the decision makes the launch. */
void launch_amounts(const engine *e, const karp_decision *d, const karp_launch *launch, int64_t out[RESOURCES_MOST]);
void node_ready(engine *e, uint32_t node);
void node_initialized(engine *e, uint32_t node);
void node_delete(engine *e, uint32_t node); /* starts to drain it */
/* The taints of the Node have changed, because it has failed or is back. */
void node_retaint(engine *e, uint32_t node);
void node_kill(engine *e, uint32_t node); /* the machine ends, together with its pods */
void node_empty(engine *e, uint32_t node); /* likewise, after all its pods were evicted */
/* A node of the objects that only runs pods; `name` must stay valid. */
uint32_t node_given(engine *e, karp_str name);
void node_interrupt(engine *e, uint32_t node);
double node_interruptions(const engine *e,
                          uint32_t node); /* that its rate lets expect in an hour; 0 = it is no spot node */
static inline bool node_takes_pods(const replay_node *n) /* of kube-scheduler */
{
    return n->ready && !n->gone && !n->deleting && !n->tainted;
}
/* What DaemonSets and others that are not pods of the replay use of the node, by resource. */
void node_reserved(const engine *e, const replay_node *n, int64_t out[RESOURCES_MOST]);
/* Pods are on their way to it: as Karpenter does for 20 s after it planned them there at this time. */
void node_nominate(engine *e, uint32_t node, int64_t planned);
/* Likewise for pods that have waited since `planned`: Karpenter plans them again every 10 s. */
void node_nominate_since(engine *e, uint32_t node, int64_t planned);
void node_touch(engine *e, uint32_t node); /* marks its row of the snapshot as changed */
void node_pod_event(engine *e, uint32_t node);
void node_drains(engine *e, uint32_t node); /* notes that it is being deleted */
void nodes_drain(engine *e);

/* ---- engine_adopt.c */
karp_status engine_adopt(engine *e); /* adds the nodes of the objects */
