/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a device a claim takes: shares under a request policy, and counters; up to the edges of numbers. */
#include "device_documents.h"
#include "planning.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static karp_context *context;

/* ---- shares of one device ---------------------------------------------------------------------------------------- */

/* One device with that much memory (and a policy), one claim that asks for some of it ("" = nothing is said). */
static bool placed(const char *value, const char *policy, const char *asked)
{
    char yaml[4000], plan[200], request[100] = "", member[300] = "";
    karp_error error;
    if (asked[0] != '\0') snprintf(request, sizeof request, ", capacity: {requests: {memory: %s}}", asked);
    if (policy[0] != '\0') snprintf(member, sizeof member, ", requestPolicy: {%s}", policy);
    snprintf(
        yaml, sizeof yaml,
        "%s- {" API "kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, pool: {name: pool, "
        "generation: 1, resourceSliceCount: 1}, "
        "allNodes: true, devices: [{name: d0, allowMultipleAllocations: true, capacity: {memory: {value: %s%s}}}]}}\n"
        "- {" API "kind: ResourceClaim, metadata: {name: c, namespace: default}, spec: {devices: {requests: [{name: r, "
        "exactly: {deviceClassName: gpu%s}}]}}}\n",
        SNAPSHOT(ON, PLAIN) CLASS POD("p", "1", CLAIMS("c")), value, member, request);
    karp_error_init(&error, sizeof error);
    karp_status status = plan_of(context, yaml, plan, sizeof plan, &error);
    if (status != KARP_OK) fail_msg("%s, %s, %s: %s", value, policy, asked, error.message);
    bool yes = strcmp(plan, "new default p on plain drivers=gpu.example.com\n") == 0;
    if (!yes) assert_string_equal(plan, "no p DEVICES\n");
    return yes;
}

/* What is consumed fits into a device of that size, and into none that is smaller. */
static void policies(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *asked, *consumed, *less;
    } rows[] = {
        { "", "3Gi", "3Gi", "3221225471" },
        { "default: 5", "3", "3", "2" },
        { "default: 5", "", "5", "4" },
        /* A range: from its least on, in steps if it has them. */
        { "validRange: {min: 2}", "1", "2", "1999m" },
        { "validRange: {min: 2}", "2", "2", "1999m" },
        { "validRange: {min: 2}", "2500m", "2500m", "2499m" },
        { "validRange: {min: 2, max: 9}", "9", "9", "8" },
        { "validRange: {max: 8}", "3", "3", "2" },
        { "validRange: {min: 2, step: 4}", "1", "2", "1" },
        { "validRange: {min: 2, step: 4}", "2", "2", "1" },
        { "validRange: {min: 2, step: 4}", "3", "6", "5" },
        { "validRange: {min: 2, step: 4}", "6", "6", "5" },
        { "validRange: {min: 2, step: 4}", "7", "10", "9" },
        { "validRange: {max: 8, step: 2}", "4", "4", "3" },
        /* Steps are counted in integers, each number rounded up: 700m, 500m and 1500m are 1, 1 and 2. */
        { "validRange: {min: 500m, step: 1500m}", "700m", "1", "999m" },
        { "validRange: {min: 500m, step: 1500m}", "1200m", "3", "2999m" },
        /* The next of the values; what is the default need not be one. */
        { "validValues: [1, 5]", "1", "1", "999m" },
        { "validValues: [1, 5]", "2", "5", "4" },
        { "default: 7, validValues: [1, 5]", "7", "7", "6" },
        { "default: 7, validRange: {min: 1, max: 5}", "", "7", "6" },
        { "default: 3, validValues: [1, 5]", "3", "5", "4" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!placed(rows[i].consumed, rows[i].policy, rows[i].asked))
            fail_msg("%s, %s is not %s", rows[i].policy, rows[i].asked, rows[i].consumed);
        if (placed(rows[i].less, rows[i].policy, rows[i].asked))
            fail_msg("%s, %s is not more than %s", rows[i].policy, rows[i].asked, rows[i].less);
    }
}

