/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot in which one node alone may be disrupted, and in which what keeps it can be taken away, bit by bit. */
#ifndef EXPLAIN_NODE_VIEW_H
#define EXPLAIN_NODE_VIEW_H

#include <karp/disrupt.h>
#include <model/snapshot.h>

typedef struct node_view {
    const karp_snapshot *snapshot;
    karp_snapshot view; /* decisions on it must be gone before it is freed */
    arena data;
    paged pods; /* the view's; shared with the snapshot but for those that were changed */
    uint32_t node; /* state node */
    bool refused; /* memory, when a reason was to be taken away */
} node_view;

/* Every other node counts as nominated, which keeps it but leaves it open to pods. false = out of memory. To be freed in any
 * case. */
bool node_view_init(node_view *v, const karp_snapshot *snapshot, uint32_t node);
void node_view_free(node_view *v);

/* Takes a reason away that a pass gave for the node; `pod_number` is the pod that it is about, or NO_ID. false = that cannot be
 * done, or memory was `refused`. */
bool node_view_lift(node_view *v, uint32_t code, uint32_t pod_number);

/* Another node is gone: nothing that is decided counts it any more. Not for nodes with pods that would have to move. */
void node_view_remove(node_view *v, uint32_t number);

/* The first PodDisruptionBudget that covers the pod; NO_ID = none. Those that were lifted do not count. */
uint32_t node_view_budget_of(const node_view *v, uint32_t pod_number);

/* The pod of the node that a row's detail names; NO_ID where the row is not about a pod. */
uint32_t node_view_pod_of(const karp_snapshot *s, uint32_t node_number, karp_str detail);

#endif
