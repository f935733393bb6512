/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <karp/values.h>
#include <support/random.h>

static karp_str text(const char *c)
{
    karp_str s = { c, strlen(c) };
    return s;
}

/* ---- quantities -------------------------------------------------------------------------------------------------- */

static void test_quantities(void **state)
{
    (void)state;
    int32_t order = 7;
    assert_int_equal(karp_quantity_check(text("1.5Gi")), KARP_OK);
    assert_int_equal(karp_quantity_check(text("1.5GB")), KARP_E_INVALID);
    assert_int_equal(karp_quantity_check(text("1e40")), KARP_E_RANGE);
    assert_int_equal(karp_quantity_check((karp_str){ NULL, 0 }), KARP_E_INVALID);

    assert_int_equal(karp_quantity_compare(text("1"), text("x"), &order), KARP_E_INVALID);
    assert_int_equal(karp_quantity_compare(text("x"), text("1"), &order), KARP_E_INVALID);
    assert_int_equal(karp_quantity_compare(text("1e40"), text("1"), &order), KARP_E_RANGE);
    assert_int_equal(order, 7);
    assert_int_equal(karp_quantity_compare(text("1024Mi"), text("1Gi"), &order), KARP_OK);
    assert_int_equal(order, 0);
    assert_int_equal(karp_quantity_compare(text("999m"), text("1"), &order), KARP_OK);
    assert_int_equal(order, -1);
    assert_int_equal(karp_quantity_compare(text("0"), text("-1n"), &order), KARP_OK);
    assert_int_equal(order, 1);
    assert_int_equal(karp_quantity_compare(text("9223372036854775808"), text("9223372036854775807"), &order), KARP_OK);
    assert_int_equal(order, 1);

    double value = 7;
    assert_int_equal(karp_quantity_double(text("?"), &value), KARP_E_INVALID);
    assert_true(value == 7);
    assert_int_equal(karp_quantity_double(text("100m"), &value), KARP_OK);
    assert_true(value == 0.1);
    assert_int_equal(karp_quantity_double(text("-1Gi"), &value), KARP_OK);
    assert_true(value == -1073741824.0);
}

static void expect_sum(const char *a, const char *b, const char *sum)
{
    char out[KARP_VALUE_TEXT];
    assert_int_equal(karp_quantity_add(text(a), text(b), out), KARP_OK);
    assert_string_equal(out, sum);
}

static void test_quantity_text(void **state)
{
    (void)state;
    char out[KARP_VALUE_TEXT] = "as it was";
    assert_int_equal(karp_quantity_canonical(text("1.5Gi"), out), KARP_OK);
    assert_string_equal(out, "1536Mi");
    assert_int_equal(karp_quantity_canonical(text("0.10"), out), KARP_OK);
    assert_string_equal(out, "100m");
    assert_int_equal(karp_quantity_canonical(text(""), out), KARP_E_INVALID);
    assert_int_equal(karp_quantity_canonical(text("1e30"), out), KARP_E_RANGE);
    assert_string_equal(out, "100m");

    /* The family is that of the first summand that is not zero. */
    expect_sum("1Gi", "1000M", "2073741824");
    expect_sum("1Gi", "1024M", "2048576Ki");
    expect_sum("512Mi", "512Mi", "1Gi");
    expect_sum("1G", "1Gi", "2073741824");
    expect_sum("1024", "1Ki", "2048");
    expect_sum("1Ki", "1024", "2Ki");
    expect_sum("0", "1Ki", "1Ki");
    expect_sum("0Ki", "1024", "1024");
    expect_sum("0Ki", "2048M", "2048M");
    expect_sum("100m", "0.9", "1");
    expect_sum("1", "-1", "0");
    expect_sum("1.5", "250m", "1750m");

    (void)memcpy(out, "as it was", 10);
    assert_int_equal(karp_quantity_add(text("1e29"), text("1e29"), out), KARP_E_RANGE);
    assert_int_equal(karp_quantity_add(text("1"), text("b"), out), KARP_E_INVALID);
    assert_int_equal(karp_quantity_add(text("a"), text("1"), out), KARP_E_INVALID);
    assert_string_equal(out, "as it was");
}

