/* SPDX-License-Identifier: Apache-2.0 */
/* The civil calendar, in UTC. */
#pragma once

#include <stdint.h>

#define SECOND_NS INT64_C(1000000000)
#define DAY_SECONDS INT64_C(86400)

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