/* What a policy does not allow is refused, however large the device is. */
static void not_allowed(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *asked;
    } rows[] = {
        { "validRange: {max: 8}", "9" },
        { "validRange: {min: 2, max: 9}", "9500m" },
        { "validRange: {min: 2, max: 9, step: 4}", "7" }, /* 10 */
        { "validRange: {max: 8, step: 2}", "3" },
        { "validValues: [1, 5]", "6" },
        { "default: 7, validValues: [1, 5]", "6" },
        /* No step at all, or one backwards. */
        { "validRange: {min: 1, step: 0}", "3" },
        { "validRange: {min: 1, step: 0}", "500m" },
        { "validRange: {min: 1, step: '-2'}", "3" },
        /* Beyond the integers in which steps are counted: the request, the least, the step; and what comes of them. */
        { "validRange: {min: 1, step: 1}", "20e18" },
        { "validRange: {min: '-20e18', step: 1}", "1" },
        { "validRange: {min: 1, step: 20e18}", "3" },
        { "validRange: {min: '-9e18', step: 1}", "9e18" },
        { "validRange: {min: 0, step: 2}", "9223372036854775807" },
        { "validRange: {min: 5e18, step: 8e18}", "9e18" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (placed("99e18", rows[i].policy, rows[i].asked)) fail_msg("%s, %s", rows[i].policy, rows[i].asked);
    }
}

