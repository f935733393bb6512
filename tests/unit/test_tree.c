/* SPDX-License-Identifier: Apache-2.0 */
/* lib/json: text to trees, trees to text. */
#include <json/tree.h> /* before cmocka, which has a macro of the name fail */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <support/fault.h>

static fault faults;
static karp_context *context;
static trees forest;

static int set_up(void **state)
{
    (void)state;
    memset(&faults, 0, sizeof faults);
    context = fault_context(&faults);
    if (!context) return -1;
    trees_init(&forest, context);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    trees_free(&forest);
    karp_context_unref(context);
    return faults.live_blocks == 0 && faults.wrong_sizes == 0 ? 0 : -1;
}

static tree *read_text(const char *text)
{
    tree *root = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(tree_read(&forest, str("a.json"), str(text), &root, &error), KARP_OK);
    assert_non_null(root);
    return root;
}

static void expect_written(const tree *value, const char *expected)
{
    strbuf out;
    strbuf_init(&out, context);
    tree_write(&out, value);
    assert_false(out.failed);
    assert_string_equal(out.ptr, expected);
    strbuf_free(&out);
}

static void test_canonical(void **state)
{
    (void)state;
    static const struct {
        const char *text, *written;
    } cases[] = {
        { " { } ", "{}" },
        { "[ ]", "[]" },
        { "{\"b\":1,\"a\":[true,false,null,-0,\"x\"]}", "{\"a\":[true,false,null,0,\"x\"],\"b\":1}" },
        { "[1.50,1e3,1E+2,-2.5e-1,1e19]", "[1.5,1000,100,-0.25,10000000000000000000.0]" },
        { "[9223372036854775807,-9223372036854775808]", "[9223372036854775807,-9223372036854775808]" },
        { "\"a\\u0041\\n\\\"\\\\\\/\\u00e9\\ud83d\\ude00\\u0001\"",
          "\"aA\\n\\\"\\\\/\xc3\xa9\xf0\x9f\x98\x80\\u0001\"" },
        /* The first place and the last value of what comes twice. */
        { "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_written(read_text(cases[i].text), cases[i].written);
}

static void test_many_members(void **state)
{
    (void)state;
    strbuf text;
    strbuf_init(&text, context);
    for (unsigned i = 0; i < 1000; i++) {
        strbuf_adds(&text, i ? ",\"m" : "{\"m");
        strbuf_addu(&text, i % 600);
        strbuf_adds(&text, "\":");
        strbuf_addu(&text, i);
    }
    strbuf_adds(&text, "}");
    const tree *map = read_text(text.ptr);
    assert_int_equal(tree_count(map), 600);
    int64_t number = 0;
    assert_true(tree_integer(tree_get(map, "m399"), &number));
    assert_int_equal(number, 999);
    assert_true(tree_integer(tree_get(map, "m400"), &number));
    assert_int_equal(number, 400);
    assert_true(str_is(tree_member_name(tree_member_at(map, 599)), "m599"));
    strbuf_free(&text);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        karp_status status;
        const char *message;
        uint32_t line, column;
    } cases[] = {
        { "", KARP_E_SYNTAX, "not JSON: it ends in the middle", 1, 1 },
        { "{\n \"a\":\n  tru }", KARP_E_SYNTAX, "not JSON: no value begins like this", 3, 3 },
        { "{\"a\" 1}", KARP_E_SYNTAX, "not JSON: \":\" is missing", 1, 6 },
        { "{1:2}", KARP_E_SYNTAX, "not JSON: a member's name is missing", 1, 2 },
        { "[1 2]", KARP_E_SYNTAX, "not JSON: a comma or the closing bracket is missing", 1, 4 },
        { "[1,", KARP_E_SYNTAX, "not JSON: it ends in the middle", 1, 4 },
        { "[1] x", KARP_E_SYNTAX, "not JSON: something follows the value", 1, 5 },
        { "[01]", KARP_E_SYNTAX, "not JSON: not a number as JSON has them", 1, 4 },
        { "[\"abc", KARP_E_SYNTAX, "not JSON: a string without an end", 1, 6 },
        { "[\"a\tb\"]", KARP_E_SYNTAX, "not JSON: a control character in a string", 1, 4 },
        { "[\"\\x\"]", KARP_E_SYNTAX, "not JSON: an escape that JSON does not have", 1, 4 },
        { "[\"\\u0000\"]", KARP_E_SYNTAX, "not JSON: a NUL in a string", 1, 9 },
        { "[\"\\ud800x\"]", KARP_E_SYNTAX, "not JSON: half of a surrogate pair in a string", 1, 9 },
        { "[\"\xff\"]", KARP_E_SYNTAX, "not JSON: what is not UTF-8", 1, 3 },
        { "[9223372036854775808]", KARP_E_RANGE, "an integer beyond 64 bits", 1, 21 },
        { "[1e999]", KARP_E_RANGE, "a number too large for a double", 1, 7 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        karp_error error;
        tree *root = NULL;
        karp_error_init(&error, sizeof error);
        assert_int_equal(tree_read(&forest, str("a.json"), str(cases[i].text), &root, &error), cases[i].status);
        assert_null(root);
        assert_string_equal(error.message, cases[i].message);
        assert_string_equal(error.document, "a.json");
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.column, cases[i].column);
    }
    tree *root = NULL;
    tree_fault found;
    assert_int_equal(tree_parse(&forest, str("[[[[]]]]"), 4, &root, NULL, &found), KARP_OK);
    assert_int_equal(tree_parse(&forest, str("[[[[]]]]"), 3, &root, NULL, &found), KARP_E_LIMIT);
    assert_int_equal(found.at, 3);
}

static void test_places(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":\n [1,\"\\n\"]}";
    const tree *list = tree_get(read_text(text), "a");
    assert_int_equal(list->at, 7);
    assert_int_equal(tree_item(list, 1)->at, 10);
    uint32_t line, column;
    tree_position(str(text), 10, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 5);
    size_t length = 0;
    tree *root = NULL;
    tree_fault found;
    assert_int_equal(tree_parse(&forest, str("\"x\\u0079\" , 2"), 9, &root, &length, &found), KARP_OK);
    assert_int_equal(length, 9);
    assert_true(str_is(tree_text(root), "xy"));
    assert_true(tree_text(root).ptr != text);
}

static tree *build(trees *t)
{
    tree *map = tree_new(t, TREE_MAP), *list = tree_new(t, TREE_LIST);
    tree_set(t, map, "list", list);
    for (int64_t i = 0; i < 20; i++) tree_append(t, list, tree_new_integer(t, i - 10));
    tree_set_text(t, tree_get_or_make(t, map, "inner"), "text", str("x"));
    tree_default_text(t, tree_get_or_make(t, map, "inner"), "text", str("y"));
    tree_default_text(t, tree_get_or_make(t, map, "inner"), "more", str("z"));
    tree_set(t, map, "half", tree_new_double(t, 0.5));
    tree_set(t, map, "gone", tree_new(t, TREE_NULL));
    return map;
}

static const char built[] =
    "{\"gone\":null,\"half\":0.5,\"inner\":{\"more\":\"z\",\"text\":\"x\"},\"list\":[-10,-9,-8,-7,-6,"
    "-5,-4,-3,-2,-1,0,1,2,3,4,5,6,7,8,9]}";

static void test_making(void **state)
{
    (void)state;
    tree *map = build(&forest);
    expect_written(map, built);
    tree *copy = tree_copy(&forest, map), *deep = tree_deep_copy(&forest, map, true);
    assert_true(tree_equal(map, deep));
    tree_remove(&forest, copy, "list");
    tree_remove(&forest, copy, "list");
    tree_set_text(&forest, copy, "new", str("n"));
    expect_written(map, built); /* the copy has members of its own … */
    tree_set_text(&forest, tree_get(copy, "inner"), "text", str("changed"));
    assert_true(str_is(tree_get_text(tree_get(map, "inner"), "text"), "changed")); /* … but their values in common */
    expect_written(deep, built);
    assert_false(tree_equal(map, deep));
    tree_set_missing(&forest, copy, deep);
    assert_int_equal(tree_count(tree_get(copy, "list")), 20);
    tree_remove_item(&forest, tree_get(copy, "list"), 0);
    assert_int_equal(tree_count(tree_get(deep, "list")), 19);
    assert_int_equal(forest.status, KARP_OK);
    /* What is absent or of another type is nothing. */
    assert_null(tree_get(map, "none"));
    assert_null(tree_get(map, "gone"));
    assert_null(tree_get(tree_get(map, "half"), "x"));
    assert_int_equal(tree_count(tree_get(map, "half")), 0);
    assert_null(tree_item(map, 0));
    tree_set_text(&forest, tree_get_or_make(&forest, map, "half"), "x", str("lost"));
    assert_true(tree_is(tree_get(map, "half"), TREE_REAL));
}

/* Each allocation refused: nothing but NOMEM comes of it. */
static void test_refused(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":[1,2.5,\"\\u0041\",{\"b\":{}}],\"c\":\"plain\",\"d\":[[],[1,2,3,4,5,6,7,8,9]]}";
    size_t refusals = 0;
    for (int lasting = 0; lasting < 2; lasting++) {
        for (size_t nth = 1;; nth++) {
            trees own;
            tree *root = NULL;
            tree_fault found;
            trees_init(&own, context);
            fault_arm(&faults, nth, lasting != 0);
            karp_status status = tree_parse(&own, str(text), 10, &root, NULL, &found);
            const tree *map = build(&own);
            bool refused = faults.refused > 0;
            fault_arm(&faults, 0, false);
            if (own.status == KARP_OK && status == KARP_OK) {
                assert_false(refused);
                expect_written(map, built);
            } else {
                assert_int_equal(own.status, KARP_E_NOMEM);
                refusals++;
            }
            trees_free(&own);
            if (!refused) break;
        }
    }
    assert_true(refusals > 4);
}

/* ---- repeated values --------------------------------------------------------------------------------------------- */

static const karp_str kept_names[] = { { "spec", 4 }, { "labels", 6 } };

/* Parses texts one after another, each into a tree of its own, as a reader does. */
static karp_status parse_repeated(tree_repeats *repeats, trees *t, const char *const *texts, size_t count, tree **out)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++) {
        tree_fault found;
        size_t length = 0;
        t->repeats = repeats;
        status = tree_parse(t, str(texts[i]), 4, &out[i], &length, &found);
        t->repeats = NULL;
    }
    return status;
}

