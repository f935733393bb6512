/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps a node: each reason by itself, until when it lasts, and what the pass has to do with it. */
#include "explaining.h"

#include <stdio.h>
#include <string.h>

#include <karp/explain.h>

#define LABELS(more)                                                                                                   \
    "labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: m, topology.kubernetes.io/zone: a, "   \
    "karpenter.sh/capacity-type: on-demand" more "}"
/* A node whose claim has these members of status and conditions, and which has these annotations. */
#define OWNED(name, status, conditions, annotations)                                                                   \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name ", " LABELS(                             \
        "") ", annotations: {" annotations "}, creationTimestamp: 2026-05-01T00:00:00Z}, spec: "                       \
            "{nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: []}, "       \
            "status: {providerID: p-" name status ", conditions: [" conditions "]}}\n"                                 \
            "- {apiVersion: v1, kind: Node, metadata: {name: " name ", annotations: {" annotations "}, " LABELS(       \
                ", kubernetes.io/hostname: " name ", karpenter.sh/registered: 'true', karpenter.sh/initialized: "      \
                "'true'") "}, "                                                                                        \
                          "spec: {providerID: p-" name "}, status: {capacity: {cpu: '4', memory: 16Gi, pods: "         \
                          "'200'}, allocatable: {cpu: '4', memory: 16Gi, pods: "                                       \
                          "'200'}}}\n"
#define UP                                                                                                             \
    "{type: Launched, status: 'True'}, {type: Registered, status: 'True'}, {type: Initialized, status: 'True', "       \
    "lastTransitionTime: 2026-05-31T23:58:00Z}"
#define UP_SINCE_EVER                                                                                                  \
    "{type: Launched, status: 'True'}, {type: Registered, status: 'True'}, {type: Initialized, status: 'True'}"
#define ALONE(status, conditions) OWNED("n1", status, conditions, "")
#define AFTER(length) HEAD OWN_POOL("disruption: {" length "}, ", ", requirements: []")
#define EVENT ", lastPodEventTime: 2026-05-31T23:59:00Z"
#define PLAIN HEAD OWN_POOL("", ", requirements: []")
#define ROOM                                                                                                           \
    "- {apiVersion: v1, kind: Node, metadata: {name: n9, labels: {kubernetes.io/hostname: n9}}, spec: {}, status: "    \
    "{capacity: {cpu: '64', memory: 64Gi, pods: '300'}, "                                                              \
    "allocatable: {cpu: '64', memory: 64Gi, pods: '300'}}}\n"
#define ONE RUNNING("a", "n1", "1", "")
#define LABELLED(name, node, label)                                                                                    \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    ", labels: {app: " label "}}, spec: {nodeName: " node ", containers: [{name: c, "                                  \
    "resources: {requests: {cpu: 100m}}}]}, status: {phase: Running}}\n"
#define WAITING "NOT_CONSOLIDATABLE the condition Consolidatable is not true"
#define SINCE(length) WAITING ": consolidateAfter " length " of NodePool default counts from "
#define SINCE_EVENT(length) SINCE(length) "2026-05-31T23:59:00Z, when a pod last came or went"
#define OVER                                                                                                           \
    "; that time is over, but the condition is not set. Karpenter's controller sets it: is Karpenter running, and is " \
    "the input up to date?\n"
#define MOVES "move of 1 pods saves 1 of 1, 0 launches\n"

/* A pod that names the host it runs on. */
#define NAMED                                                                                                          \
    "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u-a, ownerReferences: [{apiVersion: "  \
    "apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}, "                                                \
    "spec: {nodeName: n1, nodeSelector: {kubernetes.io/hostname: n1}, containers: [{name: c, resources: {requests: "   \
    "{cpu: 1}}}]}, status: {phase: Running}}\n"

