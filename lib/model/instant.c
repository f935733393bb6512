/* SPDX-License-Identifier: Apache-2.0 */
#include <model/instant.h>

#include <string.h>

/* ---- RFC 3339 ---------------------------------------------------------------------------------------------------- */

typedef struct reader {
    const char *at, *end;
} reader;

static bool read_number(reader *r, int digits, unsigned most, unsigned *out)
{
    unsigned value = 0;
    if (r->end - r->at < digits) return false;
    for (int i = 0; i < digits; i++) {
        char c = *r->at++;
        if (c < '0' || c > '9') return false;
        value = value * 10 + (unsigned)(c - '0');
    }
    *out = value;
    return value <= most;
}

static bool read_char(reader *r, char one, char other)
{
    if (r->at == r->end || (*r->at != one && *r->at != other)) return false;
    r->at++;
    return true;
}

static bool two_digits(const char *text, unsigned most, unsigned *out)
{
    unsigned tens = (unsigned)text[0] - '0', ones = (unsigned)text[1] - '0';
    *out = tens * 10 + ones;
    return tens <= 9 && ones <= 9 && *out <= most;
}

/* "2026-01-01T00:00:00Z", the form that Kubernetes nearly always uses. false = another form, or invalid. */
static bool read_usual(const char *t, size_t len, int64_t *out)
{
    unsigned century, year, month, day, hour, minute, second;
    if (len != 20 || t[4] != '-' || t[7] != '-' || t[10] != 'T' || t[13] != ':' || t[16] != ':' || t[19] != 'Z' ||
        !two_digits(t, 99, &century) || !two_digits(t + 2, 99, &year) || !two_digits(t + 5, 12, &month) ||
        !two_digits(t + 8, 28, &day) || !two_digits(t + 11, 23, &hour) || !two_digits(t + 14, 59, &minute) ||
        !two_digits(t + 17, 59, &second) || century < 17 || century > 21 || month == 0 || day == 0)
        return false;
    int64_t days = civil_days((int64_t)century * 100 + year, month, day);
    *out = (days * DAY_SECONDS + (int64_t)hour * 3600 + (int64_t)minute * 60 + second) * SECOND_NS;
    return true;
}

static bool read_fraction(reader *r, unsigned *nanoseconds)
{
    *nanoseconds = 0;
    if (!read_char(r, '.', '.')) return true;
    unsigned worth = 100000000;
    const char *start = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++, worth /= 10)
        *nanoseconds += worth * (unsigned)(*r->at - '0');
    return r->at > start;
}

static bool read_offset(reader *r, int64_t *seconds)
{
    *seconds = 0;
    if (read_char(r, 'Z', 'z')) return true;
    bool west = r->at < r->end && *r->at == '-';
    unsigned hours = 0, minutes = 0;
    if (!read_char(r, '+', '-') || !read_number(r, 2, 23, &hours) || !read_char(r, ':', ':') ||
        !read_number(r, 2, 59, &minutes)) {
        return false;
    }
    *seconds = (int64_t)hours * 3600 + (int64_t)minutes * 60;
    if (west) *seconds = -*seconds;
    return true;
}

int instant_read(const char *text, size_t len, int64_t *out)
{
    if (read_usual(text, len, out)) return INSTANT_OK;
    reader r = { text, len > 0 ? text + len : text };
    unsigned year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, nanoseconds = 0;
    int64_t offset = 0;
    bool date = read_number(&r, 4, 9999, &year) && read_char(&r, '-', '-') && read_number(&r, 2, 12, &month) &&
                read_char(&r, '-', '-') && read_number(&r, 2, 31, &day);
    if (!date || month == 0 || day == 0 || day > civil_month_length(year, month)) return INSTANT_SYNTAX;
    bool time = read_char(&r, 'T', 't') && read_number(&r, 2, 23, &hour) && read_char(&r, ':', ':') &&
                read_number(&r, 2, 59, &minute) && read_char(&r, ':', ':') && read_number(&r, 2, 59, &second) &&
                read_fraction(&r, &nanoseconds) && read_offset(&r, &offset);
    if (!time || r.at != r.end) return INSTANT_SYNTAX;

    int64_t seconds = civil_days(year, month, day) * DAY_SECONDS + (int64_t)hour * 3600 + (int64_t)minute * 60 +
                      (int64_t)second - offset;
    if (seconds < civil_days(1678, 1, 1) * DAY_SECONDS || seconds >= civil_days(2262, 1, 1) * DAY_SECONDS)
        return INSTANT_RANGE;
    *out = seconds * SECOND_NS + (int64_t)nanoseconds;
    return INSTANT_OK;
}

bool instant_parse(const char *text, size_t len, int64_t *out) { return instant_read(text, len, out) == INSTANT_OK; }

static char *put_number(char *to, uint64_t value, int digits)
{
    for (int i = digits; i-- > 0; value /= 10) to[i] = (char)('0' + value % 10);
    return to + digits;
}

size_t instant_format(int64_t instant, char out[INSTANT_TEXT])
{
    int64_t seconds = floor_divide(instant, SECOND_NS);
    /* Unsigned, since the product may be slightly below INT64_MIN. */
    uint64_t nanoseconds = (uint64_t)instant - (uint64_t)seconds * (uint64_t)SECOND_NS;
    int64_t days = floor_divide(seconds, DAY_SECONDS);
    uint64_t rest = (uint64_t)(seconds - days * DAY_SECONDS);
    civil_date date = civil_from_days(days);
    char *to = put_number(out, (uint64_t)date.year, 4);
    *to++ = '-';
    to = put_number(to, date.month, 2);
    *to++ = '-';
    to = put_number(to, date.day, 2);
    *to++ = 'T';
    to = put_number(to, rest / 3600, 2);
    *to++ = ':';
    to = put_number(to, rest / 60 % 60, 2);
    *to++ = ':';
    to = put_number(to, rest % 60, 2);
    if (nanoseconds > 0) {
        *to++ = '.';
        to = put_number(to, nanoseconds, 9);
        while (to[-1] == '0') to--;
    }
    *to++ = 'Z';
    *to = '\0';
    return (size_t)(to - out);
}
