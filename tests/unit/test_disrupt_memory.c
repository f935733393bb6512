/* SPDX-License-Identifier: Apache-2.0 */
/* What one disruption pass leaves for the next: methods that found nothing, pools that were not reached, nodes of
 * commands that are being carried out. */
#include <support/disrupting.h>

#include <karp/inspect.h>
#include <karp/library.h>
#include <karp/passes.h>
#include <karp/values.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"
#define SECOND INT64_C(1000000000)

static const int64_t noon = INT64_C(1767614400) * SECOND; /* 2026-01-05T12:00:00Z */

/* What a caller keeps between two passes: the decision holds the names. */
typedef struct kept_memory {
    karp_decision *holder;
    karp_memory memory;
} kept_memory;

static void begin(kept_memory *m)
{
    m->holder = NULL;
    karp_memory_init(&m->memory, sizeof m->memory);
}

/* A pass with the memory of the one before, `seconds` after noon. */
static void pass_at(cluster *c, kept_memory *m, uint32_t method, int64_t seconds)
{
    c->options.memory = &m->memory;
    c->common.now = noon + seconds * SECOND;
    decide(c, method);
    c->options.memory = NULL;
    karp_decision_unref(m->holder);
    m->holder = karp_decision_ref(c->decision);
    m->memory = (karp_memory){ .size = sizeof m->memory };
    assert_int_equal(karp_decision_memory(c->decision, &m->memory), KARP_OK);
}

static void end(kept_memory *m) { karp_decision_unref(m->holder); }

/* Two full nodes: nothing can be consolidated, nothing is empty. */
static void add_full(cluster *c, const char *budget)
{
    char disruption[80];
    (void)snprintf(disruption, sizeof disruption, ",\"budgets\":[{\"nodes\":\"%s\"}]", budget);
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", disruption);
    add_node(c, "a", 1, "spot", CONSOLIDATABLE);
    add_node(c, "b", 1, "spot", CONSOLIDATABLE);
    add_pod(c, "one", "a", "2");
    add_pod(c, "two", "b", "2");
}

static void full(cluster *c, const char *budget)
{
    add_full(c, budget);
    cluster_ready(c);
}

static void test_without(void **state)
{
    cluster *c = *state;
    karp_memory m = { .size = sizeof m };
    full(c, "100%");
    decide(c, KARP_METHOD_ANY);
    assert_int_equal(karp_decision_memory(c->decision, &m), KARP_E_NOT_FOUND);
    uint32_t simulations = header(c).simulations;
    assert_true(simulations > 0);
    decide(c, KARP_METHOD_ANY);
    assert_int_equal(header(c).simulations, simulations);
}

/* Five minutes are the longest that nothing is looked at: not at 4 min 59 s, again at 5 min. */
static void test_rest(void **state)
{
    cluster *c = *state;
    kept_memory m;
    begin(&m);
    full(c, "100%");
    pass_at(c, &m, KARP_METHOD_ANY, 0);
    expect_commands(c, "");
    assert_true(header(c).simulations > 0);
    assert_true(m.memory.changed == noon && m.memory.seen != 0);
    assert_true(m.memory.multi_node_mark == noon && m.memory.single_node_mark == noon);
    assert_true(m.memory.emptiness_mark == 0); /* no node was empty: the method was not asked */
    assert_int_equal(m.memory.unseen_count, 0);
    pass_at(c, &m, KARP_METHOD_ANY, 299);
    assert_int_equal(header(c).simulations, 0);
    expect_kept(c, "a", "NOTHING_CHANGED");
    expect_kept(c, "b", "NOTHING_CHANGED");
    assert_true(m.memory.changed == noon);
    pass_at(c, &m, KARP_METHOD_MULTI_NODE, 300);
    assert_int_equal(header(c).simulations, 1);
    assert_true(m.memory.changed == noon + 300 * SECOND && m.memory.multi_node_mark == m.memory.changed);
    /* The other method has its own mark. */
    pass_at(c, &m, KARP_METHOD_SINGLE_NODE, 301);
    assert_int_equal(header(c).simulations, 2);
    pass_at(c, &m, KARP_METHOD_ANY, 302);
    assert_int_equal(header(c).simulations, 0);
    /* A clock that was set back does not count as rest. */
    pass_at(c, &m, KARP_METHOD_ANY, 0);
    assert_int_equal(header(c).simulations, 0);
    /* A caller that watches the cluster knows of a change. */
    m.memory.changed = noon + 310 * SECOND;
    pass_at(c, &m, KARP_METHOD_ANY, 311);
    assert_true(header(c).simulations > 0 && m.memory.changed == noon + 310 * SECOND);
    end(&m);
}

