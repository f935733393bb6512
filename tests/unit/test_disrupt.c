/* SPDX-License-Identifier: Apache-2.0 */
/* The five methods on small clusters whose answers can be worked out by hand. */
#include <support/disrupting.h>

#include <math.h>

#include <karp/inspect.h>
#include <karp/passes.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"

/* ---- emptiness --------------------------------------------------------------------------------------------------- */

static void test_emptiness(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "",
             ",\"budgets\":[{\"nodes\":\"2\"},{\"nodes\":\"0\",\"schedule\":\"0 9 * * *\",\"duration\":\"2h\"}]");
    add_node(c, "cheap", 1, "spot", CONSOLIDATABLE);
    add_node(c, "dear", 4, "on-demand", CONSOLIDATABLE);
    add_node(c, "middle", 2, "on-demand", CONSOLIDATABLE);
    add_node(c, "used", 4, "on-demand", CONSOLIDATABLE);
    add_node(c, "young", 4, "on-demand", "");
    add_pod(c, "web", "used", "7");
    cluster_ready(c);
    decide(c, KARP_METHOD_ANY);
    expect_commands(c, "dear middle"); /* dearest first, as far as the budget goes */
    expect_kept(c, "cheap", "BUDGET");
    expect_kept(c, "used", "NOT_EMPTY");
    expect_kept(c, "young", "NOT_CONSOLIDATABLE");
    karp_command k = command_at(c, 0);
    assert_int_equal(k.replaces, 0);
    assert_true(k.savings == 6.0 && k.score < 0.0 && k.validate_after == INT64_C(15000000000));
    karp_disruption d = header(c);
    assert_int_equal(d.method, KARP_METHOD_EMPTINESS);
    assert_int_equal(d.simulations, 0);
    karp_pool_budget b = { .size = sizeof b };
    assert_int_equal(karp_decision_budget(c->decision, 0, &b), KARP_OK);
    assert_true(b.remaining == 2);
    assert_true(b.next_change == INT64_C(1767690000000000000)); /* 2026-01-06T09:00:00Z */
    assert_true(karp_decision_cost_before(c->decision) == 14.5 && karp_decision_cost_after(c->decision) == 8.5);
    assert_int_equal(karp_decision_node_count(c->decision), 5);
}

/* When to look again: at once after a command; soon while a launch is not known to have come about. */
static void test_requeue(void **state)
{
    cluster *c = *state;
    for (int unresolved = 0; unresolved < 2; unresolved++) {
        cluster_begin(c, 4, "");
        add_pool(c, "pool", "", ALL);
        add_node(c, "empty", 1, "on-demand", CONSOLIDATABLE);
        if (unresolved) {
            add(c, ",{\"apiVersion\":\"karpenter.sh/"
                   "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"new\",\"labels\":{\"karpenter.sh/"
                   "nodepool\":\"pool\"}},"
                   "\"spec\":{\"nodeClassRef\":{\"group\":\"g\",\"kind\":\"k\",\"name\":\"n\"}}}");
        }
        cluster_ready(c);
        decide(c, KARP_METHOD_DRIFT);
        assert_true(header(c).requeue_after == (unresolved ? INT64_C(1000000000) : INT64_C(10000000000)));
        decide(c, KARP_METHOD_ANY);
        expect_commands(c, "empty");
        assert_true(header(c).requeue_after == 0);
    }
}

/* Of an empty node that stays, the pass says what emptiness said, whichever method answers in the end. */
static void test_empty_stays(void **state)
{
    cluster *c = *state;
    for (int other = 0; other < 2; other++) {
        cluster_begin(c, 4, "");
        add_pool(c, "pool", "", ALL);
        add_pool(c, "full", "", ",\"budgets\":[{\"nodes\":\"0\"}]");
        add_node(c, "young", 4, "on-demand", "");
        add_node_with(c, "over-budget", "full", 4, "on-demand", CONSOLIDATABLE, "", "");
        if (other) {
            add_node(c, "used", 4, "on-demand", CONSOLIDATABLE);
            add_pod(c, "web", "used", "1");
        }
        cluster_ready(c);
        decide(c, KARP_METHOD_ANY);
        expect_commands(c, other ? "used" : "");
        assert_int_equal(header(c).method, KARP_METHOD_SINGLE_NODE);
        char detail[128];
        expect_kept(c, "young", "NOT_CONSOLIDATABLE");
        expect_kept(c, "over-budget", "BUDGET");
        (void)kept(c, "over-budget", detail);
        assert_string_equal(detail, "full");
        decide(c, KARP_METHOD_SINGLE_NODE); /* asked alone, it leaves empty nodes to emptiness */
        expect_kept(c, "young", "EMPTY_NODE");
        expect_kept(c, "over-budget", "EMPTY_NODE");
    }
}

