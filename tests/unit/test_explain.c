/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations: what would place a pod, and what keeps a node. */
#include "explaining.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <support/fault.h>

/* ---- pods -------------------------------------------------------------------------------------------------------- */

#define ONLY_TYPE                                                                                                      \
    ": m is the only available type that the requirements allow; it costs as much as the node, and a replacement has " \
    "to be cheaper\n"

static const struct explained pods[] = {
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ""), "" }, /* it is placed: nothing to look for */
    { HEAD OWN_POOL("", ", taints: [{key: t, value: v, effect: NoSchedule}], requirements: []") POD("a", "1", ""),
      "1 TOLERATE tolerate t=v:NoSchedule -> m,a,1\n" },
    { HEAD OWN_POOL("", ", taints: [{key: t, effect: NoSchedule}, {key: u, effect: NoExecute}], requirements: []")
          POD("a", "1", ""),
      "2 TOLERATE tolerate t:NoSchedule and u:NoExecute -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) NODE("n1", "8", "taints: [{key: t, effect: NoSchedule}]") POD("a", "5", ""),
      "1 TOLERATE tolerate t:NoSchedule -> n1\n1 REQUEST_LESS request at most 4 cpu -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ", nodeSelector: {team: x}"),
      "1 ADD_LABEL add the label team=x to the template of NodePool default -> m,a,1\n"
      "1 DROP_SELECTOR drop the node selector team=x -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ", nodeSelector: {team: x, rack: r}"),
      "2 DROP_SELECTOR drop the node selector -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", ""))
          POD("a", "1",
              ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
              "[{matchExpressions: [{key: team, operator: In, values: [x, z]}, {key: topology.kubernetes.io/zone, "
              "operator: In, values: [b]}]}]}}}"),
      "1 DROP_SELECTOR drop from the node affinity team In x,z -> m,b,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", WITH("topology.kubernetes.io/zone")),
      "1 DROP_TOPOLOGY drop the pod affinity on topology.kubernetes.io/zone -> m,a,1\n" },
    { HEAD OWN_POOL("limits: {cpu: '3'}, ", ", requirements: []") POD("a", "1", ""),
      "1 RAISE_LIMIT raise the limit cpu of NodePool default to 4 -> m,a,1\n" },
    { HEAD OWN_POOL("limits: {nodes: '0'}, ", ", requirements: []") POD("a", "1", ""),
      "1 RAISE_LIMIT raise the limit nodes of NodePool default to 1 -> m,a,1\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]")
          POD("a", "1", ", nodeSelector: {topology.kubernetes.io/zone: b}"),
      "1 DROP_SELECTOR drop the node selector topology.kubernetes.io/zone=b -> m,a,1\n"
      "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: topology.kubernetes.io/zone, operator: NotIn, values: [b]}]")
          POD("a", "1", ", nodeSelector: {topology.kubernetes.io/zone: b}"),
      "1 DROP_SELECTOR drop the node selector topology.kubernetes.io/zone=b -> m,a,1\n"
      "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 2}]")
          POD("a", "1", ""),
      "1 DROP_MIN_VALUES drop minValues on node.kubernetes.io/instance-type of NodePool default -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "6", ""), "1 REQUEST_LESS request at most 4 cpu -> m,a,1\n" },
    /* on a node that exists, or not considered at all: nothing to look for */
    { SNAPSHOT("{}", TYPE("m", "1", "")) NODE("n1", "8", "") POD("b", "1", "") POD("a", "1", ""), "" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("b", "1", ", nodeSelector: {kubernetes.io/hostname: n1}")
          POD("a", "1", ", nodeSelector: {kubernetes.io/hostname: n1}"),
      "" },
    /* a toleration of another value, of another effect; one that fits one of two taints */
    { HEAD OWN_POOL("", ", taints: [{key: t, value: v, effect: NoSchedule}], requirements: []")
          POD("a", "1", ", tolerations: [{key: t, operator: Equal, value: w}]"),
      "1 TOLERATE tolerate t=v:NoSchedule -> m,a,1\n" },
    { HEAD OWN_POOL("", ", taints: [{key: t, value: v, effect: NoSchedule}], requirements: []")
          POD("a", "1", ", tolerations: [{key: t, operator: Exists, effect: NoExecute}]"),
      "1 TOLERATE tolerate t=v:NoSchedule -> m,a,1\n" },
    { HEAD OWN_POOL("", ", taints: [{key: t, value: v, effect: NoSchedule}, {key: u, value: v, effect: NoSchedule}, "
                        "{key: w, effect: PreferNoSchedule}], requirements: []")
          POD("a", "1", ", tolerations: [{key: t, operator: Equal, value: v}]"),
      "1 TOLERATE tolerate u=v:NoSchedule -> m,a,1\n" },
    /* of many values the first five are named; two expressions that no node meets go together */
    { SNAPSHOT("{}", TYPE("m", "1", ""))
          POD("a", "1", REQUIRED("{key: team, operator: In, values: [a, b, c, d, e, f]}")),
      "1 DROP_SELECTOR drop from the node affinity team In a,b,c,d,e,… -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", ""))
          POD("a", "1", REQUIRED("{key: team, operator: In, values: [a]}, {key: rack, operator: Exists}")),
      "2 DROP_SELECTOR drop the node selector and the required node affinity -> m,a,1\n" },
    { HEAD OWN_POOL("", ", requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]")
          POD("a", "1", REQUIRED("{key: topology.kubernetes.io/zone, operator: In, values: [b]}")),
      "1 DROP_SELECTOR drop from the node affinity topology.kubernetes.io/zone In b -> m,a,1\n"
      "1 ALLOW_VALUE allow topology.kubernetes.io/zone=b in the requirements of NodePool default -> m,b,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", ""))
          POD("a", "1",
              ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
              "ScheduleAnyway, labelSelector: {}}, "
              "{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]"),
      "1 DROP_TOPOLOGY drop the spread constraint on rack -> m,a,1\n" },
    { SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1",
                                             ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, "
                                             "whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]"),
      "1 DROP_TOPOLOGY drop the spread constraint on rack -> m,a,1\n" },
    { SNAPSHOT(
          "{}",
          TYPE("m", "1",
               "")) "- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: default}, spec: "
                    "{selector: {matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, "
                    "spec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, protocol: TCP}]}]}}}}\n"
                    "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u}, spec: {containers: "
                    "[{name: c, ports: [{containerPort: 80, hostPort: 80, protocol: TCP}, {containerPort: 81, "
                    "hostPort: 81}]}]}, "
                    "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: "
                    "Unschedulable}]}}\n",
      "1 DROP_PORT drop the host port 80 -> m,a,1\n" },
    /* what places this pod must not cost another its place: the limit has room for one node of the two, so it has to be
     * raised, too */
    { HEAD OWN_POOL("limits: {cpu: '4'}, ", ", requirements: []") POD("a", "3", ", nodeSelector: {team: x}")
          POD("b", "3", ""),
      "2 ADD_LABEL add the label team=x to the template of NodePool default, and raise the limits of NodePool default "
      "-> m,a,1\n"
      "2 DROP_SELECTOR drop the node selector team=x, and raise the limits of NodePool default -> m,a,1\n" },
};

