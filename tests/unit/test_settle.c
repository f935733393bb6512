/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters that settle: what a decision leaves behind, round by round. */
#include "planning.h"

#include <karp/inspect.h>
#include <karp/settle.h>
#include <support/fault.h>

#include <stdio.h>
#include <string.h>

#define TYPES TYPE("big", "0.4", "")

/* A NodePool's node, which its NodeClaim is linked to by the provider id alone. */
#define LABELS                                                                                                         \
    "labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: big, topology.kubernetes.io/zone: "    \
    "a, karpenter.sh/capacity-type: on-demand, karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}"
#define SIZES "capacity: {cpu: '4', memory: 16Gi, pods: '10'}, allocatable: {cpu: '4', memory: 16Gi, pods: '10'}"
#define CONDITION(type) "{type: " type ", status: 'True', lastTransitionTime: '2026-05-01T00:00:00Z'}"
#define NODE(name, of_claim, more)                                                                                     \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name ", " LABELS "}, spec: {providerID: p-" name "}, "          \
    "status: {" SIZES ", conditions: [{type: Ready, status: 'True'}]}}\n"                                              \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c-" name ", " LABELS of_claim "}, "             \
    "spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: []}, "         \
    "status: {providerID: p-" name ", " SIZES ", conditions: [" CONDITION("Launched") ", " CONDITION(                  \
        "Registered") ", " CONDITION("Initialized") ", " CONDITION("Ready") more "]}}\n"
#define BOUND_POD(name, node)                                                                                          \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: w, uid: u-w, controller: true}]}, spec: "       \
    "{nodeName: " node ", containers: [{name: c, resources: {requests: {cpu: '1'}}}]}, status: {phase: Running, "      \
    "conditions: [{type: Ready, status: 'True'}]}}\n"

static void put_round(char *into, size_t room, const karp_settlement *s, size_t index)
{
    karp_settle_round r = { .size = sizeof r };
    size_t used = strlen(into);
    assert_int_equal(karp_settlement_round(s, index, &r), KARP_OK);
    snprintf(into + used, room - used, "+%zu -%zu left %zu, $%.2f\n", r.launches, r.removed_count, r.pods_left, r.cost);
}

struct settled_case {
    const char *about, *yaml;
    uint32_t disrupt;
    const char *expected;
};

/* Lines of the rounds, then the nodes of the settled cluster. */
static karp_status settle_text(karp_context *context, const struct settled_case *c, char *into, size_t room,
                               karp_error *error)
{
    karp_snapshot *snapshot = NULL;
    karp_settlement *s = NULL;
    karp_settle_options options;
    karp_settle_options_init(&options, sizeof options);
    options.disrupt = c->disrupt;
    into[0] = '\0';
    karp_status status = world_of(context, "case", c->yaml, &snapshot, error);
    if (status == KARP_OK) status = karp_settle(snapshot, &options, &s, error);
    if (status == KARP_OK) {
        karp_snapshot_counts counts = { .size = sizeof counts };
        for (size_t i = 0; i < karp_settlement_round_count(s); i++) put_round(into, room, s, i);
        karp_snapshot_get_counts(karp_settlement_snapshot(s), &counts);
        size_t used = strlen(into);
        snprintf(into + used, room - used, "%zu nodes, %zu pods%s", (size_t)counts.nodes, (size_t)counts.pods,
                 karp_settlement_settled(s) ? "" : ", unsettled");
        assert_int_equal(karp_decision_launch_count(karp_settlement_last(s)), 0);
    }
    karp_settlement_free(s);
    karp_snapshot_unref(snapshot);
    return status;
}

