/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <model/quantity.h>
#include <support/lines.h>
#include <support/random.h>

static int parse(const char *text, quantity *out) { return quantity_parse(text, strlen(text), out); }

static const char *print(quantity q)
{
    static char text[QUANTITY_TEXT];
    size_t len = quantity_format(q, text);
    assert_int_equal(len, strlen(text));
    return text;
}

/* A plain reader of "-12.5": digits and a point, in units of 10^-9, rounded away from zero. */
static amount plain(const char *text)
{
    amount value = amount_from(0);
    int left = -1, more = 0;
    for (const char *c = *text == '-' ? text + 1 : text; *c; c++) {
        if (*c == '.') {
            left = 9;
        } else if (left != 0) {
            assert_true(amount_mul(value, 10, &value));
            assert_true(amount_add(value, amount_from(*c - '0'), &value));
            if (left > 0) left--;
        } else {
            more = more || *c != '0';
        }
    }
    for (int i = left < 0 ? 9 : left; i > 0; i--) assert_true(amount_mul(value, 10, &value));
    if (more) assert_true(amount_add(value, amount_from(1), &value));
    return *text == '-' ? amount_neg(value) : value;
}

static void expect(const char *text, const char *value, const char *canonical)
{
    quantity q, again;
    assert_int_equal(parse(text, &q), QUANTITY_OK);
    if (amount_cmp(q.value, plain(value)) != 0) fail_msg("%s is %s, not %s", text, print(q), value);
    assert_string_equal(print(q), canonical);
    assert_int_equal(parse(canonical, &again), QUANTITY_OK);
    assert_int_equal(amount_cmp(q.value, again.value), 0);
}

/* What Karpenter's own code answers. It prints a parsed quantity as it was written, where it was short enough, and
 * has a third family, exponents; both are forms of text only, and are compared by value. */
static void test_golden(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/golden/quantities.txt", "r");
    assert_non_null(file);
    char line[LINE_ROOM], text[LINE_ROOM], printed[LINE_ROOM], decimal[LINE_ROOM];
    int good = 0, bad = 0;
    while (next_line(file, line)) {
        quantity q;
        if (between(line, "Q \"", "\" err=", text)) {
            assert_int_equal(parse(text, &q), QUANTITY_SYNTAX);
            bad++;
            continue;
        }
        assert_true(between(line, "Q \"", "\" -> ", text));
        assert_true(between(line, " -> ", " value=", printed));
        assert_true(between(line, " dec=", NULL, decimal));
        assert_int_equal(parse(text, &q), QUANTITY_OK);
        assert_int_equal(amount_cmp(q.value, plain(decimal)), 0);
        quantity again;
        assert_int_equal(parse(printed, &again), QUANTITY_OK);
        assert_int_equal(amount_cmp(q.value, again.value), 0);
        if (strcmp(text, printed) != 0 && strcmp(text, "1e20") != 0 && strcmp(text, "1.23456789012345") != 0) {
            assert_string_equal(print(q), printed);
        }
        good++;
    }
    (void)fclose(file);
    assert_int_equal(good, 22);
    assert_int_equal(bad, 4);
}

