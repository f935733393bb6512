/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view of a snapshot in which only one node can be disrupted, and in which the reasons that block its disruption
 * can be removed one by one.
 */
#pragma once

#include <karp/disrupt.h>
#include <model/snapshot.h>

typedef struct node_view {
    const karp_snapshot *snapshot;
    karp_snapshot view; /* free decisions on it first */
    arena data;
    paged pods; /* pods of the view; unchanged ones are shared with the snapshot */
    uint32_t node; /* state node */
    bool refused; /* an allocation failed while a reason was being removed */
} node_view;

/* All other nodes count as nominated: they cannot be disrupted, but can receive pods. false = out of memory. Call
 * node_view_free() in any case. */
bool node_view_init(node_view *v, const karp_snapshot *snapshot, uint32_t node);
void node_view_free(node_view *v);

/* Removes a reason that a disruption pass reported for the node. `pod_number` is the pod that it is about, or NO_ID.
 * false = not possible, or out of memory (`refused`). */
bool node_view_lift(node_view *v, uint32_t code, uint32_t pod_number);

/* Removes another node, so that decisions no longer include it. Not for nodes with pods that would have to be moved. */
void node_view_remove(node_view *v, uint32_t number);

/* The same for the nodes of the decision's commands. */
void node_view_remove_commands(node_view *v, const karp_decision *d);

/* The wait of consolidateAfter is over for all nodes of the NodePool. */
void node_view_lift_wait(node_view *v);
/* Takes limits from all NodePools; spread, affinity and anti-affinity from all pods (false = out of memory). */
void node_view_lift_limits(node_view *v);
bool node_view_lift_topology(node_view *v);
bool node_view_some_limits(const karp_snapshot *s);
bool node_view_some_topology(const karp_snapshot *s);

/* The first PodDisruptionBudget that selects the pod, without removed ones; NO_ID = none. */
uint32_t node_view_budget_of(const node_view *v, uint32_t pod_number);

/* The pod of the node that is named in a row's detail; NO_ID = the row is not about a pod. */
uint32_t node_view_pod_of(const karp_snapshot *s, uint32_t node_number, karp_str detail);