static const struct settled_case cases[] = {
    { "nothing to do", SNAPSHOT("{}", TYPES), 1, "0 nodes, 0 pods" },
    { "one launch", SNAPSHOT("{}", TYPES) POD("a", "3", ""), 1, "+1 -0 left 0, $0.40\n1 nodes, 1 pods" },
    { "a node that is being deleted ends with its claim, and its pods move",
      SNAPSHOT("{}", TYPES) NODE("two", ", deletionTimestamp: '2026-05-31T00:00:00Z'", "") BOUND_POD("a", "two"), 0,
      "+1 -0 left 0, $0.40\n1 nodes, 1 pods" },
    { "so does a node whose instance is terminating",
      SNAPSHOT("{}", TYPES) NODE("two", "", ", " CONDITION("InstanceTerminating")) BOUND_POD("a", "two"), 0,
      "+1 -0 left 0, $0.40\n1 nodes, 1 pods" },
    { "an empty node goes with a claim that does not name it",
      SNAPSHOT("{}", TYPES) NODE("two", "", ", " CONDITION("Consolidatable")), 1,
      "+0 -1 left 0, $0.00\n0 nodes, 0 pods" },
    { "two nodes become one, whose pods are consolidatable again",
      SNAPSHOT("{}", TYPES) NODE("one", "", ", " CONDITION("Consolidatable")) BOUND_POD("a", "one")
          NODE("two", "", ", " CONDITION("Consolidatable")) BOUND_POD("b", "two"),
      1, "+0 -1 left 0, $0.40\n1 nodes, 2 pods" },
    { "pods to place are those of the first decision only",
      SNAPSHOT("{}", TYPES) POD("a", "3", "") POD("b", "3", "") "state: {pods: [default/a]}\n", 0,
      "+1 -0 left 0, $0.40\n+1 -0 left 0, $0.80\n2 nodes, 2 pods" },
};

static void test_rounds(void **state)
{
    (void)state;
    char found[1024];
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        karp_error error;
        karp_context *context = context_of_case(&error);
        karp_status status = settle_text(context, &cases[i], found, sizeof found, &error);
        wrong += !as_expected(i, cases[i].about, status, &error, cases[i].expected, found);
        karp_context_unref(context);
    }
    assert_int_equal(wrong, 0);
}

/* Every refused allocation is NOMEM or costs nothing, and none leaks. */
static void test_refused_memory(void **state)
{
    (void)state;
    char found[1024];
    const struct settled_case *c = &cases[5];
    for (size_t n = 1;; n++) {
        fault f = { 0 };
        karp_context *context = fault_context(&f);
        assert_non_null(context);
        fault_arm(&f, n, false);
        karp_status status = settle_text(context, c, found, sizeof found, NULL);
        karp_context_unref(context);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        if (status == KARP_OK) assert_string_equal(found, c->expected);
        else assert_int_equal(status, KARP_E_NOMEM);
        if (f.refused == 0) break;
    }
}

static void test_arguments(void **state)
{
    (void)state;
    karp_error error;
    karp_context *context = context_of_case(&error);
    karp_snapshot *snapshot = NULL, *next = NULL;
    karp_settlement *s = NULL;
    karp_settle_options options;
    assert_int_equal(world_of(context, "case", cases[1].yaml, &snapshot, &error), KARP_OK);
    int64_t now = karp_snapshot_now(snapshot);
    assert_int_equal(karp_snapshot_after(snapshot, NULL, now - 1, &next, &error), KARP_E_INVALID);
    assert_int_equal(karp_snapshot_after(snapshot, NULL, now + 5, &next, &error), KARP_OK);
    assert_int_equal(karp_snapshot_now(next), now + 5);
    karp_snapshot_unref(next);
    const karp_str absent = { "absent", 6 };
    assert_int_equal(karp_snapshot_without(snapshot, &absent, 1, &next, &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_snapshot_without(snapshot, NULL, 1, &next, &error), KARP_E_INVALID);
    assert_int_equal(karp_snapshot_without(snapshot, NULL, 0, &next, &error), KARP_OK);
    assert_int_equal(karp_snapshot_now(next), now);
    karp_settle_options_init(&options, sizeof options);
    options.boot = -1;
    assert_int_equal(karp_settle(snapshot, &options, &s, &error), KARP_E_INVALID);
    options.boot = INT64_C(5000000000);
    assert_int_equal(karp_settle(snapshot, &options, &s, &error), KARP_OK);
    assert_int_equal(karp_snapshot_now(karp_settlement_snapshot(s)), now + options.boot);
    assert_int_equal(karp_settlement_first_round(s), 1);
    assert_int_equal(karp_decision_launch_count(karp_settlement_first(s)), 1);
    karp_settlement_free(s);
    karp_snapshot_unref(next);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rounds), cmocka_unit_test(test_refused_memory),
                                        cmocka_unit_test(test_arguments) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
