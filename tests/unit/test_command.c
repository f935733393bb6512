/* SPDX-License-Identifier: Apache-2.0 */
/* Carrying commands out, step by step: every way from one phase to another, and what is advised on it. */
#include <support/advising.h>

#include <karp/command.h>
#include <karp/io.h>

#define ALL ",\"budgets\":[{\"nodes\":\"100%\"}]"
#define UP ",{\"type\":\"Initialized\",\"status\":\"True\"}"
#define SECOND INT64_C(1000000000)

static const int64_t noon = INT64_C(1767614400) * SECOND; /* 2026-01-05T12:00:00Z */

/* A command on its way through several snapshots: `last` is its newest step. */
typedef struct journey {
    cluster worlds[3]; /* [0] is the one it was decided on */
    karp_step *last;
    karp_options common; /* of `options` */
    karp_disrupt_options options;
    karp_error error;
    karp_context *safe; /* of the documents that states become between steps */
} journey;

static int journey_begin(void **state)
{
    static journey j;
    memset(&j, 0, sizeof j);
    karp_options_init(&j.common, sizeof j.common);
    karp_disrupt_options_init(&j.options, sizeof j.options);
    j.options.common = &j.common;
    karp_error_init(&j.error, sizeof j.error);
    assert_int_equal(karp_context_new(NULL, &j.safe, NULL), KARP_OK);
    *state = &j;
    return 0;
}

static int journey_end(void **state)
{
    journey *j = *state;
    int result = 0;
    karp_step_free(j->last);
    karp_context_unref(j->safe);
    for (size_t i = 0; i < sizeof j->worlds / sizeof *j->worlds; i++) {
        void *world = &j->worlds[i];
        if (cluster_tear_down(&world) != 0) result = -1;
    }
    return result;
}

static karp_str text(const char *t) { return (karp_str){ t, strlen(t) }; }

static karp_command_state now_of(const journey *j)
{
    karp_command_state s = { .size = sizeof s };
    assert_int_equal(karp_step_state(j->last, &s), KARP_OK);
    return s;
}

static void expect(const journey *j, uint32_t phase, uint32_t reason, const char *advice)
{
    char got[4096];
    karp_command_state s = now_of(j);
    assert_string_equal(karp_phase_name(s.phase), karp_phase_name(phase));
    assert_string_equal(karp_reason_name(s.reason), karp_reason_name(reason));
    advice_words(karp_step_advice(j->last), got, sizeof got);
    assert_string_equal(got, advice);
    assert_int_equal(karp_advice_finished(karp_step_advice(j->last)), phase >= KARP_COMMAND_PHASE_DONE);
}

static void begin(journey *j, size_t command)
{
    karp_step_free(j->last);
    j->last = NULL;
    assert_int_equal(karp_command_begin(j->worlds[0].decision, command, &j->last, &j->error), KARP_OK);
}

static karp_command_document *reread(const journey *j, karp_text written)
{
    karp_error error;
    karp_command_document *d = NULL;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_command_read(j->safe, text("command"), (karp_str){ written.ptr, written.len }, &d,
                                           &error);
    if (status != KARP_OK) print_message("%s: %s\n%s", error.field, error.message, written.ptr);
    assert_int_equal(status, KARP_OK);
    return d;
}

/* The state as one finds it again in a document: written, read, and the same when it is written again. */
static karp_command_document *kept_state(const journey *j, const karp_command_state *s)
{
    karp_text first = { NULL, 0, NULL }, second = { NULL, 0, NULL };
    assert_int_equal(karp_write_command(j->safe, s, NULL, &first, NULL), KARP_OK);
    karp_command_document *d = reread(j, first);
    assert_int_equal(karp_write_command(j->safe, karp_command_document_state(d), NULL, &second, NULL), KARP_OK);
    assert_string_equal(second.ptr, first.ptr);
    karp_text_free(&first);
    karp_text_free(&second);
    return d;
}

