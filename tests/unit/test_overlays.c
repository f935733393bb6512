/* SPDX-License-Identifier: Apache-2.0 */
/* Node overlays: prices and capacity of a pool's types. */
#include "planning.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <karp/io.h>

#define ON "{featureGates: {NodeOverlay: true}}"
#define OVERLAY(name, spec)                                                                                            \
    "- {apiVersion: karpenter.sh/v1alpha1, kind: NodeOverlay, metadata: {name: " name "}, spec: {" spec "}}\n"
#define OF_TYPE(name) "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" name "]}]"
#define IN_ZONE(zone) "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [" zone "]}]"
#define ANY "requirements: []"
#define TWO TYPE("one", "2", "") TYPE("two", "3", "")
#define MORE "- instanceTypes:\n" TYPE("three", "4", "")
#define EMPTY                                                                                                          \
    "  - {name: none, capacity: {}, labels: {topology.kubernetes.io/zone: [a], karpenter.sh/capacity-type: "           \
    "[on-demand]}, offerings: [{zone: a, capacityType: on-demand, price: 1}]}\n"

/* "TYPE ZONE PRICE" of the only launch. */
static void assert_choice(const char *yaml, const char *expected)
{
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_error error;
    char text[256], price[KARP_VALUE_TEXT];
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(NULL, &context, &error), KARP_OK);
    assert_int_equal(world_of(context, "case", yaml, &snapshot, &error), KARP_OK);
    assert_int_equal(karp_provision(snapshot, NULL, &d, &error), KARP_OK);
    assert_int_equal(karp_decision_launch_count(d), 1);
    karp_launch l = { .size = sizeof l };
    assert_int_equal(karp_decision_launch(d, 0, &l), KARP_OK);
    karp_double_format(l.choice.price, price);
    snprintf(text, sizeof text, "%.*s %.*s %s", (int)l.choice.instance_type.len, l.choice.instance_type.ptr,
             (int)l.choice.zone.len, l.choice.zone.ptr, price);
    for (size_t i = 0; i < l.annotation_count; i++) {
        bool priced = strncmp(l.annotations[i].key.ptr, "karpenter.sh/price-overlay-applied", 34) == 0;
        bool sized = strncmp(l.annotations[i].key.ptr, "karpenter.sh/capacity-overlay-applied", 37) == 0;
        if (priced || sized) strcat(text, priced ? " priced" : " sized");
    }
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    assert_string_equal(text, expected);
}

#define P POD("p", "1", "")

static void prices(void **state)
{
    (void)state;
    assert_choice(SNAPSHOT(ON, TWO) P, "one a 2");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", price: '0.5'") P, "two a 0.5 priced");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", priceAdjustment: '-50%'") P, "two a 1.5 priced");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("one") ", priceAdjustment: '+2.5'") P,
                  "two a 3 priced"); /* both are listed */
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", priceAdjustment: '-7'") P, "two a 0 priced");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", priceAdjustment: '-200%'") P, "two a 0 priced");
    /* A type of the second list; one that has no capacity. */
    assert_choice(SNAPSHOT(ON, TWO MORE) OVERLAY("o", OF_TYPE("three") ", price: '0.5'") P, "three a 0.5 priced");
    assert_choice(SNAPSHOT(ON, TWO MORE) OVERLAY("o", OF_TYPE("one, three") ", price: '0.5'") P, "one a 0.5 priced");
    assert_choice(SNAPSHOT(ON, TWO EMPTY) OVERLAY("o", ANY ", price: '0.5'") P, "one a 0.5 priced");
    /* By offering. */
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", IN_ZONE("b") ", priceAdjustment: '-10%'") P, "one b 1.8 priced");
    assert_choice(
        SNAPSHOT(ON, TWO) OVERLAY(
            "o", "requirements: [{key: node.kubernetes.io/instance-type, operator: NotIn, values: [one]}], price: '1'")
            P,
        "two a 1 priced");
    /* By the pool. */
    assert_choice(
        SNAPSHOT(ON, TWO)
            OVERLAY("o", "requirements: [{key: karpenter.sh/nodepool, operator: In, values: [default]}], price: '1'") P,
        "one a 1 priced");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY(
                      "o", "requirements: [{key: karpenter.sh/nodepool, operator: In, values: [other]}], price: '1'") P,
                  "one a 2");
    /* A label that the types do not have: strict, so nothing matches. */
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY(
                      "o", "requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}], price: '1'") P,
                  "one a 2");
}

