/* SPDX-License-Identifier: Apache-2.0 */
/* Who has a device: claims of the cluster and pods that leave, then the nodes of the plan and the types that they can
 * be. */
#include "device_documents.h"
#include "planning.h"

#include <string.h>

#define DEVICES "drivers=gpu.example.com"
#define GOT(pods) "new default " pods " on plain " DEVICES "\n"
#define NODE(name, more, zone)                                                                                         \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name more ", labels: {kubernetes.io/hostname: " name            \
    ", topology.kubernetes.io/zone: " zone "}}, spec: {}, "                                                            \
    "status: {capacity: {cpu: '4', memory: 8Gi, pods: '10'}, allocatable: {cpu: '4', memory: 8Gi, pods: '10'}, "       \
    "conditions: [{type: Ready, status: 'True'}]}}\n"
#define LEAVING NODE("old", ", deletionTimestamp: 2026-06-01T00:00:00Z, finalizers: [karpenter.sh/termination]", "a")
/* A pod on that node, which has to move, or on one that stays. */
#define ON_NODE(name, node, cpu, claim)                                                                                \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name                        \
    "}, spec: {nodeName: " node ", containers: [{name: c, resources: {requests: {cpu: " cpu "}}}], "                   \
    "resourceClaims: [{name: x, resourceClaimName: " claim "}]}, status: {phase: Running}}\n"
#define MOVES(name, claim) ON_NODE(name, "old", "2", claim)

/* A claim that has devices, for consumers; `where` is a selector of nodes with a comma before it, or "". */
#define RESERVED(name, results, where, consumers)                                                                      \
    "- {" API "kind: ResourceClaim, metadata: {name: " name ", namespace: default}, spec: {devices: {requests: [" ONE  \
    "]}}, status: {allocation: {devices: {results: [" results "]}" where "}, reservedFor: [" consumers "]}}\n"
#define RESULT(device) "{request: r, driver: gpu.example.com, pool: pool, device: " device "}"
#define PART_OF(device, memory)                                                                                        \
    "{request: r, driver: gpu.example.com, pool: pool, device: " device ", consumedCapacity: {memory: " memory "}}"
#define BY_POD(name) "{resource: pods, name: " name ", uid: u-" name "}"
#define BY_JOB "{apiGroup: batch, resource: jobs, name: j, uid: u-j}"
#define TWO_CLAIMS ", resourceClaims: [{name: x, resourceClaimName: c}, {name: z, resourceClaimName: d}]"

/* ---- claims of the cluster --------------------------------------------------------------------------------------- */

/* The pod that has the claim leaves its node: the claim is served anew, wherever its device was. */
static void moving_consumers(void **state)
{
    (void)state;
#define FAR ", " IN_ZONE("c")
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS LEAVING SLICE("s", ALL, "{name: d0}")
                    RESERVED("c", RESULT("d0"), FAR, BY_POD("m")) MOVES("m", "c"),
                GOT("m"));
    /* Two pods have it, and one stays: the claim stays what it is, in zone c, where no node can be. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS LEAVING NODE("n1", "", "a") SLICE("s", ALL, "{name: d0}")
                    RESERVED("c", RESULT("d0"), FAR, BY_POD("m") "," BY_POD("k")) MOVES("m", "c")
                        ON_NODE("k", "n1", "4", "c"),
                "no m NOTHING_MATCHED\n");
    /* Both leave: devices are looked for again for each of them, and there is one (dra.md D5). */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS LEAVING NODE("n1", "", "a") SLICE("s", ALL, "{name: d0}")
                    RESERVED("c", RESULT("d0"), FAR, BY_POD("m") "," BY_POD("k")) MOVES("m", "c")
                        ON_NODE("k", "old", "1", "c"),
                "node n1 m\nno k DEVICES\n");
    /* Something that is no pod has it, too. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS LEAVING SLICE("s", ALL, "{name: d0}")
                    RESERVED("c", RESULT("d0"), FAR, BY_POD("m") "," BY_JOB) MOVES("m", "c"),
                "no m NOTHING_MATCHED\n");
    /* Nobody has. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS LEAVING SLICE("s", ALL, "{name: d0}") RESERVED("c", RESULT("d0"), FAR, "")
                    MOVES("m", "c"),
                "no m NOTHING_MATCHED\n");
}

/* Whether a device of the cluster is free for others: it is when pods have it and all of them leave, whatever else has
 * it. */