static const char *const repeated_texts[] = {
    "{\"n\":1,\"labels\":{\"a\":\"x\\u0041\"},\"spec\":{\"labels\":[1,{\"b\":2}],\"c\":[3]}}",
    "{\"n\":22,\"labels\":{\"a\":\"x\\u0041\"},\"spec\":{\"labels\":[1,{\"b\":2}],\"c\":[3]}}",
    "{\"n\":333,\n \"labels\":{\"a\":\"x\\u0041\"},\"spec\":{\"labels\":[1,{\"b\":2}],\"c\":[4]}}",
    "{\"n\":333,\"labels\":{\"a\":\"x\\u0041\"},\n\"spec\":{\"labels\":[1,{\"b\":2}],\"c\":[3],\"d\":{}}}",
    "{\"n\":4,\"labels\":{},\"spec\":[{\"b\":2}]}",
    "{\"n\":4,\"labels\":\"text\",\"spec\":null}",
    "{\"n\":1,\"labels\":{\"a\":\"x\\u0041\"},\"spec\":{\"labels\":[1,{\"b\":2}],\"c\":[3]}}",
};

enum { REPEATED_TEXTS = sizeof repeated_texts / sizeof repeated_texts[0] };

static void test_repeats(void **state)
{
    (void)state;
    tree_repeats repeats;
    tree *shared[REPEATED_TEXTS], *plain[REPEATED_TEXTS];
    assert_true(tree_repeats_init(&repeats, &forest, kept_names, 2, 10000));
    assert_int_equal(parse_repeated(&repeats, &forest, repeated_texts, REPEATED_TEXTS, shared), KARP_OK);
    assert_int_equal(parse_repeated(NULL, &forest, repeated_texts, REPEATED_TEXTS, plain), KARP_OK);
    for (size_t i = 0; i < REPEATED_TEXTS; i++) {
        strbuf text;
        strbuf_init(&text, context);
        tree_write(&text, plain[i]);
        expect_written(shared[i], text.ptr);
        strbuf_free(&text);
        /* The position of a value itself is that in its own text. */
        const tree *spec = tree_get(shared[i], "spec"), *other = tree_get(plain[i], "spec");
        if (spec) assert_int_equal(spec->at, other->at);
    }
    tree *first = tree_get(shared[0], "spec"), *second = tree_get(shared[1], "spec");
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(tree_get(first, "c"), tree_get(second, "c"));
    assert_ptr_not_equal(tree_get(first, "c"), tree_get(tree_get(shared[2], "spec"), "c"));
    /* Positions below count from the value. */
    assert_int_equal(first->at + tree_get(first, "c")->at, tree_get(tree_get(plain[0], "spec"), "c")->at);
    assert_int_equal(second->at + tree_get(second, "c")->at, tree_get(tree_get(plain[1], "spec"), "c")->at);
    /* Changes of one node are not seen in the others. */
    tree_set_text(&forest, first, "c", str("changed"));
    tree_set_text(&forest, first, "new", str("n"));
    expect_written(second, "{\"c\":[3],\"labels\":[1,{\"b\":2}]}");
    expect_written(tree_get(shared[6], "spec"), "{\"c\":[3],\"labels\":[1,{\"b\":2}]}");
    expect_written(first, "{\"c\":\"changed\",\"labels\":[1,{\"b\":2}],\"new\":\"n\"}");
    tree_repeats_free(&repeats);
}

