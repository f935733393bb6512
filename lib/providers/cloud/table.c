/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/cloud/table.h>

#include <base/bisect.h>
#include <base/nearest.h>
#include <stdio.h>

#include <karp/values.h>

/* ---- parts of texts ---------------------------------------------------------------------------------------------- */

bool cloud_whole(karp_str text, int64_t most, int64_t *out)
{
    int64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || value > (INT64_MAX - 9) / 10) return false;
        value = value * 10 + (text.ptr[i] - '0');
    }
    *out = value;
    return text.len > 0 && value <= most;
}

/* Both the digits and the power of ten are exact doubles, so their quotient is the nearest double. */
static bool short_decimal(karp_str text, double *out)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    int64_t value = 0;
    size_t digits = 0, behind = 0; /* behind: digits after the point */
    bool point = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9' || value > INT64_C(99999999999999) || (point && behind == 22)) return false;
        value = value * 10 + (c - '0');
        digits++;
        behind += point;
    }
    if (digits == 0) return false;
    *out = (double)value / powers[behind];
    return true;
}

bool cloud_decimal(karp_str text, double *out)
{
    if (short_decimal(text, out)) return true;
    bool begins = text.len > 0 && (text.ptr[0] == '.' || (text.ptr[0] >= '0' && text.ptr[0] <= '9'));
    return begins && karp_double_parse(text, out) == KARP_OK && *out >= 0;
}

bool cloud_flags(karp_str text, const cloud_letter *letters, size_t count, uint32_t *out)
{
    for (size_t i = 0; i < text.len; i++) {
        size_t k = 0;
        while (k < count && letters[k].letter != text.ptr[i]) k++;
        if (k == count) return false;
        *out |= letters[k].flag;
    }
    return true;
}

bool cloud_price(karp_str text, double *out)
{
    *out = -1;
    return text.len == 0 || cloud_decimal(text, out);
}

