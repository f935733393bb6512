/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic resource allocation, from documents to plans. */
#include "device_documents.h"
#include "planning.h"

#include <stdio.h>
#include <string.h>

#include <karp/devices.h>
#include <karp/inspect.h>
#include <karp/io.h>

/* ---- what a type brings ------------------------------------------------------------------------------------------ */

static void types_with_devices(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, PLAIN GPU) CLASS CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c")),
                "new default p on gpu-1 drivers=gpu.example.com\n");
    /* One device a node: two nodes. */
    assert_plan(SNAPSHOT(ON, PLAIN GPU) CLASS CLAIM("c", ONE, "") CLAIM("d", ONE, "") POD("p", "1", CLAIMS("c"))
                    POD("q", "1", CLAIMS("d")),
                "new default p on gpu-1 drivers=gpu.example.com\nnew default q on gpu-1 drivers=gpu.example.com\n");
    /* Two devices: one node, which the smaller type then cannot be. */
    assert_plan(SNAPSHOT(ON, GPU TYPE("gpu-2", "9", BRINGS("{name: g0}, {name: g1}")))
                    CLASS CLAIM("c", EXACTLY("r", ", count: 2"), "") POD("p", "1", CLAIMS("c")),
                "new default p on gpu-2 drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, GPU TYPE("gpu-2", "9", BRINGS("{name: g0}, {name: g1}"))) CLASS CLAIM("c", ONE, "")
                    CLAIM("d", ONE, "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p,q on gpu-2 drivers=gpu.example.com\n");
    /* A pod without claims is not in the way, and gets the cheap type. */
    assert_plan(SNAPSHOT(ON, PLAIN GPU) CLASS CLAIM("c", ONE, "") POD("p", "3", CLAIMS("c")) POD("q", "2", ""),
                "new default p on gpu-1 drivers=gpu.example.com\nnew default q on plain,gpu-1\n");
}

static void switched_off(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT("{}", PLAIN GPU) CLASS CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c")), "no p DRA\n");
    assert_plan(SNAPSHOT("{}", PLAIN) POD("p", "1", ""), "new default p on plain\n");
}

static void claims_and_classes_missing(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, GPU) CLASS POD("p", "1", CLAIMS("c")), "no p RESOURCE_CLAIM\n");
    assert_refusal(SNAPSHOT(ON, GPU) CLASS POD("p", "1", CLAIMS("c")), "RESOURCE_CLAIM",
                   "a resource claim does not exist: c");
    assert_plan(SNAPSHOT(ON, GPU) CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c")), "no p DEVICES\n");
    /* A claim made from a template that was not generated yet asks for nothing. */
    assert_plan(SNAPSHOT(ON, PLAIN) POD("p", "1", ", resourceClaims: [{name: x, resourceClaimTemplateName: t}]"),
                "new default p on plain\n");
}

/* A claim that two pods share ties both to the node whose devices it got. */
static void shared_claims(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, GPU) CLASS CLAIM("c", ONE, "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("c")),
                "new default p,q on gpu-1 drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, GPU) CLASS CLAIM("c", ONE, "") POD("p", "3", CLAIMS("c")) POD("q", "2", CLAIMS("c")),
                "new default p on gpu-1 drivers=gpu.example.com\nno q DEVICES\n");
    /* One of the cluster's can be reached from anywhere. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}") CLAIM("c", ONE, "") POD("p", "3", CLAIMS("c"))
                    POD("q", "2", CLAIMS("c")),
                "new default p on plain drivers=gpu.example.com\nnew default q on plain\n");
}

/* ---- the cluster's devices --------------------------------------------------------------------------------------- */

