/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instance-type tables: the concatenated catalogues of a NodePool, in the snapshot's ids. NodePools with the same
 * catalogues share a table.
 */
#include <model/prepare.h>

#include <base/error.h>
#include <base/sort.h>
#include <model/translate.h>

static bool translate_list(karp_snapshot *s, const struct translation *t, resource_list list, resource_list *out)
{
    resource_amount *items = arena_array(&s->data, list.count + (size_t)1, sizeof *items);
    if (items == NULL) return false;
    for (uint32_t i = 0; i < list.count; i++) {
        items[i] = list.items[i];
        items[i].resource = t->resources[list.items[i].resource];
    }
    *out = (resource_list){ items, list.count };
    return sort_stable(s->context, items, list.count, sizeof *items, by_resource, NULL);
}

/* Requirement.Any for an offering's key: its value, "" for DoesNotExist. NO_ID = the key is
 * absent. */
static uint32_t any_value(const karp_snapshot *s, uint32_t set, uint32_t key)
{
    uint32_t r = set_get(&s->algebra, set, key);
    if (r == NO_ID) return NO_ID;
    const requirement *q = requirement_get(&s->algebra, r);
    return !q->complement && q->value_count > 0 ? q->values[0] : NO_TEXT;
}

static bool same_lists(resource_list x, resource_list y)
{
    if (x.count != y.count) return false;
    for (uint32_t i = 0; i < x.count; i++) {
        if (x.items[i].resource != y.items[i].resource || amount_cmp(x.items[i].value, y.items[i].value) != 0)
            return false;
    }
    return true;
}

static bool same_group(const catalogue_offering *x, const catalogue_offering *y)
{
    if (x->overrides == NULL || y->overrides == NULL) return x->overrides == y->overrides;
    return same_lists(x->overrides->capacity, y->overrides->capacity) &&
           same_lists(x->overrides->overhead, y->overrides->overhead);
}

/* Variants are numbered in the order of their first available offering. `opens`: an offering of a reservation may
 * become available, see take_used(). */
static uint32_t group_of(const catalogue_type *type, uint32_t offering_index, bool opens, uint32_t *groups)
{
    uint32_t next = 0;
    for (uint32_t o = 0; o <= offering_index; o++) {
        const catalogue_offering *f = &type->offerings[o];
        groups[o] = NO_ID;
        if (!type->shown.offerings[o].available && !opens) continue;
        for (uint32_t before = 0; before < o && groups[o] == NO_ID; before++) {
            if (groups[before] != NO_ID && same_group(&type->offerings[before], f)) groups[o] = groups[before];
        }
        if (groups[o] == NO_ID) groups[o] = next++;
    }
    return next;
}

struct filling {
    karp_snapshot *s;
    type_table *table;
    const struct translation *t;
    uint32_t *groups; /* scratch by offering of one type */
    uint32_t offerings, variants;
};

/* What launches have taken of the offering's reservation, and nodes that ended have returned. */
static void take_used(const karp_snapshot *s, offering *o)
{
    for (uint32_t i = 0; i < s->raw.use_count; i++) {
        const reservation_use *u = &s->raw.uses[i];
        if (u->reservation != o->reservation) continue;
        bool was_full = o->reservation_capacity <= 0;
        int64_t most = INT64_MAX + (u->taken < 0 ? u->taken : 0);
        o->reservation_capacity = (o->reservation_capacity < most ? o->reservation_capacity : most) - u->taken;
        if (o->reservation_capacity < 0) o->reservation_capacity = 0;
        if (u->closes && (o->available || was_full)) o->available = o->reservation_capacity > 0;
    }
}