static const struct explained nodes[] = {
    /* From the last pod event, else from when it was up; where that is not known, or over, or beyond counting, nothing
       is said. */
    { AFTER("consolidateAfter: 5m") ALONE(EVENT, UP) ROOM ONE,
      SINCE_EVENT("5m0s") " until 2026-06-01T00:04:00Z\n" MOVES },
    { AFTER("consolidateAfter: 5m") ALONE("", UP) ROOM ONE,
      SINCE("5m0s") "2026-05-31T23:58:00Z, when the node was initialized until 2026-06-01T00:03:00Z\n" MOVES },
    { AFTER("consolidateAfter: 5m") ALONE("", UP_SINCE_EVER) ROOM ONE, WAITING "\n" MOVES },
    { AFTER("consolidateAfter: 5m") ALONE("", "{type: Launched, status: 'True'}") ROOM ONE, WAITING "\n" MOVES },
    { AFTER("consolidateAfter: 60s") ALONE(EVENT, UP) ROOM ONE, SINCE_EVENT("1m0s") OVER MOVES },
    { AFTER("consolidateAfter: 61s") ALONE(EVENT, UP) ROOM ONE,
      SINCE_EVENT("1m1s") " until 2026-06-01T00:00:01Z\n" MOVES },
    { AFTER("consolidateAfter: 0s") ALONE(EVENT, UP) ROOM ONE, SINCE_EVENT("0s") OVER MOVES },
    { AFTER("") ALONE(EVENT, UP) ROOM ONE, WAITING "\n" MOVES },
    { AFTER("consolidateAfter: 2540000h") ALONE(EVENT, UP) ROOM ONE, SINCE_EVENT("2540000h0m0s") "\n" MOVES },
    { AFTER("consolidateAfter: Never") ALONE(EVENT, UP) ROOM ONE,
      "CONSOLIDATION_DISABLED consolidateAfter is Never: NodePool default\n" MOVES },
    { PLAIN ALONE("", UP ", {type: Consolidatable, status: 'False'}") ROOM ONE, WAITING "\n" MOVES },
    /* on the node itself: the other annotations stay */
    { PLAIN OWNED("n1", EVENT, UP CONSOLIDATABLE, "a: b, karpenter.sh/do-not-disrupt: 'true', c: d") ROOM ONE,
      "NODE_DO_NOT_DISRUPT the node carries karpenter.sh/do-not-disrupt\n" MOVES },
    { "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\nstate: {nodes: [{name: n1, "
      "nominated: true}, {name: n9}]}\ncatalogues:\n- instanceTypes:\n" TYPE("m", "1", "") "objects:\n" OWN_POOL(
          "", ", requirements: []") ALONE("", UP CONSOLIDATABLE) ROOM ONE,
      "NOMINATED pods are on their way to the node\n" MOVES },
    /* of the pod */
    { PLAIN ALONE("", UP CONSOLIDATABLE) ROOM RUNNING("a", "n1", "1", "karpenter.sh/do-not-disrupt: 'true'"),
      "POD_DO_NOT_DISRUPT a pod carries karpenter.sh/do-not-disrupt: default/a\n" MOVES },
    { PLAIN ALONE("", UP CONSOLIDATABLE) ROOM
      "- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u-a, annotations: "
      "{karpenter.sh/do-not-disrupt: 1h}}, spec: {nodeName: n1, containers: []}, "
      "status: {phase: Running}}\n",
      "POD_DO_NOT_DISRUPT a pod carries karpenter.sh/do-not-disrupt: default/a\n" MOVES },
    /* of budgets of pods: the one that blocks is not the first whose name it begins with; five are named */
    { PLAIN ALONE("", UP CONSOLIDATABLE) ROOM PDB LABELLED("a", "n1", "other") LABELLED("a-b", "n1", "x"),
      "PDB_BLOCKED pdb default/p allows 0 disruptions (default/a-b)\nmove of 2 pods saves 1 of 1, 0 launches\n" },
    { PLAIN ALONE("", UP CONSOLIDATABLE) ROOM PDB LABELLED("a", "n1", "x") LABELLED("b", "n1", "x")
          LABELLED("c", "n1", "x") LABELLED("d", "n1", "x") LABELLED("e", "n1", "x") LABELLED("f", "n1", "x"),
      "PDB_BLOCKED pdb default/p allows 0 disruptions (default/a, default/b, default/c, default/d, default/e and 1 "
      "more pod)\nmove of 6 pods saves 1 of 1, 0 launches\n" },
    { PLAIN ALONE("", UP CONSOLIDATABLE) ROOM PDB LABELLED("a", "n1", "x") LABELLED("b", "n1", "x")
          LABELLED("c", "n1", "x") LABELLED("d", "n1", "x") LABELLED("e", "n1", "x") LABELLED("f", "n1", "x")
              LABELLED("g", "n1", "x") LABELLED("h", "n1", "z"),
      "PDB_BLOCKED pdb default/p allows 0 disruptions (default/a, default/b, default/c, default/d, default/e and 2 "
      "more pods)\nmove of 8 pods saves 1 of 1, 0 launches\n" },
    /* the budget of its own pool, until its window closes */
    { HEAD "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: another}, spec: {template: {spec: "
           "{nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, "
           "requirements: []}}, disruption: {budgets: [{nodes: '0', schedule: '0 0 * * *', duration: 2h}]}}, status: "
           "{conditions: [{type: Ready, status: 'True'}]}}\n" OWN_POOL(
               "disruption: {consolidateAfter: 0s, budgets: [{nodes: '0', schedule: '0 0 * * *', duration: 8h}]}, ",
               ", requirements: []") ALONE("", UP CONSOLIDATABLE) ROOM ONE,
      "BUDGET the pool's disruption budgets allow no more nodes: default: budgets[0] allows 0 of 1 node for "
      "Underutilized, schedule '0 0 * * *' for 8h, until "
      "2026-06-01T08:00:00Z until 2026-06-01T08:00:00Z\n" MOVES },
    /* empty ones go first: so many of them are named */
    { PLAIN ALONE("", UP CONSOLIDATABLE) OWNED("e1", "", UP CONSOLIDATABLE, "") ROOM ONE,
      "NOT_REACHED_IN_PASS another command came first: Emptiness of e1\n" MOVES },
    { HEAD OWN_POOL("disruption: {consolidateAfter: 0s}, ", ", requirements: []") ALONE("", UP CONSOLIDATABLE)
          OWNED("e1", "", UP CONSOLIDATABLE, "") OWNED("e2", "", UP CONSOLIDATABLE, "")
              OWNED("e3", "", UP CONSOLIDATABLE, "") OWNED("e4", "", UP CONSOLIDATABLE, "")
                  OWNED("e5", "", UP CONSOLIDATABLE, "") OWNED("e6", "", UP CONSOLIDATABLE, "") ROOM ONE,
      "NOT_REACHED_IN_PASS another command came first: Emptiness of e1, e2, e3, e4, e5 and 1 more node\n" MOVES },
    /* where its only pod would find no place there is no move */
    { PLAIN ALONE("", UP CONSOLIDATABLE) ROOM NAMED, "PODS_WOULD_NOT_SCHEDULE not all pods that would have to move fit "
                                                     "elsewhere: default/a: NodePool default: incompatible "
                                                     "requirements, the host name is fixed\n" },
    /* drift comes before consolidation, where it is true */
    { HEAD OWN_POOL("disruption: {consolidateAfter: 0s}, ", ", requirements: []")
          ALONE("", UP CONSOLIDATABLE ", {type: Drifted, status: 'False'}")
              OWNED("n2", "", UP ", {type: Drifted, status: 'True'}", "") ROOM ONE RUNNING("b", "n2", "1", ""),
      "NOT_REACHED_IN_PASS another command came first: Drift of n2\n" MOVES },
};

