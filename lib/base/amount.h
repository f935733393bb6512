/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact amounts: signed 128-bit integers in units of 10^-9. Stored as two words, so that 32-bit and pedantic builds
 * work. amount.c uses __extension__ __int128 as a fast path.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct amount {
    uint64_t lo;
    int64_t hi;
} amount;

#define AMOUNT_NANO INT64_C(1000000000)

amount amount_from(int64_t nano_units); /* value in units of 10^-9 */
amount amount_whole(int64_t whole_units); /* value × 10^9; always fits */
bool amount_add(amount a, amount b, amount *out); /* false = overflow */
bool amount_sub(amount a, amount b, amount *out);
bool amount_mul(amount a, uint64_t by, amount *out);
int amount_cmp(amount a, amount b);
int amount_sign(amount a);
amount amount_max(amount a, amount b);
amount amount_min(amount a, amount b);
amount amount_neg(amount a); /* not for the smallest value */
/* Greatest common divisor of the absolute values; gcd(0, x) = |x|. */
amount amount_gcd(amount a, amount b);
/* a / by, if it is an integer that fits int64; else false. by > 0. */
bool amount_scale(amount a, amount by, int64_t *out);
/* a / by, truncated towards zero, and the absolute value of the remainder. by > 0. */
void amount_divide(amount a, uint64_t by, amount *quotient, uint64_t *remainder);
double amount_double(amount a); /* nearest double to the value (not to the number of 10^-9 units) */
