/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a catalogue: instance types and offerings. docs/columns.md lists them. */
#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/catalogue.h>
#include <model/resource_columns.h>

/* The only value that an In requirement on the key allows; "" when there is none, or more than one. */
static karp_str only_value(const karp_requirement *list, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        const karp_requirement *r = &list[i];
        if (r->op == KARP_OP_IN && r->value_count == 1 && equal_str(r->key, str(key))) return r->values[0];
    }
    return str("");
}

static bool amounts(const karp_catalogue *c, karp_table *t)
{
    amount_columns capacity, allocatable;
    amount_columns_begin(&capacity, t);
    amount_columns_begin(&allocatable, t);
    for (uint32_t i = 0; i < c->count; i++) {
        resource_columns_mention(&capacity, &c->resources, c->types[i].capacity);
        resource_columns_mention(&allocatable, &c->resources, c->types[i].allocatable);
    }
    amount_columns_make(&capacity, "capacity.");
    amount_columns_make(&allocatable, "allocatable.");
    size_t most = capacity.count > allocatable.count ? capacity.count : allocatable.count;
    double *row = mem_alloc(c->context, most * sizeof *row);
    for (uint32_t i = 0; i < c->count && row != NULL; i++) {
        resource_columns_row(&capacity, &c->resources, c->types[i].capacity, row);
        amount_columns_row(&capacity, row);
        resource_columns_row(&allocatable, &c->resources, c->types[i].allocatable, row);
        amount_columns_row(&allocatable, row);
    }
    bool done = row != NULL;
    mem_free(c->context, row, most * sizeof *row);
    amount_columns_end(&capacity);
    amount_columns_end(&allocatable);
    return done;
}

static bool instance_types(const karp_catalogue *c, karp_table *t)
{
    column *name = table_text(t, "name"), *arch = table_words(t, "arch"),
           *offering_count = table_uint32(t, "offering_count");
    for (uint32_t i = 0; i < c->count; i++) {
        const karp_instance_type *shown = &c->types[i].shown;
        column_text(name, shown->name);
        column_text(arch, only_value(shown->requirements, shown->requirement_count, "kubernetes.io/arch"));
        column_uint32(offering_count, c->types[i].offering_count);
    }
    return amounts(c, t);
}

static bool offerings(const karp_catalogue *c, karp_table *t)
{
    column *type = table_uint32(t, "type"), *name = table_words(t, "instance_type"), *zone = table_words(t, "zone");
    column *capacity_type = table_words(t, "capacity_type"), *price = table_double(t, "price");
    column *available = table_uint32(t, "available"), *reservation_capacity = table_int64(t, "reservation_capacity");
    for (uint32_t i = 0; i < c->count; i++) {
        const karp_instance_type *shown = &c->types[i].shown;
        for (size_t k = 0; k < shown->offering_count; k++) {
            const karp_offering *o = &shown->offerings[k];
            column_uint32(type, i);
            column_text(name, shown->name);
            column_text(zone, only_value(o->requirements, o->requirement_count, "topology.kubernetes.io/zone"));
            column_text(capacity_type, only_value(o->requirements, o->requirement_count, "karpenter.sh/capacity-type"));
            column_double(price, o->price);
            column_uint32(available, o->available);
            column_int64(reservation_capacity, o->reservation_capacity);
        }
    }
    return true;
}

karp_status karp_catalogue_table(const karp_catalogue *catalogue, uint32_t table, karp_table **out, karp_error *error)
{
    if (catalogue == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a catalogue and a place for the table are needed");
    if (table != KARP_TABLE_INSTANCE_TYPES && table != KARP_TABLE_OFFERINGS) {
        return fail(error, KARP_E_NOT_FOUND, "a catalogue has no table %u", (unsigned)table);
    }
    karp_table *t = table_new(catalogue->context);
    if (t != NULL && !(table == KARP_TABLE_INSTANCE_TYPES ? instance_types : offerings)(catalogue, t)) {
        karp_table_free(t);
        t = NULL;
    }
    return context_refusal(catalogue->context, table_finish(t, out, error), error);
}
