/* SPDX-License-Identifier: Apache-2.0 */
/* What a decision says of each node: what is requested there, what it receives. */
#include "deciding.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_received) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
