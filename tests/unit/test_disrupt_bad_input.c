/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets, schedules and annotations that cannot be read: what they do, and that they do it to their own pool or pod
 * alone. (PodDisruptionBudgets whose selectors cannot be read are in tests/cases/disruption/pods.) */
#include <karp/inspect.h>
#include <karp/passes.h>
#include <support/advising.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"

/* Three empty nodes in the pool with these budgets, and one in a pool beside it. */
static void empty_nodes(cluster *c, const char *budgets)
{
    char disruption[300];
    (void)snprintf(disruption, sizeof disruption, ",\"budgets\":[%s]", budgets);
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", disruption);
    add_pool(c, "beside", "", ALL);
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_node(c, "b", 1, "on-demand", CONSOLIDATABLE);
    add_node(c, "c", 1, "on-demand", CONSOLIDATABLE);
    add_node_with(c, "z", "beside", 1, "on-demand", CONSOLIDATABLE, "", "");
}

static void test_budgets(void **state)
{
    cluster *c = *state;
    static const struct {
        const char *budgets, *goes;
    } rows[] = {
        /* Go's number parser takes more than the API server lets in. */
        { "{\"nodes\":\"2\"}", "a b z" },
        { "{\"nodes\":\"+2\"}", "a b z" },
        { "{\"nodes\":\"002\"}", "a b z" },
        { "{\"nodes\":\"-1\"}", "z" },
        { "{\"nodes\":\"999999999\"}", "a b c z" },
        { "{\"nodes\":\"34%\"}", "a b z" },
        { "{\"nodes\":\"-50%\"}", "z" },
        { "{\"nodes\":\"200%\"}", "a b c z" },
        { "{}", "a z" }, /* 10 %, rounded up */
        /* No number at all: nothing goes, whatever the reason. */
        { "{\"nodes\":\"x\"}", "z" },
        { "{\"nodes\":\"2x\"}", "z" },
        { "{\"nodes\":\" 2\"}", "z" },
        { "{\"nodes\":\"2 %\"}", "z" },
        { "{\"nodes\":\"%\"}", "z" },
        { "{\"nodes\":\"5%%\"}", "z" },
        { "{\"nodes\":\"1.5\"}", "z" },
        { "{\"nodes\":\"0x2\"}", "z" },
        { "{\"nodes\":\"1e1\"}", "z" },
        { "{\"nodes\":\"-\"}", "z" },
        { "{\"nodes\":\"99999999999999999999\"}", "z" },
        { "{\"nodes\":\"99999999999999999999%\"}", "z" },
        { "{\"nodes\":\"\\u0662\"}", "z" },
        { "{\"nodes\":\"3\"},{\"nodes\":\"x\",\"reasons\":[\"Drifted\"]}", "z" },
        /* Schedules. */
        { "{\"nodes\":\"3\",\"schedule\":\"0 9 * * 7\",\"duration\":\"8h\"}", "z" },
        { "{\"nodes\":\"3\",\"schedule\":\"@sometimes\",\"duration\":\"8h\"}", "z" },
        { "{\"nodes\":\"3\",\"schedule\":\"TZ=UTC 0 9 * * *\",\"duration\":\"8h\"}", "z" },
        { "{\"nodes\":\"3\",\"schedule\":\"0 9 * *\",\"duration\":\"8h\"}", "z" },
        { "{\"nodes\":\"3\",\"schedule\":\"0 9 * * *\",\"duration\":\"8h\"}", "a b c z" }, /* it is noon */
        { "{\"nodes\":\"0\",\"schedule\":\"0 9 * * *\"}", "a b c z" }, /* without a duration the window has no inside */
        { "{\"nodes\":\"3\",\"duration\":\"8h\"}", "z" }, /* without a schedule it cannot be read */
        { "{\"nodes\":\"x\",\"schedule\":\"0 13 * * *\",\"duration\":\"1h\"}",
          "a b c z" }, /* not looked at outside its window */
        { "{\"nodes\":\"x\",\"schedule\":\"0 12 * * *\",\"duration\":\"1h\"}", "z" },
        { "{\"nodes\":\"0\",\"schedule\":\"0 0 30 2 *\",\"duration\":\"1h\"}", "z" }, /* D-Q1 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char got[64] = "";
        empty_nodes(c, rows[i].budgets);
        cluster_ready(c);
        decide(c, KARP_METHOD_EMPTINESS);
        for (size_t n = 0; n < karp_decision_node_count(c->decision); n++) {
            karp_node_use node = { .size = sizeof node };
            assert_int_equal(karp_decision_node(c->decision, n, &node), KARP_OK);
            if (!node.marked) expect_kept(c, node.node.ptr, "BUDGET");
            else
                (void)snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", got[0] != '\0' ? " " : "",
                               node.node.ptr);
        }
        if (strcmp(got, rows[i].goes) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", rows[i].budgets, got, rows[i].goes);
        karp_pool_budget beside = { .size = sizeof beside };
        assert_int_equal(karp_decision_budget(c->decision, 0, &beside), KARP_OK);
        assert_true(beside.remaining == 1);
    }
}

/* What no type of the API could hold is refused while it is read, with its place. */
static void test_refused_budgets(void **state)
{
    cluster *c = *state;
    static const struct {
        const char *budgets, *field;
    } rows[] = {
        { "{\"nodes\":\"1\",\"reasons\":[\"Empty\",\"Bored\"]}", "spec.disruption.budgets[0].reasons[1]" },
        { "{\"nodes\":\"1\"},{\"nodes\":\"1\",\"schedule\":\"@daily\",\"duration\":\"long\"}",
          "spec.disruption.budgets[1].duration" },
        { "{\"nodes\":\"1\",\"schedule\":5,\"duration\":\"1h\"}", "spec.disruption.budgets[0].schedule" },
        { "{\"nodes\":[]}", "spec.disruption.budgets[0].nodes" },
        { "7", "spec.disruption.budgets[0]" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        karp_reader *reader = NULL;
        empty_nodes(c, rows[i].budgets);
        add(c, "]}");
        assert_int_equal(karp_reader_new(c->context, NULL, &reader, &c->error), KARP_OK);
        karp_error_init(&c->error, sizeof c->error);
        karp_status status = karp_reader_add(reader, (karp_str){ "cluster", 7 }, (karp_str){ c->text, c->length },
                                             &c->error);
        if (status == KARP_OK) status = karp_reader_finish(reader, &c->snapshot, &c->error);
        karp_reader_free(reader);
        assert_int_equal(status, KARP_E_INVALID);
        assert_string_equal(c->error.document, "cluster");
        assert_string_equal(c->error.object, "NodePool pool");
        if (strcmp(c->error.field, rows[i].field) != 0) fail_msg("%s: %s", rows[i].budgets, c->error.field);
    }
}

/* An annotation that cannot be read protects nobody, and one that can protects its pod's node alone. */
static void test_do_not_disrupt(void **state)
{
    cluster *c = *state;
    static const struct {
        const char *value;
        bool holds;
    } rows[] = {
        { "true", true },
        { "1h", true },
        { "999999h", true },
        { "60h0.5s", true },
        { "2562047h47m16s", true },
        { "", false },
        { "TRUE", false },
        { "yes", false },
        { "false", false },
        { "0", false },
        { "0s", false },
        { "-1h", false },
        { "1", false },
        { "1d", false },
        { "1h ", false },
        { "h", false },
        { "59h59m", false },
        { "60h", false },
        { "99999999999h", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char annotation[120];
        bool started = strcmp(rows[i].value, "1h") != 0; /* without a start a duration never ends */
        (void)snprintf(annotation, sizeof annotation, ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"%s\"}",
                       rows[i].value);
        cluster_begin(c, 1, "");
        add_pool(c, "pool", "", ALL);
        add_node(c, "a", 1, "on-demand", DRIFTED("02"));
        add_node(c, "b", 1, "on-demand", DRIFTED("03"));
        add_pod_with(c, "odd", "a", "1", annotation, "");
        if (started) {
            char *status = strstr(strstr(c->text, "\"name\":\"odd\""), "\"phase\":\"Running\"");
            static char rest[4096];
            (void)snprintf(rest, sizeof rest, "%s", status);
            c->length = (size_t)(status - c->text);
            add(c, "\"startTime\":\"2026-01-03T00:00:00Z\",%s", rest); /* sixty hours ago */
        }
        add_pod(c, "fine", "b", "1");
        cluster_ready(c);
        decide(c, KARP_METHOD_DRIFT);
        if (rows[i].holds) expect_kept(c, "a", "POD_DO_NOT_DISRUPT");
        const char *goes = rows[i].holds ? "b" : "a";
        karp_command k = command_at(c, 0);
        if (strcmp(k.nodes[0].ptr, goes) != 0)
            fail_msg("do-not-disrupt \"%s\": %s goes", rows[i].value, k.nodes[0].ptr);
    }
}

/* A deletion cost that cannot be read costs nothing and gains nothing: the pod counts as any other. */
static void test_deletion_cost(void **state)
{
    cluster *c = *state;
    static const struct {
        const char *value;
        bool empty;
    } rows[] = {
        { "-134217728", true },   { "-2147483648", true },  { "-134217727", false },  { "", false },
        { "abc", false },         { " -134217728", false }, { "-134217728x", false }, { "0x-8000000", false },
        { "--134217728", false }, { "NaN", false },         { "-134217728 ", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char annotation[120];
        (void)snprintf(annotation, sizeof annotation,
                       ",\"annotations\":{\"controller.kubernetes.io/pod-deletion-cost\":\"%s\"}", rows[i].value);
        cluster_begin(c, 1, "");
        add_pool(c, "pool", "", ALL);
        add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
        add_node(c, "b", 1, "on-demand", CONSOLIDATABLE);
        add_node(c, "c", 1, "on-demand", CONSOLIDATABLE);
        add_pod_with(c, "odd", "a", "1", annotation, "");
        add_pod(c, "fine", "b", "1");
        cluster_ready(c);
        decide(c, KARP_METHOD_EMPTINESS);
        expect_commands(c, rows[i].empty ? "a c" : "c");
        karp_candidate row = { .size = sizeof row };
        assert_int_equal(karp_decision_candidate(c->decision, 0, &row), KARP_OK);
        assert_true(row.reschedule_cost == row.reschedule_cost); /* not NaN */
    }
}

/* A deadline that is no time is an error of that node's drain alone. */
static void test_termination_time(void **state)
{
    cluster *c = *state;
    karp_advice *a = NULL;
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "on-demand", "");
    add_node(c, "b", 1, "on-demand", "");
    char *claim = strstr(c->text, "\"name\":\"claim-a\",");
    static char rest[CLUSTER_ROOM];
    (void)snprintf(rest, sizeof rest, "%s", claim);
    c->length = (size_t)(claim - c->text);
    add(c, "\"annotations\":{\"karpenter.sh/nodeclaim-termination-timestamp\":\"tomorrow\"},%s", rest);
    cluster_ready(c);
    assert_int_equal(karp_advise_drain(c->snapshot, (karp_str){ "a", 1 }, 0, &a, &c->error), KARP_E_INVALID);
    assert_null(a);
    assert_int_equal(karp_advise_drain(c->snapshot, (karp_str){ "b", 1 }, 0, &a, &c->error), KARP_OK);
    expect_advice(a, "set claim-b Drained=Draining; again 2026-01-05T12:00:01Z");
    /* An interruption sets it anew. */
    const karp_interruption message = { { "p-a", 3 }, KARP_INTERRUPTION_SYSTEM_STATUS, 0 };
    assert_int_equal(karp_advise_interruptions(c->snapshot, 0, &message, 1, &a, &c->error), KARP_OK);
    expect_advice(a, "annotate claim-a karpenter.sh/nodeclaim-termination-timestamp=2026-01-05T12:00:00Z; delete "
                     "claim-a=SystemStatusFailure");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budgets),          cmocka_unit_test(test_refused_budgets),
        cmocka_unit_test(test_do_not_disrupt),   cmocka_unit_test(test_deletion_cost),
        cmocka_unit_test(test_termination_time),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