/* One step on a world, `seconds` after noon, with an observation when kind is not 0. */
static void step(journey *j, int world, int64_t seconds, uint32_t kind, const char *object)
{
    karp_step *next = NULL;
    karp_command_state s = now_of(j);
    karp_observation seen = { .kind = kind, .object = text(object) };
    j->common.now = noon + seconds * SECOND;
    karp_command_document *kept_ = kept_state(j, &s);
    karp_status status = karp_command_step(j->worlds[world].snapshot, karp_command_document_state(kept_), &j->options,
                                           kind != 0 ? &seen : NULL, kind != 0, &next, &j->error);
    karp_command_document_free(kept_);
    if (status != KARP_OK) print_message("%s\n", j->error.message);
    assert_int_equal(status, KARP_OK);
    karp_step_free(j->last);
    j->last = next;
}

static void empty_pair(cluster *c, const char *budget, bool first, bool second)
{
    char disruption[80];
    (void)snprintf(disruption, sizeof disruption, ",\"budgets\":[{\"nodes\":\"%s\"}]", budget);
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", disruption);
    if (first) add_node(c, "a", 4, "on-demand", CONSOLIDATABLE);
    if (second) add_node(c, "b", 1, "on-demand", CONSOLIDATABLE);
    cluster_ready(c);
}

/* Two nodes that one cheaper one can replace; a third has room for a pod of theirs. */
static void add_full_pair(cluster *c)
{
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", ALL);
    add_node(c, "a", 3, "on-demand", CONSOLIDATABLE);
    add_node(c, "b", 3, "on-demand", CONSOLIDATABLE);
    add_node(c, "c", 2, "on-demand", "");
    add_pod(c, "one", "a", "3500m");
    add_pod(c, "two", "b", "3500m");
    add_pod(c, "three", "b", "1500m");
    add_pod(c, "four", "c", "2500m");
}

static void full_pair(cluster *c)
{
    add_full_pair(c);
    cluster_ready(c);
}

static void pair_with_claim(cluster *c, const char *claim, const char *conditions)
{
    add_full_pair(c);
    add(c,
        ",{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"%s\",\"labels\":{\"karpenter.sh/"
        "nodepool\":\"pool\"}},\"spec\":{\"nodeClassRef\":"
        "{\"group\":\"g\",\"kind\":\"k\",\"name\":\"n\"},\"requirements\":[]},\"status\":{\"conditions\":[{\"type\":"
        "\"Launched\",\"status\":\"True\"}%s]}}",
        claim, conditions);
    cluster_ready(c);
}

/* To the phase in which the replacement is awaited: created at 12:00:16. */
static void wait_for_replacement(journey *j)
{
    karp_step_free(j->last);
    j->last = NULL;
    full_pair(&j->worlds[0]);
    decide(&j->worlds[0], KARP_METHOD_MULTI_NODE);
    expect_commands(&j->worlds[0], "a b");
    begin(j, 0);
    step(j, 0, 15, 0, "");
    step(j, 0, 15, 0, "");
    step(j, 0, 16, KARP_OBSERVED_CREATED, "pool-x");
}

#define TAINT(n) "taint " n " karpenter.sh/disrupted; set claim-" n " DisruptionReason="
#define UNTAINT(n) "untaint " n " karpenter.sh/disrupted; clear claim-" n " DisruptionReason; unmark " n

/* ---- deleting ---------------------------------------------------------------------------------------------------- */

static void test_delete(void **state)
{
    journey *j = *state;
    empty_pair(&j->worlds[0], "100%", true, true);
    decide(&j->worlds[0], KARP_METHOD_EMPTINESS);
    begin(j, 0);
    expect(j, KARP_COMMAND_PHASE_VALIDATING, 0, "again 2026-01-05T12:00:15Z");
    karp_command_state s = now_of(j);
    assert_true(s.decided == noon && s.validate_at == noon + 15 * SECOND && s.started == KARP_NO_TIME &&
                s.savings == 5.0);
    assert_int_equal(s.node_count, 2);
    assert_memory_equal(s.nodes[0].claim.ptr, "claim-a", 8);
    step(j, 0, 14, 0, "");
    expect(j, KARP_COMMAND_PHASE_VALIDATING, 0, "again 2026-01-05T12:00:15Z");
    step(j, 0, 15, 0, "");
    expect(j, KARP_COMMAND_PHASE_STARTING, 0, TAINT("a") "Empty; " TAINT("b") "Empty; again 2026-01-05T12:00:15Z");
    step(j, 0, 16, 0, "");
    expect(j, KARP_COMMAND_PHASE_DELETING, 0,
           "mark a; mark b; delete claim-a=Empty; delete claim-b=Empty; again 2026-01-05T12:00:16Z");
    assert_true(now_of(j).started == noon + 16 * SECOND);
    step(j, 0, 17, KARP_OBSERVED_FAILED, "claim-b");
    expect(j, KARP_COMMAND_PHASE_DELETING, 0, "delete claim-b=Empty; again 2026-01-05T12:00:18Z");
    step(j, 0, 18, 0, "");
    expect(j, KARP_COMMAND_PHASE_DONE, 0, "");
    step(j, 0, 900, 0, "");
    expect(j, KARP_COMMAND_PHASE_DONE, 0, "");
}