/* D-Q8: a pod that costs nothing to evict does not count. */
static void test_free_pods(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_pod_with(c, "batch", "a", "1",
                 ",\"annotations\":{\"controller.kubernetes.io/pod-deletion-cost\":\"-134217728\"}", "");
    cluster_ready(c);
    decide(c, KARP_METHOD_EMPTINESS);
    expect_commands(c, "a");
    c->options.flip_quirks = 1u << 7;
    decide(c, KARP_METHOD_EMPTINESS);
    expect_commands(c, "");
    expect_kept(c, "a", "NOT_EMPTY");
    c->common.profile = KARP_PROFILE_KARP;
    decide(c, KARP_METHOD_EMPTINESS);
    expect_commands(c, "a");
}

/* ---- drift ------------------------------------------------------------------------------------------------------- */

static void test_drift(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a-new", 2, "on-demand", DRIFTED("04"));
    add_node(c, "b-stuck", 2, "on-demand", DRIFTED("02"));
    add_node(c, "c-old", 2, "on-demand", DRIFTED("03"));
    add_node(c, "d-fine", 1, "on-demand", "");
    add_pod(c, "one", "a-new", "3");
    add_pod_with(c, "two", "b-stuck", "3", "", ",\"nodeSelector\":{\"disk\":\"ssd\"}");
    add_pod(c, "three", "c-old", "3500m");
    add_pod(c, "four", "d-fine", "1500m");
    cluster_ready(c);
    decide(c, KARP_METHOD_ANY);
    expect_commands(c, "c-old"); /* the first by time whose pods have somewhere to go */
    char detail[128];
    assert_string_equal(kept(c, "b-stuck", detail), "PODS_WOULD_NOT_SCHEDULE");
    assert_string_equal(detail, "default/two");
    expect_kept(c, "a-new", "NOT_REACHED_IN_PASS");
    expect_kept(c, "d-fine", "NOT_DRIFTED");
    karp_command k = command_at(c, 0);
    assert_int_equal(k.launch_count, 1);
    assert_int_equal(launch_at(c, k.launch_first).pod_count, 1);
    assert_true(k.validate_after == 0);
    assert_true(k.savings == 1.0); /* 2 on demand for 1, spot t02 */
    assert_int_equal(header(c).simulations, 2);
    assert_int_equal(header(c).method, KARP_METHOD_DRIFT);
}

/* NodePools that wait after failures are passed over by drift, and by nothing else. */
static void test_drift_backoff(void **state)
{
    static const karp_str waits[] = { { "pool", 4 } };
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    add_pool(c, "other", "", ALL);
    add_node_with(c, "a-old", "pool", 2, "on-demand", DRIFTED("02"), "", "");
    add_node_with(c, "b-new", "other", 2, "on-demand", DRIFTED("04"), "", "");
    add_pod(c, "one", "a-old", "3500m");
    add_pod(c, "two", "b-new", "3500m");
    cluster_ready(c);
    c->options.backed_off = waits;
    c->options.backed_off_count = 1;
    decide(c, KARP_METHOD_DRIFT);
    expect_commands(c, "b-new");
    expect_kept(c, "a-old", "DRIFT_BACKOFF");
    c->options.backed_off_count = 0;
    decide(c, KARP_METHOD_DRIFT);
    expect_commands(c, "a-old");
    c->options.backed_off = NULL;
    c->options.backed_off_count = 1;
    assert_int_equal(karp_disrupt(c->snapshot, &c->options, &c->decision, &c->error), KARP_E_INVALID);
    c->options.backed_off_count = 0;
}

