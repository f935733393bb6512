/* SPDX-License-Identifier: Apache-2.0 */
/* Converts doubles to text and back, exactly and independently of the locale. */
#pragma once

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#define DECIMAL_TEXT 64

enum { DECIMAL_OK, DECIMAL_SYNTAX, DECIMAL_RANGE };

/* Reads [+-] digits [. digits] [e [+-] digits], with at least one digit, to the nearest double (ties to even). RANGE:
 * beyond the largest double. *out is written only on success. */
int decimal_parse(const char *text, size_t len, double *out);

/* The shortest text that reads back as the same double, and among these the closest. Without an exponent from 10^-6
 * to below 10^21. "NaN", "+Inf", "-Inf" for values that are not finite. Returns the length. */
size_t decimal_format(double value, char out[DECIMAL_TEXT]);

/*
 * Natural numbers of bounded size, for decimal.c. They are wide enough for 800 decimal digits together with any
 * exponent of a double.
 */

/* The largest number in decimal.c is 10^1101 (3658 bits), shifted by at most its own width. */
#define BIGNUM_WORDS 256

typedef struct bignum {
    uint32_t words[BIGNUM_WORDS]; /* least significant first */
    unsigned count; /* without leading zero words; 0 = zero */
} bignum;

void bignum_set(bignum *n, uint64_t value);
void bignum_copy(bignum *to, const bignum *from);
void bignum_times(bignum *n, uint32_t by, uint32_t plus); /* n * by + plus */
void bignum_times_ten(bignum *n, unsigned power); /* n * 10^power */
void bignum_shift(bignum *n, unsigned bits); /* n * 2^bits */
void bignum_subtract(bignum *n, const bignum *by); /* n >= by */
int bignum_compare(const bignum *a, const bignum *b);
int bignum_compare_sum(const bignum *a, const bignum *b, const bignum *c); /* a + b against c */
unsigned bignum_bits(const bignum *n); /* the position of the highest bit, from 1; 0 of zero */