static void fill_offering(struct filling *f, instance_type *type, uint32_t index, const karp_offering *from,
                          double list_price, uint32_t set)
{
    karp_snapshot *s = f->s;
    offering *o = &f->table->offerings[f->offerings++];
    o->type = index;
    o->set = set;
    o->price = from->price;
    o->list_price = list_price;
    o->available = from->available != 0;
    o->price_from_overlay = from->price_from_overlay != 0;
    o->reservation_capacity = from->reservation_capacity;
    o->zone = any_value(s, set, s->known.zone);
    o->capacity_type = any_value(s, set, s->known.capacity_type);
    o->reservation = any_value(s, set, s->facts.normalized[s->raw.reservation_id]);
    if (o->reservation == NO_ID) o->reservation = NO_TEXT; /* all reservations without a label are the same one */
    uint32_t group = f->groups[o - f->table->offerings - type->offering_first];
    o->variant = group == NO_ID ? NO_ID : type->variant_first + group;
    bool reserved = o->capacity_type == s->known.reserved;
    if (reserved) take_used(s, o);
    f->table->reserved_count += reserved;
    if (o->available && reserved) f->table->has_reservations = true;
    if (o->price_from_overlay) f->table->overlaid = true;
}

/* Drivers of no volume and no storage class in the snapshot are left out. */
static bool fill_volume_limits(struct filling *f, const karp_instance_type *from, instance_type *type)
{
    volume_limit *list = arena_array(&f->s->data, from->volume_limit_count + 1, sizeof *list);
    uint32_t n = 0;
    if (list == NULL) return false;
    for (size_t i = 0; i < from->volume_limit_count; i++) {
        karp_str driver = from->volume_limits[i].driver;
        uint32_t text = strings_find(&f->s->raw.text, driver.ptr, driver.len), k = 0;
        while (k < n && list[k].driver != text) k++;
        if (text != NO_ID && k == n) list[n++] = (volume_limit){ text, from->volume_limits[i].count };
    }
    type->volume_limits = list;
    type->volume_limit_count = n;
    f->table->limits_volumes = f->table->limits_volumes || n > 0;
    return true;
}

static bool fill_type(struct filling *f, const catalogue_type *from, uint32_t index)
{
    karp_snapshot *s = f->s;
    instance_type *type = &f->table->types[index];
    if (!mem_work(s->context, (from->offering_count + (size_t)8) * 64)) return false;
    type->name = f->t->text[from->name];
    type->set = translate_set(s, f->t, from->requirements);
    type->offering_first = f->offerings;
    type->offering_count = from->offering_count;
    type->variant_first = f->variants;
    type->capacity_from_overlay = from->capacity_from_overlay;
    type->overlaid = from->overlaid;
    type->pod_addresses = from->shown.pod_addresses;
    if (type->capacity_from_overlay) f->table->overlaid = true;
    if (type->set == NO_ID || !translate_list(s, f->t, from->capacity, &type->capacity_list) ||
        !translate_list(s, f->t, from->allocatable, &type->allocatable_list)) {
        return false;
    }
    if (from->devices != NULL && s->raw.settings.dra_requests) {
        type->devices = translate_type_devices(s, f->t->text, from->devices);
        if (type->devices == NULL) return false;
    }
    if (from->shown.volume_limit_count > 0 && !fill_volume_limits(f, &from->shown, type)) return false;
    bool opens = s->raw.use_count > 0 && s->raw.uses[0].closes;
    type->variant_count = from->offering_count == 0 ? 0 : group_of(from, from->offering_count - 1, opens, f->groups);
    f->variants += type->variant_count;
    for (uint32_t o = 0; o < from->offering_count; o++) {
        uint32_t set = translate_set(s, f->t, from->offerings[o].requirements);
        if (set == NO_ID) return false;
        const karp_offering *given = &from->shown.offerings[o];
        fill_offering(f, type, index, given, from->list_prices ? from->list_prices[o] : given->price, set);
    }
    return true;
}