/* A drifted node without pods goes before all others, and needs no replacement. */
static void test_drift_empty_first(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 2, "on-demand", DRIFTED("02"));
    add_node(c, "b", 2, "on-demand", DRIFTED("04"));
    add_pod(c, "one", "a", "3");
    cluster_ready(c);
    decide(c, KARP_METHOD_DRIFT);
    expect_commands(c, "b");
    assert_int_equal(command_at(c, 0).replaces, 0);
}

/* Graceful expiry: as drift, by what the claim says of its age. */
static void test_expiration(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(
        c, "pool", "",
        ",\"budgets\":[{\"nodes\":\"0\",\"reasons\":[\"Drifted\",\"Empty\",\"Underutilized\"]},{\"nodes\":\"100%\"}]");
    add_pool(c, "closed", "", ",\"budgets\":[{\"nodes\":\"0\"}]");
    add_node_with(c, "a-new", "pool", 2, "on-demand", "", ",\"expireAfter\":\"108h\"", "");
    add_node_with(c, "b-stuck", "pool", 2, "on-demand", "", ",\"expireAfter\":\"48h\"", "");
    add_node_with(c, "c-old", "pool", 2, "on-demand", "", ",\"expireAfter\":\"72h\"", "");
    add_node_with(c, "d-young", "pool", 2, "on-demand", "", ",\"expireAfter\":\"108h1s\"", "");
    add_node_with(c, "e-never", "pool", 2, "on-demand", "", ",\"expireAfter\":\"Never\"", "");
    add_node_with(c, "f-held", "pool", 2, "on-demand", "", ",\"expireAfter\":\"1h\"", "");
    add_node_with(c, "g-let", "pool", 2, "on-demand", "", ",\"expireAfter\":\"96h\",\"terminationGracePeriod\":\"1h\"",
                  "");
    add_node_with(c, "h-closed", "closed", 2, "on-demand", "", ",\"expireAfter\":\"1h\"", "");
    add_pod(c, "one", "a-new", "3500m");
    add_pod_with(c, "two", "b-stuck", "3500m", "", ",\"nodeSelector\":{\"disk\":\"ssd\"}");
    add_pod(c, "three", "c-old", "3500m");
    add_pod_with(c, "held", "f-held", "1", ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}", "");
    add_pod_with(c, "let", "g-let", "3500m", ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}", "");
    add_pod(c, "four", "d-young", "3500m");
    add_pod(c, "five", "e-never", "3500m");
    add_pod(c, "six", "h-closed", "3500m");
    cluster_ready(c);
    decide(c, KARP_METHOD_ANY);
    assert_int_equal(header(c).method, KARP_METHOD_SINGLE_NODE); /* nobody asked for it */
    decide(c, KARP_METHOD_EXPIRATION);
    expect_commands(c, "c-old");
    expect_kept(c, "a-new", "NOT_REACHED_IN_PASS");
    expect_kept(c, "b-stuck", "PODS_WOULD_NOT_SCHEDULE");
    expect_kept(c, "d-young", "NOT_EXPIRED");
    expect_kept(c, "e-never", "NOT_EXPIRED");
    expect_kept(c, "f-held", "POD_DO_NOT_DISRUPT");
    expect_kept(c, "g-let", "NOT_REACHED_IN_PASS"); /* its grace period bounds what pods can ask for */
    expect_kept(c, "h-closed", "BUDGET");
    karp_command k = command_at(c, 0);
    assert_true(k.validate_after == 0 && k.replaces == 1);
    assert_string_equal(karp_method_reason(k.method), "Expired");
    c->options.expire_gracefully = 1;
    decide(c, KARP_METHOD_ANY);
    expect_commands(c, "c-old");
    assert_int_equal(header(c).method, KARP_METHOD_EXPIRATION);
}