static void freed_devices(void **state)
{
    (void)state;
#define WANTS CLAIM("w", ONE, "") POD("p", "3", CLAIMS("w"))
#define WORLD SNAPSHOT(ON, PLAIN) CLASS LEAVING SLICE("s", ALL, "{name: d0}")
    /* p, the larger, goes first and takes it. */
    assert_plan(WORLD RESERVED("c", RESULT("d0"), "", BY_POD("m")) MOVES("m", "c") WANTS, GOT("p") "no m DEVICES\n");
    assert_plan(WORLD RESERVED("c", RESULT("d0"), "", BY_POD("gone")) WANTS, "no p DEVICES\n");
    assert_plan(WORLD RESERVED("c", RESULT("d0"), "", "") WANTS, "no p DEVICES\n");
    assert_plan(WORLD RESERVED("c", RESULT("d0"), "", BY_JOB) WANTS, "no p DEVICES\n");
    assert_plan(WORLD RESERVED("c", RESULT("d0"), "", BY_POD("m") "," BY_JOB) MOVES("m", "c") WANTS,
                "new default m on plain\n" GOT("p"));
    /* Two claims have it. */
    assert_plan(WORLD RESERVED("c", RESULT("d0"), "", BY_POD("m")) RESERVED("d", RESULT("d0"), "", BY_POD("gone"))
                    MOVES("m", "c") WANTS,
                "no m DEVICES\nno p DEVICES\n");
    assert_plan(WORLD RESERVED("c", RESULT("d0"), "", BY_POD("gone")) RESERVED("d", RESULT("d0"), "", BY_POD("m"))
                    MOVES("m", "d") WANTS,
                "no m DEVICES\nno p DEVICES\n");
    assert_plan(WORLD RESERVED("c", RESULT("d0"), "", BY_POD("m")) RESERVED("d", RESULT("d0"), "", BY_JOB)
                    MOVES("m", "c") WANTS,
                GOT("p") "no m DEVICES\n");
    assert_plan(WORLD RESERVED("c", RESULT("d0"), "", BY_JOB) RESERVED("d", RESULT("d0"), "", BY_POD("m"))
                    MOVES("m", "d") WANTS,
                GOT("p") "no m DEVICES\n");
    /* A device that no slice speaks of is none that is in the way. */
    assert_plan(WORLD RESERVED("c", RESULT("d7"), "", BY_JOB) WANTS, GOT("p"));
}

#define ROOM(memory) "{name: d0, allowMultipleAllocations: true, capacity: {memory: {value: " memory "}}}"
#define SOME(memory) CLAIM("w", SHARE(memory), "") POD("p", "3", CLAIMS("w"))

