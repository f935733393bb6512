/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: text from the input stays text; refused memory is reported. (What is on them: tests/cases/test_html.py.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail /* cmocka's macro; the library has a function of that name */
#include <string.h>

#include <io/html.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <support/fault.h>

static void expect(karp_context *context, void (*write)(write_buffer *b, karp_str text), karp_str given,
                   const char *wanted)
{
    write_buffer b;
    karp_text text = { 0 };
    buffer_init(&b, context);
    write(&b, given);
    assert_int_equal(buffer_finish(&b, &text, NULL), KARP_OK);
    assert_string_equal(text.ptr, wanted);
    karp_text_free(&text);
}

static void escapes(void **state)
{
    (void)state;
    static const char mark[] = "\xef\xbf\xbd";
    static const char *const cases[][2] = {
        { "", "" },
        { "web-0", "web-0" },
        { "<script>alert('1')</script>", "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;" },
        { "a\" onload=\"b", "a&quot; onload=&quot;b" },
        { "&amp;", "&amp;amp;" },
        { "two\nlines", "two\nlines" },
        { "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
    };
    /* Each becomes one mark. */
    static const char *const unseen[] = {
        "\x01",
        "\t",
        "\r",
        "\x7f",
        "\xc2\x85" /* C1 */,
        "\xe2\x80\xae" /* right to left */,
        "\xe2\x80\x8b" /* no width */,
        "\xe2\x81\xa9" /* isolate */,
        "\xd8\x9c" /* Arabic mark */,
        "\xef\xbb\xbf" /* byte order */,
        "\xe2\x80\xa8" /* line */,
        "\xff",
        "\xc3" /* cut */,
        "\x80",
    };
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(context, html_text, str(cases[i][0]), cases[i][1]);
    }
    for (size_t i = 0; i < sizeof(unseen) / sizeof(unseen[0]); i++) {
        char given[16] = "a";
        char wanted[16] = "a";
        strncat(given, unseen[i], 8);
        strncat(given, "<", 2);
        strncat(wanted, mark, 4);
        strncat(wanted, "&lt;", 5);
        expect(context, html_text, str(given), wanted);
    }
    expect(context, html_text, (karp_str){ "a\0b", 3 },
           "a\xef\xbf\xbd"
           "b");
    expect(context, html_json, str("{\"a\":\"</script><!-- & -->\"}"),
           "{\"a\":\"\\u003c/script\\u003e\\u003c!-- \\u0026 --\\u003e\"}");
    karp_context_unref(context);
}

static karp_snapshot *read_cluster(karp_context *context)
{
    karp_error error;
    karp_reader *reader = NULL;
    karp_catalogue *catalogue = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error_init(&error, sizeof(error));
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

static karp_text page_of(karp_context *context, const karp_decision *plan, const karp_decision *disruption,
                         karp_status *status)
{
    karp_write_options options;
    karp_text text = { 0 };
    karp_write_options_init(&options, sizeof(options));
    options.format = KARP_FORMAT_HTML;
    *status = plan != NULL ? karp_write_plan(context, plan, disruption, &options, &text, NULL)
                           : karp_write_disruption(context, disruption, &options, &text, NULL);
    return text;
}

/* The page with the N-th allocation refused, once or from then on, for every N. */
static void refuse_each(fault *f, karp_context *context, const karp_decision *plan, const karp_decision *disruption)
{
    karp_status status = KARP_OK;
    karp_text whole = page_of(context, plan, disruption, &status);
    assert_int_equal(status, KARP_OK);
    for (int keep = 0; keep < 2; keep++) {
        size_t at = 1;
        for (;; at++) {
            size_t blocks = f->live_blocks;
            assert_true(at < 2000);
            fault_arm(f, at, keep);
            karp_text text = page_of(context, plan, disruption, &status);
            size_t refused = f->refused;
            fault_arm(f, 0, false);
            assert_int_equal(status, refused > 0 ? KARP_E_NOMEM : KARP_OK);
            if (refused == 0) {
                assert_string_equal(text.ptr, whole.ptr);
            }
            karp_text_free(&text);
            assert_int_equal(f->live_blocks, blocks);
            if (refused == 0) break;
        }
        assert_true(at > 10);
    }
    karp_text_free(&whole);
}

static void refused_memory(void **state)
{
    (void)state;
    fault f = { 0 };
    karp_context *context = fault_context(&f);
    karp_snapshot *snapshot = read_cluster(context);
    karp_decision *plan = NULL;
    karp_decision *disruption = NULL;
    assert_int_equal(karp_provision(snapshot, NULL, &plan, NULL), KARP_OK);
    assert_int_equal(karp_disrupt(snapshot, NULL, &disruption, NULL), KARP_OK);
    assert_ptr_equal(karp_decision_snapshot(plan), snapshot);
    karp_snapshot_unref(snapshot);
    refuse_each(&f, context, plan, disruption);
    refuse_each(&f, context, plan, NULL);
    refuse_each(&f, context, NULL, disruption);
    karp_decision_unref(plan);
    karp_decision_unref(disruption);
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),
        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
