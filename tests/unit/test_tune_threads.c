/* SPDX-License-Identifier: Apache-2.0 */
/* A search with lent threads: the designs and results of karp_tune_next(), whatever the number of threads. */
#include "planning.h"

#include <base/str.h>
#include <karp/library.h>
#include <karp/tune.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const char cluster[] = SNAPSHOT("{}", TYPE("small", "0.2", "") TYPE("other", "0.3", "")) POD("a", "3", "")
    POD("b", "1", "");

enum { THREADS = 3 };

struct lending {
    size_t calls, most; /* how often threads were asked for, and for how many designs */
};

struct work {
    size_t count;
    atomic_size_t next;
    void (*body)(size_t index, void *data);
    void *data;
};

static void *worker(void *user)
{
    struct work *w = user;
    for (size_t i = atomic_fetch_add(&w->next, 1); i < w->count; i = atomic_fetch_add(&w->next, 1)) w->body(i, w->data);
    return NULL;
}

static void lend(size_t count, void (*body)(size_t index, void *data), void *data, void *user)
{
    struct lending *l = user;
    struct work w = { .count = count, .body = body, .data = data };
    pthread_t threads[THREADS];
    atomic_init(&w.next, 0);
    l->calls++;
    if (count > l->most) l->most = count;
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, worker, &w), 0);
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static karp_tune *begin(karp_context *context, uint64_t most)
{
    const karp_str axes[] = { str("consolidateAfter=5m,1h"), str("weight=10,20,30"), str("limits.cpu=2,100"),
                              str("budget=1,2,3") };
    karp_tune_options options;
    karp_tune *tune = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_reader_options keeping;
    karp_reader_options_init(&keeping, sizeof keeping);
    keeping.keep_documents = 1;
    karp_tune_options_init(&options, sizeof options);
    options.axes = axes;
    options.axis_count = sizeof axes / sizeof axes[0];
    options.most_designs = most;
    options.seed = 5;
    assert_int_equal(karp_reader_new(context, &keeping, &reader, NULL), KARP_OK);
    assert_int_equal(karp_reader_add(reader, str("case"), str(cluster), NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_tune_new(context, reader, &options, &tune, NULL), KARP_OK);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return tune;
}

/* One design after the other, by the functions that hand out and take. */
static void run_alone(karp_tune *tune)
{
    size_t design;
    karp_settle_options how;
    karp_settle_options_init(&how, sizeof how);
    how.disrupt = KARP_SETTLE_ALL;
    while (karp_tune_next(tune, &design) == KARP_OK) {
        karp_snapshot *snapshot = NULL;
        karp_settlement *settlement = NULL;
        assert_int_equal(karp_tune_snapshot(tune, design, &snapshot, NULL), KARP_OK);
        assert_int_equal(karp_settle(snapshot, &how, &settlement, NULL), KARP_OK);
        assert_int_equal(karp_tune_set_settlement(tune, design, settlement, NULL), KARP_OK);
        karp_settlement_free(settlement);
        karp_snapshot_unref(snapshot);
    }
}

static karp_text answer(uint64_t most, struct lending *lending, bool alone)
{
    karp_context_options options;
    karp_context *context = NULL;
    karp_text text = { NULL, 0, NULL };
    size_t tried = 1;
    karp_context_options_init(&options, sizeof options);
    options.max_memory = UINT64_C(1) << 30;
    if (lending) {
        options.parallel_for = lend;
        options.parallel_user = lending;
    }
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    karp_tune *tune = begin(context, most);
    if (alone) run_alone(tune);
    while (!alone && tried > 0) assert_int_equal(karp_tune_settle(tune, NULL, &tried, NULL), KARP_OK);
    assert_int_equal(karp_tune_design_count(tune), most);
    assert_int_equal(karp_write_tune(context, tune, NULL, &text, NULL), KARP_OK);
    karp_tune_free(tune);
    karp_context_unref(context);
    return text;
}

/* 144 designs: a part of them, where what comes next depends on results, and all. */
static void test_threads_change_nothing(void **state)
{
    static const uint64_t sizes[] = { 40, 144 };
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct lending lending = { 0, 0 };
        karp_text wanted = answer(sizes[i], NULL, true), serial = answer(sizes[i], NULL, false),
                  lent = answer(sizes[i], &lending, false);
        assert_string_equal(serial.ptr, wanted.ptr);
        assert_string_equal(lent.ptr, wanted.ptr);
        assert_true(lending.calls >= sizes[i] / 16 && lending.most <= 16 && lending.most > 8);
        karp_text_free(&wanted);
        karp_text_free(&serial);
        karp_text_free(&lent);
    }
}

/* The first design that fails says why, and it is not the end of the search. */
static void test_failures(void **state)
{
    const karp_replay_document nowhere = { str("nowhere.json"), { NULL, 0 } };
    struct lending lending = { 0, 0 };
    karp_context_options options;
    karp_context *context = NULL;
    karp_replay_options replay;
    karp_error error;
    size_t tried = 7;
    (void)state;
    karp_context_options_init(&options, sizeof options);
    karp_error_init(&error, sizeof error);
    options.parallel_for = lend;
    options.parallel_user = &lending;
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    karp_tune *tune = begin(context, 40);
    karp_replay_options_init(&replay, sizeof replay);
    replay.traces = &nowhere;
    replay.trace_count = 1;
    karp_status status = karp_tune_replay(tune, &replay, &tried, &error);
    assert_int_not_equal(status, KARP_OK);
    assert_int_equal(error.status, status);
    assert_int_equal(tried, 7);
    assert_int_equal(karp_tune_settle(NULL, NULL, &tried, NULL), KARP_E_INVALID);
    assert_int_equal(karp_tune_settle(tune, NULL, NULL, NULL), KARP_E_INVALID);
    assert_int_equal(karp_tune_replay(tune, NULL, &tried, NULL), KARP_E_INVALID);
    karp_tune_free(tune);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads_change_nothing),
                                        cmocka_unit_test(test_failures) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
