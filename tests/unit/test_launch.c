/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch says when the loop has ended, and what refused pods are told. */
#include "deciding.h"

#include <stdio.h>
#include <stdlib.h>

enum { MANY = 650, SENT = 600 };

/* MANY types, dearer and dearer; every pair has a family of its own, and the last fifty alone have `rare`. */
static char *many_types(void)
{
    size_t room = MANY * 400, used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    for (int i = 0; i < MANY; i++) {
        int number = (i * 7) % MANY; /* not in the order of prices */
        used += (size_t)snprintf(
            text + used, room - used,
            "- {name: t%03d, labels: {kubernetes.io/arch: [amd64], kubernetes.io/os: [linux], "
            "topology.kubernetes.io/zone: [z1], "
            "karpenter.sh/capacity-type: [on-demand], test/rare: [%s]}, capacity: {cpu: 4, memory: 8Gi, pods: 10}, "
            "offerings: [{zone: z1, capacityType: on-demand, price: %d.5}]}\n",
            number, number >= SENT ? "'1'" : "'0'", number + 1);
        assert_true(used < room);
    }
    return text;
}

static void test_many_types(void **state)
{
    (void)state;
    char *types = many_types(), name[8];
    deciding d = decide_on(types, CASES "world.yaml", POD("a", "", REQUESTS("cpu: 1")), NULL);
    karp_decision *decision = decide(&d, NULL);
    karp_launch l = { .size = sizeof l };
    assert_int_equal(karp_decision_launch(decision, 0, &l), KARP_OK);
    assert_int_equal(l.instance_type_count, SENT);
    for (int i = 0; i < SENT; i++) {
        snprintf(name, sizeof name, "t%03d", i);
        assert_string_equal(l.instance_types[i].ptr, name);
    }
    assert_string_equal(l.runner_up.instance_type.ptr, "t001");
    assert_string_equal(l.runner_up.zone.ptr, "z1");
    assert_true(l.choice.price == 1.5 && l.runner_up.price == 2.5);
    karp_decision_unref(decision);
    /* It is looked for when explanations are wanted. */
    karp_options quiet;
    karp_options_init(&quiet, sizeof quiet);
    quiet.explain = KARP_EXPLAIN_NONE;
    decision = decide(&d, &quiet);
    assert_int_equal(karp_decision_launch(decision, 0, &l), KARP_OK);
    assert_int_equal(l.runner_up.instance_type.len, 0);
    assert_true(l.choice.price == 1.5);
    karp_decision_unref(decision);
    deciding_free(&d);
    /* The six hundred cheapest do not hold what minValues asks for. */
    d = decide_on(types, POOL("default", ", requirements: [{key: test/rare, operator: Exists, minValues: 2}]"),
                  POD("a", "", REQUESTS("cpu: 1")), NULL);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), "!a MIN_VALUES_TRUNCATED");
    deciding_free(&d);
    d = decide_on(types, POOL("default", ", requirements: [{key: test/rare, operator: Exists, minValues: 2}]"),
                  CASES "best-effort.yaml", POD("a", "", REQUESTS("cpu: 1")), NULL);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), "default: a");
    deciding_free(&d);
    free(types);
}

/* The cheapest offering, wherever it stands; among equally cheap ones the first zone by name, then the first capacity
 * type. */
