/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions stopped at every step and at every poll, and the limits of a context one below, at, and one above. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <support/fault.h>

static karp_str text_of(const char *text) { return (karp_str){ text, strlen(text) }; }

/* ---- stopped decisions ------------------------------------------------------------------------------------------- */

typedef struct stopping {
    fault f;
    karp_context *context;
    karp_snapshot *snapshot;
    uint64_t polls, stop_at; /* 0 = never */
} stopping;

static int32_t should_stop(void *user)
{
    stopping *s = user;
    return ++s->polls == s->stop_at;
}

static int set_up(void **state)
{
    static stopping s;
    memset(&s, 0, sizeof s);
    s.context = fault_context(&s.f);
    karp_reader *reader = NULL;
    karp_catalogue *catalogue = NULL;
    assert_int_equal(karp_reader_new(s.context, NULL, &reader, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_read_file(s.context, "tests/data/fault/catalogue.json", &catalogue, NULL), KARP_OK);
    assert_int_equal(karp_reader_add_catalogue(reader, catalogue, NULL), KARP_OK);
    assert_int_equal(karp_reader_add_path(reader, "tests/data/fault/cluster.yaml", NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &s.snapshot, NULL), KARP_OK);
    karp_catalogue_unref(catalogue);
    karp_reader_free(reader);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    stopping *s = *state;
    karp_snapshot_unref(s->snapshot);
    karp_context_unref(s->context);
    return s->f.live_blocks == 0 && s->f.wrong_sizes == 0 ? 0 : -1;
}

static karp_status decide(stopping *s, bool disruption, const karp_options *given, karp_decision **out)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = given;
    s->polls = 0;
    return disruption ? karp_disrupt(s->snapshot, &options, out, NULL) : karp_provision(s->snapshot, given, out, NULL);
}

static karp_text shown(stopping *s, bool disruption, const karp_decision *d)
{
    karp_text text = { NULL, 0, NULL };
    assert_int_equal(disruption ? karp_write_disruption(s->context, d, NULL, &text, NULL)
                                : karp_write_plan(s->context, d, NULL, NULL, &text, NULL),
                     KARP_OK);
    return text;
}

/* One decision under options that may end it early: CANCELED and nothing left behind, or, asked for, what there is so
 * far. */
static bool stopped(stopping *s, bool disruption, karp_options *options)
{
    karp_decision *d = NULL;
    size_t blocks = s->f.live_blocks;
    options->keep_partial = 0;
    karp_status status = decide(s, disruption, options, &d);
    if (status != KARP_OK) {
        assert_int_equal(status, KARP_E_CANCELED);
        assert_null(d);
        assert_int_equal(s->f.live_blocks, blocks);
    }
    bool complete = status == KARP_OK;
    karp_decision_unref(d);
    d = NULL;
    options->keep_partial = 1;
    assert_int_equal(decide(s, disruption, options, &d), KARP_OK);
    /* A wish that comes when all is decided, and only the report is left, takes nothing from what is kept. */
    if (complete || options->max_steps != 0) assert_int_equal(karp_decision_complete(d), complete);
    karp_text text = shown(s, disruption, d);
    karp_text_free(&text);
    /* Stopped in the preparation, it says nothing of any pod. */
    if (!disruption && (complete || karp_decision_placement_count(d) + karp_decision_launch_count(d) > 0)) {
        karp_verification *found = NULL;
        assert_int_equal(karp_verify_decision(s->snapshot, d, &found, NULL), KARP_OK);
        if (!karp_decision_complete(d))
            assert_int_equal(karp_verification_count(found), 0); /* what is placed is placed well */
        karp_verification_free(found);
    }
    karp_decision_unref(d);
    assert_int_equal(s->f.live_blocks, blocks);
    return !complete;
}

static void stop_everywhere(stopping *s, bool disruption)
{
    karp_options options;
    karp_options_init(&options, sizeof options);
    karp_decision *d = NULL;
    assert_int_equal(decide(s, disruption, &options, &d), KARP_OK);
    karp_text expected = shown(s, disruption, d);
    karp_decision_unref(d);
    uint64_t steps = 1, polls = 1;
    for (options.max_steps = 1; stopped(s, disruption, &options); options.max_steps++) steps++;
    assert_true(steps > 5);
    options.max_steps = 0;
    options.should_stop = should_stop;
    options.stop_user = s;
    for (s->stop_at = 1; stopped(s, disruption, &options); s->stop_at++) polls++;
    assert_true(!disruption || polls > 1); /* a small launch decision is over before the first poll */
    /* The snapshot is none the worse for it. */
    karp_options_init(&options, sizeof options);
    d = NULL;
    assert_int_equal(decide(s, disruption, &options, &d), KARP_OK);
    karp_text again = shown(s, disruption, d);
    assert_string_equal(again.ptr, expected.ptr);
    karp_text_free(&again);
    karp_text_free(&expected);
    karp_decision_unref(d);
}

