/* SPDX-License-Identifier: Apache-2.0 */
/* The clusters of the tests of callers. */
#ifndef ABI_CALLERS_WORLD_H
#define ABI_CALLERS_WORLD_H

#include <abi/callers.h>

#include <karp/io.h>
#include <karp/karp.h>

#define POOL(name, weight)                                                                                             \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name "}, spec: {weight: " weight ",\n"           \
    " disruption: {consolidateAfter: 0s, consolidationPolicy: WhenEmptyOrUnderutilized, budgets: [{nodes: 9}]},\n"     \
    " template: {spec: {expireAfter: Never, nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: d},\n"  \
    " requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]},\n"                    \
    " {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}}}}\n---\n"
#define LABELS                                                                                                         \
    " labels: {karpenter.sh/nodepool: p, node.kubernetes.io/instance-type: m5.xlarge,\n"                               \
    " topology.kubernetes.io/zone: us-west-2a, karpenter.sh/capacity-type: on-demand, kubernetes.io/os: linux,\n"      \
    " kubernetes.io/arch: amd64, karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}"
#define AMOUNTS "capacity: {cpu: 4, memory: 16Gi, pods: 50}, allocatable: {cpu: 4, memory: 15Gi, pods: 50}"
#define NODE(name)                                                                                                     \
    "{apiVersion: v1, kind: Node, metadata: {name: " name "," LABELS "}, spec: {providerID: 'x://" name "'},\n"        \
    " status: {" AMOUNTS ", conditions: [{type: Ready, status: 'True'}]}}\n---\n"
#define CLAIM(name)                                                                                                    \
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c-" name "," LABELS "},\n"                        \
    " spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}},\n"                                \
    " status: {nodeName: " name ", providerID: 'x://" name "', " AMOUNTS ",\n"                                         \
    " conditions: [{type: Launched, status: 'True'}, {type: Registered, status: 'True'},\n"                            \
    " {type: Initialized, status: 'True'}, {type: Consolidatable, status: 'True'}]}}\n---\n"
#define POD(node, annotations)                                                                                         \
    "{apiVersion: v1, kind: Pod, metadata: {name: on-" node ", annotations: {" annotations "},\n"                      \
    " ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u, controller: true}]},\n"             \
    " spec: {nodeName: " node ", containers: [{name: c, resources: {requests: {cpu: 1}}}]},\n"                         \
    " status: {phase: Running}}\n---\n"
#define WAITING                                                                                                        \
    "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {scheduling.x-k8s.io/pod-group: g}},\n"                   \
    " spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}], topologySpreadConstraints:\n"                   \
    " [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}]}}\n---\n"                 \
    "{apiVersion: v1, kind: Pod, metadata: {name: b},\n"                                                               \
    " spec: {containers: [{name: c}], volumes: [{name: v, persistentVolumeClaim: {claimName: nowhere}}]}}\n"

/* Two nodes whose pods fit on one, and one that a pod keeps. */
static const char of_nodes[] = POOL("p", "10") NODE("n1") CLAIM("n1") POD("n1", "") NODE("n2") CLAIM("n2") POD("n2", "")
    NODE("n3") CLAIM("n3") POD("n3", "karpenter.sh/do-not-disrupt: 'true'");
/* A pod that either pool takes, and one whose volume claim does not exist; claims are not assumed beside a class. */
static const char of_pods[] = POOL("p", "10")
    POOL("q", "5") "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, provisioner: "
                   "ebs.csi.aws.com}\n---\n" WAITING;

static inline karp_snapshot *read_text(karp_context *context, const char *text, size_t length)
{
    const karp_reader_options options = { .size = sizeof options, .queued = 1 };
    karp_reader *reader = NULL;
    karp_snapshot *made = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_reader_new(context, &options, &reader, NULL), KARP_OK);
    if (karp_reader_add(reader, (karp_str)T("text"), (karp_str){ text, length }, &error) != KARP_OK ||
        karp_reader_finish(reader, &made, &error) != KARP_OK)
        fail_msg("%s", error.message);
    karp_reader_free(reader);
    return made;
}

#endif