/* Of a shared device what the claims that stay have consumed is taken. */
static void shared_devices(void **state)
{
    (void)state;
#define SHARED_WORLD SNAPSHOT(ON, PLAIN) CLASS LEAVING SLICE("s", ALL, ROOM("10"))
    assert_plan(SHARED_WORLD RESERVED("c", PART_OF("d0", "4"), "", BY_POD("m"))
                    RESERVED("d", PART_OF("d0", "5"), "", BY_JOB) SOME("1"),
                GOT("p"));
    assert_plan(SHARED_WORLD RESERVED("c", PART_OF("d0", "4"), "", BY_POD("m"))
                    RESERVED("d", PART_OF("d0", "5"), "", BY_JOB) SOME("2"),
                "no p DEVICES\n");
    /* What the first has is given back with the pod: 5 are left. */
    assert_plan(SHARED_WORLD RESERVED("c", PART_OF("d0", "4"), "", BY_POD("m"))
                    RESERVED("d", PART_OF("d0", "5"), "", BY_POD("gone")) MOVES("m", "c") SOME("5"),
                GOT("p") "no m DEVICES\n");
    assert_plan(SHARED_WORLD RESERVED("c", PART_OF("d0", "4"), "", BY_POD("m"))
                    RESERVED("d", PART_OF("d0", "5"), "", BY_POD("gone")) MOVES("m", "c") SOME("6"),
                "no m DEVICES\nno p DEVICES\n");
    /* All pods leave: free, whatever else has a part. */
    assert_plan(SHARED_WORLD RESERVED("c", PART_OF("d0", "4"), "", BY_POD("m"))
                    RESERVED("d", PART_OF("d0", "5"), "", BY_JOB) MOVES("m", "c") SOME("10"),
                GOT("p") "no m DEVICES\n");
    /* Who has it whole, has it although another has a part of it: then only parts count. */
    assert_plan(SHARED_WORLD RESERVED("c", RESULT("d0"), "", BY_JOB) SOME("10"), GOT("p"));
    assert_plan(SHARED_WORLD RESERVED("c", RESULT("d0"), "", BY_JOB) RESERVED("d", PART_OF("d0", "5"), "", BY_JOB)
                    SOME("6"),
                "no p DEVICES\n");
    assert_plan(SHARED_WORLD RESERVED("c", PART_OF("d0", "5"), "", BY_JOB) RESERVED("d", RESULT("d0"), "", BY_JOB)
                    SOME("5"),
                GOT("p"));
    /* Two results of one claim on one device: the last counts. */
    assert_plan(SHARED_WORLD RESERVED("c", PART_OF("d0", "9") "," PART_OF("d0", "2"), "", BY_JOB) SOME("8"), GOT("p"));
    assert_plan(SHARED_WORLD RESERVED("c", PART_OF("d0", "2") "," PART_OF("d0", "9"), "", BY_JOB) SOME("2"),
                "no p DEVICES\n");
    assert_plan(SHARED_WORLD RESERVED("c", PART_OF("d1", "2") "," PART_OF("d0", "9"), "", BY_JOB) SOME("1"), GOT("p"));
}

/* Devices that are taken take from the counters of their pool, as far as they are of its newest generation. */
static void counters_of_taken_devices(void **state)
{
    (void)state;
#define COUNTED(name, taken)                                                                                           \
    "{name: " name ", consumesCounters: [{counterSet: set, counters: {memory: {value: " taken "}}}]}"
#define COUNTED_SHARE(name, taken)                                                                                     \
    "{name: " name ", allowMultipleAllocations: true, capacity: {memory: {value: 10}}, consumesCounters: "             \
    "[{counterSet: set, counters: {memory: {value: " taken "}}}]}"
#define SETS(total) SLICE_OF("s1", "pool", "2", "2", ALL, COUNTERS(total))
#define DEVS(devices) SLICE_OF("s2", "pool", "2", "2", ALL, "devices: [" devices "]")
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SETS("80") DEVS(COUNTED("d0", "40") "," COUNTED("d1", "40"))
                    RESERVED("c", RESULT("d0"), "", BY_JOB) WANTS,
                GOT("p"));
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SETS("79") DEVS(COUNTED("d0", "40") "," COUNTED("d1", "40"))
                    RESERVED("c", RESULT("d0"), "", BY_JOB) WANTS,
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SETS("79") DEVS(COUNTED("d0", "40") "," COUNTED("d1", "40")) WANTS, GOT("p"));
    /* So does one that is out of reach. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "pool", "2", "3", ALL, COUNTERS("79"))
                    SLICE_OF("s2", "pool", "2", "3", IN_ZONE("c"), "devices: [" COUNTED("d0", "40") "]")
                        SLICE_OF("s3", "pool", "2", "3", ALL, "devices: [" COUNTED("d1", "40") "]")
                            RESERVED("c", RESULT("d0"), "", BY_JOB) WANTS,
                "no p DEVICES\n");
    /* Not one that only an older generation had, and that generation's counters do not count either. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SETS("79") DEVS(COUNTED("d1", "40"))
                    SLICE_OF("s3", "pool", "1", "2", ALL, "devices: [" COUNTED("d0", "40") "]")
                        SLICE_OF("s4", "pool", "1", "2", ALL, COUNTERS("1")) RESERVED("c", RESULT("d0"), "", BY_JOB)
                            WANTS,
                GOT("p"));
    /* A shared one does while some of it is consumed. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SETS("79") DEVS(COUNTED_SHARE("d0", "40") "," COUNTED("d1", "40"))
                    RESERVED("c", PART_OF("d0", "1"), "", BY_JOB)
                        CLAIM("w", EXACTLY("r", SELECT("!device.allowMultipleAllocations")), "")
                            POD("p", "3", CLAIMS("w")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SETS("79") DEVS(COUNTED_SHARE("d0", "40") "," COUNTED("d1", "40"))
                    RESERVED("c", PART_OF("d0", "0"), "", BY_JOB)
                        CLAIM("w", EXACTLY("r", SELECT("!device.allowMultipleAllocations")), "")
                            POD("p", "3", CLAIMS("w")),
                GOT("p"));
}

/* ---- the nodes of the plan --------------------------------------------------------------------------------------- */

