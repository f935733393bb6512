/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of dynamic resource allocation, as the builder takes them. */
#include <support/building.h>

#include <karp/devices.h>
#include <model/devices.h>

static karp_str no_text(size_t length) { return (karp_str){ NULL, length }; }

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static void owners(void **state)
{
    building *f = *state;
    static const karp_owner owned[] = { { .kind = { NULL, 0 }, .name = T("x") },
                                        { .kind = T("Pod"), .name = T("p") },
                                        { .kind = T("Node"), .name = T("n1") } };
    karp_resource_slice s = { .size = sizeof s,
                              .meta = { .name = T("a"), .owners = owned, .owner_count = 3 },
                              .driver = T("d"),
                              .pool = T("own") };
    good(f, karp_builder_add_resource_slice(f->b, &s, &f->error));
    assert_int_equal(f->s->slices.items[0].owner, name_id(f, "n1"));
    assert_int_equal(f->s->slices.items[0].node, NO_ID);
    s.meta.name = str("b");
    s.meta.owner_count = 2;
    s.node_name = str("n2");
    good(f, karp_builder_add_resource_slice(f->b, &s, &f->error));
    assert_int_equal(f->s->slices.items[1].owner, NO_ID);
    assert_int_equal(f->s->slices.items[1].node, name_id(f, "n2"));
}

