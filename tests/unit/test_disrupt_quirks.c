/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every flag of karp_disrupt_options.flip_quirks, one question each: the answer is one thing with the quirk and another
 * without, whichever profile it is flipped in. That the flags are all there are is held against docs/conformance.md.
 */
#include "quirk_list.h"

#include <support/advising.h>

#include <karp/command.h>
#include <karp/lifecycle.h>
#include <karp/passes.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"
#define RESERVATION "karpenter.k8s.aws/capacity-reservation-id"
#define SECOND INT64_C(1000000000)

static const int64_t noon = INT64_C(1767614400) * SECOND; /* 2026-01-05T12:00:00Z */

/* What the decision is about: its commands, what they save and what they launch. */
static void words(const cluster *c, char *out, size_t room)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < karp_decision_command_count(c->decision); i++) {
        karp_command k = command_at(c, i);
        n += (size_t)snprintf(out + n, room - n, "%zu nodes from %.*s for %g, %zu launches; ", k.node_count,
                              (int)k.nodes[0].len, k.nodes[0].ptr, k.savings, k.launch_count);
    }
}

static void ask(cluster *c, uint32_t method, char *out, size_t room)
{
    decide(c, method);
    words(c, out, room);
}

static void one_empty(cluster *c, const char *budgets)
{
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", budgets);
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    cluster_ready(c);
}

/* ---- one world and one question a flag --------------------------------------------------------------------------- */

static void never_open(cluster *c)
{
    one_empty(c, ",\"budgets\":[{\"nodes\":\"0\",\"schedule\":\"0 0 30 2 *\",\"duration\":\"1h\"}]");
}
static void broken_budget(cluster *c) { one_empty(c, ",\"budgets\":[{\"nodes\":\"many\",\"reasons\":[\"Drifted\"]}]"); }

static void ask_emptiness(cluster *c, char *out, size_t room) { ask(c, KARP_METHOD_EMPTINESS, out, room); }
static void ask_drift(cluster *c, char *out, size_t room) { ask(c, KARP_METHOD_DRIFT, out, room); }
static void ask_single(cluster *c, char *out, size_t room) { ask(c, KARP_METHOD_SINGLE_NODE, out, room); }
static void ask_multi(cluster *c, char *out, size_t room) { ask(c, KARP_METHOD_MULTI_NODE, out, room); }

static void many_nodes(cluster *c, int count, const char *capacity_type, const char *cpu)
{
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    for (int i = 0; i < count; i++) {
        char node[16], pod[16];
        (void)snprintf(node, sizeof node, "n%03d", i);
        (void)snprintf(pod, sizeof pod, "p%03d", i);
        add_node(c, node, 1, capacity_type, CONSOLIDATABLE);
        add_pod(c, pod, node, cpu);
    }
}

static void over_a_hundred(cluster *c)
{
    many_nodes(c, 102, "on-demand", "1");
    add_refuge(c);
    cluster_ready(c);
}

static void nothing_cheaper(cluster *c)
{
    many_nodes(c, 5, "spot", "2");
    cluster_ready(c);
}

/* Ended after one simulation that found nothing: what is remembered of it. */
static void ask_memory(cluster *c, char *out, size_t room)
{
    karp_memory memory;
    karp_memory_init(&memory, sizeof memory);
    c->options.memory = &memory;
    c->options.max_simulations = 1;
    decide(c, KARP_METHOD_MULTI_NODE);
    c->options.memory = NULL;
    c->options.max_simulations = 0;
    assert_int_equal(karp_decision_memory(c->decision, &memory), KARP_OK);
    (void)snprintf(out, room, "%lld", (long long)memory.multi_node_mark);
}

static void free_pod(cluster *c)
{
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_pod_with(c, "batch", "a", "1",
                 ",\"annotations\":{\"controller.kubernetes.io/pod-deletion-cost\":\"-134217728\"}", "");
    cluster_ready(c);
}

/* A Snapshot with these instance types instead of the usual ones. */
static void begin_with(cluster *c, const char *members, const char *types)
{
    cluster_begin(c, 1, "");
    c->length = 0;
    add(c,
        "{\"apiVersion\":\"karp/"
        "v1\",\"kind\":\"Snapshot\",\"now\":\"2026-01-05T12:00:00Z\"%s,\"catalogues\":[{\"instanceTypes\":[%s]}],"
        "\"objects\":[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"default\"}}",
        members, types);
    add_pool(c, "pool", "", ALL);
}

