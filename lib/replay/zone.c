/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/zone.h>

#include <base/bisect.h>
#include <base/civil.h>
#include <base/str.h>

enum { HEAD = 44, NAME_MOST = 64, SIZES = 6, TURN_MOST = 100000 };
enum { UTC_MARKS, WALL_MARKS, LEAPS, TURNS, KINDS, NAMES }; /* numbers in the head of a part, in this order */

bool zone_is_name(karp_str name)
{
    if (name.len == 0 || name.len > NAME_MOST || name.ptr[0] == '/' || name.ptr[name.len - 1] == '/') return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!is_letter(c) && !is_digit(c) && (c == '\0' || !strchr("-_+/", c))) return false;
    }
    return true;
}

/* The day of the month in a week: week 5 is the last one. */
static int64_t month_day(const zone_rule *r, int64_t year)
{
    unsigned month = (unsigned)r->month;
    int64_t first = civil_days(year, month, 1), length = civil_month_length(year, month);
    int64_t day = (r->day - civil_weekday(first) + 7) % 7 + 7 * (r->week - 1);
    return first + (day < length ? day : day - 7);
}

/* In local time, seconds since 1970. */
static int64_t rule_in(const zone_rule *r, int64_t year)
{
    int64_t day = civil_days(year, 1, 1) + r->day;
    if (r->kind == 'M') day = month_day(r, year);
    if (r->kind == 'J') day += (civil_month_length(year, 2) == 29 && r->day >= 60) - 1;
    return day * DAY_SECONDS + r->time;
}

/* ---- rules for the years after the last turn --------------------------------------------------------------------- */

static bool read_number(const char **at, int64_t most, int64_t *out)
{
    const char *first = *at;
    for (*out = 0; is_digit(**at) && *out <= most; ++*at) *out = *out * 10 + (**at - '0');
    return *at > first && *out <= most;
}

/* [+-]hours[:minutes[:seconds]] */
static bool read_time(const char **at, int64_t *out)
{
    int64_t part = 0, sign = **at == '-' ? -1 : 1;
    if (**at == '-' || **at == '+') ++*at;
    *out = 0;
    for (int64_t unit = 3600; unit > 0; unit /= 60) {
        if (!read_number(at, 167, &part)) return false;
        *out += part * unit;
        if (**at != ':') break;
        ++*at;
    }
    *out *= sign;
    return true;
}

static bool skip_name(const char **at)
{
    const char *first = *at;
    if (**at == '<') {
        *at = strchr(*at, '>');
        return *at != NULL && ++*at > first;
    }
    while (is_letter(**at)) ++*at;
    return *at > first;
}

static bool read_rule(const char **at, zone_rule *r)
{
    *r = (zone_rule){ .kind = '0', .time = 2 * 3600 };
    if (*(*at)++ != ',') return false;
    if (**at == 'M' || **at == 'J') r->kind = *(*at)++;
    bool fine = r->kind != 'M' || (read_number(at, 12, &r->month) && r->month > 0 && *(*at)++ == '.' &&
                                   read_number(at, 5, &r->week) && r->week > 0 && *(*at)++ == '.');
    fine = fine && read_number(at, r->kind == 'M' ? 6 : 365, &r->day) && (r->kind != 'J' || r->day > 0);
    if (fine && **at == '/') {
        ++*at;
        fine = read_time(at, &r->time);
    }
    return fine;
}