/* Which edits make it look again. */
static void test_changes(void **state)
{
    cluster *c = *state;
    static const struct {
        const char *more, *old, *fresh;
        bool looks;
    } rows[] = {
        { "", "", "", false },
        { ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"new\",\"namespace\":\"default\",\"uid\":"
          "\"u\"},\"spec\":{\"nodeName\":\"a\",\"containers\":[]}}",
          "", "", true },
        { ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"new\",\"namespace\":\"default\",\"uid\":"
          "\"u\"},\"spec\":{\"containers\":[]}}",
          "", "", false },
        { "", "\"phase\":\"Running\"", "\"phase\":\"Succeeded\"", false },
        { "", "\"nodeName\":\"b\"", "\"nodeName\":\"a\"", true },
        { "", "\"price\":1,", "\"price\":2,", false },
        { "", "\"nodes\":\"100%\"", "\"nodes\":\"99%\"", true },
        { "", "\"consolidateAfter\":\"0s\"", "\"consolidateAfter\":\"1s\"", true },
        { "", "\"requirements\":[],\"expireAfter\":\"Never\"", "\"requirements\":[],\"expireAfter\":\"720h\"", true },
        { ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"providerID\":\"p-x\"}}",
          "", "", true },
        { ",{\"apiVersion\":\"karpenter.sh/"
          "v1alpha1\",\"kind\":\"NodeOverlay\",\"metadata\":{\"name\":\"o\"},\"spec\":{\"requirements\":[],"
          "\"priceAdjustment\":\"+10%\"}}",
          "", "", true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static cluster before;
        kept_memory m;
        begin(&m);
        full(&before, "100%");
        pass_at(&before, &m, KARP_METHOD_MULTI_NODE, 0);
        add_full(c, "100%");
        add(c, "%s", rows[i].more);
        if (rows[i].old[0] != '\0') {
            static char edited[CLUSTER_ROOM];
            char *at = strstr(c->text, rows[i].old);
            assert_non_null(at);
            size_t head = (size_t)(at - c->text);
            c->length = (size_t)snprintf(edited, sizeof edited, "%.*s%s%s", (int)head, c->text, rows[i].fresh,
                                         at + strlen(rows[i].old));
            memcpy(c->text, edited, c->length + 1);
        }
        cluster_ready(c);
        pass_at(c, &m, KARP_METHOD_MULTI_NODE, 10);
        bool looked = m.memory.changed == noon + 10 * SECOND;
        if (looked != rows[i].looks) fail_msg("row %zu: %s", i, looked ? "looked again" : "did not look again");
        end(&m);
        void *state_of_before = &before;
        assert_int_equal(cluster_tear_down(&state_of_before), 0);
        memset(&before, 0, sizeof before);
    }
}

/* What budgets held back is still open, and a method that has found something is not done. */
static void test_open_questions(void **state)
{
    cluster *c = *state;
    kept_memory m;
    begin(&m);
    full(c, "0");
    pass_at(c, &m, KARP_METHOD_ANY, 0);
    assert_true(m.memory.multi_node_mark == 0 && m.memory.single_node_mark == 0);
    expect_kept(c, "a", "BUDGET");
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ",\"budgets\":[{\"nodes\":\"0\"}]");
    add_node(c, "a", 1, "spot", CONSOLIDATABLE);
    cluster_ready(c);
    pass_at(c, &m, KARP_METHOD_EMPTINESS, 1);
    assert_true(m.memory.emptiness_mark == 0);
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "spot", CONSOLIDATABLE);
    cluster_ready(c);
    pass_at(c, &m, KARP_METHOD_EMPTINESS, 2);
    expect_commands(c, "a");
    assert_true(m.memory.emptiness_mark == 0);
    /* No pool is ready: not an answer either. */
    cluster_begin(c, 1, "");
    add_pool(c, "pool", ",\"replicas\":1", ALL);
    add_pool(c, "other", "", ALL);
    c->text[c->length] = '\0';
    char *ready = strstr(strstr(c->text, "\"other\""), "{\"type\":\"Ready\",\"status\":\"True\"");
    memcpy(ready, "{\"type\":\"Ready\",\"status\":\"Nope\"", strlen("{\"type\":\"Ready\",\"status\":\"True\""));
    for (int i = 0; i < 2; i++) add_node_with(c, i ? "b" : "a", "other", 1, "spot", CONSOLIDATABLE, "", "");
    add_pod(c, "one", "a", "1");
    add_pod(c, "two", "b", "1");
    cluster_ready(c);
    pass_at(c, &m, KARP_METHOD_MULTI_NODE, 3);
    assert_true(header(c).error_code.len > 0 && m.memory.multi_node_mark == 0);
    end(&m);
}

