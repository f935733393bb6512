/* SPDX-License-Identifier: Apache-2.0 */
/* Capacity buffers: room for pods that are not there. */
#include "planning.h"

#include <stdio.h>
#include <string.h>

#include <karp/builder.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/settings.h>

#define ON "{featureGates: {CapacityBuffer: true}}"
#define TEMPLATE(cpu, more)                                                                                            \
    "- {apiVersion: v1, kind: PodTemplate, metadata: {name: t, namespace: default}, template: {metadata: {labels: "    \
    "{app: web}}, spec: {containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]" more "}}}\n"
#define BUFFER(name, replicas, ready)                                                                                  \
    "- {apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: " name                        \
    ", namespace: default, uid: b-" name "}, spec: {podTemplateRef: {name: t}}, "                                      \
    "status: {replicas: " replicas ", conditions: [{type: ReadyForProvisioning, status: '" ready "'}]}}\n"
#define X TYPE("x", "1", "")

static void virtual_pods(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, X) TEMPLATE("2", "") BUFFER("b", "3", "True"),
                "new default capacity-buffer-b-1,capacity-buffer-b-2 on x\nnew default capacity-buffer-b-3 on x\n");
    /* They are packed with the others, by size. */
    assert_plan(SNAPSHOT(ON, X) TEMPLATE("2", "") BUFFER("b", "2", "True") POD("p", "1", "") POD("q", "3", ""),
                "new default capacity-buffer-b-1,capacity-buffer-b-2 on x\nnew default p,q on x\n");
}

static void not_provisioned(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT("{}", X) TEMPLATE("2", "") BUFFER("b", "3", "True") POD("p", "1", ""), "new default p on x\n");
    assert_plan(SNAPSHOT(ON, X) TEMPLATE("2", "") BUFFER("b", "3", "False"), "");
    assert_plan(SNAPSHOT(ON, X) TEMPLATE("2", "") BUFFER("b", "0", "True"), "");
    assert_plan(SNAPSHOT(ON, X)
                    TEMPLATE("2", "") "- {apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: "
                                      "{name: b, namespace: default}, spec: {podTemplateRef: {name: t}}}\n",
                "");
    /* The template is not there. */
    assert_plan(SNAPSHOT(ON, X) BUFFER("b", "3", "True"), "");
}

static void constraints(void **state)
{
    (void)state;
    /* What the template asks for holds; nothing of it is validated. */
    assert_plan(SNAPSHOT(ON, X) TEMPLATE("1", ", nodeSelector: {topology.kubernetes.io/zone: b}")
                    BUFFER("b", "2", "True"),
                "new default capacity-buffer-b-1,capacity-buffer-b-2 on x zone=b\n");
    assert_plan(SNAPSHOT(ON, X)
                    TEMPLATE("1", ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
                                  "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]")
                        BUFFER("b", "2", "True"),
                "new default capacity-buffer-b-1 on x\nnew default capacity-buffer-b-2 on x\n");
    assert_plan(SNAPSHOT(ON, X) TEMPLATE("9", "") BUFFER("b", "1", "True"), "no capacity-buffer-b-1 TYPE_RESOURCES\n");
    /* Claims for volumes are left out. */
    assert_plan(SNAPSHOT(ON, X) TEMPLATE("1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: none}}]")
                    BUFFER("b", "1", "True"),
                "new default capacity-buffer-b-1 on x\n");
    /* Only the pods that the input names are placed. */
    assert_plan("apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: " ON
                "\nstate: {pods: [default/p]}\ncatalogues:\n- instanceTypes:\n" X "objects:\n" POOL TEMPLATE("2", "")
                    BUFFER("b", "3", "True") POD("p", "1", ""),
                "new default p on x\n");
}

static void order(void **state)
{
    (void)state;
    /* By buffer, then by number; equals otherwise. */
    assert_plan(SNAPSHOT(ON, X) TEMPLATE("2", "") BUFFER("z", "1", "True") BUFFER("a", "3", "True"),
                "new default capacity-buffer-a-1,capacity-buffer-a-2 on x\nnew default "
                "capacity-buffer-a-3,capacity-buffer-z-1 on x\n");
    /* The tenth is not placed before the second. */
#define B "capacity-buffer-b-"
    assert_plan(SNAPSHOT(ON, X) TEMPLATE("1", "") BUFFER("b", "10", "True"),
                "new default " B "1," B "2," B "3," B "4 on x\nnew default " B "10," B "9 on x\n"
                "new default " B "5," B "6," B "7," B "8 on x\n");
    /* Karpenter 1.15.0, pkg/state/virtualpods: they are created by the clock of the process, after what was just
     * stored. */
    assert_plan(
        SNAPSHOT(ON, X) TEMPLATE("2", "") BUFFER(
            "b", "2",
            "True") "- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: z, creationTimestamp: "
                    "'2026-06-01T00:00:00Z'}, spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}, "
                    "status: "
                    "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n",
        "new default " B "1,p on x\nnew default " B "2 on x\n");
}