static void test_nodes(void **state)
{
    (void)state;
    explain_nodes(nodes, sizeof nodes / sizeof *nodes, NULL);
}

/* ---- one method alone -------------------------------------------------------------------------------------------- */

static karp_disrupt_options of_method(uint32_t method)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    options.method = method;
    return options;
}

static void test_methods(void **state)
{
    (void)state;
    static const char world[] = PLAIN ALONE("", UP CONSOLIDATABLE) OWNED("e1", "", UP CONSOLIDATABLE, "") ROOM ONE;
    const struct explained single = { world, "goes\n" },
                           several = { world,
                                       "TOO_FEW_NODES multi-node consolidation needs at least two candidates\n" MOVES },
                           empty = { world, "NOT_EMPTY pods run on the node\n" MOVES },
                           drift = { world, "NOT_DRIFTED the condition Drifted of its NodeClaim is not true\n" MOVES };
    karp_disrupt_options options = of_method(KARP_METHOD_SINGLE_NODE);
    explain_nodes(&single, 1, &options);
    options = of_method(KARP_METHOD_MULTI_NODE);
    explain_nodes(&several, 1, &options);
    options = of_method(KARP_METHOD_EMPTINESS);
    explain_nodes(&empty, 1, &options);
    options = of_method(KARP_METHOD_DRIFT);
    explain_nodes(&drift, 1, &options);
}

/* A limit of work ends the pass before the node's turn, and no command came first: m1 cannot go, and more than that is
 * not tried. */
static void test_not_reached(void **state)
{
    (void)state;
    const struct explained out_of_turn = {
        PLAIN OWNED("m1", "", UP CONSOLIDATABLE, "")
            ALONE("", UP CONSOLIDATABLE) "- {apiVersion: v1, kind: Node, metadata: {name: n9, labels: "
                                         "{kubernetes.io/hostname: n9}}, spec: {}, status: "
                                         "{capacity: {cpu: '1', memory: 64Gi, pods: '9'}, allocatable: {cpu: '1', "
                                         "memory: 64Gi, pods: '9'}}}\n" RUNNING("b", "m1", "4", "") ONE,
        "SEARCH_STOPPED the search was stopped before it was known whether the node can be removed\n" MOVES
    };
    karp_disrupt_options options = of_method(KARP_METHOD_SINGLE_NODE);
    options.max_simulations = 1;
    explain_nodes(&out_of_turn, 1, &options);
}