/* A price that is no number makes the overlay invalid, all of it; one that grows beyond all numbers stays as it was. */
static void numbers(void **state)
{
    (void)state;
    static const char *const wrong[] = { "+", "-", "+%", "--1", "+-1", "-+1%", "%", "1%", "1+", "abc", "+abc", "1 " };
    char yaml[4096];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(yaml, sizeof yaml, SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", priceAdjustment: '%s'") P,
                 wrong[i]);
        assert_choice(yaml, "one a 2");
    }
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", priceAdjustment: '.5'") P, "two a 0.5 priced");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two")) P, "one a 2"); /* says nothing */
    assert_choice(SNAPSHOT(ON, TYPE("one", "1e300", "")) OVERLAY("o", OF_TYPE("one") ", priceAdjustment: '+1e20%'") P,
                  "one a 1e+300 priced");
    /* One of two catalogues is touched. */
    assert_choice(SNAPSHOT(ON, TWO "- instanceTypes:\n" TYPE("three", "4", ""))
                      OVERLAY("o", OF_TYPE("three") ", price: '1'") P,
                  "three a 1 priced");
}

static void gate(void **state)
{
    (void)state;
    assert_choice(SNAPSHOT("{}", TWO) OVERLAY("o", OF_TYPE("two") ", price: '0.5'") P, "one a 2");
}

static void weights(void **state)
{
    (void)state;
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o1", OF_TYPE("two") ", price: '1', weight: 1")
                      OVERLAY("o2", OF_TYPE("two") ", price: '0.5', weight: 2") P,
                  "two a 0.5 priced");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o1", ANY ", price: '1', weight: 1")
                      OVERLAY("o2", IN_ZONE("a") ", price: '9', weight: 2") P,
                  "one b 1 priced");
    /* Two of one weight on one offering: the one that comes first, by the later name, stands; the other is dropped
     * whole. */
    assert_choice(
        SNAPSHOT(ON, TWO) OVERLAY("o1", ANY ", price: '1'") OVERLAY(
            "o2", "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [two]}], price: '1.5'")
            P,
        "two a 1.5 priced");
    /* Of one weight, apart from each other: both. */
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o1", OF_TYPE("one") ", price: '1.5'")
                      OVERLAY("o2", OF_TYPE("two") ", price: '1'") P,
                  "two a 1 priced");
    /* The weight of the last one that touched an offering is what counts. */
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o1", OF_TYPE("one") ", price: '1', weight: 9")
                      OVERLAY("o2", OF_TYPE("one") ", price: '7', weight: 5")
                          OVERLAY("o3", ANY ", price: '0.1', weight: 5") P,
                  "two a 0.1 priced");
}

/* Two of one weight are in each other's way where both match, and nowhere else: not on other offerings of a type, nor
 * of types before it. */
static void apart(void **state)
{
    (void)state;
#define OFFER(zone, price) "{zone: " zone ", capacityType: on-demand, price: " price "}"
#define WIDE_TYPE(name, offers)                                                                                        \
    "  - {name: " name                                                                                                 \
    ", capacity: {cpu: '4', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: [" name              \
    "], topology.kubernetes.io/zone: [a, b, c], "                                                                      \
    "karpenter.sh/capacity-type: [on-demand]}, offerings: [" offers "]}\n"
#define THREE WIDE_TYPE("wide", OFFER("a", "9") ", " OFFER("b", "9") ", " OFFER("c", "9"))
    assert_choice(SNAPSHOT(ON, THREE) OVERLAY("o2", IN_ZONE("b, c") ", price: '5'")
                      OVERLAY("o1", IN_ZONE("a") ", price: '1'") P,
                  "wide a 1 priced");
    assert_choice(SNAPSHOT(ON, THREE) OVERLAY("o2", IN_ZONE("a, c") ", price: '5'")
                      OVERLAY("o1", IN_ZONE("b") ", price: '1'") P,
                  "wide b 1 priced");
    assert_choice(SNAPSHOT(ON, THREE) OVERLAY("o2", IN_ZONE("a, b") ", price: '5'")
                      OVERLAY("o1", IN_ZONE("c") ", price: '1'") P,
                  "wide c 1 priced");
    /* Each type has offerings of its own, be they more or fewer than those of the type before. */
#define UNLIKE                                                                                                         \
    WIDE_TYPE("few", OFFER("a", "9"))                                                                                  \
    WIDE_TYPE("more", OFFER("b", "9") ", " OFFER("c", "9"))                                                            \
    WIDE_TYPE("most", OFFER("c", "9") ", " OFFER("b", "9") ", " OFFER("a", "9"))
    assert_choice(SNAPSHOT(ON, UNLIKE) OVERLAY("o", OF_TYPE("more") ", price: '4', weight: 2")
                      OVERLAY("p", IN_ZONE("c") ", price: '1', weight: 3") P,
                  "more c 1 priced");
    assert_choice(SNAPSHOT(ON, UNLIKE)
                      OVERLAY("p", "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [c]}, "
                                   "{key: node.kubernetes.io/instance-type, operator: In, values: [most]}], price: '1'")
                          P,
                  "most c 1 priced");
    assert_choice(SNAPSHOT(ON, UNLIKE)
                      OVERLAY("p", "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}, "
                                   "{key: node.kubernetes.io/instance-type, operator: In, values: [most]}], price: '1'")
                          P,
                  "most a 1 priced");
}