/* Where something is wrong, field by field. */
static void wrong_slices(void **state)
{
    building *f = *state;
    static karp_device_attribute attribute = { .name = T("model"), .kind = KARP_ATTRIBUTE_VERSION + 1 };
    static karp_str valid[] = { T("1"), T("x") };
    static karp_request_policy policy = { .default_ = T("1"), .valid_values = valid, .valid_value_count = 2 };
    static karp_device_capacity capacity = { .name = T("memory"), .value = T("1e40") };
    static karp_counter counter = { .name = T("c"), .value = T("x") };
    static karp_counter_set counters = { .name = T("set"), .counters = &counter, .counter_count = 1 };
    karp_device devices[] = { { .name = T("g0") },
                              { .name = T("g1"), .attributes = &attribute, .attribute_count = 1 } };
    karp_resource_slice s = { .size = sizeof s,
                              .meta = { .name = T("s") },
                              .driver = T("d"),
                              .pool = T("own"),
                              .devices = devices,
                              .device_count = 2 };
    bad(f, karp_builder_add_resource_slice(f->b, &s, &f->error), KARP_E_INVALID, "ResourceSlice s",
        "devices[1].attributes[0]");
    devices[1] = (karp_device){ .name = T("g1"), .capacity = &capacity, .capacity_count = 1 };
    bad(f, karp_builder_add_resource_slice(f->b, &s, &f->error), KARP_E_RANGE, "ResourceSlice s",
        "devices[1].capacity[0].value");
    capacity.value = no_text(3);
    bad(f, karp_builder_add_resource_slice(f->b, &s, &f->error), KARP_E_INVALID, "ResourceSlice s",
        "devices[1].capacity[0].value");
    capacity.value = str("1");
    capacity.policy = &policy;
    bad(f, karp_builder_add_resource_slice(f->b, &s, &f->error), KARP_E_INVALID, "ResourceSlice s",
        "devices[1].capacity[0].requestPolicy.validValues");
    valid[1] = str("2");
    good(f, karp_builder_add_resource_slice(f->b, &s, &f->error));
    const device_capacity *copy = &f->s->slices.items[0].devices.items[1].capacity[0];
    assert_int_equal(copy->policy->valid_count, 2);
    assert_true(amount_cmp(copy->policy->valid[1], amount_whole(2)) == 0);
    assert_true(copy->policy->default_.given && !copy->policy->step.given);
    s.meta.name = str("t");
    devices[1] = (karp_device){ .name = T("g1"), .consumes = &counters, .consume_count = 1 };
    bad(f, karp_builder_add_resource_slice(f->b, &s, &f->error), KARP_E_INVALID, "ResourceSlice t",
        "devices[1].consumesCounters[0].counters");
    s.device_count = 0;
    s.shared_counters = &counters;
    s.shared_counter_count = 1;
    bad(f, karp_builder_add_resource_slice(f->b, &s, &f->error), KARP_E_INVALID, "ResourceSlice t",
        "sharedCounters[0].counters");
    assert_int_equal(f->s->slices.count, 1);
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

static void requests(void **state)
{
    building *f = *state;
    static karp_device_request alternatives[] = {
        { .name = T("big"), .device_class = T("gpu"), .count = 2 },
        { .name = T(""), .device_class = T("gpu"), .mode = KARP_ALLOCATE_ALL, .count = 7 }
    };
    karp_device_request list[] = { { .name = T("one"), .device_class = T("gpu"), .count = 1, .exact = 1 },
                                   { .name = T("some"), .alternatives = alternatives, .alternative_count = 2 },
                                   { .name = T(""), .alternatives = alternatives, .alternative_count = 1 } };
    karp_resource_claim c = { .size = sizeof c, .meta = { .name = T("c") }, .requests = list, .request_count = 3 };
    good(f, karp_builder_add_resource_claim(f->b, &c, &f->error));
    const resource_claim *r = &f->s->resource_claims.items[0];
    assert_int_equal(r->request_count, 3);
    assert_true(r->requests[0].exact && r->requests[0].count == 1 && r->requests[0].full_name == text_id(f, "one"));
    assert_true(!r->requests[1].exact && r->requests[1].alternative_count == 2);
    assert_int_equal(r->requests[1].alternatives[0].full_name, text_id(f, "some/big"));
    assert_true(r->requests[1].alternatives[0].exact && r->requests[1].alternatives[0].count == 2);
    assert_int_equal(r->requests[1].alternatives[1].full_name, text_id(f, "some/"));
    assert_true(r->requests[1].alternatives[1].all && r->requests[1].alternatives[1].count == 0);
    assert_int_equal(r->requests[2].alternatives[0].full_name, text_id(f, "/big"));
    c.meta.name = str("d");
    list[0].count = -1;
    bad(f, karp_builder_add_resource_claim(f->b, &c, &f->error), KARP_E_INVALID, "ResourceClaim default/d",
        "spec.devices.requests[0]");
    list[0].mode = KARP_ALLOCATE_ALL + 1;
    bad(f, karp_builder_add_resource_claim(f->b, &c, &f->error), KARP_E_INVALID, "ResourceClaim default/d",
        "spec.devices.requests[0]");
    karp_resource share = { .name = T("memory"), .text = T("x") };
    list[0] = (karp_device_request){ .name = T("one"), .exact = 1, .capacity = &share, .capacity_count = 1 };
    assert_int_equal(karp_builder_add_resource_claim(f->b, &c, &f->error), KARP_E_INVALID);
    share = (karp_resource){ .name = T("memory"), .value = INT64_MAX, .scale = 18 };
    assert_int_equal(karp_builder_add_resource_claim(f->b, &c, &f->error), KARP_E_RANGE);
    share.scale = -10;
    assert_int_equal(karp_builder_add_resource_claim(f->b, &c, &f->error), KARP_E_RANGE);
    share.scale = 19;
    assert_int_equal(karp_builder_add_resource_claim(f->b, &c, &f->error), KARP_E_RANGE);
    share = (karp_resource){ .name = T("memory"), .value = -3, .scale = 2 };
    good(f, karp_builder_add_resource_claim(f->b, &c, &f->error));
    r = &f->s->resource_claims.items[1];
    assert_true(amount_cmp(r->requests[0].capacity.items[0].value, amount_whole(-300)) == 0);
}

static void constraints_and_results(void **state)
{
    building *f = *state;
    static karp_str names[] = { T("a"), T("b/c") };
    static karp_device_constraint constraints[] = {
        { .match_attribute = T("d/x") }, { .requests = names, .request_count = 2, .match_attribute = T("d/y") }
    };
    static karp_resource consumed[] = { AMOUNT("memory", "1Gi") };
    karp_allocated_device results[] = {
        { .device = { T("d"), T("own"), T("g0") } },
        { .device = { T("d"), T("own"), T("g1") }, .has_consumed = 1, .consumed = consumed, .consumed_count = 1 }
    };
    karp_resource_claim c = { .size = sizeof c,
                              .meta = { .name = T("c") },
                              .constraints = constraints,
                              .constraint_count = 2,
                              .results = results,
                              .result_count = 2 };
    good(f, karp_builder_add_resource_claim(f->b, &c, &f->error));
    const resource_claim *r = &f->s->resource_claims.items[0];
    assert_true(r->constraint_count == 2 && r->constraints[0].request_count == 0 &&
                r->constraints[1].request_count == 2);
    assert_true(!r->allocated && r->result_count == 0); /* there is no allocation to have results */
    c.meta.name = str("d");
    c.allocated = 1;
    good(f, karp_builder_add_resource_claim(f->b, &c, &f->error));
    r = &f->s->resource_claims.items[1];
    assert_true(r->allocated && r->result_count == 2 && !r->results[0].has_consumed && r->results[1].has_consumed);
    assert_int_equal(r->results[1].consumed.count, 1);
    c.meta.name = str("e");
    c.result_count = 0;
    good(f, karp_builder_add_resource_claim(f->b, &c, &f->error));
    assert_true(f->s->resource_claims.items[2].allocated && f->s->resource_claims.items[2].result_count == 0);
    c.meta.name = str("g");
    c.results = NULL;
    c.result_count = 2;
    bad(f, karp_builder_add_resource_claim(f->b, &c, &f->error), KARP_E_INVALID, "ResourceClaim default/g",
        "status.allocation.devices.results");
}

/* Whether only pods hold it. */
static void consumers(void **state)
{
    building *f = *state;
    const karp_claim_consumer pods[] = { { .resource = T("pods"), .uid = T("u1") },
                                         { .resource = T("pods"), .uid = T("u2") } };
    const karp_claim_consumer others[][2] = {
        { { .resource = T("pods"), .uid = T("u1") }, { .resource = T("jobs"), .uid = T("u2") } },
        { { .resource = T("pods"), .uid = T("u1") }, { .resource = { NULL, 0 }, .uid = T("u2") } },
        { { .resource = T("pods"), .uid = T("u1") },
          { .api_group = T("batch"), .resource = T("pods"), .uid = T("u2") } },
    };
    karp_resource_claim c = {
        .size = sizeof c, .meta = { .name = T("c") }, .reserved_for = pods, .reserved_for_count = 2
    };
    good(f, karp_builder_add_resource_claim(f->b, &c, &f->error));
    assert_true(f->s->resource_claims.items[0].pods_only && f->s->resource_claims.items[0].pod_uid_count == 2);
    static const char *const names[] = { "d", "e", "f" };
    for (size_t i = 0; i < COUNT(others); i++) {
        c.meta.name = str(names[i]);
        c.reserved_for = others[i];
        good(f, karp_builder_add_resource_claim(f->b, &c, &f->error));
        const resource_claim *r = &f->s->resource_claims.items[i + 1];
        assert_true(!r->pods_only && r->pod_uid_count == 1 && r->pod_uids[0] == name_id(f, "u1"));
    }
    c.meta.name = str("g");
    c.reserved_for_count = 0;
    good(f, karp_builder_add_resource_claim(f->b, &c, &f->error));
    assert_false(f->s->resource_claims.items[4].pods_only);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(owners, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(wrong_slices, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(requests, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(constraints_and_results, building_set_up, building_tear_down),
        cmocka_unit_test_setup_teardown(consumers, building_set_up, building_tear_down),
    };
    return cmocka_run_group_tests_name("builder_devices", tests, NULL, NULL);
}
