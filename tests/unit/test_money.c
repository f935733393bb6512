/* SPDX-License-Identifier: Apache-2.0 */
/* Money is written alike by libkarp-io and by the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <base/money.h>

static void expect(const char *wanted, const char *text, size_t length)
{
    assert_string_equal(text, wanted);
    assert_int_equal(length, strlen(wanted));
}

static void dollars(double value, bool sign, const char *wanted)
{
    char text[MONEY_TEXT];
    size_t length = money_dollars(value, sign, text);
    expect(wanted, text, length);
}

static void rate(double value, bool sign, const char *wanted)
{
    char text[MONEY_TEXT];
    size_t length = money_rate(value, sign, text);
    expect(wanted, text, length);
}

static void test_dollars(void **state)
{
    (void)state;
    dollars(0, false, "$0.00");
    dollars(5955.414, false, "$5,955.41");
    dollars(5955.414, true, "+$5,955.41");
    dollars(-5955.414, true, "-$5,955.41");
    dollars(-0.004, true, "+$0.00");
    dollars(1234567.5, false, "$1,234,567.50");
    dollars(1e15, false, "$1e+15");
    dollars(-1e300, true, "-$1e+300");
}

static void test_rate(void **state)
{
    (void)state;
    rate(0.096, false, "$0.096/h");
    rate(0.0961, true, "+$0.0961/h");
    rate(-1234.5678, true, "-$1,234.5678/h");
    rate(-0.00004, true, "+$0.000/h");
    rate(99999999999.0, false, "$99,999,999,999.000/h");
    rate(1e14, false, "$1e+14/h");
    rate(-1e300, false, "-$1e+300/h");
}

static void test_noise(void **state)
{
    (void)state;
    assert_true(money_without_noise(0.1 + 0.2) == 0.3);
    assert_true(money_without_noise(0.0123456789123) == 0.0123456789123);
    assert_true(isnan(money_without_noise((double)NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dollars),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests_name("money", tests, NULL, NULL);
}