/* Without a request and a default the whole device is taken, if the policy allows that much. */
static void whole_devices(void **state)
{
    (void)state;
    static const struct {
        const char *value, *policy;
        bool allowed;
    } rows[] = {
        { "5", "", true },
        { "5", "validRange: {max: 5}", true },
        { "5", "validRange: {max: 4}", false },
        { "5", "validRange: {min: 1, step: 2}", true },
        { "6", "validRange: {min: 1, step: 2}", false },
        { "6", "validRange: {step: 2}", true },
        { "5", "validRange: {step: 2}", false },
        { "5", "validRange: {min: 1, step: '-2'}", true },
        { "6", "validRange: {min: 1, step: '-2'}", false },
        { "6", "validRange: {min: 1, step: '-1'}", true },
        { "5", "validRange: {min: 1, step: 0}", false },
        { "5", "validValues: [1, 5]", true },
        { "4", "validValues: [1, 5]", false },
        { "20e18", "validRange: {min: 1}", true },
        { "20e18", "validRange: {min: 1, step: 1}", false },
        { "5", "validRange: {min: 1, step: 20e18}", false },
        { "5", "validRange: {min: '-20e18', step: 1}", false },
        { "9e18", "validRange: {min: '-9e18', step: 1}", false },
        { "9e18", "validRange: {min: '-1', step: 1}", true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (placed(rows[i].value, rows[i].policy, "") != rows[i].allowed)
            fail_msg("%s, %s", rows[i].value, rows[i].policy);
    }
}

#define MEMORY(name, value) "{name: " name ", allowMultipleAllocations: true, capacity: {memory: {value: " value "}}}"
#define WIDE(name, memory, cores)                                                                                      \
    "{name: " name ", allowMultipleAllocations: true, capacity: {memory: {value: " memory "}, cores: {value: " cores   \
    "}}}"
#define OF(name, memory, cores) EXACTLY(name, ", capacity: {requests: {memory: " memory ", cores: " cores "}}")
#define GONE "new default p on plain drivers=gpu.example.com\n"

/* Each dimension is counted by itself, over the requests of a claim, over claims and over pods. */
static void dimensions(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, WIDE("d0", "6", "2"))
                    CLAIM("c", OF("r", "3", "1") "," OF("q", "3", "1"), "") POD("p", "1", CLAIMS("c")),
                GONE);
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, WIDE("d0", "5", "9"))
                    CLAIM("c", OF("r", "3", "1") "," OF("q", "3", "1"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, WIDE("d0", "9", "1"))
                    CLAIM("c", OF("r", "3", "1") "," OF("q", "3", "1"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Of a dimension that no request names the whole is taken. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, WIDE("d0", "6", "2")) CLAIM("c", SHARE("3"), "")
                    CLAIM("d", SHARE("3"), "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                GONE "no q DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, WIDE("d0", "6", "2")) CLAIM("c", OF("r", "3", "1"), "")
                    CLAIM("d", OF("r", "3", "1"), "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p,q on plain drivers=gpu.example.com\n");
    /* One of no size can be had any number of times. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0, allowMultipleAllocations: true}")
                    CLAIM("c", ONE, "") CLAIM("d", ONE, "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p,q on plain drivers=gpu.example.com\n");
    /* The cluster's device and one that the type brings, in one claim: each has its own room. */
    assert_plan(SNAPSHOT(ON, TYPE("share", "1", BRINGS(WIDE("g0", "3", "1"))))
                    CLASS SLICE("s", ALL, WIDE("d0", "3", "1")) CLAIM("c", OF("r", "3", "1") "," OF("q", "3", "1"), "")
                        POD("p", "1", CLAIMS("c")),
                "new default p on share drivers=gpu.example.com\n");
    assert_plan(
        SNAPSHOT(ON, TYPE("share", "1", BRINGS(WIDE("g0", "3", "1")))) CLASS SLICE("s", ALL, WIDE("d0", "3", "1"))
            CLAIM("c", OF("r", "3", "1") "," OF("q", "3", "1") "," OF("t", "1", "1"), "") POD("p", "1", CLAIMS("c")),
        "no p DEVICES\n");
    /* The same over two pods of a node; both dimensions of either device are full then. */
    assert_plan(SNAPSHOT(ON, TYPE("share", "1", BRINGS(WIDE("g0", "3", "1"))))
                    CLASS SLICE("s", ALL, WIDE("d0", "3", "1")) CLAIM("c", OF("r", "2", "1") "," OF("q", "2", "1"), "")
                        CLAIM("d", OF("r", "1", "0"), "") CLAIM("e", OF("r", "1", "0"), "")
                            CLAIM("f", OF("r", "1", "0"), "") POD("p", "1", CLAIMS("c")) POD("q", "900m", CLAIMS("d"))
                                POD("r", "800m", CLAIMS("e")),
                "new default p,q,r on share drivers=gpu.example.com\n");
}

/* What claims of the cluster have consumed of a shared device. */
#define HAS(name, results)                                                                                             \
    "- {" API "kind: ResourceClaim, metadata: {name: " name ", namespace: default}, spec: {devices: {requests: [" ONE  \
    "]}}, status: {allocation: {devices: {results: [" results "]}}}}\n"
#define OF_D0(more) "{request: r, driver: gpu.example.com, pool: pool, device: d0" more "}"
#define CONSUMED(memory) OF_D0(", consumedCapacity: {memory: " memory "}")
#define HUGE_AMOUNT "100000000000000000000000000000" /* 10^29 units; twice that is beyond 128 bits of 10^-9 */

static void consumed_in_the_cluster(void **state)
{
    (void)state;
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, MEMORY("d0", "10")) HAS("x", CONSUMED("3"))
                    HAS("w", CONSUMED("4")) CLAIM("c", SHARE("3"), "") POD("p", "1", CLAIMS("c")),
                GONE);
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, MEMORY("d0", "10")) HAS("x", CONSUMED("3"))
                    HAS("w", CONSUMED("4")) CLAIM("c", SHARE("4"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Two results of one claim on one device count once. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, MEMORY("d0", "10")) HAS("x", CONSUMED("6") "," CONSUMED("6"))
                    CLAIM("c", SHARE("4"), "") POD("p", "1", CLAIMS("c")),
                GONE);
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, MEMORY("d0", "10")) HAS("x", CONSUMED("6") "," CONSUMED("6"))
                    CLAIM("c", SHARE("5"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* More than can be counted is as much as can be. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, MEMORY("d0", HUGE_AMOUNT)) HAS("x", CONSUMED(HUGE_AMOUNT))
                    HAS("w", CONSUMED(HUGE_AMOUNT)) CLAIM("c", SHARE("1"), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, MEMORY("d0", HUGE_AMOUNT))
                    HAS("x", CONSUMED("'99999999999999999999999999999'")) CLAIM("c", SHARE("1"), "")
                        POD("p", "1", CLAIMS("c")),
                GONE);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/* Two sets, the second with two counters; devices that take from one, the other, or both. */
#define TWO_SETS(a, b, c)                                                                                              \
    "sharedCounters: [{name: one, counters: {x: {value: " a "}}}, {name: two, counters: {v: {value: " b                \
    "}, z: {value: " c "}}}]"
#define TAKES_X(name, x) "{name: " name ", consumesCounters: [{counterSet: one, counters: {x: {value: " x "}}}]}"
#define TAKES_Z(name, z) "{name: " name ", consumesCounters: [{counterSet: two, counters: {z: {value: " z "}}}]}"
#define TAKES_BOTH(name, x, z)                                                                                         \
    "{name: " name ", consumesCounters: [{counterSet: one, counters: {x: {value: " x                                   \
    "}}}, {counterSet: two, counters: {z: {value: " z "}}}]}"