/* What failed because the claim is gone has succeeded. */
static void test_delete_of_what_is_gone(void **state)
{
    journey *j = *state;
    empty_pair(&j->worlds[0], "100%", true, true);
    empty_pair(&j->worlds[1], "100%", true, false);
    decide(&j->worlds[0], KARP_METHOD_EMPTINESS);
    begin(j, 0);
    step(j, 0, 15, 0, "");
    step(j, 1, 16, 0, "");
    expect(j, KARP_COMMAND_PHASE_DELETING, 0, "mark a; delete claim-a=Empty; again 2026-01-05T12:00:16Z");
    step(j, 1, 17, KARP_OBSERVED_FAILED, "claim-b");
    expect(j, KARP_COMMAND_PHASE_DONE, 0, "");
}

static void test_validation_shrinks(void **state)
{
    journey *j = *state;
    empty_pair(&j->worlds[0], "100%", true, true);
    empty_pair(&j->worlds[1], "1", true, true);
    decide(&j->worlds[0], KARP_METHOD_EMPTINESS);
    begin(j, 0);
    step(j, 1, 20, 0, "");
    expect(j, KARP_COMMAND_PHASE_STARTING, 0, TAINT("a") "Empty; again 2026-01-05T12:00:20Z");
    assert_int_equal(now_of(j).node_count, 1);
}

static void test_validation_fails(void **state)
{
    journey *j = *state;
    empty_pair(&j->worlds[0], "100%", true, true);
    empty_pair(&j->worlds[1], "0", true, true);
    empty_pair(&j->worlds[2], "100%", false, false);
    decide(&j->worlds[0], KARP_METHOD_EMPTINESS);
    begin(j, 0);
    step(j, 1, 15, 0, "");
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_VALIDATION_BUDGET, "");
    begin(j, 0);
    step(j, 2, 15, 0, "");
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_CHURN, "");
    step(j, 0, 16, 0, "");
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_CHURN, "");
}

static void test_taint_fails(void **state)
{
    journey *j = *state;
    empty_pair(&j->worlds[0], "100%", true, true);
    decide(&j->worlds[0], KARP_METHOD_EMPTINESS);
    begin(j, 0);
    step(j, 0, 15, 0, "");
    step(j, 0, 16, KARP_OBSERVED_FAILED, "a");
    expect(j, KARP_COMMAND_PHASE_DELETING, 0, "mark b; delete claim-b=Empty; again 2026-01-05T12:00:16Z");
    /* The condition counts like the taint; with nobody left there is no command. */
    karp_command_state s;
    begin(j, 0);
    step(j, 0, 15, 0, "");
    s = now_of(j);
    const karp_observation both[] = { { KARP_OBSERVED_FAILED, 0, text("a") },
                                      { KARP_OBSERVED_FAILED, 0, text("claim-b") } };
    karp_step *next = NULL;
    assert_int_equal(karp_command_step(j->worlds[0].snapshot, &s, &j->options, both, 2, &next, &j->error), KARP_OK);
    karp_step_free(j->last);
    j->last = next;
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_NOT_STARTED, "");
}

