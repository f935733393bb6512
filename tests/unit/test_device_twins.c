/* SPDX-License-Identifier: Apache-2.0 */
/* Equal devices are tried once, and a search that is given up says so. Work is counted in steps, not in time. */
#include "device_documents.h"
#include "planning.h"

#include <stdio.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/schedule.h>

enum { ROOM = 60000 };

typedef struct text {
    char at[ROOM];
    size_t length;
} text;

static void add(text *t, const char *more)
{
    size_t n = strlen(more);
    assert_true(t->length + n < sizeof t->at);
    memcpy(t->at + t->length, more, n + 1);
    t->length += n;
}

/* `format` has places for the first number, the second, and the first again, or for fewer. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void add_numbered(text *t, const char *separator, const char *format, int first, int second)
{
    char one[512];
    (void)snprintf(one, sizeof one, format, first, second, first);
    add(t, separator);
    add(t, one);
}

static int32_t count_polls(void *user)
{
    ++*(uint64_t *)user;
    return 0;
}

/* The decision on the world; *polls counts how often it could have been stopped, once for 1,024 devices or so. */
static karp_decision *decide(const char *yaml, uint64_t *polls)
{
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_error error;
    karp_options options;
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    *polls = 0;
    options.should_stop = count_polls;
    options.stop_user = polls;
    options.explain = KARP_EXPLAIN_NONE;
    assert_int_equal(karp_context_new(NULL, &context, &error), KARP_OK);
    if (world_of(context, "case", yaml, &snapshot, &error) != KARP_OK) fail_msg("%s: %s", error.object, error.message);
    assert_int_equal(karp_provision(snapshot, &options, &d, &error), KARP_OK);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    return d;
}

/* Launches when `reason` is 0, or else the only pod is refused for it. */
static void expect(const text *t, uint32_t reason, uint64_t most_polls)
{
    uint64_t polls = 0;
    karp_decision *d = decide(t->at, &polls);
    karp_unschedulable row = { .size = sizeof row };
    assert_int_equal(karp_decision_launch_count(d), reason == 0);
    if (reason != 0) {
        assert_int_equal(karp_decision_unschedulable(d, 0, &row), KARP_OK);
        assert_int_equal(row.code, reason);
    }
    assert_int_equal(karp_decision_complete(d), reason != KARP_REASON_DEVICE_SEARCH);
    if (polls > most_polls) fail_msg("asked %d times", (int)polls);
    karp_decision_unref(d);
}

#define SLICE_HEAD                                                                                                     \
    "- {" API "kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, pool: {name: pool, "          \
    "generation: 1, resourceSliceCount: 1}, allNodes: true, devices: ["
#define PLAIN TYPE("plain", "1", "")

/* `few` devices of one value, `many` of another, and `many` that have to agree. */
static void fill(text *t, int few, int many, const char *device, const char *requests)
{
    t->length = 0;
    add(t, SNAPSHOT(ON, PLAIN) CLASS SLICE_HEAD);
    for (int i = 0; i < few + many; i++) add_numbered(t, i > 0 ? ", " : "", device, i, i < few ? 0 : 1);
    add(t, "]}}\n- {" API "kind: ResourceClaim, metadata: {name: c, namespace: default}, spec: {devices: {requests: [");
    add(t, requests);
    add(t, "]" SAME "}}}\n" POD("p", "1", CLAIMS("c")));
}

static const char *requests_of(int count, bool apart)
{
    static text t;
    t.length = 0;
    if (!apart) add_numbered(&t, "", "{name: r, exactly: {deviceClassName: gpu, count: %d}}", count, 0);
    for (int i = 0; apart && i < count; i++)
        add_numbered(&t, i > 0 ? ", " : "", "{name: r%d, exactly: {deviceClassName: gpu}}", i, 0);
    return t.at;
}