#define SIZED(name, cpu, more)                                                                                         \
    "  - {name: " name ", capacity: {cpu: '" cpu                                                                       \
    "', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: [" name                                  \
    "], topology.kubernetes.io/zone: [a, b], "                                                                         \
    "karpenter.sh/capacity-type: [on-demand]}, offerings: [{zone: a, capacityType: on-demand, price: 1}, {zone: b, "   \
    "capacityType: on-demand, price: 1}]" more "}\n"

/* A device that a type would have had is given back once the node cannot be that type. */
static void released_types(void **state)
{
    (void)state;
    /* The small type goes with d0, the large one with d1, as their own devices are. The pod is too large for the small
     * one, so that d0 is left for the other pod. */
#define PAIRS SIZED("small", "2", BRINGS(NUMA("g0", "0"))) SIZED("large", "8", BRINGS(NUMA("g0", "1")))
#define OWN(name)                                                                                                      \
    EXACTLY(name, SELECT("device.attributes['gpu.example.com'].numa >= 0 && !device.allowMultipleAllocations"))
#define BOTH CLAIM("c", EXACTLY("r", ", count: 2"), SAME)
#define TWO SLICE("s", ALL, NUMA("d0", "0") "," NUMA("d1", "1"))
    assert_plan(SNAPSHOT(ON, PAIRS) CLASS TWO BOTH CLAIM("d", ONE, "") POD("p", "6", CLAIMS("c"))
                    POD("q", "1", CLAIMS("d") ", nodeSelector: {node.kubernetes.io/instance-type: small}"),
                "new default p on large " DEVICES "\nnew default q on small " DEVICES "\n");
    /* Both types would have d0, and the one that is left keeps it. */
    assert_plan(SNAPSHOT(ON, SIZED("small", "2", "") SIZED("large", "8", "")) CLASS SLICE("s", ALL, "{name: d0}")
                    CLAIM("c", ONE, "") CLAIM("d", ONE, "") POD("p", "6", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p on large " DEVICES "\nno q DEVICES\n");
    /* What a type that is not taken would have consumed is given back, and the most that another does stays charged. */
#define CONSUMING(name, n, numa)                                                                                       \
    "{name: " name ", attributes: {gpu.example.com/numa: {int: " numa                                                  \
    "}}, consumesCounters: [{counterSet: set, counters: {memory: {value: " n "}}}]}"
#define CHARGED(total)                                                                                                 \
    SNAPSHOT(ON, PAIRS)                                                                                                \
    CLASS SLICE_OF("s1", "pool", "1", "2", ALL, COUNTERS(total)) SLICE_OF(                                             \
        "s2", "pool", "1", "2", ALL,                                                                                   \
        "devices: [" CONSUMING("d0", "60", "0") "," CONSUMING("d1", "20", "1") "," CONSUMING("d2", "40", "2") "]")     \
        BOTH CLAIM("d", EXACTLY("r", SELECT("device.attributes['gpu.example.com'].numa == 2")), "")                    \
            POD("p", "6", CLAIMS("c")) POD("q", "1", CLAIMS("d"))
    assert_plan(CHARGED("60"), "new default p,q on large " DEVICES "\n");
    assert_plan(CHARGED("59"), "new default p on large " DEVICES "\nno q DEVICES\n");
    /* Both stay: 60 are charged for the node, whatever it becomes. */
#define UNDECIDED(total)                                                                                               \
    SNAPSHOT(ON, PAIRS)                                                                                                \
    CLASS SLICE_OF("s1", "pool", "1", "2", ALL, COUNTERS(total)) SLICE_OF(                                             \
        "s2", "pool", "1", "2", ALL,                                                                                   \
        "devices: [" CONSUMING("d0", "60", "0") "," CONSUMING("d1", "20", "1") "," CONSUMING("d2", "40", "2") "]")     \
        BOTH CLAIM("d", EXACTLY("r", SELECT("device.attributes['gpu.example.com'].numa == 2")), "")                    \
            POD("p", "500m", CLAIMS("c")) POD("q", "400m", CLAIMS("d"))
    assert_plan(UNDECIDED("100"), "new default p,q on large,small " DEVICES "\n");
    assert_plan(UNDECIDED("99"), "new default p on large,small " DEVICES "\nno q DEVICES\n");
}

/* One claim for two pods: it holds the node to what the devices of the types that are left ask for. */
static void shared_claim_of_released_types(void **state)
{
    (void)state;
    /* With the first pod's claim the small type has d0 and the large one d1, as their own devices are; with the
     * second's it is the other way round. Both pods are too much for the small type, whose d1 alone had bound the
     * second claim to zone a: a third pod may use that claim elsewhere. */
#define AT(name, numa, at) "{name: " name ", attributes: {gpu.example.com/numa: {int: " numa "}, at: {string: " at "}}}"
#define WHERE(name, at) EXACTLY(name, SELECT("device.attributes['gpu.example.com'].at == '" at "'"))
#define WORLD_OF_TWO(first, second)                                                                                    \
    SNAPSHOT(ON,                                                                                                       \
             SIZED("small", "2", BRINGS(AT("g0", "0", "node"))) SIZED("large", "8", BRINGS(AT("g0", "1", "node"))))    \
    CLASS SLICE_OF("s1", "p1", "1", "1", first, "devices: [" AT("d0", "0", "cluster") "]")                             \
        SLICE_OF("s2", "p2", "1", "1", second, "devices: [" AT("d1", "1", "cluster") "]")                              \
            CLAIM("k", WHERE("r", "cluster") "," WHERE("q", "node"), SAME) CLAIM("c", WHERE("r", "cluster"), "")       \
                POD("a", "1900m", CLAIMS("k")) POD("b", "1500m", CLAIMS("c"))                                          \
                    POD("q", "1", CLAIMS("c") ", nodeSelector: {topology.kubernetes.io/zone: b}")
    assert_plan(WORLD_OF_TWO(ALL, IN_ZONE("a")),
                "new default a,b on large zone=a " DEVICES "\nnew default q on large,small zone=b\n");
    /* Its other half, that of the large type, binds it still. */
    assert_plan(WORLD_OF_TWO(IN_ZONE("a"), ALL), "new default a,b on large zone=a " DEVICES "\nno q DEVICES\n");
}

/* A claim named twice is one claim; two claims of a pod are two. */
static void claims_of_a_pod(void **state)
{
    (void)state;
#define TWICE ", resourceClaims: [{name: x, resourceClaimName: c}, {name: z, resourceClaimName: c}]"
    /* S-Q39: a claim that is named twice gets a device for each entry. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}") CLAIM("c", ONE, "") POD("p", "1", TWICE),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}, {name: d1}") CLAIM("c", ONE, "")
                    POD("p", "1", TWICE),
                GOT("p"));
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}") CLAIM("c", ONE, "") CLAIM("d", ONE, "")
                    POD("p", "1", TWO_CLAIMS),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}, {name: d1}") CLAIM("c", ONE, "")
                    CLAIM("d", ONE, "") POD("p", "1", TWO_CLAIMS),
                GOT("p"));
    /* The second of them does not exist. */
    assert_refusal(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}") CLAIM("c", ONE, "")
                       POD("p", "1", TWO_CLAIMS),
                   "RESOURCE_CLAIM", "a resource claim does not exist: d");
    /* One claim has the type's own device, the other the cluster's: each pod of another claim goes where its device can
     * be had. */
#define KIND_OF(name, kind) EXACTLY(name, SELECT("device.attributes['gpu.example.com'].model == '" kind "'"))
    assert_plan(SNAPSHOT(ON, TYPE("own", "1", BRINGS(SMALL("g0")))) CLASS SLICE("s", ALL, BIG("d0"))
                    CLAIM("c", KIND_OF("r", "small"), "") CLAIM("d", KIND_OF("r", "big"), "") POD("p", "3", TWO_CLAIMS)
                        POD("q", "2", CLAIMS("d")) POD("r", "2", CLAIMS("c")),
                "new default p on own " DEVICES "\nnew default q on own\nno r DEVICES\n");
}

/* Drivers are listed once each, by name. */
static void drivers(void **state)
{
    (void)state;
#define SLICE_BY(driver, name)                                                                                         \
    "- {" API "kind: ResourceSlice, metadata: {name: " name "}, spec: {driver: " driver                                \
    ", pool: {name: pool, generation: 1, resourceSliceCount: 1}, allNodes: true, devices: [{name: d0}, {name: "        \
    "d1}]}}\n"
#define BY(driver) "device.driver == '" driver "'"
#define OF_ANY(name, driver, n) "{name: " name ", exactly: {deviceClassName: any, count: " n SELECT(BY(driver)) "}}"
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS_OF("any", "true") SLICE_BY("nic.example.com", "s1")
                    SLICE_BY("gpu.example.com", "s2") SLICE_BY("acc.example.com", "s3")
                        CLAIM("c",
                              OF_ANY("r", "nic.example.com", "2") "," OF_ANY("q", "acc.example.com", "1") "," OF_ANY(
                                  "t", "gpu.example.com", "1"),
                              "") POD("p", "1", CLAIMS("c")),
                "new default p on plain drivers=acc.example.com,gpu.example.com,nic.example.com\n");
}

