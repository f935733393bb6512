/* SPDX-License-Identifier: Apache-2.0 */
/* Why nodes stay, options, budgets of work, pools that cannot start anything, refused memory. */
#include <karp/inspect.h>
#include <karp/passes.h>
#include <support/disrupting.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"

/* ---- every reason why a node is no candidate --------------------------------------------------------------------- */

static void add_budget(cluster *c, const char *name, const char *app)
{
    add(c,
        ",{\"apiVersion\":\"policy/"
        "v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\"},"
        "\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"%s\"}},\"maxUnavailable\":1},\"status\":{"
        "\"disruptionsAllowed\":0}}",
        name, app);
}

static void blocked_cluster(cluster *c)
{
    const char *both = CONSOLIDATABLE DRIFTED("03");
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    add_pool(c, "static", ",\"replicas\":1", ALL);
    add_pool(c, "never", "", ALL ",\"consolidateAfter\":\"Never\"");
    add_pool(c, "whenempty", "", ALL ",\"consolidationPolicy\":\"WhenEmpty\"");
    add_budget(c, "one", "guarded");
    add_budget(c, "two", "twice");
    add_budget(c, "three", "twice");
    add_refuge(c);
    add_node(c, "labelless", 1, "", both);
    add_node(c, "typeless", 9, "on-demand", both);
    add_node_with(c, "graceful", "pool", 2, "on-demand", both, ",\"terminationGracePeriod\":\"0s\"", "");
    add_node_with(c, "in-static", "static", 1, "on-demand", both, "", "");
    add_node_with(c, "in-never", "never", 1, "on-demand", both, "", "");
    add_node_with(c, "in-whenempty", "whenempty", 1, "on-demand", both, "", "");
    add_node_with(c, "lost", "gone", 1, "on-demand", both, "", "");
    add_node_with(c, "marked", "pool", 1, "on-demand", both, "", ",\"karpenter.sh/do-not-disrupt\":\"true\"");
    add_node_with(c, "timed", "pool", 1, "on-demand", both, "", ",\"karpenter.sh/do-not-disrupt\":\"200h\"");
    add_node(c, "empty", 1, "on-demand", both);
    add_node(c, "guarded", 1, "on-demand", both);
    add_node(c, "twice", 1, "on-demand", both);
    add_node(c, "plain", 1, "on-demand", "");
    static const char *const used[] = { "labelless", "typeless", "in-static", "in-never", "in-whenempty",
                                        "lost",      "marked",   "timed",     "plain" };
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "on-%s", used[i]);
        add_pod(c, name, used[i], "500m");
    }
    add_pod_with(c, "stays", "graceful", "1", ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}", "");
    add_pod_with(c, "g", "guarded", "1", ",\"labels\":{\"app\":\"guarded\"}", "");
    add_pod_with(c, "t", "twice", "1", ",\"labels\":{\"app\":\"twice\"}", "");
    add(c, ",{\"apiVersion\":\"karpenter.sh/"
           "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"starting\",\"labels\":{\"karpenter.sh/"
           "nodepool\":\"pool\"}},"
           "\"spec\":{\"nodeClassRef\":{\"group\":\"g\",\"kind\":\"k\",\"name\":\"n\"}},\"status\":{\"providerID\":\"p-"
           "starting\"}}");
    cluster_ready(c);
}

