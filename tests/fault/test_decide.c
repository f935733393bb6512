/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a decision is refused in turn, once and from then on: the status says so, nothing leaks, the
 * snapshot stays usable, and the decision made afterwards is the one made before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/io.h>
#include <karp/karp.h>
#include <support/fault.h>

typedef karp_status (*decide_fn)(const karp_snapshot *snapshot, karp_decision **out);

static karp_status provision(const karp_snapshot *snapshot, karp_decision **out)
{
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.explain = KARP_EXPLAIN_FULL;
    return karp_provision(snapshot, &options, out, NULL);
}

static karp_status disrupt(const karp_snapshot *snapshot, karp_decision **out)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    return karp_disrupt(snapshot, &options, out, NULL);
}

/* The decision as text, made in a context that never refuses. */
static karp_text shown(karp_context *safe, const karp_decision *d, decide_fn decide)
{
    karp_text text = { NULL, 0, NULL };
    if (decide == disrupt) assert_int_equal(karp_write_disruption(safe, d, NULL, &text, NULL), KARP_OK);
    else assert_int_equal(karp_write_plan(safe, d, NULL, NULL, &text, NULL), KARP_OK);
    return text;
}

static karp_snapshot *cluster(karp_context *context)
{
    karp_error error;
    karp_reader *reader = NULL;
    karp_catalogue *catalogue = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_reader_new(context, NULL, &reader, &error);
    if (status == KARP_OK)
        status = karp_catalogue_read_file(context, "tests/data/fault/catalogue.json", &catalogue, &error);
    if (status == KARP_OK) status = karp_reader_add_catalogue(reader, catalogue, &error);
    if (status == KARP_OK) status = karp_reader_add_path(reader, "tests/data/fault/cluster.yaml", &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    if (status != KARP_OK) print_message("%s %s %s: %s\n", error.document, error.object, error.field, error.message);
    assert_int_equal(status, KARP_OK);
    karp_catalogue_unref(catalogue);
    karp_reader_free(reader);
    return snapshot;
}

static void refuse_each(decide_fn decide, int keep_failing)
{
    static fault f;
    memset(&f, 0, sizeof f);
    karp_context *safe = NULL, *context = fault_context(&f);
    assert_int_equal(karp_context_new(NULL, &safe, NULL), KARP_OK);
    karp_snapshot *snapshot = cluster(context);
    karp_decision *d = NULL;
    assert_int_equal(decide(snapshot, &d), KARP_OK);
    karp_text expected = shown(safe, d, decide);
    karp_decision_unref(d);
    size_t blocks = f.live_blocks, bytes = f.live_bytes, at = 1;
    for (;; at++) {
        d = NULL;
        fault_arm(&f, at, keep_failing != 0);
        karp_status status = decide(snapshot, &d);
        size_t refused = f.refused;
        fault_arm(&f, 0, false);
        if (refused == 0) break;
        if (status == KARP_OK) { /* it could do without: a scheduler was not kept for the next simulation */
            karp_text same = shown(safe, d, decide);
            assert_string_equal(same.ptr, expected.ptr);
            karp_text_free(&same);
            karp_decision_unref(d);
            continue;
        }
        assert_int_equal(status, KARP_E_NOMEM);
        assert_null(d);
        assert_int_equal(f.live_blocks, blocks);
        assert_int_equal(f.live_bytes, bytes);
    }
    assert_true(at > 100); /* there was something to refuse */
    karp_text again = shown(safe, d, decide);
    assert_string_equal(again.ptr, expected.ptr);
    karp_text_free(&again);
    karp_text_free(&expected);
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    karp_context_unref(safe);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

static void provision_once(void **state)
{
    (void)state;
    refuse_each(provision, 0);
}

static void provision_from_then_on(void **state)
{
    (void)state;
    refuse_each(provision, 1);
}

static void disrupt_once(void **state)
{
    (void)state;
    refuse_each(disrupt, 0);
}

static void disrupt_from_then_on(void **state)
{
    (void)state;
    refuse_each(disrupt, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(provision_once),
        cmocka_unit_test(provision_from_then_on),
        cmocka_unit_test(disrupt_once),
        cmocka_unit_test(disrupt_from_then_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