static void test_in_queue(void **state)
{
    journey *j = *state;
    static const karp_str others[] = { { "z", 1 }, { "b", 1 } };
    empty_pair(&j->worlds[0], "100%", true, true);
    decide(&j->worlds[0], KARP_METHOD_EMPTINESS);
    begin(j, 0);
    j->options.in_progress = others;
    j->options.in_progress_count = 2;
    step(j, 0, 15, 0, ""); /* the validation drops b already: it is no candidate */
    expect(j, KARP_COMMAND_PHASE_STARTING, 0, TAINT("a") "Empty; again 2026-01-05T12:00:15Z");
    cluster_begin(&j->worlds[1], 4, "");
    add_pool(&j->worlds[1], "pool", "", ALL);
    add_node(&j->worlds[1], "b", 2, "on-demand", DRIFTED("02"));
    cluster_ready(&j->worlds[1]);
    decide(&j->worlds[1], KARP_METHOD_DRIFT);
    karp_step_free(j->last);
    assert_int_equal(karp_command_begin(j->worlds[1].decision, 0, &j->last, &j->error), KARP_OK);
    step(j, 1, 0, 0, "");
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_IN_QUEUE, "");
}

/* ---- replacing --------------------------------------------------------------------------------------------------- */

static void test_replace(void **state)
{
    journey *j = *state;
    full_pair(&j->worlds[0]);
    decide(&j->worlds[0], KARP_METHOD_MULTI_NODE);
    expect_commands(&j->worlds[0], "a b");
    begin(j, 0);
    step(j, 0, 15, 0, "");
    expect(j, KARP_COMMAND_PHASE_STARTING, 0,
           TAINT("a") "Underutilized; " TAINT("b") "Underutilized; again 2026-01-05T12:00:15Z");
    step(j, 0, 15, 0, "");
    expect(j, KARP_COMMAND_PHASE_LAUNCHING, 0, "launch pool new-1; again 2026-01-05T12:00:15Z");
    /* Nothing was heard of it. */
    step(j, 0, 16, 0, "");
    expect(j, KARP_COMMAND_PHASE_LAUNCHING, 0, "launch pool new-1; again 2026-01-05T12:00:17Z");
    step(j, 0, 17, KARP_OBSERVED_CREATED, "pool-x");
    expect(j, KARP_COMMAND_PHASE_WAITING, 0, "mark a; mark b; nominate c; again 2026-01-05T12:00:18Z");
    karp_command_state s = now_of(j);
    assert_true(s.started == noon + 17 * SECOND && s.replacements[0].progress == KARP_REPLACEMENT_CREATED);
    assert_memory_equal(s.replacements[0].claim.ptr, "pool-x", 7);
    const karp_launch *l = s.replacements[0].launch;
    assert_true(l->instance_type_count > 0 && l->claim_requirement_count > 0 && l->pod_count == 0 &&
                l->choice.price == 2.0);
    /* Not there yet, there, up. */
    step(j, 0, 18, 0, "");
    expect(j, KARP_COMMAND_PHASE_WAITING, 0, "again 2026-01-05T12:00:19Z");
    pair_with_claim(&j->worlds[1], "pool-x", "");
    step(j, 1, 19, 0, "");
    expect(j, KARP_COMMAND_PHASE_WAITING, 0, "again 2026-01-05T12:00:20Z");
    assert_int_equal(now_of(j).replacements[0].progress, KARP_REPLACEMENT_SEEN);
    pair_with_claim(&j->worlds[2], "pool-x", UP);
    step(j, 2, 20, 0, "");
    expect(j, KARP_COMMAND_PHASE_DELETING, 0,
           "delete claim-a=Underutilized; delete claim-b=Underutilized; again 2026-01-05T12:00:20Z");
    step(j, 2, 21, 0, "");
    expect(j, KARP_COMMAND_PHASE_DONE, 0, "");
}

static void test_replacement_fails(void **state)
{
    journey *j = *state;
    for (int profile = 0; profile < 2; profile++) {
        full_pair(&j->worlds[0]);
        decide(&j->worlds[0], KARP_METHOD_MULTI_NODE);
        begin(j, 0);
        j->common.profile = profile ? KARP_PROFILE_KARP : KARP_PROFILE_KARPENTER;
        step(j, 0, 15, 0, "");
        /* A node of a command with replacements must not fail. */
        karp_command_state s = now_of(j);
        karp_observation failed = { KARP_OBSERVED_FAILED, 0, text("b") };
        karp_step *other = NULL;
        assert_int_equal(karp_command_step(j->worlds[0].snapshot, &s, &j->options, &failed, 1, &other, &j->error),
                         KARP_OK);
        s = (karp_command_state){ .size = sizeof s };
        assert_int_equal(karp_step_state(other, &s), KARP_OK);
        assert_int_equal(s.reason, KARP_REASON_NOT_STARTED);
        assert_int_equal(karp_advice_action_count(karp_step_advice(other)), 0);
        karp_step_free(other);
        step(j, 0, 16, 0, "");
        step(j, 0, 17, KARP_OBSERVED_NOT_CREATED, "");
        expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_REPLACEMENT_NOT_CREATED,
               profile ? "untaint a karpenter.sh/disrupted; clear claim-a DisruptionReason; untaint b "
                         "karpenter.sh/disrupted; clear claim-b DisruptionReason"
                       : "");
        karp_step_free(j->last);
        j->last = NULL;
    }
}