static void test_provision_stopped(void **state) { stop_everywhere(*state, false); }
static void test_disrupt_stopped(void **state) { stop_everywhere(*state, true); }

/* ---- order of freeing -------------------------------------------------------------------------------------------- */

/* What was read keeps its context. */
static void test_document_outlives_context(void **state)
{
    stopping *s = *state;
    karp_options options;
    karp_options_init(&options, sizeof options);
    karp_decision *d = NULL;
    karp_plan_document *document = NULL;
    assert_int_equal(decide(s, false, &options, &d), KARP_OK);
    karp_text text = shown(s, false, d);
    fault f = { 0 };
    karp_context *context = fault_context(&f);
    assert_int_equal(karp_plan_read(context, text_of("plan.json"), (karp_str){ text.ptr, text.len }, &document, NULL),
                     KARP_OK);
    karp_context_unref(context);
    assert_true(karp_plan_document_plan(document)->launch_count + karp_plan_document_plan(document)->placement_count >
                0);
    karp_plan_document_free(document);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
    karp_text_free(&text);
    karp_decision_unref(d);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

typedef enum limit { PODS, NODES, TYPES, BYTES, NESTING, ALIASES, LIMITS } limit;

/* A document with `n` of what the limit counts, as text to be freed. */
static char *document(limit which, size_t n)
{
    char *out = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&out, &length);
    assert_non_null(f);
    switch (which) {
    case PODS:
    case NODES:
        for (size_t i = 0; i < n; i++)
            fprintf(f, "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"o%zu\"}}\n",
                    which == PODS ? "Pod" : "Node", i);
        break;
    case BYTES: {
        int head = fprintf(f, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}");
        fprintf(f, "%*s", (int)n - head, "");
        break;
    }
    case NESTING: /* the document itself is the first level */
        fprintf(f, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"x\":");
        for (size_t i = 1; i < n; i++) fputc('[', f);
        for (size_t i = 1; i < n; i++) fputc(']', f);
        fputc('}', f);
        break;
    case ALIASES: /* a scalar that is repeated n times */
        fprintf(f, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations: {x: &a b}\nx: [");
        for (size_t i = 0; i < n; i++) fprintf(f, "%s*a", i > 0 ? ", " : "");
        fprintf(f, "]\n");
        break;
    case TYPES:
        fputc('[', f);
        for (size_t i = 0; i < n; i++) {
            fprintf(f,
                    "%s{\"name\":\"t%zu\",\"capacity\":{\"cpu\":\"1\"},\"offerings\":[{\"zone\":\"z\",\"capacityType\":"
                    "\"spot\",\"price\":1,\"available\":true}]}",
                    i > 0 ? "," : "", i);
        }
        fputc(']', f);
        break;
    case LIMITS: break;
    }
    assert_int_equal(fclose(f), 0);
    return out;
}

static karp_status read_document(limit which, karp_context *context, const char *text, karp_error *error)
{
    karp_reader *reader = NULL;
    karp_catalogue *catalogue = NULL;
    karp_snapshot *snapshot = NULL;
    karp_status status = karp_reader_new(context, NULL, &reader, error);
    if (status == KARP_OK && which == TYPES)
        status = karp_catalogue_read(context, text_of("t.json"), text_of(text), &catalogue, error);
    if (status == KARP_OK && which == TYPES) status = karp_reader_add_catalogue(reader, catalogue, error);
    if (status == KARP_OK && which != TYPES)
        status = karp_reader_add(reader, text_of(which == ALIASES ? "d.yaml" : "d.json"), text_of(text), error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, error);
    karp_snapshot_unref(snapshot);
    karp_catalogue_unref(catalogue);
    karp_reader_free(reader);
    return status;
}

static void check_limit(limit which, size_t most, size_t n, karp_status expected)
{
    fault f = { 0 };
    karp_allocator allocator = fault_allocator(&f);
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.allocator = &allocator;
    uint64_t *wide[] = { [PODS] = &options.max_pods,
                         [NODES] = &options.max_nodes,
                         [TYPES] = &options.max_instance_types,
                         [BYTES] = &options.max_document_bytes,
                         [NESTING] = NULL,
                         [ALIASES] = &options.max_aliases };
    if (which == NESTING) options.max_nesting = (uint32_t)most;
    else *wide[which] = most;
    karp_context *context = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    char *text = document(which, n);
    karp_status status = read_document(which, context, text, &error);
    if (status != expected)
        fail_msg("limit %d of %zu, %zu there: %s %s", (int)which, most, n, karp_status_name(status), error.message);
    if (status != KARP_OK) assert_string_not_equal(error.message, "");
    free(text);
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
}

static void test_limits(void **state)
{
    (void)state;
    for (limit which = PODS; which < LIMITS; which++) {
        size_t most = which == BYTES ? 200 : 7;
        check_limit(which, most, most - 1, KARP_OK);
        check_limit(which, most, most, KARP_OK);
        check_limit(which, most, most + 1, KARP_E_LIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_provision_stopped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_disrupt_stopped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_document_outlives_context, set_up, tear_down),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