static void devices_of_the_cluster(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}") CLAIM("c", ONE, "") CLAIM("d", ONE, "")
                    POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p on plain drivers=gpu.example.com\nno q DEVICES\n");
    /* Reached from one zone only. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", IN_ZONE("b"), "{name: d0}") CLAIM("c", ONE, "")
                    POD("p", "1", CLAIMS("c")),
                "new default p on plain zone=b drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", IN_ZONE("c"), "{name: d0}") CLAIM("c", ONE, "")
                    POD("p", "1", CLAIMS("c")),
                "no p NOTHING_MATCHED\n");
    /* A slice of a node serves that node alone. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", "nodeName: n1", "{name: d0}") CLAIM("c", ONE, "")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Two requests whose devices are in different zones: the search turns back from the first choice. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "p1", "1", "1", IN_ZONE("a"), "devices: [{name: d0}]")
                    SLICE_OF("s2", "p2", "1", "1", IN_ZONE("b"), "devices: [{name: d0}, {name: d1}]")
                        CLAIM("c", EXACTLY("r", ", count: 2"), "") POD("p", "1", CLAIMS("c")),
                "new default p on plain zone=b drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "p1", "1", "1", IN_ZONE("a"), "devices: [{name: d0}]")
                    SLICE_OF("s2", "p2", "1", "1", IN_ZONE("b"), "devices: [{name: d1}]")
                        CLAIM("c", EXACTLY("r", ", count: 2"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
}

static void turning_back(void **state)
{
    (void)state;
    /* The first request would take the only device that the second can have. */
    assert_plan(
        SNAPSHOT(ON, PLAIN) CLASS SLICE(
            "s", ALL,
            "{name: d0, attributes: {model: {string: big}}}, {name: d1, attributes: {model: {string: small}}}")
            CLAIM("c",
                  EXACTLY("any", "") "," EXACTLY("big", SELECT("device.attributes['gpu.example.com'].model == 'big'")),
                  "") POD("p", "1", CLAIMS("c")),
        "new default p on plain drivers=gpu.example.com\n");
}

static void pools_of_slices(void **state)
{
    (void)state;
    /* Only the newest generation counts. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "pool", "1", "1", ALL, "devices: [{name: d0}, {name: d1}]")
                    SLICE_OF("s2", "pool", "2", "1", ALL, "devices: [{name: d0}]")
                        CLAIM("c", EXACTLY("r", ", count: 2"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* An incomplete pool serves nobody. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "pool", "1", "2", ALL, "devices: [{name: d0}]")
                    CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "pool", "1", "2", ALL, "devices: [{name: d0}]")
                    SLICE_OF("s2", "pool", "1", "2", IN_ZONE("b"), "devices: [{name: d1}]") CLAIM("c", ONE, "")
                        POD("p", "1", CLAIMS("c")),
                "new default p on plain drivers=gpu.example.com\n");
    /* Nor one with two devices of a name, where both are reached. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}, {name: d0}") CLAIM("c", ONE, "")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* A device may only take from counters that its pool has. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE(
                    "s", ALL, "{name: d0, consumesCounters: [{counterSet: x, counters: {y: {value: '1'}}}]}")
                    CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Nothing says where this one can be reached from. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", "perDeviceNodeSelection: true", "{name: d0, allNodes: true}")
                    CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void all_devices(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, TYPE("gpu-2", "9", BRINGS("{name: g0}, {name: g1}")))
                    CLASS CLAIM("c", EXACTLY("r", ", allocationMode: All"), "") CLAIM("d", ONE, "")
                        POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p on gpu-2 drivers=gpu.example.com\nnew default q on gpu-2 drivers=gpu.example.com\n");
    /* All of none is nothing. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS CLAIM("c", EXACTLY("r", ", allocationMode: All"), "")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* All of the cluster's: one is gone, so nobody gets all. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}, {name: d1}") CLAIM("c", ONE, "")
                    CLAIM("d", EXACTLY("r", ", allocationMode: All"), "") POD("p", "2", CLAIMS("c"))
                        POD("q", "1", CLAIMS("d")),
                "new default p on plain drivers=gpu.example.com\nno q DEVICES\n");
    /* A selector that cannot be evaluated leaves it open which are all; a count passes such a device by. */
    assert_plan(
        SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}, {name: d1, attributes: {a: {int: 1}}}")
            CLAIM("c", EXACTLY("r", ", allocationMode: All" SELECT("device.attributes['gpu.example.com'].a == 1")), "")
                POD("p", "1", CLAIMS("c")),
        "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}, {name: d1, attributes: {a: {int: 1}}}")
                    CLAIM("c", EXACTLY("r", SELECT("device.attributes['gpu.example.com'].a == 1")), "")
                        POD("p", "1", CLAIMS("c")),
                "new default p on plain drivers=gpu.example.com\n");
}

