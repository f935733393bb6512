/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/schedule.h>

#include <base/error.h>
#include <io/files.h>
#include <karp/library.h>
#include <replay/common.h>

#include <stdio.h>

#define MINUTE (60 * SECOND)
#define DAY (1440 * MINUTE)

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static bool digits(const char **at, unsigned *out)
{
    const char *first = *at;
    for (*out = 0; **at >= '0' && **at <= '9' && *at - first < 3; ++*at) *out = *out * 10 + (unsigned)(**at - '0');
    return *at > first;
}

/* Parses a field of a schedule to a bit set: *, 5, 1-5, 1,3, and each with /STEP. */
static bool read_field(const char **at, unsigned low, unsigned high, uint64_t *bits, bool *any)
{
    *bits = 0;
    *any = **at == '*' && ((*at)[1] == '\0' || (*at)[1] == ' ');
    for (;; ++*at) {
        unsigned first = low, last = high, step = 1;
        if (**at == '*') {
            ++*at;
        } else {
            if (!digits(at, &first)) return false;
            last = **at == '/' ? high : first;
            if (**at == '-' && (++*at, !digits(at, &last))) return false;
        }
        if (**at == '/' && (++*at, !digits(at, &step))) return false;
        if (first < low || last > high || first > last || step == 0) return false;
        for (unsigned i = first; i <= last; i += step) *bits |= UINT64_C(1) << i;
        if (**at != ',') return true;
    }
}

static bool read_fields(const char *text, cron_schedule *out)
{
    struct {
        uint64_t *bits;
        unsigned low, high;
    } fields[] = { { &out->minutes, 0, 59 },
                   { &out->hours, 0, 23 },
                   { &out->days, 1, 31 },
                   { &out->months, 1, 12 },
                   { &out->weekdays, 0, 7 } };
    for (size_t i = 0; i < 5; i++) {
        bool any = false;
        while (*text == ' ') text++;
        if (!read_field(&text, fields[i].low, fields[i].high, fields[i].bits, &any)) return false;
        if (*text && *text != ' ') return false;
        if (i == 2) out->any_day = any;
        if (i == 4) out->any_weekday = any;
    }
    if (out->weekdays >> 7 & 1) out->weekdays |= 1;
    while (*text == ' ') text++;
    return *text == '\0';
}

/* Day of the month and month, from days since 1970. */
static void civil(int64_t days, unsigned *day, unsigned *month)
{
    int64_t shifted = days + 719468, era = shifted / 146097, of_era = shifted - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), part_ = (5 * of_year + 2) / 153;
    *day = (unsigned)(of_year - (153 * part_ + 2) / 5 + 1);
    *month = (unsigned)(part_ < 10 ? part_ + 3 : part_ - 9);
}

static bool fits(const cron_schedule *s, int64_t at)
{
    unsigned day = 1, month = 1;
    int64_t minute = at / MINUTE;
    if (!(s->minutes >> (minute % 60) & 1) || !(s->hours >> (minute / 60 % 24) & 1)) return false;
    civil(at / DAY, &day, &month);
    bool of_month = (s->days >> day & 1) != 0, of_week = (s->weekdays >> ((at / DAY + 4) % 7) & 1) != 0;
    /* If both are restricted, one match is enough, as in cron. */
    bool both = s->any_day || s->any_weekday ? of_month && of_week : of_month || of_week;
    return (s->months >> month & 1) && both;
}

/* ---- a schedule in its zone -------------------------------------------------------------------------------------- */

bool schedule_read(cron_schedule *s, karp_str text)
{
    char fields[128];
    str_shorten(fields, sizeof fields, text);
    return text.len < sizeof fields && read_fields(fields, s);
}

karp_status schedule_read_zone(cron_schedule *s, karp_context *context, arena *memory, karp_str name)
{
    char path[128];
    karp_error error;
    strbuf text;
    if (!zone_is_name(name)) return KARP_E_INVALID;
    (void)snprintf(path, sizeof path, "/usr/share/zoneinfo/%.*s", (int)name.len, name.ptr);
    karp_error_init(&error, sizeof error);
    karp_status status = io_whole_file(context, str(path), &text, &error);
    if (!status) status = zone_parse(&s->where, memory, (karp_str){ text.ptr, text.len });
    strbuf_free(&text);
    return status && status != KARP_E_NOMEM ? KARP_E_NOT_FOUND : status;
}

const char *schedule_zone_wrong(karp_status status)
{
    return status == KARP_E_INVALID ? "not a zone of time like Europe/Berlin"
                                    : "this machine has no such zone in /usr/share/zoneinfo";
}

/* On the clock of the zone. Where it is turned back, the hour comes twice; where it is turned ahead, an hour is left
 * out. */
bool schedule_is_due(const cron_schedule *s, int64_t at)
{
    return fits(s, at + (s->where.count ? zone_ahead(&s->where, at / SECOND) : 0) * SECOND);
}

int64_t schedule_last(karp_context *context, const cron_schedule *s, int64_t after, int64_t now)
{
    for (int64_t at = now - now % MINUTE; at > after && karp_context_work(context, 1); at -= MINUTE) {
        if (schedule_is_due(s, at)) return at;
    }
    return KARP_NO_TIME;
}

int64_t schedule_next(karp_context *context, const cron_schedule *s, int64_t after)
{
    int64_t at = after - after % MINUTE;
    for (int64_t i = 0; i < 366 * DAY / MINUTE && karp_context_work(context, 1); i++) {
        at += MINUTE;
        if (schedule_is_due(s, at)) return at;
    }
    return INT64_MAX;
}
