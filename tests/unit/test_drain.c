/* SPDX-License-Identifier: Apache-2.0 */
/* What drains a node that is being deleted: the order of its pods, what holds them, and the deadline. */
#include <support/advising.h>

#define IS(type, status, since)                                                                                        \
    ",{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" type "\",\"lastTransitionTime\":\"" since "\"}"

static karp_str text(const char *t) { return (karp_str){ t, strlen(t) }; }

#define GRACE(seconds) ",\"terminationGracePeriodSeconds\":" seconds
#define DAEMON                                                                                                         \
    ",\"ownerReferences\":[{\"apiVersion\":\"apps/"                                                                    \
    "v1\",\"kind\":\"DaemonSet\",\"name\":\"d\",\"uid\":\"u\",\"controller\":true}]"
#define CRITICAL ",\"priorityClassName\":\"system-node-critical\""

static void drained_node(cluster *c, const char *deadline, const char *conditions)
{
    cluster_begin(c, 1, "");
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"claim\",\"deletionTimestamp\":\"2026-01-05T11:59:00Z\"%s}"
        ",\"spec\":{},"
        "\"status\":{\"providerID\":\"p\",\"conditions\":[{\"type\":\"x\",\"status\":\"True\"}%s]}}",
        deadline, conditions);
    add(c, ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"deletionTimestamp\":\"2026-01-"
           "05T11:59:00Z\",\"labels\":{\"karpenter.sh/registered\":\"true\","
           "\"karpenter.sh/initialized\":\"true\"}},\"spec\":{\"providerID\":\"p\"},\"status\":{}}");
}

static void expect_drain(cluster *c, bool finished, const char *expected)
{
    karp_advice *a = NULL;
    assert_int_equal(karp_advise_drain(c->snapshot, text("n"), 0, &a, &c->error), KARP_OK);
    assert_int_equal(karp_advice_finished(a), finished);
    expect_advice(a, expected);
}

static void test_drain(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    drained_node(c, "", "");
    add_pod(c, "a", "n", "1");
    add_pod_with(c, "b-guarded", "n", "1", ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}", "");
    add_pod_with(c, "c-daemon", "n", "1", DAEMON, "");
    add_pod_with(c, "d-critical", "n", "1", "", CRITICAL);
    add_pod_with(c, "e-leaving", "n", "1", ",\"deletionTimestamp\":\"2026-01-05T11:59:30Z\"", "");
    add_pod_with(c, "f-mirror", "n", "1",
                 ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u\"}]", "");
    add_pod_with(c, "g-stays", "n", "1", "", ",\"tolerations\":[{\"operator\":\"Exists\"}]");
    cluster_ready(c);
    expect_drain(c, false,
                 "set claim Drained=Draining; evict default/a; blocked default/b-guarded=DoNotDisrupt; again "
                 "2026-01-05T12:00:01Z");
    assert_int_equal(karp_advise_drain(c->snapshot, text("m"), 0, &a, &c->error), KARP_E_NOT_FOUND);
    /* Groups: daemons when the others are gone, then critical pods. */
    drained_node(c, "", IS("Drained", "Unknown", "2026-01-05T11:59:58Z"));
    add_pod_with(c, "c-daemon", "n", "1", DAEMON, "");
    add_pod_with(c, "d-critical", "n", "1", "", CRITICAL);
    add_pod_with(c, "e-stuck", "n", "1", ",\"deletionTimestamp\":\"2026-01-05T11:58:59Z\"", "");
    cluster_ready(c);
    expect_drain(c, false, "evict default/c-daemon; again 2026-01-05T12:00:01Z");
    drained_node(c, "", IS("Drained", "Unknown", "2026-01-05T11:59:58Z"));
    add_pod_with(c, "a-daemon", "n", "1", DAEMON, CRITICAL);
    add_pod_with(c, "d-critical", "n", "1", "", CRITICAL);
    cluster_ready(c);
    expect_drain(c, false, "evict default/d-critical; again 2026-01-05T12:00:01Z");
    /* Nobody left: five seconds after the first look. */
    drained_node(c, "", IS("Drained", "Unknown", "2026-01-05T11:59:56Z"));
    cluster_ready(c);
    expect_drain(c, false, "again 2026-01-05T12:00:01Z");
    drained_node(c, "", IS("Drained", "Unknown", "2026-01-05T11:59:55Z"));
    cluster_ready(c);
    expect_drain(c, true, "set claim Drained=Drained");
}

