/* SPDX-License-Identifier: Apache-2.0 */
/* Prices that consolidation compares: sold-out and repeated offerings, minValues of what is left, and room that buffers
 * hold. */
#include "planning.h"

#include <stdio.h>
#include <string.h>

#include <support/disrupting.h>

#include <karp/passes.h>

#define WORLD(settings, types, pool)                                                                                   \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: " settings                              \
    "\ncatalogues:\n- instanceTypes:\n" types "objects:\n"                                                             \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {template: {spec: "              \
    "{nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, "                                                  \
    "name: default}, requirements: [" pool                                                                             \
    "]}}, disruption: {consolidateAfter: 0s}}, status: {conditions: [{type: Ready, status: 'True'}, "                  \
    "{type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"
#define KIND(name, cpu, offerings)                                                                                     \
    "  - {name: " name ", capacity: {cpu: '" cpu                                                                       \
    "', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: [" name "], family: [" name "], "        \
    "topology.kubernetes.io/zone: [a, b], karpenter.sh/capacity-type: [on-demand, spot]}, offerings: [" offerings      \
    "]}\n"
/* What admits spot as well is narrowed to it, and counts as free where nothing can be had so (D-Q11). */
#define ON_DEMAND "{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}"
#define SELLS(zone, kind, price, more) "{zone: " zone ", capacityType: " kind ", price: " price more "}"
#define OWNED(name, type, kind)                                                                                        \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c-" name ", labels: {" LABELS(                  \
        type, kind) "}}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: "                                       \
                    "KWOKNodeClass, name: default}, requirements: []}, status: {providerID: p-" name                   \
                    ", conditions: [{type: Initialized, status: 'True'}, {type: Consolidatable, status: 'True'}]}}\n"  \
                    "- {apiVersion: v1, kind: Node, metadata: {name: " name                                            \
                    ", labels: {" LABELS(type, kind) ", kubernetes.io/hostname: " name                                 \
                                                     ", karpenter.sh/registered: 'true', "                             \
                                                     "karpenter.sh/initialized: 'true'}}, spec: {providerID: p-" name  \
                                                     "}, status: {capacity: {cpu: '8', memory: 16Gi, pods: '10'}, "    \
                                                     "allocatable: {cpu: '8', memory: 16Gi, pods: '10'}, "             \
                                                     "conditions: [{type: Ready, status: 'True'}]}}\n"
#define LABELS(type, kind)                                                                                             \
    "karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: " type                                          \
    ", topology.kubernetes.io/zone: a, karpenter.sh/capacity-type: " kind
#define RUNS(name, node, cpu)                                                                                          \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    "}, spec: {nodeName: " node ", containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}, "                  \
    "status: {phase: Running}}\n"

/* "a b -> TYPE,… of ZONE KIND": the only command; "" = none. */
static void expect_command(const char *world, uint32_t method, uint32_t profile, const char *expected)
{
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_options common;
    karp_disrupt_options options;
    karp_error error;
    char got[1000] = "";
    size_t n = 0;
    karp_error_init(&error, sizeof error);
    karp_options_init(&common, sizeof common);
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &common;
    options.method = method;
    common.profile = profile;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    if (world_of(context, "world", world, &snapshot, &error) != KARP_OK) fail_msg("%s: %s", error.field, error.message);
    assert_int_equal(karp_disrupt(snapshot, &options, &d, &error), KARP_OK);
    for (size_t i = 0; i < karp_decision_command_count(d); i++) {
        karp_command k = { .size = sizeof k };
        assert_int_equal(karp_decision_command(d, i, &k), KARP_OK);
        for (size_t x = 0; x < k.node_count; x++)
            n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", n > 0 ? " " : "", k.nodes[x].ptr);
        for (size_t x = 0; x < k.launch_count; x++) {
            karp_launch l = { .size = sizeof l };
            assert_int_equal(karp_decision_launch(d, k.launch_first + x, &l), KARP_OK);
            for (size_t t = 0; t < l.instance_type_count; t++)
                n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", t == 0 ? " -> " : ",", l.instance_types[t].ptr);
            n += (size_t)snprintf(got + n, sizeof got - n, " of %s %s", l.choice.zone.ptr, l.choice.capacity_type.ptr);
        }
    }
    if (n == 0 && karp_decision_kept_count(d) > 0) {
        karp_kept k = { .size = sizeof k };
        assert_int_equal(karp_decision_kept(d, 0, &k), KARP_OK);
        (void)snprintf(got, sizeof got, "%s %s", k.node.ptr, karp_reason_name(k.code));
    }
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    assert_string_equal(got, expected);
}

/* The dearest offering that can be had decides: one that is sold out does not. */
static void test_sold_out(void **state)
{
    (void)state;
#define DEAR KIND("big", "8", SELLS("a", "on-demand", "5", ""))
    static const char small_everywhere[] = WORLD(
        "{}", DEAR KIND("small", "2", SELLS("a", "on-demand", "1", "") ", " SELLS("b", "on-demand", "9", "")),
        ON_DEMAND) OWNED("n1", "big", "on-demand") RUNS("p", "n1", "1");
    static const char small_in_a[] = WORLD(
        "{}",
        DEAR KIND("small", "2",
                  SELLS("a", "on-demand", "1", "") ", " SELLS("b", "on-demand", "9", ", available: false")),
        ON_DEMAND) OWNED("n1", "big", "on-demand") RUNS("p", "n1", "1");
    expect_command(small_everywhere, KARP_METHOD_SINGLE_NODE, KARP_PROFILE_KARPENTER, "n1 NO_CHEAPER_NODE");
    expect_command(small_in_a, KARP_METHOD_SINGLE_NODE, KARP_PROFILE_KARPENTER, "n1 -> small of a on-demand");
}

/* Several keys ask for several values: the first position that satisfies all of them, whichever asks for more.
 */
static void test_least_values(void **state)
{
    (void)state;
#define THREE                                                                                                          \
    KIND("big", "8", SELLS("a", "on-demand", "5", ""))                                                                 \
    KIND("s1", "2", SELLS("a", "on-demand", "1", "")) KIND("s2", "2", SELLS("a", "on-demand", "2", ""))
#define LEAST(of_type, of_family)                                                                                      \
    "{key: node.kubernetes.io/instance-type, operator: Exists, minValues: " of_type                                    \
    "}, {key: family, operator: Exists, minValues: " of_family "}"
    static const char two_and_one[] = WORLD("{}", THREE, LEAST("2", "1") ", " ON_DEMAND) OWNED("n1", "big", "on-demand")
        RUNS("p", "n1", "1");
    static const char one_and_two[] = WORLD("{}", THREE, LEAST("1", "2") ", " ON_DEMAND) OWNED("n1", "big", "on-demand")
        RUNS("p", "n1", "1");
    static const char three_and_one[] = WORLD("{}", THREE, LEAST("3", "1") ", " ON_DEMAND)
        OWNED("n1", "big", "on-demand") RUNS("p", "n1", "1");
    expect_command(two_and_one, KARP_METHOD_SINGLE_NODE, KARP_PROFILE_KARPENTER, "n1 -> s1,s2 of a on-demand");
    expect_command(one_and_two, KARP_METHOD_SINGLE_NODE, KARP_PROFILE_KARPENTER, "n1 -> s1,s2 of a on-demand");
    expect_command(three_and_one, KARP_METHOD_SINGLE_NODE, KARP_PROFILE_KARPENTER,
                   "n1 MIN_VALUES_BY_PRICE"); /* big is not cheaper than itself */
}

/* Without D-Q11 a replacement is narrowed to spot only if enough can be had as spot: here two values are asked for, and
 * one is. */
static void test_not_narrowed(void **state)
{
    (void)state;
#define SPOT_ONCE                                                                                                      \
    KIND("big", "8", SELLS("a", "on-demand", "5", ""))                                                                 \
    KIND("s1", "2", SELLS("a", "on-demand", "1", "") ", " SELLS("a", "spot", "0.5", ""))                               \
    KIND("s2", "2", SELLS("a", "on-demand", "2", ""))
    static const char world[] = WORLD("{}", SPOT_ONCE,
                                      "{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 2}")
        OWNED("n1", "big", "on-demand") RUNS("p", "n1", "1");
    static const char free_[] = WORLD("{}", SPOT_ONCE, "") OWNED("n1", "big", "on-demand") RUNS("p", "n1", "1");
    expect_command(world, KARP_METHOD_SINGLE_NODE, KARP_PROFILE_KARP, "n1 -> s1,s2 of a spot");
    expect_command(free_, KARP_METHOD_SINGLE_NODE, KARP_PROFILE_KARP, "n1 -> s1 of a spot");
}

/* A type is held at its cheapest offering of the zone and capacity type, wherever in the list that stands: two nodes of
 * it are worth a third only if that costs less. */
static void test_held_at(void **state)
{
    (void)state;
#define TWO_OF OWNED("n1", "m", "on-demand") OWNED("n2", "m", "on-demand") RUNS("p", "n1", "5") RUNS("q", "n2", "3")
#define IN_B "{key: topology.kubernetes.io/zone, operator: In, values: [b]}, " ON_DEMAND
#define HELD(offerings) WORLD("{}", KIND("m", "8", offerings ", " SELLS("b", "on-demand", "4", "")), IN_B) TWO_OF
    static const char rising[] = HELD(SELLS("a", "on-demand", "3", "") ", " SELLS("a", "on-demand", "5", ""));
    static const char falling[] = HELD(SELLS("a", "on-demand", "5", "") ", " SELLS("a", "on-demand", "3", ""));
    static const char dear[] = HELD(SELLS("a", "on-demand", "5", "") ", " SELLS("a", "spot", "3", ""));
    expect_command(rising, KARP_METHOD_MULTI_NODE, KARP_PROFILE_KARPENTER, "n1 SAME_TYPE");
    expect_command(falling, KARP_METHOD_MULTI_NODE, KARP_PROFILE_KARPENTER, "n1 SAME_TYPE");
    expect_command(dear, KARP_METHOD_MULTI_NODE, KARP_PROFILE_KARPENTER, "n1 n2 -> m of b on-demand");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sold_out), cmocka_unit_test(test_least_values),
                                        cmocka_unit_test(test_not_narrowed), cmocka_unit_test(test_held_at) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
