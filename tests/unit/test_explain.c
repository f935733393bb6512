/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations: what would place a pod, and what keeps a node. */
#include "planning.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/explain.h>
#include <karp/io.h>
#include <support/fault.h>

#define HEAD "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- instanceTypes:\n" TYPE("m", "1", "") "objects:\n"
#define OWN_POOL(more, spec) \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {" more "template: {spec: {nodeClassRef: " \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}" spec "}}}, status: {conditions: [{type: Ready, status: 'True'}, " \
    "{type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"
#define WITH(key) \
    ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " key ", labelSelector: {matchLabels: {app: x}}}]}}"
#define REQUIRED(expressions) \
    ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [" expressions "]}]}}}"
#define NODE(name, cpu, more) \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {kubernetes.io/hostname: " name "}}, spec: {" more "}, " \
    "status: {capacity: {cpu: '" cpu "', memory: 64Gi, pods: '10'}, allocatable: {cpu: '" cpu "', memory: 64Gi, pods: '10'}}}\n"

static karp_str of_text(const char *text) { return (karp_str){ text, strlen(text) }; }

/* ---- pods ---------------------------------------------------------------------------------------------------------------- */

/* "CHANGES KIND text -> node|type,zone,price" a line. */
static karp_status remedies(karp_context *context, const char *world, const char *pod, char *into, size_t room, karp_error *error)
{
    karp_snapshot *snapshot = NULL;
    karp_pod_explanation *explanation = NULL;
    karp_status status = world_of(context, "world", world, &snapshot, error);
    if (status == KARP_OK) status = karp_explain_pod(snapshot, NULL, of_text(pod), &explanation, error);
    size_t length = 0;
    into[0] = '\0';
    for (size_t i = 0; status == KARP_OK && i < karp_pod_explanation_remedy_count(explanation); i++) {
        karp_remedy r = { .size = sizeof r };
        char price[KARP_VALUE_TEXT];
        assert_int_equal(karp_pod_explanation_remedy(explanation, i, &r), KARP_OK);
        karp_double_format(r.choice.price, price);
        length += (size_t)snprintf(into + length, room - length, "%u %s %s -> %s%s%s%s%s%s\n", (unsigned)r.changes, karp_remedy_name(r.kind), r.text.ptr, r.node.ptr,
                                   r.choice.instance_type.ptr, r.node.len > 0 ? "" : ",", r.choice.zone.ptr, r.node.len > 0 ? "" : ",", r.node.len > 0 ? "" : price);
        assert_true(length < room);
    }
    if (status == KARP_OK) {
        karp_remedy r = { .size = sizeof r };
        assert_int_equal(karp_pod_explanation_remedy(explanation, karp_pod_explanation_remedy_count(explanation), &r), KARP_E_NOT_FOUND);
        assert_string_equal(karp_pod_explanation_pod(explanation).ptr, pod);
        assert_non_null(karp_pod_explanation_decision(explanation));
    }
    karp_pod_explanation_free(explanation);
    karp_snapshot_unref(snapshot);
    return status;
}

struct pod_case {
    const char *world, *expected;
};