static void test_reasons(void **state)
{
    static const struct {
        const char *node, *emptiness, *static_drift, *drift, *consolidation;
    } rows[] = {
        { "refuge", "NOT_MANAGED", "NOT_MANAGED", "NOT_MANAGED", "NOT_MANAGED" },
        { "starting", "NO_NODE", "NO_NODE", "NO_NODE", "NO_NODE" },
        { "lost", "NODEPOOL_NOT_FOUND", "NODEPOOL_NOT_FOUND", "NODEPOOL_NOT_FOUND", "NODEPOOL_NOT_FOUND" },
        { "marked", "NODE_DO_NOT_DISRUPT", "NODE_DO_NOT_DISRUPT", "NODE_DO_NOT_DISRUPT", "NODE_DO_NOT_DISRUPT" },
        { "guarded", "PDB_BLOCKED", "PDB_BLOCKED", "PDB_BLOCKED", "PDB_BLOCKED" },
        { "twice", "PDB_MULTIPLE", "PDB_MULTIPLE", "PDB_MULTIPLE", "PDB_MULTIPLE" },
        { "graceful", "POD_DO_NOT_DISRUPT", "NOT_DRIFTED", NULL, "POD_DO_NOT_DISRUPT" },
        { "in-static", "STATIC", NULL, "STATIC", "STATIC" },
        { "in-never", "CONSOLIDATION_DISABLED", "NOT_DRIFTED", NULL, "CONSOLIDATION_DISABLED" },
        { "in-whenempty", "NOT_EMPTY", "NOT_DRIFTED", NULL, "POLICY_WHEN_EMPTY" },
        { "labelless", "NOT_EMPTY", "NOT_DRIFTED", NULL, "NO_CAPACITY_TYPE" },
        { "typeless", "NOT_EMPTY", "NOT_DRIFTED", NULL, "INSTANCE_TYPE_NOT_FOUND" },
        { "timed", "NOT_EMPTY", "NOT_DRIFTED", NULL, NULL },
        { "empty", NULL, "NOT_DRIFTED", NULL, "EMPTY_NODE" },
        { "plain", "NOT_EMPTY", "NOT_DRIFTED", "NOT_DRIFTED", "NOT_CONSOLIDATABLE" },
    };
    cluster *c = *state;
    blocked_cluster(c);
    for (uint32_t method = KARP_METHOD_EMPTINESS; method <= KARP_METHOD_SINGLE_NODE; method++) {
        decide(c, method);
        size_t candidates = 0, expected = 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const char *code = method == KARP_METHOD_EMPTINESS      ? rows[i].emptiness
                               : method == KARP_METHOD_STATIC_DRIFT ? rows[i].static_drift
                               : method == KARP_METHOD_DRIFT        ? rows[i].drift
                                                                    : rows[i].consolidation;
            if (code != NULL) expect_kept(c, rows[i].node, code);
            expected += code == NULL;
        }
        candidates = karp_decision_candidate_count(c->decision);
        assert_int_equal(candidates, expected);
        /* Every node goes or is kept. */
        size_t going = 0;
        for (size_t i = 0; i < karp_decision_command_count(c->decision); i++) going += command_at(c, i).node_count;
        assert_int_equal(going + karp_decision_kept_count(c->decision), sizeof rows / sizeof *rows);
    }
    char detail[128];
    decide(c, KARP_METHOD_EMPTINESS);
    (void)kept(c, "twice", detail);
    assert_string_equal(detail, "default/t (pdb default/three, default/two)");
    c->options.flip_quirks = UINT64_C(1) << 20; /* D-Q21: durations on nodes */
    decide(c, KARP_METHOD_EMPTINESS);
    expect_kept(c, "timed", "NODE_DO_NOT_DISRUPT");
}

/* ---- no pool can start a node ------------------------------------------------------------------------------------ */