/* D-Q23: of several replacements those that were created stay when one fails. */
static void test_some_created(void **state)
{
    journey *j = *state;
    for (int profile = 0; profile < 2; profile++) {
        cluster *c = &j->worlds[0];
        cluster_begin(c, 1, "");
        add_pool(c, "pool", "", ALL);
        add_node(c, "big", 4, "on-demand", DRIFTED("02"));
        add_pod(c, "one", "big", "1500m");
        add_pod(c, "two", "big", "1500m");
        cluster_ready(c);
        decide(c, KARP_METHOD_DRIFT);
        begin(j, 0);
        expect(j, KARP_COMMAND_PHASE_VALIDATING, 0, "again 2026-01-05T12:00:00Z");
        j->common.profile = profile ? KARP_PROFILE_KARP : KARP_PROFILE_KARPENTER;
        step(j, 0, 0, 0, "");
        expect(j, KARP_COMMAND_PHASE_STARTING, 0, TAINT("big") "Drifted; again 2026-01-05T12:00:00Z");
        step(j, 0, 1, 0, "");
        expect(j, KARP_COMMAND_PHASE_LAUNCHING, 0,
               "launch pool new-1; launch pool new-2 1; again 2026-01-05T12:00:01Z");
        step(j, 0, 2, KARP_OBSERVED_CREATED, "pool-x");
        expect(j, KARP_COMMAND_PHASE_LAUNCHING, 0, "launch pool new-2 1; again 2026-01-05T12:00:03Z");
        karp_command_state s = now_of(j);
        karp_observation failed = { KARP_OBSERVED_NOT_CREATED, 1, text("") };
        karp_step *next = NULL;
        assert_int_equal(karp_command_step(c->snapshot, &s, &j->options, &failed, 1, &next, &j->error), KARP_OK);
        karp_step_free(j->last);
        j->last = next;
        expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_REPLACEMENT_NOT_CREATED,
               profile ? "delete pool-x=REPLACEMENT_NOT_CREATED; untaint big karpenter.sh/disrupted; clear claim-big "
                         "DisruptionReason"
                       : "");
        karp_step_free(j->last);
        j->last = NULL;
    }
}

/* Two commands of one decision are two values: one is done, given up or forgotten without the other's knowing. */
static void test_side_by_side(void **state)
{
    journey *j = *state;
    cluster *c = &j->worlds[0];
    cluster_begin(c, 1, "");
    add_pool(c, "pool", ",\"replicas\":2", ALL);
    add_node(c, "a", 1, "on-demand", DRIFTED("02"));
    add_node(c, "b", 1, "on-demand", DRIFTED("03"));
    cluster_ready(c);
    decide(c, KARP_METHOD_STATIC_DRIFT);
    expect_commands(c, "a | b");
    begin(j, 0);
    karp_step *first = j->last;
    j->last = NULL;
    begin(j, 1);
    step(j, 0, 0, 0, "");
    step(j, 0, 1, 0, "");
    step(j, 0, 2, KARP_OBSERVED_NOT_CREATED, "");
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_REPLACEMENT_NOT_CREATED, "");
    karp_step_free(j->last);
    j->last = first;
    expect(j, KARP_COMMAND_PHASE_VALIDATING, 0, "again 2026-01-05T12:00:00Z");
    step(j, 0, 3, 0, "");
    step(j, 0, 3, 0, "");
    step(j, 0, 4, KARP_OBSERVED_CREATED, "pool-x");
    assert_int_equal(now_of(j).phase, KARP_COMMAND_PHASE_WAITING);
}