static void first_available(void **state)
{
    (void)state;
#define EITHER                                                                                                         \
    "{name: r, firstAvailable: [{name: big, deviceClassName: gpu" SELECT(                                              \
        "device.attributes['gpu.example.com'].model == 'big'") "}, "                                                   \
                                                               "{name: small, deviceClassName: gpu, count: 2" SELECT(  \
                                                                   "device.attributes['gpu.example.com'].model == "    \
                                                                   "'small'") "}]}"
    assert_plan(SNAPSHOT(ON, TYPE("small", "1", BRINGS(SMALL("g0") "," SMALL("g1")))
                                 TYPE("tiny", "1", BRINGS(SMALL("g0"))) TYPE("big", "9", BRINGS(BIG("b0"))))
                    CLASS CLAIM("c", EITHER, "") POD("p", "1", CLAIMS("c")),
                "new default p on small,big drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS CLAIM("c", "{name: r, firstAvailable: []}", "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
}

static void too_many(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0, allowMultipleAllocations: true}")
                    CLAIM("c", EXACTLY("r", ", count: 32"), "") POD("p", "1", CLAIMS("c")),
                "new default p on plain drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0, allowMultipleAllocations: true}")
                    CLAIM("c", EXACTLY("r", ", count: 33"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0, allowMultipleAllocations: true}")
                    CLAIM("c", EXACTLY("r", ", count: 20") "," EXACTLY("q", ", count: 13"), "")
                        POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* The least of the alternatives passes the first check, the sum does not pass the second. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0, allowMultipleAllocations: true}")
                    CLAIM("c",
                          EXACTLY("q", ", count: 30") ",{name: r, firstAvailable: [{name: a, deviceClassName: gpu, "
                                                      "count: 3}, {name: b, deviceClassName: gpu, count: 2}]}",
                          "") POD("p", "1", CLAIMS("c")),
                "new default p on plain drivers=gpu.example.com\n");
}

static void matching_attributes(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, TYPE("apart", "1", BRINGS(NUMA("g0", "0") "," NUMA("g1", "1")))
                                 TYPE("together", "9", BRINGS(NUMA("g0", "0") "," NUMA("g1", "1") "," NUMA("g2", "1"))))
                    CLASS CLAIM("c", EXACTLY("r", ", count: 2"), SAME) POD("p", "1", CLAIMS("c")),
                "new default p on together drivers=gpu.example.com\n");
    /* By the name without the driver's domain; a value of another type is another value. */
    assert_plan(
        SNAPSHOT(ON, TYPE("short", "1", BRINGS("{name: g0, attributes: {numa: {int: 1}}}," NUMA("g1", "1")))
                         TYPE("text", "1", BRINGS("{name: g0, attributes: {numa: {string: '1'}}}," NUMA("g1", "1"))))
            CLASS CLAIM("c", EXACTLY("r", ", count: 2"), SAME) POD("p", "1", CLAIMS("c")),
        "new default p on short drivers=gpu.example.com\n");
    /* Of the requests that it names only. */
    assert_plan(SNAPSHOT(ON, TYPE("apart", "1", BRINGS(NUMA("g0", "0") "," NUMA("g1", "1"))))
                    CLASS CLAIM("c", EXACTLY("r", "") "," EXACTLY("q", ""),
                                ", constraints: [{requests: [q], matchAttribute: gpu.example.com/numa}]")
                        POD("p", "1", CLAIMS("c")),
                "new default p on apart drivers=gpu.example.com\n");
    /* Another kind of constraint makes the claim unusable. */
    assert_plan(SNAPSHOT(ON, TYPE("apart", "1", BRINGS(NUMA("g0", "0") "," NUMA("g1", "1")))) CLASS CLAIM(
                    "c", EXACTLY("r", ", count: 2"), ", constraints: [{distinctAttribute: gpu.example.com/numa}]")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
}

