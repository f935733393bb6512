/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices and zones in the form of skypilot-catalog, catalogs/v8/aws/vms.csv: a row for each type, region and zone. Its
 * zones are ids, since accounts differ in the names of zones. The file states no date.
 */
#include <providers/aws/facts_read.h>

#include <base/error.h>
#include <stdio.h>
#include <string.h>

#include <karp/values.h>

enum { TYPE, PRICE, SPOT_PRICE, REGION, ZONE, COLUMNS };
static const char *const columns[COLUMNS] = { "InstanceType", "Price", "SpotPrice", "Region", "AvailabilityZone" };

typedef struct rows {
    aws_facts *into;
    karp_error *error;
    karp_str left;
    size_t line;
    uint32_t places[COLUMNS]; /* of the columns */
    karp_str cells[COLUMNS];
    char regions[120]; /* that the file has, if not this one */
} rows;

static karp_status bad(const rows *r, const char *field, const char *why)
{
    char where[64];
    (void)snprintf(where, sizeof where, "line %zu, %s", r->line, field);
    return provider_fail(r->error, KARP_E_INVALID, where, "%s", why);
}

/* The next cell of a line; a quoted one may have commas. false = the line has ended. */
static bool next_cell(karp_str *line, bool *ended, karp_str *cell)
{
    if (*ended) return false;
    size_t n = 0;
    bool quoted = false;
    for (; n < line->len && (quoted || line->ptr[n] != ','); n++) quoted ^= line->ptr[n] == '"';
    *cell = (karp_str){ line->ptr, n };
    *ended = n == line->len;
    *line = (karp_str){ line->ptr + n + !*ended, line->len - n - !*ended };
    return true;
}

static bool next_line(rows *r, karp_str *line)
{
    do {
        if (r->left.len == 0) return false;
        const char *end = memchr(r->left.ptr, '\n', r->left.len);
        size_t n = end ? (size_t)(end - r->left.ptr) : r->left.len;
        *line = (karp_str){ r->left.ptr, n > 0 && r->left.ptr[n - 1] == '\r' ? n - 1 : n };
        r->left = (karp_str){ r->left.ptr + n + (end != NULL), r->left.len - n - (end != NULL) };
        r->line++;
    } while (line->len == 0);
    return true;
}

static karp_status read_header(rows *r)
{
    karp_str line = { "", 0 }, cell;
    bool ended = false;
    (void)next_line(r, &line);
    for (size_t i = 0; i < COLUMNS; i++) r->places[i] = UINT32_MAX;
    for (uint32_t at = 0; next_cell(&line, &ended, &cell); at++) {
        for (size_t i = 0; i < COLUMNS; i++) {
            if (str_is(cell, columns[i])) r->places[i] = at;
        }
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        if (r->places[i] == UINT32_MAX)
            return bad(r, columns[i], "is no column of the file, whose first line names them");
    }
    return KARP_OK;
}

/* The number of a zone from its id, use1-az4, or its name, us-east-1d; AWS_ZONES_MOST = a zone of another kind, such as
 * a local zone. */
static size_t zone_number(const aws_facts *f, karp_str zone)
{
    if (zone.len == f->region.len + 1 && str_has_prefix(zone, f->region)) {
        size_t letter = (size_t)(unsigned char)zone.ptr[zone.len - 1] - 'a';
        return letter < AWS_ZONES_MOST ? letter : AWS_ZONES_MOST;
    }
    const char *dash = zone.len > 0 ? memchr(zone.ptr, '-', zone.len) : NULL;
    karp_str rest = dash ? (karp_str){ dash, zone.len - (size_t)(dash - zone.ptr) } : (karp_str){ "", 0 };
    size_t number = 0;
    if (!str_starts(rest, "-az") || rest.len == 3 || rest.len > 5) return AWS_ZONES_MOST;
    for (size_t i = 3; i < rest.len; i++) {
        if (rest.ptr[i] < '0' || rest.ptr[i] > '9') return AWS_ZONES_MOST;
        number = number * 10 + (size_t)(rest.ptr[i] - '0');
    }
    return number >= 1 && number <= AWS_ZONES_MOST ? number - 1 : AWS_ZONES_MOST;
}

static karp_status price_at(const rows *r, size_t column, double *out)
{
    *out = AWS_UNKNOWN;
    if (r->cells[column].len == 0) return KARP_OK;
    if (karp_double_parse(r->cells[column], out) == KARP_OK && *out >= 0) return KARP_OK;
    return bad(r, columns[column], "must be a price that is not negative");
}

static void note_region(rows *r)
{
    char shown[40];
    str_shorten(shown, sizeof shown, r->cells[REGION]);
    if (strstr(r->regions, shown) || strlen(r->regions) + strlen(shown) + 3 > sizeof r->regions) return;
    str_append(r->regions, sizeof r->regions, "%s%s", *r->regions ? ", " : "", shown);
}

static karp_status take_row(rows *r, bool *taken)
{
    aws_facts *f = r->into;
    if (!equal_str(r->cells[REGION], f->region)) {
        note_region(r);
        return KARP_OK;
    }
    size_t zone = zone_number(f, r->cells[ZONE]);
    double price = 0, spot = 0;
    karp_status status = price_at(r, PRICE, &price);
    if (status == KARP_OK) status = price_at(r, SPOT_PRICE, &spot);
    if (status || zone == AWS_ZONES_MOST) return status;
    *taken = true;
    if (r->cells[ZONE].len != f->region.len + 1 || !str_has_prefix(r->cells[ZONE], f->region)) {
        if (f->zone_ids[zone].len == 0) f->zone_ids[zone] = scratch_text(&f->s, r->cells[ZONE]);
    }
    aws_type *type = aws_facts_find(f, r->cells[TYPE]);
    if (!type) return KARP_OK;
    type->zones |= 1u << zone;
    type->on_demand = price;
    type->spot[zone] = spot;
    f->spot_known = f->spot_known || spot >= 0;
    return KARP_OK;
}

static void forget(aws_facts *f)
{
    f->spot_known = false;
    for (size_t i = 0; i < f->count; i++) {
        f->types[i].zones = 0;
        f->types[i].on_demand = AWS_UNKNOWN;
        for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) f->types[i].spot[zone] = AWS_UNKNOWN;
    }
    for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) f->zone_ids[zone] = (karp_str){ "", 0 };
}

karp_status aws_read_skypilot(aws_facts *into, karp_str text, karp_error *error)
{
    rows r = { .into = into, .error = error, .left = text };
    karp_str line, cell;
    bool taken = false;
    karp_status status = read_header(&r);
    if (status) return status;
    forget(into);
    while (status == KARP_OK && next_line(&r, &line)) {
        bool ended = false;
        for (size_t i = 0; i < COLUMNS; i++) r.cells[i] = (karp_str){ "", 0 };
        for (uint32_t at = 0; next_cell(&line, &ended, &cell); at++) {
            for (size_t i = 0; i < COLUMNS; i++) {
                if (r.places[i] == at) r.cells[i] = cell;
            }
        }
        status = take_row(&r, &taken);
    }
    if (status) return status;
    if (!taken)
        return provider_fail(error, KARP_E_INVALID, "Region", "no row is of a zone of %.*s%s%s",
                             str_shown(into->region, 64), into->region.ptr, *r.regions ? "; the file has " : "",
                             r.regions);
    into->region_known = true;
    aws_facts_name_zones(into);
    return into->s.failed ? fail_nomem(error) : KARP_OK;
}
