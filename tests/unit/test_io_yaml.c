/* SPDX-License-Identifier: Apache-2.0 */
/* YAML documents: what scalars mean, anchors, merge keys, limits, lines of errors. */
#include "io_reading.h"

#include <stdio.h>

#define HEAD "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n"

/* The type and value that a scalar is read as, seen in a member that no object has. */
static void test_scalars(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *json;
    } cases[] = {
        { "text", "\"text\"" },
        { "y", "true" },
        { "N", "false" },
        { "Yes", "true" },
        { "OFF", "false" },
        { "on", "true" },
        { "yEs", "\"yEs\"" },
        { "true", "true" },
        { "TrUe", "\"TrUe\"" },
        { "~", "null" },
        { "Null", "null" },
        { "", "null" },
        { "'y'", "\"y\"" },
        { "\"1\"", "\"1\"" },
        { "0", "0" },
        { "-0", "0" },
        { "+7", "7" },
        { "-12", "-12" },
        { "0777", "511" },
        { "0o17", "15" },
        { "0x1F", "31" },
        { "0b101", "5" },
        { "-0b11", "-3" },
        { "1_000", "1000" },
        { "08", "8" },
        { "9223372036854775807", "9223372036854775807" },
        { "-9223372036854775808", "-9223372036854775808" },
        { "1.5", "1.5" },
        { ".5", "0.5" },
        { "1.", "1" },
        { "-.5", "-0.5" },
        { "1e3", "1000" },
        { "1e-2", "0.01" },
        { "1e", "\"1e\"" },
        { "1.2.3", "\"1.2.3\"" },
        { "1:30", "\"1:30\"" },
        { "2026-11-21", "\"2026-11-21\"" },
        { "2026-11-21T02:55:10Z", "\"2026-11-21T02:55:10Z\"" },
        { "1e999", "\"1e999\"" },
        { "0x", "\"0x\"" },
        { "!!str 5", "\"5\"" },
        { "!!int \"5\"", "5" },
        { "!!float 3", "3" },
        { "!!bool \"yes\"", "true" },
        { "!!binary aGk=", "\"hi\"" },
        { "!mine 5", "\"5\"" },
        { "100m", "\"100m\"" },
        { "1Gi", "\"1Gi\"" },
        { ".5_0", "\".5_0\"" },
        { "_1", "\"_1\"" },
        { "18446744073709551615", "18446744073709552000.0" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD "x: [%s%s]\nz: %s\n", cases[i].yaml, cases[i].yaml[0] ? "" : "~",
                 cases[i].yaml);
        reading r = read_text(text);
        assert_read(&r);
        json_t *want = json_loads(cases[i].json, JSON_DECODE_ANY, NULL);
        assert_non_null(want);
        if (!json_equal(want, at(object_of(&r, "Pod", "default", "p"), "z")) ||
            !json_equal(want, at(object_of(&r, "Pod", "default", "p"), "x/0"))) {
            char *got = json_dumps(at(object_of(&r, "Pod", "default", "p"), "z"), JSON_ENCODE_ANY);
            fail_msg("%s is %s, not %s", cases[i].yaml, got, cases[i].json);
        }
        json_decref(want);
        reading_free(&r);
    }
}

static void test_refused_scalars(void **state)
{
    (void)state;
    static const char *const refused[] = { ".nan", "-.inf", "+.INF", "!!int x", "!!bool 3", "!!binary '%'", "\"\\0\"" };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, HEAD "z: %s\n", refused[i]);
        reading r = read_text(text);
        assert_refused(&r, KARP_E_INVALID, 5, NULL);
        reading_free(&r);
    }
}

static void test_keys(void **state)
{
    (void)state;
    reading r = read_text(HEAD "x:\n  1: a\n  yes: b\n  1.50: c\n  0x10: d\n  'q': e\n");
    assert_read(&r);
    const json_t *x = at(object_of(&r, "Pod", "default", "p"), "x");
    assert_string_equal(text_at(x, "1"), "a");
    assert_string_equal(text_at(x, "true"), "b");
    assert_string_equal(text_at(x, "1.5"), "c");
    assert_string_equal(text_at(x, "16"), "d");
    reading_free(&r);
    r = read_text(HEAD "x:\n  [1]: a\n");
    assert_refused(&r, KARP_E_INVALID, 6, NULL);
    reading_free(&r);
    r = read_text(HEAD "x:\n  ~: a\n");
    assert_refused(&r, KARP_E_INVALID, 6, NULL);
    reading_free(&r);
}