/* ---- durations --------------------------------------------------------------------------------------------------- */

static void test_durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
        const char *printed;
    } good[] = {
        { "0", 0, "0s" },
        { "+0", 0, "0s" },
        { "0h0m", 0, "0s" },
        { "1ns", 1, "1ns" },
        { "1100ns", 1100, "1.1\xc2\xb5s" },
        { "1us", 1000, "1\xc2\xb5s" },
        { "1\xc2\xb5s", 1000, "1\xc2\xb5s" },
        { "1\xce\xbcs", 1000, "1\xc2\xb5s" },
        { "1ms", 1000000, "1ms" },
        { "999.999us", 999999, "999.999\xc2\xb5s" },
        { "2.2ms", 2200000, "2.2ms" },
        { "-2ms", -2000000, "-2ms" },
        { "1.5s", 1500000000, "1.5s" },
        { ".5s", 500000000, "500ms" },
        { "1.s", 1000000000, "1s" },
        { "90s", INT64_C(90000000000), "1m30s" },
        { "1h30m", INT64_C(5400000000000), "1h30m0s" },
        { "1.5h", INT64_C(5400000000000), "1h30m0s" },
        { "30m1h", INT64_C(5400000000000), "1h30m0s" },
        { "720h", INT64_C(2592000000000000), "720h0m0s" },
        { "10m0s", INT64_C(600000000000), "10m0s" },
        { "1h0m0.000000001s", INT64_C(3600000000001), "1h0m0.000000001s" },
        { "0.3333333333333333333h", INT64_C(1200000000000), "20m0s" },
        { "0.100000000000000000000h", INT64_C(360000000000), "6m0s" },
        { "0.9999999999999999999999999ns", 1, "1ns" },
        { "9223372036854775807ns", INT64_MAX, "2562047h47m16.854775807s" },
        { "-9223372036854775808ns", INT64_MIN, "-2562047h47m16.854775808s" },
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t value = 7;
        char out[KARP_VALUE_TEXT];
        assert_int_equal(karp_duration_parse(text(good[i].text), &value), KARP_OK);
        if (value != good[i].value) fail_msg("%s: %lld", good[i].text, (long long)value);
        karp_duration_format(value, out);
        assert_string_equal(out, good[i].printed);
    }
}

static void test_wrong_durations(void **state)
{
    (void)state;
    static const char *const invalid[] = {
        "",   "-",  "+",    "1",      "00",    "1.5",  "s",    ".s",   "-.s", "1x",    "1 s",    " 1s",  "1s ",
        "1d", "1S", "--1s", "1h-30m", "Never", "1e3s", "1h30", "0x1s", "h1m", "1..5s", "1\xc2s", "1mss",
    };
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        int64_t value = 7;
        if (karp_duration_parse(text(invalid[i]), &value) != KARP_E_INVALID) fail_msg("\"%s\" was taken", invalid[i]);
        assert_int_equal(value, 7);
    }
    static const char *const far[] = {
        "9223372036854775808ns",
        "-9223372036854775809ns",
        "2562048h",
        "99999999999999999999s",
        "2562047h48m",
        "-2562047h47m16.854775809s",
        "9223372036854775807ns1ns",
        "-9223372036854775808ns9223372036854775808ns",
        "18446744073709551617ns",
        "9223372036.9s",
    };
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        int64_t value = 7;
        if (karp_duration_parse(text(far[i]), &value) != KARP_E_RANGE) fail_msg("%s fits", far[i]);
        assert_int_equal(value, 7);
    }
    int64_t value = 7;
    assert_int_equal(karp_duration_parse((karp_str){ NULL, 0 }, &value), KARP_E_INVALID);
}

