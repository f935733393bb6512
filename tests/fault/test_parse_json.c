/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON values under refused memory: the answer is the whole value or "no memory". Without refusals tree_read() reads
 * what jansson reads and refuses what jansson refuses.
 */
#include <json/tree.h> /* before cmocka, which has a macro of the name fail */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <support/random.h>

/* ---- memory that is refused -------------------------------------------------------------------------------------- */

static struct {
    size_t calls, fail_at, live;
    bool keep_failing;
} memory;

static void *take(size_t bytes)
{
    memory.calls++;
    if (memory.fail_at != 0 &&
        (memory.calls == memory.fail_at || (memory.keep_failing && memory.calls > memory.fail_at)))
        return NULL;
    memory.live++;
    return malloc(bytes + (bytes == 0));
}

static void give(void *ptr)
{
    if (ptr != NULL) memory.live--;
    free(ptr);
}

static void *context_take(size_t bytes, void *user)
{
    (void)user;
    return take(bytes);
}

static void context_give(void *ptr, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    give(ptr);
}

static karp_context *context_of(void)
{
    karp_allocator allocator = { sizeof allocator, context_take, NULL, context_give, NULL };
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.allocator = &allocator;
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    return context;
}

static tree *parse(trees *t, const char *text, size_t length, karp_error *error)
{
    tree *root = NULL;
    karp_error_init(error, sizeof *error);
    karp_status status = tree_read(t, str("x.json"), (karp_str){ text, length }, &root, error);
    assert_int_equal(status, error->status);
    assert_int_equal(status == KARP_OK, root != NULL);
    return root;
}

static const char document[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\\u00e9\\ud83d\\ude00\\n\",\"labels\":{\"app."
    "kubernetes.io/name\":"
    "\"web\",\"b\\\"\\/"
    "\":\"\"}},\"spec\":{\"containers\":[{\"name\":\"main\",\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":"
    "1073741824,\"x\":-1.5e3}}}],\"hostNetwork\":false,\"none\":null,\"tolerations\":[{\"tolerationSeconds\":300,"
    "\"operator\":\"Exists\"}],"
    "\"many\":[0,-0,1,22,-9223372036854775808,9223372036854775807,0.0,1e5,true,[],{},[[]]]}}";

static void refuse_each(bool keep_failing)
{
    memset(&memory, 0, sizeof memory);
    karp_context *context = context_of();
    karp_error error;
    trees whole;
    trees_init(&whole, context);
    const tree *expected = parse(&whole, document, sizeof document - 1, &error);
    assert_non_null(expected);
    size_t live = memory.live, at = 1;
    for (;; at++) {
        trees t;
        trees_init(&t, context);
        memory.calls = 0;
        memory.fail_at = at;
        memory.keep_failing = keep_failing;
        const tree *root = parse(&t, document, sizeof document - 1, &error);
        bool refused = memory.calls >= at;
        memory.fail_at = 0;
        if (root != NULL) assert_true(tree_equal(root, expected));
        else assert_int_equal(error.status, KARP_E_NOMEM);
        assert_true(refused || root != NULL);
        trees_free(&t);
        assert_int_equal(memory.live, live);
        if (!refused) break;
    }
    assert_true(at > 3);
    trees_free(&whole);
    karp_context_unref(context);
    assert_int_equal(memory.live, 0);
}

static void test_refused_once(void **state)
{
    (void)state;
    refuse_each(false);
}

static void test_refused_from_then_on(void **state)
{
    (void)state;
    refuse_each(true);
}

/* ---- the same language as jansson's ------------------------------------------------------------------------------ */

static bool alike(const json_t *theirs, const tree *ours)
{
    int64_t whole = 0;
    double real = 0;
    switch (json_typeof(theirs)) {
    case JSON_OBJECT: {
        const char *name;
        const json_t *value;
        void *at;
        json_t *object = json_incref((json_t *)(uintptr_t)theirs);
        bool same = tree_is(ours, TREE_MAP) && tree_count(ours) == json_object_size(theirs);
        for (at = json_object_iter(object); same && at; at = json_object_iter_next(object, at)) {
            name = json_object_iter_key(at);
            value = json_object_iter_value(at);
            const tree *own = tree_find(ours, name, json_object_iter_key_len(at));
            same = own && alike(value, own);
        }
        json_decref(object);
        return same;
    }
    case JSON_ARRAY:
        if (!tree_is(ours, TREE_LIST) || tree_count(ours) != json_array_size(theirs)) return false;
        for (size_t i = 0; i < tree_count(ours); i++) {
            if (!alike(json_array_get(theirs, i), tree_item(ours, i))) return false;
        }
        return true;
    case JSON_STRING:
        return tree_is(ours, TREE_STRING) &&
               equal_str(tree_text(ours), (karp_str){ json_string_value(theirs), json_string_length(theirs) });
    case JSON_INTEGER: return tree_integer(ours, &whole) && whole == json_integer_value(theirs);
    case JSON_REAL:
        return tree_is(ours, TREE_REAL) && tree_double(ours, &real) && real >= json_real_value(theirs) &&
               real <= json_real_value(theirs);
    case JSON_TRUE: return tree_is(ours, TREE_TRUE);
    case JSON_FALSE: return tree_is(ours, TREE_FALSE);
    case JSON_NULL: return tree_is(ours, TREE_NULL);
    }
    return false;
}

static void check_alike(karp_context *context, const char *text, size_t length, bool one_fault)
{
    json_error_t why;
    karp_error error;
    trees t;
    trees_init(&t, context);
    json_t *theirs = json_loadb(text, length, JSON_DECODE_ANY, &why);
    const tree *ours = parse(&t, text, length, &error);
    if ((theirs == NULL) != (ours == NULL) || (theirs != NULL && !alike(theirs, ours))) {
        fail_msg("jansson %s, we %s: %.*s", theirs ? "reads" : "refuses", ours ? "read" : "refuse", (int)length, text);
    }
    if (ours == NULL && one_fault) {
        bool range = json_error_code(&why) == json_error_numeric_overflow;
        assert_int_equal(error.status, range ? KARP_E_RANGE : KARP_E_SYNTAX);
    }
    json_decref(theirs);
    trees_free(&t);
}

static void test_edges(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        " ",
        "\"",
        "\"\\",
        "\"\\u",
        "\"\\u12\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"\\ud83d\\ude00\"",
        "\"\\x\"",
        "\"\t\"",
        "\"\\\\\"",
        "\"\\\\\\\"\"",
        "\"\xc3\xa9\"",
        "\"\xc3\"",
        "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\xf4\x8f\xbf\xbf\"",
        "\"\xe0\x80\x80\"",
        "\"\xf0\x80\x80\x80\"",
        "\"\xff\"",
        "0",
        "-0",
        "-",
        "00",
        "01",
        "1.",
        ".5",
        "1.5",
        "1e",
        "1e+",
        "1e5",
        "1E-5",
        "1e400",
        "-1e400",
        "1e-400",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999",
        "nul",
        "null",
        "nullx",
        "true",
        "True",
        "false",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[]",
        "[[],[]]",
        "{",
        "{}",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,\"a\":2}",
        "{\"a\\u0000\":1}",
        "{\"\":{}}",
        "1 2",
        "[] x",
        "\"a\" ",
        " \n\t\r1",
        "{\"a\" : [ 1 , 2 ] }",
        "NaN",
        "Infinity",
        "'a'",
        "/**/1",
    };
    karp_context *context = context_of();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) check_alike(context, texts[i], strlen(texts[i]), true);
    check_alike(context, "\"a\0b\"", 5, true);
    karp_context_unref(context);
}