/* A value that fits where it was kept, and is nested too deep where it is met again. */
static void test_repeats_in_depth(void **state)
{
    (void)state;
    static const char *const texts[] = { "{\"spec\":{\"a\":[1]}}", "{\"x\":{\"spec\":{\"a\":[1]}}}",
                                         "{\"x\":[{\"spec\":{\"a\":[1]}}]}" };
    tree_repeats repeats;
    tree *roots[3];
    assert_true(tree_repeats_init(&repeats, &forest, kept_names, 2, 10000));
    assert_int_equal(parse_repeated(&repeats, &forest, texts, 2, roots), KARP_OK);
    assert_int_equal(parse_repeated(&repeats, &forest, texts + 2, 1, roots), KARP_E_LIMIT);
    tree_repeats_free(&repeats);
}

/* Values that begin alike and are never met again: few of them are kept. */
static void test_repeats_in_vain(void **state)
{
    (void)state;
    tree_repeats repeats;
    trees kept;
    enum { TEXTS = 2000, LENGTH = 200 };
    static char texts[TEXTS][LENGTH];
    trees_init(&kept, context);
    assert_true(tree_repeats_init(&repeats, &kept, kept_names, 2, 1));
    for (int i = 0; i < TEXTS; i++) {
        const char *const text = texts[i];
        tree *root;
        snprintf(texts[i], LENGTH, "{\"spec\":{\"%0120d\":[1,2,3,4,5,6,7,8],\"a\":[%d]}}", 0, i);
        assert_int_equal(parse_repeated(&repeats, &forest, &text, 1, &root), KARP_OK);
        assert_int_equal(tree_count(tree_get(root, "spec")), 2);
        trees_clear(&forest);
    }
    assert_true(kept.memory.total < 20000);
    tree_repeats_free(&repeats);
    trees_free(&kept);
}