static void limit(void **state)
{
    (void)state;
    karp_context *context = NULL;
    karp_context_options options;
    karp_error error;
    char text[64];
    karp_error_init(&error, sizeof error);
    karp_context_options_init(&options, sizeof options);
    options.max_pods = 10;
    assert_int_equal(karp_context_new(&options, &context, &error), KARP_OK);
    assert_int_equal(plan_of(context, SNAPSHOT(ON, X) TEMPLATE("2", "") BUFFER("b", "2000000000", "True"), text,
                             sizeof text, &error),
                     KARP_E_LIMIT);
    assert_string_equal(error.object, "CapacityBuffer default/b");
    assert_int_equal(
        plan_of(context, SNAPSHOT(ON, X) TEMPLATE("1", "") BUFFER("b", "10", "True"), text, sizeof text, &error),
        KARP_OK);
    karp_context_unref(context);
}

/* A builder whose finishing fails has no virtual pods; what it then yields counts them. */
static void builder_unchanged(void **state)
{
    (void)state;
    karp_context *context = NULL;
    karp_builder *b = NULL;
    karp_snapshot *s = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(NULL, &context, &error), KARP_OK);
    assert_int_equal(karp_builder_new(context, &b, &error), KARP_OK);
    karp_settings settings;
    karp_settings_init(&settings, sizeof settings);
    settings.gates |= KARP_GATE_CAPACITY_BUFFER;
    assert_int_equal(karp_builder_set_settings(b, &settings, &error), KARP_OK);
    karp_pod pod = { .size = sizeof pod };
    karp_condition ready = { .type = { "ReadyForProvisioning", 20 }, .status = { "True", 4 } };
    karp_capacity_buffer buffer = { .size = sizeof buffer,
                                    .meta.name = { "b", 1 },
                                    .template_ = &pod,
                                    .conditions = &ready,
                                    .condition_count = 1,
                                    .replicas = 3 };
    assert_int_equal(karp_builder_add_capacity_buffer(b, &buffer, &error), KARP_OK);
    /* Amounts that have no common scale: finishing fails late. */
    karp_resource far[] = { { .name = { "x", 1 }, .value = 1, .scale = -9 } },
                  near[] = { { .name = { "x", 1 }, .value = INT64_MAX, .scale = 9 } };
    karp_node first = { .size = sizeof first, .meta.name = { "n1", 2 }, .allocatable = far, .allocatable_count = 1 };
    karp_node second = { .size = sizeof second, .meta.name = { "n2", 2 }, .allocatable = near, .allocatable_count = 1 };
    assert_int_equal(karp_builder_add_node(b, &first, &error), KARP_OK);
    assert_int_equal(karp_builder_add_node(b, &second, &error), KARP_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(karp_builder_finish(b, &s, &error), KARP_E_RANGE);
    karp_builder_free(b);
    assert_int_equal(karp_builder_new(context, &b, &error), KARP_OK);
    assert_int_equal(karp_builder_set_settings(b, &settings, &error), KARP_OK);
    assert_int_equal(karp_builder_add_capacity_buffer(b, &buffer, &error), KARP_OK);
    assert_int_equal(karp_builder_finish(b, &s, &error), KARP_OK);
    karp_snapshot_counts counts = { .size = sizeof counts };
    karp_snapshot_get_counts(s, &counts);
    assert_int_equal(counts.pods, 3);
    assert_memory_equal(karp_snapshot_pod_name(s, 2).ptr, "default/capacity-buffer-b-3", 28);
    karp_snapshot_unref(s);
    karp_builder_free(b);
    karp_context_unref(context);
}

static void refused_memory(void **state)
{
    (void)state;
    assert_plan_fault(
        SNAPSHOT(ON, X) TEMPLATE("2", "") BUFFER("b", "3", "True") POD("p", "1", ""),
        "new default capacity-buffer-b-1,capacity-buffer-b-2 on x\nnew default capacity-buffer-b-3,p on x\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(virtual_pods),   cmocka_unit_test(not_provisioned), cmocka_unit_test(constraints),
        cmocka_unit_test(order),          cmocka_unit_test(limit),           cmocka_unit_test(builder_unchanged),
        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("buffers", tests, NULL, NULL);
}