static void test_no_pools(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 4, "");
    add_pool(c, "pool", ",\"replicas\":2", ALL);
    add_pool(c, "idle", ",\"replicas\":2", ALL);
    add_node(c, "a", 2, "on-demand", CONSOLIDATABLE);
    cluster_ready(c);
    decide(c, KARP_METHOD_ANY);
    assert_int_equal(header(c).error_code.len, 0); /* nothing asked for one */
    cluster_begin(c, 4, "");
    add(c, ",{\"apiVersion\":\"karpenter.sh/"
           "v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"pool\"},\"spec\":{\"template\":{\"spec\":{"
           "\"nodeClassRef\":"
           "{\"group\":\"g\",\"kind\":\"k\",\"name\":\"n\"},\"requirements\":[]}},\"disruption\":{\"consolidateAfter\":"
           "\"0s\",\"budgets\":[{\"nodes\":\"100%%\"}]}}}");
    add_node(c, "a", 2, "on-demand", CONSOLIDATABLE DRIFTED("03"));
    add_node(c, "b", 2, "on-demand", CONSOLIDATABLE);
    add_node(c, "c", 2, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a", "1");
    add_pod(c, "two", "b", "1");
    add_pod(c, "three", "c", "1");
    cluster_ready(c);
    for (uint32_t method = KARP_METHOD_DRIFT; method <= KARP_METHOD_SINGLE_NODE; method++) {
        decide(c, method);
        karp_disruption d = header(c);
        assert_true(d.error_code.len == 19 && memcmp(d.error_code.ptr, "NODEPOOLS_NOT_FOUND", 19) == 0);
        assert_int_equal(d.simulations, 0);
        expect_commands(c, "");
        expect_kept(c, "a", "NO_NODEPOOLS");
    }
    /* The others go on: an empty node goes all the same. */
    decide(c, KARP_METHOD_EMPTINESS);
    assert_int_equal(header(c).error_code.len, 0);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int32_t stop_at(void *user)
{
    int *left = user;
    return --*left < 0;
}

static void busy_cluster(cluster *c, int nodes)
{
    cluster_begin(c, 2, "");
    add_pool(c, "pool", "", ALL);
    for (int n = 0; n < nodes; n++) {
        char node[16], name[16];
        (void)snprintf(node, sizeof node, "n%03d", n);
        (void)snprintf(name, sizeof name, "p%03d", n);
        add_node(c, node, 1, "spot", CONSOLIDATABLE);
        add_pod(c, name, node, "2");
    }
    cluster_ready(c);
}

static karp_status status_of(cluster *c)
{
    karp_decision *before = c->decision;
    c->decision = NULL;
    karp_decision_unref(before);
    return karp_disrupt(c->snapshot, &c->options, &c->decision, &c->error);
}

static void test_options(void **state)
{
    cluster *c = *state;
    busy_cluster(c, 2);
    assert_int_equal(karp_disrupt(c->snapshot, NULL, &c->decision, NULL), KARP_OK);
    assert_int_equal(header(c).method, KARP_METHOD_SINGLE_NODE); /* the last that was tried */
    assert_int_equal(karp_disrupt(NULL, &c->options, &c->decision, NULL), KARP_E_INVALID);
    assert_int_equal(karp_disrupt(c->snapshot, &c->options, NULL, NULL), KARP_E_INVALID);
    c->options.method = 8;
    assert_int_equal(status_of(c), KARP_E_INVALID);
    c->options.method = 0;
    c->common.profile = 2;
    assert_int_equal(status_of(c), KARP_E_INVALID);
    c->common.profile = 0;
    c->common.explain = 3;
    assert_int_equal(status_of(c), KARP_E_INVALID);
    c->common.explain = 0;
    c->common.size = 8;
    assert_int_equal(status_of(c), KARP_E_ABI_SIZE);
    c->options.common = NULL; /* defaults */
    assert_int_equal(status_of(c), KARP_OK);
    c->options.in_progress_count = 1; /* counted, not given */
    assert_int_equal(status_of(c), KARP_E_INVALID);
    c->options.size = 8;
    assert_int_equal(status_of(c), KARP_E_ABI_SIZE);
    karp_disrupt_options_init(NULL, 100);
}

static void test_budgets_of_work(void **state)
{
    cluster *c = *state;
    busy_cluster(c, 6);
    decide(c, KARP_METHOD_SINGLE_NODE);
    assert_int_equal(header(c).simulations, 6);
    assert_int_equal(karp_decision_complete(c->decision), 1);
    expect_kept(c, "n005", "SPOT_TO_SPOT_DISABLED");
    c->options.max_simulations = 2;
    decide(c, KARP_METHOD_SINGLE_NODE);
    assert_int_equal(header(c).simulations, 2);
    assert_int_equal(karp_decision_complete(c->decision), 0);
    expect_kept(c, "n001", "SPOT_TO_SPOT_DISABLED");
    expect_kept(c, "n002", "SEARCH_STOPPED");
    expect_kept(c, "n005", "SEARCH_STOPPED");
    c->options.max_simulations = 1;
    decide(c, KARP_METHOD_ANY); /* used up by the search over several nodes: no other method */
    assert_int_equal(header(c).method, KARP_METHOD_MULTI_NODE);
    assert_int_equal(karp_decision_complete(c->decision), 0);
    c->options.max_simulations = 0;
    c->common.max_steps = 3;
    assert_int_equal(status_of(c), KARP_E_CANCELED);
    assert_null(c->decision);
    c->common.keep_partial = 1;
    decide(c, KARP_METHOD_SINGLE_NODE);
    assert_int_equal(karp_decision_complete(c->decision), 0);
    assert_in_range(header(c).simulations, 1, 3);
    c->common.max_steps = 0;
    for (int polls = 0; polls < 4; polls++) {
        int left = polls;
        c->common.should_stop = stop_at;
        c->common.stop_user = &left;
        c->common.keep_partial = 0;
        c->options.method = KARP_METHOD_SINGLE_NODE;
        assert_int_equal(status_of(c), KARP_E_CANCELED);
    }
}

/* Whether a node holds room for a buffer is found by a round of provisioning; where that is stopped, no node is known
 * to be empty. */
static void test_stopped_in_buffers(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 1, "\"featureGates\":{\"CapacityBuffer\":true}");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_node(c, "b", 1, "on-demand", CONSOLIDATABLE);
    add(c, ",{\"apiVersion\":\"v1\",\"kind\":\"PodTemplate\",\"metadata\":{\"name\":\"t\",\"namespace\":\"default\"},"
           "\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\","
           "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}},{\"apiVersion\":\"autoscaling.x-k8s.io/"
           "v1beta1\",\"kind\":\"CapacityBuffer\",\"metadata\":{\"name\":\"b\","
           "\"namespace\":\"default\"},\"spec\":{\"podTemplateRef\":{\"name\":\"t\"}},\"status\":{\"replicas\":2,"
           "\"conditions\":[{\"type\":\"ReadyForProvisioning\",\"status\":\"True\"}]}}");
    cluster_ready(c);
    decide(c, KARP_METHOD_EMPTINESS);
    expect_commands(c, "b");
    expect_kept(c, "a", "BUFFER_PODS");
    c->common.max_steps = 1;
    c->options.method = KARP_METHOD_EMPTINESS;
    assert_int_equal(status_of(c), KARP_E_CANCELED);
    c->common.keep_partial = 1;
    decide(c, KARP_METHOD_EMPTINESS);
    expect_commands(c, "");
    assert_int_equal(karp_decision_complete(c->decision), 0);
    expect_kept(c, "a", "BUFFER_PODS");
    expect_kept(c, "b", "BUFFER_PODS");
}