static void test_values(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "0", "0", "0" },
        { "-0", "0", "0" },
        { "000.000", "0", "0" },
        { "0Ki", "0", "0" },
        { "0e30", "0", "0" },
        /* What has no digits at all. */
        { "-", "0", "0" },
        { "+", "0", "0" },
        { ".", "0", "0" },
        { "k", "0", "0" },
        { "-.Ki", "0", "0" },
        { "Ti", "0", "0" },
        { "e5", "0", "0" },
        { "n", "0", "0" },
        { "0E", "0", "0" },
        { "1n", "0.000000001", "1n" },
        { "1000n", "0.000001", "1u" },
        { "1u", "0.000001", "1u" },
        { "250m", "0.25", "250m" },
        { "1000m", "1", "1" },
        { "1500", "1500", "1500" },
        { "1000", "1000", "1k" },
        { "12e6", "12000000", "12e6" },
        { "9e3", "9000", "9e3" },
        { "9000e0", "9000", "9e3" },
        { "1500e-3", "1.5", "1500e-3" },
        { "1e4294967297", "10", "10" }, /* 32 bits of the exponent are kept */
        { "1e20", "100000000000000000000", "100e18" },
        { "1G", "1000000000", "1G" },
        { "1T", "1000000000000", "1T" },
        { "1P", "1000000000000000", "1P" },
        { "1E", "1000000000000000000", "1E" },
        { "1e18", "1000000000000000000", "1e18" },
        { "5000E", "5000000000000000000000", "5000E" },
        { "1E2", "100", "100" },
        { "1e+2", "100", "100" },
        { "1E-2", "0.01", "10e-3" },
        { "-1.5", "-1.5", "-1500m" },
        { "+.5k", "500", "500" },
        { "1.k", "1000", "1k" },
        /* The binary family: from 1024 on, and for integers only. */
        { "1Ki", "1024", "1Ki" },
        { "-1Ki", "-1024", "-1Ki" },
        { "1Mi", "1048576", "1Mi" },
        { "3Gi", "3221225472", "3Gi" },
        { "1Ti", "1099511627776", "1Ti" },
        { "1Pi", "1125899906842624", "1Pi" },
        { "1Ei", "1152921504606846976", "1Ei" },
        { "1.5Ki", "1536", "1536" },
        { "1024Ki", "1048576", "1Mi" },
        { "0.5Ki", "512", "512" },
        { "0.9765625Ki", "1000", "1k" },
        { "1.1Ki", "1126.4", "1126400m" },
        { "0.0001Ki", "0.1024", "102400u" },
        { "0.1Mi", "104857.6", "104857600m" },
        { "-0.0001Ki", "-0.1024", "-102400u" },
        /* Finer than 10^-9: away from zero. */
        { "0.0000000001", "0.000000001", "1n" },
        { "-0.0000000001", "-0.000000001", "-1n" },
        { "1e-100", "0.000000001", "1e-9" },
        { "0.1n", "0.000000001", "1n" },
        { "1.0000000010", "1.000000001", "1000000001n" },
        { "1.0000000011", "1.000000002", "1000000002n" },
        { "0.00000000000000000000000000001Ei", "0.000000001", "1n" },
        { "1.00000000000000000000000000000000000000000000001", "1.000000001", "1000000001n" },
        { "1.0000000000000000000000000001Ki", "1024.000000001", "1024000000001n" },
        { "0.00000000000000000000000000000Ki", "0", "0" },
        /* Binary values are capped at 2^63 - 1, decimal ones are not. */
        { "8Ei", "9223372036854775807", "9223372036854775807" },
        { "7.9999999999999999999999999Ei", "9223372036854775807", "9223372036854775807" },
        { "-8Ei", "-9223372036854775807", "-9223372036854775807" },
        { "999999999999999999Ei", "9223372036854775807", "9223372036854775807" },
        { "99999999999999999999999999999999999999999999999999999999Ki", "9223372036854775807", "9223372036854775807" },
        { "9007199254740991.9999Ki", "9223372036854775807", "9223372036854775807" },
        { "9007199254740990.9999Ki", "9223372036854774783.8976", "9223372036854774783897600u" },
        { "9223372036854775808", "9223372036854775808", "9223372036854775808" },
        { "170141183460469231731687303715.884105727", "170141183460469231731687303715.884105727",
          "170141183460469231731687303715884105727n" },
        { "0000000000000000000000000000000000000000000000000000000000000000000012", "12", "12" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) expect(cases[i][0], cases[i][1], cases[i][2]);
}

