/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <support/portable_amount.h>
#include <support/random.h>

static const amount largest = { UINT64_MAX, INT64_MAX };
static const amount smallest = { 0, INT64_MIN };
static const amount zero = { 0, 0 };

static void assert_same(amount a, amount b)
{
    assert_int_equal(a.lo, b.lo);
    assert_true(a.hi == b.hi);
}

/* Numbers around the seams: small, near words' ends, and anything. */
static amount any_amount(uint64_t *seed)
{
    amount a = { .lo = random_width(seed) };
    a.hi = (int64_t)random_width(seed);
    switch (random_below(seed, 8)) {
    case 0: return amount_from((int64_t)random_below(seed, 20) - 10);
    case 1: a.hi = 0; break;
    case 2: a.hi = -1; break;
    case 3: return random_below(seed, 2) == 0 ? largest : smallest;
    case 4: a.lo = UINT64_MAX - random_below(seed, 3); break;
    case 5: a.hi = -a.hi; break;
    default: break;
    }
    return a;
}

static void test_making(void **state)
{
    (void)state;
    assert_same(amount_from(5), (amount){ 5, 0 });
    assert_same(amount_from(-5), (amount){ UINT64_MAX - 4, -1 });
    assert_same(amount_from(INT64_MIN), (amount){ UINT64_C(1) << 63, -1 });
    assert_same(amount_whole(3), amount_from(INT64_C(3000000000)));
    assert_same(amount_whole(-3), amount_from(INT64_C(-3000000000)));
    /* 2^63 * 10^9 = 500000000 * 2^64 */
    assert_same(amount_whole(INT64_MIN), amount_neg((amount){ 0, 500000000 }));
}

static void test_adding(void **state)
{
    (void)state;
    amount r = zero;
    assert_true(amount_add((amount){ UINT64_MAX, 0 }, amount_from(1), &r));
    assert_same(r, (amount){ 0, 1 });
    assert_true(amount_add(largest, smallest, &r));
    assert_same(r, amount_from(-1));
    assert_true(amount_sub(amount_from(-1), largest, &r));
    assert_same(r, smallest);
    assert_true(amount_sub(zero, largest, &r));
    assert_same(r, (amount){ 1, INT64_MIN });

    r = amount_from(7);
    assert_false(amount_add(largest, amount_from(1), &r));
    assert_false(amount_add(smallest, amount_from(-1), &r));
    assert_false(amount_sub(smallest, amount_from(1), &r));
    assert_false(amount_sub(zero, smallest, &r));
    assert_false(amount_sub(largest, amount_from(-1), &r));
    assert_same(r, amount_from(7));
}

static void test_multiplying(void **state)
{
    (void)state;
    amount r = zero;
    assert_true(amount_mul((amount){ UINT64_MAX, 0 }, UINT64_MAX / 2, &r));
    assert_same(r, (amount){ UINT64_C(0x8000000000000001), INT64_C(0x7ffffffffffffffe) });
    assert_true(amount_mul(amount_from(-3), 4, &r));
    assert_same(r, amount_from(-12));
    assert_true(amount_mul(largest, 0, &r));
    assert_same(r, zero);
    assert_true(amount_mul(smallest, 1, &r));
    assert_same(r, smallest);
    assert_true(amount_mul((amount){ 0, INT64_MIN / 2 }, 2, &r));
    assert_same(r, smallest);

    r = amount_from(7);
    assert_false(amount_mul(largest, 2, &r));
    assert_false(amount_mul(smallest, 2, &r));
    assert_false(amount_mul((amount){ 0, INT64_MAX / 2 + 1 }, 2, &r));
    assert_false(amount_mul((amount){ UINT64_MAX, 1 }, UINT64_MAX, &r));
    assert_false(amount_mul((amount){ UINT64_MAX, -2 }, UINT64_C(1) << 63,
                            &r)); /* -2^127 - 2^63: only the power itself has room */
    assert_same(r, amount_from(7));
}

