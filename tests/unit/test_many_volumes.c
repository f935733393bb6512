/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes whose topologies allow more combinations than are counted: their pod waits, and disturbs nobody. */
#include "deciding.h"

#include <stdio.h>

static char text[1 << 16];
static size_t length;

static void grown_by(int written)
{
    assert_true(written > 0);
    length += (size_t)written;
    assert_true(length < sizeof text);
}

/* A claim bound to a volume that may be in any of so many places. */
static void add_volume(const char *name, int places)
{
    grown_by(snprintf(text + length, sizeof text - length,
                      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s, annotations: "
                      "{pv.kubernetes.io/bind-completed: 'yes'}}, "
                      "spec: {volumeName: %s}}" DOCUMENT
                      "{apiVersion: v1, kind: PersistentVolume, metadata: {name: %s}, spec: {nodeAffinity: "
                      "{required: {nodeSelectorTerms: [",
                      name, name, name));
    for (int i = 0; i < places; i++) {
        grown_by(snprintf(text + length, sizeof text - length,
                          "{matchExpressions: [{key: test/%s, operator: NotIn, values: [v%d]}]}, ", name, i));
    }
    grown_by(snprintf(text + length, sizeof text - length, "]}}}}" DOCUMENT));
}

#define TWO_VOLUMES                                                                                                    \
    "volumes: [{name: a, persistentVolumeClaim: {claimName: a}}, {name: b, persistentVolumeClaim: {claimName: b}}], "

static deciding with(int places)
{
    length = 0;
    add_volume("a", places);
    add_volume("b", places);
    return decide_on(NULL, CASES "world.yaml", text,
                     NODE("n1", "", "1", "") POD("many", "", TWO_VOLUMES REQUESTS("cpu: 2"))
                         BOUND("runs", "", "n1", TWO_VOLUMES REQUESTS("cpu: 1")) POD("plain", "", REQUESTS("cpu: 1")),
                     NULL);
}

static void test_combinations(void **state)
{
    (void)state;
    deciding d = with(64);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), "default: many plain");
    deciding_free(&d);
    d = with(65);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), "default: plain | !many VOLUME");
    assert_string_equal(words_of(&d, KARP_PROFILE_KARP, 0), "default: plain | !many VOLUME");
    karp_unschedulable row = { .size = sizeof row };
    karp_decision *decision = decide(&d, NULL);
    assert_int_equal(karp_decision_unschedulable(decision, 0, &row), KARP_OK);
    assert_string_equal(row.message.ptr, "the volumes of the pod allow too many combinations of topologies");
    assert_int_equal(row.pool_count, 0);
    karp_decision_unref(decision);
    deciding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_combinations) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