static void test_duration_round_trip(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < 20000; i++) {
        int64_t value = (int64_t)random_width(&seed), again = 0;
        char out[KARP_VALUE_TEXT];
        karp_duration_format(value, out);
        assert_int_equal(karp_duration_parse(text(out), &again), KARP_OK);
        /* Doubles hold nine decimals of a second, so nothing is lost below a second. */
        assert_true(value == again);
    }
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
        const char *printed;
    } good[] = {
        { "1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z" },
        { "2026-01-05T09:00:00Z", INT64_C(1767603600000000000), "2026-01-05T09:00:00Z" },
        { "2026-01-05T16:59:59.999Z", INT64_C(1767632399999000000), "2026-01-05T16:59:59.999Z" },
        { "2026-01-05t09:00:00z", INT64_C(1767603600000000000), "2026-01-05T09:00:00Z" },
        { "2026-01-05T10:30:00+01:30", INT64_C(1767603600000000000), "2026-01-05T09:00:00Z" },
        { "2026-01-04T23:00:00-10:00", INT64_C(1767603600000000000), "2026-01-05T09:00:00Z" },
        { "2026-01-05T09:00:00-00:00", INT64_C(1767603600000000000), "2026-01-05T09:00:00Z" },
        { "2024-02-29T12:00:00.000000001Z", INT64_C(1709208000000000001), "2024-02-29T12:00:00.000000001Z" },
        { "2024-02-29T12:00:00.1234567899Z", INT64_C(1709208000123456789), "2024-02-29T12:00:00.123456789Z" },
        { "2024-02-29T12:00:00.500000Z", INT64_C(1709208000500000000), "2024-02-29T12:00:00.5Z" },
        { "1969-12-31T23:59:59.25Z", -750000000, "1969-12-31T23:59:59.25Z" },
        { "1678-01-01T00:00:00Z", INT64_C(-9214560000) * 1000000000, "1678-01-01T00:00:00Z" },
        { "2261-12-31T23:59:59.999999999Z", INT64_C(9214646399999999999), "2261-12-31T23:59:59.999999999Z" },
        { "2262-01-01T00:30:00+01:00", INT64_C(9214644600000000000), "2261-12-31T23:30:00Z" },
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t value = 7;
        char out[KARP_VALUE_TEXT];
        assert_int_equal(karp_time_parse(text(good[i].text), &value), KARP_OK);
        if (value != good[i].value) fail_msg("%s: %lld", good[i].text, (long long)value);
        karp_time_format(value, out);
        assert_string_equal(out, good[i].printed);
    }
    /* Any 64 bits have a text. */
    char out[KARP_VALUE_TEXT];
    karp_time_format(INT64_MIN, out);
    assert_string_equal(out, "1677-09-21T00:12:43.145224192Z");
    karp_time_format(INT64_MAX, out);
    assert_string_equal(out, "2262-04-11T23:47:16.854775807Z");
}