#define TYPE(name, offerings)                                                                                          \
    "{\"name\":\"" name "\",\"labels\":{\"kubernetes.io/"                                                              \
    "arch\":[\"amd64\"]},\"capacity\":{\"cpu\":\"4\",\"memory\":\"64Gi\",\"pods\":\"110\"},\"offerings\":[" offerings  \
    "]}"
#define OFFER(kind, price, more) "{\"zone\":\"z1\",\"capacityType\":\"" kind "\",\"price\":" price more "}"

static void two_reservations(cluster *c)
{
    begin_with(c, ",\"labels\":{\"wellKnown\":[\"" RESERVATION "\"],\"reservationID\":\"" RESERVATION "\"}",
               TYPE("t01", OFFER("reserved", "0.5", ",\"reservationID\":\"r1\",\"reservationCapacity\":1") "," OFFER(
                               "reserved", "0.25", ",\"reservationID\":\"r2\",\"reservationCapacity\":1")));
    add_node(c, "a", 1, "reserved\",\"" RESERVATION "\":\"r2", CONSOLIDATABLE);
    cluster_ready(c);
}

static void no_spot(cluster *c)
{
    begin_with(c, "", TYPE("t01", OFFER("on-demand", "5", "")) "," TYPE("t02", OFFER("on-demand", "3", "")));
    add_node(c, "a", 1, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a", "1");
    cluster_ready(c);
}

static void on_a_node_of(cluster *c, int type)
{
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", type, "on-demand", CONSOLIDATABLE);
    add_pod(c, "one", "a", "1");
    cluster_ready(c);
}

static void small_node(cluster *c) { on_a_node_of(c, 1); }

/* A command of when the node was a big one. */
static void ask_validation(cluster *c, char *out, size_t room)
{
    static cluster before;
    karp_validation v = { .size = sizeof v };
    on_a_node_of(&before, 4);
    decide(&before, KARP_METHOD_SINGLE_NODE);
    expect_commands(&before, "a");
    assert_int_equal(karp_disrupt_validate(c->snapshot, &c->options, before.decision, 0, NULL, &v, &c->error), KARP_OK);
    (void)snprintf(out, room, "%s", karp_reason_name(v.code));
    void *done = &before;
    assert_int_equal(cluster_tear_down(&done), 0);
    memset(&before, 0, sizeof before);
}

static void ask_pod_events(cluster *c, char *out, size_t room)
{
    karp_advice *a = NULL;
    assert_int_equal(karp_advise_pod_events(NULL, c->snapshot, &c->options, &a, &c->error), KARP_OK);
    advice_words(a, out, room);
    karp_advice_free(a);
}

static void timed_node(cluster *c)
{
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node_with(c, "a", "pool", 1, "on-demand", CONSOLIDATABLE, "", ",\"karpenter.sh/do-not-disrupt\":\"200h\"");
    cluster_ready(c);
}

static void closed_budget(cluster *c)
{
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    add_node_with(c, "a", "pool", 2, "on-demand", DRIFTED("03"), ",\"terminationGracePeriod\":\"1h\"", "");
    add(c, ",{\"apiVersion\":\"policy/"
           "v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":\"b\",\"namespace\":\"default\"},\"spec\":{"
           "\"selector\":{},"
           "\"minAvailable\":1},\"status\":{\"disruptionsAllowed\":0}}");
    add_pod(c, "one", "a", "1");
    cluster_ready(c);
}

/* A drifted node, and the NodeClaim of one of two replacements. */
static void replacing(cluster *c)
{
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "big", 4, "on-demand", DRIFTED("02"));
    add_pod(c, "one", "big", "1500m");
    add_pod(c, "two", "big", "1500m");
    add(c, ",{\"apiVersion\":\"karpenter.sh/"
           "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"new\",\"labels\":{\"karpenter.sh/"
           "nodepool\":\"pool\"}},\"spec\":{\"nodeClassRef\":"
           "{\"group\":\"g\",\"kind\":\"k\",\"name\":\"n\"},\"requirements\":[]},\"status\":{\"conditions\":[{\"type\":"
           "\"Initialized\",\"status\":\"True\"}]}}");
    cluster_ready(c);
}

