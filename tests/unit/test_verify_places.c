/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier on what pods find where they go: host ports, volumes, room beside daemons; and which pods have to go at
 * all. */
#include "verifying.h"

#define ON_NODE(pods) "\"placements\":[{\"node\":\"n1\",\"pods\":[" pods "]}]}"
#define PLACED(pods) "{" ON_NODE(pods)
#define LAUNCHED(pods, more) "{\"launches\":[" LAUNCH(pods, "\"m\"", more) "]}"
#define HERE BOTH NODE("n1", "a", "4", "")
#define PORT_OF(name, at, phase)                                                                                       \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name "}, spec: {" at        \
    "containers: [{name: c, resources: {requests: {cpu: 1}}, "                                                         \
    "ports: [{containerPort: 80, hostPort: 80, protocol: TCP}]}]}, status: " phase "}\n"
#define WAITS "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}"
#define IP_PORT(name, ip)                                                                                              \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    "}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}, "                                               \
    "ports: [{containerPort: 80, hostPort: 80, protocol: TCP, hostIP: '" ip "'}]}]}, status: " WAITS "}\n"
#define CLAIM(name, spec)                                                                                              \
    "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name ", namespace: default}, spec: {" spec     \
    "}, status: {phase: Bound}}\n"
#define VOLUME(name, terms)                                                                                            \
    "- {apiVersion: v1, kind: PersistentVolume, metadata: {name: " name                                                \
    "}, spec: {csi: {driver: d}, nodeAffinity: {required: {nodeSelectorTerms: [" terms "]}}}}\n"
#define CLASS(zone)                                                                                                    \
    "- {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, provisioner: d, volumeBindingMode: "   \
    "WaitForFirstConsumer, allowedTopologies: "                                                                        \
    "[{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [" zone "]}]}]}\n"
#define ZONE_TERM(zone) "{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [" zone "]}]}"
#define USES(first, second)                                                                                            \
    ", volumes: [{name: v, persistentVolumeClaim: {claimName: " first                                                  \
    "}}, {name: w, persistentVolumeClaim: {claimName: " second "}}]"
#define CSI(count)                                                                                                     \
    "- {apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: [{name: d, nodeID: n1, "   \
    "allocatable: {count: " count "}}]}}\n"
#define HOLDS(name, more)                                                                                              \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    "}, spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 100m}}}]" more                         \
    "}, status: {phase: Running}}\n"
#define TWO_ZONES                                                                                                      \
    CLAIM("c", "volumeName: v") CLAIM("e", "volumeName: w") VOLUME("v", ZONE_TERM("a")) VOLUME("w", ZONE_TERM("b"))
#define IN_ZONES(operator, values)                                                                                     \
    "{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"" operator"\",\"values\":[" values "]}"

/* ---- host ports -------------------------------------------------------------------------------------------------- */

static const struct check ports[] = {
    { HERE IP_PORT("a", "10.0.0.1") IP_PORT("b", "10.0.0.2"), PLACED(AB), "" },
    { HERE IP_PORT("a", "10.0.0.1") IP_PORT("b", "10.0.0.1"), PLACED(AB), "HOST_PORT pod default/b\n" },
    { HERE IP_PORT("a", "0.0.0.0") IP_PORT("b", "10.0.0.1"), PLACED(AB), "HOST_PORT pod default/b\n" },
    { HERE IP_PORT("a", "10.0.0.1") IP_PORT("b", "::"), PLACED(AB), "HOST_PORT pod default/b\n" },
    /* A text that is no address is like any other such text, and like no address. */
    { HERE IP_PORT("a", "here") IP_PORT("b", "there"), PLACED(AB), "HOST_PORT pod default/b\n" },
    { HERE IP_PORT("a", "here") IP_PORT("b", "10.0.0.1"), PLACED(AB), "" },
    /* against pods that run there; not against itself */
    { HERE PORT_OF("r", "nodeName: n1, ", "{phase: Running}") PORT_OF("a", "", WAITS), PLACED(A),
      "HOST_PORT pod default/a\n" },
    { HERE PORT_OF("a", "nodeName: n1, ", "{phase: Running}"), PLACED(A), "POD_NOT_PENDING pod default/a\n" },
};

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

