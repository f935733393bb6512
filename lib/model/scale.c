/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units: for each resource the largest amount that divides every amount of the input, so that vectors of 64-bit
 * integers are exact.
 */

#include <base/error.h>
#include <model/extended_resources.h>
#include <model/prepare.h>

struct scaling {
    karp_snapshot *s;
    /* by resource: the largest amount that is counted, and the largest that something provides */
    amount *largest, *provided;
    uint8_t *own_column; /* by resource: it is provided somewhere, or requested in a negative amount */
    uint8_t *within; /* by resource: requests for more than is provided anywhere are not counted; NULL = for none */
    bool stopped; /* by the caller */
};

void units_take(amount *units, amount *largest, resource_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t r = list.items[i].resource;
        amount size = list.items[i].value;
        if (amount_sign(size) < 0) size = amount_neg(size);
        units[r] = amount_gcd(units[r], size);
        largest[r] = amount_max(largest[r], size);
    }
}

static bool counted(const karp_snapshot *s, resource_list list, bool provided)
{
    for (uint32_t i = 0; i < list.count; i++) {
        amount unit = s->units[list.items[i].resource], size = list.items[i].value;
        int64_t count;
        if (s->column_of[list.items[i].resource] == s->nowhere) {
            if (provided || amount_sign(size) < 0) return false;
            continue;
        }
        if (amount_sign(size) < 0) size = amount_neg(size);
        if (amount_cmp(amount_gcd(unit, size), unit) != 0 || !amount_scale(size, unit, &count) || count > MOST_UNITS)
            return false;
    }
    return true;
}

bool units_count_requests(const karp_snapshot *s, resource_list list) { return counted(s, list, false); }

bool units_count_provided(const karp_snapshot *s, resource_list list) { return counted(s, list, true); }

/* Whether the unit counts all amounts of the resource. A unit of 0 is that of a resource without amounts. */
static bool counts_all(amount unit, amount largest)
{
    int64_t count;
    return amount_sign(unit) == 0 || (amount_scale(largest, unit, &count) && count <= MOST_UNITS);
}

karp_status units_check(amount *units, const amount *largest, const strings *names, karp_error *error)
{
    for (uint32_t r = 0; r < names->count; r++) {
        if (amount_sign(units[r]) == 0) units[r] = amount_from(1);
        if (!counts_all(units[r], largest[r])) {
            karp_str name = strings_get(names, r);
            return fail(error, KARP_E_RANGE, "amounts of %.*s differ too much in size to be counted exactly",
                        str_shown(name, 80), name.ptr);
        }
    }
    return KARP_OK;
}

static void take(struct scaling *c, resource_list list, bool provided)
{
    c->stopped = c->stopped || !mem_work(c->s->context, (list.count + (size_t)1) * 32);
    for (uint32_t i = 0; i < list.count && !c->stopped; i++) {
        resource_list one = { &list.items[i], 1 };
        uint32_t r = list.items[i].resource;
        if (provided) c->provided[r] = amount_max(c->provided[r], list.items[i].value);
        if (provided || amount_sign(list.items[i].value) < 0) c->own_column[r] = 1;
        else if (c->within != NULL && c->within[r] && amount_cmp(list.items[i].value, c->provided[r]) > 0) continue;
        units_take(c->s->units, c->largest, one);
    }
}

/* `ids`: the snapshot's ids of the catalogue's resources. Huge pages are subtracted from memory, so their amounts also
 * count as amounts of memory. */
static void take_named(struct scaling *c, const strings *names, const uint32_t *ids, resource_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        resource_amount one = list.items[i];
        one.resource = ids[list.items[i].resource];
        take(c, (resource_list){ &one, 1 }, true);
        if (!resource_is_hugepages(names, list.items[i].resource)) continue;
        one.resource = RESOURCE_MEMORY;
        take(c, (resource_list){ &one, 1 }, true);
    }
}

static bool take_table(struct scaling *c, const karp_catalogue *catalogue)
{
    const strings *names = &catalogue->resources;
    uint32_t *ids = arena_alloc(&c->s->data, names->count * sizeof *ids);
    if (ids == NULL) return false;
    for (uint32_t i = 0; i < names->count; i++) {
        karp_str name = strings_get(names, i);
        ids[i] = strings_find(&c->s->raw.resources, name.ptr, name.len);
    }
    for (uint32_t t = 0; t < catalogue->count; t++) {
        const catalogue_type *type = &catalogue->types[t];
        take_named(c, names, ids, type->capacity);
        take_named(c, names, ids, type->overhead);
        for (uint32_t o = 0; o < type->offering_count; o++) {
            const offering_overrides *given = type->offerings[o].overrides;
            if (given == NULL) continue;
            take_named(c, names, ids, given->capacity);
            take_named(c, names, ids, given->overhead);
        }
    }
    return true;
}