static const struct pod_case pods[] = {
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ""), "" }, /* it is placed: nothing to look for */
    { HEAD OWN_POOL("", ", taints: [{key: t, value: v, effect: NoSchedule}], requirements: []") POD("a", "1", ""),
      "1 TOLERATE tolerate t=v:NoSchedule -> m,a,1\n" },
    { HEAD OWN_POOL("", ", taints: [{key: t, effect: NoSchedule}, {key: u, effect: NoExecute}], requirements: []") POD("a", "1", ""),
      "2 TOLERATE tolerate t:NoSchedule and u:NoExecute -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) NODE("n1", "8", "taints: [{key: t, effect: NoSchedule}]") POD("a", "5", ""),
      "1 TOLERATE tolerate t:NoSchedule -> n1\n1 REQUEST_LESS ask for at most 4 cpu -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ", nodeSelector: {team: x}"), "1 DROP_SELECTOR drop the node selector team=x -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ", nodeSelector: {team: x, rack: r}"), "2 DROP_SELECTOR drop the node selector -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchExpressions: [{key: team, operator: In, values: [x, z]}, {key: topology.kubernetes.io/zone, operator: In, values: [b]}]}]}}}"),
      "1 DROP_SELECTOR drop from the node affinity team In x,z -> m,b,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", WITH("topology.kubernetes.io/zone")),
      "1 DROP_TOPOLOGY drop the pod affinity on topology.kubernetes.io/zone -> m,a,1\n" },
    { HEAD OWN_POOL("limits: {cpu: '3'}, ", ", requirements: []") POD("a", "1", ""), "1 RAISE_LIMIT raise the limit cpu of NodePool default to 7 -> m,a,1\n" },
    { HEAD OWN_POOL("limits: {nodes: '0'}, ", ", requirements: []") POD("a", "1", ""), "1 RAISE_LIMIT raise the limit nodes of NodePool default to 1 -> m,a,1\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]") POD("a", "1", ", nodeSelector: {topology.kubernetes.io/zone: b}"),
      "1 DROP_SELECTOR drop the node selector topology.kubernetes.io/zone=b -> m,a,1\n"
      "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: topology.kubernetes.io/zone, operator: NotIn, values: [b]}]") POD("a", "1", ", nodeSelector: {topology.kubernetes.io/zone: b}"),
      "1 DROP_SELECTOR drop the node selector topology.kubernetes.io/zone=b -> m,a,1\n"
      "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 2}]") POD("a", "1", ""),
      "1 DROP_MIN_VALUES give up minValues on node.kubernetes.io/instance-type of NodePool default -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "6", ""), "1 REQUEST_LESS ask for at most 4 cpu -> m,a,1\n" },
    /* on a node that exists, or not considered at all: nothing to look for */
    { SNAPSHOT("{}", TYPE("m", "1", "")) NODE("n1", "8", "") POD("b", "1", "") POD("a", "1", ""), "" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("b", "1", ", nodeSelector: {kubernetes.io/hostname: n1}") POD("a", "1", ", nodeSelector: {kubernetes.io/hostname: n1}"), "" },
    /* a toleration of another value, of another effect; one that fits one of two taints */
    { HEAD OWN_POOL("", ", taints: [{key: t, value: v, effect: NoSchedule}], requirements: []") POD("a", "1", ", tolerations: [{key: t, operator: Equal, value: w}]"),
      "1 TOLERATE tolerate t=v:NoSchedule -> m,a,1\n" },
    { HEAD OWN_POOL("", ", taints: [{key: t, value: v, effect: NoSchedule}], requirements: []") POD("a", "1", ", tolerations: [{key: t, operator: Exists, effect: NoExecute}]"),
      "1 TOLERATE tolerate t=v:NoSchedule -> m,a,1\n" },
    { HEAD OWN_POOL("", ", taints: [{key: t, value: v, effect: NoSchedule}, {key: u, value: v, effect: NoSchedule}, {key: w, effect: PreferNoSchedule}], requirements: []")
      POD("a", "1", ", tolerations: [{key: t, operator: Equal, value: v}]"),
      "1 TOLERATE tolerate u=v:NoSchedule -> m,a,1\n" },
    /* of many values the first five are named; two expressions that no node meets go together */
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", REQUIRED("{key: team, operator: In, values: [a, b, c, d, e, f]}")), "1 DROP_SELECTOR drop from the node affinity team In a,b,c,d,e,… -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", REQUIRED("{key: team, operator: In, values: [a]}, {key: rack, operator: Exists}")),
      "2 DROP_SELECTOR drop the node selector and the required node affinity -> m,a,1\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]") POD("a", "1", REQUIRED("{key: topology.kubernetes.io/zone, operator: In, values: [b]}")),
      "1 DROP_SELECTOR drop from the node affinity topology.kubernetes.io/zone In b -> m,a,1\n"
      "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}, "
      "{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]"), "1 DROP_TOPOLOGY drop the spread constraint on rack -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) "- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: default}, spec: {selector: {matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, "
      "spec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, protocol: TCP}]}]}}}}\n"
      "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u}, spec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, protocol: TCP}, {containerPort: 81, hostPort: 81}]}]}, "
      "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n", "1 DROP_PORT drop the host port 80 -> m,a,1\n" },
    /* what places this pod must not cost another its place: the limit has room for one node of the two */
    { HEAD OWN_POOL("limits: {cpu: '4'}, ", ", requirements: []") POD("a", "3", ", nodeSelector: {team: x}") POD("b", "3", ""), "" },
};

static void test_pods(void **state)
{
    (void)state;
    char text[4096];
    for (size_t i = 0; i < sizeof pods / sizeof *pods; i++) {
        karp_context *context = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
        karp_status status = remedies(context, pods[i].world, "default/a", text, sizeof text, &error);
        if (status != KARP_OK) print_message("case %zu: %s: %s\n", i, error.field, error.message);
        assert_int_equal(status, KARP_OK);
        if (strcmp(text, pods[i].expected) != 0) print_message("case %zu\n", i);
        assert_string_equal(text, pods[i].expected);
        karp_context_free(context);
    }
}