static void test_pods(void **state)
{
    (void)state;
    explain_pods(pods, sizeof pods / sizeof *pods);
}

static void test_no_such_pod(void **state)
{
    (void)state;
    char text[4096];
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(remedies(context, SNAPSHOT("{}", TYPE("m", "1", "")) POD("a", "1", ""), NULL, "default/x", text,
                              sizeof text, NULL),
                     KARP_E_NOT_FOUND);
    karp_context_unref(context);
}

static void test_memory(void **state)
{
    (void)state;
    static const char world[] = HEAD OWN_POOL(
        "limits: {cpu: '3'}, ",
        ", taints: [{key: t, effect: NoSchedule}], requirements: [{key: topology.kubernetes.io/zone, "
        "operator: In, values: [a]}]") NODE("n1", "1", "")
        POD("a", "2", ", nodeSelector: {topology.kubernetes.io/zone: b}");
    char text[4096];
    karp_error error;
    for (size_t at = 1;; at++) {
        fault f = { 0 };
        karp_error_init(&error, sizeof error);
        karp_context *context = fault_context(&f);
        assert_non_null(context);
        fault_arm(&f, at, false);
        karp_status status = remedies(context, world, NULL, "default/a", text, sizeof text, &error);
        bool refused = f.refused > 0;
        karp_context_unref(context);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        assert_int_equal(status, refused ? KARP_E_NOMEM : KARP_OK);
        if (!refused) break;
    }
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static const struct explained nodes[] = {
    /* both pods fit on the other node */
    { HEAD OWN_POOL("", ", requirements: []") CLAIMED("n1", CONSOLIDATABLE) CLAIMED("n2", CONSOLIDATABLE)
          RUNNING("a", "n1", "1", "") RUNNING("b", "n2", "3", ""),
      "goes\n" },
    { HEAD OWN_POOL("disruption: {consolidateAfter: 5m, consolidationPolicy: WhenEmpty}, ", ", requirements: []")
          CLAIMED("n1", "") CLAIMED("n2", "") PDB RUNNING("a", "n1", "1", "karpenter.sh/do-not-disrupt: 2h")
              RUNNING("b", "n2", "1", ""),
      "POD_DO_NOT_DISRUPT a pod carries karpenter.sh/do-not-disrupt: default/a until 2026-06-01T01:00:00Z\n"
      "PDB_BLOCKED pdb default/p allows 0 disruptions (default/a)\n"
      "POLICY_WHEN_EMPTY the pool consolidates empty nodes only: NodePool default, and the node is not empty: "
      "default/a is not a DaemonSet's pod\n"
      "NOT_CONSOLIDATABLE the condition Consolidatable is not true: consolidateAfter 5m0s of NodePool default counts "
      "from 2026-05-31T23:59:00Z, when a pod last came or went until 2026-06-01T00:04:00Z\n"
      "move of 1 pods saves 1 of 1, 0 launches\n" },
    { HEAD OWN_POOL("disruption: {consolidateAfter: 5m}, ", ", requirements: []") CLAIMED("n1", "") CLAIMED("n2", "")
          PDB RUNNING("a", "n1", "1", "karpenter.sh/do-not-disrupt: 2h") RUNNING("b", "n2", "1", ""),
      "POD_DO_NOT_DISRUPT a pod carries karpenter.sh/do-not-disrupt: default/a until 2026-06-01T01:00:00Z\n"
      "PDB_BLOCKED pdb default/p allows 0 disruptions (default/a)\n"
      "NOT_CONSOLIDATABLE the condition Consolidatable is not true: consolidateAfter 5m0s of NodePool default counts "
      "from 2026-05-31T23:59:00Z, when a pod last came or went until 2026-06-01T00:04:00Z\n"
      "NO_CHEAPER_NODE its pods fit on no cheaper node: consolidateAfter, which counts from the last pod event, also "
      "keeps them off n2 (until 2026-06-01T00:04:00Z) until 2026-06-01T00:04:00Z\n"
      "move of 1 pods saves 1 of 1, 0 launches\n" },
    { HEAD OWN_POOL("", ", requirements: []") CLAIMED("n1", CONSOLIDATABLE) RUNNING("a", "n1", "3", ""),
      "NO_CHEAPER_NODE its pods fit on no cheaper node" ONLY_TYPE "move of 1 pods saves 0 of 1, 1 launches\n" },
    { HEAD OWN_POOL("limits: {cpu: '4'}, ", ", requirements: []") CLAIMED(
          "n1", CONSOLIDATABLE) "- {apiVersion: v1, kind: Node, metadata: {name: n9, labels: {karpenter.sh/nodepool: "
                                "default}}, spec: {providerID: p-9}}\n" RUNNING("a", "n1", "3", ""),
      "NO_CHEAPER_NODE its pods fit on no cheaper node" ONLY_TYPE "move of 1 pods saves 0 of 1, 1 launches\n" },
    { HEAD OWN_POOL("disruption: {consolidateAfter: 0s, budgets: [{nodes: '0'}]}, ", ", requirements: []") CLAIMED(
          "n1", CONSOLIDATABLE) CLAIMED("n2", CONSOLIDATABLE) RUNNING("a", "n1", "1", "") RUNNING("b", "n2", "3", ""),
      "BUDGET the pool's disruption budgets allow no more nodes: default: budgets[0] allows 0 of 2 nodes for "
      "Underutilized, "
      "always\nmove of 1 pods saves 1 of 1, 0 launches\n" },
    { HEAD OWN_POOL("disruption: {consolidateAfter: 0s, budgets: [{nodes: '0'}]}, ", ", requirements: []")
          CLAIMED("n1", CONSOLIDATABLE) RUNNING("a", "n1", "3", ""),
      "BUDGET the pool's disruption budgets allow no more nodes: default: budgets[0] allows 0 of 1 node for "
      "Underutilized, "
      "always\nNO_CHEAPER_NODE its pods fit on no cheaper node" ONLY_TYPE "move "
      "of 1 pods saves 0 of 1, 1 launches\n" },
};

static void test_nodes(void **state)
{
    (void)state;
    explain_nodes(nodes, sizeof nodes / sizeof *nodes, NULL);
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
        karp_status status = node_lines(context, nodes[1].world, NULL, "n1", text, sizeof text, &error);
        bool refused = f.refused > 0;
        karp_context_unref(context);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        assert_int_equal(status, refused ? KARP_E_NOMEM : KARP_OK);
        if (!refused) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pods),  cmocka_unit_test(test_no_such_pod), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_nodes), cmocka_unit_test(test_node_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