static const struct check volumes[] = {
    /* a term that asks for nothing */
    { HERE CLAIM("c", "volumeName: v") VOLUME("v", "{}") POD("a", "1", USES_CLAIM), PLACED(A), "" },
    { HERE CLAIM("c", "volumeName: v") VOLUME("v", "{}, " ZONE_TERM("b")) POD("a", "1", USES_CLAIM), PLACED(A),
      "VOLUME pod default/a\n" },
    { HERE CLAIM("c", "volumeName: v") VOLUME("v", ZONE_TERM("b") ", " ZONE_TERM("a")) POD("a", "1", USES_CLAIM),
      PLACED(A), "" },
    /* Volumes in zones that exclude each other: Karpenter takes that for a wish that the label be absent. */
    { BOTH TWO_ZONES POD("a", "1", USES("c", "e")), LAUNCHED(A, IN_ZONES("NotIn", "\"c\"")), "VOLUME pod default/a\n" },
    { BOTH TWO_ZONES POD("a", "1", USES("c", "e")), LAUNCHED(A, IN_ZONES("In", "\"a\"")), "VOLUME pod default/a\n" },
    { BOTH TWO_ZONES POD("a", "1", USES("c", "e")), LAUNCHED(A, IN_ZONES("DoesNotExist", "")),
      "TYPE_REQUIREMENTS launch new-1\nTYPE_OFFERING launch new-1\n" },
    /* a volume that is yet to be made comes to be where its class allows it */
    { BOTH CLASS("a") CLAIM("c", "storageClassName: s") POD("a", "1", USES_CLAIM), LAUNCHED(A, IN_ZONES("In", "\"a\"")),
      "" },
    { BOTH CLASS("a") CLAIM("c", "storageClassName: s") POD("a", "1", USES_CLAIM), LAUNCHED(A, IN_ZONES("In", "\"b\"")),
      "VOLUME pod default/a\n" },
    /* how many can be attached: what has no object, no class or no driver counts for nothing */
    { HERE CSI("1") BOUND_CLAIM("a") HOLDS("r", "") POD("a", "1", USES_CLAIM), PLACED(A), "" },
    { HERE CSI("1") BOUND_CLAIM("a") HOLDS("r", USES_CLAIM) POD("a", "1", USES_CLAIM), PLACED(A),
      "" }, /* it is the same one */
    { HERE CSI("1") BOUND_CLAIM("a") CLAIM("e", "volumeName: w") VOLUME("w", ZONE_TERM("a")) HOLDS("r", USES_CLAIM)
          POD("a", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: e}}]"),
      PLACED(A), "VOLUME_LIMIT node n1\n" },
    { HERE CSI("1") BOUND_CLAIM("a") HOLDS("r", ", volumes: [{name: v, persistentVolumeClaim: {claimName: nowhere}}]")
          POD("a", "1", USES_CLAIM),
      PLACED(A), "" },
    { HERE CSI("1") BOUND_CLAIM("a") CLAIM("e", "storageClassName: nowhere")
          HOLDS("r", ", volumes: [{name: v, persistentVolumeClaim: {claimName: e}}]") POD("a", "1", USES_CLAIM),
      PLACED(A), "" },
    { HERE CSI("1") BOUND_CLAIM("a") CLAIM("e", "")
          HOLDS("r", ", volumes: [{name: v, persistentVolumeClaim: {claimName: e}}]") POD("a", "1", USES_CLAIM),
      PLACED(A), "" },
};

/* A pod that runs with a volume that is gone: Karpenter forgets its node, and without that quirk its volumes count for
 * nothing. */
#define GONE CLAIM("e", "volumeName: gone") CLAIM("f", "volumeName: gone-too")
static const struct check gone_volumes[] = {
    { HERE CSI("1") BOUND_CLAIM("a") GONE HOLDS("r", USES("e", "f")) POD("a", "1", USES_CLAIM), KARP "," ON_NODE(A),
      "" },
    { HERE CSI("1") BOUND_CLAIM("a") GONE HOLDS("r", USES("e", "f")) POD("a", "1", USES_CLAIM), PLACED(A),
      "NODE_UNKNOWN node n1\n" },
};

/* ---- sums -------------------------------------------------------------------------------------------------------- */

#define BIG(name, at, owner, phase)                                                                                    \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name owner "}, spec: {" at  \
    "containers: [{name: c, resources: {requests: "                                                                    \
    "{memory: 2Ei}}}]}, status: " phase "}\n"
#define FIVE_BIG(at, owner, phase)                                                                                     \
    BIG("p1", at, owner, phase)                                                                                        \
    BIG("p2", at, owner, phase) BIG("p3", at, owner, phase) BIG("p4", at, owner, phase) BIG("p5", at, owner, phase)
#define FIVE "\"default/p1\",\"default/p2\",\"default/p3\",\"default/p4\",\"default/p5\""
#define OF_DAEMON ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: d}]"
/* A daemon that is asked for one byte, so that memory is counted in bytes. */
#define BYTES                                                                                                          \
    "- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: default}, spec: {selector: "              \
    "{matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, "                                               \
    "spec: {containers: [{name: c, resources: {requests: {memory: '1'}}}]}}}}\n"