static bool take_everything(struct scaling *c)
{
    const store *raw = &c->s->raw;
    for (size_t i = 0; i < raw->shapes.count; i++) {
        take(c, raw->shapes.items[i].requests, false);
        take(c, beside_of(&raw->shapes.items[i]).newer, false);
        take(c, beside_of(&raw->shapes.items[i]).predicted, false);
    }
    for (size_t i = 0; i < raw->nodes.count; i++) {
        take(c, raw->nodes.items[i].allocatable, true);
        take(c, raw->nodes.items[i].capacity, true);
    }
    for (size_t i = 0; i < raw->claims.count; i++) {
        take(c, raw->claims.items[i].allocatable, true);
        take(c, raw->claims.items[i].capacity, true);
    }
    for (uint32_t i = 0; i < c->s->catalogue_count; i++) {
        if (!take_table(c, c->s->catalogues[i])) return false;
    }
    return !c->stopped;
}

/* Huge requests can make the amounts of a resource differ too much. One that is larger than all that is provided is met
 * nowhere, so it need not be counted exactly: vector_of() makes it the largest amount. */
static bool take_within(struct scaling *c)
{
    size_t resources = c->s->raw.resources.count;
    bool any = false;
    uint8_t *within = arena_array(&c->s->data, resources, 1);
    if (within == NULL) return false;
    for (size_t r = 0; r < resources; r++) {
        within[r] = !counts_all(c->s->units[r], c->largest[r]);
        any = any || within[r];
    }
    if (!any) return true;
    for (size_t r = 0; r < resources; r++) c->s->units[r] = c->largest[r] = amount_from(0);
    c->within = within;
    return take_everything(c);
}

static void choose_columns(karp_snapshot *s, const uint8_t *own_column)
{
    s->dims = 0;
    s->nowhere = NO_ID;
    for (uint32_t r = 0; r < s->raw.resources.count; r++) {
        if (r >= RESOURCE_FIXED && !own_column[r]) continue;
        s->resource_of[s->dims] = r;
        s->column_of[r] = s->dims++;
    }
    for (uint32_t r = RESOURCE_FIXED; r < s->raw.resources.count; r++) {
        if (own_column[r]) continue;
        if (s->nowhere == NO_ID) {
            s->nowhere = s->dims++;
            s->resource_of[s->nowhere] = r;
        }
        s->column_of[r] = s->nowhere;
    }
}

karp_status prepare_units(karp_snapshot *s, karp_error *error)
{
    size_t resources = s->raw.resources.count;
    s->units = arena_array(&s->data, resources, sizeof *s->units);
    s->column_of = arena_array(&s->data, resources, sizeof *s->column_of);
    s->resource_of = arena_array(&s->data, resources, sizeof *s->resource_of);
    struct scaling c = { .s = s,
                         .largest = arena_array(&s->data, resources, sizeof *s->units),
                         .provided = arena_array(&s->data, resources, sizeof *s->units),
                         .own_column = arena_array(&s->data, resources, 1) };
    if (s->units == NULL || s->column_of == NULL || s->resource_of == NULL || c.largest == NULL || c.provided == NULL ||
        c.own_column == NULL)
        return fail_nomem(error);
    if (!take_everything(&c) || !take_within(&c)) return fail_nomem(error);
    for (uint32_t r = RESOURCE_FIXED; s->devices != NULL && r < resources; r++)
        c.own_column[r] = c.own_column[r] || extended_class(s, r) != NO_ID;
    choose_columns(s, c.own_column);
    /* pods and nodes are counted one by one */
    s->units[RESOURCE_PODS] = amount_gcd(s->units[RESOURCE_PODS], amount_whole(1));
    s->units[RESOURCE_NODES] = amount_gcd(s->units[RESOURCE_NODES], amount_whole(1));
    return units_check(s->units, c.largest, &s->raw.resources, error);
}

void vector_of(const karp_snapshot *s, resource_list list, int64_t *out)
{
    for (uint32_t r = 0; r < s->dims; r++) out[r] = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t column = s->column_of[list.items[i].resource];
        int64_t units;
        if (column == s->nowhere) {
            out[column] += amount_sign(list.items[i].value);
            continue;
        }
        /* Only requests that are met nowhere, and differences of sums can be out of range. Those are then too large to
         * be used up, or too small to have room for anything. */
        if (!amount_scale(list.items[i].value, s->units[list.items[i].resource], &units) || units > MOST_UNITS ||
            units < -MOST_UNITS) {
            units = amount_sign(list.items[i].value) < 0 ? -MOST_UNITS : MOST_UNITS;
        }
        out[column] = units;
    }
}

const int64_t *vector_keep(karp_snapshot *s, resource_list list)
{
    int64_t *v = arena_array(&s->data, s->dims, sizeof *v);
    if (v != NULL) vector_of(s, list, v);
    return v;
}