/* A device of the cluster and one that a type brings may have the same name. */
static void twins(void **state)
{
    (void)state;
#define TWIN_SLICE SLICE_OF("s", "own", "1", "1", ALL, "devices: [{name: g0}]")
    assert_plan(SNAPSHOT(ON, TYPE("gpu-1", "1", BRINGS("{name: g0}")))
                    CLASS TWIN_SLICE CLAIM("c", EXACTLY("r", ", count: 2"), "") POD("p", "1", CLAIMS("c")),
                "new default p on gpu-1 " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, TYPE("gpu-1", "1", BRINGS("{name: g0}")))
                    CLASS TWIN_SLICE CLAIM("c", EXACTLY("r", ", count: 3"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, TYPE("gpu-1", "1", BRINGS("{name: g0}"))) CLASS TWIN_SLICE CLAIM("c", ONE, "")
                    CLAIM("d", ONE, "") CLAIM("e", ONE, "") POD("p", "1300m", CLAIMS("c"))
                        POD("q", "1200m", CLAIMS("d")) POD("r", "1100m", CLAIMS("e")),
                "new default p,q on gpu-1 " DEVICES "\nnew default r on gpu-1 " DEVICES "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_consumers),
        cmocka_unit_test(freed_devices),
        cmocka_unit_test(shared_devices),
        cmocka_unit_test(counters_of_taken_devices),
        cmocka_unit_test(released_types),
        cmocka_unit_test(shared_claim_of_released_types),
        cmocka_unit_test(claims_of_a_pod),
        cmocka_unit_test(drivers),
        cmocka_unit_test(twins),
    };
    return cmocka_run_group_tests_name("device_holders", tests, NULL, NULL);
}