#define POOLED(counters, devices)                                                                                      \
    SLICE_OF("s1", "pool", "1", "2", ALL, counters) SLICE_OF("s2", "pool", "1", "2", ALL, "devices: [" devices "]")
#define BRINGS_WITH(counters, devices)                                                                                 \
    ", dynamicResources: {resourceSlices: [{driver: gpu.example.com, pool: own, " counters                             \
    "}, {driver: gpu.example.com, pool: own, devices: [" devices "]}]}"
#define COUNT(n) CLAIM("c", EXACTLY("r", ", count: " n), "")
#define EVERY CLAIM("c", EXACTLY("r", ", allocationMode: All"), "")

static void counter_sets(void **state)
{
    (void)state;
#define THREE TAKES_X("a", "1") "," TAKES_Z("b", "1") "," TAKES_BOTH("c", "1", "1")
    /* All three need 2 of x and 2 of z. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("2", "0", "2"), THREE) COUNT("3") POD("p", "1", CLAIMS("c")),
                GONE);
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("1", "9", "2"), THREE) COUNT("3") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("2", "9", "1"), THREE) COUNT("3") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Once a counter is used up, no device that takes from any counter of the pool is tried: a and then b is no way, b
     * and then a is. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("1", "9", "2"), THREE) COUNT("2") POD("p", "1", CLAIMS("c")),
                GONE);
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("1", "9", "1"), THREE) COUNT("2") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("1", "9", "1"), TAKES_X("a", "1") ", {name: b}") COUNT("2")
                    POD("p", "1", CLAIMS("c")),
                GONE);
    /* That is a matter of one pool. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("1", "9", "1"), TAKES_X("a", "1"))
                    SLICE_OF("s3", "pool-2", "1", "2", ALL, TWO_SETS("1", "9", "1"))
                        SLICE_OF("s4", "pool-2", "1", "2", ALL, "devices: [" TAKES_X("a", "1") "]") COUNT("2")
                            POD("p", "1", CLAIMS("c")),
                GONE);
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("2", "0", "2"), THREE) EVERY POD("p", "1", CLAIMS("c")),
                GONE);
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("1", "9", "2"), THREE) EVERY POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS POOLED(TWO_SETS("2", "9", "1"), THREE) EVERY POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* The same of a type. */
    assert_plan(SNAPSHOT(ON, TYPE("parts", "1", BRINGS_WITH(TWO_SETS("2", "0", "2"), THREE))) CLASS COUNT("3")
                    POD("p", "1", CLAIMS("c")),
                "new default p on parts drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, TYPE("parts", "1", BRINGS_WITH(TWO_SETS("2", "9", "1"), THREE))) CLASS COUNT("3")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, TYPE("parts", "1", BRINGS_WITH(TWO_SETS("2", "0", "2"), THREE)))
                    CLASS EVERY POD("p", "1", CLAIMS("c")),
                "new default p on parts drivers=gpu.example.com\n");
    assert_plan(SNAPSHOT(ON, TYPE("parts", "1", BRINGS_WITH(TWO_SETS("2", "9", "1"), THREE)))
                    CLASS EVERY POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Over two pods on the node; z is left for one more, x is not. */
#define PODS                                                                                                           \
    CLAIM("c", ONE, "")                                                                                                \
    CLAIM("d", EXACTLY("r", SELECT("device.attributes['gpu.example.com'].of == 'z'")), "")                             \
    POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d"))
    assert_plan(
        SNAPSHOT(ON, TYPE("parts", "1",
                          BRINGS_WITH(TWO_SETS("1", "0", "1"),
                                      TAKES_X("a", "1") ", {name: b, attributes: {of: {string: z}}, consumesCounters: "
                                                        "[{counterSet: two, counters: {z: {value: 1}}}]}"))) CLASS PODS,
        "new default p,q on parts drivers=gpu.example.com\n");
    assert_plan(
        SNAPSHOT(ON, TYPE("parts", "1",
                          BRINGS_WITH(TWO_SETS("1", "0", "1"),
                                      TAKES_X("a", "1") ", {name: b, attributes: {of: {string: z}}, consumesCounters: "
                                                        "[{counterSet: one, counters: {x: {value: 1}}}]}"))) CLASS PODS,
        "new default p on parts drivers=gpu.example.com\nnew default q on parts drivers=gpu.example.com\n");
    /* A counter that the type does not have, or the set does not. */
    assert_plan(SNAPSHOT(ON, TYPE("parts", "1", BRINGS(TAKES_X("a", "1")))) CLASS COUNT("1") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, TYPE("parts", "1", BRINGS(TAKES_X("a", "1")))) CLASS EVERY POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(
        SNAPSHOT(ON, TYPE("parts", "1",
                          BRINGS_WITH(TWO_SETS("1", "1", "1"),
                                      "{name: a, consumesCounters: [{counterSet: one, counters: {z: {value: 0}}}]}")))
            CLASS COUNT("1") POD("p", "1", CLAIMS("c")),
        "no p DEVICES\n");
}

/* Counters are compared as integers, each rounded away from zero; the first look at all of mode All is exact. */
static void counter_amounts(void **state)
{
    (void)state;
    static const struct {
        const char *total, *each;
        int devices;
        bool all, count;
    } rows[] = {
        { "2", "1", 2, true, true },
        { "2", "1", 3, false, false },
        { "1500m", "700m", 2, true, true },
        { "1500m", "900m", 2, false, true }, /* 2 − 1 ≥ 1, but 1800m of 1500m */
        { "1500m", "900m", 3, false, false },
        { "0", "0", 1, true, true },
        { "0", "0", 3, true, false }, /* nothing is left for another, not even for one that takes nothing */
        { "'-1500m'", "'-2'", 1, true, true },
        { "'-1500m'", "'-1'", 1, false, false },
        /* 10^29 and −10^29: the second would make more than can be counted. */
        { HUGE_AMOUNT, "'-" HUGE_AMOUNT "'", 2, false, false },
        { "'-" HUGE_AMOUNT "'", HUGE_AMOUNT, 1, false, false },
        /* What rounding would carry over the edge stays as it is. */
        { "'170141183460469231731687303715.884105727'", "'170141183460469231731687303715.884105727'", 1, true, true },
        { "'170141183460469231731687303715.884105727'", "1", 1, true, true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int all = 0; all < 2; all++) {
            char yaml[6000], plan[200], wanted[60], devices[800] = "";
            karp_error error;
            size_t n = 0;
            for (int k = 0; k < rows[i].devices; k++) {
                n += (size_t)snprintf(devices + n, sizeof devices - n,
                                      "%s{name: d%d, consumesCounters: [{counterSet: s, counters: {x: {value: %s}}}]}",
                                      k > 0 ? ", " : "", k, rows[i].each);
            }
            snprintf(wanted, sizeof wanted, all ? "allocationMode: All" : "count: %d", rows[i].devices);
            snprintf(yaml, sizeof yaml,
                     "%s- {" API "kind: ResourceSlice, metadata: {name: s1}, spec: {driver: gpu.example.com, pool: "
                     "{name: pool, generation: 1, resourceSliceCount: 2}, allNodes: true, "
                     "sharedCounters: [{name: s, counters: {x: {value: %s}}}]}}\n"
                     "- {" API "kind: ResourceSlice, metadata: {name: s2}, spec: {driver: gpu.example.com, pool: "
                     "{name: pool, generation: 1, resourceSliceCount: 2}, allNodes: true, devices: [%s]}}\n"
                     "- {" API "kind: ResourceClaim, metadata: {name: c, namespace: default}, spec: {devices: "
                     "{requests: [{name: r, exactly: {deviceClassName: gpu, %s}}]}}}\n",
                     SNAPSHOT(ON, PLAIN) CLASS POD("p", "1", CLAIMS("c")), rows[i].total, devices, wanted);
            karp_error_init(&error, sizeof error);
            karp_status status = plan_of(context, yaml, plan, sizeof plan, &error);
            if (status != KARP_OK) fail_msg("row %zu: %s", i, error.message);
            if (strcmp(plan, (all ? rows[i].all : rows[i].count) ? GONE : "no p DEVICES\n") != 0)
                fail_msg("row %zu, %s: %s", i, wanted, plan);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies),
        cmocka_unit_test(not_allowed),
        cmocka_unit_test(whole_devices),
        cmocka_unit_test(dimensions),
        cmocka_unit_test(consumed_in_the_cluster),
        cmocka_unit_test(counter_sets),
        cmocka_unit_test(counter_amounts),
    };
    if (karp_context_new(NULL, &context, NULL) != KARP_OK) return 1;
    int failed = cmocka_run_group_tests_name("device_amounts", tests, NULL, NULL);
    karp_context_unref(context);
    return failed;
}