/* Attributes that only show once the node runs: the provider says which devices will agree. */
static void bindings(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, TYPE("bound", "9", BOUND(GROUP(ID("g1") "," ID("g2")))) TYPE(
                                 "chain", "9", BOUND(GROUP(ID("g0") "," ID("g1")) "," GROUP(ID("g1") "," ID("g2"))))
                                 TYPE("alone", "1", BOUND(GROUP(ID("g1"))))
                                     TYPE("none", "1", BRINGS("{name: g0}, {name: g1}")))
                    CLASS CLAIM("c", EXACTLY("r", ", count: 2"), SAME) POD("p", "1", CLAIMS("c")),
                "new default p on bound,chain drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, TYPE("bound", "9", BOUND(GROUP(ID("g1") "," ID("g2")))) TYPE(
                                 "chain", "9", BOUND(GROUP(ID("g0") "," ID("g1")) "," GROUP(ID("g1") "," ID("g2")))))
                    CLASS CLAIM("c", EXACTLY("r", ", count: 3"), SAME) POD("p", "1", CLAIMS("c")),
                "new default p on chain drivers=gpu.example.com\n");
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static void counters(void **state)
{
    (void)state;
    /* Three partitions of which two fit. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "pool", "1", "2", ALL, COUNTERS("80Gi"))
                    SLICE_OF("s2", "pool", "1", "2", ALL,
                             "devices: [" PART("a", "40Gi") "," PART("b", "40Gi") "," PART("c", "40Gi") "]")
                        CLAIM("c", EXACTLY("r", ", count: 2"), "") POD("p", "1", CLAIMS("c")),
                "new default p on plain drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "pool", "1", "2", ALL, COUNTERS("80Gi"))
                    SLICE_OF("s2", "pool", "1", "2", ALL,
                             "devices: [" PART("a", "40Gi") "," PART("b", "40Gi") "," PART("c", "40Gi") "]")
                        CLAIM("c", EXACTLY("r", ", count: 3"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Across pods, too. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "pool", "1", "2", ALL, COUNTERS("80Gi"))
                    SLICE_OF("s2", "pool", "1", "2", ALL,
                             "devices: [" PART("a", "40Gi") "," PART("b", "60Gi") "," PART("c", "40Gi") "]")
                        CLAIM("c", ONE, "") CLAIM("d", ONE, "") CLAIM("e", ONE, "") POD("p", "3", CLAIMS("c"))
                            POD("q", "2", CLAIMS("d")) POD("r", "1", CLAIMS("e")),
                "new default p on plain drivers=gpu.example.com\nnew default q on plain drivers=gpu.example.com\nno r "
                "DEVICES\n");
    /* In a type's own devices, counted for every node anew. */
    assert_plan(SNAPSHOT(ON, TYPE("parts", "1", PARTS)) CLASS CLAIM("c", ONE, "") CLAIM("d", ONE, "")
                    CLAIM("e", ONE, "") POD("p", "1200m", CLAIMS("c")) POD("q", "1100m", CLAIMS("d"))
                        POD("r", "1", CLAIMS("e")),
                "new default p,q on parts drivers=gpu.example.com\nnew default r on parts drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, TYPE("parts", "1", PARTS)) CLASS CLAIM("c", EXACTLY("r", ", allocationMode: All"), "")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
}

static void capacity(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, SHARED("")) CLAIM("c", SHARE("6Gi"), "")
                    CLAIM("d", SHARE("4Gi"), "") CLAIM("e", SHARE("1"), "") POD("p", "1200m", CLAIMS("c"))
                        POD("q", "1100m", CLAIMS("d")) POD("r", "1", CLAIMS("e")),
                "new default p,q on plain drivers=gpu.example.com\nno r DEVICES\n");
    /* Without a request the whole, or what the policy says. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, SHARED("")) CLAIM("c", ONE, "") CLAIM("d", SHARE("1"), "")
                    POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p on plain drivers=gpu.example.com\nno q DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, SHARED(", requestPolicy: {default: 5Gi}")) CLAIM("c", ONE, "")
                    CLAIM("d", ONE, "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p,q on plain drivers=gpu.example.com\n");
    /* 3Gi become 6Gi: in steps of 4Gi from 2Gi. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, STEPS) CLAIM("c", SHARE("3Gi"), "")
                    CLAIM("d", SHARE("3Gi"), "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p on plain drivers=gpu.example.com\nno q DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, STEPS) CLAIM("c", SHARE("3Gi"), "")
                    CLAIM("d", SHARE("1Gi"), "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p,q on plain drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, STEPS) CLAIM("c", SHARE("7Gi"), "")
                    POD("p", "2", CLAIMS("c")),
                "no p DEVICES\n"); /* 10Gi > max */
    /* The next of the valid values; beyond the last none is valid. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, VALUES) CLAIM("c", SHARE("2Gi"), "")
                    CLAIM("d", SHARE("5Gi"), "") CLAIM("e", ONE, "") POD("p", "1200m", CLAIMS("c"))
                        POD("q", "1100m", CLAIMS("d")) POD("r", "1", CLAIMS("e")),
                "new default p,q on plain drivers=gpu.example.com\nno r DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, VALUES) CLAIM("c", SHARE("6Gi"), "")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* A dimension that the device does not have. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, SHARED(""))
                    CLAIM("c", EXACTLY("r", ", capacity: {requests: {cores: 1}}"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Of a type's own device, for every node anew. */
    assert_plan(SNAPSHOT(ON, TYPE("share", "1", BRINGS(SHARED("")))) CLASS CLAIM("c", SHARE("6Gi"), "")
                    CLAIM("d", SHARE("4Gi"), "") CLAIM("e", SHARE("1"), "") POD("p", "1200m", CLAIMS("c"))
                        POD("q", "1100m", CLAIMS("d")) POD("r", "1", CLAIMS("e")),
                "new default p,q on share drivers=gpu.example.com\nnew default r on share drivers=gpu.example.com\n");
}

