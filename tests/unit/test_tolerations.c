/* SPDX-License-Identifier: Apache-2.0 */
/* Which tolerations tolerate which taints, and what a pod gives up for one that is only preferred. */
#include "planning.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static karp_context *context;

/* Whether a pod with that toleration goes to a node with that taint; nothing else is there for it. */
static bool tolerated(const char *taint, const char *toleration)
{
    char yaml[2000], plan[200];
    karp_error error;
    snprintf(
        yaml, sizeof yaml,
        "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- instanceTypes:\n"
        "  - {name: none, capacity: {cpu: '1', pods: '1'}, offerings: [{zone: a, capacityType: on-demand, price: "
        "1}]}\nobjects:\n" POOL
        "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}, spec: {taints: "
        "[{%s}]}, status: {capacity: {cpu: 4, pods: 9}, allocatable: {cpu: 4, pods: 9}}}\n"
        "- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: u}, spec: {tolerations: [{%s}], "
        "containers: [{name: c, resources: {requests: {cpu: 2}}}]}, "
        "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n",
        taint, toleration);
    karp_error_init(&error, sizeof error);
    karp_status status = plan_of(context, yaml, plan, sizeof plan, &error);
    if (status != KARP_OK) fail_msg("%s, %s: %s", taint, toleration, error.message);
    bool yes = strcmp(plan, "node n1 p\n") == 0;
    if (!yes) assert_memory_equal(plan, "no p ", 5);
    return yes;
}

static void keys_and_effects(void **state)
{
    (void)state;
    static const struct {
        const char *taint, *toleration;
        bool yes;
    } rows[] = {
        { "key: k, value: v, effect: NoSchedule", "key: k, operator: Equal, value: v, effect: NoSchedule", true },
        { "key: k, value: v, effect: NoSchedule", "key: k, value: v", true },
        { "key: k, value: v, effect: NoSchedule", "key: k, value: w", false },
        { "key: k, value: v, effect: NoSchedule", "key: k", false },
        { "key: k, effect: NoSchedule", "key: k", true },
        { "key: k, value: v, effect: NoSchedule", "key: k, operator: Exists", true },
        { "key: k, value: v, effect: NoSchedule", "key: l, operator: Exists", false },
        { "key: k, value: v, effect: NoSchedule", "operator: Exists", true },
        { "key: k, value: v, effect: NoSchedule", "operator: Exists, effect: NoSchedule", true },
        { "key: k, value: v, effect: NoExecute", "operator: Exists, effect: NoSchedule", false },
        { "key: k, value: v, effect: PreferNoSchedule", "key: l, operator: Exists", false },
        /* Without a key the values still have to agree. */
        { "key: k, value: v, effect: NoSchedule", "operator: Equal, value: v", true },
        { "key: k, value: v, effect: NoSchedule", "operator: Equal, value: w", false },
        /* An operator that nobody knows. */
        { "key: k, value: v, effect: NoSchedule", "key: k, operator: Near, value: v", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (tolerated(rows[i].taint, rows[i].toleration) != rows[i].yes)
            fail_msg("%s, %s", rows[i].taint, rows[i].toleration);
    }
}

/* Lt and Gt compare the taint's number with the toleration's, both as the API server would write them. */
static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *taint, *ours;
        bool less, more;
    } rows[] = {
        { "5", "7", true, false },
        { "7", "5", false, true },
        { "5", "5", false, false },
        { "-5", "0", true, false },
        { "0", "-5", false, true },
        { "-7", "-5", true, false },
        { "10", "9", false, true },
        { "9223372036854775806", "9223372036854775807", true, false },
        { "-9223372036854775808", "0", true, false },
        { "0", "9223372036854775808", false, false }, /* beyond 64 bits */
        { "9223372036854775808", "0", false, false },
        { "007", "9", false, false },
        { "7", "009", false, false },
        { "00", "9", false, false },
        { "-07", "9", false, false },
        { "-0", "9", false, false },
        { "+7", "9", false, false },
        { "7", "+9", false, false },
        { "seven", "9", false, false },
        { "7", "nine", false, false },
        { "", "9", false, false },
        { "7", "", false, false },
        { "-", "9", false, false },
        { "7.0", "9", false, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char taint[100], less[100], more[100];
        snprintf(taint, sizeof taint, "key: k, value: '%s', effect: NoSchedule", rows[i].taint);
        snprintf(less, sizeof less, "key: k, operator: Lt, value: '%s'", rows[i].ours);
        snprintf(more, sizeof more, "key: k, operator: Gt, value: '%s'", rows[i].ours);
        if (tolerated(taint, less) != rows[i].less) fail_msg("%s < %s", rows[i].taint, rows[i].ours);
        if (tolerated(taint, more) != rows[i].more) fail_msg("%s > %s", rows[i].taint, rows[i].ours);
    }
}

/* How many steps a pod that fits nowhere went down, where a pool only prefers that no pod comes. */
static size_t steps_down(const char *tolerations)
{
    char yaml[3000];
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_error error;
    karp_options options;
    snprintf(yaml, sizeof yaml,
             "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- "
             "instanceTypes:\n%sobjects:\n"
             "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {template: {spec: "
             "{taints: [{key: k, effect: PreferNoSchedule}], nodeClassRef: {group: karpenter.kwok.sh, "
             "kind: KWOKNodeClass, name: default}, requirements: []}}}, status: {conditions: [{type: Ready, status: "
             "'True'}, {type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"
             "- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: u}, spec: {tolerations: [%s], "
             "containers: [{name: c, resources: {requests: {cpu: 99}}}]}, "
             "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n",
             TYPE("m", "1", ""), tolerations);
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    options.explain = KARP_EXPLAIN_FULL;
    assert_int_equal(world_of(context, "case", yaml, &snapshot, &error), KARP_OK);
    assert_int_equal(karp_provision(snapshot, &options, &d, &error), KARP_OK);
    karp_unschedulable u = { .size = sizeof u };
    assert_int_equal(karp_decision_unschedulable(d, 0, &u), KARP_OK);
    size_t steps = u.relaxed_count;
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    return steps;
}

/* The toleration of what is only preferred is added unless it is there word for word. */
static void preferred_taints(void **state)
{
    (void)state;
    assert_int_equal(steps_down(""), 1);
    assert_int_equal(steps_down("{operator: Exists, effect: PreferNoSchedule}"), 0);
    assert_int_equal(steps_down("{key: k, operator: Exists}, {operator: Exists, effect: PreferNoSchedule}"), 0);
    assert_int_equal(steps_down("{operator: Exists}"), 1);
    assert_int_equal(steps_down("{operator: Exists, effect: NoSchedule}"), 1);
    assert_int_equal(steps_down("{key: k, operator: Exists, effect: PreferNoSchedule}"), 1);
    assert_int_equal(steps_down("{effect: PreferNoSchedule}"), 1);
    assert_int_equal(steps_down("{operator: Exists, value: v, effect: PreferNoSchedule}"), 1);
    assert_int_equal(steps_down("{operator: Exists, effect: PreferNoSchedule, tolerationSeconds: 5}"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(keys_and_effects), cmocka_unit_test(numbers),
                                        cmocka_unit_test(preferred_taints) };
    if (karp_context_new(NULL, &context, NULL) != KARP_OK) return 1;
    int failed = cmocka_run_group_tests_name("tolerations", tests, NULL, NULL);
    karp_context_unref(context);
    return failed;
}
