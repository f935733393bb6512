/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets with schedules, minute by minute, against what each schedule means in words. Some weeks of 2026 and 2028; the
 * whole of both years when KARP_WHOLE_YEARS is set (the long suite does). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <disrupt/budgets.h>
#include <base/duration.h>
#include <model/instant.h>

#define MINUTE (INT64_C(60) * SECOND_NS)

typedef struct moment {
    unsigned month, day, weekday, hour, minute; /* weekday 0 = Sunday */
} moment;

static bool at_nine_on_weekdays(moment m) { return m.weekday >= 1 && m.weekday <= 5 && m.hour == 9 && m.minute == 0; }
static bool at_nine_on_sundays(moment m) { return m.weekday == 0 && m.hour == 9 && m.minute == 0; }
static bool at_nine_on_mondays(moment m) { return m.weekday == 1 && m.hour == 9 && m.minute == 0; }
static bool midnight_of_the_13th_and_of_fridays(moment m)
{
    return (m.day == 13 || m.weekday == 5) && m.hour == 0 && m.minute == 0;
}
static bool midnight_of_odd_days_and_of_mondays(moment m)
{
    return (m.day % 2 == 1 || m.weekday == 1) && m.hour == 0 && m.minute == 0;
}
static bool midnight_of_mondays(moment m) { return m.weekday == 1 && m.hour == 0 && m.minute == 0; }
static bool midnight(moment m) { return m.hour == 0 && m.minute == 0; }
static bool full_hour(moment m) { return m.minute == 0; }
static bool every_seven_minutes(moment m) { return m.minute % 7 == 0; }
static bool quarters_from_five_past(moment m) { return m.minute >= 5 && (m.minute - 5) % 15 == 0; }
static bool odd_hours_of_the_day(moment m) { return m.minute == 0 && m.hour >= 9 && m.hour <= 17 && m.hour % 2 == 1; }
static bool at_nine_on_winter_mondays(moment m)
{
    return (m.month == 1 || m.month == 3) && m.weekday == 1 && m.hour == 9 && m.minute == 0;
}
static bool leap_day(moment m) { return m.month == 2 && m.day == 29 && m.hour == 0 && m.minute == 0; }
static bool new_year(moment m) { return m.month == 1 && m.day == 1 && m.hour == 0 && m.minute == 0; }
static bool at_ten_in_the_evening(moment m) { return m.hour == 22 && m.minute == 0; }

static const struct example {
    const char *schedule, *duration;
    bool (*hits)(moment m);
} examples[] = {
    { "0 9 * * mon-fri", "8h", at_nine_on_weekdays },
    { "0 9 * * 0", "8h", at_nine_on_sundays },
    { "0 9 ? * MON", "8h", at_nine_on_mondays },
    { "0 0 13 * 5", "24h", midnight_of_the_13th_and_of_fridays },
    { "0 0 */2 * 1", "24h", midnight_of_odd_days_and_of_mondays },
    { "0 0 */1 * 1", "36h", midnight_of_mondays },
    { "0 0 1-31 * 1", "12h", midnight },
    { "@hourly", "1m", full_hour },
    { "@hourly", "90m", full_hour }, /* always: the windows overlap */
    { "*/7 * * * *", "1m", every_seven_minutes },
    { "5/15 * * * *", "6m", quarters_from_five_past },
    { "0 9-17/2 * * *", "1h30m", odd_hours_of_the_day },
    { "0 9 * JAN,mar 1", "1h", at_nine_on_winter_mondays },
    { "0 0 29 2 *", "48h", leap_day },
    { "@yearly", "24h", new_year },
    { "@daily", "0s", midnight }, /* a window without an inside */
    { "0 22 * * *", "10h", at_ten_in_the_evening },
};

static moment moment_of(int64_t minute)
{
    int64_t days = floor_divide(minute, 1440);
    unsigned of_day = (unsigned)(minute - days * 1440);
    civil_date date = civil_from_days(days);
    return (moment){ date.month, date.day, civil_weekday(days), of_day / 60, of_day % 60 };
}

