/* SPDX-License-Identifier: Apache-2.0 */
#include <base/civil.h>

#include <stdbool.h>

static bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

unsigned civil_month_length(int64_t year, unsigned month)
{
    static const unsigned char lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    if (month == 2 && is_leap(year)) return 29;
    return lengths[month - 1];
}

/* Days from January 1 of year 0 to January 1 of `year`. */
static int64_t days_before_year(int64_t year)
{
    int64_t last = year - 1;
    return year * 365 + floor_divide(last, 4) - floor_divide(last, 100) + floor_divide(last, 400) + 1;
}

#define DAYS_TO_1970 INT64_C(719528)

int64_t civil_days(int64_t year, unsigned month, unsigned day)
{
    static const short before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    int64_t days = days_before_year(year) - DAYS_TO_1970 + before[month - 1] + (int64_t)day - 1;
    return month > 2 && is_leap(year) ? days + 1 : days;
}

civil_date civil_from_days(int64_t days)
{
    int64_t since_zero = days + DAYS_TO_1970;
    /* 146097 days are 400 years; the estimate is at most one year off. */
    civil_date date = { floor_divide(since_zero * 400, 146097), 1, 1 };
    while (days_before_year(date.year) > since_zero) date.year--;
    while (days_before_year(date.year + 1) <= since_zero) date.year++;
    unsigned left = (unsigned)(since_zero - days_before_year(date.year));
    for (unsigned length = 31; left >= length; length = civil_month_length(date.year, date.month)) {
        left -= length;
        date.month++;
    }
    date.day = left + 1;
    return date;
}

unsigned civil_weekday(int64_t days)
{
    /* 1970-01-01 was a Thursday. */
    return (unsigned)(days + 4 - floor_divide(days + 4, 7) * 7);
}
