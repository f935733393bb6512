/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions of repair policies: what is found where, and what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <base/context.h>
#include <model/regex.h>

struct row {
    const char *pattern, *text;
    bool found;
};

static bool found(arena *a, const char *pattern, const char *text)
{
    const char *wrong;
    bool refused;
    regex *r = regex_compile(a, (karp_str){ pattern, strlen(pattern) }, &wrong);
    if (r == NULL) fail_msg("%s: %s", pattern, wrong);
    bool result = regex_found(r, (karp_str){ text, strlen(text) }, a, &refused);
    assert_false(refused);
    return result;
}

static void test_found(void **state)
{
    static const struct row rows[] = {
        { "", "", true },
        { "", "a", true },
        { "a", "", false },
        { "a", "cab", true },
        { "^a", "ba", false },
        { "a$", "ab", false },
        { "^XID(46|48)$", "XID48", true },
        { "^XID(46|48)$", "XID47", false },
        { "XID79", "an XID79 here", true },
        { ".*", "", true },
        { "a.c", "abc", true },
        { "a.c", "a\nc", false },
        { "(?s)a.c", "a\nc", true },
        { "(?i)abc", "xABCx", true },
        { "(?i:a)b", "Ab", true },
        { "(?i:a)b", "AB", false },
        { "a*b", "b", true },
        { "a+b", "b", false },
        { "a?b", "ab", true },
        { "^a{2}$", "aa", true },
        { "^a{2}$", "aaa", false },
        { "^a{2,}$", "aaaa", true },
        { "^a{2,3}$", "aaaa", false },
        { "^a{0,1}$", "", true },
        { "^a{0}$", "", true },
        { "a{,2}", "a{,2}", true },
        { "^(ab|cd)*$", "abcdab", true },
        { "^(ab|cd)+$", "abc", false },
        { "^(a|b|c)(d|e)$", "ce", true },
        { "^(a*)*$", "aaa", true },
        { "^(a*)+$", "", true },
        { "[a-c]x", "bx", true },
        { "[^a-c]x", "bx", false },
        { "[]]", "]", true },
        { "[a\\]]", "]", true },
        { "[[:digit:]]+", "a1", true },
        { "[[:^digit:]]", "1", false },
        { "\\d+\\.\\d", "10.5", true },
        { "^\\w+$", "a_1", true },
        { "\\W", "ab", false },
        { "\\s", "a b", true },
        { "\\bab\\b", "x ab y", true },
        { "\\bab\\b", "xab", false },
        { "\\Aab\\z", "ab", true },
        { "a\\x62c", "abc", true },
        { "^.$", "\xc3\xa4", true },
        { "(?m)^b$", "a\nb\nc", true },
        { "^b$", "a\nb", false },
        { "(?P<n>a)b", "ab", true },
        { "x|", "q", true },
        { "^(|a)b$", "ab", true },
        { "^(a|)b$", "b", true },
        { "^((a{2}){2}){2}$", "aaaaaaaa", true },
        { "^(a{1,2}){2,3}$", "aaaaaaa", false },
        { "^(a{1,2}){2,3}$", "aaaaaa", true },
        { "a|b|cd|e", "xcdx", true },
        { "^(?:a|b|cd|e)$", "c", false },
        { "a.*?c", "abbc", true },
        { "a{2}?b", "aab", true },
    };
    arena *a = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (found(a, rows[i].pattern, rows[i].text) != rows[i].found)
            fail_msg("\"%s\" on \"%s\": not %d", rows[i].pattern, rows[i].text, rows[i].found);
    }
}

static void test_refused(void **state)
{
    static const char *const wrong[] = { "(",      ")",
                                         "a)",     "[",
                                         "[a",     "*",
                                         "a**",    "a\\",
                                         "\\q",    "(?x)",
                                         "(?",     "[b-a]",
                                         "a{2,1}", "a{1001}",
                                         "(?P<n",  "[[:nobody:]]",
                                         "\\pL",   "((((((((((a{1000}){1000}){1000}))))))))" };
    arena *a = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *what;
        if (regex_compile(a, (karp_str){ wrong[i], strlen(wrong[i]) }, &what) != NULL || what == NULL)
            fail_msg("\"%s\" is accepted", wrong[i]);
    }
}

/* What takes others exponential time. */
static void test_steps(void **state)
{
    char text[400];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(found(*state, "^(a|aa)+$b", text));
    assert_false(found(*state, "^(a*)*(a*)*(a*)*b$", text));
}

static int set_up(void **state)
{
    static arena a;
    karp_context *context;
    if (karp_context_new(NULL, &context, NULL) != KARP_OK) return -1;
    arena_init(&a, context);
    *state = &a;
    return 0;
}

static int tear_down(void **state)
{
    arena *a = *state;
    karp_context *context = a->context;
    arena_free(a);
    karp_context_unref(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_steps, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