static void test_documents(void **state)
{
    (void)state;
    reading r = read_text(
        "---\n# nothing\n---\n" HEAD
        "---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: n1}}\n...\n---\n");
    assert_read(&r);
    assert_int_equal(r.counts.pods, 1);
    assert_int_equal(r.counts.nodes, 1);
    reading_free(&r);
    r = read_texts(NULL, "a.yaml",
                   "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\"}}\n---\n{apiVersion: "
                   "v1, kind: Pod, metadata: {name: q}}\n",
                   NULL);
    assert_read(&r);
    assert_int_equal(r.counts.pods, 2);
    reading_free(&r);
    r = read_text("{apiVersion: v1, kind: Pod, metadata: {name: q}}");
    assert_read(&r);
    reading_free(&r);
    r = read_text("- a\n");
    assert_refused(&r, KARP_E_INVALID, 1, NULL);
    reading_free(&r);
}

static void test_anchors_and_merges(void **state)
{
    (void)state;
    reading r = read_text(HEAD "a: &a {x: 1, w: 2}\nb: &b {w: 3, z: 4}\nc: {<<: [*a, *b], x: 9}\nd: {<<: *b}\ne: [*a, "
                               "&s text, *s]\nf: &a other\ng: *a\nh: {'<<': 1}\n");
    assert_read(&r);
    const json_t *p = object_of(&r, "Pod", "default", "p");
    assert_int_equal(number_at(p, "c/x"), 9);
    assert_int_equal(number_at(p, "c/w"), 2);
    assert_int_equal(number_at(p, "c/z"), 4);
    assert_int_equal(number_at(p, "d/w"), 3);
    assert_int_equal(number_at(p, "e/0/x"), 1);
    assert_string_equal(text_at(p, "e/2"), "text");
    assert_string_equal(text_at(p, "g"), "other");
    assert_int_equal(number_at(p, "h/<<"), 1);
    reading_free(&r);

    static const struct {
        const char *text;
        karp_status status;
    } refused[] = {
        { "a: &a [*a]\n", KARP_E_INVALID },     { "a: &a {b: {c: *a}}\n", KARP_E_INVALID },
        { "a: &a {<<: *a}\n", KARP_E_INVALID }, { "a: *b\n", KARP_E_SYNTAX },
        { "a: {<<: 5}\n", KARP_E_INVALID },     { "a: {<<: [{}, 5]}\n", KARP_E_INVALID },
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, HEAD "%s", refused[i].text);
        r = read_text(text);
        assert_refused(&r, refused[i].status, 5, NULL);
        reading_free(&r);
    }
}

/* Few nodes of much text: what aliases stand for counts as text of the document. */
static void test_alias_bytes(void **state)
{
    (void)state;
    static char text[30000] = "- &l ";
    size_t n = strlen(text);
    memset(text + n, 'x', 1000);
    n += 1000;
    for (int i = 0; i < 200; i++) n += (size_t)snprintf(text + n, sizeof text - n, "\n- *l");
    karp_context_options limits;
    karp_context_options_init(&limits, sizeof limits);
    for (int enough = 0; enough < 2; enough++) {
        limits.max_document_bytes = enough ? 300000 : 100000;
        karp_context *context = NULL;
        karp_reader *reader = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_context_new(&limits, &context, NULL), KARP_OK);
        assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
        karp_status status = karp_reader_add(reader, (karp_str){ "a.yaml", 6 }, (karp_str){ text, n }, &error);
        /* In the end the list is no object. */
        assert_int_equal(status, enough ? KARP_E_INVALID : KARP_E_LIMIT);
        assert_int_equal(error.line, enough ? 1 : 95);
        karp_reader_free(reader);
        karp_context_unref(context);
    }
}

/* Without a limit of the caller's aliases may stand for 64 MiB, in all documents of a text together. */
static void test_alias_bytes_of_a_text(void **state)
{
    (void)state;
    enum { LONG = 100000, EACH = 400 };
    size_t capacity = 2 * (LONG + 100 + EACH * 20), n = 0;
    char *text = malloc(capacity);
    assert_non_null(text);
    for (int documents = 0; documents < 2; documents++) {
        n += (size_t)snprintf(text + n, capacity - n,
                              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\ndata:\n  a: &a ", documents);
        memset(text + n, 'x', LONG);
        n += LONG;
        for (int i = 0; i < EACH; i++) n += (size_t)snprintf(text + n, capacity - n, "\n  k%d: *a", i);
        text[n] = '\0';
        reading r = read_text(text);
        /* 671 copies are less than 64 MiB: 400 are read, of 800 the 672nd is one too many. */
        if (documents) {
            assert_refused(&r, KARP_E_LIMIT, 405 + 1 + 4 + 272, NULL);
            assert_string_equal(r.error.message, "the aliases expand to more than 67108864 bytes");
        } else {
            assert_int_equal(r.status, KARP_OK);
        }
        reading_free(&r);
        n += (size_t)snprintf(text + n, capacity - n, "\n---\n");
    }
    free(text);
}

/* Ten aliases of ten aliases of …: small as text, endless as a tree. */
static void test_alias_limits(void **state)
{
    (void)state;
    char text[2048] = HEAD "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 9; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "l%d: &l%d [*l%d, *l%d, *l%d, *l%d, *l%d, *l%d, *l%d, *l%d, *l%d, *l%d]\n",
                 i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    }
    reading r = read_text(text);
    assert_refused(&r, KARP_E_LIMIT, 9, NULL);
    reading_free(&r);

    /* Depth counts through aliases. */
    char deep[4096] = HEAD "l0: &l0 [[[[[[[[[[x]]]]]]]]]]\n";
    for (int i = 1; i < 12; i++) {
        size_t n = strlen(deep);
        snprintf(deep + n, sizeof deep - n, "l%d: &l%d [[[[[[[[[[*l%d]]]]]]]]]]\n", i, i, i - 1);
    }
    r = read_text(deep);
    assert_refused(&r, KARP_E_LIMIT, 14, NULL);
    reading_free(&r);
}