static void test_replacement_gone(void **state)
{
    journey *j = *state;
    pair_with_claim(&j->worlds[1], "pool-x", "");
    wait_for_replacement(j);
    step(j, 1, 17, 0, "");
    step(j, 0, 18, 0, ""); /* it was seen, and is no more */
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_REPLACEMENT_GONE, UNTAINT("a") "; " UNTAINT("b"));
    /* Gone before any snapshot had it: only the caller knows. */
    wait_for_replacement(j);
    step(j, 0, 17, KARP_OBSERVED_GONE, "pool-x");
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_REPLACEMENT_GONE, UNTAINT("a") "; " UNTAINT("b"));
}

/* The limit is ten minutes and more than that for thousands of nodes, an hour at most; it is passed, not reached. */
static void test_time_limit(void **state)
{
    journey *j = *state;
    static karp_str many[60000];
    static const struct {
        size_t others;
        int64_t limit;
    } rows[] = { { 0, 600 }, { 7497, 600 }, { 7523, 602 }, { 20000, 1600 }, { 60000, 3600 } };
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) many[i] = text("other");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        j->options.in_progress = NULL;
        j->options.in_progress_count = 0;
        wait_for_replacement(j);
        j->options.in_progress = many;
        j->options.in_progress_count = rows[i].others;
        step(j, 0, 16 + rows[i].limit, 0, "");
        assert_int_equal(now_of(j).phase, KARP_COMMAND_PHASE_WAITING);
        step(j, 0, 16 + rows[i].limit + 1, 0, "");
        expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_TIMED_OUT, UNTAINT("a") "; " UNTAINT("b"));
    }
}

/* D-Q7: success that comes late is taken back. */
static void test_late_success(void **state)
{
    journey *j = *state;
    pair_with_claim(&j->worlds[2], "pool-x", UP);
    wait_for_replacement(j);
    step(j, 2, 617, 0, "");
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_TIMED_OUT,
           "delete claim-a=Underutilized; delete claim-b=Underutilized; " UNTAINT("a") "; " UNTAINT("b"));
    wait_for_replacement(j);
    j->options.flip_quirks = 1u << 6;
    step(j, 2, 617, 0, "");
    expect(j, KARP_COMMAND_PHASE_DELETING, 0,
           "delete claim-a=Underutilized; delete claim-b=Underutilized; again 2026-01-05T12:10:17Z");
    step(j, 2, 618, KARP_OBSERVED_FAILED, "claim-a");
    expect(j, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_TIMED_OUT, UNTAINT("a") "; " UNTAINT("b"));
}

/* ---- what cannot be ---------------------------------------------------------------------------------------------- */

static karp_status try(const journey *j, const karp_command_state *s, const karp_observation *seen, size_t count)
{
    karp_step *next = NULL;
    karp_status status = karp_command_step(j->worlds[0].snapshot, s, &j->options, seen, count, &next, NULL);
    karp_step_free(next);
    return status;
}