static void test_no_such_pod(void **state)
{
    (void)state;
    char text[4096];
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(remedies(context, SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ""), "default/x", text, sizeof text, NULL), KARP_E_NOT_FOUND);
    karp_context_free(context);
}

static void test_memory(void **state)
{
    (void)state;
    static const char world[] = HEAD OWN_POOL("limits: {cpu: '3'}, ", ", taints: [{key: t, effect: NoSchedule}], requirements: [{key: topology.kubernetes.io/zone, "
                                "operator: In, values: [a]}]") NODE("n1", "1", "") POD("a", "2", ", nodeSelector: {topology.kubernetes.io/zone: b}");
    char text[4096];
    karp_error error;
    for (size_t at = 1;; at++) {
        fault f = { 0 };
        karp_error_init(&error, sizeof error);
        karp_context *context = fault_context(&f);
        assert_non_null(context);
        fault_arm(&f, at, false);
        karp_status status = remedies(context, world, "default/a", text, sizeof text, &error);
        bool refused = f.refused > 0;
        karp_context_free(context);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        assert_int_equal(status, refused ? KARP_E_NOMEM : KARP_OK);
        if (!refused) break;
    }
}

/* ---- nodes --------------------------------------------------------------------------------------------------------------- */

#define CLAIMED(name, conditions) \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name ", labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: m, " \
    "topology.kubernetes.io/zone: a, karpenter.sh/capacity-type: on-demand}, creationTimestamp: 2026-05-01T00:00:00Z}, spec: {nodeClassRef: {group: karpenter.kwok.sh, " \
    "kind: KWOKNodeClass, name: default}, requirements: []}, status: {providerID: p-" name ", lastPodEventTime: 2026-05-31T23:59:00Z, conditions: [{type: Launched, status: 'True'}, " \
    "{type: Registered, status: 'True'}, {type: Initialized, status: 'True', lastTransitionTime: 2026-05-01T00:00:00Z}" conditions "]}}\n" \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: m, " \
    "topology.kubernetes.io/zone: a, karpenter.sh/capacity-type: on-demand, kubernetes.io/hostname: " name ", karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}}, " \
    "spec: {providerID: p-" name "}, status: {capacity: {cpu: '4', memory: 16Gi, pods: '10'}, allocatable: {cpu: '4', memory: 16Gi, pods: '10'}}}\n"
#define RUNNING(name, node, cpu, annotations) \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name ", labels: {app: x}, annotations: {" annotations "}, ownerReferences: [{apiVersion: " \
    "apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}, spec: {nodeName: " node ", containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}, " \
    "status: {phase: Running, startTime: 2026-05-31T23:00:00Z}}\n"
#define PDB \
    "- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: p, namespace: default}, spec: {selector: {matchLabels: {app: x}}, maxUnavailable: 1}, " \
    "status: {disruptionsAllowed: 0}}\n"
#define CONSOLIDATABLE ", {type: Consolidatable, status: 'True'}"

struct node_case {
    const char *world, *expected;
};

static const struct node_case nodes[] = {
    /* both pods fit on the other node */
    { HEAD OWN_POOL("", ", requirements: []") CLAIMED("n1", CONSOLIDATABLE) CLAIMED("n2", CONSOLIDATABLE) RUNNING("a", "n1", "1", "") RUNNING("b", "n2", "3", ""), "goes\n" },
    { HEAD OWN_POOL("disruption: {consolidateAfter: 5m, consolidationPolicy: WhenEmpty}, ", ", requirements: []") CLAIMED("n1", "") CLAIMED("n2", "") PDB
      RUNNING("a", "n1", "1", "karpenter.sh/do-not-disrupt: 2h") RUNNING("b", "n2", "1", ""),
      "POD_DO_NOT_DISRUPT a pod carries karpenter.sh/do-not-disrupt: default/a until 2026-06-01T01:00:00Z\n"
      "PDB_BLOCKED pdb default/p allows 0 disruptions (default/a)\n"
      "POLICY_WHEN_EMPTY the pool consolidates empty nodes only: NodePool default\n"
      "NOT_CONSOLIDATABLE the condition Consolidatable is not true until 2026-06-01T00:04:00Z\n"
      "NO_CHEAPER_NODE no cheaper node holds its pods\n" /* n2 is within its consolidateAfter: closed to pods that move */
      "move of 1 pods saves 1 of 1, 0 launches\n" },
    { HEAD OWN_POOL("", ", requirements: []") CLAIMED("n1", CONSOLIDATABLE) RUNNING("a", "n1", "3", ""),
      "NO_CHEAPER_NODE no cheaper node holds its pods\nmove of 1 pods saves 0 of 1, 1 launches\n" },
    { HEAD OWN_POOL("limits: {cpu: '4'}, ", ", requirements: []") CLAIMED("n1", CONSOLIDATABLE) "- {apiVersion: v1, kind: Node, metadata: {name: n9, labels: {karpenter.sh/nodepool: "
      "default}}, spec: {providerID: p-9}}\n" RUNNING("a", "n1", "3", ""),
      "NO_CHEAPER_NODE no cheaper node holds its pods\nmove of 1 pods saves 0 of 1, 1 launches\n" },
    { HEAD OWN_POOL("disruption: {consolidateAfter: 0s, budgets: [{nodes: '0'}]}, ", ", requirements: []") CLAIMED("n1", CONSOLIDATABLE) CLAIMED("n2", CONSOLIDATABLE)
      RUNNING("a", "n1", "1", "") RUNNING("b", "n2", "3", ""),
      "BUDGET the pool's disruption budget is used up: default\nmove of 1 pods saves 1 of 1, 0 launches\n" },
    { HEAD OWN_POOL("disruption: {consolidateAfter: 0s, budgets: [{nodes: '0'}]}, ", ", requirements: []") CLAIMED("n1", CONSOLIDATABLE) RUNNING("a", "n1", "3", ""),
      "BUDGET the pool's disruption budget is used up: default\nNO_CHEAPER_NODE no cheaper node holds its pods\nmove of 1 pods saves 0 of 1, 1 launches\n" },
};