static void invalid(void **state)
{
    (void)state;
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY(
                      "o", "requirements: [{key: kubernetes.io/hostname, operator: In, values: [h]}], price: '1'") P,
                  "one a 2");
    assert_choice(
        SNAPSHOT(ON, TWO) OVERLAY(
            "o", "requirements: [{key: node.kubernetes.io/instance-type, operator: NotIn, values: []}], price: '1'") P,
        "one a 2");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", price: '1', capacity: {cpu: 9}") P, "one a 2");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", price: '1', capacity: {ephemeral-storage: 9Gi}") P,
                  "one a 2");
    /* An invalid one is no obstacle to the others. */
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o1", OF_TYPE("two") ", price: '1', capacity: {pods: 9}")
                      OVERLAY("o2", OF_TYPE("two") ", price: '0.5'") P,
                  "two a 0.5 priced");
}

#define DEVICE_POD(name, count)                                                                                        \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    "}, spec: {containers: [{name: c, resources: {requests: {cpu: 1, " count "}}}]}, "                                 \
    "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n"

static void capacity(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, TWO) DEVICE_POD("p", "example.com/dev: 2"), "no p TYPE_RESOURCES\n");
    assert_plan(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", capacity: {example.com/dev: 3}")
                    DEVICE_POD("p", "example.com/dev: 2"),
                "new default p on two\n");
    assert_choice(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", capacity: {example.com/dev: 3}")
                      DEVICE_POD("p", "example.com/dev: 2"),
                  "two a 3 sized");
    assert_plan(SNAPSHOT(ON, TWO) OVERLAY("o", OF_TYPE("two") ", capacity: {example.com/dev: 3}")
                    DEVICE_POD("p", "example.com/dev: 4"),
                "no p TYPE_RESOURCES\n");
    /* What the type has already is replaced; a type may have nothing. */
#define SOME                                                                                                           \
    "  - {name: some, capacity: {cpu: '4', memory: 16Gi, pods: '10', example.com/dev: 1}, labels: "                    \
    "{node.kubernetes.io/instance-type: [some]}, offerings: [{zone: a, capacityType: on-demand, price: 5}]}\n"
#define BARE                                                                                                           \
    "  - {name: bare, capacity: {}, labels: {node.kubernetes.io/instance-type: [bare]}, offerings: [{zone: a, "        \
    "capacityType: on-demand, price: 1}]}\n"
    assert_plan(SNAPSHOT(ON, BARE SOME) DEVICE_POD("p", "example.com/dev: 2"), "no p TYPE_RESOURCES\n");
    assert_plan(SNAPSHOT(ON, BARE SOME) OVERLAY("o", ANY ", capacity: {example.com/dev: 3, example.com/odd: 1}")
                    DEVICE_POD("p", "example.com/dev: 2, example.com/odd: 1"),
                "new default p on some\n");
    /* The type as a whole, though one offering only matches. */
    assert_plan(SNAPSHOT(ON, TWO) OVERLAY("o", IN_ZONE("b") ", capacity: {example.com/dev: 3}")
                    DEVICE_POD("p", "example.com/dev: 2"),
                "new default p on one,two\n");
    /* The heavier one's amount, and what only the lighter one names. */
    assert_plan(SNAPSHOT(ON, TWO) OVERLAY("o1", ANY ", capacity: {example.com/dev: 9, example.com/odd: 2}, weight: 1")
                    OVERLAY("o2", OF_TYPE("two") ", capacity: {example.com/dev: 2}, weight: 2")
                        DEVICE_POD("p", "example.com/dev: 3, example.com/odd: 1")
                            DEVICE_POD("q", "example.com/dev: 2, example.com/odd: 1"),
                "new default p,q on one\n");
    /* Of one weight and on one resource: dropped, the price with it. */
    assert_plan(SNAPSHOT(ON, TWO) OVERLAY("o1", ANY ", capacity: {example.com/dev: 9}, price: '0.1'")
                    OVERLAY("o2", OF_TYPE("two") ", capacity: {example.com/dev: 2}")
                        DEVICE_POD("p", "example.com/dev: 3"),
                "no p TYPE_RESOURCES\n");
    /* Of one weight, other resources. */
    assert_plan(SNAPSHOT(ON, TWO) OVERLAY("o1", ANY ", capacity: {example.com/odd: 9}")
                    OVERLAY("o2", OF_TYPE("two") ", capacity: {example.com/dev: 2}")
                        DEVICE_POD("p", "example.com/dev: 2, example.com/odd: 1"),
                "new default p on two\n");
}