static void test_order(void **state)
{
    (void)state;
    const amount rising[] = { smallest,       { 1, INT64_MIN },  amount_from(-2), amount_from(-1), zero,
                              amount_from(1), { UINT64_MAX, 0 }, { 0, 1 },        largest };
    const int count = (int)(sizeof rising / sizeof rising[0]);
    for (int i = 0; i < count; i++) {
        assert_int_equal(amount_sign(rising[i]), i < 4 ? -1 : i > 4);
        for (int j = 0; j < count; j++) {
            assert_int_equal(amount_cmp(rising[i], rising[j]), (i > j) - (i < j));
            assert_same(amount_max(rising[i], rising[j]), rising[i > j ? i : j]);
            assert_same(amount_min(rising[i], rising[j]), rising[i < j ? i : j]);
        }
    }
}

static void test_gcd(void **state)
{
    (void)state;
    assert_same(amount_gcd(amount_from(12), amount_from(-18)), amount_from(6));
    assert_same(amount_gcd(zero, amount_from(-5)), amount_from(5));
    assert_same(amount_gcd(amount_from(5), zero), amount_from(5));
    assert_same(amount_gcd(zero, zero), zero);
    assert_same(amount_gcd((amount){ 0, 12 }, (amount){ 0, 8 }), (amount){ 0, 4 });
    assert_same(amount_gcd(smallest, (amount){ 0, 1 }), (amount){ 0, 1 });
}

static void test_scaling(void **state)
{
    (void)state;
    int64_t r = 7;
    assert_true(amount_scale(amount_from(-12), amount_from(4), &r));
    assert_true(r == -3);
    assert_true(amount_scale(amount_whole(INT64_MAX), amount_whole(1), &r));
    assert_true(r == INT64_MAX);
    assert_true(amount_scale(amount_whole(INT64_MIN), amount_whole(1), &r));
    assert_true(r == INT64_MIN);
    assert_true(amount_scale(zero, largest, &r));
    assert_true(r == 0);
    assert_true(amount_scale(largest, largest, &r));
    assert_true(r == 1);

    r = 7;
    assert_false(amount_scale(amount_from(13), amount_from(4), &r));
    assert_false(amount_scale((amount){ 1, 4 }, (amount){ 0, 2 }, &r));
    assert_false(amount_scale((amount){ UINT64_C(1) << 63, 0 }, amount_from(1), &r));
    assert_false(amount_scale((amount){ (UINT64_C(1) << 63) - 1, -1 }, amount_from(1), &r));
    assert_false(amount_scale(largest, amount_from(1), &r));
    assert_false(amount_scale(amount_from(1), zero, &r));
    assert_false(amount_scale(amount_from(1), amount_from(-1), &r));
    assert_true(r == 7);
}

static void test_dividing(void **state)
{
    (void)state;
    amount q = zero;
    uint64_t rest = 9;
    amount_divide(amount_from(-7), 2, &q, &rest);
    assert_same(q, amount_from(-3));
    assert_int_equal(rest, 1);
    amount_divide(smallest, 1, &q, &rest);
    assert_same(q, smallest);
    assert_int_equal(rest, 0);
    amount_divide((amount){ 5, 1 }, UINT64_MAX, &q, &rest);
    assert_same(q, amount_from(1));
    assert_int_equal(rest, 6);
    amount_divide(amount_from(5), 0, &q, &rest); /* not allowed, and yet nothing breaks */
    assert_same(q, zero);
}

/* The text of value * 10^-9, which strtod reads with one rounding. */
static double double_by_text(amount a)
{
    char digits[64], text[80];
    size_t at = sizeof digits - 1, len = 0;
    digits[at] = '\0';
    int sign = amount_sign(a);
    for (int place = 0; place < 10 || amount_sign(a) != 0; place++) {
        uint64_t digit = 0;
        if (place == 9) digits[--at] = '.';
        amount_divide(a, 10, &a, &digit);
        digits[--at] = (char)('0' + digit);
    }
    if (sign < 0) text[len++] = '-';
    memcpy(text + len, digits + at, sizeof digits - at);
    return strtod(text, NULL);
}