static karp_status overlay_allocatable(karp_snapshot *s, const struct translation *t, const instance_type *type,
                                       const catalogue_type *from, const offering_overrides *o, resource_list *out)
{
    resource_list capacity_override, overhead_override, overhead, capacity;
    if (!translate_list(s, t, o->capacity, &capacity_override) ||
        !translate_list(s, t, o->overhead, &overhead_override) || !translate_list(s, t, from->overhead, &overhead)) {
        return KARP_E_NOMEM;
    }
    karp_status status = resource_list_override(&s->data, type->capacity_list, capacity_override, &capacity);
    if (status == KARP_OK) status = resource_list_override(&s->data, overhead, overhead_override, &overhead);
    if (status == KARP_OK) status = allocatable_of(&s->data, &s->raw.resources, capacity, overhead, out);
    return status;
}

/* The vectors of one type's variants, from the first available offering of each group. */
static karp_status fill_vectors(karp_snapshot *s, type_table *table, const struct translation *t, uint32_t index,
                                const catalogue_type *from)
{
    instance_type *type = &table->types[index];
    type->capacity = vector_keep(s, type->capacity_list);
    if (type->capacity == NULL) return KARP_E_NOMEM;
    for (uint32_t o = 0; o < from->offering_count; o++) {
        uint32_t v = table->offerings[type->offering_first + o].variant;
        if (v == NO_ID || table->variants[v].allocatable != NULL) continue;
        resource_list list = type->allocatable_list;
        if (from->offerings[o].overrides != NULL) {
            karp_status status = overlay_allocatable(s, t, type, from, from->offerings[o].overrides, &list);
            if (status != KARP_OK) return status;
        }
        table->variants[v].allocatable = vector_keep(s, list);
        if (table->variants[v].allocatable == NULL) return KARP_E_NOMEM;
        table->variants[v].usable = true;
        for (uint32_t i = 0; i < list.count; i++) {
            if (amount_sign(list.items[i].value) < 0) table->variants[v].usable = false;
        }
    }
    return KARP_OK;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static bool key_columns(karp_snapshot *s, uint32_t count, uint32_t (*set_at)(const type_table *, uint32_t),
                        const type_table *table, const uint32_t **keys_out, uint32_t *key_count,
                        const uint32_t **columns_out)
{
    uint32_t *position = mem_alloc(s->context, s->facts.count * sizeof *position); /* key -> column */
    uint32_t *keys = arena_array(&s->data, s->facts.count, sizeof *keys), n = 0;
    bool ok = position != NULL && keys != NULL;
    for (uint32_t i = 0; ok && i < s->facts.count; i++) position[i] = NO_ID;
    for (uint32_t i = 0; ok && i < count; i++) {
        size_t entries;
        const set_entry *e = set_entries(&s->algebra, set_at(table, i), &entries);
        for (size_t k = 0; k < entries; k++) {
            if (position[e[k].key] != NO_ID) continue;
            position[e[k].key] = n;
            keys[n++] = e[k].key;
        }
    }
    uint32_t *columns = ok ? arena_alloc(&s->data, ((size_t)n * count + 1) * sizeof *columns) : NULL;
    ok = ok && columns != NULL;
    for (size_t i = 0; ok && i < (size_t)n * count; i++) columns[i] = NO_ID;
    for (uint32_t i = 0; ok && i < count; i++) {
        size_t entries;
        const set_entry *e = set_entries(&s->algebra, set_at(table, i), &entries);
        for (size_t k = 0; k < entries; k++) columns[(size_t)position[e[k].key] * count + i] = e[k].requirement;
    }
    mem_free(s->context, position, s->facts.count * sizeof *position);
    *keys_out = keys;
    *key_count = n;
    *columns_out = columns;
    return ok;
}

/* `place` is scratch by requirement, all NO_ID before and after. */
static bool group_by_value(karp_snapshot *s, const uint32_t *column, uint32_t count, uint32_t *place, key_values *out)
{
    const size_t none = s->algebra.requirement_count; /* the index used for NO_ID */
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = column[i] == NO_ID ? none : column[i];
        if (place[at] == NO_ID) place[at] = n++;
    }
    uint32_t *values = arena_array(&s->data, n + (size_t)1, sizeof *values),
             *first = arena_array(&s->data, n + (size_t)2, sizeof *first),
             *items = arena_alloc(&s->data, (count + (size_t)1) * sizeof *items);
    if (values == NULL || first == NULL || items == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = place[column[i] == NO_ID ? none : column[i]];
        values[v] = column[i];
        first[v + 1]++;
    }
    for (uint32_t v = 0; v < n; v++) first[v + 1] += first[v];
    for (uint32_t i = count; i-- > 0;) items[--first[place[column[i] == NO_ID ? none : column[i]] + 1]] = i;
    for (uint32_t v = 0; v < n; v++) place[values[v] == NO_ID ? none : values[v]] = NO_ID;
    memmove(first, first + 1, n * sizeof *first); /* the end of each range becomes the start of the next one */
    first[n] = count;
    *out = (key_values){ n, values, first, items };
    return true;
}

