/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <base/words.h>
#include <string.h>

typedef struct page {
    char text[1000];
    size_t length;
} page;

static void keep(void *user, karp_str piece)
{
    page *p = user;
    assert_true(p->length + piece.len < sizeof p->text);
    memcpy(p->text + p->length, piece.ptr, piece.len);
    p->length += piece.len;
}

static void laid(const char *text, size_t at, size_t indent, size_t width, const char *wanted)
{
    page p = { .length = 0 };
    lay_words(str(text), at, indent, width, keep, &p);
    p.text[p.length] = '\0';
    assert_string_equal(p.text, wanted);
}

/* What belongs together goes to the next line as a whole. */
static void breaks_between_units(void **state)
{
    (void)state;
    laid("the claim names no storage class", 0, 2, 20, "the claim names\n  no storage class");
    laid("it costs $45.26/month (730 h) in all", 0, 0, 25, "it costs $45.26/month\n(730 h) in all");
    laid("launches of 12 pods each", 0, 0, 14, "launches of\n12 pods each");
    laid("values {a, b, c} of it", 0, 0, 13, "values\n{a, b, c} of\nit");
    laid("says \"two words\" again", 0, 0, 12, "says\n\"two words\"\nagain");
    laid("as it is", 6, 4, 10, "as\n    it is");
}

/* A unit that has no place in a line is broken like other words, and so is a bracket that does not end soon. */
static void breaks_units_last(void **state)
{
    (void)state;
    laid("a (bracket of many words that go on)", 0, 0, 12, "a (bracket\nof many\nwords that\ngo on)");
    laid("never (closed here", 0, 0, 9, "never\n(closed\nhere");
    laid("", 0, 0, 10, "");
    laid("averyveryverylongword x", 0, 0, 5, "averyveryverylongword\nx");
}

static void knows_spaces_within(void **state)
{
    (void)state;
    karp_str text = str("names no class (of it)");
    assert_false(unit_goes_on(text, 5, 30));
    assert_true(unit_goes_on(text, 8, 30));
    assert_false(unit_goes_on(text, 14, 30));
    assert_true(unit_goes_on(text, 18, 30));
    assert_false(unit_goes_on(text, 18, 4));
    assert_false(unit_goes_on(str("\033[1mbold text\033[0m"), 8, 30));
    assert_int_equal(escape_length(str("\033[1mbold")), 4);
    assert_int_equal(escape_length(str("[1m")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaks_between_units),
        cmocka_unit_test(breaks_units_last),
        cmocka_unit_test(knows_spaces_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
