/* SPDX-License-Identifier: Apache-2.0 */
/* Commands looked at again on a later snapshot, and the quirks of deprovisioning that no other test turns round. */
#include <support/disrupting.h>

#include <karp/inspect.h>
#include <karp/library.h>
#include <karp/lifecycle.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"
#define DO_NOT_DISRUPT ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\"}"
#define BALANCED ",\"consolidationPolicy\":\"Balanced\",\"budgets\":[{\"nodes\":\"100%\"}]"
#define RESERVATION "karpenter.k8s.aws/capacity-reservation-id"
#define QUIRK(n) (UINT64_C(1) << ((n)-1))

/* The cluster that a command is made for, and what has become of it. */
struct world {
    const char *disruption; /* of the pool */
    const char *conditions; /* of the claim of "a" */
    const char *metadata; /* of the pod on "a" */
    int type; /* of "a", on demand */
    int other_pods; /* more pods on "a" */
    bool refuge, nominated, closed, dear, odd_budget;
};

static const struct world usual = { .disruption = ALL, .conditions = CONSOLIDATABLE, .metadata = "", .type = 4 };

static void build(cluster *c, const struct world *w)
{
    cluster_begin(c, 8, "");
    add_pool(c, "pool", "", w->disruption);
    add_node(c, "a", w->type, "on-demand", w->conditions);
    add_pod_with(c, "one", "a", "1", w->metadata, "");
    for (int i = 0; i < w->other_pods; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "more-%d", i);
        add_pod(c, name, "a", "10m");
    }
    if (w->dear) {
        add_node(c, "dear", 8, "on-demand", "");
        add_pod(c, "keeps", "dear", "15");
    }
    if (w->refuge) add_refuge(c);
    if (w->closed || w->odd_budget) {
        add(c,
            ",{\"apiVersion\":\"policy/"
            "v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":\"b\",\"namespace\":\"default\"},\"spec\":{"
            "\"selector\":%s,"
            "\"maxUnavailable\":1},\"status\":{\"disruptionsAllowed\":0}}",
            w->odd_budget ? "{\"matchExpressions\":[{\"key\":\"x\",\"operator\":\"Like\"}]}" : "{}");
    }
    if (!w->nominated) {
        cluster_ready(c);
        return;
    }
    add(c, "],\"state\":{\"nodes\":[{\"name\":\"a\",\"nominated\":true}]},\"reserved\":[");
    cluster_ready(c);
}

static uint32_t validated(cluster *c, const karp_decision *d, uint64_t flips)
{
    karp_validation v = { .size = sizeof v };
    c->options.flip_quirks = flips;
    assert_int_equal(karp_disrupt_validate(c->snapshot, &c->options, d, 0, NULL, &v, &c->error), KARP_OK);
    assert_int_equal(v.kept, v.code == KARP_REASON_NONE ? 1 : 0);
    return v.code;
}

static void expect(uint32_t method, const struct world *before, const struct world *after, uint64_t flips,
                   uint32_t code)
{
    static cluster first, second;
    build(&first, before);
    decide(&first, method);
    expect_commands(&first, "a");
    build(&second, after);
    uint32_t got = validated(&second, first.decision, flips);
    if (got != code) fail_msg("%s instead of %s", karp_reason_name(got), karp_reason_name(code));
    cluster *both[] = { &first, &second };
    for (size_t i = 0; i < 2; i++) {
        void *one = both[i];
        assert_int_equal(cluster_tear_down(&one), 0);
        memset(one, 0, sizeof *both[i]);
    }
}

static void test_replacement(void **state)
{
    (void)state;
    const uint32_t single = KARP_METHOD_SINGLE_NODE;
    struct world w = usual;
    expect(single, &usual, &usual, 0, KARP_REASON_NONE);
    w.disruption = ",\"budgets\":[{\"nodes\":\"0\"}]";
    expect(single, &usual, &w, 0, KARP_REASON_VALIDATION_BUDGET);
    w = usual, w.conditions = "";
    expect(single, &usual, &w, 0, KARP_REASON_CHURN);
    w = usual, w.nominated = true;
    expect(single, &usual, &w, 0, KARP_REASON_CHURN);
    w = usual, w.metadata = DO_NOT_DISRUPT;
    expect(single, &usual, &w, 0, KARP_REASON_CHURN);
    w = usual, w.closed = true;
    expect(single, &usual, &w, 0, KARP_REASON_CHURN);
    w = usual, w.refuge = true; /* the replacement is not needed any more */
    expect(single, &usual, &w, 0, KARP_REASON_SCHEDULING);
    w = usual, w.other_pods = 100; /* the least type is full */
    expect(single, &usual, &w, 0, KARP_REASON_NONE);
    w.other_pods = 101; /* and now too small: the types are not what they were */
    expect(single, &usual, &w, 0, KARP_REASON_SCHEDULING);
}