/* Ten exbibytes are more than 64 bits can count: too much, not little. */
static const struct check sums[] = {
    { BOTH BYTES FIVE_BIG("", "", WAITS), LAUNCHED(FIVE, ""), "TYPE_RESOURCES launch new-1\n" },
    { HERE BYTES FIVE_BIG("", "", WAITS), PLACED(FIVE), "RESOURCES node n1\n" },
    /* what runs on a node for daemons keeps nothing free for others, however much it is */
    { HERE BYTES FIVE_BIG("nodeName: n1, ", OF_DAEMON, "{phase: Running}") POD("a", "1", ""), PLACED(A), "" },
    { HERE BYTES FIVE_BIG("nodeName: n1, ", OF_DAEMON, "{phase: Running}") BIG("a", "", "", WAITS), PLACED(A),
      "RESOURCES node n1\n" },
};

/* ---- who has to go ----------------------------------------------------------------------------------------------- */

#define PROTECTED(value, start)                                                                                        \
    "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u-a, labels: {app: x}, annotations: "  \
    "{karpenter.sh/do-not-disrupt: '" value "'}}, spec: "                                                              \
    "{nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 100m}}}]}, status: {phase: Running" start       \
    "}}\n"
#define BUDGET_TOO                                                                                                     \
    "- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: e, namespace: default}, spec: "             \
    "{maxUnavailable: 1, selector: {}}}\n"
#define MUST_GO "POD_MISSING pod default/a\n"
#define TOLERANT(more) RUNNING("a", "n1", "app: x", ", tolerations: [{" more "}]")
#define SPENT BUDGET("maxUnavailable: 0")

static const struct check leaving[] = {
    { BOTH LEAVING RUNNING("a", "n1", "app: x", ""), "{}", MUST_GO },
    /* told to stay: for good, or for a time from its start, half-open */
    { BOTH LEAVING PROTECTED("true", ""), "{}", "" },
    { BOTH LEAVING PROTECTED("false", ""), "{}", MUST_GO },
    { BOTH LEAVING PROTECTED("1h", ""), "{}", "" }, /* it has not started */
    { BOTH LEAVING PROTECTED("1h", ", startTime: '2026-05-31T23:00:01Z'"), "{}", "" },
    { BOTH LEAVING PROTECTED("1h", ", startTime: '2026-05-31T23:00:00Z'"), "{}", MUST_GO },
    { BOTH LEAVING PROTECTED("0s", ""), "{}", MUST_GO },
    { BOTH LEAVING PROTECTED("-1h", ""), "{}", MUST_GO },
    /* budgets do not hold what tolerates the taint of nodes that go: it is not evicted */
    { BOTH LEAVING SPENT TOLERANT("key: karpenter.sh/disrupted, operator: Exists"), "{}", MUST_GO },
    { BOTH LEAVING SPENT TOLERANT("key: karpenter.sh/disrupted, operator: Exists, effect: NoSchedule"), "{}", MUST_GO },
    { BOTH LEAVING SPENT TOLERANT("key: karpenter.sh/disrupted, operator: Exists, effect: NoExecute"), "{}", "" },
    { BOTH LEAVING SPENT TOLERANT("operator: Exists"), "{}", MUST_GO },
    { BOTH LEAVING SPENT TOLERANT("key: other, operator: Exists"), "{}", "" },
    { BOTH LEAVING SPENT TOLERANT("key: karpenter.sh/disrupted, operator: Equal"), "{}", MUST_GO },
    { BOTH LEAVING SPENT TOLERANT("key: karpenter.sh/disrupted, operator: Equal, value: v"), "{}", "" },
    { BOTH LEAVING SPENT TOLERANT("key: karpenter.sh/disrupted, operator: Gt, value: '1'"), "{}", "" },
    /* Karpenter looks for texts that allow nothing at all */
    { BOTH LEAVING BUDGET("maxUnavailable: 1") RUNNING("a", "n1", "app: x", ""), "{}", MUST_GO },
    { BOTH LEAVING BUDGET("maxUnavailable: '0%'") RUNNING("a", "n1", "app: x", ""), "{}", "" },
    { BOTH LEAVING BUDGET("maxUnavailable: '00%'") RUNNING("a", "n1", "app: x", ""), "{}", MUST_GO },
    { BOTH LEAVING BUDGET("minAvailable: '100%'") RUNNING("a", "n1", "app: x", ""), "{}", "" },
    { BOTH LEAVING BUDGET("maxUnavailable: 1") BUDGET_TOO RUNNING("a", "n1", "app: x", ""), "{}",
      "" }, /* two of them */
    /* counted, which Karpenter does not */
    { BOTH LEAVING BUDGET("maxUnavailable: '00%'") RUNNING("a", "n1", "app: x", ""), KARP "}", "" },
    { BOTH LEAVING BUDGET("maxUnavailable: 1") RUNNING("a", "n1", "app: x", ""), KARP "}", MUST_GO },
    { BOTH LEAVING BUDGET("unhealthyPodEvictionPolicy: AlwaysAllow") RUNNING("a", "n1", "app: x", ""), KARP "}",
      MUST_GO },
    { BOTH LEAVING BUDGET("minAvailable: 0") RUNNING("a", "n1", "app: x", ""), KARP "}", MUST_GO },
    { BOTH LEAVING BUDGET("minAvailable: 2") RUNNING("a", "n1", "app: x", ""), KARP "}", "" },
    { BOTH LEAVING BUDGET("minAvailable: '0%'") RUNNING("a", "n1", "app: x", ""), KARP "}", MUST_GO },
    /* what cannot be read holds nothing */
    { BOTH LEAVING BUDGET("maxUnavailable: '%'") RUNNING("a", "n1", "app: x", ""), KARP "}", MUST_GO },
    { BOTH LEAVING BUDGET("maxUnavailable: '00'") RUNNING("a", "n1", "app: x", ""), KARP "}", MUST_GO },
    { BOTH LEAVING BUDGET("maxUnavailable: '0x%'") RUNNING("a", "n1", "app: x", ""), KARP "}", MUST_GO },
    { BOTH LEAVING BUDGET("maxUnavailable: '-0%'") RUNNING("a", "n1", "app: x", ""), KARP "}", MUST_GO },
    { BOTH LEAVING BUDGET("maxUnavailable: '0000000000%'") RUNNING("a", "n1", "app: x", ""), KARP "}", MUST_GO },
    { BOTH LEAVING BUDGET("minAvailable: lots") RUNNING("a", "n1", "app: x", ""), KARP "}", MUST_GO },
};

