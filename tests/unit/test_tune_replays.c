/* SPDX-License-Identifier: Apache-2.0 */
/* Results of replays in a search: what restarts cost, and what each day cost. */
#include "planning.h"

#include <base/str.h>
#include <karp/library.h>
#include <karp/tune.h>
#include <math.h>
#include <string.h>

static const char cluster[] = SNAPSHOT("{}", TYPE("small", "0.2", "")) POD("a", "3", "");

#define DAY INT64_C(86400000000000)
/* 1970-01-02, from 18:00 to 06:00 of the next day. */
#define RESULT(policy) "{\"kind\":\"Replay\",\"policies\":[{" policy "}]}"
static const char own[] = RESULT("\"dollars\":12,\"evictions\":2,\"killedPods\":1,\"series\":{\"time\":[151200,194400],"
                                 "\"dollars\":[0,12],\"pods\":[4,4]}");
static const char other[] = RESULT("\"dollars\":10,\"evictions\":0,\"series\":{\"time\":[151200,172800,194400],"
                                   "\"dollars\":[0,7,10],\"pods\":[4,4,4]}");

static karp_tune *search(karp_context *context, int64_t restart_loss)
{
    const karp_str axis = str("consolidateAfter=5m");
    karp_tune_options options;
    karp_tune *tune = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_reader_options keeping;
    karp_reader_options_init(&keeping, sizeof keeping);
    keeping.keep_documents = 1;
    karp_tune_options_init(&options, sizeof options);
    options.replay = 1;
    options.axes = &axis;
    options.axis_count = 1;
    options.restart_loss = restart_loss;
    assert_int_equal(karp_reader_new(context, &keeping, &reader, NULL), KARP_OK);
    assert_int_equal(karp_reader_add(reader, str("case"), str(cluster), NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_tune_new(context, reader, &options, &tune, NULL), KARP_OK);
    for (size_t i = 0, design; i < 2; i++) {
        assert_int_equal(karp_tune_next(tune, &design), KARP_OK);
        assert_int_equal(karp_tune_set_replay(tune, design, str(i == 0 ? own : other), NULL), KARP_OK);
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return tune;
}

static karp_tune_design design_of(const karp_tune *tune, size_t index)
{
    karp_tune_design d = { .size = sizeof d };
    assert_int_equal(karp_tune_get_design(tune, index, &d), KARP_OK);
    return d;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

/* Three restarts of an hour, where 48 hours of pods cost $12. */
static void test_restarts(void **state)
{
    karp_context *context = NULL;
    (void)state;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    karp_tune *tune = search(context, INT64_C(3600000000000));
    karp_tune_design first = design_of(tune, 0), second = design_of(tune, 1);
    assert_true(near(first.restarts, 0.75) && near(first.cost, 12.75));
    assert_true(near(second.restarts, 0) && near(second.cost, 10));
    assert_true(second.best && !first.best);
    karp_tune_free(tune);
    tune = search(context, 0);
    assert_true(near(design_of(tune, 0).cost, 12) && near(design_of(tune, 0).restarts, 0));
    karp_tune_free(tune);
    karp_context_unref(context);
}

static void test_days(void **state)
{
    static const double costs[2][2] = { { 6, 6 }, { 7, 3 } };
    karp_context *context = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_tune_day day = { .size = sizeof day };
    (void)state;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    karp_tune *tune = search(context, 0);
    for (size_t d = 0; d < 2; d++) {
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(karp_tune_get_day(tune, d, i, &day), KARP_OK);
            assert_true(day.begins == (int64_t)(i + 1) * DAY && near(day.cost, costs[d][i]));
        }
        assert_int_equal(karp_tune_get_day(tune, d, 2, &day), KARP_E_NOT_FOUND);
    }
    assert_int_equal(karp_tune_get_day(tune, 2, 0, &day), KARP_E_NOT_FOUND);
    assert_int_equal(karp_tune_get_day(NULL, 0, 0, &day), KARP_E_INVALID);
    assert_int_equal(karp_write_tune(context, tune, NULL, &text, NULL), KARP_OK);
    const char *listed = strstr(text.ptr, "\"dearerDays\"");
    assert_non_null(listed);
    assert_non_null(strstr(listed, "1970-01-02T00:00:00Z")); /* only the first day is dearer */
    assert_null(strstr(listed, "1970-01-03T00:00:00Z"));
    karp_text_free(&text);
    karp_tune_free(tune);
    karp_context_unref(context);
}

static void test_refused(void **state)
{
    karp_tune_options options;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_tune *tune = NULL;
    (void)state;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
    karp_tune_options_init(&options, sizeof options);
    options.restart_loss = 1; /* without replays */
    assert_int_equal(karp_tune_new(context, reader, &options, &tune, NULL), KARP_E_INVALID);
    options.replay = 1;
    options.restart_loss = -1;
    assert_int_equal(karp_tune_new(context, reader, &options, &tune, NULL), KARP_E_INVALID);
    karp_reader_free(reader);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_restarts), cmocka_unit_test(test_days),
                                        cmocka_unit_test(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
