/* SPDX-License-Identifier: Apache-2.0 */
/* What a decision says of each node: what is requested there, what it receives. */
#include "deciding.h"

#include <karp/inspect.h>
#include <karp/what_if.h>

static karp_node_use node_named(const karp_decision *d, const char *name)
{
    karp_node_use n = { .size = sizeof n };
    for (size_t i = 0; karp_decision_node(d, i, &n) == KARP_OK; i++) {
        if (strcmp(n.node.ptr, name) == 0) return n;
    }
    fail_msg("no node %s", name);
    return n;
}

static void expect(const karp_decision *d, const char *name, uint32_t received, double cpu, double memory)
{
    karp_node_use n = node_named(d, name);
    assert_int_equal(n.pods_received, received);
    assert_true(n.cpu_requested == cpu);
    assert_true(n.memory_requested == memory);
    assert_true(n.cpu_allocatable == 8 && n.memory_allocatable == 8.0 * (1 << 30));
}

static void test_received(void **state)
{
    (void)state;
#define ON(rack) ", nodeSelector: {rack: " rack "}"
    deciding w = decide_on(
        NULL, CASES "world.yaml",
        NODE("n1", "rack: r1", "8", "") NODE("n2", "rack: r2", "8", "") NODE("n3", "", "8", ""),
        BOUND("there", "", "n1", REQUESTS("cpu: 2, memory: 1Gi")) BOUND("also", "", "n2", REQUESTS("cpu: 500m")),
        POD("a", "", REQUESTS("cpu: 1") ON("r1")) POD("b", "", REQUESTS("cpu: 2, memory: 2Gi") ON("r2"))
            POD("c", "", REQUESTS("cpu: 3, memory: 1Gi") ON("r2")),
        NULL);
    karp_decision *d = decide(&w, NULL);
    assert_string_equal(decision_words(d), "n1 <- a | n2 <- b c");
    expect(d, "n1", 1, 3, 1.0 * (1 << 30));
    expect(d, "n2", 2, 5.5, 3.0 * (1 << 30));
    expect(d, "n3", 0, 0, 0);
    karp_node_use none = { .size = sizeof none };
    assert_int_equal(karp_decision_node(d, 3, &none), KARP_E_NOT_FOUND);
    karp_decision_unref(d);
    deciding_free(&w);
}

static void expect_equal(const karp_decision *d, const karp_decision *like, size_t index)
{
    karp_node_use x = { .size = sizeof x }, y = { .size = sizeof y };
    assert_int_equal(karp_decision_node(d, index, &x), KARP_OK);
    assert_int_equal(karp_decision_node(like, index, &y), KARP_OK);
    assert_string_equal(x.node.ptr, y.node.ptr);
    assert_string_equal(x.node_pool.ptr, y.node_pool.ptr);
    assert_string_equal(x.instance_type.ptr, y.instance_type.ptr);
    assert_string_equal(x.zone.ptr, y.zone.ptr);
    assert_string_equal(x.capacity_type.ptr, y.capacity_type.ptr);
    assert_true(x.price == y.price);
    assert_true(x.cpu_requested == y.cpu_requested && x.cpu_allocatable == y.cpu_allocatable);
    assert_true(x.memory_requested == y.memory_requested && x.memory_allocatable == y.memory_allocatable);
    assert_int_equal(x.marked, y.marked);
    assert_int_equal(x.pods_received, y.pods_received);
}

/* A launch decision makes its rows when they are asked for, also when only it still refers to the snapshot. The
 * decision on changes, here on none, has listed its rows. */
static void test_made_later(void **state)
{
    (void)state;
    deciding w = decide_on(
        NULL, CASES "world.yaml", NODE("n1", "", "8", "") NODE("n2", "", "2", ""),
        "{apiVersion: v1, kind: Node, metadata: {name: old, labels: {kubernetes.io/hostname: old, "
        "karpenter.sh/nodepool: "
        "default, karpenter.sh/initialized: \"true\"}, deletionTimestamp: 2026-06-01T00:00:00Z, finalizers: "
        "[karpenter.sh/termination]}, spec: {providerID: \"test://old\"}, status: {capacity: {cpu: 4, memory: 8Gi, "
        "pods: "
        "10}, allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}" DOCUMENT,
        "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: old, labels: {karpenter.sh/nodepool: "
        "default}, "
        "deletionTimestamp: 2026-06-01T00:00:00Z, finalizers: [karpenter.sh/termination]}, status: {providerID: "
        "\"test://old\", nodeName: old}}" DOCUMENT,
        BOUND("leaves", "", "old", REQUESTS("cpu: 100m")) BOUND("stays", "", "n1", REQUESTS("cpu: 300m, memory: 1Gi"))
            POD("a", "", REQUESTS("cpu: 100m")) POD("b", "", REQUESTS("cpu: 200m, memory: 2Gi")),
        NULL);
    karp_decision *d = decide(&w, NULL), *listed = NULL;
    assert_int_equal(karp_what_if(w.snapshot, NULL, 0, NULL, &listed, NULL), KARP_OK);
    karp_snapshot_unref(w.snapshot);
    w.snapshot = NULL;
    assert_int_equal(karp_decision_node_count(d), 3);
    assert_int_equal(karp_decision_node_count(listed), 3);
    for (size_t i = 0; i < 3; i++) expect_equal(d, listed, i);
    assert_int_equal(node_named(d, "old").marked, 1);
    assert_true(node_named(d, "old").cpu_requested == 0);
    assert_int_equal(node_named(d, "n1").pods_received + node_named(d, "n2").pods_received, 3);
    assert_true(karp_decision_cost_before(d) == karp_decision_cost_before(listed));
    assert_true(karp_decision_cost_after(d) == karp_decision_cost_after(listed));
    karp_decision_unref(d);
    karp_decision_unref(listed);
    deciding_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_received), cmocka_unit_test(test_made_later) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
