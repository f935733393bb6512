/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations of pods and nodes of Snapshots written as YAML, as lines of text to compare. */
#ifndef UNIT_EXPLAINING_H
#define UNIT_EXPLAINING_H

#include "planning.h"

#include <karp/disrupt.h>

#define HEAD                                                                                                           \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- "                    \
    "instanceTypes:\n" TYPE("m", "1", "") "objects:\n"
#define OWN_POOL(more, spec)                                                                                           \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {" more                          \
    "template: {spec: {nodeClassRef: "                                                                                 \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}" spec                                              \
    "}}}, status: {conditions: [{type: Ready, status: 'True'}, "                                                       \
    "{type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"
#define WITH(key)                                                                                                      \
    ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " key                   \
    ", labelSelector: {matchLabels: {app: x}}}]}}"
#define REQUIRED(expressions)                                                                                          \
    ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "                 \
    "[{matchExpressions: [" expressions "]}]}}}"
#define NODE(name, cpu, more)                                                                                          \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {kubernetes.io/hostname: " name                 \
    "}}, spec: {" more "}, "                                                                                           \
    "status: {capacity: {cpu: '" cpu "', memory: 64Gi, pods: '10'}, allocatable: {cpu: '" cpu                          \
    "', memory: 64Gi, pods: '10'}}}\n"
#define CLAIMED(name, conditions)                                                                                      \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name                                          \
    ", labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: m, "                                 \
    "topology.kubernetes.io/zone: a, karpenter.sh/capacity-type: on-demand}, creationTimestamp: "                      \
    "2026-05-01T00:00:00Z}, spec: {nodeClassRef: {group: karpenter.kwok.sh, "                                          \
    "kind: KWOKNodeClass, name: default}, requirements: []}, status: {providerID: p-" name                             \
    ", lastPodEventTime: 2026-05-31T23:59:00Z, conditions: [{type: Launched, status: 'True'}, "                        \
    "{type: Registered, status: 'True'}, {type: Initialized, status: 'True', lastTransitionTime: "                     \
    "2026-05-01T00:00:00Z}" conditions "]}}\n"                                                                         \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name                                                            \
    ", labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: m, "                                 \
    "topology.kubernetes.io/zone: a, karpenter.sh/capacity-type: on-demand, kubernetes.io/hostname: " name             \
    ", karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}}, "                                          \
    "spec: {providerID: p-" name "}, status: {capacity: {cpu: '4', memory: 16Gi, pods: '10'}, allocatable: {cpu: "     \
    "'4', memory: 16Gi, pods: '10'}}}\n"
#define RUNNING(name, node, cpu, annotations)                                                                          \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    ", labels: {app: x}, annotations: {" annotations "}, ownerReferences: [{apiVersion: "                              \
    "apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}, spec: {nodeName: " node                          \
    ", containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}, "                                              \
    "status: {phase: Running, startTime: 2026-05-31T23:00:00Z}}\n"
#define PDB                                                                                                            \
    "- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: p, namespace: default}, spec: {selector: "  \
    "{matchLabels: {app: x}}, maxUnavailable: 1}, "                                                                    \
    "status: {disruptionsAllowed: 0}}\n"
#define CONSOLIDATABLE ", {type: Consolidatable, status: 'True'}"

struct explained {
    const char *world, *expected;
};

/* "CHANGES KIND text -> node|type,zone,price" a line: the remedies of a pod. Options may be NULL. */
karp_status remedies(karp_context *context, const char *world, const karp_options *options, const char *pod, char *into,
                     size_t room, karp_error *error);
/* Those of "default/a", in each world. */
void explain_pods(const struct explained *list, size_t count);

/* "CODE detail until TIME" a line for each blocker, then "move of …"; "goes" for a node that goes. Options may be NULL.
 */
karp_status node_lines(karp_context *context, const char *world, const karp_disrupt_options *options, const char *node,
                       char *into, size_t room, karp_error *error);
/* Those of "n1", in each world. */
void explain_nodes(const struct explained *list, size_t count, const karp_disrupt_options *options);

#endif
