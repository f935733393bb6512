/* SPDX-License-Identifier: Apache-2.0 */
/* Changes laid over small clusters whose answers can be worked out by hand. */
#include <support/disrupting.h>

#include <math.h>

#include <karp/inspect.h>
#include <karp/what_if.h>

static const karp_str spot = { "spot", 4 };

static karp_change removed(const char *name)
{
    return (karp_change){ .name = { name, strlen(name) }, .kind = KARP_CHANGE_REMOVE_NODE };
}
static karp_change lost(const char *name)
{
    return (karp_change){ .name = { name, strlen(name) }, .kind = KARP_CHANGE_LOSE_ZONE };
}
static karp_change scaled(karp_str name, double factor)
{
    return (karp_change){ .name = name, .factor = factor, .kind = KARP_CHANGE_SCALE_PRICE };
}

static void ask(cluster *c, const karp_change *changes, size_t count)
{
    karp_decision_unref(c->decision);
    c->decision = NULL;
    karp_status status = karp_what_if(c->snapshot, changes, count, NULL, &c->decision, &c->error);
    if (status != KARP_OK) print_message("%s\n", c->error.message);
    assert_int_equal(status, KARP_OK);
}

static void expect_choice(const cluster *c, size_t index, const char *type, const char *zone, const char *capacity_type,
                          double price)
{
    karp_choice k = launch_at(c, index).choice;
    assert_string_equal(k.instance_type.ptr, type);
    assert_string_equal(k.zone.ptr, zone);
    assert_string_equal(k.capacity_type.ptr, capacity_type);
    assert_true(k.price == price);
}

static void expect_cost(const cluster *c, double before, double after)
{
    assert_true(karp_decision_cost_before(c->decision) == before);
    assert_true(karp_decision_cost_after(c->decision) == after);
}

static karp_placement placement_at(const cluster *c, size_t index)
{
    karp_placement p = { .size = sizeof p };
    assert_int_equal(karp_decision_placement(c->decision, index, &p), KARP_OK);
    return p;
}

/* Two nodes of 4 cores in z1: one with 3 cores in use, one with 2; and a waiting pod of 1 core. */
static void two_nodes(cluster *c)
{
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", "");
    add_node(c, "a", 2, "on-demand", "");
    add_node(c, "b", 2, "on-demand", "");
    add_pod(c, "a-0", "a", "1");
    add_pod(c, "a-1", "a", "2");
    add_pod(c, "b-0", "b", "2");
    add_pod_with(c, "daemon", "a", "500m",
                 ",\"ownerReferences\":[{\"apiVersion\":\"apps/"
                 "v1\",\"kind\":\"DaemonSet\",\"name\":\"d\",\"uid\":\"d\",\"controller\":true}]",
                 "");
    cluster_ready(c);
}

static void test_nothing(void **state)
{
    cluster *c = *state;
    two_nodes(c);
    ask(c, NULL, 0);
    assert_int_equal(karp_decision_launch_count(c->decision), 0);
    assert_int_equal(karp_decision_placement_count(c->decision), 0);
    assert_int_equal(karp_decision_warning_count(c->decision), 0);
    expect_cost(c, 4.0, 4.0);
}

static void test_removed_node(void **state)
{
    cluster *c = *state;
    two_nodes(c);
    const karp_change changes[] = { removed("a") };
    ask(c, changes, 1);
    /* a-1 is the larger and comes first: it fills b; a-0 gets the smallest type. The daemon's pod does not move. */
    assert_int_equal(karp_decision_placement_count(c->decision), 1);
    karp_placement p = placement_at(c, 0);
    assert_string_equal(p.node.ptr, "b");
    assert_int_equal(p.pod_count, 1);
    assert_string_equal(karp_decision_pod_name(c->decision, p.pods[0]).ptr, "default/a-1");
    assert_int_equal(karp_decision_launch_count(c->decision), 1);
    assert_int_equal(launch_at(c, 0).pod_count, 1);
    expect_choice(c, 0, "t01", "z1", "spot", 0.5);
    expect_cost(c, 4.0, 2.5);
    karp_node_use n = { .size = sizeof n };
    assert_int_equal(karp_decision_node(c->decision, 0, &n), KARP_OK);
    assert_int_equal(n.marked, 1);
    assert_string_equal(karp_decision_warning(c->decision, 0).ptr, "what if: without node a");
    /* The snapshot is as it was. */
    ask(c, NULL, 0);
    assert_int_equal(karp_decision_launch_count(c->decision), 0);
}

static void test_both_nodes(void **state)
{
    cluster *c = *state;
    two_nodes(c);
    const karp_change changes[] = { removed("b"), removed("a") };
    ask(c, changes, 2);
    assert_int_equal(karp_decision_placement_count(c->decision), 0);
    assert_int_equal(karp_decision_launch_count(c->decision), 1);
    assert_int_equal(launch_at(c, 0).pod_count, 3);
    expect_choice(c, 0, "t03", "z1", "spot", 1.5);
    expect_cost(c, 4.0, 1.5);
}

/* Pods that may not meet: both launches are paid for. */
static void test_two_launches(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", "");
    add_node(c, "a", 2, "on-demand", "");
    for (int i = 0; i < 2; i++) {
        add_pod_with(c, i == 0 ? "x" : "y", "a", "1", ",\"labels\":{\"app\":\"x\"}",
                     ",\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
                     "\"topologyKey\":\"kubernetes.io/hostname\","
                     "\"labelSelector\":{\"matchLabels\":{\"app\":\"x\"}}}]}}");
    }
    cluster_ready(c);
    const karp_change changes[] = { removed("a") };
    ask(c, changes, 1);
    assert_int_equal(karp_decision_launch_count(c->decision), 2);
    expect_choice(c, 0, "t01", "z1", "spot", 0.5);
    expect_choice(c, 1, "t01", "z1", "spot", 0.5);
    expect_cost(c, 2.0, 1.0);
}

