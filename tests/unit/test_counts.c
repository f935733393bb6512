/* SPDX-License-Identifier: Apache-2.0 */
/* How many things a snapshot holds. */
#include "planning.h"

#include <karp/inspect.h>
#include <karp/io.h>

#define LIST(pool, types) "- nodePools: [" pool "]\n  instanceTypes:\n" types
#define NAMED_POOL(name)                                                                                               \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name                                           \
    "}, spec: {template: {spec: {nodeClassRef: "                                                                       \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: []}}}, status: {conditions: "       \
    "[{type: Ready, status: 'True'}]}}\n"
/* Pods without a node that no launch is asked for: the first has ended, the second waits for its gate. */
#define OTHER_POD(name, phase, conditions)                                                                             \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default}, spec: {containers: [{name: c}]}, "  \
    "status: {phase: " phase ", conditions: [" conditions "]}}\n"
#define ENDED_POD OTHER_POD("ended", "Succeeded", "")
#define GATED_POD OTHER_POD("gated", "Pending", "{type: PodScheduled, status: 'False', reason: SchedulingGated}")
#define NODE(name) "- {apiVersion: v1, kind: Node, metadata: {name: " name "}, spec: {providerID: p-" name "}}\n"

/* Pools with catalogues of their own: the types of each count, those that two pools share count once. */
static void test_counts(void **state)
{
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_snapshot_counts c = { .size = sizeof c };
    (void)state;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(world_of(context, "world",
                              "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\ncatalogues:\n" LIST(
                                  "one", TYPE("a", "1", "")) LIST("two", TYPE("b", "1", "") TYPE("c", "1", ""))
                                  LIST("three, four", TYPE("d", "1", "") TYPE("e", "1", "")
                                                          TYPE("f", "1", "")) "objects:\n" NAMED_POOL("one")
                                      NAMED_POOL("two") NAMED_POOL("three") NAMED_POOL("four") NODE("n1") NODE("n2")
                                          POD("p", "1", "") POD("q", "1", "") POD("r", "2", "")
                                              POD("s", "2", ", nodeName: n1") ENDED_POD GATED_POD,
                              &snapshot, NULL),
                     KARP_OK);
    karp_snapshot_get_counts(snapshot, &c);
    assert_int_equal(c.instance_types, 6);
    assert_int_equal(c.offerings, 12);
    assert_int_equal(c.node_pools, 4);
    assert_int_equal(c.nodes, 2);
    assert_int_equal(c.pods, 6);
    assert_int_equal(c.pods_to_place, 3); /* p, q and r */
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