/* A type that an overlay touches loses what its offerings override, and its devices. */
static void losses(void **state)
{
    (void)state;
#define WIDE                                                                                                           \
    "  - {name: wide, capacity: {cpu: '4', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: "     \
    "[wide], topology.kubernetes.io/zone: [a, b], karpenter.sh/capacity-type: [on-demand]}, "                          \
    "offerings: [{zone: a, capacityType: on-demand, price: 5, capacityOverride: {cpu: '8'}}, {zone: b, capacityType: " \
    "on-demand, price: 5, capacityOverride: {cpu: '8'}}]}\n"
    assert_plan(SNAPSHOT(ON, WIDE) POD("p", "6", ""), "new default p on wide\n");
    assert_choice(SNAPSHOT(ON, WIDE) OVERLAY("o", IN_ZONE("a") ", price: '1'") POD("p", "6", ""),
                  "wide a 1 priced"); /* though only b has room: the choice is about prices */
    assert_plan(SNAPSHOT(ON, WIDE) OVERLAY("o", ANY ", price: '1'") POD("p", "6", ""), "no p TYPE_RESOURCES\n");
    assert_plan(SNAPSHOT(ON, WIDE) OVERLAY("o", ANY ", capacity: {example.com/dev: 1}") POD("p", "6", ""),
                "new default p on wide\n");
#define GPU TYPE("gpu", "5", ", dynamicResources: {resourceSlices: [{driver: d, pool: own, devices: [{name: g0}]}]}")
#define CLAIM                                                                                                          \
    "- {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: any}, spec: {}}\n"                         \
    "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: default}, spec: "          \
    "{devices: {requests: [{name: r, exactly: {deviceClassName: any}}]}}}\n" POD(                                      \
        "p", "1", ", resourceClaims: [{name: x, resourceClaimName: c}]")
#define BOTH "{ignoreDRARequests: false, featureGates: {NodeOverlay: true}}"
    assert_plan(SNAPSHOT(BOTH, GPU) CLAIM, "new default p on gpu drivers=d\n");
    const char *overlaid = SNAPSHOT(BOTH, GPU) OVERLAY("o", ANY ", price: '1'") CLAIM;
    assert_plan(overlaid, "new default p on gpu drivers=d\n");
    assert_plan_of(KARP_PEER_1_14, overlaid, "no p DEVICES\n"); /* K15-7 */
}

/* Types of one name share what an overlay says of them; pools do not. */
static void names_and_pools(void **state)
{
    (void)state;
#define OTHER                                                                                                          \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: other}, spec: {template: {metadata: {labels: "   \
    "{team: blue}}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, "             \
    "requirements: []}}}, status: {conditions: [{type: Ready, status: 'True'}, {type: ValidationSucceeded, status: "   \
    "'True'}, {type: NodeClassReady, status: 'True'}]}}\n"
    assert_plan(SNAPSHOT(ON, TWO) OTHER OVERLAY(
                    "o", "requirements: [{key: team, operator: In, values: [blue]}], capacity: {example.com/dev: 3}")
                    DEVICE_POD("p", "example.com/dev: 2"),
                "new other p on one,two\n");
    /* A conflict in one pool is one in all. */
    assert_plan(SNAPSHOT(ON, TWO) OTHER OVERLAY("o1", ANY ", capacity: {example.com/dev: 5}") OVERLAY(
                    "o2", "requirements: [{key: team, operator: In, values: [blue]}], capacity: {example.com/dev: 3}")
                    DEVICE_POD("p", "example.com/dev: 4"),
                "no p TYPE_RESOURCES\n");
}

