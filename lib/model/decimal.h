/* SPDX-License-Identifier: Apache-2.0 */
/* Converts doubles to text and back, exactly and independently of the locale. */
#pragma once

#include <stddef.h>

#define DECIMAL_TEXT 64

enum { DECIMAL_OK, DECIMAL_SYNTAX, DECIMAL_RANGE };

/* Reads [+-] digits [. digits] [e [+-] digits], with at least one digit, to the nearest double (ties to even). RANGE:
 * beyond the largest double. *out is written only on success. */
int decimal_parse(const char *text, size_t len, double *out);

/* The shortest text that reads back as the same double, and among these the closest. Without an exponent from 10^-6
 * to below 10^21. "NaN", "+Inf", "-Inf" for values that are not finite. Returns the length. */
size_t decimal_format(double value, char out[DECIMAL_TEXT]);
