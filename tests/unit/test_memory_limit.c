/* SPDX-License-Identifier: Apache-2.0 */
/* A context's ceiling on memory, and its should_stop: every call fails whole with a status of its own, and gives
 * everything back. */
#include "planning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/disrupt.h>
#include <karp/explain.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/library.h>
#include <karp/schedule.h>

enum { PODS = 1500, ROOM = 600000 };

static char *make_world(void)
{
    static const char head[] = SNAPSHOT("{}", TYPE("m", "1", ""));
    char *yaml = malloc(ROOM);
    assert_non_null(yaml);
    size_t n = sizeof head - 1;
    memcpy(yaml, head, sizeof head);
    for (int i = 0; i < PODS; i++) {
        n += (size_t)snprintf(
            yaml + n, ROOM - n,
            "- {apiVersion: v1, kind: Pod, metadata: {name: p%d, namespace: default, labels: {a: v%d}}, spec: "
            "{containers: [{name: c, resources: {requests: {cpu: %dm}}}]}}\n",
            i, i, i + 1);
        assert_true(n < ROOM);
    }
    return yaml;
}

static int32_t never(void *user)
{
    ++*(uint64_t *)user;
    return 0;
}

typedef struct stopper {
    uint64_t left;
    bool told;
} stopper;

static int32_t at_last(void *user)
{
    stopper *s = user;
    if (s->left == 0) s->told = true;
    else s->left--;
    return s->told;
}

/* Reads, plans, disrupts, verifies and writes; the first status that is not good. */
static karp_status whole(karp_context *context, const char *yaml)
{
    karp_error error;
    karp_snapshot *snapshot = NULL;
    karp_decision *plan = NULL, *disruption = NULL;
    karp_verification *found = NULL;
    karp_text text = { .ptr = NULL };
    karp_error_init(&error, sizeof error);
    karp_status status = world_of(context, "case", yaml, &snapshot, &error);
    if (status == KARP_OK) status = karp_provision(snapshot, NULL, &plan, &error);
    if (status == KARP_OK) status = karp_disrupt(snapshot, NULL, &disruption, &error);
    if (status == KARP_OK) status = karp_verify_decision(snapshot, plan, &found, &error);
    if (status == KARP_OK) status = karp_write_plan(context, plan, disruption, NULL, &text, &error);
    if (status == KARP_E_NOMEM) fail_msg("%s: %s", error.object, error.message);
    if (status != KARP_OK) assert_int_equal(error.status, status);
    if (status != KARP_OK) assert_true(error.message[0] != 0);
    karp_text_free(&text);
    karp_verification_free(found);
    karp_decision_unref(disruption);
    karp_decision_unref(plan);
    karp_snapshot_unref(snapshot);
    return status;
}

static karp_context *context_with(uint64_t max_memory, int32_t (*should_stop)(void *), void *user)
{
    karp_context *context = NULL;
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.max_memory = max_memory;
    options.should_stop = should_stop;
    options.stop_user = user;
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    return context;
}

static void ceiling(void **state)
{
    (void)state;
    char *yaml = make_world();
    int refused = 0;
    uint64_t most = 1024;
    for (karp_status status = KARP_E_LIMIT; status != KARP_OK; most += most / 8) {
        karp_context *context = context_with(most, NULL, NULL);
        status = whole(context, yaml);
        if (status != KARP_OK && status != KARP_E_LIMIT)
            fail_msg("%s with %d bytes", karp_status_name(status), (int)most);
        assert_int_equal(karp_context_memory(context), 0);
        refused += status != KARP_OK;
        karp_context_unref(context);
        assert_true(most < UINT64_C(1) << 30);
    }
    assert_true(refused > 30);
    free(yaml);
}