static void test_changed_documents(void **state)
{
    (void)state;
    static const char telling[] = "{}[]:,\"\\0-+.eEu19tfn \n\x80\xc3\xa9\xed";
    karp_context *context = context_of();
    uint64_t seed = 11;
    for (int i = 0; i < 20000; i++) {
        char text[sizeof document];
        size_t length = sizeof document - 1;
        memcpy(text, document, sizeof document);
        for (uint64_t n = 1 + random_below(&seed, 3); n > 0; n--) {
            size_t at = random_below(&seed, length);
            if (random_below(&seed, 3) == 0) memmove(text + at, text + at + 1, --length - at);
            else text[at] = telling[random_below(&seed, sizeof telling - 1)];
        }
        check_alike(context, text, length, false);
    }
    karp_context_unref(context);
}

static void test_positions(void **state)
{
    (void)state;
    karp_context *context = context_of();
    karp_error error;
    trees t;
    trees_init(&t, context);
    static const char text[] = "{\n \"a\": [1,\n  tru]}";
    assert_null(parse(&t, text, sizeof text - 1, &error));
    assert_int_equal(error.status, KARP_E_SYNTAX);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 3);
    assert_string_equal(error.document, "x.json");
    /* Deeper than any stack should go, whatever the context allows. */
    static char deep[5000];
    memset(deep, '[', sizeof deep);
    assert_null(parse(&t, deep, sizeof deep, &error));
    assert_int_equal(error.status, KARP_E_LIMIT);
    trees_free(&t);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_once), cmocka_unit_test(test_refused_from_then_on),
        cmocka_unit_test(test_edges),        cmocka_unit_test(test_changed_documents),
        cmocka_unit_test(test_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
