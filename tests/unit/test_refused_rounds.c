/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is refused while a decision is made, in worlds of many sizes, so that each list is at some time the one
 * that needs more. */
#include "device_documents.h"
#include "planning.h"

#include <stdio.h>
#include <string.h>

#include <support/fault.h>

enum { SIZES = 40, MOST_RESOURCES = 32, MOST_COUNTERS = 400, STEP_COUNTERS = 4, TEAMS = 70 };

#define TEAMS_POOL                                                                                                     \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: teams}, spec: {template: {spec: {nodeClassRef: " \
    "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: [{key: team, operator: "            \
    "Exists}]}}}, status: {conditions: "                                                                               \
    "[{type: Ready, status: 'True'}, {type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: "     \
    "'True'}]}}\n"

static char text[600000];

/* Refuses each request of a decision in turn; the last one is refused nothing. */
static void refuse_each(const char *yaml)
{
    static fault f;
    memset(&f, 0, sizeof f);
    karp_error error;
    karp_snapshot *snapshot = NULL;
    karp_options options;
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    options.explain = KARP_EXPLAIN_NONE;
    karp_context *context = fault_context(&f);
    assert_non_null(context);
    assert_int_equal(world_of(context, "world", yaml, &snapshot, &error), KARP_OK);
    size_t blocks = f.live_blocks, bytes = f.live_bytes;
    for (size_t at = 1, refused = 1; refused > 0; at++) {
        karp_decision *d = NULL;
        fault_arm(&f, at, false);
        karp_status status = karp_provision(snapshot, &options, &d, &error);
        refused = f.refused;
        fault_arm(&f, 0, false);
        if (status != KARP_OK) assert_int_equal(status, KARP_E_NOMEM);
        if (refused == 0) assert_int_equal(status, KARP_OK);
        assert_true((d != NULL) == (status == KARP_OK));
        karp_decision_unref(d);
        assert_int_equal(f.live_blocks, blocks);
        assert_int_equal(f.live_bytes, bytes);
    }
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

/* Many sizes of pods, enough of each that full claims rest, and some resources that a node has. */
static void many_sizes(void **state)
{
    (void)state;
    for (int resources = 0; resources < MOST_RESOURCES; resources++) {
        size_t n = (size_t)snprintf(text, sizeof text,
                                    "%s- {apiVersion: v1, kind: Pod, metadata: {name: many, namespace: default}, spec: "
                                    "{containers: [{name: c, resources: {requests: {cpu: 1",
                                    SNAPSHOT("{}", TYPE("m", "1", "")));
        for (int i = 0; i < resources; i++) n += (size_t)snprintf(text + n, sizeof text - n, ", example.com/r%d: 1", i);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "}}}]}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', "
                              "reason: Unschedulable}]}}\n");
        for (int i = 0; i < SIZES * 17; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "- {apiVersion: v1, kind: Pod, metadata: {name: p%d, namespace: default}, spec: "
                                  "{containers: [{name: c, resources: {requests: {cpu: %dm}}}]}, "
                                  "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: "
                                  "Unschedulable}]}}\n",
                                  i, 1 + i % SIZES);
        }
        refuse_each(text);
    }
}

/* Devices that take from many counters, and many claims. */
static void many_counters(void **state)
{
    (void)state;
    for (int counters = 1; counters <= MOST_COUNTERS; counters += STEP_COUNTERS) {
        size_t n = (size_t)snprintf(text, sizeof text, "%s",
                                    SNAPSHOT(ON, PLAIN) CLASS CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c")));
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "- {" API
            "kind: ResourceSlice, metadata: {name: s1}, spec: {driver: gpu.example.com, pool: {name: pool, generation: "
            "1, resourceSliceCount: 2}, allNodes: true, sharedCounters: [{name: set, counters: {");
        for (int i = 0; i < counters; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%sc%d: {value: 1}", i > 0 ? ", " : "", i);
        snprintf(text + n, sizeof text - n, "}}]}}\n%s",
                 SLICE_OF("s2", "pool", "1", "2", ALL,
                          "devices: [{name: d0, consumesCounters: [{counterSet: set, counters: {c0: {value: 1}}}]}]"));
        refuse_each(text);
    }
}

/* Domains that no pool names: each becomes known when a pod that counts goes there. */
static void many_domains(void **state)
{
    (void)state;
    size_t n = (size_t)snprintf(text, sizeof text, "%s", SNAPSHOT("{}", TYPE("m", "1", "")) TEAMS_POOL);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s",
                          POD("near", "1",
                              ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                              "[{topologyKey: team, labelSelector: {matchLabels: {app: x}}}]}}"));
    for (int i = 0; i < TEAMS; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "- {apiVersion: v1, kind: Pod, metadata: {name: p%d, namespace: default, labels: {app: "
                              "x}}, spec: {nodeSelector: {team: t%d}, "
                              "containers: [{name: c, resources: {requests: {cpu: 3}}}]}, status: {phase: Pending, "
                              "conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n",
                              i, i);
    }
    refuse_each(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(many_sizes), cmocka_unit_test(many_counters),
                                        cmocka_unit_test(many_domains) };
    return cmocka_run_group_tests_name("refused_rounds", tests, NULL, NULL);
}