/* Groups every column by value; NULL = out of memory. */
static const key_values *group_columns(karp_snapshot *s, const uint32_t *columns, uint32_t key_count, uint32_t count)
{
    size_t room = s->algebra.requirement_count + 1;
    key_values *all = arena_array(&s->data, key_count + (size_t)1, sizeof *all);
    uint32_t *place = all == NULL ? NULL : mem_alloc(s->context, room * sizeof *place);
    bool ok = place != NULL;
    for (size_t i = 0; ok && i < room; i++) place[i] = NO_ID;
    for (uint32_t k = 0; ok && k < key_count; k++)
        ok = group_by_value(s, columns + (size_t)k * count, count, place, &all[k]);
    mem_free(s->context, place, room * sizeof *place);
    return ok ? all : NULL;
}

static uint32_t type_set(const type_table *t, uint32_t i) { return t->types[i].set; }
static uint32_t offering_set(const type_table *t, uint32_t i) { return t->offerings[i].set; }

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static bool table_sizes(const karp_snapshot *s, const uint32_t *uses_, uint32_t use_count, type_table *table,
                        uint32_t *most_offerings)
{
    uint64_t types = 0, offerings = 0;
    for (uint32_t u = 0; u < use_count; u++) {
        const karp_catalogue *c = s->catalogues[uses_[u]];
        types += c->count;
        offerings += c->offering_total;
        for (uint32_t t = 0; t < c->count; t++) {
            if (c->types[t].offering_count > *most_offerings) *most_offerings = c->types[t].offering_count;
        }
    }
    if (types > UINT32_MAX / 2 || offerings > UINT32_MAX / 2) return false;
    table->type_count = (uint32_t)types;
    table->offering_count = (uint32_t)offerings;
    return true;
}

static int by_type_name(uint32_t a, uint32_t b, const void *user)
{
    const type_table *t = user;
    return t->types[a].name < t->types[b].name ? -1 : t->types[a].name > t->types[b].name;
}

struct by_type_text {
    const type_table *table;
    const uint32_t *rank;
};

static int by_type_text(uint32_t a, uint32_t b, const void *user)
{
    const struct by_type_text *u = user;
    uint32_t x = u->rank[u->table->types[a].name], y = u->rank[u->table->types[b].name];
    return x < y ? -1 : x > y;
}

static bool order_names(karp_snapshot *s, type_table *table)
{
    size_t room = table->type_count + (size_t)1;
    uint32_t *order = arena_array(&s->data, room, sizeof *order);
    uint32_t *texts = arena_array(&s->data, room, sizeof *texts), *place = arena_array(&s->data, room, sizeof *place);
    if (order == NULL || texts == NULL || place == NULL) return false;
    for (uint32_t t = 0; t < table->type_count; t++) order[t] = texts[t] = t;
    table->by_name = order;
    table->by_text = texts;
    table->text_place = place;
    struct by_type_text user = { table, s->facts.rank };
    if (!sort_ids(s->context, order, table->type_count, by_type_name, table) ||
        !sort_ids(s->context, texts, table->type_count, by_type_text, &user))
        return false;
    for (uint32_t i = 0; i < table->type_count; i++) place[texts[i]] = i;
    return true;
}