/* Three pools of one full node each, which can be looked at one after the other. */
static void three_pools(cluster *c)
{
    static const char *const names[] = { "x", "y", "z" };
    cluster_begin(c, 1, "");
    for (int i = 0; i < 3; i++) {
        char node[8], pod[8];
        (void)snprintf(node, sizeof node, "n-%s", names[i]);
        (void)snprintf(pod, sizeof pod, "p-%s", names[i]);
        add_pool(c, names[i], "", ALL);
        add_node_with(c, node, names[i], 1, "spot", CONSOLIDATABLE, "", "");
        add_pod(c, pod, node, "2");
    }
    cluster_ready(c);
}

static void expect_unseen(const kept_memory *m, const char *expected)
{
    char got[64] = "";
    size_t n = 0;
    for (size_t i = 0; i < m->memory.unseen_count; i++) {
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%.*s", i > 0 ? " " : "", (int)m->memory.unseen[i].len,
                              m->memory.unseen[i].ptr);
    }
    assert_string_equal(got, expected);
}

static void test_unseen(void **state)
{
    cluster *c = *state;
    kept_memory m;
    begin(&m);
    three_pools(c);
    c->options.max_simulations = 1;
    pass_at(c, &m, KARP_METHOD_SINGLE_NODE, 0);
    expect_unseen(&m, "y z");
    assert_true(m.memory.single_node_mark == 0);
    expect_kept(c, "n-x", "SPOT_TO_SPOT_DISABLED");
    expect_kept(c, "n-y", "SEARCH_STOPPED");
    /* Their turn comes first now. */
    pass_at(c, &m, KARP_METHOD_SINGLE_NODE, 1);
    expect_unseen(&m, "x z");
    expect_kept(c, "n-x", "SEARCH_STOPPED");
    pass_at(c, &m, KARP_METHOD_SINGLE_NODE, 2);
    expect_unseen(&m, "y z");
    c->options.max_simulations = 3;
    pass_at(c, &m, KARP_METHOD_SINGLE_NODE, 3);
    expect_unseen(&m, "");
    assert_true(m.memory.single_node_mark == m.memory.changed);
    /* Pools that are no more are forgotten. */
    static const karp_str gone[] = { { "gone", 4 }, { "z", 1 } };
    m.memory.unseen = gone;
    m.memory.unseen_count = 2;
    m.memory.single_node_mark = 0;
    c->options.max_simulations = 1;
    pass_at(c, &m, KARP_METHOD_SINGLE_NODE, 4);
    expect_unseen(&m, "x y");
    end(&m);
}

/* D-Q4: ended early with nothing found counts as nothing found, for several nodes. */
static void test_ended_early(void **state)
{
    cluster *c = *state;
    for (int profile = 0; profile < 2; profile++) {
        kept_memory m;
        begin(&m);
        cluster_begin(c, 1, "");
        add_pool(c, "pool", "", ALL);
        for (int i = 0; i < 5; i++) {
            char node[8], pod[8];
            (void)snprintf(node, sizeof node, "n%d", i);
            (void)snprintf(pod, sizeof pod, "p%d", i);
            add_node(c, node, 1, "spot", CONSOLIDATABLE);
            add_pod(c, pod, node, "2");
        }
        cluster_ready(c);
        c->common.profile = profile ? KARP_PROFILE_KARP : KARP_PROFILE_KARPENTER;
        c->options.max_simulations = 1;
        pass_at(c, &m, KARP_METHOD_MULTI_NODE, 0);
        assert_int_equal(karp_decision_complete(c->decision), 0);
        assert_true(m.memory.multi_node_mark == (profile ? 0 : noon));
        end(&m);
    }
}