/* Such as CET-1CEST,M3.5.0,M10.5.0/3: offsets are behind UTC. */
static bool read_rules(zone *z, const char *at)
{
    if (*at == '\0') return true; /* none: the last turn stays */
    if (!skip_name(&at) || !read_time(&at, &z->standard)) return false;
    z->standard = z->summer = -z->standard;
    z->turns[z->count - 1].ahead = z->count == 1 ? z->standard : z->turns[z->count - 1].ahead;
    if (*at == '\0') return true;
    z->summer += 3600;
    z->has_summer = true;
    if (!skip_name(&at)) return false;
    if (*at != ',') {
        if (!read_time(&at, &z->summer)) return false;
        z->summer = -z->summer;
    }
    return read_rule(&at, &z->begins) && read_rule(&at, &z->ends) && *at == '\0';
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static int64_t number_at(karp_str text, size_t at, size_t bytes)
{
    uint64_t value = (unsigned char)text.ptr[at] >> 7 ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | (unsigned char)text.ptr[at + i];
    return (int64_t)value;
}

/* Reads the head of a part, whose times have so many bytes, and where the part ends. */
static bool read_head(karp_str text, size_t at, size_t bytes, size_t sizes[SIZES], size_t *end)
{
    if (text.len < at + HEAD || memcmp(text.ptr + at, "TZif", 4) != 0) return false;
    for (size_t i = 0; i < SIZES; i++) {
        int64_t size = number_at(text, at + 20 + 4 * i, 4);
        if (size < 0 || size > TURN_MOST) return false;
        sizes[i] = (size_t)size;
    }
    *end = at + HEAD + sizes[TURNS] * (bytes + 1) + sizes[KINDS] * 6 + sizes[NAMES] + sizes[LEAPS] * (bytes + 4) +
           sizes[WALL_MARKS] + sizes[UTC_MARKS];
    return sizes[KINDS] > 0 && sizes[LEAPS] == 0 && *end <= text.len;
}

static bool read_turns(zone *z, karp_str text, size_t at, const size_t sizes[SIZES])
{
    size_t indexes = at + HEAD + sizes[TURNS] * 8, kinds = indexes + sizes[TURNS];
    z->count = sizes[TURNS] + 1;
    z->turns[0] = (zone_turn){ INT64_MIN, number_at(text, kinds, 4) };
    for (size_t i = 0; i < sizes[TURNS]; i++) {
        size_t kind = (unsigned char)text.ptr[indexes + i];
        if (kind >= sizes[KINDS]) return false;
        z->turns[i + 1] = (zone_turn){ number_at(text, at + HEAD + 8 * i, 8), number_at(text, kinds + 6 * kind, 4) };
        if (i > 0 && z->turns[i + 1].from <= z->turns[i].from) return false;
    }
    return true;
}

karp_status zone_parse(zone *z, arena *memory, karp_str text)
{
    size_t sizes[SIZES] = { 0 }, second = 0, end = 0;
    char rules[NAME_MOST * 2] = "";
    *z = (zone){ 0 };
    if (!read_head(text, 0, 4, sizes, &second) || text.ptr[4] < '2' || !read_head(text, second, 8, sizes, &end))
        return KARP_E_INVALID;
    z->turns = arena_array(memory, sizes[TURNS] + 1, sizeof *z->turns);
    if (!z->turns) return KARP_E_NOMEM;
    const char *close = end < text.len ? memchr(text.ptr + end + 1, '\n', text.len - end - 1) : NULL;
    size_t length = close ? (size_t)(close - (text.ptr + end + 1)) : sizeof rules;
    if (length >= sizeof rules || text.ptr[end] != '\n') return KARP_E_INVALID;
    memcpy(rules, text.ptr + end + 1, length);
    return read_turns(z, text, second, sizes) && read_rules(z, rules) ? KARP_OK : KARP_E_INVALID;
}

int64_t zone_ahead(const zone *z, int64_t at)
{
    bisection b = bisect(z->count);
    while (bisecting(&b)) bisect_step(&b, z->turns[b.at].from <= at);
    int64_t ahead = z->turns[b.at ? b.at - 1 : 0].ahead;
    if (b.at < z->count || !z->has_summer) return ahead;
    int64_t local = at + z->standard, year = civil_from_days((local >= 0 ? local : 0) / DAY_SECONDS).year;
    int64_t begins = rule_in(&z->begins, year) - z->standard, ends = rule_in(&z->ends, year) - z->summer;
    bool in_summer = begins < ends ? begins <= at && at < ends : !(ends <= at && at < begins);
    return in_summer ? z->summer : z->standard;
}