static void test_delete(void **state)
{
    (void)state;
    const uint32_t single = KARP_METHOD_SINGLE_NODE;
    struct world before = usual, w = usual;
    before.refuge = w.refuge = true;
    expect(single, &before, &w, 0, KARP_REASON_NONE);
    w.metadata = DO_NOT_DISRUPT;
    expect(single, &before, &w, 0, KARP_REASON_CHURN);
    w = before, w.closed = true;
    expect(single, &before, &w, 0, KARP_REASON_CHURN);
    expect(single, &before, &usual, 0, KARP_REASON_SCHEDULING); /* a new node would be needed now */
    w = before, w.odd_budget = true;
    expect(single, &before, &w, 0, KARP_REASON_INVALID_PDB);
}

/* A node that goes already, whoever deleted it, is nobody's to decide about. */
static void test_going(void **state)
{
    cluster *c = *state;
    struct world w = usual;
    w.conditions = CONSOLIDATABLE ",{\"type\":\"InstanceTerminating\",\"status\":\"True\"}";
    expect(KARP_METHOD_SINGLE_NODE, &usual, &w, 0, KARP_REASON_CHURN);
    build(c, &w);
    for (uint32_t method = KARP_METHOD_ANY; method <= KARP_METHOD_SINGLE_NODE; method++) {
        decide(c, method);
        expect_commands(c, "");
        expect_kept(c, "a", "DELETING");
    }
}

/* When several nodes cannot go any more, the next method is asked: one of them still can. */
static void test_falls_through(void **state)
{
    static cluster first;
    cluster *c = *state;
    for (int later = 0; later < 2; later++) {
        cluster *now = later ? c : &first;
        cluster_begin(now, 8, "");
        add_pool(now, "pool", "", ALL);
        add_node(now, "a", 4, "on-demand", CONSOLIDATABLE);
        add_node(now, "b", 4, "on-demand", CONSOLIDATABLE);
        add_pod(now, "one", "a", "1");
        add_pod_with(now, "two", "b", "1", later ? DO_NOT_DISRUPT : "", "");
        cluster_ready(now);
    }
    decide(&first, KARP_METHOD_ANY);
    expect_commands(&first, "a b");
    assert_int_equal(header(&first).method, KARP_METHOD_MULTI_NODE);
    karp_validation v = { .size = sizeof v };
    assert_int_equal(karp_disrupt_validate(c->snapshot, &c->options, first.decision, 0, NULL, &v, &c->error), KARP_OK);
    assert_int_equal(v.code, KARP_REASON_CHURN);
    decide(c, KARP_METHOD_SINGLE_NODE);
    expect_commands(c, "a");
    void *done = &first;
    assert_int_equal(cluster_tear_down(&done), 0);
    memset(&first, 0, sizeof first);
}

/* D-Q12: Karpenter does not ask again what the command is worth. */
static void test_worth(void **state)
{
    (void)state;
    const uint32_t single = KARP_METHOD_SINGLE_NODE;
    struct world w = usual, before = usual;
    w.type = 1; /* the node is cheaper than most of what would replace it */
    expect(single, &usual, &w, 0, KARP_REASON_NONE);
    expect(single, &usual, &w, QUIRK(12), KARP_REASON_NO_CHEAPER_NODE);
    expect(single, &usual, &usual, QUIRK(12), KARP_REASON_NONE);
    before.refuge = true;
    w = before, w.type = 1, w.disruption = BALANCED, w.dear = true,
    w.other_pods = 20; /* little of the price, most of the pods */
    expect(single, &before, &w, 0, KARP_REASON_NONE);
    expect(single, &before, &w, QUIRK(12), KARP_REASON_BALANCED_SCORE);
    expect(single, &before, &before, QUIRK(12), KARP_REASON_NONE);
}