/* ---- the most ---------------------------------------------------------------------------------------------------- */

/* A hundred reasons are enough. */
static void test_most_blockers(void **state)
{
    (void)state;
    static char world[60000];
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_node_explanation *e = NULL;
    karp_error error;
    size_t length = (size_t)snprintf(world, sizeof world, "%s", PLAIN ALONE("", UP CONSOLIDATABLE) ROOM);
    for (int i = 0; i < 105; i++) {
        length += (size_t)snprintf(world + length, sizeof world - length,
                                   "- {apiVersion: v1, kind: Pod, metadata: {name: p%d, namespace: default, uid: u-%d, "
                                   "annotations: {karpenter.sh/do-not-disrupt: 'true'}}, spec: "
                                   "{nodeName: n1, containers: []}, status: {phase: Running}}\n",
                                   i, i);
        assert_true(length < sizeof world);
    }
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(world_of(context, "world", world, &snapshot, &error), KARP_OK);
    assert_int_equal(karp_explain_node(snapshot, NULL, (karp_str){ "n1", 2 }, &e, &error), KARP_OK);
    assert_int_equal(karp_node_explanation_blocker_count(e), 100);
    karp_blocker b = { .size = sizeof b };
    assert_int_equal(karp_node_explanation_blocker(e, 99, &b), KARP_OK);
    assert_int_equal(b.code, KARP_REASON_POD_DO_NOT_DISRUPT);
    assert_int_equal(karp_node_explanation_blocker(e, 100, &b), KARP_E_NOT_FOUND);
    karp_node_explanation_free(e);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

/* Of a claim that was made on the first of May, a month before. */
static void test_expired(void **state)
{
    (void)state;
    static const struct {
        const char *more;
        uint32_t gracefully, expired;
        size_t facts;
    } rows[] = { { "expireAfter: 743h", 0, 1, 1 },   { "expireAfter: 744h", 0, 1, 1 },
                 { "expireAfter: 744h1s", 0, 0, 1 }, { "expireAfter: 768h", 0, 0, 1 },
                 { "expireAfter: 768h1s", 0, 0, 0 }, { "expireAfter: Never", 0, 0, 0 },
                 { "expireAfter: 0s", 0, 1, 1 },     { "expireAfter: 1h", 1, 0, 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char world[8000];
        karp_context *context = NULL;
        karp_snapshot *snapshot = NULL;
        karp_node_explanation *e = NULL;
        karp_error error;
        karp_disrupt_options options = of_method(KARP_METHOD_ANY);
        options.expire_gracefully = rows[i].gracefully;
        static const char given[] = "requirements: []}, status: {providerID", parts[] = PLAIN ALONE("", UP) ROOM ONE;
        const char *at = strstr(parts, given);
        assert_non_null(at);
        int length = snprintf(world, sizeof world, "%.*s%s, %s", (int)(at - parts), parts, rows[i].more, at);
        assert_true(length > 0 && (size_t)length < sizeof world);
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
        assert_int_equal(world_of(context, "world", world, &snapshot, &error), KARP_OK);
        assert_int_equal(karp_explain_node(snapshot, &options, (karp_str){ "n1", 2 }, &e, &error), KARP_OK);
        assert_int_equal(karp_node_explanation_expired(e), rows[i].expired);
        assert_int_equal(karp_node_explanation_fact_count(e), rows[i].facts);
        karp_node_explanation_free(e);
        karp_snapshot_unref(snapshot);
        karp_context_unref(context);
    }
}

static void test_bad_calls(void **state)
{
    (void)state;
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_node_explanation *e = NULL;
    karp_error error;
    karp_disrupt_options options = of_method(KARP_METHOD_ANY);
    const karp_str n1 = { "n1", 2 };
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(world_of(context, "world", PLAIN ALONE("", UP) ONE, &snapshot, &error), KARP_OK);
    assert_int_equal(karp_explain_node(NULL, &options, n1, &e, &error), KARP_E_INVALID);
    assert_int_equal(karp_explain_node(snapshot, &options, n1, NULL, &error), KARP_E_INVALID);
    options.size = 1;
    assert_int_equal(karp_explain_node(snapshot, &options, n1, &e, &error), KARP_E_ABI_SIZE);
    options = of_method(KARP_METHOD_REPAIR + 1);
    assert_int_equal(karp_explain_node(snapshot, &options, n1, &e, &error), KARP_E_INVALID);
    assert_null(e);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),         cmocka_unit_test(test_methods),   cmocka_unit_test(test_not_reached),
        cmocka_unit_test(test_most_blockers), cmocka_unit_test(test_bad_calls), cmocka_unit_test(test_expired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