static void test_doubles(void **state)
{
    (void)state;
    assert_true(amount_double(amount_whole(3)) == 3.0);
    assert_true(amount_double(amount_from(-100000000)) == -0.1);
    assert_true(amount_double(amount_from(1)) == 1e-9);
    assert_true(amount_double(zero) == 0.0);
    assert_true(amount_double(smallest) == double_by_text(smallest));
    /* Halfway between two doubles: to the even one, and above as soon as there is a nano more. */
    amount half = amount_whole((INT64_C(1) << 53) + 1), more = zero;
    assert_true(amount_double(half) == 9007199254740992.0);
    assert_true(amount_add(half, amount_from(1), &more));
    assert_true(amount_double(more) == 9007199254740994.0);
    assert_true(amount_double(amount_whole((INT64_C(1) << 53) + 3)) == 9007199254740996.0);
    /* The same so far up that the nano is not even in the quotient, only in its rest. */
    assert_true(amount_mul(half, UINT64_C(1) << 20, &half));
    assert_true(amount_double(half) == 9007199254740992.0 * 1048576);
    assert_true(amount_add(half, amount_from(1), &more));
    assert_true(amount_double(more) == 9007199254740994.0 * 1048576);
    /* Rounding up to the next power of two. */
    assert_true(amount_double(amount_whole(INT64_MAX)) == 9223372036854775808.0);

    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        amount a = any_amount(&seed);
        assert_true(amount_double(a) == double_by_text(a));
    }
}

/* Both ways of building the file give the same numbers, refusals and leave *out alone alike. */
static void test_without_wide_type(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 20000; i++) {
        amount a = any_amount(&seed), b = any_amount(&seed), x = zero, y = zero;
        uint64_t by = random_width(&seed), rest = 0, other = 0;
        int64_t m = 0, n = 0;
        assert_int_equal(amount_add(a, b, &x), portable_amount_add(a, b, &y));
        assert_same(x, y);
        assert_int_equal(amount_sub(a, b, &x), portable_amount_sub(a, b, &y));
        assert_same(x, y);
        assert_int_equal(amount_mul(a, by, &x), portable_amount_mul(a, by, &y));
        assert_same(x, y);
        amount_divide(a, by, &x, &rest);
        portable_amount_divide(a, by, &y, &other);
        assert_same(x, y);
        assert_int_equal(rest, other);
        assert_int_equal(amount_cmp(a, b), portable_amount_cmp(a, b));
        assert_same(amount_gcd(a, b), portable_amount_gcd(a, b));
        assert_int_equal(amount_scale(a, b, &m), portable_amount_scale(a, b, &n));
        assert_true(m == n);
        double d = amount_double(a), e = portable_amount_double(a);
        assert_memory_equal(&d, &e, sizeof d);
        assert_same(amount_whole((int64_t)by), portable_amount_whole((int64_t)by));
    }
}

/* (a / by) * by + rest = a; what divides exactly scales; the gcd divides both. */
static void test_laws(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        amount a = any_amount(&seed), q = zero, back = zero;
        uint64_t by = random_width(&seed) | 1, rest = 0;
        amount_divide(a, by, &q, &rest);
        assert_true(rest < by);
        assert_true(amount_mul(q, by, &back));
        amount r = { rest, 0 };
        assert_true(amount_sign(a) < 0 ? amount_sub(back, r, &back) : amount_add(back, r, &back));
        assert_same(back, a);

        int64_t factor = (int64_t)random_next(&seed), found = 0;
        amount unit = { random_width(&seed) | 1, 0 }, product = zero;
        assert_true(amount_mul(unit, factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor, &product));
        if (factor < 0) product = amount_neg(product);
        assert_true(amount_scale(product, unit, &found));
        assert_true(found == factor);
        amount g = amount_gcd(product, unit);
        assert_same(g, unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_making),   cmocka_unit_test(test_adding),  cmocka_unit_test(test_multiplying),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_gcd),     cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_dividing), cmocka_unit_test(test_doubles), cmocka_unit_test(test_without_wide_type),
        cmocka_unit_test(test_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