static void test_static_drift(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", ",\"replicas\":3,\"limits\":{\"nodes\":\"5\"}", ALL);
    add_pool(c, "other", ",\"replicas\":0", ALL);
    add_node(c, "a", 1, "on-demand", DRIFTED("04"));
    add_node(c, "b", 1, "on-demand", DRIFTED("03"));
    add_node(c, "c", 1, "on-demand", DRIFTED("02"));
    add_node_with(c, "d", "other", 1, "on-demand", DRIFTED("02"), "", "");
    cluster_ready(c);
    decide(c, KARP_METHOD_ANY);
    expect_commands(c, "a | b"); /* by name; three nodes are there, five may be */
    expect_kept(c, "c", "STATIC_LIMIT");
    expect_kept(c, "d", "STATIC_LIMIT"); /* more nodes than replicas: a scale-down is unfinished */
    karp_command k = command_at(c, 1);
    assert_int_equal(k.replaces, 1);
    assert_int_equal(k.launch_count, 1);
    karp_launch l = launch_at(c, k.launch_first);
    assert_int_equal(l.instance_type_count, 0);
    assert_int_equal(l.pod_count, 0);
    /* No type is asked for; it is priced at what a provider picks. */
    assert_true(l.choice.instance_type.len == 3 && memcmp(l.choice.instance_type.ptr, "t01", 3) == 0);
    assert_true(l.choice.price == 0.5 && k.savings == 0.5); /* the node costs 1 */
    assert_int_equal(l.request_count, 0);
    assert_true(karp_decision_cost_before(c->decision) - karp_decision_cost_after(c->decision) == 1.0);
    assert_true(l.node_pool.len == 4 && memcmp(l.node_pool.ptr, "pool", 4) == 0);
}

/* ---- consolidation of several nodes ------------------------------------------------------------------------------ */

/* How long a prefix the search reaches when everything can go, and in how many simulations (Karpenter's own figures).
 */
static void test_prefix_sizes(void **state)
{
    static const struct {
        int nodes;
        size_t taken;
        uint32_t simulations;
    } rows[] = {
        { 2, 2, 1 },     { 3, 3, 2 },     { 50, 50, 6 },   { 99, 99, 7 },
        { 100, 100, 7 }, { 101, 101, 7 }, { 102, 101, 7 }, { 150, 101, 7 },
    };
    cluster *c = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cluster_begin(c, 1, "");
        add_pool(c, "pool", "", ALL);
        add_refuge(c);
        for (int n = 0; n < rows[i].nodes; n++) {
            char node[16], name[16];
            (void)snprintf(node, sizeof node, "n%03d", n);
            (void)snprintf(name, sizeof name, "p%03d", n);
            add_node(c, node, 1, "on-demand", CONSOLIDATABLE);
            add_pod(c, name, node, "1");
        }
        cluster_ready(c);
        decide(c, KARP_METHOD_MULTI_NODE);
        assert_int_equal(karp_decision_command_count(c->decision), 1);
        assert_int_equal(command_at(c, 0).node_count, rows[i].taken);
        assert_int_equal(header(c).simulations, rows[i].simulations);
        c->options.flip_quirks = 1u << 2; /* D-Q3 */
        decide(c, KARP_METHOD_MULTI_NODE);
        assert_int_equal(command_at(c, 0).node_count, rows[i].taken > 100 ? 100 : rows[i].taken);
    }
}

static void test_multi_replace(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 3, "on-demand", CONSOLIDATABLE);
    add_node(c, "b", 3, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a", "3500m");
    add_pod(c, "two", "b", "3500m");
    cluster_ready(c);
    decide(c, KARP_METHOD_ANY);
    expect_commands(c, "a b");
    karp_command k = command_at(c, 0);
    assert_int_equal(k.method, KARP_METHOD_MULTI_NODE);
    assert_int_equal(k.launch_count, 1);
    karp_launch l = launch_at(c, 0);
    assert_int_equal(l.instance_type_count, 1); /* t04, as spot */
    assert_int_equal(l.pod_count, 2);
    assert_true(l.choice.price == 2.0 && k.savings == 4.0);
}

/* Two of a kind are not replaced by one of the kind: deleting one is what that is. */
static void test_same_type(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "spot", CONSOLIDATABLE);
    add_node(c, "b", 1, "on-demand", CONSOLIDATABLE);
    add_pod_with(c, "one", "a", "900m", "", "");
    add_pod_with(c, "two", "b", "900m", "", "");
    cluster_ready(c);
    decide(c, KARP_METHOD_MULTI_NODE);
    expect_commands(c, "");
    expect_kept(c, "a", "SAME_TYPE");
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_commands(c, "b");
    assert_int_equal(command_at(c, 0).replaces, 0);
    assert_int_equal(command_at(c, 0).placement_count, 1);
}