/* ---- quirks ------------------------------------------------------------------------------------------------------ */

/* D-Q10: of several reservations in a zone the first is the price of them all. */
static void test_reservation_price(void **state)
{
    cluster *c = *state;
    static const char text[] = "{\"apiVersion\":\"karp/"
                               "v1\",\"kind\":\"Snapshot\",\"now\":\"2026-01-05T12:00:00Z\",\"settings\":{},\"labels\":"
                               "{\"wellKnown\":[\"" RESERVATION "\"],\"reservationID\":\"" RESERVATION "\"},"
                               "\"catalogues\":[{\"instanceTypes\":[{\"name\":\"t01\",\"labels\":{\"kubernetes.io/"
                               "arch\":[\"amd64\"]},\"capacity\":{\"cpu\":\"2\",\"memory\":\"64Gi\",\"pods\":\"110\"},"
                               "\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"reserved\",\"price\":0.5,"
                               "\"reservationID\":\"r1\",\"reservationCapacity\":1},"
                               "{\"zone\":\"z1\",\"capacityType\":\"reserved\",\"price\":0.25,\"reservationID\":\"r2\","
                               "\"reservationCapacity\":1}]}]}],\"objects\":"
                               "[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"default\"}}";
    cluster_begin(c, 1, "");
    memcpy(c->text, text, sizeof text);
    c->length = sizeof text - 1;
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "reserved\",\"" RESERVATION "\":\"r2", CONSOLIDATABLE);
    add_node(c, "b", 1, "reserved\",\"" RESERVATION "\":\"r1", CONSOLIDATABLE);
    add_node(c, "c", 1, "reserved\",\"" RESERVATION "\":\"r9", CONSOLIDATABLE);
    cluster_ready(c);
    for (int profile = KARP_PROFILE_KARPENTER; profile <= KARP_PROFILE_KARP; profile++) {
        for (int flip = 0; flip < 2; flip++) {
            bool as_karpenter = (profile == KARP_PROFILE_KARPENTER) == (flip == 0);
            c->common.profile = (uint32_t)profile;
            c->options.flip_quirks = flip ? QUIRK(10) : 0;
            decide(c, KARP_METHOD_EMPTINESS);
            expect_commands(c, as_karpenter ? "a b c" : "b c a");
            assert_true(command_at(c, 0).savings == (as_karpenter ? 1.5 : 1.25));
        }
    }
}

/* D-Q11: the first type is the cheapest on demand; as spot, which the launch is narrowed to, another one is. */
static void test_first_type(void **state)
{
    cluster *c = *state;
#define OFFERS(on_demand, spot)                                                                                        \
    "\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"on-demand\",\"price\":" on_demand                              \
    "},{\"zone\":\"z1\",\"capacityType\":\"spot\",\"price\":" spot "}]}"
#define SIZE(name)                                                                                                     \
    "{\"name\":\"" name "\",\"labels\":{\"kubernetes.io/"                                                              \
    "arch\":[\"amd64\"]},\"capacity\":{\"cpu\":\"4\",\"memory\":\"64Gi\",\"pods\":\"110\"},"
    static const char text[] =
        "{\"apiVersion\":\"karp/"
        "v1\",\"kind\":\"Snapshot\",\"now\":\"2026-01-05T12:00:00Z\",\"settings\":{},\"catalogues\":[{"
        "\"instanceTypes\":[" SIZE("t01") OFFERS("5", "5") "," SIZE("t02") OFFERS("1", "4") "," SIZE("t03")
            OFFERS("2", "2.5") "]}],\"objects\":"
                               "[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"default\"}}";
    cluster_begin(c, 1, "");
    memcpy(c->text, text, sizeof text);
    c->length = sizeof text - 1;
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a", "1");
    cluster_ready(c);
    for (int profile = KARP_PROFILE_KARPENTER; profile <= KARP_PROFILE_KARP; profile++) {
        for (int flip = 0; flip < 2; flip++) {
            bool as_karpenter = (profile == KARP_PROFILE_KARPENTER) == (flip == 0);
            c->common.profile = (uint32_t)profile;
            c->options.flip_quirks = flip ? QUIRK(11) : 0;
            decide(c, KARP_METHOD_SINGLE_NODE);
            expect_commands(c, "a");
            assert_true(command_at(c, 0).savings == (as_karpenter ? 1.0 : 2.5));
        }
    }
}