/* What the search has found before it is stopped counts. */
static void test_best_so_far(void **state)
{
    cluster *c = *state;
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_refuge(c);
    for (int n = 0; n < 9; n++) {
        char node[16], name[16];
        (void)snprintf(node, sizeof node, "n%03d", n);
        (void)snprintf(name, sizeof name, "p%03d", n);
        add_node(c, node, 1, "on-demand", CONSOLIDATABLE);
        add_pod(c, name, node, "1");
    }
    cluster_ready(c);
    c->options.max_simulations = 2;
    decide(c, KARP_METHOD_ANY);
    expect_commands(c, "n000 n001 n002 n003 n004 n005 n006");
    expect_kept(c, "n008", "NOT_REACHED_IN_PASS");
    assert_int_equal(karp_decision_complete(c->decision), 0);
}

/* ---- more types than a launch carries ---------------------------------------------------------------------------- */

static void many_types(cluster *c, const char *settings, const char *least)
{
    char requirement[200];
    cluster_begin(c, 700, settings);
    (void)snprintf(requirement, sizeof requirement,
                   "\"requirements\":[{\"key\":\"node.kubernetes.io/instance-type\",\"operator\":\"Exists\"%s}]",
                   least);
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"pool\"},\"spec\":{\"template\":{\"spec\":{"
        "\"nodeClassRef\":"
        "{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\",\"name\":\"default\"},%s,\"expireAfter\":\"Never\"}"
        "},\"disruption\":{\"consolidateAfter\":\"0s\","
        "\"budgets\":[{\"nodes\":\"100%%\"}]}},\"status\":{\"conditions\":[{\"type\":\"ValidationSucceeded\","
        "\"status\":\"True\"},{\"type\":\"NodeClassReady\",\"status\":\"True\"},"
        "{\"type\":\"Ready\",\"status\":\"True\"}]}}",
        requirement);
    add_node(c, "a", 700, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a", "1");
    cluster_ready(c);
    decide(c, KARP_METHOD_SINGLE_NODE);
}