static void test_repeats_refused(void **state)
{
    (void)state;
    size_t refusals = 0;
    for (int lasting = 0; lasting < 2; lasting++) {
        for (size_t nth = 1;; nth++) {
            trees own, kept;
            tree_repeats repeats;
            tree *roots[REPEATED_TEXTS];
            trees_init(&own, context);
            trees_init(&kept, context);
            fault_arm(&faults, nth, lasting != 0);
            karp_status status = KARP_E_NOMEM;
            if (tree_repeats_init(&repeats, &kept, kept_names, 2, 10000))
                status = parse_repeated(&repeats, &own, repeated_texts, REPEATED_TEXTS, roots);
            bool refused = faults.refused > 0;
            fault_arm(&faults, 0, false);
            if (status == KARP_OK) {
                assert_false(refused);
                expect_written(roots[6],
                               "{\"labels\":{\"a\":\"xA\"},\"n\":1,\"spec\":{\"c\":[3],\"labels\":[1,{\"b\":2}]}}");
            } else {
                assert_int_equal(status, KARP_E_NOMEM);
                refusals++;
            }
            tree_repeats_free(&repeats);
            trees_free(&own);
            trees_free(&kept);
            if (!refused) break;
        }
    }
    assert_true(refusals > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_canonical, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_members, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_faults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_making, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repeats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repeats_in_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repeats_in_vain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repeats_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
