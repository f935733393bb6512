/* SPDX-License-Identifier: Apache-2.0 */
/* Notes about input that decides nothing, or not what its author thinks. */
#include "deciding.h"
#include "io_reading.h"

#define WISH(weight)                                                                                                   \
    "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {affinity: {podAntiAffinity: "                             \
    "{preferredDuringSchedulingIgnoredDuringExecution: "                                                               \
    "[{weight: " weight ", podAffinityTerm: {topologyKey: x}}]}, podAffinity: "                                        \
    "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "                                                  \
    "podAffinityTerm: {topologyKey: x}}]}, nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: " \
    "100, preference: {}}]}}}}"
#define BUDGETED(nodes)                                                                                                \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {weight: 100, disruption: {budgets: "    \
    "[{nodes: '5'}, {nodes: '" nodes "'}]}}}"

/* A value that an API server refuses is noted, one at the edge of what it takes is not. */
static void test_values_refused_elsewhere(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
    } rows[] = {
        { WISH("1"), NULL },
        { WISH("100"), NULL },
        { WISH("101"),
          "Pod default/a: the weight of a preferred pod anti-affinity is 101; an API server takes 1 to 100" },
        { WISH("0"), "the weight of a preferred pod anti-affinity is 0" },
        { BUDGETED("100%"), NULL },
        { BUDGETED("0"), NULL },
        { BUDGETED("99%"), NULL },
        { BUDGETED("200%"), "NodePool p: the budget of 200% nodes; an API server takes a number, or 0% to 100%" },
        { BUDGETED("101%"), "the budget of 101% nodes" },
        { BUDGETED("%"), "the budget of % nodes" },
        { BUDGETED("-1"), "the budget of -1 nodes" },
        { "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {weight: 101}}",
          "NodePool p: spec.weight is 101; an API server takes 1 to 100" },
        { "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {weight: -1}}",
          "NodePool p: spec.weight is -1" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reading r = read_leniently(rows[i].text);
        assert_read(&r);
        if (rows[i].note != NULL && strstr(r.warnings, rows[i].note) == NULL)
            fail_msg("no note '%s' for %s", rows[i].note, rows[i].text);
        if (rows[i].note == NULL && strstr(r.warnings, "an API server takes") != NULL)
            fail_msg("a note for %s", rows[i].text);
        reading_free(&r);
    }
}

/* Thousands of pods may share a mistake: it is noted once. */
static void test_noted_once(void **state)
{
    (void)state;
    reading r = read_leniently(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 3, selector: {}, template: "
        "{spec: "
        "{containers: "
        "[{name: c}], affinity: {podAffinity: "
        "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5000, podAffinityTerm: {topologyKey: x}}]}}}}}}");
    assert_read(&r);
    const char *first = strstr(r.warnings, "affinity is 5000");
    assert_non_null(first);
    assert_null(strstr(first + 1, "affinity is 5000"));
    reading_free(&r);
}

/* A pod whose node is not there counts nowhere; that is noted, unless it has ended or waits to be placed. */
static void test_nodes_that_are_missing(void **state)
{
    (void)state;
    deciding d = decide_on(
        NULL, CASES "world.yaml", NODE("here", "", "4", "") BOUND("fine", "", "here", REQUESTS("cpu: 1")),
        BOUND("lost", "", "gone", REQUESTS("cpu: 1")) BOUND("lost-too", "", "gone", REQUESTS("cpu: 1")),
        "{apiVersion: v1, kind: Pod, metadata: {name: done}, spec: {nodeName: gone}, status: {phase: Succeeded}}",
        NULL);
    karp_decision *decision = decide(&d, NULL);
    assert_int_equal(karp_decision_warning_count(decision), 1);
    assert_string_equal(
        karp_decision_warning(decision, 0).ptr,
        "Pod default/lost: its node gone is not in the input, so the pod counts nowhere (and 1 more like it)");
    karp_decision_unref(decision);
    deciding_free(&d);
    d = decide_on(NULL, CASES "world.yaml", NODE("here", "", "4", "") BOUND("fine", "", "here", REQUESTS("cpu: 1")),
                  NULL);
    decision = decide(&d, NULL);
    assert_int_equal(karp_decision_warning_count(decision), 0);
    karp_decision_unref(decision);
    deciding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_values_refused_elsewhere),
                                        cmocka_unit_test(test_noted_once),
                                        cmocka_unit_test(test_nodes_that_are_missing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
