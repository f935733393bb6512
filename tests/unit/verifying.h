/* SPDX-License-Identifier: Apache-2.0 */
/* Plans written by hand against Snapshots written as YAML, and what the verifier finds. */
#ifndef UNIT_VERIFYING_H
#define UNIT_VERIFYING_H

#include "planning.h"

#define NODE(name, zone, cpu, more)                                                                                    \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {kubernetes.io/hostname: " name                 \
    ", topology.kubernetes.io/zone: " zone "}}, "                                                                      \
    "spec: {" more "}, status: {capacity: {cpu: '" cpu "', memory: 64Gi, pods: '10'}, allocatable: {cpu: '" cpu        \
    "', memory: 64Gi, pods: '10'}}}\n"
#define RUNNING(name, node, labels, more)                                                                              \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name ", labels: {" labels   \
    "}}, spec: {nodeName: " node ", containers: "                                                                      \
    "[{name: c, resources: {requests: {cpu: 100m}}}]" more "}, status: {phase: Running}}\n"
#define LABELLED(name, labels, more)                                                                                   \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name ", labels: {" labels   \
    "}}, spec: {containers: [{name: c, "                                                                               \
    "resources: {requests: {cpu: 1}}}]" more                                                                           \
    "}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n"
#define LAUNCH(pods, types, more)                                                                                      \
    "{\"id\":\"new-1\",\"nodePool\":\"default\",\"pods\":[" pods "],\"instanceTypes\":[" types                         \
    "],\"requirements\":[" more "]}"
#define ZONE_IN(zone) "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"" zone "\"]}"
#define BOTH SNAPSHOT("{}", TYPE("m", "1", ""))
#define A "\"default/a\""
#define B "\"default/b\""
#define AB A "," B
#define ANTI(key)                                                                                                      \
    ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " key               \
    ", labelSelector: {matchLabels: {app: x}}}]}}"
#define WITH(key)                                                                                                      \
    ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " key                   \
    ", labelSelector: {matchLabels: {app: x}}}]}}"
#define SPREAD(key)                                                                                                    \
    ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key                                                     \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: x}}}]"
#define PORT(name, number)                                                                                             \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    "}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}, "                                               \
    "ports: [{containerPort: 80, hostPort: " number                                                                    \
    ", protocol: TCP}]}]}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: "       \
    "Unschedulable}]}}\n"
#define DAEMON(cpu, port)                                                                                              \
    "- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: default}, spec: {selector: "              \
    "{matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, "                                               \
    "spec: {containers: [{name: c, resources: {requests: {cpu: " cpu "}}, ports: [{containerPort: 80, hostPort: " port \
    ", protocol: TCP}]}]}}}}\n"
#define DEVICE_DAEMON(cpu)                                                                                             \
    "- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: default}, spec: {selector: "              \
    "{matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, "                                               \
    "spec: {containers: [{name: c, resources: {requests: {cpu: " cpu                                                   \
    "}}}], resourceClaims: [{name: g, resourceClaimName: g}]}}}}\n"
#define PICKY_DAEMON(cpu, label)                                                                                       \
    "- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: default}, spec: {selector: "              \
    "{matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, "                                               \
    "spec: {containers: [{name: c, resources: {requests: {cpu: " cpu "}}}], nodeSelector: {" label "}}}}}\n"
#define SPOT "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"spot\"]}"
#define DEVICES SNAPSHOT("{ignoreDRARequests: false}", TYPE("m", "1", ""))
#define SOFT "{key: t, effect: PreferNoSchedule}"
#define HONOR                                                                                                          \
    ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "         \
    "DoNotSchedule, nodeTaintsPolicy: Honor, "                                                                         \
    "labelSelector: {matchLabels: {app: x}}}]"
#define ON_N1 SPREAD("topology.kubernetes.io/zone") ", nodeSelector: {kubernetes.io/hostname: n1}"
#define LEAVING                                                                                                        \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: n1, deletionTimestamp: "                        \
    "'2026-01-01T00:00:00Z', finalizers: [f], labels: "                                                                \
    "{karpenter.sh/nodepool: default}}, spec: {requirements: []}, status: {providerID: p1, nodeName: n1, conditions: " \
    "[{type: Launched, status: 'True'}, "                                                                              \
    "{type: Registered, status: 'True'}, {type: Initialized, status: 'True'}]}}\n"                                     \
    "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1, karpenter.sh/nodepool: " \
    "default, karpenter.sh/registered: 'true', "                                                                       \
    "karpenter.sh/initialized: 'true'}}, spec: {providerID: p1}, status: {capacity: {cpu: '4'}, allocatable: {cpu: "   \
    "'4'}}}\n"
#define BUDGET(spec)                                                                                                   \
    "- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: default}, spec: {" spec       \
    ", selector: {matchLabels: {app: x}}}}\n"
#define KARP "{\"profile\":\"karp\""
#define HEAD                                                                                                           \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- "                    \
    "instanceTypes:\n" TYPE("m", "1", "") "objects:\n"
#define OWN_POOL(more, spec, ready)                                                                                    \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {" more                          \
    "template: {spec: {nodeClassRef: "                                                                                 \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}" spec                                              \
    "}}}, status: {conditions: [{type: Ready, status: '" ready "'}, "                                                  \
    "{type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"

struct check {
    const char *world;
    const char *plan;
    const char *expected; /* "CODE object" a line, in order */
};

/* Reads both documents and verifies; writes what is found as a check expects it. */
karp_status findings(karp_context *context, const char *world, const char *plan, char *into, size_t room,
                     karp_error *error);
void verify_each(const struct check *list, size_t count);

#endif
