/* SPDX-License-Identifier: Apache-2.0 */
/* Objects from the _init functions serve as they are; what was only zeroed is passed over, and the decision says why.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/builder.h>
#include <karp/inspect.h>
#include <karp/karp.h>

#define T(text) ((karp_str){ text, sizeof(text) - 1 })
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static karp_context *context;

static int set_up(void **state)
{
    (void)state;
    return karp_context_new(NULL, &context, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    karp_context_unref(context);
    return 0;
}

/* A type with one offering of these requirements. */
static karp_status offered(const karp_requirement *list, size_t count, karp_catalogue **out, karp_error *error)
{
    const karp_offering offering = { .requirements = list, .requirement_count = count, .price = 1, .available = 1 };
    const karp_resource capacity[] = { { .name = T("cpu"), .text = T("4") },
                                       { .name = T("memory"), .text = T("8Gi") },
                                       { .name = T("pods"), .text = T("10") } };
    const karp_instance_type type = { .size = sizeof type,
                                      .name = T("t4"),
                                      .capacity = capacity,
                                      .capacity_count = COUNT(capacity),
                                      .offerings = &offering,
                                      .offering_count = 1 };
    karp_error_init(error, sizeof *error);
    return karp_catalogue_new(context, &type, 1, out, error);
}

static const karp_str zone[] = { { "b", 1 }, { "a", 1 } };
static const karp_str spot = { "spot", 4 };

