/* SPDX-License-Identifier: Apache-2.0 */
/* The scores of the Balanced policy at their edges, and when budgets change next. */
#include <support/disrupting.h>

#include <disrupt/budgets.h>
#include <disrupt/costs.h>
#include <model/instant.h>

#define BALANCED ",\"consolidationPolicy\":\"Balanced\",\"budgets\":[{\"nodes\":\"100%\"}]"
#define HOUR (INT64_C(3600) * SECOND_NS)
#define PROTECTED ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}"
#define OF_DAEMON                                                                                                      \
    ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"name\":\"d\",\"uid\":\"u\"}]"

/* A claim that has not come up yet, with these labels beside its pool's. */
static void add_coming(cluster *c, const char *labels)
{
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"coming\",\"labels\":{\"karpenter.sh/"
        "nodepool\":\"pool\"%s}},"
        "\"spec\":{\"requirements\":[]},\"status\":{}}",
        labels);
}

/* ---- Balanced ---------------------------------------------------------------------------------------------------- */

#define TYPE_OF "\"node.kubernetes.io/instance-type\":\"t02\""
#define ZONE_OF "\"topology.kubernetes.io/zone\":\"z1\""
#define KIND_OF "\"karpenter.sh/capacity-type\":\"on-demand\""

/* What the pool costs is that of all claims whose type, zone and capacity type are known: with one that is coming, half
 * as much is gained by the only node. */
static void test_tracked_costs(void **state)
{
    static const struct {
        const char *labels;
        double score;
    } rows[] = {
        { "," TYPE_OF "," ZONE_OF "," KIND_OF, 0.5 },
        { "," ZONE_OF "," KIND_OF, 1.0 },
        { "," TYPE_OF "," KIND_OF, 1.0 },
        { "," TYPE_OF "," ZONE_OF, 1.0 },
        { "", 1.0 },
    };
    cluster *c = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cluster_begin(c, 2, "");
        add_pool(c, "pool", "", BALANCED);
        add_node(c, "a", 2, "on-demand", CONSOLIDATABLE);
        add_pod(c, "p", "a", "1");
        add_coming(c, rows[i].labels);
        add_refuge(c);
        cluster_ready(c);
        decide(c, KARP_METHOD_SINGLE_NODE);
        expect_commands(c, "a");
        if (command_at(c, 0).score != rows[i].score) fail_msg("row %zu: %g", i, command_at(c, 0).score);
    }
}

/* Two pools, whichever is first: the lower score is the command's. In p2, c stays; its three pods count, its daemon's
 * does not. */
static void test_lowest_score(void **state)
{
    cluster *c = *state;
    for (int turn = 0; turn < 2; turn++) {
        cluster_begin(c, 2, "");
        add_pool(c, turn == 0 ? "p1" : "p2", "", BALANCED);
        add_pool(c, turn == 0 ? "p2" : "p1", "", BALANCED);
        add_node_with(c, "a", "p1", 2, "on-demand", CONSOLIDATABLE, "", "");
        add_node_with(c, "b", "p2", 2, "on-demand", CONSOLIDATABLE, "", "");
        add_node_with(c, "c", "p2", 2, "on-demand", CONSOLIDATABLE, "", ",\"karpenter.sh/do-not-disrupt\":\"true\"");
        add_pod(c, "pa", "a", "1");
        add_pod(c, "pb", "b", "1");
        add_pod(c, "c1", "c", "100m");
        add_pod(c, "c2", "c", "100m");
        add_pod(c, "c3", "c", "100m");
        add_pod_with(c, "c4", "c", "100m", OF_DAEMON, "");
        add_refuge(c);
        cluster_ready(c);
        decide(c, KARP_METHOD_MULTI_NODE);
        expect_commands(c, "a b");
        assert_true(command_at(c, 0).score == 1.0); /* p1: all of it; p2: half the cost for a third of the disruption */
    }
}

/* Without a price there is nothing to gain: the score is none, and no k would help. */
static void test_no_price(void **state)
{
    cluster *c = *state;
    char detail[128];
    for (int nodes = 1; nodes <= 2; nodes++) {
        cluster_begin(c, 2, "");
        add_pool(c, "pool", "", BALANCED);
        add_pool(c, "other", "", BALANCED);
        add_node_with(c, "a", "pool", 2, "elsewhere", CONSOLIDATABLE, "", "");
        add_pod(c, "pa", "a", "1");
        if (nodes == 2) add_node_with(c, "b", "other", 2, "elsewhere", CONSOLIDATABLE, "", "");
        if (nodes == 2) add_pod(c, "pb", "b", "1");
        add_refuge(c);
        cluster_ready(c);
        decide(c, nodes == 1 ? KARP_METHOD_SINGLE_NODE : KARP_METHOD_MULTI_NODE);
        expect_commands(c, "");
        assert_string_equal(kept(c, "a", detail), "BALANCED_SCORE");
        assert_string_equal(detail, "score 0.00 < 0.50");
    }
}