/* While one replacement is under way the next node can be replaced. */
static void test_one_after_another(void **state)
{
    cluster *c = *state;
    static const karp_str going[] = { { "a", 1 }, { "b", 1 } };
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    for (int i = 0; i < 3; i++) {
        char node[2] = { (char)('a' + i), '\0' }, pod[3] = { 'p', (char)('a' + i), '\0' };
        add_node(c, node, 4, "on-demand", CONSOLIDATABLE);
        add_pod(c, pod, node, "7500m");
        add_node(c, i == 0 ? "x" : i == 1 ? "y" : "z", 1, "on-demand", ""); /* no room, and too young to go */
    }
    cluster_ready(c);
    c->options.in_progress = going;
    for (size_t i = 0; i < 3; i++) {
        static const char *const next[] = { "a", "b", "c" };
        c->options.in_progress_count = i;
        decide(c, KARP_METHOD_SINGLE_NODE);
        expect_commands(c, next[i]);
        assert_int_equal(command_at(c, 0).replaces, 1);
        for (size_t k = 0; k < i; k++) expect_kept(c, next[k], "IN_QUEUE");
    }
}

static void test_in_progress(void **state)
{
    cluster *c = *state;
    static const karp_str going[] = { { "b", 1 }, { "nobody", 6 } };
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "spot", CONSOLIDATABLE);
    add_node(c, "b", 1, "spot", CONSOLIDATABLE);
    cluster_ready(c);
    decide(c, KARP_METHOD_ANY);
    expect_commands(c, "a b");
    c->options.in_progress = going;
    c->options.in_progress_count = 2;
    decide(c, KARP_METHOD_ANY);
    expect_commands(c, "a");
    expect_kept(c, "b", "IN_QUEUE");
    c->options.in_progress = NULL;
    karp_decision *d = NULL;
    assert_int_equal(karp_disrupt(c->snapshot, &c->options, &d, &c->error), KARP_E_INVALID);
}

static void test_wrong(void **state)
{
    cluster *c = *state;
    karp_decision *d = NULL;
    struct {
        karp_memory memory;
        uint64_t more;
    } longer = { { .size = sizeof longer }, 1 };
    karp_memory m = { .size = 8 };
    full(c, "100%");
    c->options.memory = &m;
    assert_int_equal(karp_disrupt(c->snapshot, &c->options, &d, &c->error), KARP_E_ABI_SIZE);
    m = (karp_memory){ .size = sizeof m, .unseen_count = 1 };
    assert_int_equal(karp_disrupt(c->snapshot, &c->options, &d, &c->error), KARP_E_INVALID);
    c->options.memory = &longer.memory;
    assert_int_equal(karp_disrupt(c->snapshot, &c->options, &d, &c->error), KARP_E_ABI_NEW);
    assert_null(d);
    karp_memory_init(NULL, sizeof m);
}

static void test_refused(void **state)
{
    cluster *c = *state;
    kept_memory m;
    begin(&m);
    three_pools(c);
    c->options.max_simulations = 2;
    pass_at(c, &m, KARP_METHOD_SINGLE_NODE, 0);
    static const karp_str going[] = { { "n-x", 3 } };
    c->options.memory = &m.memory;
    c->options.in_progress = going;
    c->options.in_progress_count = 1;
    size_t blocks = c->fault.live_blocks, n = 1;
    for (;; n++) {
        karp_decision *d = NULL;
        fault_arm(&c->fault, n, n % 2 == 0);
        karp_status status = karp_disrupt(c->snapshot, &c->options, &d, NULL);
        bool refused = c->fault.refused > 0;
        fault_arm(&c->fault, 0, false);
        assert_true(status == KARP_OK || status == KARP_E_NOMEM);
        karp_decision_unref(d);
        assert_int_equal(c->fault.live_blocks, blocks);
        if (!refused) break;
    }
    assert_true(n > 10);
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without),     cmocka_unit_test(test_rest),
        cmocka_unit_test(test_changes),     cmocka_unit_test(test_open_questions),
        cmocka_unit_test(test_unseen),      cmocka_unit_test(test_ended_early),
        cmocka_unit_test(test_in_progress), cmocka_unit_test(test_one_after_another),
        cmocka_unit_test(test_wrong),       cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