static karp_decision *decide_offered(const karp_requirement *list, size_t count, const karp_pod *pod,
                                     const karp_node_pool *pool)
{
    karp_catalogue *types = NULL;
    karp_builder *builder = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *decision = NULL;
    karp_error error;
    assert_int_equal(offered(list, count, &types, &error), KARP_OK);
    assert_int_equal(karp_builder_new(context, &builder, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_catalogue(builder, types, NULL, 0, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_pod(builder, pod, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_node_pool(builder, pool, NULL), KARP_OK);
    assert_int_equal(karp_builder_finish(builder, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_provision(snapshot, NULL, &decision, NULL), KARP_OK);
    karp_snapshot_unref(snapshot);
    karp_builder_free(builder);
    karp_catalogue_unref(types);
    return decision;
}

static karp_decision *decide(const karp_pod *pod, const karp_node_pool *pool)
{
    const karp_requirement list[] = {
        { .key = T("topology.kubernetes.io/zone"), .op = KARP_OP_IN, .values = zone, .value_count = 1 },
        { .key = T("karpenter.sh/capacity-type"), .op = KARP_OP_IN, .values = &spot, .value_count = 1 },
    };
    return decide_offered(list, 2, pod, pool);
}

static void test_usable(void **state)
{
    (void)state;
    karp_pod pod;
    karp_node_pool pool;
    karp_pod_init(&pod, sizeof pod);
    karp_node_pool_init(&pool, sizeof pool);
    pod.meta.name = pool.meta.name = T("x");
    karp_decision *d = decide(&pod, &pool);
    assert_int_equal(karp_decision_launch_count(d), 1);
    assert_int_equal(karp_decision_warning_count(d), 0);
    karp_decision_unref(d);
}

static void test_passed_over(void **state)
{
    (void)state;
    static const struct {
        karp_node_pool change; /* laid over a usable pool where it is not zero */
        const char *why;
    } cases[] = {
        { { .replicas = 1 },
          "NodePool x is passed over: it is static: it has replicas; raise them, or add a NodePool without replicas" },
        { { .condition_count = SIZE_MAX }, "NodePool x is passed over: its condition Ready is not True" },
        { { .condition_count = 1 }, "NodePool x is passed over: it has no condition ValidationSucceeded" },
        { { .condition_count = 2 }, "NodePool x is passed over: it has no condition NodeClassReady" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        karp_pod pod;
        karp_node_pool pool;
        karp_pod_init(&pod, sizeof pod);
        karp_node_pool_init(&pool, sizeof pool);
        pod.meta.name = pool.meta.name = T("x");
        if (cases[i].change.replicas != 0) pool.replicas = cases[i].change.replicas;
        if (cases[i].change.condition_count != 0)
            pool.condition_count = cases[i].change.condition_count == SIZE_MAX ? 0 : cases[i].change.condition_count;
        karp_decision *d = decide(&pod, &pool);
        assert_int_equal(karp_decision_launch_count(d), 0);
        assert_int_equal(karp_decision_ignored_count(d), 1);
        assert_int_equal(karp_decision_warning_count(d), 1);
        assert_string_equal(karp_decision_warning(d, 0).ptr, cases[i].why);
        karp_decision_unref(d);
    }
}

/* What an offering leaves open, its launch leaves open; of several values the first in the order of bytes is launched.
 */
static void test_open_offerings(void **state)
{
    (void)state;
    static const struct {
        karp_requirement zone; /* without a key: none */
        const char *launched;
    } cases[] = {
        { { .key = { NULL, 0 } }, "" },
        { { .key = { "topology.kubernetes.io/zone", 27 }, .op = KARP_OP_EXISTS }, "" },
        { { .key = { "topology.kubernetes.io/zone", 27 }, .op = KARP_OP_IN, .values = zone, .value_count = 2 }, "a" },
        { { .key = { "topology.kubernetes.io/zone", 27 }, .op = KARP_OP_IN, .values = zone, .value_count = 1 }, "b" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const karp_requirement list[] = {
            { .key = T("karpenter.sh/capacity-type"), .op = KARP_OP_IN, .values = &spot, .value_count = 1 },
            cases[i].zone,
        };
        karp_pod pod;
        karp_node_pool pool;
        karp_launch launch = { .size = sizeof launch };
        karp_pod_init(&pod, sizeof pod);
        karp_node_pool_init(&pool, sizeof pool);
        pod.meta.name = pool.meta.name = T("x");
        karp_decision *d = decide_offered(list, cases[i].zone.key.len > 0 ? 2 : 1, &pod, &pool);
        assert_int_equal(karp_decision_launch_count(d), 1);
        assert_int_equal(karp_decision_launch(d, 0, &launch), KARP_OK);
        assert_string_equal(launch.choice.zone.ptr, cases[i].launched);
        assert_string_equal(launch.choice.capacity_type.ptr, "spot");
        karp_decision_unref(d);
    }
}

static void test_values(void **state)
{
    (void)state;
    karp_pod pod;
    karp_templated_pod templated;
    karp_node node;
    karp_node_claim claim;
    karp_daemon_set set;
    karp_capacity_buffer buffer;
    karp_storage_class storage;
    karp_templated_pod_init(&templated, sizeof templated);
    assert_int_equal(templated.phase, KARP_PHASE_PENDING);
    assert_string_equal(templated.conditions[0].reason.ptr, "Unschedulable");
    karp_node_init(&node, sizeof node);
    assert_int_equal(node.size, sizeof node);
    karp_node_claim_init(&claim, sizeof claim);
    assert_int_equal(claim.expire_after, INT64_C(720) * 3600 * 1000000000);
    assert_int_equal(claim.termination_grace_period, KARP_DURATION_UNSET);
    karp_daemon_set_init(&set, sizeof set);
    assert_int_equal(set.template_.size, sizeof set.template_);
    assert_int_equal(set.template_.termination_grace_seconds, 30);
    karp_capacity_buffer_init(&buffer, sizeof buffer);
    assert_int_equal(buffer.replicas, -1);
    karp_storage_class_init(&storage, sizeof storage);
    assert_int_equal(storage.binding_mode, KARP_BINDING_IMMEDIATE);
    /* a caller of another version */
    memset(&pod, 0x5a, sizeof pod);
    karp_pod_init(&pod, offsetof(karp_pod, phase));
    assert_int_equal(pod.termination_grace_seconds, 30);
    assert_int_equal(pod.phase, 0x5a5a5a5a);
    karp_pod_init(NULL, sizeof pod);
    karp_pod_init(&pod, sizeof pod.size - 1);
    assert_int_equal(pod.size, offsetof(karp_pod, phase));
}

static void test_removed(void **state)
{
    (void)state;
    karp_builder *builder = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_builder_new(context, &builder, NULL), KARP_OK);
    assert_int_equal(karp_builder_remove(builder, T("Pod"), T(""), T("nobody"), &error), KARP_E_NOT_FOUND);
    assert_string_equal(error.object, "Pod default/nobody");
    assert_int_equal(karp_builder_remove(builder, T("Node"), T(""), T("nobody"), &error), KARP_E_NOT_FOUND);
    assert_string_equal(error.object, "Node nobody");
    karp_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usable), cmocka_unit_test(test_passed_over), cmocka_unit_test(test_open_offerings),
        cmocka_unit_test(test_values), cmocka_unit_test(test_removed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
