/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles as text and back, exactly and whatever the locale. */
#ifndef MODEL_DECIMAL_H
#define MODEL_DECIMAL_H

#include <stddef.h>

#define DECIMAL_TEXT 64

enum { DECIMAL_OK, DECIMAL_SYNTAX, DECIMAL_RANGE };

/* [+-] digits [. digits] [e [+-] digits], one group of digits at least, to the nearest double (ties to even).
 * RANGE: beyond the largest double. *out is written on success only. */
int decimal_parse(const char *text, size_t len, double *out);

/* The shortest text that reads back as the same double, and of these the closest; returns its length. Without an
 * exponent from 10^-6 to below 10^21. "NaN", "+Inf", "-Inf" for what is not finite. */
size_t decimal_format(double value, char out[DECIMAL_TEXT]);

#endif