static void test_wrong_times(void **state)
{
    (void)state;
    static const char *const invalid[] = {
        "",
        "2026",
        "2026-01-05",
        "2026-01-05T09:00:00",
        "2026-01-05 09:00:00Z",
        "2026-01-05T09:00Z",
        "26-01-05T09:00:00Z",
        "2026-1-05T09:00:00Z",
        "2026-00-05T09:00:00Z",
        "2026-13-05T09:00:00Z",
        "2026-01-00T09:00:00Z",
        "2026-01-32T09:00:00Z",
        "2026-02-29T09:00:00Z",
        "2100-02-29T00:00:00Z",
        "2026-04-31T09:00:00Z",
        "2026-01-05T24:00:00Z",
        "2026-01-05T09:60:00Z",
        "2026-01-05T09:00:60Z",
        "2026-01-05T09:00:00.Z",
        "2026-01-05T09:00:00,5Z",
        "2026-01-05T09:00:00+0100",
        "2026-01-05T09:00:00+24:00",
        "2026-01-05T09:00:00+01:60",
        "2026-01-05T09:00:00+1:00",
        "2026-01-05T09:00:00Z ",
        "2026-0:-05T09:00:00Z",
        "202:-01-05T09:00:00Z",
        "2026-01-05T09:00:0:Z",
        "2026-01-05T09:00:00+0::00",
        "2026-01-05T09:00:00ZZ",
        "+2026-01-05T09:00:00Z",
        "2026-01-05T-9:00:00Z",
        "2026/01/05T09:00:00Z",
        "null",
    };
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        int64_t value = 7;
        if (karp_time_parse(text(invalid[i]), &value) != KARP_E_INVALID) fail_msg("\"%s\" was taken", invalid[i]);
        assert_int_equal(value, 7);
    }
    static const char *const far[] = {
        "0001-01-01T00:00:00Z",      "1677-12-31T23:59:59Z", "1678-01-01T00:30:00+01:00", "2262-01-01T00:00:00Z",
        "2261-12-31T23:30:00-01:00", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00+23:59",
    };
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        int64_t value = 7;
        if (karp_time_parse(text(far[i]), &value) != KARP_E_RANGE) fail_msg("%s fits", far[i]);
        assert_int_equal(value, 7);
    }
}

/* ---- doubles ----------------------------------------------------------------------------------------------------- */

static void test_double_text(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *printed;
    } cases[] = {
        { 0.0, "0" },
        { -0.0, "-0" },
        { 1.0, "1" },
        { -1.5, "-1.5" },
        { 0.1, "0.1" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 0.0416, "0.0416" },
        { 100.0, "100" },
        { 1e15, "1000000000000000" },
        { 123456789012345680.0, "123456789012345680" },
        { 1e20, "100000000000000000000" },
        { 999999999999999900000.0, "999999999999999900000" },
        { 1e21, "1e+21" },
        { 1.5e22, "1.5e+22" },
        { 1e23, "1e+23" },
        { 1e-6, "0.000001" },
        { 1.234e-6, "0.000001234" },
        { 9.999e-7, "9.999e-7" },
        { 1e-7, "1e-7" },
        { 1e100, "1e+100" },
        { 1.0 / 3, "0.3333333333333333" },
        { 2.0 / 3, "0.6666666666666666" },
        { 1e16 / 3, "3333333333333333.5" },
        { 5e-324, "5e-324" },
        { 2.2250738585072014e-308, "2.2250738585072014e-308" },
        { 2.225073858507201e-308, "2.225073858507201e-308" },
        { 1.7976931348623157e308, "1.7976931348623157e+308" },
        { 9007199254740993.0, "9007199254740992" },
        { 5.684341886080802e-14, "5.684341886080802e-14" }, /* 2^-44: the span is lopsided */
        { 9.5367431640625e-7, "9.5367431640625e-7" },
        { 1125899906842625.25, "1125899906842625.2" }, /* .2 and .3 are as far: the even one */
        { 1125899906842625.75, "1125899906842625.8" },
        { 4.35, "4.35" },
        { 0.000035689, "0.000035689" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[KARP_VALUE_TEXT];
        double again = 7;
        karp_double_format(cases[i].value, out);
        assert_string_equal(out, cases[i].printed);
        assert_int_equal(karp_double_parse(text(out), &again), KARP_OK);
        assert_memory_equal(&again, &cases[i].value, sizeof again);
    }
    char out[KARP_VALUE_TEXT];
    karp_double_format((double)NAN, out);
    assert_string_equal(out, "NaN");
    karp_double_format(-(double)NAN, out);
    assert_string_equal(out, "NaN");
    karp_double_format((double)INFINITY, out);
    assert_string_equal(out, "+Inf");
    karp_double_format(-(double)INFINITY, out);
    assert_string_equal(out, "-Inf");
}

