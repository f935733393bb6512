/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of nodes whose kubelet is silent or not ready, and of pods on nodes with NoExecute taints. */
#pragma once

#include <karp/objects.h>
#include <stdbool.h>

enum { KUBE_NODE_READY, KUBE_NODE_NOT_READY, KUBE_NODE_UNKNOWN };

/* Names the taint of nodes that are not ready, or unknown. */
#define KUBE_TAINT_NOT_READY "node.kubernetes.io/not-ready"
#define KUBE_TAINT_UNREACHABLE "node.kubernetes.io/unreachable"

/* The node lifecycle controller looks at all nodes so often, in nanoseconds. */
#define KUBE_NODE_PERIOD INT64_C(5000000000)

typedef struct kube_watched_node {
    uint32_t reported; /* KUBE_NODE_*: as its kubelet said last */
    int64_t lease; /* renewed last by the kubelet */
    uint32_t zone;
    uint32_t state; /* KUBE_NODE_*: with what the controller makes of silence; begins as reported */
    uint32_t evicts; /* KUBE_NODE_* whose taint NoExecute it has; KUBE_NODE_READY = none */
    int64_t seen_lease, seen_at; /* the lease that the controller knows, and since when */
} kube_watched_node;

/* When each zone may taint another node: as many as there are zones. */
typedef struct kube_watched_zone {
    int64_t taints_at;
} kube_watched_zone;

/* The kubelet of a node has said something: its taint NoSchedule is of this state at once. */
void kube_node_reports(kube_watched_node *n, uint32_t reported);
/* A look of the controller, which changes states and taints. */
void kube_watch_nodes(kube_watched_node *nodes, size_t count, kube_watched_zone *zones, size_t zone_count, int64_t now);

/* When a pod on a node with these NoExecute taints is deleted, if it was to be deleted at `due` before; KARP_NO_TIME =
 * never. A timer that runs is not set anew, but stopped when nothing limits the pod's stay any more. */
int64_t kube_taint_evicts(const karp_taint *taints, size_t taint_count, const karp_toleration *tolerations,
                          size_t count, int64_t due, int64_t now);