static void test_depth(void **state)
{
    (void)state;
    for (size_t depth = 99; depth <= 101; depth++) {
        char text[512] = HEAD "x: ";
        size_t n = strlen(text);
        memset(text + n, '[', depth - 1);
        memset(text + n + depth - 1, ']', depth - 1);
        memcpy(text + n + 2 * (depth - 1), "\n", 2);
        reading r = read_text(text);
        if (depth <= 100) assert_read(&r);
        else assert_refused(&r, KARP_E_LIMIT, 5, NULL);
        reading_free(&r);
    }
}

static void test_places_of_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        karp_status status;
        uint32_t line;
        const char *field;
    } cases[] = {
        { HEAD "spec:\n  containers:\n  - name: a\n    resources:\n      requests:\n        cpu: 1x\n", KARP_E_INVALID,
          10, "spec.containers[0].resources.requests.cpu" },
        { "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  labels:\n    good: x\n    bad: true\n", KARP_E_INVALID, 7,
          "metadata.labels.bad" },
        { "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p\n- apiVersion: "
          "v1\n  kind: Pod\n  metadata: {}\n",
          KARP_E_INVALID, 10, "metadata.name" },
        { "apiVersion: v1\nkind: List\nitems:\n- 5\n", KARP_E_INVALID, 4, NULL },
        { HEAD "---\n" HEAD "spec: 5\n", KARP_E_INVALID, 10, "spec" },
        { HEAD "status:\n  resourceClaimStatuses:\n  - 5\n", KARP_E_INVALID, 7, "status.resourceClaimStatuses[0]" },
        { HEAD "status:\n  resourceClaimStatuses:\n  - {name: a, resourceClaimName: 5}\n", KARP_E_INVALID, 7,
          "status.resourceClaimStatuses[0].resourceClaimName" },
        { "a:\n\t- b\n", KARP_E_SYNTAX, 2, NULL },
        { "values:\n  - \"us-west-2a\", \"us-west-2b\"\n", KARP_E_SYNTAX, 2, NULL },
        { "apiVersion: karp/v1\nkind: Snapshot\nobjects:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n1\n  "
          "status:\n    capacity: {cpu: x}\n",
          KARP_E_INVALID, 9, "status.capacity.cpu" },
        { "apiVersion: karp/v1\nkind: Snapshot\nstate:\n  method: Guess\n", KARP_E_INVALID, 4, "state.method" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reading r = read_texts(NULL, "dir/x.yaml", cases[i].text, NULL);
        assert_refused(&r, cases[i].status, cases[i].line, cases[i].field);
        assert_string_equal(r.error.document, "dir/x.yaml");
        reading_free(&r);
    }
}

static void test_repeated_keys_warn(void **state)
{
    (void)state;
    reading r = read_text("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  name: b\n");
    assert_read(&r);
    assert_int_equal(r.warning_count, 3); /* the others: there is no container and no NodePool */
    assert_non_null(strstr(r.warnings, "input:5"));
    assert_non_null(object_of(&r, "Pod", "default", "b"));
    reading_free(&r);
}

static void test_snapshot_in_yaml(void **state)
{
    (void)state;
    reading r = read_text("apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-11-21T02:55:10Z\nstate: {pods: "
                          "[default/p]}\nobjects:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: p}\n");
    assert_read(&r);
    assert_int_equal(r.counts.pods_to_place, 1);
    assert_string_equal(text_at(r.dump, "now"), "2026-11-21T02:55:10Z");
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_refused_scalars),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_anchors_and_merges),
        cmocka_unit_test(test_alias_limits),
        cmocka_unit_test(test_alias_bytes),
        cmocka_unit_test(test_alias_bytes_of_a_text),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_places_of_errors),
        cmocka_unit_test(test_repeated_keys_warn),
        cmocka_unit_test(test_snapshot_in_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