/* Whether two types have the same name. */
static bool find_repeats(karp_snapshot *s, type_table *table)
{
    uint8_t *seen = mem_zalloc(s->context, s->facts.count);
    if (seen == NULL) return false;
    for (uint32_t t = 0; t < table->type_count; t++) {
        if (seen[table->types[t].name]) table->repeated_names = true;
        seen[table->types[t].name] = 1;
    }
    mem_free(s->context, seen, s->facts.count);
    return true;
}

static bool list_capacity_types(karp_snapshot *s, type_table *table)
{
    uint8_t *seen = mem_zalloc(s->context, s->facts.count);
    void *list = NULL;
    size_t room = 0, count = 0;
    bool ok = seen != NULL;
    for (uint32_t i = 0; ok && i < table->offering_count; i++) {
        const offering *o = &table->offerings[i];
        if (!o->available || o->capacity_type == NO_ID || o->capacity_type == NO_TEXT || seen[o->capacity_type])
            continue;
        seen[o->capacity_type] = 1;
        ok = grow(s->context, &list, &room, count + 1, sizeof(uint32_t));
        if (ok) ((uint32_t *)list)[count++] = o->capacity_type;
    }
    const uint32_t *kept = ok && count > 0 ? arena_copy(&s->data, list, count * sizeof *kept) : NULL;
    mem_free(s->context, list, room * sizeof(uint32_t));
    mem_free(s->context, seen, s->facts.count);
    table->capacity_types = kept;
    table->capacity_type_count = (uint32_t)count;
    return ok && (count == 0 || kept != NULL);
}

/* After the types, so that there is no memory for variants of offerings that share one. */
static bool fill_variants(karp_snapshot *s, type_table *table, uint32_t count)
{
    table->variants = arena_array(&s->data, count + (size_t)1, sizeof *table->variants);
    if (table->variants == NULL) return false;
    for (uint32_t t = 0; t < table->type_count; t++) {
        const instance_type *type = &table->types[t];
        for (uint32_t v = 0; v < type->variant_count; v++) table->variants[type->variant_first + v].type = t;
    }
    table->variant_count = count;
    return true;
}

static karp_status fill_table(karp_snapshot *s, type_table *table, const uint32_t *uses_, uint32_t use_count,
                              const struct translation *translations, karp_error *error)
{
    uint32_t most = 0, index = 0;
    if (!table_sizes(s, uses_, use_count, table, &most)) return fail(error, KARP_E_LIMIT, "too many instance types");
    table->types = arena_array(&s->data, table->type_count + (size_t)1, sizeof *table->types);
    table->offerings = arena_array(&s->data, table->offering_count + (size_t)1, sizeof *table->offerings);
    struct filling f = { .s = s, .table = table, .groups = arena_array(&s->data, most + (size_t)1, sizeof *f.groups) };
    if (table->types == NULL || table->offerings == NULL || f.groups == NULL) return fail_nomem(error);
    for (uint32_t u = 0; u < use_count; u++) {
        const karp_catalogue *c = s->catalogues[uses_[u]];
        f.t = &translations[uses_[u]];
        for (uint32_t t = 0; t < c->count; t++) {
            if (!fill_type(&f, &c->types[t], index++)) return fail_nomem(error);
        }
    }
    if (!fill_variants(s, table, f.variants) || !find_repeats(s, table) || !list_capacity_types(s, table) ||
        !order_names(s, table))
        return fail_nomem(error);
    if (!key_columns(s, table->type_count, type_set, table, &table->type_keys, &table->type_key_count,
                     &table->type_columns) ||
        !key_columns(s, table->offering_count, offering_set, table, &table->offering_keys, &table->offering_key_count,
                     &table->offering_columns)) {
        return fail_nomem(error);
    }
    table->type_values = group_columns(s, table->type_columns, table->type_key_count, table->type_count);
    table->offering_values = group_columns(s, table->offering_columns, table->offering_key_count,
                                           table->offering_count);
    return table->type_values != NULL && table->offering_values != NULL ? KARP_OK : fail_nomem(error);
}