static void test_choice(void **state)
{
#define OFFERS(list)                                                                                                   \
    "- {name: t, labels: {topology.kubernetes.io/zone: [z1, z2], karpenter.sh/capacity-type: [on-demand, spot]}, "     \
    "capacity: {cpu: 4, memory: 8Gi, pods: 10}, offerings: [" list "]}\n"
#define OFFER(zone, type, price) "{zone: " zone ", capacityType: " type ", price: " price "}"
    static const struct {
        const char *types, *zone, *capacity_type;
    } rows[] = {
        { OFFERS(OFFER("z2", "on-demand", "1") "," OFFER("z1", "on-demand", "2")), "z2", "on-demand" },
        { OFFERS(OFFER("z1", "on-demand", "2") "," OFFER("z2", "on-demand", "1")), "z2", "on-demand" },
        { OFFERS(OFFER("z2", "on-demand", "1") "," OFFER("z1", "on-demand", "1")), "z1", "on-demand" },
        { OFFERS(OFFER("z2", "spot", "1") "," OFFER("z2", "on-demand", "1")), "z2", "on-demand" },
        { OFFERS(OFFER("z2", "on-demand", "1") "," OFFER("z1", "spot", "1")), "z1", "spot" },
        { OFFERS(OFFER("z1", "spot", "1") "," OFFER("z2", "on-demand", "1")), "z1", "spot" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        deciding d = decide_on(rows[i].types, CASES "world.yaml", POD("a", "", REQUESTS("cpu: 1")), NULL);
        karp_decision *decision = decide(&d, NULL);
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(decision, 0, &l), KARP_OK);
        if (strcmp(l.choice.zone.ptr, rows[i].zone) != 0 ||
            strcmp(l.choice.capacity_type.ptr, rows[i].capacity_type) != 0) {
            fail_msg("row %zu: %s %s", i, l.choice.zone.ptr, l.choice.capacity_type.ptr);
        }
        assert_true(l.choice.price == 1.0);
        karp_decision_unref(decision);
        deciding_free(&d);
    }
}

static void assert_message(const char *document, const char *expected)
{
    deciding d = decide_on(NULL, CASES "world.yaml", document, NULL);
    karp_decision *decision = decide(&d, NULL);
    karp_unschedulable u = { .size = sizeof u };
    assert_int_equal(karp_decision_unschedulable(decision, 0, &u), KARP_OK);
    assert_string_equal(u.message.ptr, expected);
    karp_decision_unref(decision);
    deciding_free(&d);
}

static void test_messages(void **state)
{
    (void)state;
    assert_message(
        POD("a", "", "nodeSelector: {team: red}, " REQUESTS("cpu: 1")),
        "incompatible with nodepool \"default\", incompatible requirements, label \"team\" does not have known values");
    assert_message(POD("a", "", "nodeSelector: {karpenter.sh/nodepool: other}, " REQUESTS("cpu: 1")),
                   "incompatible with nodepool \"default\", incompatible requirements, key karpenter.sh/nodepool, "
                   "karpenter.sh/nodepool In [other] not in karpenter.sh/nodepool In [default]");
    /* Requirements by key, without the host name and what only exists to simulate. */
    assert_message(
        POD("a", "",
            "nodeSelector: {topology.kubernetes.io/zone: z1, kubernetes.io/arch: arm64}, " REQUESTS("cpu: 100")),
        "incompatible with nodepool \"default\", no instance type has enough resources, resources "
        "{\"cpu\":\"100\",\"pods\":\"1\"}, "
        "requirements karpenter.sh/nodepool In [default], karpenter.test/testnodeclass In [default], "
        "kubernetes.io/arch In [arm64], "
        "topology.kubernetes.io/zone In [z1]");
}

/* A pool that cannot hold its own minValues is put aside before any pod is looked at, and says so. */
static void test_pool_put_aside(void **state)
{
    (void)state;
    deciding d = decide_on(
        NULL,
        POOL("choosy", ", requirements: [{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 9}]"),
        POD("a", "", REQUESTS("cpu: 1")), NULL);
    karp_decision *decision = decide(&d, NULL);
    karp_unschedulable u = { .size = sizeof u };
    assert_int_equal(karp_decision_unschedulable(decision, 0, &u), KARP_OK);
    assert_int_equal(u.code, KARP_REASON_MIN_VALUES);
    assert_string_equal(
        u.message.ptr,
        "incompatible with nodepool \"choosy\", the pool's own requirements do not leave enough instance types "
        "for their minValues");
    karp_decision_unref(decision);
    deciding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_many_types), cmocka_unit_test(test_choice),
                                        cmocka_unit_test(test_messages), cmocka_unit_test(test_pool_put_aside) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