static void test_syntax(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        " ",
        "Pi",
        "e-10",
        "-.Ei",
        "5-3",
        "5+",
        "e",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "1 ",
        " 1",
        "1KI",
        "1ki",
        "1K",
        "1mi",
        "1ni",
        "1Kib",
        "1i",
        "0x1",
        "1e",
        "1E+",
        "1e-",
        "1e3m",
        "1em",
        "1e1.5",
        "1..",
        "1.2.3",
        "--1",
        "+-1",
        "1,5",
        "1_000",
        "1Eii",
        "1e 3",
        "inf",
        "NaN",
        "1\t",
        "1mm",
        "1k1",
        "1-",
        "1ee3",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        quantity q = { .value = { 7, 0 }, .binary = true };
        if (parse(wrong[i], &q) != QUANTITY_SYNTAX) fail_msg("\"%s\" was taken", wrong[i]);
        assert_true(q.value.lo == 7 && q.binary);
    }
    quantity q;
    assert_int_equal(quantity_parse(NULL, 0, &q), QUANTITY_SYNTAX);
    assert_int_equal(quantity_parse("1\0", 2, &q), QUANTITY_SYNTAX);
    assert_int_equal(quantity_parse("1\0i", 3, &q), QUANTITY_SYNTAX);
    assert_int_equal(quantity_parse("15Gi", 2, &q), QUANTITY_OK); /* the length counts, not the end of the string */
    assert_int_equal(amount_cmp(q.value, amount_whole(15)), 0);
}

static void test_range(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "170141183460469231731687303715.884105728",
        "-170141183460469231731687303715.884105728",
        "170141183460469231731687303715.8841057271",
        "1e30",
        "1e100",
        "1000000000000E",
        "0.00000000000001e60",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        quantity q = { .value = { 7, 0 }, .binary = true };
        if (parse(wrong[i], &q) != QUANTITY_RANGE) fail_msg("%s fits", wrong[i]);
        assert_true(q.value.lo == 7 && q.binary);
    }
}

static void test_family(void **state)
{
    (void)state;
    quantity q;
    static const struct {
        const char *text;
        bool binary;
    } cases[] = {
        { "1", false },         { "1k", false },
        { "1Ki", true },        { "0Ki", true },
        { "0.5Ki", true },      { "1e3", false },
        { "0.0001Ki", false },  { "0.0009765625Ki", true },
        { "0.001Ki", true },    { "0.000976562Ki", false },
        { "-0.0001Ki", false }, { "8Ei", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(parse(cases[i].text, &q), QUANTITY_OK);
        assert_int_equal(q.binary, cases[i].binary);
    }
    /* A binary sum without a factor 1024 prints its digits. */
    q = (quantity){ .value = amount_whole(INT64_C(3000000001)), .binary = true };
    assert_string_equal(print(q), "3000000001");
    q = (quantity){ .value = amount_whole(INT64_C(3000000000)), .binary = true };
    assert_string_equal(print(q), "3000000000");
    q = (quantity){ .value = amount_whole(1023), .binary = true };
    assert_string_equal(print(q), "1023");
    q = (quantity){ .value = { 0, INT64_MIN }, .binary = false };
    assert_string_equal(print(q), "-170141183460469231731687303715884105728n");
    q.binary = true;
    assert_string_equal(print(q), "-170141183460469231731687303715884105728n");
}

/* Any value comes back from its own text, in both families. */
static void test_round_trip(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 20000; i++) {
        quantity q = { .value = { .lo = random_width(&seed) }, .binary = i % 2 == 0 }, again;
        q.value.hi = (int64_t)(random_width(&seed) >> 1);
        if (i % 3 != 0) q.value.hi = 0;
        if (i % 5 == 0) q.value = amount_whole((int64_t)random_width(&seed));
        if (i % 7 == 0) q.value = amount_neg(q.value);
        char text[QUANTITY_TEXT];
        (void)quantity_format(q, text);
        /* Beyond the cap of binary suffixes only the decimal family is exact. */
        if (q.binary &&
            (amount_cmp(q.value, amount_whole(INT64_MAX)) > 0 || amount_cmp(q.value, amount_whole(-INT64_MAX)) < 0)) {
            continue;
        }
        assert_int_equal(parse(text, &again), QUANTITY_OK);
        assert_int_equal(amount_cmp(q.value, again.value), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden), cmocka_unit_test(test_values), cmocka_unit_test(test_syntax),
        cmocka_unit_test(test_range),  cmocka_unit_test(test_family), cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