/* The 600 cheapest are looked at. When minValues wants more, the pods find no place; BestEffort lets them, but the
 * price does not. */
static void test_most_types(void **state)
{
    cluster *c = *state;
    many_types(c, "", "");
    expect_commands(c, "a");
    assert_int_equal(launch_at(c, 0).instance_type_count, 600);
    many_types(c, "", ",\"minValues\":600");
    expect_commands(c, "a");
    many_types(c, "", ",\"minValues\":601");
    expect_kept(c, "a", "PODS_WOULD_NOT_SCHEDULE");
    many_types(c, "\"minValuesPolicy\":\"BestEffort\"", ",\"minValues\":601");
    expect_kept(c, "a", "MIN_VALUES_BY_PRICE");
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void refuse_each(cluster *c, uint32_t method)
{
    c->options.method = method;
    for (int lasting = 0; lasting < 2; lasting++) {
        for (size_t n = 1;; n++) {
            size_t blocks = c->fault.live_blocks;
            karp_decision *d = NULL;
            fault_arm(&c->fault, n, lasting != 0);
            karp_status status = karp_disrupt(c->snapshot, &c->options, &d, &c->error);
            bool refused = c->fault.refused > 0;
            fault_arm(&c->fault, 0, false);
            if (status == KARP_OK) karp_decision_unref(d);
            else assert_int_equal(status, KARP_E_NOMEM);
            assert_int_equal(c->fault.live_blocks, blocks);
            if (!refused) {
                assert_int_equal(status, KARP_OK);
                break;
            }
        }
    }
}

static void test_memory(void **state)
{
    cluster *c = *state;
    blocked_cluster(c);
    for (uint32_t method = KARP_METHOD_ANY; method <= KARP_METHOD_SINGLE_NODE; method++) refuse_each(c, method);
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL ",\"consolidationPolicy\":\"Balanced\"");
    add_node(c, "a", 3, "on-demand", CONSOLIDATABLE);
    add_node(c, "b", 3, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a", "3500m");
    add_pod(c, "two", "b", "3500m");
    cluster_ready(c);
    refuse_each(c, KARP_METHOD_ANY);
    refuse_each(c, KARP_METHOD_SINGLE_NODE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),     cmocka_unit_test(test_no_pools),
        cmocka_unit_test(test_options),     cmocka_unit_test(test_budgets_of_work),
        cmocka_unit_test(test_best_so_far), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_most_types),  cmocka_unit_test(test_stopped_in_buffers),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