static void test_double_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        { "0", 0x0p0 },
        { "-0", -0x0p0 },
        { "0e999999999999999999999", 0x0p0 },
        { "+1", 1 },
        { "1.", 1 },
        { ".5", 0x1p-1 },
        { "1E3", 1000 },
        { "1e+3", 1000 },
        { "00000000000000000000000000000000000001", 1 },
        { "0.1", 0x1.999999999999ap-4 },
        { "1e23", 0x1.52d02c7e14af6p+76 },
        { "8.589973e9", 8589973000.0 },
        { "9007199254740993", 0x1p53 },
        { "9007199254740993.0000000000000000000000000000000000001", 0x1.0000000000001p53 },
        { "9007199254740995", 0x1.0000000000002p53 },
        { "1e-400", 0 },
        { "-1e-400", -0x0p0 },
        { "1e-99999999999999999999999", 0 },
        { "4.9406564584124654e-324", 0x1p-1074 },
        { "2.4703282292062327e-324", 0 }, /* just below half of the smallest */
        { "2.4703282292062328e-324", 0x1p-1074 }, /* just above it */
        { "2.2250738585072011e-308", 0x0.fffffffffffffp-1022 },
        { "2.2250738585072012e-308", 0x1p-1022 },
        { "2.22507385850720113605740979670913197593481954635164564e-308", 0x0.fffffffffffffp-1022 },
        { "2.22507385850720113605740979670913197593481954635164565e-308", 0x1p-1022 },
        { "1.7976931348623157e308", 0x1.fffffffffffffp1023 },
        { "1.7976931348623158e308", 0x1.fffffffffffffp1023 },
        { "179769313486231580793728971405301e276", 0x1.fffffffffffffp1023 },
        /* one less than halfway to the next, which there is not */
        { "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070"
          "9633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447"
          "5730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904"
          "174497791",
          0x1.fffffffffffffp1023 },
        { "0.000000000000000000000000000000000000000000001e45", 1 },
        { "1000000000000000000000000000000000000000000000e-45", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 7;
        assert_int_equal(karp_double_parse(text(cases[i].text), &value), KARP_OK);
        if (memcmp(&value, &cases[i].value, sizeof value) != 0) fail_msg("%s: %a", cases[i].text, value);
    }
}

static void test_wrong_doubles(void **state)
{
    (void)state;
    static const char *const invalid[] = {
        "",    " ",    "-",   ".",   "+.",  "e5",  ".e5", "1e",    "1e+", "1e5.",  "1 ", " 1",   "1,5",
        "1_0", "0x10", "1p3", "inf", "Inf", "nan", "NaN", "1.2.3", "--1", "1e--3", "1f", "1e3x",
    };
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        double value = 7;
        if (karp_double_parse(text(invalid[i]), &value) != KARP_E_INVALID) fail_msg("\"%s\" was taken", invalid[i]);
        assert_true(value == 7);
    }
    static const char *const far[] = {
        "1e309",
        "-1e309",
        "1.7976931348623159e308",
        "1e99999999999999999999",
        /* halfway to the next, which there is not */
        "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070"
        "9633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447"
        "5730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904"
        "174497792",
    };
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        double value = 7;
        if (karp_double_parse(text(far[i]), &value) != KARP_E_RANGE) fail_msg("%s fits", far[i]);
        assert_true(value == 7);
    }
}

/* More digits than any double has: the last one, far behind, tips the balance. 2^53 + 1 lies between two doubles. */
static void test_endless_digits(void **state)
{
    (void)state;
    static char digits[5000];
    memset(digits, '0', sizeof digits);
    memcpy(digits, "9007199254740993.", 17);
    double value = 0;
    karp_str s = { digits, sizeof digits };
    assert_int_equal(karp_double_parse(s, &value), KARP_OK);
    assert_true(value == 0x1p53);
    digits[4999] = '1';
    assert_int_equal(karp_double_parse(s, &value), KARP_OK);
    assert_true(value == 0x1.0000000000001p53);
    /* The same at the 770th, 771st … digit. */
    digits[4999] = '0';
    for (size_t i = 760; i < 780; i++) {
        digits[i] = '1';
        assert_int_equal(karp_double_parse(s, &value), KARP_OK);
        assert_true(value == 0x1.0000000000001p53);
        digits[i] = '0';
    }
    memset(digits, '9', sizeof digits);
    assert_int_equal(karp_double_parse(s, &value), KARP_E_RANGE);
    digits[0] = '.';
    assert_int_equal(karp_double_parse(s, &value), KARP_OK);
    assert_true(value == 1);
}

