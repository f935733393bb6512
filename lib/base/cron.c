/* SPDX-License-Identifier: Apache-2.0 */
#include <base/cron.h>

#include <base/civil.h>
#include <base/duration.h>
#include <base/str.h>

typedef struct bounds {
    uint64_t least, most;
    const char *names; /* three letters each, beginning with the name of `least`; NULL = none */
} bounds;

static const bounds minute_bounds = { 0, 59, NULL };
static const bounds hour_bounds = { 0, 23, NULL };
static const bounds day_bounds = { 1, 31, NULL };
static const bounds month_bounds = { 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" };
static const bounds weekday_bounds = { 0, 6, "sunmontuewedthufrisat" };

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Removes the part before the first `separator` from *rest. false = nothing was left. */
static bool next_part(karp_str *rest, char separator, karp_str *part)
{
    if (!rest->ptr) return false;
    const char *end = rest->len > 0 ? memchr(rest->ptr, separator, rest->len) : NULL;
    part->ptr = rest->ptr;
    part->len = end ? (size_t)(end - rest->ptr) : rest->len;
    rest->len = end ? rest->len - part->len - 1 : 0;
    rest->ptr = end ? end + 1 : NULL;
    return true;
}

/* A sign is allowed, as in Go's number parser; a negative number is an error. */
static bool parse_number(karp_str t, uint64_t *out)
{
    bool negative = t.len > 0 && t.ptr[0] == '-';
    if (t.len > 0 && (t.ptr[0] == '-' || t.ptr[0] == '+')) {
        t.ptr++;
        t.len--;
    }
    if (t.len == 0) return false;
    uint64_t value = 0;
    for (size_t i = 0; i < t.len; i++) {
        if (t.ptr[i] < '0' || t.ptr[i] > '9') return false;
        uint64_t digit = (uint64_t)(t.ptr[i] - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = value;
    return !negative || value == 0;
}

static bool parse_value(karp_str t, const bounds *b, uint64_t *out)
{
    if (b->names && t.len == 3) {
        for (uint64_t i = b->least; i <= b->most; i++) {
            const char *name = b->names + (i - b->least) * 3;
            if (equal_letters(t, (karp_str){ name, 3 })) {
                *out = i;
                return true;
            }
        }
    }
    return parse_number(t, out);
}

typedef struct range {
    uint64_t first, last, step;
    bool all; /* "*" or "?" */
} range;

/* "a", "a-b" or "*"; *single: there is no hyphen. */
static bool parse_ends(karp_str t, const bounds *b, range *r, bool *single)
{
    karp_str rest = t, low = { NULL, 0 }, high = { NULL, 0 };
    (void)next_part(&rest, '-', &low);
    *single = rest.ptr == NULL;
    if (str_is(low, "*") || str_is(low, "?")) {
        /* The text after a star's hyphen is ignored. */
        r->first = b->least;
        r->last = b->most;
        r->all = true;
        return true;
    }
    if (!parse_value(low, b, &r->first)) return false;
    r->last = r->first;
    if (!next_part(&rest, '-', &high)) return true;
    return parse_value(high, b, &r->last) && rest.ptr == NULL;
}

static bool parse_range(karp_str t, const bounds *b, uint64_t *bits, bool *all)
{
    karp_str rest = t, ends = { NULL, 0 }, step = { NULL, 0 };
    range r = { 0, 0, 1, false };
    bool single = false;
    (void)next_part(&rest, '/', &ends);
    if (!parse_ends(ends, b, &r, &single)) return false;
    if (next_part(&rest, '/', &step)) {
        if (rest.ptr != NULL || !parse_number(step, &r.step)) return false;
        if (single) r.last = b->most;
        if (r.step > 1) r.all = false;
    }
    if (r.first < b->least || r.last > b->most || r.first > r.last || r.step == 0) return false;
    for (uint64_t i = r.first;; i += r.step) {
        *bits |= UINT64_C(1) << i;
        if (r.step > r.last - i) break;
    }
    *all = *all || r.all;
    return true;
}

/* Empty items of the list are ignored; a field with only commas matches nothing. */
static bool parse_field(karp_str t, const bounds *b, uint64_t *bits, bool *all)
{
    karp_str item = { NULL, 0 };
    *bits = 0;
    *all = false;
    while (next_part(&t, ',', &item)) {
        if (item.len > 0 && !parse_range(item, b, bits, all)) return false;
    }
    return true;
}

/* The text must not end with a space. */
static size_t split_fields(karp_str t, karp_str fields[5])
{
    size_t count = 0, i = 0;
    while (i < t.len) {
        while (is_space(t.ptr[i])) i++;
        size_t start = i;
        while (i < t.len && !is_space(t.ptr[i])) i++;
        if (count == 5) return 6;
        fields[count++] = (karp_str){ t.ptr + start, i - start };
    }
    return count;
}

static bool parse_fields(karp_str t, cron *out)
{
    karp_str fields[5];
    bool all = false;
    if (split_fields(t, fields) != 5) return false;
    return parse_field(fields[0], &minute_bounds, &out->minutes, &all) &&
           parse_field(fields[1], &hour_bounds, &out->hours, &all) &&
           parse_field(fields[2], &day_bounds, &out->days, &out->any_day) &&
           parse_field(fields[3], &month_bounds, &out->months, &all) &&
           parse_field(fields[4], &weekday_bounds, &out->weekdays, &out->any_weekday);
}

static bool parse_descriptor(karp_str t, cron *out)
{
    static const char *const names[][2] = {
        { "@yearly", "0 0 1 1 *" }, { "@annually", "0 0 1 1 *" }, { "@monthly", "0 0 1 * *" },
        { "@weekly", "0 0 * * 0" }, { "@daily", "0 0 * * *" },    { "@midnight", "0 0 * * *" },
        { "@hourly", "0 * * * *" },
    };
    static const char every[] = "@every ";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (str_is(t, names[i][0])) return parse_fields(str(names[i][1]), out);
    }
    size_t prefix = sizeof every - 1;
    int64_t duration = 0;
    if (!str_starts(t, every)) return false;
    if (!duration_parse(t.ptr + prefix, t.len - prefix, &duration)) return false;
    out->every = duration < SECOND_NS ? 1 : duration / SECOND_NS;
    return true;
}

bool cron_parse(const char *ptr, size_t len, cron *out)
{
    karp_str t = { ptr, len };
    while (t.len > 0 && is_space(t.ptr[0])) {
        t.ptr++;
        t.len--;
    }
    while (t.len > 0 && is_space(t.ptr[t.len - 1])) t.len--;
    cron parsed;
    memset(&parsed, 0, sizeof parsed);
    bool good = t.len > 0 && t.ptr[0] == '@' ? parse_descriptor(t, &parsed) : parse_fields(t, &parsed);
    if (good) *out = parsed;
    return good;
}

/* ---- the next match ---------------------------------------------------------------------------------------------- */

static bool has(uint64_t bits, uint64_t value) { return (bits >> value & 1) != 0; }

/* The lowest value of the set at or after `from`, which is below 64; 64 = none. */
static unsigned first_from(uint64_t bits, unsigned from)
{
    bits &= UINT64_MAX << from;
    return bits == 0 ? 64 : (unsigned)__builtin_ctzll(bits);
}

static bool day_matches(const cron *c, civil_date date, int64_t days)
{
    bool day = has(c->days, date.day), weekday = has(c->weekdays, civil_weekday(days));
    return c->any_day || c->any_weekday ? day && weekday : day || weekday;
}

/* The first minute of a matching day at or after `minute` (of the day), or -1. */
static int64_t minute_of_day(const cron *c, int64_t minute)
{
    unsigned from = (unsigned)(minute / 60);
    unsigned hour = first_from(c->hours, from);
    if (hour == 64) return -1;
    unsigned found = first_from(c->minutes, hour == from ? (unsigned)(minute % 60) : 0);
    if (found == 64) {
        hour = first_from(c->hours, hour + 1);
        found = first_from(c->minutes, 0);
    }
    return hour == 64 || found == 64 ? -1 : (int64_t)hour * 60 + found;
}

static int64_t to_instant(int64_t seconds) { return seconds > INT64_MAX / SECOND_NS ? INT64_MAX : seconds * SECOND_NS; }

bool cron_has(const cron *c, int64_t seconds)
{
    int64_t days = floor_divide(seconds, DAY_SECONDS), second = seconds - days * DAY_SECONDS;
    civil_date date = civil_from_days(days);
    return c->every == 0 && second % 60 == 0 && has(c->minutes, (uint64_t)second / 60 % 60) &&
           has(c->hours, (uint64_t)second / 3600) && has(c->months, date.month) && day_matches(c, date, days);
}

bool cron_next(const cron *c, int64_t after_ns, int64_t *hit_ns)
{
    int64_t seconds = floor_divide(after_ns, SECOND_NS);
    if (c->every > 0) {
        *hit_ns = to_instant(seconds + c->every);
        return true;
    }
    seconds++;
    int64_t days = floor_divide(seconds, DAY_SECONDS);
    civil_date date = civil_from_days(days);
    int64_t last_year = date.year + 5;
    /* Only full minutes can match. */
    int64_t minute = (seconds - days * DAY_SECONDS + 59) / 60;
    while (date.year <= last_year) {
        int64_t found = -1;
        if (has(c->months, date.month) && minute < INT64_C(24) * 60 && day_matches(c, date, days))
            found = minute_of_day(c, minute);
        if (found >= 0) {
            *hit_ns = to_instant(days * DAY_SECONDS + found * 60);
            return true;
        }
        minute = 0;
        days++;
        if (++date.day <= civil_month_length(date.year, date.month)) continue;
        date.day = 1;
        if (++date.month <= 12) continue;
        date.month = 1;
        date.year++;
    }
    return false;
}
