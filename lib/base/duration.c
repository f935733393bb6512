/* SPDX-License-Identifier: Apache-2.0 */
#include <base/duration.h>

#include <string.h>

/* Largest magnitude, 2^63, which only a negative duration may have. */
#define LARGEST (UINT64_C(1) << 63)

typedef struct unit {
    const char *name;
    uint64_t nanoseconds;
} unit;

static const unit units[] = {
    { "ns", UINT64_C(1) },           { "us", UINT64_C(1000) },
    { "\xc2\xb5s", UINT64_C(1000) }, /* the micro sign */
    { "\xce\xbcs", UINT64_C(1000) }, /* the Greek letter mu */
    { "ms", UINT64_C(1000000) },     { "s", UINT64_C(1000000000) },
    { "m", UINT64_C(60000000000) },  { "h", UINT64_C(3600000000000) },
};

typedef struct reader {
    const char *at, *end;
} reader;

static bool next_digit(reader *r, unsigned *digit)
{
    if (r->at == r->end || *r->at < '0' || *r->at > '9') return false;
    *digit = (unsigned)(*r->at++ - '0');
    return true;
}

/* Digits before the decimal point. */
static bool read_whole(reader *r, uint64_t *out)
{
    unsigned digit = 0;
    uint64_t value = 0;
    while (next_digit(r, &digit)) {
        if (value > LARGEST / 10) return false;
        value = value * 10 + digit;
        if (value > LARGEST) return false;
    }
    *out = value;
    return true;
}

/* Digits after the decimal point: value / scale. Digits that do not fit are ignored. */
static void read_fraction(reader *r, uint64_t *value, double *scale)
{
    unsigned digit = 0;
    bool full = false;
    while (next_digit(r, &digit)) {
        if (full) continue;
        full = *value > (LARGEST - 1) / 10 || *value * 10 + digit > LARGEST;
        if (full) continue;
        *value = *value * 10 + digit;
        *scale *= 10;
    }
}

static const unit *read_unit(reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at != '.' && (*r->at < '0' || *r->at > '9')) r->at++;
    size_t len = (size_t)(r->at - start);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].name) == len && memcmp(units[i].name, start, len) == 0) return &units[i];
    }
    return NULL;
}

/* Reads one number with its unit and adds it to *total. */
static int read_part(reader *r, uint64_t *total)
{
    const char *start = r->at;
    uint64_t value = 0, fraction = 0;
    double scale = 1;
    if (!read_whole(r, &value)) return DURATION_RANGE;
    bool digits = r->at != start;
    if (r->at < r->end && *r->at == '.') {
        const char *point = r->at++;
        read_fraction(r, &fraction, &scale);
        digits = digits || r->at != point + 1;
    }
    if (!digits) return DURATION_SYNTAX;
    const unit *u = read_unit(r);
    if (!u) return DURATION_SYNTAX;
    if (value > LARGEST / u->nanoseconds) return DURATION_RANGE;
    value *= u->nanoseconds;
    if (fraction > 0) {
        /* The order of operations determines rounding and is the same as in Go. */
        value += (uint64_t)((double)fraction * ((double)u->nanoseconds / scale));
        if (value > LARGEST) return DURATION_RANGE;
    }
    *total += value; /* both are at most 2^63 */
    return *total > LARGEST || *total < value ? DURATION_RANGE : DURATION_OK;
}

int duration_read(const char *text, size_t len, int64_t *out)
{
    reader r = { text, len > 0 ? text + len : text };
    bool negative = false;
    if (len > 0 && (*text == '-' || *text == '+')) {
        negative = *text == '-';
        r.at++;
    }
    if (r.end - r.at == 1 && *r.at == '0') {
        *out = 0;
        return DURATION_OK;
    }
    if (r.at == r.end) return DURATION_SYNTAX;
    uint64_t total = 0;
    while (r.at < r.end) {
        int status = read_part(&r, &total);
        if (status != DURATION_OK) return status;
    }
    if (negative) {
        *out = total == LARGEST ? INT64_MIN : -(int64_t)total;
        return DURATION_OK;
    }
    if (total == LARGEST) return DURATION_RANGE;
    *out = (int64_t)total;
    return DURATION_OK;
}

bool duration_parse(const char *text, size_t len, int64_t *out) { return duration_read(text, len, out) == DURATION_OK; }

/* The text is written backwards. */
typedef struct writer {
    char text[DURATION_TEXT];
    size_t at;
} writer;

static void put(writer *w, const char *text)
{
    size_t len = strlen(text);
    w->at -= len;
    memcpy(w->text + w->at, text, len);
}

static void put_whole(writer *w, uint64_t value)
{
    do {
        w->text[--w->at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
}

/* Writes the lowest `digits` digits of value as a fraction without trailing zeros; returns the remaining value. */
static uint64_t put_fraction(writer *w, uint64_t value, unsigned digits)
{
    bool any = false;
    for (unsigned i = 0; i < digits; i++, value /= 10) {
        any = any || value % 10 != 0;
        if (any) w->text[--w->at] = (char)('0' + value % 10);
    }
    if (any) put(w, ".");
    return value;
}

static void put_short(writer *w, uint64_t value)
{
    unsigned digits = value >= 1000000 ? 6 : value >= 1000 ? 3 : 0;
    put(w, digits == 6 ? "ms" : digits == 3 ? "\xc2\xb5s" : "ns");
    put_whole(w, put_fraction(w, value, digits));
}

static void put_long(writer *w, uint64_t value)
{
    put(w, "s");
    value = put_fraction(w, value, 9);
    put_whole(w, value % 60);
    value /= 60;
    if (value == 0) return;
    put(w, "m");
    put_whole(w, value % 60);
    value /= 60;
    if (value == 0) return;
    put(w, "h");
    put_whole(w, value);
}

size_t duration_format(int64_t nanoseconds, char out[DURATION_TEXT])
{
    writer w = { .at = DURATION_TEXT };
    w.text[--w.at] = '\0';
    uint64_t value = nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
    if (value == 0) put(&w, "0s");
    else if (value < 1000000000) put_short(&w, value);
    else put_long(&w, value);
    if (nanoseconds < 0) put(&w, "-");
    memcpy(out, w.text + w.at, DURATION_TEXT - w.at);
    return DURATION_TEXT - w.at - 1;
}