/* A cluster with a catalogue of these types instead of the usual one. */
static void cluster_begin_with(cluster *c, const char *types)
{
    cluster_begin(c, 1, "");
    c->length = 0;
    add(c,
        "{\"apiVersion\":\"karp/v1\",\"kind\":\"Snapshot\",\"now\":\"2026-01-05T12:00:00Z\",\"settings\":{},"
        "\"catalogues\":[{\"instanceTypes\":[%s]}],"
        "\"objects\":[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"default\"}}",
        types);
}

/* D-Q11, where nothing is to be had as spot and nobody says so: a replacement that is narrowed to spot is one that
 * cannot be launched, and Karpenter counts it as free. */
static void test_no_spot(void **state)
{
#define ON_DEMAND(price) "\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"on-demand\",\"price\":" price "}]}"
    static const char *const catalogues[] = { SIZE("t01") ON_DEMAND("5") "," SIZE("t02") ON_DEMAND("3"),
                                              SIZE("t01") ON_DEMAND("5") "," SIZE("t02") ON_DEMAND("3") "," SIZE("t03")
                                                  OFFERS("4", "2") };
    cluster *c = *state;
    for (int sold = 0; sold < 2; sold++) {
        cluster_begin_with(c, catalogues[sold]);
        add_pool(c, "pool", "", ALL);
        add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
        add_pod(c, "one", "a", "1");
        cluster_ready(c);
        for (int flip = 0; flip < 2; flip++) {
            c->options.flip_quirks = flip ? QUIRK(11) : 0;
            decide(c, KARP_METHOD_SINGLE_NODE);
            expect_commands(c, "a");
            karp_launch l = launch_at(c, 0);
            const char *kind = sold ? "spot" : flip ? "on-demand" : "";
            assert_int_equal(l.choice.capacity_type.len, strlen(kind));
            assert_memory_equal(l.choice.capacity_type.ptr, kind, strlen(kind));
            assert_int_equal(l.instance_type_count, !flip ? (sold ? 2 : 1) : 1);
            /* Karpenter counts a replacement that nobody offers as free and deletes nothing in the end. */
            karp_command command = command_at(c, 0);
            assert_int_equal(command.replacement_unavailable, !sold && !flip);
            assert_true(command.savings == (sold ? 3.0 : flip ? 2.0 : 0.0));
            assert_true(karp_decision_cost_after(c->decision) == (sold ? 2.0 : flip ? 3.0 : 5.0));
            assert_int_equal(karp_decision_warning_count(c->decision), !sold && !flip);
        }
    }
}

/* What replaces a drifted node of a static pool is priced at the cheapest that is available; where nothing is, the
 * command saves nothing. */
static void test_static_replacement(void **state)
{
#define AVAILABLE(text)                                                                                                \
    SIZE("t01") "\"offerings\":[{\"zone\":\"z1\",\"capacityType\":\"on-demand\",\"price\":5,\"available\":" text "}]}"
    static const char *const catalogues[] = { AVAILABLE("true"), AVAILABLE("false") };
    cluster *c = *state;
    for (int sold = 0; sold < 2; sold++) {
        cluster_begin_with(c, catalogues[sold]);
        add_pool(c, "pool", ",\"replicas\":1", ALL);
        add_node(c, "a", 1, "on-demand", DRIFTED("03"));
        cluster_ready(c);
        decide(c, KARP_METHOD_STATIC_DRIFT);
        expect_commands(c, "a");
        karp_command command = command_at(c, 0);
        assert_int_equal(command.launch_count, 1);
        assert_int_equal(command.replacement_unavailable, sold);
        assert_true(command.savings == 0.0);
        assert_true(karp_decision_cost_after(c->decision) == 5.0);
        assert_true(launch_at(c, 0).choice.price == (sold ? 0.0 : 5.0));
        assert_int_equal(karp_decision_warning_count(c->decision), sold);
    }
}