/* ---- what the cluster has allocated ------------------------------------------------------------------------------ */

static void allocated(void **state)
{
    (void)state;
    /* Held by another claim. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}") HELD("held", "d0", "}") CLAIM("c", ONE, "")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}, {name: d1}") HELD("held", "d0", "}")
                    CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c")),
                "new default p on plain drivers=gpu.example.com\n");
    /* The pod's own: it goes where the devices are, and none are looked for. */
    assert_plan(SNAPSHOT(ON, PLAIN) HELD("c", "d0", ", " IN_ZONE("b") "}") POD("p", "1", CLAIMS("c")),
                "new default p on plain zone=b\n");
    assert_plan(SNAPSHOT(ON, PLAIN) HELD("c", "d0", ", " IN_ZONE("c") "}") POD("p", "1", CLAIMS("c")),
                "no p NOTHING_MATCHED\n");
    /* Two that are apart. */
    assert_plan(SNAPSHOT(ON, PLAIN) HELD("c", "d0", ", " IN_ZONE("b") "}") HELD("d", "d1", ", " IN_ZONE("a") "}") POD(
                    "p", "1", ", resourceClaims: [{name: x, resourceClaimName: c}, {name: z, resourceClaimName: d}]"),
                "no p DEVICES\n");
    /* A share of a device. */
    assert_plan(
        SNAPSHOT(ON, PLAIN) CLASS SLICE(
            "s", ALL,
            SHARED(
                "")) "- {" API
                     "kind: ResourceClaim, metadata: {name: held, namespace: default}, spec: {devices: {requests: [" ONE
                     "]}}, status: {allocation: {devices: {results: [{request: r, "
                     "driver: gpu.example.com, pool: pool, device: d0, consumedCapacity: {memory: 8Gi}}]}}}}\n" CLAIM(
                         "c", SHARE("2Gi"), "") CLAIM("d", SHARE("1Gi"), "") POD("p", "2", CLAIMS("c"))
                         POD("q", "1", CLAIMS("d")),
        "new default p on plain drivers=gpu.example.com\nno q DEVICES\n");
}