static void test_lost_zone(void **state)
{
    cluster *c = *state;
    two_nodes(c);
    const karp_change changes[] = { lost("z1") };
    ask(c, changes, 1);
    assert_int_equal(karp_decision_placement_count(c->decision), 0);
    assert_int_equal(karp_decision_launch_count(c->decision), 1);
    expect_choice(c, 0, "t03", "z2", "spot", 1.5);
    const karp_change both[] = { lost("z1"), lost("z2") };
    ask(c, both, 2);
    assert_int_equal(karp_decision_launch_count(c->decision), 0);
    assert_int_equal(karp_decision_unschedulable_count(c->decision), 3);
    expect_cost(c, 4.0, 0.0);
}

/* Two pods wait where no zone is left: one could go to any of them, the other to none that there ever was. */
static void test_lost_for_good(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", "");
    for (int i = 0; i < 2; i++) {
        add(c,
            ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\"},"
            "\"spec\":{\"containers\":[{\"name\":\"m\"}]%s},"
            "\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
            "\"reason\":\"Unschedulable\"}]}}",
            i == 0 ? "any" : "none", i == 0 ? "" : ",\"nodeSelector\":{\"topology.kubernetes.io/zone\":\"z3\"}");
    }
    cluster_ready(c);
    const karp_change both[] = { lost("z1"), lost("z2") };
    ask(c, both, 2);
    assert_int_equal(karp_decision_unschedulable_count(c->decision), 2);
    for (size_t i = 0; i < 2; i++) {
        karp_unschedulable u = { .size = sizeof u };
        assert_int_equal(karp_decision_unschedulable(c->decision, i, &u), KARP_OK);
        assert_int_equal(u.permanent, strcmp(karp_decision_pod_name(c->decision, u.pod).ptr, "default/none") == 0);
    }
}

static void test_prices(void **state)
{
    cluster *c = *state;
    two_nodes(c);
    const karp_change dear[] = { removed("a"), removed("b"), scaled(spot, 4.0) };
    ask(c, dear, 3);
    expect_choice(c, 0, "t03", "z1", "on-demand", 3.0);
    const karp_change all[] = { removed("a"), scaled((karp_str){ NULL, 0 }, 2.0) };
    ask(c, all, 2);
    expect_choice(c, 0, "t01", "z1", "spot", 1.0);
    expect_cost(c, 4.0, 5.0); /* b costs 4 now, the launch 1 */
    const karp_change twice[] = { removed("a"), scaled(spot, 0.5), scaled(spot, 0.5) };
    ask(c, twice, 3);
    expect_choice(c, 0, "t01", "z1", "spot", 0.125);
}

static void expect_error(cluster *c, karp_change change, karp_status status)
{
    karp_decision *d = NULL;
    assert_int_equal(karp_what_if(c->snapshot, &change, 1, NULL, &d, &c->error), status);
    assert_null(d);
    assert_true(c->error.message[0] != '\0');
}

static void test_errors(void **state)
{
    cluster *c = *state;
    two_nodes(c);
    expect_error(c, removed("c"), KARP_E_NOT_FOUND);
    expect_error(c, lost("z3"), KARP_E_NOT_FOUND);
    expect_error(c, scaled((karp_str){ "sport", 5 }, 2), KARP_E_NOT_FOUND);
    expect_error(c, scaled(spot, -1), KARP_E_INVALID);
    expect_error(c, scaled(spot, (double)INFINITY), KARP_E_INVALID);
    expect_error(c, scaled(spot, (double)NAN), KARP_E_INVALID);
    expect_error(c, scaled(spot, 1e308), KARP_E_INVALID);
    expect_error(c, (karp_change){ .kind = 5 }, KARP_E_INVALID);
    expect_error(c, (karp_change){ .kind = KARP_CHANGE_UNAVAILABLE }, KARP_E_NOT_FOUND);
    expect_error(c, (karp_change){ .kind = 1, .name = { NULL, 3 } }, KARP_E_INVALID);
    assert_int_equal(karp_what_if(c->snapshot, NULL, 1, NULL, &c->decision, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_what_if(NULL, NULL, 0, NULL, &c->decision, &c->error), KARP_E_INVALID);
}

static void test_refused_memory(void **state)
{
    cluster *c = *state;
    two_nodes(c);
    const karp_change changes[] = { removed("a"), lost("z1"), scaled(spot, 2) };
    size_t blocks = c->fault.live_blocks, bytes = c->fault.live_bytes;
    for (size_t at = 1;; at++) {
        fault_arm(&c->fault, at, false);
        karp_decision *d = NULL;
        karp_status status = karp_what_if(c->snapshot, changes, 3, NULL, &d, &c->error);
        bool refused = c->fault.refused > 0;
        fault_arm(&c->fault, 0, false);
        if (!refused) {
            assert_int_equal(status, KARP_OK);
            karp_decision_unref(d);
            break;
        }
        assert_int_equal(status, KARP_E_NOMEM);
        assert_null(d);
        assert_int_equal(c->fault.live_blocks, blocks);
        assert_int_equal(c->fault.live_bytes, bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nothing, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_removed_node, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_two_launches, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_both_nodes, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_lost_zone, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_lost_for_good, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_prices, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_errors, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_refused_memory, cluster_set_up, cluster_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