static void equal_devices(void **state)
{
    (void)state;
    static text t;
    static const char *const devices[] = {
        "{name: d%d, attributes: {gpu.example.com/numa: {int: %d}}}",
        /* What nobody asks about makes no difference. */
        "{capacity: {memory: {value: 1Gi}}, name: d%d, attributes: {gpu.example.com/numa: {int: %d}, id: {int: %d}}}",
    };
    for (size_t i = 0; i < 2; i++) {
        for (int apart = 0; apart < 2; apart++) {
            fill(&t, 7, 8, devices[i], requests_of(8, apart));
            expect(&t, 0, 6);
            fill(&t, 20, 21, devices[i], requests_of(21, apart));
            expect(&t, 0, 6);
            fill(&t, 31, 31, devices[i], requests_of(32, apart));
            expect(&t, KARP_REASON_DEVICES, 6);
        }
    }
}

/* Slots of one request are alike: which device has which does not matter, were they all different. */
static void order_of_slots(void **state)
{
    (void)state;
    static text t;
    t.length = 0;
    add(&t, SNAPSHOT(ON, PLAIN) CLASS SLICE_HEAD);
    for (int i = 0; i < 12; i++) add_numbered(&t, i > 0 ? ", " : "", "{name: d%d, attributes: {id: {int: %d}}}", i, i);
    add(&t,
        "]}}\n- {" API
        "kind: ResourceClaim, metadata: {name: c, namespace: default}, spec: {devices: {requests: [{name: r, exactly: "
        "{deviceClassName: gpu, count: 6}}");
    for (int i = 0; i < 12; i++) /* makes every device like no other */
        add_numbered(&t, ", ",
                     "{name: q%d, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: "
                     "\"device.attributes['gpu.example.com'].id == %d\"}}]}}",
                     i, i);
    add(&t, "]}}}\n" POD("p", "1", CLAIMS("c")));
    expect(&t, KARP_REASON_DEVICES, 60); /* 924 choices of six, not 665,280 */
}

static void equal_alternatives(void **state)
{
    (void)state;
    static text t, requests;
    requests.length = 0;
    for (int i = 0; i < 9; i++) {
        add_numbered(&requests, i > 0 ? ", " : "", "{name: r%d, firstAvailable: [", i, 0);
        for (int k = 0; k < 8; k++)
            add_numbered(&requests, k > 0 ? ", " : "", "{name: s%d, deviceClassName: gpu, count: 1}", k, 1);
        add(&requests, "]}");
    }
    fill(&t, 8, 8, "{name: d%d, attributes: {gpu.example.com/numa: {int: %d}}}", requests.at);
    expect(&t, KARP_REASON_DEVICES, 6);
}

/* Devices and requests of which no two are alike, and a last request that nothing serves. */
static void given_up(void **state)
{
    (void)state;
    static text t;
    t.length = 0;
    add(&t, SNAPSHOT(ON, PLAIN) CLASS SLICE_HEAD);
    for (int i = 0; i < 14; i++) add_numbered(&t, i > 0 ? ", " : "", "{name: d%d, attributes: {id: {int: %d}}}", i, i);
    add(&t,
        "]}}\n- {" API "kind: ResourceClaim, metadata: {name: c, namespace: default}, spec: {devices: {requests: [");
    for (int i = 0; i < 13; i++)
        add_numbered(&t, "",
                     "{name: r%d, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: "
                     "\"device.attributes['gpu.example.com'].id != %d\"}}]}}, ",
                     i, i);
    add(&t, EXACTLY("q", SELECT("device.driver == 'x'")) "]}}}\n" POD("p", "1", CLAIMS("c")));
    expect(&t, KARP_REASON_DEVICE_SEARCH, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_devices),
        cmocka_unit_test(order_of_slots),
        cmocka_unit_test(equal_alternatives),
        cmocka_unit_test(given_up),
    };
    return cmocka_run_group_tests_name("device_twins", tests, NULL, NULL);
}