/* Every look says anew what a pod is to get: an eviction, which the API's budgets may refuse, and force when its own
 * time is up. */
static void test_drain_goes_on(void **state)
{
    cluster *c = *state;
    drained_node(c, ",\"annotations\":{\"karpenter.sh/nodeclaim-termination-timestamp\":\"2026-01-05T12:01:00Z\"}",
                 IS("Drained", "Unknown", "2026-01-05T11:59:00Z"));
    add_pod_with(c, "a", "n", "1", ",\"labels\":{\"app\":\"x\"}", GRACE("30"));
    for (int i = 0; i < 2; i++) {
        add(c,
            ",{\"apiVersion\":\"policy/"
            "v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":\"b%d\",\"namespace\":\"default\"},\"spec\":{"
            "\"selector\":"
            "{\"matchLabels\":{\"app\":\"x\"}},\"maxUnavailable\":1},\"status\":{\"disruptionsAllowed\":0}}",
            i);
    }
    cluster_ready(c);
    static const struct {
        int64_t seconds;
        const char *advice;
    } rows[] = {
        { 0, "evict default/a; again 2026-01-05T12:00:01Z" },
        { 30, "evict default/a; again 2026-01-05T12:00:31Z" },
        { 31, "force default/a 29; again 2026-01-05T12:00:32Z" },
        { 60, "force default/a 1; again 2026-01-05T12:01:01Z" },
        { 3600, "force default/a 1; again 2026-01-05T13:00:01Z" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        karp_advice *a = NULL;
        assert_int_equal(karp_advise_drain(c->snapshot, text("n"),
                                           (INT64_C(1767614400) + rows[i].seconds) * INT64_C(1000000000), &a,
                                           &c->error),
                         KARP_OK);
        expect_advice(a, rows[i].advice);
    }
}

#define DEADLINE(time) ",\"annotations\":{\"karpenter.sh/nodeclaim-termination-timestamp\":\"" time "\"}"

static void test_forced_drain(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    drained_node(c, DEADLINE("2026-01-05T12:01:00Z"), IS("Drained", "Unknown", "2026-01-05T11:59:00Z"));
    add_pod_with(c, "a-short", "n", "1", "", GRACE("30"));
    add_pod_with(c, "b-exact", "n", "1", "", GRACE("60"));
    add_pod_with(c, "c-long", "n", "1", "", GRACE("61"));
    add_pod_with(c, "d-critical-long", "n", "1", ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}",
                 CRITICAL GRACE("3600"));
    add_pod_with(c, "e-late", "n", "1", ",\"deletionTimestamp\":\"2026-01-05T12:01:01Z\"", GRACE("90"));
    add_pod_with(c, "f-in-time", "n", "1", ",\"deletionTimestamp\":\"2026-01-05T12:00:50Z\"", GRACE("90"));
    cluster_ready(c);
    expect_drain(c, false,
                 "evict default/a-short; evict default/b-exact; force default/c-long 60; force default/d-critical-long "
                 "60; force default/e-late 60; again 2026-01-05T12:00:01Z");
    drained_node(c, DEADLINE("2026-01-05T11:00:00Z"), IS("Drained", "Unknown", "2026-01-05T11:59:00Z"));
    add_pod_with(c, "a", "n", "1", "", GRACE("0"));
    cluster_ready(c);
    expect_drain(c, false, "force default/a 1; again 2026-01-05T12:00:01Z");
    drained_node(c, DEADLINE("tomorrow"), "");
    cluster_ready(c);
    assert_int_equal(karp_advise_drain(c->snapshot, text("n"), 0, &a, &c->error), KARP_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_forced_drain),
        cmocka_unit_test(test_drain_goes_on),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
