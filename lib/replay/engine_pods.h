/* SPDX-License-Identifier: Apache-2.0 */
/* Pods: kube-scheduler, evictions, and what pods of one shape have in common. */
#pragma once

#include <replay/common.h>

typedef struct replay_shape {
    karp_pod pod; /* in the engine's memory */
    karp_str text; /* in the trace's memory */
    int64_t requests[RESOURCES_MOST];
    int32_t priority;
    bool plain; /* the engine itself can decide which nodes admit it; otherwise karp_provision() does */
    bool scheduled; /* lib/kube chooses its node: then it is plain */
    bool owned; /* a controller recreates an evicted pod */
    bool one_by_one; /* a StatefulSet deletes one after another */
    bool protected_; /* karpenter.sh/do-not-disrupt */
    uint8_t *admits; /* by kind of node: 0 = unknown, 1 = yes, 2 = no */
    size_t admit_capacity;
    uint32_t *takers; /* the nodes that took it when it was tried last */
    size_t taker_count, taker_capacity;
    uint64_t tried_freed; /* freed_forgotten + freed_count at that time; 0 = never tried */
    uint64_t *budgets; /* bit set: the budgets that select it; NULL = none */
    uint32_t group; /* the first shape with the same controller, or itself */
    uint32_t first_pod; /* that exists, of the group */
    uint32_t waiting; /* pods of the group that are pending */
    uint32_t first_held, last_held; /* of its held pods (engine_ordered.h); REPLAY_NONE = there are none */
    int64_t made_at; /* when its controller created pods last, and how many */
    uint32_t made;
    bool has_template; /* since the snapshot was built anew */
    uint32_t template_; /* its number in the snapshot and its edits, if there is one */
} replay_shape;

enum { POD_PENDING, POD_RUNNING, POD_GONE, POD_HELD };

typedef struct replay_pod {
    karp_str namespace_, name;
    int64_t created, waits_since, started, lasts;
    int64_t held_until; /* no attempt before; KARP_NO_TIME = it may be tried */
    uint32_t shape, node;
    uint32_t attempts; /* how often nodes have joined while it waited, and did not take it */
    uint32_t set; /* of a Deployment whose template changes */
    uint32_t meant; /* target of a repack plan; REPLAY_NONE = none */
    uint32_t next, before; /* list of the node's pods; next: also of held pods */
    uint32_t life; /* number of evictions: events of an earlier life are ignored */
    uint8_t state; /* POD_* */
    uint8_t wave; /* of the pods that its controller creates at one time */
    uint8_t errors; /* attempts of kube-scheduler without any node */
    bool ends_once; /* of a Job that makes another pod when it has failed */
    bool dirty, in_snapshot;
    uint32_t scheduled; /* its number for kube-scheduler; REPLAY_NONE = none */
    uint32_t next_alike, before_alike; /* list of the group's pods */
} replay_pod;

/* A node that takes a pod. */
typedef struct replay_candidate {
    int64_t score;
    uint32_t node;
} replay_candidate;

struct replay_pods {
    replay_shape *shapes;
    size_t shape_count;
    replay_pod *list;
    size_t count, capacity;
    const karp_selector **kept_away; /* of all required anti-affinity, also that of pods before a resumed replay */
    size_t kept_away_count;
    io_table groups; /* controller -> group of shapes */
    io_table index; /* "namespace/name" -> the newest pod with this name */
    uint64_t created; /* by the trace */
    uint32_t *pending; /* pods in the order in which they are tried; also some that have ended */
    size_t pending_count, pending_capacity;
    size_t complex_pending;
    size_t still_pending; /* how many pods of the list are pending */
    bool ordered; /* all priorities are equal, so `pending` is already sorted */
    size_t settled; /* so many pods of the list are not new */
    bool new_pending; /* pods were created at this time and not tried yet */
    bool try_again; /* pods are not held back any longer */
    int64_t try_due; /* the last EVENT_TRY */
    uint32_t *freed_nodes; /* nodes whose free capacity grew, oldest first; see freed_forgotten */
    size_t freed_count, freed_capacity;
    uint64_t freed_forgotten; /* 1 + how many older entries the list no longer has */
    uint64_t freed_settled; /* freed_forgotten + freed_count when all pending pods had been tried */
    replay_candidate *candidates; /* scratch space */
    size_t candidate_capacity;
    uint64_t listings; /* of candidates */
    uint32_t *ordered_groups; /* groups with held pods */
    size_t ordered_count, ordered_capacity;
    bool may_go_on; /* pods of groups have begun to run, or were deleted */
    int64_t left_at; /* when a pod left its node last before it had ended, and the group of that pod */
    int64_t joins_at; /* when several nodes joined last, and how many */
    uint32_t joining;
    bool joined; /* a node has joined, and not all pods have been tried since */
    uint32_t left_group, left; /* left: how many pods of the group have left their nodes at that time */
};

/* Why a pending pod of the shape has no node: the reason of its condition PodScheduled. Karpenter launches nothing for
 * gated pods. */
static inline const char *shape_waits(const replay_shape *s)
{
    return s->pod.gated ? "SchedulingGated" : "Unschedulable";
}

void pod_enter_name(engine *e, uint32_t pod); /* in the index, as the newest pod with its name */
uint32_t pod_of_event(engine *e, const trace_event *event); /* the pod that it names; REPLAY_NONE = there is none */
void pod_create(engine *e, const trace_event *event);
void pod_release(engine *e, uint32_t pod); /* a held one is created now */
void pod_delete(engine *e, const trace_event *event);
void pod_end(engine *e, uint32_t pod);
void pod_bind(engine *e, uint32_t pod, uint32_t node);
/* Removes the pod from its node. Its controller recreates it, or the pod is lost. */
void pod_evict(engine *e, uint32_t pod);
void node_freed(engine *e, uint32_t node); /* the node may take pods that it did not take before */
void nodes_tried(engine *e); /* all pending pods have been tried on the freed nodes */
void pods_settle(engine *e); /* kube-scheduler, at the end of each time */
/* Before a node joins: those go first that kube-scheduler tries first. */
void pods_order(engine *e);
/* Likewise, between this node, by its serial number, and the next one that joins at the same time. */
void pods_settle_joined(engine *e, uint64_t serial);
void pod_touch(engine *e, uint32_t pod); /* marks its row of the snapshot as changed */