static void refused_memory(void **state)
{
    (void)state;
    assert_plan_fault(SNAPSHOT(ON, TWO WIDE) OTHER OVERLAY(
                          "o1", ANY ", capacity: {example.com/dev: 9}, priceAdjustment: '-10%', weight: 1")
                          OVERLAY("o2", OF_TYPE("two") ", price: '1', capacity: {example.com/dev: 2}")
                              DEVICE_POD("p", "example.com/dev: 3"),
                      "new other p on one,two,wide\n");
}

/* A type of which the provider knows no price: an overlay that names it and nothing else supplies one. */
#define FULL(name, price, more)                                                                                        \
    "    - {name: " name ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" name       \
    "]}, "                                                                                                             \
    "{key: topology.kubernetes.io/zone, operator: In, values: [a]}, {key: karpenter.sh/capacity-type, operator: In, "  \
    "values: [on-demand]}], "                                                                                          \
    "capacity: {cpu: 4, memory: 8Gi, pods: 10}, offerings: [{zone: a, capacityType: on-demand, price: " price more     \
    "}]}\n"
#define UNPRICED                                                                                                       \
    FULL("dear", "9", "")                                                                                              \
    FULL("new", "0", ", available: false, awaitsPrice: true") FULL("gone", "0", ", available: false")
#define NAMES(names) "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" names "]}]"

static void unknown_prices(void **state)
{
    (void)state;
    assert_choice(SNAPSHOT(ON, UNPRICED) P, "dear a 9");
    assert_choice(SNAPSHOT(ON, UNPRICED) OVERLAY("o", NAMES("new") ", price: '2'") P, "new a 2 priced");
    assert_choice(SNAPSHOT(ON, UNPRICED) OVERLAY("o", NAMES("other, new, gone") ", price: '2'") P, "new a 2 priced");
    assert_choice(SNAPSHOT(ON, UNPRICED) OVERLAY("o", NAMES("gone") ", price: '2'") P,
                  "dear a 9"); /* it lacks more than a price */
    assert_choice(SNAPSHOT("{}", UNPRICED) OVERLAY("o", NAMES("new") ", price: '2'") P,
                  "dear a 9"); /* the gate is off */
    /* An adjustment is no price; nor are those of overlays that ask for more, or in another way. */
    assert_choice(SNAPSHOT(ON, UNPRICED) OVERLAY("o", NAMES("new") ", priceAdjustment: '+2'") P, "dear a 9");
    assert_choice(SNAPSHOT(ON, UNPRICED) OVERLAY("o", IN_ZONE("a") ", price: '2'") P, "dear a 2 priced");
    assert_choice(
        SNAPSHOT(ON, UNPRICED) OVERLAY(
            "o", "requirements: [{key: node.kubernetes.io/instance-type, operator: NotIn, values: [dear]}], price: '2'")
            P,
        "dear a 9");
    assert_choice(SNAPSHOT(ON, UNPRICED) OVERLAY(
                      "o", "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [new]}, "
                           "{key: topology.kubernetes.io/zone, operator: In, values: [a]}], price: '2'") P,
                  "dear a 9");
    /* Adjusted by a heavier overlay; of two prices the heavier; and an overlay that contradicts another supplies
     * nothing. */
    assert_choice(SNAPSHOT(ON, UNPRICED) OVERLAY("o", NAMES("new") ", price: '2'")
                      OVERLAY("w", "weight: 5, " NAMES("new") ", priceAdjustment: '+50%'") P,
                  "new a 3 priced");
    assert_choice(SNAPSHOT(ON, UNPRICED) OVERLAY("o", NAMES("new") ", price: '2'")
                      OVERLAY("w", "weight: 5, " NAMES("new") ", price: '4'") P,
                  "new a 4 priced");
    assert_choice(SNAPSHOT(ON, UNPRICED) OVERLAY("o", NAMES("new, dear") ", price: '1'")
                      OVERLAY("p", NAMES("dear") ", price: '3'") P,
                  "dear a 3 priced");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_prices), cmocka_unit_test(prices),
        cmocka_unit_test(numbers),        cmocka_unit_test(gate),
        cmocka_unit_test(weights),        cmocka_unit_test(apart),
        cmocka_unit_test(invalid),        cmocka_unit_test(capacity),
        cmocka_unit_test(losses),         cmocka_unit_test(names_and_pools),
        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("overlays", tests, NULL, NULL);
}