/* D-Q22: a budget that wants as many pods as there are never lets one go; Karpenter starts a node for what will not
 * move. */
static void test_closed_budget(void **state)
{
    static const struct {
        const char *spec;
        bool closed;
    } rows[] = {
        { "\"minAvailable\":2", true },           { "\"minAvailable\":3", true },
        { "\"minAvailable\":1", false },          { "\"minAvailable\":\"51%\"", true },
        { "\"minAvailable\":\"50%\"", false },    { "\"maxUnavailable\":\"00%\"", true },
        { "\"maxUnavailable\":1", false },        { "\"maxUnavailable\":\"1%\"", false },
        { "\"maxUnavailable\":\"some\"", false },
    };
    cluster *c = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cluster_begin(c, 4, "");
        add_pool(c, "pool", "", ALL);
        add_node_with(c, "a", "pool", 2, "on-demand", DRIFTED("03"), ",\"terminationGracePeriod\":\"1h\"", "");
        add(c,
            ",{\"apiVersion\":\"policy/"
            "v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":\"b\",\"namespace\":\"default\"},\"spec\":{"
            "\"selector\":{\"matchLabels\":"
            "{\"app\":\"x\"}},%s},\"status\":{\"disruptionsAllowed\":0}}",
            rows[i].spec);
        add_pod_with(c, "one", "a", "1", ",\"labels\":{\"app\":\"x\"}", "");
        add_pod_with(c, "two", "a", "1", ",\"labels\":{\"app\":\"x\"}", "");
        add_pod_with(c, "ended", "a", "1", ",\"labels\":{\"app\":\"x\"},\"deletionTimestamp\":\"2026-01-05T11:59:00Z\"",
                     "");
        cluster_ready(c);
        decide(c, KARP_METHOD_DRIFT);
        assert_int_equal(command_at(c, 0).replaces, 1);
        c->options.flip_quirks = QUIRK(22);
        decide(c, KARP_METHOD_DRIFT);
        if (command_at(c, 0).replaces == rows[i].closed) fail_msg("%s", rows[i].spec);
        c->common.profile = KARP_PROFILE_KARP;
        decide(c, KARP_METHOD_DRIFT);
        assert_int_equal(command_at(c, 0).replaces, 1);
    }
}

/* ---- validation -------------------------------------------------------------------------------------------------- */

static void empty_nodes(cluster *c, const char *budget, const char *first, const char *second)
{
    char disruption[80];
    (void)snprintf(disruption, sizeof disruption, ",\"budgets\":[{\"nodes\":\"%s\"}]", budget);
    cluster_begin(c, 2, "");
    add_pool(c, "pool", "", disruption);
    add_node(c, "a", 2, "on-demand", first);
    add_node(c, "b", 1, "on-demand", second);
    cluster_ready(c);
}

static void expect_validation(cluster *c, karp_decision *d, uint32_t code, uint32_t kept_nodes,
                              const uint32_t *goes_expected, size_t nodes)
{
    uint32_t goes[8] = { 7, 7, 7, 7, 7, 7, 7, 7 };
    karp_validation v = { .size = sizeof v };
    assert_int_equal(karp_disrupt_validate(c->snapshot, &c->options, d, 0, goes, &v, &c->error), KARP_OK);
    if (v.code != code) fail_msg("%s", karp_reason_name(v.code));
    assert_int_equal(v.kept, kept_nodes);
    for (size_t i = 0; i < nodes; i++) assert_int_equal(goes[i], goes_expected[i]);
    assert_int_equal(karp_disrupt_validate(c->snapshot, &c->options, d, 0, NULL, &v, &c->error), KARP_OK);
}

