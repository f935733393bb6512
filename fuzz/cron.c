/* SPDX-License-Identifier: Apache-2.0 */
/* Cron schedules: eight bytes of an instant, then the text. The next hit obeys the fields, and nothing before it does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/cron.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int64_t minute = INT64_C(60000000000);

static void broken(const char *law, const char *text, size_t size, int64_t after)
{
    fprintf(stderr, "broken law: %s: \"%.*s\" after %lld\n", law, (int)size, text, (long long)after);
    abort();
}

/* Days since 1970-01-01 to month and day: the calendar of 400 years, counted from a first of March. */
static void civil(int64_t days, int *month, int *day)
{
    int64_t of_era = (days + 719468) % 146097;
    of_era += of_era < 0 ? 146097 : 0;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
}

/* Whether a minute since 1970 is one of the schedule's. */
static bool matches(const cron *c, int64_t at)
{
    int64_t days = at / 1440 - (at % 1440 < 0);
    int64_t of_day = at - days * 1440, weekday = (days + 4) % 7;
    int month, day;
    civil(days, &month, &day);
    bool on_day = (c->days >> day & 1) != 0,
         on_weekday = (c->weekdays >> (weekday < 0 ? weekday + 7 : weekday) & 1) != 0;
    bool today = c->any_day || c->any_weekday ? on_day && on_weekday : on_day || on_weekday;
    return (c->minutes >> of_day % 60 & 1) && (c->hours >> of_day / 60 & 1) && (c->months >> month & 1) && today;
}

static void check_fields(const cron *c, int64_t after, bool found, int64_t hit, const char *text, size_t size)
{
    int64_t first = after / minute + 1 - (after % minute < 0), last = found ? hit / minute : first + 60 * 24 * 400;
    if (found && (hit % minute != 0 || !matches(c, last))) broken("a hit obeys the fields", text, size, after);
    if (last - first > 60 * 24 * 3) last = first + 60 * 24 * 3;
    for (int64_t at = first; at < last; at++) {
        if (matches(c, at)) broken("the next hit is the first", text, size, after);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 8) return 0;
    int64_t after, hit = 0, again = 0;
    memcpy(&after, data, sizeof after);
    after /= 2; /* away from the end of time */
    const char *text = (const char *)data + 8;
    size -= 8;
    cron c;
    if (!cron_parse(text, size, &c)) return 0;
    bool found = cron_next(&c, after, &hit);
    if (found && hit <= after) broken("a hit lies after the instant", text, size, after);
    if (found && hit - 1 > after && hit != INT64_MAX && c.every == 0 &&
        (!cron_next(&c, hit - 1, &again) || again != hit))
        broken("the hit is the next one from a nanosecond before it", text, size, after);
    if (c.every == 0 && hit != INT64_MAX) check_fields(&c, after, found, hit, text, size);
    return 0;
}
