/* SPDX-License-Identifier: Apache-2.0 */
/* Instants (nanoseconds since 1970 in UTC), RFC 3339, and the civil calendar. */
#ifndef MODEL_INSTANT_H
#define MODEL_INSTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTANT_TEXT 64
#define SECOND_NS INT64_C(1000000000)
#define DAY_SECONDS INT64_C(86400)

enum { INSTANT_OK, INSTANT_SYNTAX, INSTANT_RANGE };

/* Years 1678 to 2261 in UTC. Digits of a second beyond the ninth are dropped. *out is written only on success. */
int instant_read(const char *text, size_t len, int64_t *out);

/* The same, for callers that do not need the kind of failure. */
bool instant_parse(const char *text, size_t len, int64_t *out);

/* Writes the instant in UTC, with as many decimals as needed, and returns the length. */
size_t instant_format(int64_t instant, char out[INSTANT_TEXT]);

/* A date of the proleptic Gregorian calendar. */
typedef struct civil_date {
    int64_t year;
    unsigned month; /* 1–12 */
    unsigned day; /* 1–31 */
} civil_date;

int64_t civil_days(int64_t year, unsigned month, unsigned day); /* days since 1970-01-01 */
civil_date civil_from_days(int64_t days);
unsigned civil_month_length(int64_t year, unsigned month);
unsigned civil_weekday(int64_t days); /* 0 = Sunday */

/* Division that rounds towards minus infinity; by > 0. */
static inline int64_t floor_divide(int64_t a, int64_t by)
{
    int64_t quotient = a / by;
    return a % by < 0 ? quotient - 1 : quotient;
}

#endif