/* A command on its way, one step on. */
static void step_on(cluster *c, uint32_t phase, size_t replacements, const karp_observation *seen, char *out,
                    size_t room)
{
    decide(c, KARP_METHOD_DRIFT);
    karp_launch launches[2] = { launch_at(c, 0), launch_at(c, 1) };
    const karp_command_node node = { { "big", 3 }, { "claim-big", 9 } };
    const karp_replacement r[2] = { { &launches[0], { "new", 3 }, KARP_REPLACEMENT_CREATED, 0 },
                                    { &launches[1], { "", 0 }, KARP_REPLACEMENT_WANTED, 0 } };
    const karp_command_state s = { .size = sizeof s,
                                   .method = KARP_METHOD_DRIFT,
                                   .phase = phase,
                                   .decided = noon,
                                   .validate_at = KARP_NO_TIME,
                                   .started = phase == KARP_COMMAND_PHASE_WAITING ? noon : KARP_NO_TIME,
                                   .nodes = &node,
                                   .node_count = 1,
                                   .replacements = r,
                                   .replacement_count = replacements };
    karp_command_state next = { .size = sizeof next };
    karp_step *step = NULL;
    c->common.now = noon + 601 * SECOND;
    assert_int_equal(karp_command_step(c->snapshot, &s, &c->options, seen, seen != NULL, &step, &c->error), KARP_OK);
    c->common.now = 0;
    assert_int_equal(karp_step_state(step, &next), KARP_OK);
    int n = snprintf(out, room, "%s: ", karp_phase_name(next.phase));
    advice_words(karp_step_advice(step), out + n, room - (size_t)n);
    karp_step_free(step);
}

static void ask_late(cluster *c, char *out, size_t room) { step_on(c, KARP_COMMAND_PHASE_WAITING, 1, NULL, out, room); }

static void ask_not_created(cluster *c, char *out, size_t room)
{
    const karp_observation failed = { KARP_OBSERVED_NOT_CREATED, 1, { "", 0 } };
    step_on(c, KARP_COMMAND_PHASE_LAUNCHING, 2, &failed, out, room);
}

static const struct question {
    uint32_t quirk;
    void (*build)(cluster *c);
    void (*ask)(cluster *c, char *out, size_t room);
} questions[] = {
    { 1, never_open, ask_emptiness },        { 2, broken_budget, ask_emptiness }, { 3, over_a_hundred, ask_multi },
    { 4, nothing_cheaper, ask_memory },      { 7, replacing, ask_late },          { 8, free_pod, ask_emptiness },
    { 10, two_reservations, ask_emptiness }, { 11, no_spot, ask_single },         { 12, small_node, ask_validation },
    { 15, small_node, ask_pod_events },      { 21, timed_node, ask_emptiness },   { 22, closed_budget, ask_drift },
    { 23, replacing, ask_not_created },
};

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void test_each_changes_its_answer(void **state)
{
    cluster *c = *state;
    char answers[2][2][4096];
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *q = &questions[i];
        q->build(c);
        for (int profile = 0; profile < 2; profile++) {
            for (int flip = 0; flip < 2; flip++) {
                c->common.profile = profile ? KARP_PROFILE_KARP : KARP_PROFILE_KARPENTER;
                c->options.flip_quirks = flip ? UINT64_C(1) << (q->quirk - 1) : 0;
                q->ask(c, answers[profile][flip], sizeof answers[profile][flip]);
            }
            if (strcmp(answers[profile][0], answers[profile][1]) == 0)
                fail_msg("D-Q%u: always %s", (unsigned)q->quirk, answers[profile][0]);
        }
        assert_string_equal(answers[KARP_PROFILE_KARPENTER][0], answers[KARP_PROFILE_KARP][1]);
        assert_string_equal(answers[KARP_PROFILE_KARPENTER][1], answers[KARP_PROFILE_KARP][0]);
    }
}

/* The other flags change none of these answers. */
static void test_others_change_nothing(void **state)
{
    cluster *c = *state;
    char usual[4096], got[4096];
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *q = &questions[i];
        if (q->quirk == 3) continue; /* a hundred nodes, sixty times */
        q->build(c);
        q->ask(c, usual, sizeof usual);
        for (uint32_t n = 1; n <= 64; n++) {
            bool asked = false;
            for (size_t k = 0; k < sizeof questions / sizeof *questions; k++) asked = asked || questions[k].quirk == n;
            if (asked) continue;
            c->options.flip_quirks = UINT64_C(1) << (n - 1);
            q->ask(c, got, sizeof got);
            if (strcmp(got, usual) != 0)
                fail_msg("flag %u changes what D-Q%u is asked for", (unsigned)n, (unsigned)q->quirk);
        }
    }
}

static void test_all_are_asked(void **state)
{
    (void)state;
    uint64_t asked = 0;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) asked |= UINT64_C(1) << (questions[i].quirk - 1);
    assert_true(asked == quirks_documented('D'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_changes_its_answer),
        cmocka_unit_test(test_others_change_nothing),
        cmocka_unit_test(test_all_are_asked),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