/* ---- pods of CapacityBuffers ------------------------------------------------------------------------------------- */

#define BUFFERED                                                                                                       \
    SNAPSHOT("{featureGates: {CapacityBuffer: true}}", TYPE("m", "1", ""))                                             \
    NODE("n1", "a", "2", "")                                                                                           \
    "- {apiVersion: v1, kind: PodTemplate, metadata: {name: t, namespace: default}, "                                  \
    "template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}\n"
#define BUFFER(replicas)                                                                                               \
    "- {apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: b, namespace: default, uid: " \
    "u-b}, spec: {podTemplateRef: {name: t}}, "                                                                        \
    "status: {replicas: " replicas ", conditions: [{type: ReadyForProvisioning, status: 'True'}]}}\n"
#define OF_BUFFER(number) "\"default/capacity-buffer-b-" number "\""

static const struct check buffers[] = {
    { BUFFERED BUFFER("2"), PLACED(OF_BUFFER("1") "," OF_BUFFER("2")), "" },
    { BUFFERED BUFFER("2") POD("a", "1", "") POD("z", "1", ""),
      PLACED(OF_BUFFER("1") "," OF_BUFFER("2") ",\"default/a\",\"default/z\""), "RESOURCES node n1\n" },
    { BUFFERED BUFFER("2"), PLACED(OF_BUFFER("2")), "POD_MISSING pod default/capacity-buffer-b-1\n" },
    { BUFFERED BUFFER("1"), PLACED(OF_BUFFER("1") "," OF_BUFFER("1")), "POD_TWICE pod default/capacity-buffer-b-1\n" },
    { BUFFERED BUFFER("1"), PLACED(OF_BUFFER("1") "," OF_BUFFER("0") "," OF_BUFFER("2") ",\"default/b\",\"default/t\""),
      "POD_UNKNOWN pod default/capacity-buffer-b-0\nPOD_UNKNOWN pod default/capacity-buffer-b-2\nPOD_UNKNOWN pod "
      "default/b\nPOD_UNKNOWN pod default/t\n" },
    { BUFFERED, PLACED(OF_BUFFER("1")), "POD_UNKNOWN pod default/capacity-buffer-b-1\n" },
};

static void test_ports(void **state)
{
    (void)state;
    verify_each(ports, sizeof ports / sizeof *ports);
}

static void test_volumes(void **state)
{
    (void)state;
    verify_each(volumes, sizeof volumes / sizeof *volumes);
    verify_each(gone_volumes, sizeof gone_volumes / sizeof *gone_volumes);
}

static void test_sums(void **state)
{
    (void)state;
    verify_each(sums, sizeof sums / sizeof *sums);
}

static void test_leaving(void **state)
{
    (void)state;
    verify_each(leaving, sizeof leaving / sizeof *leaving);
}

static void test_buffers(void **state)
{
    (void)state;
    verify_each(buffers, sizeof buffers / sizeof *buffers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ports),   cmocka_unit_test(test_volumes), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_leaving), cmocka_unit_test(test_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
