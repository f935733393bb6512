/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices and zones in the form of skypilot-catalog, catalogs/v8/aws/vms.csv: a row for each type, region and zone. Its
 * zones are ids, since accounts differ in the names of zones. Local zones have rows, and prices of their own. The file
 * states no date.
 */
#include <providers/aws/facts_read.h>

#include <stdio.h>

#include <karp/values.h>

enum { AVAILABILITY_ZONES = 8 }; /* no region has more */
enum { TYPE, PRICE, SPOT_PRICE, REGION, ZONE, COLUMNS };
static const char *const columns[COLUMNS] = { "InstanceType", "Price", "SpotPrice", "Region", "AvailabilityZone" };

typedef struct rows {
    aws_facts *into;
    karp_error *error;
    karp_str left;
    size_t line;
    uint32_t count; /* cells of the first line */
    uint32_t places[COLUMNS]; /* of the columns */
    karp_str cells[COLUMNS];
    char regions[120]; /* that the file has, if not this one */
    char name[100]; /* of a local zone */
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
    bool whole = n >= 2 && line->ptr[0] == '"' && line->ptr[n - 1] == '"';
    *cell = (karp_str){ line->ptr + whole, n - (whole ? 2 : 0) };
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
        r->count++;
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

/* The number after "az" in an id; 0 = none. */
static size_t number_of(karp_str text)
{
    size_t number = 0;
    if (!str_starts(text, "az") || text.len < 3 || text.len > 4) return 0;
    for (size_t i = 2; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') return 0;
        number = number * 10 + (size_t)(text.ptr[i] - '0');
    }
    return number;
}

/* usw2-lax1-az1 is the id of us-west-2-lax-1a; "" = another kind of zone. */
static karp_str local_name(rows *r, karp_str place, size_t number)
{
    karp_str region = r->into->region;
    size_t letters = 0;
    while (letters < place.len && place.ptr[letters] >= 'a' && place.ptr[letters] <= 'z') letters++;
    if (letters == 0 || letters == place.len || number > 26 || place.len > 16) return str("");
    for (size_t i = letters; i < place.len; i++) {
        if (place.ptr[i] < '0' || place.ptr[i] > '9') return str("");
    }
    int n = snprintf(r->name, sizeof r->name, "%.*s-%.*s-%.*s%c", (int)region.len, region.ptr, (int)letters, place.ptr,
                     (int)(place.len - letters), place.ptr + letters, (char)('a' + number - 1));
    return (karp_str){ r->name, (size_t)n };
}

/* A local zone has any place behind those of availability zones. AWS_ZONES_MOST = there are more than fit. */
static size_t local_place(aws_facts *f, karp_str name)
{
    size_t at = aws_facts_zone(f, name);
    if (at < AWS_ZONES_MOST) return at;
    for (at = AVAILABILITY_ZONES; at < AWS_ZONES_MOST && f->zones[at].len > 0; at++) continue;
    if (at < AWS_ZONES_MOST) f->zones[at] = scratch_text(&f->s, name);
    return at;
}

/* The place of a zone from its id, use1-az4 or usw2-lax1-az1, or its name, us-east-1d or us-west-2-lax-1a;
 * *known = false: a zone of another kind, such as a Wavelength Zone. */
static size_t place_of(rows *r, karp_str zone, bool *known, bool *by_id)
{
    aws_facts *f = r->into;
    karp_str rest = zone, name = zone;
    *known = true;
    *by_id = !str_has_prefix(zone, f->region);
    if (!*by_id && zone.len == f->region.len + 1) {
        size_t letter = (size_t)(unsigned char)zone.ptr[zone.len - 1] - 'a';
        *known = letter < AVAILABILITY_ZONES;
        return letter;
    }
    if (*by_id) {
        (void)str_until(&rest, '-');
        karp_str place = str_until(&rest, '-');
        size_t number = number_of(rest.len > 0 ? rest : place);
        *known = number > 0 && (rest.len > 0 || number <= AVAILABILITY_ZONES);
        if (rest.len == 0 || !*known) return number - 1;
        name = local_name(r, place, number);
    }
    *known = aws_zone_is_local(f, name) && !str_contains(name, str("-wl"));
    return *known ? local_place(f, name) : AWS_ZONES_MOST;
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
    bool known = false, by_id = false;
    double price = 0, spot = 0;
    karp_status status = price_at(r, PRICE, &price);
    if (status == KARP_OK) status = price_at(r, SPOT_PRICE, &spot);
    if (status) return status;
    size_t zone = place_of(r, r->cells[ZONE], &known, &by_id);
    if (!known) return KARP_OK;
    if (zone >= AWS_ZONES_MOST) return bad(r, columns[ZONE], "is one local zone more than a region can have here");
    *taken = true;
    if (by_id && f->zone_ids[zone].len == 0) f->zone_ids[zone] = scratch_text(&f->s, r->cells[ZONE]);
    aws_type *type = aws_facts_find(f, r->cells[TYPE]);
    if (!type) return KARP_OK;
    type->zones |= 1u << zone;
    if (zone < AVAILABILITY_ZONES) type->on_demand = price;
    else type->own_prices |= 1u << zone;
    type->on_demand_in[zone] = price;
    type->spot[zone] = spot;
    f->spot_known = f->spot_known || spot >= 0;
    return KARP_OK;
}

static void forget(aws_facts *f)
{
    f->spot_known = false;
    for (size_t i = 0; i < f->count; i++) {
        f->types[i].zones = f->types[i].own_prices = 0;
        f->types[i].on_demand = AWS_UNKNOWN;
        for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) f->types[i].spot[zone] = AWS_UNKNOWN;
    }
    for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) f->zones[zone] = f->zone_ids[zone] = (karp_str){ "", 0 };
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
        uint32_t at = 0;
        for (; next_cell(&line, &ended, &cell); at++) {
            for (size_t i = 0; i < COLUMNS; i++) {
                if (r.places[i] == at) r.cells[i] = cell;
            }
        }
        if (at != r.count) return bad(&r, "cells", "must be as many as the first line has");
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
