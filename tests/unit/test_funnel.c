/* SPDX-License-Identifier: Apache-2.0 */
/* How many types of a pool are left at each step for a pod that was not placed: all, with the labels, large enough, on
 * offer. */
#include "deciding.h"

#include <stdio.h>

#define LIMITED(amounts)                                                                                               \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {limits: {" amounts                \
    "}, template: {spec: "                                                                                             \
    "{nodeClassRef: {group: karpenter.test, kind: TestNodeClass, name: default}}}}}" DOCUMENT

static const struct world {
    const char *pool, *pod, *counts;
} worlds[] = {
    /* Nothing is left of the limits: what the pod asks for counts all the same. */
    { LIMITED("cpu: 1"), POD("a", "", REQUESTS("cpu: 1")), "LIMITS 4 4 4 4" },
    { LIMITED("cpu: 1"), POD("a", "", "nodeSelector: {kubernetes.io/arch: arm64}, " REQUESTS("cpu: 1")),
      "LIMITS 4 1 1 1" },
    { LIMITED("cpu: 1"), POD("a", "", "nodeSelector: {kubernetes.io/arch: arm64}, " REQUESTS("cpu: 8")),
      "LIMITS 4 1 0 0" },
    { LIMITED("nodes: 0"), POD("a", "", "nodeSelector: {test/size: large}, " REQUESTS("cpu: 8")),
      "NODE_LIMITS 4 1 1 1" },
    { LIMITED("nodes: 0"),
      POD("a", "",
          "nodeSelector: {topology.kubernetes.io/zone: z3, karpenter.sh/capacity-type: spot}, " REQUESTS("cpu: 1")),
      "NODE_LIMITS 4 2 2 0" },
    /* Some types are within the limits, and those that would do are not. */
    { LIMITED("cpu: 3"), POD("a", "", REQUESTS("cpu: 8")), "LIMITS 4 4 1 1" },
    { LIMITED("cpu: 3"), POD("a", "", "nodeSelector: {kubernetes.io/arch: arm64}, " REQUESTS("cpu: 1")),
      "LIMITS 4 1 1 1" },
    /* Limits are not the cause. */
    { LIMITED("cpu: 3"), POD("a", "", REQUESTS("cpu: 100")), "TYPE_RESOURCES 4 4 0 0" },
    { LIMITED("cpu: 100"),
      POD("a", "",
          "nodeSelector: {topology.kubernetes.io/zone: z3, karpenter.sh/capacity-type: spot}, " REQUESTS("cpu: 1")),
      "RESOURCES_AND_OFFERING 4 2 2 0" },
};

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        karp_options options;
        karp_unschedulable row = { .size = sizeof row };
        char counts[120];
        deciding d = decide_on(NULL, worlds[i].pool, worlds[i].pod, NULL);
        karp_options_init(&options, sizeof options);
        options.explain = KARP_EXPLAIN_SUMMARY;
        karp_decision *decision = decide(&d, &options);
        assert_int_equal(karp_decision_unschedulable(decision, 0, &row), KARP_OK);
        assert_int_equal(row.pool_count, 1);
        const karp_pool_refusal *p = row.pools;
        snprintf(counts, sizeof counts, "%s %u %u %u %u", karp_reason_name(p->code), (unsigned)p->types_start,
                 (unsigned)p->types_requirements, (unsigned)p->types_resources, (unsigned)p->types_offerings);
        assert_string_equal(counts, worlds[i].counts);
        karp_decision_unref(decision);
        deciding_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
