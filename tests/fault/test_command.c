/* SPDX-License-Identifier: Apache-2.0 */
/* A command carried out to its end while memory is refused: at each step the status says so, nothing leaks, and the
 * same step taken again leads where it would have led. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <karp/io.h>
#include <karp/karp.h>
#include <support/fault.h>

static const char *const types_text =
    "[{\"name\":\"dear\",\"labels\":{\"node.kubernetes.io/"
    "instance-type\":[\"dear\"]},\"capacity\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"20\"},"
    "\"offerings\":[{\"zone\":\"z\",\"capacityType\":\"on-demand\",\"price\":2,\"available\":true}]},"
    "{\"name\":\"cheap\",\"labels\":{\"node.kubernetes.io/"
    "instance-type\":[\"cheap\"]},\"capacity\":{\"cpu\":\"2\",\"memory\":\"8Gi\",\"pods\":\"20\"},"
    "\"offerings\":[{\"zone\":\"z\",\"capacityType\":\"on-demand\",\"price\":1,\"available\":true}]}]";

#define NODE(name, more)                                                                                               \
    "{apiVersion: v1, kind: Node, metadata: {name: " name                                                              \
    ", labels: {karpenter.sh/nodepool: pool, node.kubernetes.io/instance-type: dear, "                                 \
    "topology.kubernetes.io/zone: z, karpenter.sh/capacity-type: on-demand}}, spec: {providerID: " name more           \
    "}, status: {capacity: {cpu: 4, memory: 8Gi, pods: 20}, "                                                          \
    "allocatable: {cpu: 4, memory: 8Gi, pods: 20}}}\n---\n"

/* An empty node that takes no pods, and one that a cheaper one could replace. */
static const char *const cluster_text =
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool}, spec: {template: {spec: {nodeClassRef: "
    "{group: g, kind: K, name: default}, requirements: "
    "[{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}}, disruption: {consolidateAfter: 0s, "
    "budgets: [{nodes: '100%'}]}}}\n---\n" NODE("none", ", taints: [{key: k, effect: NoSchedule}]")
        NODE("full", "") "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: full, containers: [{name: "
                         "c, resources: {requests: {cpu: 1500m}}}]}, status: {phase: Running}}\n---\n"
                         "{apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {nodeName: none, containers: [{name: "
                         "c, resources: {requests: {cpu: 3}}}]}, status: {phase: Succeeded}}\n";

static karp_snapshot *cluster(karp_context *context)
{
    karp_reader *reader = NULL;
    karp_catalogue *catalogue = NULL;
    karp_snapshot *snapshot = NULL;
    karp_status status = karp_reader_new(context, NULL, &reader, NULL);
    if (status == KARP_OK)
        status = karp_catalogue_read(context, (karp_str){ "types", 5 }, (karp_str){ types_text, strlen(types_text) },
                                     &catalogue, NULL);
    if (status == KARP_OK) status = karp_reader_add_catalogue(reader, catalogue, NULL);
    if (status == KARP_OK)
        status = karp_reader_add(reader, (karp_str){ "cluster", 7 }, (karp_str){ cluster_text, strlen(cluster_text) },
                                 NULL);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, NULL);
    assert_int_equal(status, KARP_OK);
    karp_catalogue_unref(catalogue);
    karp_reader_free(reader);
    return snapshot;
}

static karp_command_state state_of(const karp_step *step)
{
    karp_command_state s = { .size = sizeof s };
    assert_int_equal(karp_step_state(step, &s), KARP_OK);
    return s;
}

/* The step after `step` when its actions have been carried out; replacements are created under names of their own. */
static karp_status next_step(const karp_snapshot *snapshot, const karp_step *step, karp_step **out)
{
    static const karp_str names[] = { { "made-0", 6 }, { "made-1", 6 }, { "made-2", 6 }, { "made-3", 6 } };
    karp_command_state s = state_of(step);
    karp_observation created[4];
    size_t count = 0;
    karp_options common;
    karp_disrupt_options options;
    karp_options_init(&common, sizeof common);
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &common;
    common.now = karp_advice_look_again(karp_step_advice(step));
    for (size_t i = 0; i < karp_advice_action_count(karp_step_advice(step)); i++) {
        karp_action a = { .size = sizeof a };
        assert_int_equal(karp_advice_action(karp_step_advice(step), i, &a), KARP_OK);
        if (a.kind != KARP_ACTION_CREATE_REPLACEMENT || count == 4) continue;
        created[count] = (karp_observation){ KARP_OBSERVED_CREATED, (uint32_t)a.number, names[count] };
        count++;
    }
    if (s.phase == KARP_COMMAND_PHASE_WAITING) common.now = s.started + INT64_C(3700000000000); /* nobody comes */
    return karp_command_step(snapshot, &s, &options, created, count, out, NULL);
}

static karp_text words(karp_context *safe, const karp_step *step)
{
    karp_text text = { NULL, 0, NULL };
    karp_command_state s = state_of(step);
    assert_int_equal(karp_write_command(safe, &s, NULL, &text, NULL), KARP_OK);
    return text;
}

/* Refuses each request of one step in turn; the step that is made in the end. */
static karp_step *refuse_each(fault *f, karp_context *safe, const karp_snapshot *snapshot, const karp_step *before)
{
    karp_step *good = NULL;
    assert_int_equal(next_step(snapshot, before, &good), KARP_OK);
    karp_text expected = words(safe, good);
    size_t blocks = f->live_blocks, bytes = f->live_bytes, at = 1;
    for (;; at++) {
        karp_step *step = NULL;
        fault_arm(f, at, at % 2 == 0);
        karp_status status = next_step(snapshot, before, &step);
        size_t refused = f->refused;
        fault_arm(f, 0, false);
        if (status == KARP_OK) {
            karp_text same = words(safe, step);
            assert_string_equal(same.ptr, expected.ptr);
            karp_text_free(&same);
        } else {
            assert_int_equal(status, KARP_E_NOMEM);
            assert_null(step);
        }
        karp_step_free(step);
        assert_int_equal(f->live_blocks, blocks);
        assert_int_equal(f->live_bytes, bytes);
        if (refused == 0) break;
    }
    assert_true(at > 3);
    karp_text_free(&expected);
    return good;
}

static void to_the_end(uint32_t method, uint32_t end)
{
    static fault f;
    memset(&f, 0, sizeof f);
    karp_context *safe = NULL, *context = fault_context(&f);
    assert_int_equal(karp_context_new(NULL, &safe, NULL), KARP_OK);
    karp_snapshot *snapshot = cluster(context);
    karp_disrupt_options options;
    karp_decision *d = NULL;
    karp_step *step = NULL;
    karp_disrupt_options_init(&options, sizeof options);
    options.method = method;
    assert_int_equal(karp_disrupt(snapshot, &options, &d, NULL), KARP_OK);
    assert_true(karp_decision_command_count(d) > 0);
    assert_int_equal(karp_command_begin(d, 0, &step, NULL), KARP_OK);
    karp_decision_unref(d); /* a step owns what it shows */
    int steps = 0;
    while (!karp_advice_finished(karp_step_advice(step)) && steps++ < 20) {
        karp_step *next = refuse_each(&f, safe, snapshot, step);
        karp_step_free(step);
        step = next;
    }
    assert_true(steps >= 3 && steps < 20);
    assert_int_equal(state_of(step).phase, end);
    karp_step_free(step);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    karp_context_unref(safe);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

static void emptiness(void **state)
{
    (void)state;
    to_the_end(KARP_METHOD_EMPTINESS, KARP_COMMAND_PHASE_DONE);
}

/* The replacement never comes up. */
static void consolidation(void **state)
{
    (void)state;
    to_the_end(KARP_METHOD_SINGLE_NODE, KARP_COMMAND_PHASE_GIVEN_UP);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(emptiness), cmocka_unit_test(consolidation) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