static void memory_is_counted(void **state)
{
    (void)state;
    karp_context *context = context_with(1 << 20, NULL, NULL);
    void *a = karp_alloc(context, 1000), *b = karp_alloc(context, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(karp_context_memory(context), 1001);
    assert_null(karp_alloc(context, 1 << 20));
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_refusal(context, KARP_E_INVALID, &error), KARP_E_INVALID);
    assert_int_equal(karp_context_refusal(context, KARP_E_NOMEM, &error), KARP_E_LIMIT);
    assert_non_null(strstr(error.message, "1048576"));
    assert_int_equal(karp_context_refusal(context, KARP_E_NOMEM, &error), KARP_E_NOMEM); /* it is told once */
    karp_free(context, a, 1000);
    karp_free(context, b, 0);
    assert_int_equal(karp_context_memory(context), 0);
    karp_context_unref(context);
    context = context_with(0, NULL, NULL);
    a = karp_alloc(context, 1000);
    assert_int_equal(karp_context_memory(context), 0); /* nobody asked for it to be counted */
    karp_free(context, a, 1000);
    karp_context_unref(context);
}

/* Every place where it is asked is a good one to stop. */
/* libyaml takes more than three times a long scalar from malloc() itself while it reads it. */
static void memory_of_libyaml_is_counted(void **state)
{
    enum { LONG = 1000000 };
    static const char head[] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: '";
    (void)state;
    char *yaml = malloc(sizeof head + LONG + 4);
    assert_non_null(yaml);
    memcpy(yaml, head, sizeof head);
    memset(yaml + sizeof head - 1, 'x', LONG);
    memcpy(yaml + sizeof head - 1 + LONG, "'}\n", 4);
    for (uint64_t most = 3000000; most <= 12000000; most += 9000000) {
        karp_context *context = context_with(most, NULL, NULL);
        karp_reader *reader = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_reader_new(context, NULL, &reader, &error), KARP_OK);
        assert_int_equal(karp_reader_add(reader, (karp_str){ "x.yaml", 6 }, (karp_str){ yaml, strlen(yaml) }, &error),
                         most < 4000000 ? KARP_E_LIMIT : KARP_OK);
        karp_reader_free(reader);
        karp_context_unref(context);
    }
    free(yaml);
}

static void stopped_anywhere(void **state)
{
    (void)state;
    char *yaml = make_world();
    uint64_t polls = 0;
    karp_context *context = context_with(UINT64_C(1) << 32, never, &polls);
    assert_int_equal(whole(context, yaml), KARP_OK);
    karp_context_unref(context);
    assert_true(polls >= 10); /* a quarter of a megabyte, or a thousand small pieces, lie between two */
    for (uint64_t i = 0; i < polls; i++) {
        stopper s = { i, false };
        context = context_with(UINT64_C(1) << 32, at_last, &s);
        assert_int_equal(whole(context, yaml), KARP_E_CANCELED);
        assert_true(s.told);
        assert_int_equal(karp_context_memory(context), 0);
        karp_context_unref(context);
    }
    free(yaml);
}

/* While a decision is prepared its own should_stop is asked, before the first attempt to place a pod. */
static void stopped_while_preparing(void **state)
{
    (void)state;
    char *yaml = make_world();
    karp_context *context = context_with(0, NULL, NULL);
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_error error;
    karp_options options;
    stopper s = { 0, false };
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    options.should_stop = at_last;
    options.stop_user = &s;
    options.keep_partial = 1;
    assert_int_equal(world_of(context, "case", yaml, &snapshot, &error), KARP_OK);
    assert_int_equal(karp_provision(snapshot, &options, &d, &error), KARP_OK); /* what is decided by then */
    assert_int_equal(karp_decision_complete(d), 0);
    assert_int_equal(karp_decision_launch_count(d), 0);
    karp_decision_unref(d);
    d = NULL;
    options.keep_partial = 0;
    assert_int_equal(karp_provision(snapshot, &options, &d, &error), KARP_E_CANCELED);
    assert_null(d);
    options.should_stop = NULL;
    assert_int_equal(karp_provision(snapshot, &options, &d, &error), KARP_OK);
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    free(yaml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceiling),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(memory_of_libyaml_is_counted),
        cmocka_unit_test(stopped_anywhere),
        cmocka_unit_test(stopped_while_preparing),
    };
    return cmocka_run_group_tests_name("memory_limit", tests, NULL, NULL);
}