/* A device counts on a node that exists, from its own slice. */
static void nodes(void **state)
{
    (void)state;
#define NODE                                                                                                           \
    "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1, "                        \
    "topology.kubernetes.io/zone: a}}, spec: {}, status: {capacity: {cpu: '4', memory: 8Gi, pods: '10'}, "             \
    "allocatable: {cpu: '4', memory: 8Gi, pods: '10'}, conditions: [{type: Ready, status: 'True'}]}}\n"
    assert_plan(SNAPSHOT(ON, PLAIN) NODE CLASS SLICE("s", "nodeName: n1", "{name: d0}") CLAIM("c", ONE, "")
                    CLAIM("d", ONE, "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "node n1 p\nno q DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) NODE CLASS SLICE("s", IN_ZONE("a"), "{name: d0}") CLAIM("c", ONE, "")
                    POD("p", "2", CLAIMS("c")),
                "node n1 p\n");
    assert_plan(SNAPSHOT(ON, PLAIN) NODE CLASS SLICE("s", IN_ZONE("b"), "{name: d0}") CLAIM("c", ONE, "")
                    POD("p", "2", CLAIMS("c")),
                "new default p on plain zone=b drivers=gpu.example.com\n");
    /* A slice whose owner is not among the nodes is not there. */
    assert_plan(SNAPSHOT(ON, PLAIN) NODE CLASS
                "- {" API "kind: ResourceSlice, metadata: {name: s, ownerReferences: [{apiVersion: v1, kind: Node, "
                "name: gone, uid: u}]}, spec: {driver: gpu.example.com, pool: {name: pool, generation: 1, "
                "resourceSliceCount: 1}, allNodes: true, devices: [{name: d0}]}}\n" CLAIM("c", ONE, "")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
}

/* ---- selectors --------------------------------------------------------------------------------------------------- */

static void selectors(void **state)
{
    (void)state;
    const char *unknown = SNAPSHOT(ON, PLAIN GPU) CLASS_OF("gpu", "device.driver.matches('gpu.*')") CLAIM("c", ONE, "")
        POD("p", "1", CLAIMS("c"));
    assert_plan(unknown, "no p DRA_NOT_EVALUATED\n");
    assert_refusal(unknown, "DRA_NOT_EVALUATED",
                   "a device selector uses more of CEL than is evaluated: device.driver.matches('gpu.*')");
    /* In the request, or in an alternative of it. */
    assert_plan(SNAPSHOT(ON, PLAIN GPU) CLASS CLAIM("c", EXACTLY("r", SELECT("device.driver.matches('x')")), "")
                    POD("p", "1", CLAIMS("c")),
                "no p DRA_NOT_EVALUATED\n");
    assert_plan(SNAPSHOT(ON, PLAIN GPU) CLASS CLAIM(
                    "c",
                    "{name: r, firstAvailable: [{name: a, deviceClassName: gpu}, {name: b, deviceClassName: gpu" SELECT(
                        "device.driver.matches('x')") "}]}",
                    "") POD("p", "1", CLAIMS("c")),
                "no p DRA_NOT_EVALUATED\n");
    /* No CEL at all: the claim is of no use; other pods are not affected. */
    assert_plan(SNAPSHOT(ON, PLAIN GPU) CLASS_OF("gpu", "this is not valid CEL") CLAIM("c", ONE, "")
                    POD("p", "1", CLAIMS("c")) POD("q", "1", ""),
                "new default q on plain,gpu-1\nno p DEVICES\n");
    /* What is allocated already is not evaluated. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS_OF("gpu", "device.driver.matches('gpu.*')") HELD("c", "d0", "}")
                    POD("p", "1", CLAIMS("c")),
                "new default p on plain\n");
}

/* A search without end is ended. */
static void long_searches(void **state)
{
    (void)state;
    static char text[40000], devices[20000];
    size_t n = 0;
    for (int i = 0; i < 24; i++) {
        n += (size_t)snprintf(devices + n, sizeof devices - n,
                              "%s{name: d%d, attributes: {gpu.example.com/n: {int: %d}}}", i > 0 ? "," : "", i, i);
    }
    static const char head[] = SNAPSHOT(ON, PLAIN) CLASS,
                      tail[] = CLAIM("c", EXACTLY("r", ", count: 12") "," EXACTLY("q", SELECT("device.driver == 'x'")),
                                     "") POD("p", "1", CLAIMS("c"));
    snprintf(text, sizeof text,
             "%s- {" API "kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, pool: {name: pool, "
             "generation: 1, resourceSliceCount: 1}, allNodes: true, devices: [%s]}}\n%s",
             head, devices, tail);
    assert_plan(text, "no p DEVICES\n");
}

/* ---- typed objects ----------------------------------------------------------------------------------------------- */

static void refuses(karp_status got, const karp_error *error, karp_status status, const char *object, const char *field)
{
    assert_int_equal(got, status);
    assert_string_equal(error->object, object);
    assert_string_equal(error->field, field);
}

static void typed_objects(void **state)
{
    (void)state;
    karp_context *context = NULL;
    karp_builder *b = NULL;
    karp_error e;
    karp_error_init(&e, sizeof e);
    assert_int_equal(karp_context_new(NULL, &context, &e), KARP_OK);
    assert_int_equal(karp_builder_new(context, &b, &e), KARP_OK);

    karp_device_capacity memory = { .name = { "memory", 6 }, .value = { "1Gx", 3 } };
    karp_device_attribute odd = { .name = { "a", 1 }, .kind = 9 };
    karp_device device = { .name = { "d0", 2 }, .capacity = &memory, .capacity_count = 1 };
    karp_resource_slice slice = { .size = sizeof slice,
                                  .meta.name = { "s", 1 },
                                  .driver = { "d", 1 },
                                  .pool = { "p", 1 },
                                  .devices = &device,
                                  .device_count = 1 };
    refuses(karp_builder_add_resource_slice(b, &slice, &e), &e, KARP_E_INVALID, "ResourceSlice s",
            "devices[0].capacity[0].value");
    memory.value = (karp_str){ "1Gi", 3 };
    device.attributes = &odd;
    device.attribute_count = 1;
    refuses(karp_builder_add_resource_slice(b, &slice, &e), &e, KARP_E_INVALID, "ResourceSlice s",
            "devices[0].attributes[0]");
    odd.kind = KARP_ATTRIBUTE_BOOL;
    assert_int_equal(karp_builder_add_resource_slice(b, &slice, &e), KARP_OK);
    refuses(karp_builder_add_resource_slice(b, &slice, &e), &e, KARP_E_DUPLICATE, "ResourceSlice s", "metadata.name");
    slice.size = sizeof slice.size;
    assert_int_equal(karp_builder_add_resource_slice(b, &slice, &e), KARP_E_ABI_SIZE);

    karp_device_request request = { .name = { "r", 1 }, .device_class = { "c", 1 }, .exact = 1, .count = -1 };
    karp_resource_claim claim = {
        .size = sizeof claim, .meta.name = { "x", 1 }, .requests = &request, .request_count = 1
    };
    refuses(karp_builder_add_resource_claim(b, &claim, &e), &e, KARP_E_INVALID, "ResourceClaim default/x",
            "spec.devices.requests[0]");
    request.count = 1;
    request.mode = 2;
    refuses(karp_builder_add_resource_claim(b, &claim, &e), &e, KARP_E_INVALID, "ResourceClaim default/x",
            "spec.devices.requests[0]");
    request.mode = KARP_ALLOCATE_ALL;
    /* A share as a number: value x 10^scale, as far as 128 bits of 10^-9 go. */
    static const struct {
        int64_t value;
        int32_t scale;
        karp_status status;
    } shares[] = {
        { 5, -10, KARP_E_RANGE },
        { 5, 19, KARP_E_RANGE },
        { INT64_MAX, 18, KARP_E_RANGE },
        { INT64_MIN, 18, KARP_E_RANGE },
        { 5, -9, KARP_OK },
        { -5, 3, KARP_OK },
        { 1, 18, KARP_OK },
        { 0, 0, KARP_OK },
    };
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        char name[] = { (char)('a' + i), '\0' };
        karp_resource share = { .name = { "memory", 6 }, .value = shares[i].value, .scale = shares[i].scale };
        claim.meta.name = (karp_str){ name, 1 };
        request.capacity = &share;
        request.capacity_count = 1;
        assert_int_equal(karp_builder_add_resource_claim(b, &claim, &e), shares[i].status);
    }
    claim.meta.name = (karp_str){ "x", 1 };
    request.capacity_count = 0;
    assert_int_equal(karp_builder_add_resource_claim(b, &claim, &e), KARP_OK);

    karp_device_class class_ = { .size = sizeof class_, .meta.name = { "c", 1 }, .selector_count = 1 };
    refuses(karp_builder_add_device_class(b, &class_, &e), &e, KARP_E_INVALID, "DeviceClass c", "spec.selectors");
    class_.selector_count = 0;
    assert_int_equal(karp_builder_add_device_class(b, &class_, &e), KARP_OK);

    karp_counter_set set = { .name = { "s", 1 } };
    karp_device_template both = { .driver = { "d", 1 },
                                  .pool = { "p", 1 },
                                  .devices = &device,
                                  .device_count = 1,
                                  .shared_counters = &set,
                                  .shared_counter_count = 1 };
    karp_instance_type type = {
        .size = sizeof type, .name = { "t", 1 }, .device_templates = &both, .device_template_count = 1
    };
    karp_catalogue *catalogue = NULL;
    refuses(karp_catalogue_new(context, &type, 1, &catalogue, &e), &e, KARP_E_INVALID, "InstanceType t",
            "dynamicResources.resourceSlices[0]");
    both.shared_counter_count = 0;
    assert_int_equal(karp_catalogue_new(context, &type, 1, &catalogue, &e), KARP_OK);
    const karp_instance_type *shown = karp_catalogue_type(catalogue, 0);
    assert_int_equal(shown->device_template_count, 1);
    assert_string_equal(shown->device_templates[0].devices[0].capacity[0].value.ptr, "1Gi");
    karp_catalogue_unref(catalogue);
    /* A program that was built before types had devices. */
    type.size = offsetof(karp_instance_type, device_templates);
    assert_int_equal(karp_catalogue_new(context, &type, 1, &catalogue, &e), KARP_OK);
    assert_int_equal(karp_catalogue_type(catalogue, 0)->device_template_count, 0);
    karp_catalogue_unref(catalogue);
    karp_builder_free(b);
    karp_context_unref(context);
}

/* The canonical Snapshot of a text, in a static buffer. */
static const char *dump_of(const char *yaml, char *into, size_t room)
{
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_text text = { .ptr = NULL };
    karp_error error;
    karp_reader_options options;
    karp_error_init(&error, sizeof error);
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    assert_int_equal(karp_context_new(NULL, &context, &error), KARP_OK);
    assert_int_equal(karp_reader_new(context, &options, &reader, &error), KARP_OK);
    assert_int_equal(karp_reader_add(reader, (karp_str){ "case", 4 }, (karp_str){ yaml, strlen(yaml) }, &error),
                     KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, &error), KARP_OK);
    assert_int_equal(karp_reader_dump(reader, &text, &error), KARP_OK);
    assert_true(text.len < room);
    memcpy(into, text.ptr, text.len + 1);
    karp_text_free(&text);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return into;
}