static void test_validate_empty(void **state)
{
    cluster *c = *state;
    static const uint32_t both[] = { 1, 1 }, first[] = { 1, 0 }, second[] = { 0, 1 }, none[] = { 0, 0 };
    empty_nodes(c, "100%", CONSOLIDATABLE, CONSOLIDATABLE);
    decide(c, KARP_METHOD_EMPTINESS);
    expect_commands(c, "a b");
    karp_decision *d = karp_decision_ref(c->decision);
    expect_validation(c, d, KARP_REASON_NONE, 2, both, 2);
    karp_validation v = { .size = sizeof v };
    assert_int_equal(karp_disrupt_validate(c->snapshot, &c->options, d, 1, NULL, &v, &c->error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_disrupt_validate(NULL, &c->options, d, 0, NULL, &v, &c->error), KARP_E_INVALID);
    karp_decision_unref(d);
    /* The same command on other clusters: text is all that is compared. */
    static const struct {
        const char *budget, *first, *second;
        uint32_t code, kept;
        const uint32_t *goes;
    } rows[] = {
        { "100%", "", CONSOLIDATABLE, KARP_REASON_NONE, 1, second },
        { "1", CONSOLIDATABLE, CONSOLIDATABLE, KARP_REASON_NONE, 1, first },
        { "0", CONSOLIDATABLE, CONSOLIDATABLE, KARP_REASON_VALIDATION_BUDGET, 0, none },
        { "100%", "", "", KARP_REASON_CHURN, 0, none },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static cluster before;
        empty_nodes(&before, "100%", CONSOLIDATABLE, CONSOLIDATABLE);
        decide(&before, KARP_METHOD_EMPTINESS);
        empty_nodes(c, rows[i].budget, rows[i].first, rows[i].second);
        expect_validation(c, before.decision, rows[i].code, rows[i].kept, rows[i].goes, 2);
        void *state_of_before = &before;
        assert_int_equal(cluster_tear_down(&state_of_before), 0);
        memset(&before, 0, sizeof before);
    }
}

static void pair(cluster *c, int types, const char *cpu, const char *budget, const char *second)
{
    char disruption[80];
    (void)snprintf(disruption, sizeof disruption, ",\"budgets\":[{\"nodes\":\"%s\"}]", budget);
    cluster_begin(c, types, "");
    add_pool(c, "pool", "", disruption);
    add_node(c, "a", 3, "on-demand", CONSOLIDATABLE);
    add_node(c, "b", 3, "on-demand", second);
    add_pod(c, "one", "a", cpu);
    add_pod(c, "two", "b", cpu);
    cluster_ready(c);
}

static void test_validate_consolidation(void **state)
{
    cluster *c = *state;
    static const uint32_t both[] = { 1, 1 }, none[] = { 0, 0 };
    static const struct {
        int types;
        const char *cpu, *budget, *second;
        uint32_t code;
    } rows[] = {
        { 4, "3500m", "100%", CONSOLIDATABLE, KARP_REASON_NONE },
        { 4, "3", "100%", CONSOLIDATABLE, KARP_REASON_NONE }, /* more types would do now */
        { 3, "3500m", "100%", CONSOLIDATABLE, KARP_REASON_SCHEDULING }, /* the type is gone */
        { 4, "4500m", "100%", CONSOLIDATABLE, KARP_REASON_SCHEDULING }, /* two nodes would be needed */
        { 4, "2500m", "100%", CONSOLIDATABLE, KARP_REASON_NONE },
        { 4, "3500m", "1", CONSOLIDATABLE, KARP_REASON_VALIDATION_BUDGET },
        { 4, "3500m", "100%", "", KARP_REASON_CHURN },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static cluster before;
        pair(&before, 4, "3500m", "100%", CONSOLIDATABLE);
        decide(&before, KARP_METHOD_MULTI_NODE);
        expect_commands(&before, "a b");
        pair(c, rows[i].types, rows[i].cpu, rows[i].budget, rows[i].second);
        bool holds = rows[i].code == KARP_REASON_NONE;
        expect_validation(c, before.decision, rows[i].code, holds ? 2 : 0, holds ? both : none, 2);
        void *state_of_before = &before;
        assert_int_equal(cluster_tear_down(&state_of_before), 0);
        memset(&before, 0, sizeof before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replacement),    cmocka_unit_test(test_delete),
        cmocka_unit_test(test_worth),          cmocka_unit_test(test_reservation_price),
        cmocka_unit_test(test_closed_budget),  cmocka_unit_test(test_first_type),
        cmocka_unit_test(test_no_spot),        cmocka_unit_test(test_static_replacement),
        cmocka_unit_test(test_going),          cmocka_unit_test(test_falls_through),
        cmocka_unit_test(test_validate_empty), cmocka_unit_test(test_validate_consolidation),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