static void test_wrong(void **state)
{
    journey *j = *state;
    karp_step *next = NULL;
    empty_pair(&j->worlds[0], "100%", true, true);
    decide(&j->worlds[0], KARP_METHOD_EMPTINESS);
    assert_int_equal(karp_command_begin(j->worlds[0].decision, 1, &next, NULL), KARP_E_NOT_FOUND);
    assert_int_equal(karp_command_begin(NULL, 0, &next, NULL), KARP_E_INVALID);
    assert_int_equal(karp_command_begin(j->worlds[0].decision, 0, NULL, NULL), KARP_E_INVALID);
    begin(j, 0);
    const karp_command_state good = now_of(j);
    karp_command_state s = good;
    assert_int_equal(karp_command_step(NULL, &s, NULL, NULL, 0, &next, NULL), KARP_E_INVALID);
    assert_int_equal(karp_command_step(j->worlds[0].snapshot, NULL, NULL, NULL, 0, &next, NULL), KARP_E_INVALID);
    s.size = 4;
    assert_int_equal(try(j, &s, NULL, 0), KARP_E_ABI_SIZE);
    const struct {
        karp_command_state s;
    } wrong[] = {
        { { .phase = 0, .method = 1 } },
        { { .phase = 8, .method = 1 } },
        { { .phase = 1, .method = 0 } },
        { { .phase = 1, .method = 77 } },
        { { .phase = 1, .method = 1, .node_count = 1 } },
        { { .phase = 1, .method = 1, .replacement_count = 1 } },
        { { .phase = 1, .method = 1, .receiver_count = 1 } },
        { { .phase = KARP_COMMAND_PHASE_WAITING, .method = 1, .started = KARP_NO_TIME } },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s = wrong[i].s;
        s.size = sizeof s;
        if (try(j, &s, NULL, 0) != KARP_E_INVALID) fail_msg("state %zu was taken", i);
    }
    const karp_launch launch = { .size = sizeof launch };
    const karp_replacement replacements[] = { { .launch = NULL },
                                              { .launch = &launch, .progress = 4 },
                                              { .launch = &launch, .progress = 1 },
                                              { .launch = &launch, .claim = { "x", 1 } } };
    for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++) {
        s = good;
        s.replacements = &replacements[i];
        s.replacement_count = 1;
        if (try(j, &s, NULL, 0) != KARP_E_INVALID) fail_msg("replacement %zu was taken", i);
    }
    const karp_observation seen[] = { { 0, 0, { "a", 1 } },
                                      { 5, 0, { "a", 1 } },
                                      { KARP_OBSERVED_CREATED, 0, { "x", 1 } },
                                      { KARP_OBSERVED_NOT_CREATED, 0, { "", 0 } } };
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        assert_int_equal(try(j, &good, &seen[i], 1), KARP_E_INVALID);
    assert_int_equal(try(j, &good, NULL, 1), KARP_E_INVALID);
    const karp_replacement wanted = { .launch = &launch };
    const karp_observation nameless = { KARP_OBSERVED_CREATED, 0, { "", 0 } };
    s = good;
    s.phase = KARP_COMMAND_PHASE_LAUNCHING;
    s.replacements = &wanted;
    s.replacement_count = 1;
    assert_int_equal(try(j, &s, &nameless, 1), KARP_E_INVALID);
    const karp_observation second = { KARP_OBSERVED_CREATED, 1, { "x", 1 } };
    assert_int_equal(try(j, &s, &second, 1), KARP_E_INVALID);
    s.phase = KARP_COMMAND_PHASE_WAITING;
    s.started = noon;
    assert_int_equal(try(j, &s, NULL, 0), KARP_E_INVALID); /* never created */
    j->options.in_progress_count = 1;
    assert_int_equal(try(j, &good, NULL, 0), KARP_E_INVALID);
    assert_int_equal(karp_step_state(j->last, NULL), KARP_E_INVALID);
    assert_string_equal(karp_phase_name(99), "");
    karp_step_free(NULL);
}

static const char *const wrong_documents[][2] = {
    { "", "not JSON" },
    { "[]", "an object" },
    { "{}", "kind" },
    { "{\"kind\":\"Plan\"}", "kind" },
    { "{\"kind\":\"Command\"}", "method" },
    { "{\"kind\":\"Command\",\"method\":\"Magic\"}", "method" },
    { "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Paused\"}", "phase" },
    { "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Done\",\"code\":\"UNKNOWN\"}", "code" },
    { "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Done\",\"started\":\"soon\"}", "started" },
    { "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Done\",\"savings\":\"much\"}", "savings" },
    { "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Done\",\"nodes\":[{}]}", "nodes[0].node" },
    { "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Done\",\"replacements\":[{}]}",
      "replacements[0].nodePool" },
    { "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Done\",\"replacements\":[{\"nodePool\":\"p\","
      "\"progress\":\"x\"}]}",
      "replacements[0].progress" },
    { "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Done\",\"replacements\":[{\"nodePool\":\"p\",\"choice\":{"
      "\"instanceType\":\"t\",\"price\":\"x\"}}]}",
      "replacements[0].choice.price" },
    { "{\"kind\":\"Command\",\"method\":\"Drift\",\"phase\":\"Done\",\"receivers\":7}", "receivers" },
};

