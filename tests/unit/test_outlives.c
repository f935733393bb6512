/* SPDX-License-Identifier: Apache-2.0 */
/* What is made in a context keeps what it needs of it: the context may be given up first. */
#include "planning.h"

#include <karp/library.h>
#include <karp/recording.h>
#include <karp/tune.h>
#include <support/fault.h>

static const char cluster[] = SNAPSHOT("{}", TYPE("small", "0.2", "")) POD("a", "3", "");

static void a_search(void **state)
{
    (void)state;
    const karp_tune_options replayed = { .size = sizeof replayed, .replay = 1 };
    fault f = { 0 };
    karp_context *context = fault_context(&f);
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_tune *tune = NULL;
    size_t design = 1;
    karp_reader_options keeping = { .size = sizeof keeping, .keep_documents = 1 };
    assert_int_equal(karp_reader_new(context, &keeping, &reader, NULL), KARP_OK);
    assert_int_equal(karp_reader_add(reader, (karp_str){ "case", 4 }, (karp_str){ cluster, sizeof cluster - 1 }, NULL),
                     KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_tune_new(context, reader, &replayed, &tune, NULL), KARP_OK);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    assert_int_equal(karp_tune_next(tune, &design), KARP_OK);
    assert_int_equal(design, 0);
    karp_tune_free(tune);
    assert_int_equal(f.live_blocks, 0);
}

static void a_recorder(void **state)
{
    (void)state;
    static const char pods[] = "{\"kind\":\"List\",\"items\":[]}";
    const karp_replay_document look = { { "pods", 4 }, { pods, sizeof pods - 1 } };
    fault f = { 0 };
    karp_context *context = fault_context(&f);
    karp_recorder *recorder = NULL;
    karp_text line = { NULL, 0, NULL };
    assert_int_equal(karp_recorder_new(context, &recorder, NULL), KARP_OK);
    karp_context_unref(context);
    assert_int_equal(karp_recorder_take(recorder, &look, 1, INT64_C(1000000000), 0, &line, NULL), KARP_OK);
    karp_text_free(&line);
    karp_recorder_free(recorder);
    assert_int_equal(f.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_search), cmocka_unit_test(a_recorder) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