/* The digits of a printed double, without sign, point and zeroes around them, as integer * 10^exponent. */
static uint64_t digits_of(const char *printed, int *exponent)
{
    uint64_t digits = 0;
    int behind = -1, power = 0;
    const char *c = *printed == '-' ? printed + 1 : printed;
    for (; *c != '\0' && *c != 'e'; c++) {
        if (*c == '.') {
            behind = 0;
            continue;
        }
        if (behind >= 0) behind++;
        /* No more than 17 of the digits are not zero, so what would overflow is a zero at the end. */
        if (digits >= UINT64_C(100000000000000000)) power++;
        else digits = digits * 10 + (uint64_t)(*c - '0');
    }
    if (*c == 'e') {
        int stated = 0;
        for (const char *e = c + 2; *e; e++) stated = stated * 10 + (*e - '0');
        power += c[1] == '-' ? -stated : stated;
    }
    *exponent = power - (behind > 0 ? behind : 0);
    while (digits != 0 && digits % 10 == 0) {
        digits /= 10;
        ++*exponent;
    }
    return digits;
}

static bool reads_as(uint64_t digits, int exponent, double value)
{
    char shorter[64];
    double read = 0;
    (void)snprintf(shorter, sizeof shorter, "%llue%d", (unsigned long long)digits, exponent);
    return karp_double_parse(text(shorter), &read) == KARP_OK && read == value;
}

/* Any double comes back from its text, and with a digit less, rounded down or up, it would not. */
static void test_double_round_trip(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        uint64_t image = random_next(&seed);
        if (i % 4 == 1) image &= UINT64_C(0xfff) << 52; /* powers of two */
        if (i % 4 == 2) image &= UINT64_C(0x800fffffffffffff); /* below the normal ones */
        double value, again = 0;
        memcpy(&value, &image, sizeof value);
        if (i % 4 == 3) value = (double)(random_width(&seed) >> 11) / 10000;
        if (!isfinite(value) || value == 0) continue;
        char out[KARP_VALUE_TEXT];
        karp_double_format(value, out);
        assert_true(strlen(out) <= 30);
        assert_int_equal(karp_double_parse(text(out), &again), KARP_OK);
        assert_memory_equal(&value, &again, sizeof value);

        int exponent = 0;
        uint64_t digits = digits_of(out, &exponent);
        assert_true(reads_as(digits, exponent, fabs(value)));
        assert_false(reads_as(digits / 10, exponent + 1, fabs(value)));
        assert_false(reads_as(digits / 10 + 1, exponent + 1, fabs(value)));
    }
}

/* Nothing depends on the locale: with a decimal comma, where there is such a locale, the same texts are written. */
static void test_locale(void **state)
{
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8" };
    for (size_t i = 0; i < 3; i++) {
        if (!setlocale(LC_ALL, names[i])) continue;
        char out[KARP_VALUE_TEXT];
        double value = 0;
        karp_double_format(0.5, out);
        assert_string_equal(out, "0.5");
        assert_int_equal(karp_double_parse(text("1234.5"), &value), KARP_OK);
        assert_true(value == 1234.5);
    }
    (void)setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_quantity_text),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_wrong_durations),
        cmocka_unit_test(test_duration_round_trip),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_wrong_times),
        cmocka_unit_test(test_double_text),
        cmocka_unit_test(test_double_values),
        cmocka_unit_test(test_wrong_doubles),
        cmocka_unit_test(test_endless_digits),
        cmocka_unit_test(test_double_round_trip),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