/* What is dumped reads back as the same. */
static void dumps(void **state)
{
    (void)state;
    static char first[20000], second[20000];
    const char *yaml = SNAPSHOT(ON, TYPE("share", "1",
                                         BRINGS(STEPS ",{name: d1, attributes: {a: {string: x}, b: {int: 1}, c: {bool: "
                                                      "true}, d: {version: 1.2.3}}, capacity: {memory: {value: 1Gi}}}"))
                                        TYPE("values", "1", BRINGS(VALUES)) TYPE("parts", "1", PARTS)
                                            TYPE("bound", "9", BOUND(GROUP(ID("g1") "," ID("g2")))))
        CLASS CLAIM("c", SHARE("3Gi"), "") CLAIM("d", SHARE("3Gi"), "") POD("p", "2", CLAIMS("c"))
            POD("q", "1", CLAIMS("d"));
    dump_of(yaml, first, sizeof first);
    assert_string_equal(dump_of(first, second, sizeof second), first);
    assert_plan(yaml, "new default p,q on parts,share,values,bound drivers=gpu.example.com\n");
    assert_plan(first, "new default p,q on parts,share,values,bound drivers=gpu.example.com\n");
}

static void refused_memory(void **state)
{
    (void)state;
    assert_plan_fault(
        SNAPSHOT(ON, PLAIN TYPE("bound", "9", BOUND(GROUP(ID("g1") "," ID("g2")))))
            CLASS SLICE_OF("s1", "pool", "1", "3", ALL, COUNTERS("80Gi")) SLICE_OF("s2", "pool", "1", "3", IN_ZONE("a"),
                                                                                   "devices: [" PART("a", "40Gi") "]")
                SLICE_OF("s3", "pool", "1", "3", ALL,
                         "devices: [" SHARED(", requestPolicy: {default: 1Gi, validValues: [1Gi, 5Gi]}") "]")
                    CLAIM("c", EXACTLY("r", ", count: 2"), SAME) CLAIM("d", SHARE("2Gi"), "")
                        CLAIM("e", EXACTLY("r", SELECT("!device.allowMultipleAllocations")), "")
                            POD("p", "1200m", CLAIMS("c")) POD("q", "1100m", CLAIMS("d")) POD("r", "1", CLAIMS("e")),
        "new default p,q,r on bound zone=a drivers=gpu.example.com\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_with_devices),
        cmocka_unit_test(switched_off),
        cmocka_unit_test(claims_and_classes_missing),
        cmocka_unit_test(shared_claims),
        cmocka_unit_test(devices_of_the_cluster),
        cmocka_unit_test(turning_back),
        cmocka_unit_test(pools_of_slices),
        cmocka_unit_test(all_devices),
        cmocka_unit_test(first_available),
        cmocka_unit_test(too_many),
        cmocka_unit_test(matching_attributes),
        cmocka_unit_test(bindings),
        cmocka_unit_test(counters),
        cmocka_unit_test(capacity),
        cmocka_unit_test(allocated),
        cmocka_unit_test(nodes),
        cmocka_unit_test(selectors),
        cmocka_unit_test(long_searches),
        cmocka_unit_test(typed_objects),
        cmocka_unit_test(dumps),
        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