static karp_status node_lines(karp_context *context, const char *world, const char *node, char *into, size_t room, karp_error *error)
{
    karp_snapshot *snapshot = NULL;
    karp_node_explanation *e = NULL;
    size_t length = 0;
    karp_status status = world_of(context, "world", world, &snapshot, error);
    if (status == KARP_OK) status = karp_explain_node(snapshot, NULL, of_text(node), &e, error);
    into[0] = '\0';
    if (status == KARP_OK && karp_node_explanation_goes(e) != 0) length += (size_t)snprintf(into, room, "goes\n");
    for (size_t i = 0; status == KARP_OK && i < karp_node_explanation_blocker_count(e); i++) {
        karp_blocker b = { .size = sizeof b };
        char until[KARP_VALUE_TEXT] = "";
        assert_int_equal(karp_node_explanation_blocker(e, i, &b), KARP_OK);
        if (b.until != KARP_NO_TIME) karp_time_format(b.until, until);
        length += (size_t)snprintf(into + length, room - length, "%s %s%s%s\n", karp_reason_name(b.code), b.detail.ptr, until[0] != '\0' ? " until " : "", until);
        assert_true(length < room);
    }
    karp_move m = { .size = sizeof m };
    if (status == KARP_OK && karp_node_explanation_goes(e) == 0 && karp_node_explanation_move(e, &m) == KARP_OK) {
        snprintf(into + length, room - length, "move of %u pods saves %g of %g, %u launches\n", (unsigned)m.moved, m.savings, m.price, (unsigned)m.launches);
    }
    if (status == KARP_OK) assert_string_equal(karp_node_explanation_node(e).ptr, node);
    karp_node_explanation_free(e);
    karp_snapshot_unref(snapshot);
    return status;
}

static void test_nodes(void **state)
{
    (void)state;
    char text[4096];
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        karp_context *context = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
        karp_status status = node_lines(context, nodes[i].world, "n1", text, sizeof text, &error);
        if (status != KARP_OK) print_message("case %zu: %s %s: %s\n", i, error.object, error.field, error.message);
        assert_int_equal(status, KARP_OK);
        if (strcmp(text, nodes[i].expected) != 0) print_message("case %zu\n", i);
        assert_string_equal(text, nodes[i].expected);
        assert_int_equal(node_lines(context, nodes[i].world, "n7", text, sizeof text, &error), KARP_E_NOT_FOUND);
        karp_context_free(context);
    }
}

static void test_node_memory(void **state)
{
    (void)state;
    char text[4096];
    karp_error error;
    for (size_t at = 1;; at += 7) {
        fault f = { 0 };
        karp_error_init(&error, sizeof error);
        karp_context *context = fault_context(&f);
        assert_non_null(context);
        fault_arm(&f, at, false);
        karp_status status = node_lines(context, nodes[1].world, "n1", text, sizeof text, &error);
        bool refused = f.refused > 0;
        karp_context_free(context);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        assert_int_equal(status, refused ? KARP_E_NOMEM : KARP_OK);
        if (!refused) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pods), cmocka_unit_test(test_no_such_pod), cmocka_unit_test(test_memory), cmocka_unit_test(test_nodes), cmocka_unit_test(test_node_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