static bool active(const budget *b, int64_t now)
{
    int64_t allowed = 0;
    assert_true(budget_allows(b, 10, now, true, &allowed));
    assert_true(allowed == 3 || allowed == BUDGET_UNLIMITED);
    return allowed == 3;
}

/* The minutes of [first, last), begun so early that a window that is open at `first` is known. */
static void check_span(const struct example *e, int64_t first, int64_t last)
{
    budget b = { .nodes = { "3", 1 }, .schedule = { e->schedule, strlen(e->schedule) } };
    assert_true(duration_parse(e->duration, strlen(e->duration), &b.duration));
    const node_pool pool = { .budgets = &b, .budget_count = 1 };
    int64_t open = INT64_MIN, change = KARP_NO_TIME;
    bool was = false;
    for (int64_t minute = first - 3 * 1440; minute < last; minute++) {
        int64_t now = minute * MINUTE;
        if (e->hits(moment_of(minute))) open = now;
        if (minute < first) continue;
        bool wanted = open != INT64_MIN && now - open < b.duration;
        if (active(&b, now) != wanted) fail_msg("%s for %s: minute %lld", e->schedule, e->duration, (long long)minute);
        /* A nanosecond before the minute it is as it was a minute ago, unless a window ended in between. */
        if (open != now && active(&b, now - 1) != (open != INT64_MIN && now - 1 - open < b.duration))
            fail_msg("%s: before minute %lld", e->schedule, (long long)minute);
        /* What was said about the next change holds. */
        if (change != KARP_NO_TIME && now < change && wanted != was)
            fail_msg("%s: a change before it was announced, minute %lld", e->schedule, (long long)minute);
        if (change == KARP_NO_TIME || now >= change || minute % 97 == 0) {
            change = pool_next_change(&pool, KARP_BUDGET_EMPTY, now, 0, NULL);
            if (change != KARP_NO_TIME && change <= now)
                fail_msg("%s: the next change is past, minute %lld", e->schedule, (long long)minute);
        }
        was = wanted;
    }
}

static int64_t minute_of(int64_t year, unsigned month, unsigned day) { return civil_days(year, month, day) * 1440; }

static void test_minutes(void **state)
{
    (void)state;
    bool whole = getenv("KARP_WHOLE_YEARS") != NULL;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        for (int64_t year = 2026; year <= 2028; year += 2) {
            if (whole) {
                check_span(&examples[i], minute_of(year, 1, 1), minute_of(year + 1, 1, 1));
                continue;
            }
            check_span(&examples[i], minute_of(year, 1, 1), minute_of(year, 1, 6));
            check_span(&examples[i], minute_of(year, 2, 26), minute_of(year, 3, 4));
            check_span(&examples[i], minute_of(year, 12, 29), minute_of(year + 1, 1, 2));
        }
    }
}

/* D-Q1: a schedule that has no hit within five years is always in force; without the quirk it never is. */
static void test_never(void **state)
{
    (void)state;
    static const struct {
        const char *schedule;
        int64_t year;
        unsigned month, day;
        bool never;
    } rows[] = {
        { "0 0 30 2 *", 2026, 1, 5, true },   { "0 0 31 4 *", 2026, 4, 30, true }, { "0 0 29 2 *", 2026, 1, 1, false },
        { "0 0 29 2 *", 2096, 2, 1, false },  { "0 0 29 2 *", 2096, 3, 2, true },  { "0 0 29 2 *", 2097, 1, 2, true },
        { "0 0 29 2 *", 2098, 12, 31, true }, { "0 0 29 2 *", 2099, 1, 2, false }, { "0 0 29 2 *", 2104, 3, 2, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        budget b = { .nodes = { "3", 1 },
                     .schedule = { rows[i].schedule, strlen(rows[i].schedule) },
                     .duration = INT64_C(3600) * SECOND_NS };
        int64_t now = minute_of(rows[i].year, rows[i].month, rows[i].day) * MINUTE, allowed = 0;
        if (active(&b, now) != rows[i].never) fail_msg("row %zu", i);
        assert_true(budget_allows(&b, 10, now, false, &allowed) && allowed == BUDGET_UNLIMITED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_minutes), cmocka_unit_test(test_never) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