/* ---- deletion costs ---------------------------------------------------------------------------------------------- */

static double cost(const char *text) { return eviction_cost_of((karp_str){ text, strlen(text) }, false, false, 0); }

/* "_" stands between digits alone; what is longer than anybody writes is not read. */
static void test_deletion_costs(void **state)
{
    (void)state;
    static const char *const unread[] = { "",    "_1",  "1_",  "1__2", "1_.5", "1._5",
                                          "1_/", "/_1", "1_:", ":_1",  "abc",  "1_e5" };
    assert_true(cost("134217728") == 2.0);
    assert_true(cost("134_217_728") == 2.0);
    assert_true(cost("134_217_728.0") == 2.0);
    assert_true(cost("INF") == 10.0 && cost("+infinity") == 10.0 && cost("-Inf") == -10.0);
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
        if (cost(unread[i]) != 1.0) fail_msg("%s is read", unread[i]);
    }
    char longest[140];
    memset(longest, '0', sizeof longest);
    (void)snprintf(longest + 119, sizeof longest - 119, "134217728"); /* 128 characters */
    assert_true(cost(longest) == 2.0);
    (void)snprintf(longest + 119, sizeof longest - 119, "1342177280");
    assert_true(cost(longest) == 1.0);
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

static int64_t at(const char *text)
{
    int64_t instant;
    assert_true(instant_parse(text, strlen(text), &instant));
    return instant;
}

static budget scheduled(const char *schedule, int64_t duration)
{
    return (budget){ .nodes = { "0", 1 }, .schedule = { schedule, strlen(schedule) }, .duration = duration };
}

static int64_t next_change(const budget *budgets, uint32_t count, int64_t now)
{
    const node_pool pool = { .budgets = (budget *)(uintptr_t)budgets, .budget_count = count };
    return pool_next_change(&pool, KARP_BUDGET_EMPTY, now, UINT64_MAX, NULL);
}

static void test_next_change(void **state)
{
    (void)state;
    const int64_t noon = at("2026-06-01T12:00:00Z");
    /* the first of them, whichever is written first */
    const budget both[] = { scheduled("0 18 * * *", HOUR), scheduled("0 15 * * *", HOUR) },
                 turned[] = { both[1], both[0] };
    assert_int_equal(next_change(both, 2, noon), at("2026-06-01T15:00:00Z"));
    assert_int_equal(next_change(turned, 2, noon), at("2026-06-01T15:00:00Z"));
    const budget with_plain[] = { { .nodes = { "1", 1 }, .schedule = { "", 0 }, .duration = KARP_DURATION_UNSET },
                                  both[0],
                                  { .nodes = { "1", 1 }, .duration = KARP_DURATION_UNSET } };
    assert_int_equal(next_change(with_plain, 3, noon), at("2026-06-01T18:00:00Z"));
    /* an instant opens no window */
    const budget instant = scheduled("0 18 * * *", KARP_DURATION_UNSET);
    assert_int_equal(next_change(&instant, 1, noon), KARP_NO_TIME);
    /* windows that overlap are one; those that meet, too */
    const budget open = scheduled("0 12,13 * * *", HOUR), apart = scheduled("0 12,14 * * *", HOUR);
    assert_int_equal(next_change(&open, 1, noon), at("2026-06-01T14:00:00Z"));
    assert_int_equal(next_change(&apart, 1, noon), at("2026-06-01T13:00:00Z"));
    /* one that never closes before time ends, and one that opened before time began */
    const budget always = scheduled("0 0 * * *", 48 * HOUR);
    assert_int_equal(next_change(&always, 1, INT64_MAX - 24 * HOUR), KARP_NO_TIME);
    const budget first = scheduled("0 0 1 1 *", INT64_MAX);
    int64_t allowed = -1;
    assert_true(budget_allows(&first, 10, 0, false, &allowed));
    assert_int_equal(allowed, 0);
    assert_true(budget_allows(&always, 10, INT64_MIN + 10, false, &allowed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tracked_costs, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_lowest_score, cluster_set_up, cluster_tear_down),
        cmocka_unit_test_setup_teardown(test_no_price, cluster_set_up, cluster_tear_down),
        cmocka_unit_test(test_deletion_costs),
        cmocka_unit_test(test_next_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