/* The tables' lists of catalogue uses, used by both steps. */
struct table_plan {
    words lists;
    struct translation *translations;
};

static karp_status plan_tables(karp_snapshot *s, struct table_plan *plan, karp_error *error)
{
    store *raw = &s->raw;
    s->pool_table = arena_array(&s->data, raw->pools.count + 1, sizeof *s->pool_table);
    plan->translations = arena_array(&s->data, s->catalogue_count + (size_t)1, sizeof *plan->translations);
    if (s->pool_table == NULL || plan->translations == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < s->catalogue_count; i++) {
        if (!translate(s, s->catalogues[i], &plan->translations[i])) return fail_nomem(error);
    }
    for (uint32_t p = 0; p < raw->pools.count; p++) {
        const struct pool_catalogues *use = &s->pool_catalogues[p];
        uint32_t types = 0;
        for (uint32_t u = 0; u < use->count; u++) types += s->catalogues[use->items[u]]->count;
        s->pool_table[p] = NO_ID;
        if (types == 0) continue;
        s->pool_table[p] = words_add(&plan->lists, use->items, use->count);
        if (s->pool_table[p] == NO_ID) return fail_nomem(error);
    }
    return KARP_OK;
}

/* Both steps below need the plan. Making it twice is cheap, and then nothing has to be kept. */
static karp_status with_plan(karp_snapshot *s,
                             karp_status (*step)(karp_snapshot *, const struct table_plan *, karp_error *),
                             karp_error *error)
{
    struct table_plan plan = { .translations = NULL };
    words_init(&plan.lists, s->context);
    karp_status status = plan_tables(s, &plan, error);
    if (status == KARP_OK) status = step(s, &plan, error);
    words_free(&plan.lists);
    return status;
}

static karp_status make_tables(karp_snapshot *s, const struct table_plan *plan, karp_error *error)
{
    s->table_count = (uint32_t)plan->lists.count;
    s->tables = arena_array(&s->data, s->table_count + (size_t)1, sizeof *s->tables);
    if (s->tables == NULL) return fail_nomem(error);
    for (uint32_t t = 0; t < s->table_count; t++) {
        karp_status status = fill_table(s, &s->tables[t], plan->lists.entries[t].ptr, plan->lists.entries[t].count,
                                        plan->translations, error);
        if (status != KARP_OK) return status;
    }
    return KARP_OK;
}

static karp_status make_vectors(karp_snapshot *s, const struct table_plan *plan, karp_error *error)
{
    for (uint32_t t = 0; t < s->table_count; t++) {
        uint32_t index = 0;
        for (uint32_t u = 0; u < plan->lists.entries[t].count; u++) {
            uint32_t use = plan->lists.entries[t].ptr[u];
            const karp_catalogue *c = s->catalogues[use];
            for (uint32_t i = 0; i < c->count; i++) {
                karp_status status = fill_vectors(s, &s->tables[t], &plan->translations[use], index++, &c->types[i]);
                if (status == KARP_E_RANGE)
                    return fail(error, status, "allocatable of an instance type is out of range");
                if (status != KARP_OK) return fail_nomem(error);
            }
        }
    }
    return KARP_OK;
}

karp_status prepare_tables(karp_snapshot *s, karp_error *error) { return with_plan(s, make_tables, error); }
karp_status prepare_table_vectors(karp_snapshot *s, karp_error *error) { return with_plan(s, make_vectors, error); }