static void test_wrong_documents(void **state)
{
    journey *j = *state;
    for (size_t i = 0; i < sizeof wrong_documents / sizeof *wrong_documents; i++) {
        karp_command_document *d = NULL;
        const char *part = wrong_documents[i][1];
        karp_status status = karp_command_read(j->safe, text("command"), text(wrong_documents[i][0]), &d, &j->error);
        assert_null(d);
        if (status == KARP_OK || (strcmp(j->error.field, part) != 0 && strstr(j->error.message, part) == NULL)) {
            fail_msg("document %zu: %s: %s", i, j->error.field, j->error.message);
        }
    }
    karp_command_document_free(NULL);
    assert_null(karp_command_document_state(NULL));
    karp_text out;
    assert_int_equal(karp_write_command(j->safe, NULL, NULL, &out, NULL), KARP_E_INVALID);
    karp_command_document *d = NULL;
    assert_int_equal(karp_command_read_file(j->safe, "no/such/file", &d, NULL), KARP_E_IO);
}

/* Writing and reading when memory is refused. */
static void test_documents_refused(void **state)
{
    journey *j = *state;
    cluster *c = &j->worlds[0];
    wait_for_replacement(j);
    karp_command_state s = now_of(j);
    karp_text good = { NULL, 0, NULL };
    assert_int_equal(karp_write_command(j->safe, &s, NULL, &good, NULL), KARP_OK);
    size_t blocks = c->fault.live_blocks;
    for (size_t n = 1;; n++) {
        karp_text out = { NULL, 0, NULL };
        karp_command_document *d = NULL;
        fault_arm(&c->fault, n, n % 2 == 0);
        karp_status written = karp_write_command(c->context, &s, NULL, &out, NULL);
        karp_status got = karp_command_read(c->context, text("command"), (karp_str){ good.ptr, good.len }, &d, NULL);
        bool refused = c->fault.refused > 0;
        fault_arm(&c->fault, 0, false);
        assert_true(written == KARP_OK || written == KARP_E_NOMEM);
        assert_true(got == KARP_OK || got == KARP_E_NOMEM);
        karp_text_free(&out);
        karp_command_document_free(d);
        assert_int_equal(c->fault.live_blocks, blocks);
        if (!refused) break;
    }
    karp_text_free(&good);
}

/* Every allocation of every phase is refused in turn. */
static void test_refused(void **state)
{
    journey *j = *state;
    cluster *c = &j->worlds[0];
    wait_for_replacement(j);
    for (uint32_t phase = KARP_COMMAND_PHASE_VALIDATING; phase <= KARP_COMMAND_PHASE_WAITING; phase++) {
        size_t n = 1;
        karp_command_state s = now_of(j);
        karp_replacement wanted = s.replacements[0];
        const karp_observation created = { KARP_OBSERVED_CREATED, 0, text("pool-y") };
        s.phase = phase;
        if (phase <= KARP_COMMAND_PHASE_LAUNCHING) {
            wanted.claim = text("");
            wanted.progress = KARP_REPLACEMENT_WANTED;
            s.replacements = &wanted;
        }
        size_t blocks = c->fault.live_blocks;
        for (;; n++) {
            karp_step *next = NULL;
            fault_arm(&c->fault, n, n % 2 == 0);
            karp_status status = karp_command_step(c->snapshot, &s, &j->options, &created,
                                                   phase == KARP_COMMAND_PHASE_LAUNCHING, &next, NULL);
            bool refused = c->fault.refused > 0;
            fault_arm(&c->fault, 0, false);
            assert_true(status == KARP_OK || status == KARP_E_NOMEM);
            karp_step_free(next);
            assert_int_equal(c->fault.live_blocks, blocks);
            if (!refused) break;
        }
        assert_true(n > 3);
    }
    for (size_t n = 1;; n++) {
        karp_step *next = NULL;
        fault_arm(&c->fault, n, false);
        karp_status status = karp_command_begin(c->decision, 0, &next, NULL);
        bool refused = c->fault.refused > 0;
        fault_arm(&c->fault, 0, false);
        karp_step_free(next);
        if (!refused) break;
        assert_int_equal(status, KARP_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, journey_begin, journey_end)
        TEST(test_delete),
        TEST(test_delete_of_what_is_gone),
        TEST(test_validation_shrinks),
        TEST(test_validation_fails),
        TEST(test_taint_fails),
        TEST(test_in_queue),
        TEST(test_replace),
        TEST(test_replacement_fails),
        TEST(test_some_created),
        TEST(test_side_by_side),
        TEST(test_replacement_gone),
        TEST(test_time_limit),
        TEST(test_late_success),
        TEST(test_wrong),
        TEST(test_refused),
        TEST(test_wrong_documents),
        TEST(test_documents_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