static void test_too_few(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ",\"budgets\":[{\"nodes\":\"1\"}]");
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_node(c, "b", 1, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a", "1");
    add_pod(c, "two", "b", "1");
    cluster_ready(c);
    decide(c, KARP_METHOD_MULTI_NODE);
    expect_commands(c, "");
    expect_kept(c, "a", "TOO_FEW_NODES");
    expect_kept(c, "b", "BUDGET");
}

/* ---- consolidation of one node ----------------------------------------------------------------------------------- */

static void expect_single(cluster *c, int type, const char *capacity_type, const char *cpu, const char *settings,
                          const char *code)
{
    cluster_begin(c, 20, settings);
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", type, capacity_type, CONSOLIDATABLE);
    add_pod(c, "one", "a", cpu);
    cluster_ready(c);
    decide(c, KARP_METHOD_SINGLE_NODE);
    if (code != NULL) expect_kept(c, "a", code);
    else expect_commands(c, "a");
}

#define SPOT_TO_SPOT "\"featureGates\":{\"SpotToSpotConsolidation\":true}"

static void test_single(void **state)
{
    cluster *c = *state;
    expect_single(c, 4, "on-demand", "1", "", NULL);
    karp_launch l = launch_at(c, 0);
    assert_int_equal(l.instance_type_count, 7); /* t01 … t07 as spot cost less than 4 */
    bool spot = false;
    for (size_t i = 0; i < l.requirement_count; i++) {
        spot = spot || (l.requirements[i].key.len == 26 &&
                        memcmp(l.requirements[i].key.ptr, "karpenter.sh/capacity-type", 26) == 0 &&
                        l.requirements[i].value_count == 1 && memcmp(l.requirements[i].values[0].ptr, "spot", 4) == 0);
    }
    assert_true(spot);
    assert_true(command_at(c, 0).savings == 3.5);
    expect_single(c, 1, "on-demand", "2", "", NULL); /* the same type as spot */
    expect_single(c, 1, "spot", "1", "", "SPOT_TO_SPOT_DISABLED");
    expect_single(c, 15, "spot", "1", SPOT_TO_SPOT, "SPOT_TO_SPOT_TOO_FEW_TYPES"); /* 14 are cheaper */
    expect_single(c, 16, "spot", "1", SPOT_TO_SPOT, NULL);
    assert_int_equal(launch_at(c, 0).instance_type_count, 15);
    expect_single(c, 18, "spot", "1", SPOT_TO_SPOT, NULL);
    assert_int_equal(launch_at(c, 0).instance_type_count, 15); /* cut to the cheapest */
    expect_single(c, 1, "spot", "1", SPOT_TO_SPOT, "NO_CHEAPER_NODE");
}

/* Two new nodes for one are no consolidation. */
static void test_several_needed(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 2, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 4, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a", "3");
    add_pod(c, "two", "a", "3");
    add(c, ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\",\"namespace\":\"default\"},\"spec\":{"
           "\"containers\":[]},\"status\":{}}");
    cluster_ready(c);
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_kept(c, "a", "INSTANCE_TYPE_NOT_FOUND"); /* t04 is not in the catalogue */
    cluster_begin(c, 4, "");
    add_pool(c, "pool", ",\"limits\":{}", ALL);
    add_node(c, "a", 4, "on-demand", CONSOLIDATABLE);
    add_pod_with(c, "one", "a", "1", ",\"labels\":{\"app\":\"x\"}",
                 ",\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
                 "\"topologyKey\":\"kubernetes.io/hostname\",\"labelSelector\":{\"matchLabels\":{\"app\":\"x\"}}}]}}");
    add_pod_with(c, "two", "a", "1", ",\"labels\":{\"app\":\"x\"}", "");
    cluster_ready(c);
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_kept(c, "a", "SEVERAL_NODES_NEEDED");
}

/* Pools take turns: the best of each first. */
static void test_turns(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 8, "");
    add_pool(c, "pool", "", ALL);
    add_pool(c, "alpha", "", ALL);
    add_node_with(c, "a1", "alpha", 1, "spot", CONSOLIDATABLE, "", "");
    add_node(c, "p1", 8, "spot", CONSOLIDATABLE);
    add_node(c, "p2", 1, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a1", "2");
    add_pod(c, "two", "p1", "16");
    add_pod(c, "three", "p2", "2");
    cluster_ready(c);
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_commands(c, "p2");
    expect_kept(c, "a1", "SPOT_TO_SPOT_DISABLED");
    expect_kept(c, "p1", "SPOT_TO_SPOT_DISABLED");
    assert_int_equal(header(c).simulations, 3);
}

