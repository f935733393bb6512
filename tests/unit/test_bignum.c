/* SPDX-License-Identifier: Apache-2.0 */
/* Large naturals at the ends of what they hold. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <model/decimal.h>

static void set_words(bignum *n, unsigned count, const uint32_t *words)
{
    n->count = count;
    for (unsigned i = 0; i < count; i++) n->words[i] = words[i];
}

static void test_sums(void **state)
{
    (void)state;
    static const uint32_t two[] = { 7, 9 }, one_more[] = { 8, 9 }, half[] = { 4, 5 }, rest[] = { 3, 4 },
                          carry[] = { UINT32_MAX, 8 };
    bignum a, b, c;
    set_words(&a, 2, half);
    set_words(&b, 2, rest);
    set_words(&c, 2, two);
    assert_int_equal(bignum_compare_sum(&a, &b, &c), 0);
    set_words(&c, 2, one_more);
    assert_int_equal(bignum_compare_sum(&a, &b, &c), -1); /* by one */
    assert_int_equal(bignum_compare_sum(&a, &a, &c), 1);
    /* A sum that carries into the next word. */
    set_words(&a, 2, carry);
    bignum_set(&b, 8);
    set_words(&c, 2, two);
    assert_int_equal(bignum_compare_sum(&a, &b, &c), 0);
    bignum_set(&b, 7);
    assert_int_equal(bignum_compare_sum(&a, &b, &c), -1);
    bignum_set(&b, 9);
    assert_int_equal(bignum_compare_sum(&a, &b, &c), 1);
    bignum_set(&c, 0);
    bignum_set(&a, 0);
    bignum_set(&b, 0);
    assert_int_equal(bignum_compare_sum(&a, &b, &c), 0);
}

static void test_nothing(void **state)
{
    (void)state;
    bignum n;
    bignum_set(&n, 0);
    assert_int_equal(bignum_bits(&n), 0);
    bignum_shift(&n, 100);
    assert_int_equal(n.count, 0);
    bignum_set(&n, 1);
    bignum_shift(&n, 32);
    assert_int_equal(bignum_bits(&n), 33);
}

/* Nothing is written beyond the last word. */
static void test_full(void **state)
{
    (void)state;
    struct {
        bignum n;
        uint32_t after;
    } big = { .after = 0x5a5a5a5a };
    bignum_set(&big.n, 1);
    bignum_shift(&big.n, 32 * BIGNUM_WORDS - 1);
    assert_int_equal(big.n.count, BIGNUM_WORDS);
    assert_int_equal(bignum_bits(&big.n), 32 * BIGNUM_WORDS);
    bignum_times(&big.n, 3, 0); /* 2^8191 · 3 = 2^8192 + 2^8191, of which the first has no room */
    assert_int_equal(bignum_bits(&big.n), 32 * BIGNUM_WORDS);
    bignum_shift(&big.n, 32); /* no word more: as it is */
    assert_int_equal(bignum_bits(&big.n), 32 * BIGNUM_WORDS);
    assert_int_equal(big.after, 0x5a5a5a5a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums), cmocka_unit_test(test_nothing),
                                        cmocka_unit_test(test_full) };
    return cmocka_run_group_tests_name("bignum", tests, NULL, NULL);
}