bool cloud_price_of(const tree *value, double *out)
{
    return tree_is_number(value) && tree_double(value, out) && *out >= 0 && *out < 1e9;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

static karp_status bad_line(const cloud_table *t, karp_str object, const char *field, karp_error *error,
                            const char *message)
{
    (void)provider_fail(error, KARP_E_INVALID, field, "%s", message);
    if (ERROR_HAS(error, object)) {
        error->line = t->line;
        if (object.len > 0) error_set_object(error, "InstanceType", str(""), object);
    }
    return KARP_E_INVALID;
}

karp_status cloud_table_bad(const cloud_table *t, const cloud_row *row, const char *field, karp_error *error,
                            const char *message)
{
    return bad_line(t, row->cells[0], field, error, message);
}

/* The next line that is not a comment; false = the end of the text. */
static bool next_line(cloud_table *t, karp_str *line)
{
    while (t->rest.len > 0) {
        *line = str_until(&t->rest, '\n');
        t->line++;
        if (line->len > 0 && line->ptr[line->len - 1] == '\r') line->len--;
        if (line->len > 0 && line->ptr[0] != '#') return true;
    }
    return false;
}

static bool begins(karp_str *line, const char *word)
{
    if (!str_starts(*line, word)) return false;
    line->ptr += strlen(word);
    line->len -= strlen(word);
    return true;
}

static karp_status read_first(cloud_table *t, karp_error *error)
{
    karp_str line = str("");
    char message[96];
    (void)snprintf(message, sizeof message, "is no table of facts of %s: its first line must be \"karp-facts %s 1\"",
                   t->format->cloud, t->format->cloud);
    if (!next_line(t, &line) || !begins(&line, "karp-facts ") || !begins(&line, t->format->cloud))
        return bad_line(t, str(""), "", error, message);
    if (str_is(line, " 1")) return KARP_OK;
    return bad_line(t, str(""), "", error, "is a table of another version; this library reads version 1");
}

static void name_regions(karp_str regions, char *into, size_t room)
{
    size_t at = 0;
    while (regions.len > 0) {
        karp_str entry = str_until(&regions, ' ');
        karp_str name = str_until(&entry, ':');
        if (name.len + 3 > room - at) break;
        if (at > 0) {
            memcpy(into + at, ", ", 2);
            at += 2;
        }
        memcpy(into + at, name.ptr, name.len);
        at += name.len;
    }
    into[at] = '\0';
}

static karp_status find_region(cloud_table *t, karp_str region, karp_error *error)
{
    karp_str rest = t->regions;
    bool found = false;
    for (t->region_count = 0; rest.len > 0; t->region_count++) {
        karp_str zones = str_until(&rest, ' ');
        karp_str name = str_until(&zones, ':');
        if (name.len == 0 || zones.len > CLOUD_NAMED_MOST)
            return bad_line(t, str(""), "regions", error, "must be NAME:ZONES");
        if (found || !equal_str(name, region)) continue;
        found = true;
        t->region = t->region_count;
        t->zones = zones;
    }
    if (found) return KARP_OK;
    char names[160];
    name_regions(t->regions, names, sizeof names);
    return provider_fail(error, KARP_E_NOT_FOUND, "region", "%.*s is not in the table, which has %s",
                         str_shown(region, 60), region.ptr, names);
}

/* "REGION:LETTER ID", and a name or none; of other regions than this, only the form is checked. */
static karp_status read_zone(cloud_table *t, karp_str line, karp_str region, karp_error *error)
{
    karp_str letter = str_until(&line, ' ');
    karp_str of = str_until(&letter, ':'), id = str_until(&line, ' ');
    if (of.len == 0 || letter.len != 1 || id.len == 0 || memchr(line.ptr, ' ', line.len))
        return bad_line(t, str(""), "zone", error,
                        "must be REGION:LETTER ID, with the zone's name if it is a local zone");
    if (!equal_str(of, region)) return KARP_OK;
    for (size_t i = 0; i < t->named_count; i++) {
        if (t->named[i].letter == letter.ptr[0]) return bad_line(t, letter, "zone", error, "is stated before");
    }
    if (t->named_count == CLOUD_NAMED_MOST) return bad_line(t, letter, "zone", error, "is one too many");
    t->named[t->named_count++] = (cloud_zone){ letter.ptr[0], str_is(id, "-") ? str("") : id, line };
    return KARP_OK;
}

karp_status cloud_table_open(cloud_table *t, const cloud_format *format, karp_str text, karp_str region,
                             karp_error *error)
{
    memset(t, 0, sizeof *t);
    t->format = format;
    t->rest = text;
    karp_status status = read_first(t, error);
    karp_str line = str("");
    t->as_of = t->sources = t->regions = t->zones = t->previous = line;
    while (status == KARP_OK) {
        if (!next_line(t, &line)) return bad_line(t, str(""), "regions", error, "has no line of regions");
        karp_str whole = line;
        if (begins(&line, "as-of ")) {
            t->as_of = line;
        } else if (begins(&line, "source ")) {
            if (t->sources.len == 0) t->sources.ptr = whole.ptr;
            t->sources.len = (size_t)(t->rest.ptr - t->sources.ptr);
        } else if (format->zones_named && begins(&line, "zone ")) {
            status = read_zone(t, line, region, error);
        } else if (begins(&line, "regions ")) {
            t->regions = line;
            break;
        } else {
            return bad_line(t, str(""), "", error, "must begin with as-of, source or regions");
        }
    }
    return status == KARP_OK ? find_region(t, region, error) : status;
}

void cloud_built_in(const cloud_format *format, cloud_table *t, char *regions, size_t room)
{
    (void)cloud_table_open(t, format, format->built_in(), str(format->usual_region), NULL);
    name_regions(t->regions, regions, room);
}

uint32_t cloud_not_built_in(const cloud_format *format, karp_str region, karp_provider_problem *problem)
{
    cloud_table t;
    char regions[160];
    cloud_built_in(format, &t, regions, sizeof regions);
    karp_str near = nearest_place(region, str(regions));
    return provider_problem(problem, KARP_PROVIDER_NOT_FOUND, "region",
                            "%.*s is not built in (%s are): facts of it are needed%s%.*s%s", (int)region.len,
                            region.ptr, regions, near.ptr ? "; did you mean " : "", (int)near.len,
                            near.ptr ? near.ptr : "", near.ptr ? "?" : "");
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static size_t count_cells(karp_str line)
{
    size_t count = 1;
    const char *at = line.ptr, *end = line.ptr + line.len;
    while (at < end && (at = memchr(at, '|', (size_t)(end - at)))) {
        count++;
        at++;
    }
    return count;
}

static karp_status read_end(cloud_table *t, karp_str line, karp_error *error)
{
    int64_t rows;
    karp_str more;
    if (!begins(&line, "end ") || !cloud_whole(line, INT32_MAX, &rows) || (size_t)rows != t->rows)
        return bad_line(t, str(""), "end", error, "must say how many rows there are: the table is cut or was changed");
    if (next_line(t, &more)) return bad_line(t, str(""), "", error, "stands after the end");
    return KARP_OK;
}

karp_status cloud_table_next(cloud_table *t, cloud_row *row, bool *more, karp_error *error)
{
    karp_str line;
    *more = false;
    if (!next_line(t, &line)) return bad_line(t, t->previous, "end", error, "has no last line \"end N\": it is cut");
    if (!memchr(line.ptr, '|', line.len)) return read_end(t, line, error);
    row->cells[0] = str("");
    if (count_cells(line) != t->format->cells + t->region_count)
        return cloud_table_bad(t, row, "", error, "has more or fewer cells than facts and regions");
    for (size_t i = 0; i < t->format->cells; i++) row->cells[i] = str_until(&line, '|');
    for (size_t i = 0; i < t->region; i++) (void)str_until(&line, '|');
    row->offer = str_until(&line, '|');
    if (row->cells[0].len == 0 || row->cells[0].len > 63)
        return cloud_table_bad(t, row, "name", error, "must have a name of at most 63 letters");
    if (compare_str(t->previous, row->cells[0]) >= 0)
        return cloud_table_bad(t, row, "name", error, "must be sorted by name, without duplicates");
    t->previous = row->cells[0];
    t->rows++;
    *more = true;
    return KARP_OK;
}

void *cloud_find(void *list, size_t count, size_t elem, karp_str name)
{
    bisection b = bisect(count);
    while (bisecting(&b)) {
        char *at = (char *)list + b.at * elem;
        karp_str have;
        memcpy(&have, at, sizeof have);
        int order = compare_str(have, name);
        if (order == 0) return at;
        bisect_step(&b, order < 0);
    }
    return NULL;
}