/* ---- Balanced ---------------------------------------------------------------------------------------------------- */

static void test_balanced(void **state)
{
    cluster *c = *state;
    /* Two nodes of the same price; one runs ten pods, the other one. Deleting the busy one costs more than it brings.
     */
    for (int busy = 0; busy < 2; busy++) {
        cluster_begin(c, 4, "");
        add_pool(c, "pool", "", ",\"consolidationPolicy\":\"Balanced\",\"budgets\":[{\"nodes\":\"100%\"}]");
        add_node(c, "a", 4, "on-demand", busy ? CONSOLIDATABLE : "");
        add_node(c, "b", 4, "on-demand", busy ? "" : CONSOLIDATABLE);
        add_refuge(c);
        for (int i = 0; i < 10; i++) {
            char name[16];
            (void)snprintf(name, sizeof name, "p%d", i);
            add_pod(c, name, "a", "100m");
        }
        add_pod(c, "single", "b", "100m");
        cluster_ready(c);
        decide(c, KARP_METHOD_SINGLE_NODE);
        if (busy) {
            expect_commands(c, "a"); /* (4/8) / (11/13) = 0.59 */
            assert_true(fabs(command_at(c, 0).score - 0.5 / (11.0 / 13.0)) < 1e-12);
        } else {
            expect_commands(c, "b"); /* (4/8) / (2/13) = 3.25 */
            assert_true(fabs(command_at(c, 0).score - 3.25) < 1e-12);
        }
    }
    /* A small part of the pool's price for nearly all of its pods: not even simulated. */
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ",\"consolidationPolicy\":\"Balanced\",\"budgets\":[{\"nodes\":\"100%\"}]");
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_node(c, "b", 4, "on-demand", "");
    add_refuge(c);
    for (int i = 0; i < 10; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "p%d", i);
        add_pod(c, name, "a", "100m");
    }
    cluster_ready(c);
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_kept(c, "a", "BALANCED_SCORE"); /* (1/5) / (11/12) */
    assert_int_equal(header(c).simulations, 0);
}

/* What the pods of a node cost that is no candidate is part of the pool's total all the same. */
static void test_balanced_total(void **state)
{
    cluster *c = *state;
    for (int pods = 0; pods < 4; pods += 3) {
        cluster_begin(c, 4, "");
        add_pool(c, "pool", "", ",\"consolidationPolicy\":\"Balanced\",\"budgets\":[{\"nodes\":\"100%\"}]");
        add_node(c, "a", 2, "on-demand", CONSOLIDATABLE);
        add_node_with(c, "b", "pool", 2, "on-demand", CONSOLIDATABLE, "", ",\"karpenter.sh/do-not-disrupt\":\"true\"");
        add_refuge(c);
        add_pod(c, "one", "a", "100m");
        for (int i = 0; i < pods; i++) {
            char name[16];
            (void)snprintf(name, sizeof name, "p%d", i);
            add_pod(c, name, "b", "100m");
        }
        cluster_ready(c);
        decide(c, KARP_METHOD_SINGLE_NODE);
        expect_commands(c, "a");
        /* half of the price, for a node and a pod of two nodes and all pods */
        assert_true(command_at(c, 0).score == 0.5 / (2.0 / (3.0 + pods)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_emptiness),      cmocka_unit_test(test_empty_stays),
        cmocka_unit_test(test_requeue),        cmocka_unit_test(test_free_pods),
        cmocka_unit_test(test_drift),          cmocka_unit_test(test_drift_empty_first),
        cmocka_unit_test(test_drift_backoff),  cmocka_unit_test(test_expiration),
        cmocka_unit_test(test_static_drift),   cmocka_unit_test(test_prefix_sizes),
        cmocka_unit_test(test_multi_replace),  cmocka_unit_test(test_same_type),
        cmocka_unit_test(test_too_few),        cmocka_unit_test(test_single),
        cmocka_unit_test(test_several_needed), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_balanced),       cmocka_unit_test(test_balanced_total),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
