/* SPDX-License-Identifier: Apache-2.0 */
/* Pods as no document would have them: texts that are not there, lengths and lists beyond all measure. */
#include <support/building.h>

#include <model/builder.h>

static karp_pod pod_of(const char *name)
{
    return (karp_pod){ .size = sizeof(karp_pod), .meta = { .name = str(name) } };
}

static void ports(void **state)
{
    building *f = *state;
    karp_host_port list[] = { { .host_ip = { NULL, 0 }, .port = 80, .protocol = T("TCP") },
                              { .host_ip = T(""), .port = 81, .protocol = T("TCP") },
                              { .host_ip = { NULL, 7 }, .port = 82, .protocol = T("TCP") },
                              { .host_ip = T("10.0.0.1"), .port = 83, .protocol = T("TCP") },
                              { .host_ip = T("no address"), .port = 84, .protocol = T("TCP") },
                              { .host_ip = T("::"), .port = 0, .protocol = T("TCP") } };
    karp_container c = { .name = T("c"), .ports = list, .port_count = COUNT(list) };
    karp_pod p = pod_of("p");
    p.containers = &c;
    p.container_count = 1;
    good(f, karp_builder_add_pod(f->b, &p, &f->error));
    host_port_list copied = f->s->shapes.items[pod_at(f->s, 0)->shape].ports;
    static const bool any[] = { true, true, true, false, false }, known[] = { true, true, true, true, false };
    assert_int_equal(copied.count, 5); /* a port that is 0 is none */
    for (uint32_t i = 0; i < copied.count; i++) {
        assert_int_equal(copied.items[i].any, any[i]);
        assert_int_equal(copied.items[i].ip_known, known[i]);
    }
    p = pod_of("q");
    karp_container missing[] = { { .name = T("a"), .ports = list, .port_count = 1 },
                                 { .name = T("b"), .ports = NULL, .port_count = 1 } };
    p.containers = missing;
    p.container_count = 2;
    assert_int_equal(karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID);
    assert_string_equal(f->error.object, "Pod default/q");
    p.containers = NULL;
    assert_int_equal(karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID);
    assert_int_equal(f->s->pods.count, 1);
}

/* The claim of an ephemeral volume is named for pod and volume. */
static void volumes(void **state)
{
    building *f = *state;
    karp_pod_volume list[] = { { .name = T("data"), .kind = KARP_VOLUME_EPHEMERAL },
                               { .name = T(""), .kind = KARP_VOLUME_EPHEMERAL },
                               { .name = { NULL, 4 }, .kind = KARP_VOLUME_EPHEMERAL } };
    karp_pod p = pod_of("p");
    p.volumes = list;
    p.volume_count = 2;
    good(f, karp_builder_add_pod(f->b, &p, &f->error));
    assert_int_not_equal(name_id(f, "p-data"), NO_ID);
    assert_int_not_equal(name_id(f, "p-"), NO_ID);
    p = pod_of("q");
    p.volumes = list + 2;
    p.volume_count = 1;
    good(f, karp_builder_add_pod(f->b, &p, &f->error));
    assert_int_not_equal(name_id(f, "q-"), NO_ID);
}

static void spread(void **state)
{
    building *f = *state;
    karp_spread_constraint one = { .topology_key = T("zone"),
                                   .max_skew = 1,
                                   .node_affinity_policy = KARP_POLICY_IGNORE + 1 };
    karp_pod p = pod_of("p");
    p.spread = &one;
    p.spread_count = 1;
    assert_int_equal(karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID);
    one.node_affinity_policy = KARP_POLICY_IGNORE;
    one.node_taints_policy = KARP_POLICY_IGNORE + 1;
    assert_int_equal(karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID);
    one.node_taints_policy = KARP_POLICY_IGNORE;
    good(f, karp_builder_add_pod(f->b, &p, &f->error));
}

static void containers(void **state)
{
    building *f = *state;
    static karp_resource amounts[] = { AMOUNT("cpu", "1") }, wrong[] = { AMOUNT("cpu", "x") },
                         in_force[] = { AMOUNT("cpu", "3") };
    /* A container without a name has the state of one without a name. */
    karp_container c[] = { { .name = { NULL, 0 }, .requests = amounts, .request_count = 1 } };
    karp_container_status s[] = { { .name = { NULL, 0 },
                                    .requests = in_force,
                                    .request_count = 1,
                                    .allocated = in_force,
                                    .allocated_count = 1,
                                    .has_resources = 1 } };
    karp_pod p = pod_of("p");
    p.containers = c;
    p.container_count = 1;
    p.container_statuses = s;
    p.container_status_count = 1;
    good(f, karp_builder_add_pod(f->b, &p, &f->error));
    assert_int_equal(strncmp(list_text(f, f->s->shapes.items[pod_at(f->s, 0)->shape].requests), "cpu=3", 5), 0);
    /* The first mistake counts, though sums go on. */
    karp_container mixed[] = { { .name = T("a"), .requests = wrong, .request_count = 1 },
                               { .name = T("b"), .requests = amounts, .request_count = 1 } };
    p = pod_of("q");
    p.containers = mixed;
    p.container_count = 2;
    p.init_containers = mixed;
    p.init_container_count = 2;
    assert_int_equal(karp_builder_add_pod(f->b, &p, &f->error), KARP_E_INVALID);
    assert_non_null(strstr(f->error.message, "\"x\" is not a quantity"));
}

#if SIZE_MAX > UINT32_MAX
static void long_uid(void **state)
{
    building *f = *state;
    karp_pod p = pod_of("p");
    p.meta.uid = (karp_str){ "u", (size_t)UINT32_MAX + 1 };
    bad(f, karp_builder_add_pod(f->b, &p, &f->error), KARP_E_LIMIT, "Pod default/p", "metadata.uid");
    p.meta.uid = (karp_str){ NULL, 5 };
    good(f, karp_builder_add_pod(f->b, &p, &f->error)); /* as if it had none */
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ports, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(volumes, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(spread, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(containers, building_set_up, building_tear_down),
#if SIZE_MAX > UINT32_MAX
        cmocka_unit_test_setup_teardown(long_uid, building_set_up, building_tear_down),
#endif
    };
    return cmocka_run_group_tests_name("builder_impossible", tests, NULL, NULL);
}
