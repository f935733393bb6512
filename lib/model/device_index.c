/* SPDX-License-Identifier: Apache-2.0 */
#include <model/device_index.h>

#include <base/error.h>
#include <base/sort.h>
#include <model/extended_resources.h>
#include <model/prepare.h>

typedef struct worker {
    karp_snapshot *s;
    struct device_index *w;
    words identities, counters, dimensions, sets, pools; /* names -> numbers */
    bool refused;
} worker;

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static uint32_t number(worker *k, words *of, const uint32_t *parts, size_t count)
{
    uint32_t id = words_add(of, parts, count);
    if (id == NO_ID) k->refused = true;
    return id;
}

static uint32_t identity_of(worker *k, uint32_t driver, uint32_t pool, uint32_t name)
{
    const uint32_t parts[3] = { driver, pool, name };
    return number(k, &k->identities, parts, 3);
}

static uint32_t dimension_of(worker *k, uint32_t identity, uint32_t name)
{
    const uint32_t parts[2] = { identity, name };
    return number(k, &k->dimensions, parts, 2);
}

static uint32_t set_of(worker *k, uint32_t driver, uint32_t pool, uint32_t name)
{
    const uint32_t parts[3] = { driver, pool, name };
    return number(k, &k->sets, parts, 3);
}

static void *alloc_array(worker *k, size_t count, size_t element)
{
    void *out = arena_array(&k->s->data, count + 1, element);
    if (out == NULL) k->refused = true;
    return out;
}

/* Numbers the sets and counters of a list. If a counter is listed twice, both entries are kept. */
static void number_counters(worker *k, uint32_t driver, uint32_t pool, counter_sets given, id_list *sets,
                            counted_list *counters)
{
    uint32_t count = 0, n = 0;
    for (uint32_t i = 0; i < given.count; i++) count += given.items[i].counters.count;
    uint32_t *ids = alloc_array(k, given.count, sizeof *ids);
    counted *items = alloc_array(k, count, sizeof *items);
    if (k->refused) return;
    for (uint32_t i = 0; i < given.count; i++) {
        const counter_set *s = &given.items[i];
        ids[i] = set_of(k, driver, pool, s->name);
        for (uint32_t c = 0; c < s->counters.count; c++) {
            const uint32_t parts[2] = { ids[i], s->counters.items[c].name };
            items[n++] = (counted){ number(k, &k->counters, parts, 2), s->counters.items[c].value };
        }
    }
    *sets = (id_list){ ids, given.count };
    *counters = (counted_list){ items, n };
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* "domain/name"; a name without a domain is in the driver's domain. */
static void split_name(karp_str text, karp_str driver, karp_str *domain, karp_str *name)
{
    const char *slash = text.len > 0 ? memchr(text.ptr, '/', text.len) : NULL;
    size_t at = slash != NULL ? (size_t)(slash - text.ptr) : 0;
    *domain = slash != NULL ? (karp_str){ text.ptr, at } : driver;
    *name = slash != NULL ? (karp_str){ slash + 1, text.len - at - 1 } : text;
}

_Static_assert((int)CEL_TEXT == (int)KARP_ATTRIBUTE_STRING && (int)CEL_INTEGER == (int)KARP_ATTRIBUTE_INT &&
                   (int)CEL_BOOLEAN == (int)KARP_ATTRIBUTE_BOOL && (int)CEL_VERSION == (int)KARP_ATTRIBUTE_VERSION,
               "one numbering");

static void state_facts(worker *k, indexed_device *d)
{
    const device *g = d->given;
    karp_str driver = text_of(k->s, d->driver);
    cel_attribute *attributes = alloc_array(k, g->attribute_count, sizeof *attributes);
    cel_capacity *capacity = alloc_array(k, g->capacity_count, sizeof *capacity);
    if (k->refused) return;
    for (uint32_t i = 0; i < g->attribute_count; i++) {
        split_name(text_of(k->s, g->attributes[i].name), driver, &attributes[i].domain, &attributes[i].name);
        attributes[i].text = text_of(k->s, g->attributes[i].text);
        attributes[i].number = g->attributes[i].number;
        attributes[i].kind = g->attributes[i].kind;
    }
    for (uint32_t i = 0; i < g->capacity_count; i++) {
        split_name(text_of(k->s, g->capacity[i].name), driver, &capacity[i].domain, &capacity[i].name);
        capacity[i].value = g->capacity[i].value;
    }
    d->facts = (cel_device){ driver, attributes, capacity, g->attribute_count, g->capacity_count, g->shared };
}

static void add_device(worker *k, const device *given, uint32_t driver, uint32_t pool, uint32_t slice,
                       uint32_t pool_number)
{
    indexed_device *d = &k->w->devices[k->w->device_count++];
    uint32_t *dimensions = alloc_array(k, given->capacity_count, sizeof *dimensions);
    *d = (indexed_device){ .given = given,
                           .driver = driver,
                           .identity = identity_of(k, driver, pool, given->name),
                           .slice = slice,
                           .pool = pool_number,
                           .dimensions = dimensions };
    for (uint32_t i = 0; !k->refused && i < given->capacity_count; i++)
        dimensions[i] = dimension_of(k, d->identity, given->capacity[i].name);
    number_counters(k, driver, pool, given->consumes, &d->sets, &d->consumes);
    if (!k->refused) state_facts(k, d);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static void term_demands(worker *k, node_term_list given, const demand **out, demand *all)
{
    demand *terms = alloc_array(k, given.count, sizeof *terms);
    *all = (demand){ EMPTY_SET, NO_ID };
    for (uint32_t i = 0; terms != NULL && i < given.count; i++) {
        terms[i] = (demand){ EMPTY_SET, NO_ID };
        if (!demand_of_expressions(&k->s->algebra, given.items[i].expressions, &terms[i]) ||
            !demand_meet(&k->s->algebra, all, terms[i])) {
            k->refused = true;
        }
    }
    *out = terms;
}

static void add_slice(worker *k, uint32_t index, const resource_slice *given)
{
    indexed_slice *s = &k->w->slices[index];
    const uint32_t parts[2] = { given->driver, given->pool };
    *s = (indexed_slice){ .given = given, .pool = number(k, &k->pools, parts, 2), .device_first = k->w->device_count };
    term_demands(k, given->terms, &s->terms, &s->topology);
    s->term_count = given->terms.count;
    s->has_topology = given->has_selector && !given->all_nodes;
    s->has_counters = given->counters.count > 0;
    number_counters(k, given->driver, given->pool, given->counters, &s->sets, &s->counters);
    for (uint32_t i = 0; !k->refused && !s->has_counters && i < given->devices.count; i++) {
        add_device(k, &given->devices.items[i], given->driver, given->pool, index, s->pool);
        s->consumes = s->consumes || given->devices.items[i].consumes.count > 0;
        s->device_count++;
    }
}

static int by_slice_name(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *s = user;
    return compare_str(name_of(s, s->raw.slices.items[x].meta.name), name_of(s, s->raw.slices.items[y].meta.name));
}

static int by_pool_name(const void *x, const void *y, const void *user)
{
    const karp_snapshot *s = user;
    const indexed_pool *a = x, *b = y;
    int order = compare_str(text_of(s, a->driver), text_of(s, b->driver));
    return order != 0 ? order : compare_str(text_of(s, a->name), text_of(s, b->name));
}

/* Sorts pools in the order in which they are tried, and numbers them accordingly. */
static void order_pools(worker *k)
{
    struct device_index *w = k->w;
    w->pool_count = (uint32_t)k->pools.count;
    w->pools = alloc_array(k, w->pool_count, sizeof *w->pools);
    uint32_t *order = alloc_array(k, w->slice_count, sizeof *order),
             *renumbered = alloc_array(k, w->pool_count, sizeof *renumbered);
    uint32_t *lists = alloc_array(k, w->slice_count, sizeof *lists), n = 0;
    if (k->refused) return;
    for (uint32_t i = 0; i < w->slice_count; i++) order[i] = i;
    if (!sort_ids(k->s->context, order, w->slice_count, by_slice_name, k->s)) k->refused = true;
    for (uint32_t i = 0; i < w->slice_count; i++) w->pools[w->slices[i].pool].slices.count++;
    for (uint32_t p = 0; p < w->pool_count; p++) {
        const uint32_t *parts = k->pools.entries[p].ptr;
        renumbered[p] = n;
        n += w->pools[p].slices.count;
        w->pools[p] = (indexed_pool){ parts[0], parts[1], { lists + renumbered[p], w->pools[p].slices.count } };
    }
    for (uint32_t i = 0; i < w->slice_count; i++) lists[renumbered[w->slices[order[i]].pool]++] = order[i];
    if (!sort_stable(k->s->context, w->pools, w->pool_count, sizeof *w->pools, by_pool_name, k->s)) k->refused = true;
    for (uint32_t p = 0; p < w->pool_count; p++) renumbered[w->slices[w->pools[p].slices.items[0]].pool] = p;
    for (uint32_t i = 0; i < w->slice_count; i++) w->slices[i].pool = renumbered[w->slices[i].pool];
    for (uint32_t i = 0; i < w->device_count; i++) w->devices[i].pool = renumbered[w->devices[i].pool];
}

/* ---- instance types ---------------------------------------------------------------------------------------------- */

/* Union-find: the first binding of a group represents it. */
static uint32_t group_of(binding *bindings, uint32_t i)
{
    while (bindings[i].group != i) {
        bindings[i].group = bindings[bindings[i].group].group;
        i = bindings[i].group;
    }
    return i;
}

/* Merges groups that share a device. */
static uint32_t join_bindings(worker *k, const struct type_devices *given, binding *bindings, map64 *known)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < given->binding_count && !k->refused; i++) {
        const attribute_binding *b = &given->bindings[i];
        uint32_t first = NO_ID;
        for (uint32_t d = 0; b->device_count >= 2 && d < b->device_count && !k->refused; d++) {
            uint32_t identity = identity_of(k, b->devices[d].driver, b->devices[d].pool, b->devices[d].device);
            uint32_t at = map64_get(known, pair_key(b->attribute, identity));
            if (at == NO_ID) {
                at = n++;
                bindings[at] = (binding){ b->attribute, identity, at, 0 };
                if (!map64_put(known, pair_key(b->attribute, identity), at)) k->refused = true;
            }
            if (first == NO_ID) first = at;
            bindings[group_of(bindings, at)].group = group_of(bindings, first);
        }
    }
    return n;
}

static void bind_devices(worker *k, const struct type_devices *given, type_device_set *device_set)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < given->binding_count; i++) most += given->bindings[i].device_count;
    binding *bindings = alloc_array(k, most, sizeof *bindings);
    if (k->refused) return;
    map64 known;
    map64_init(&known, k->s->context);
    uint32_t n = join_bindings(k, given, bindings, &known);
    map64_free(&known);
    for (uint32_t i = 0; i < n; i++) bindings[group_of(bindings, i)].size++;
    for (uint32_t i = 0; i < n; i++) {
        bindings[i].group = group_of(bindings, i);
        bindings[i].size = bindings[bindings[i].group].size;
    }
    device_set->bindings = bindings;
    device_set->binding_count = n;
}

/* The counters of one type, each once: the last entry counts. */
static void kit_counters(worker *k, const struct type_devices *given, type_device_set *device_set)
{
    uint32_t most = 0, n = 0;
    for (uint32_t i = 0; i < given->template_count; i++) {
        for (uint32_t s = 0; s < given->templates[i].counters.count; s++)
            most += given->templates[i].counters.items[s].counters.count;
    }
    counted *items = alloc_array(k, most, sizeof *items);
    for (uint32_t i = 0; !k->refused && i < given->template_count; i++) {
        id_list sets;
        counted_list one;
        number_counters(k, given->templates[i].driver, given->templates[i].pool, given->templates[i].counters, &sets,
                        &one);
        for (uint32_t c = 0; !k->refused && c < one.count; c++) {
            uint32_t at = 0;
            while (at < n && items[at].id != one.items[c].id) at++;
            items[at] = one.items[c];
            if (at == n) n++;
        }
    }
    device_set->counters = (counted_list){ items, n };
}

static void add_device_set(worker *k, instance_type *type)
{
    type->device_set = k->w->device_set_count++;
    type_device_set *device_set = &k->w->device_sets[type->device_set];
    device_set->device_first = k->w->device_count;
    for (uint32_t i = 0; i < type->devices->template_count; i++) {
        const device_template *t = &type->devices->templates[i];
        for (uint32_t d = 0; !k->refused && d < t->devices.count; d++)
            add_device(k, &t->devices.items[d], t->driver, t->pool, NO_ID, NO_ID);
    }
    device_set->device_count = k->w->device_count - device_set->device_first;
    kit_counters(k, type->devices, device_set);
    bind_devices(k, type->devices, device_set);
}

/* ---- claims, selectors ------------------------------------------------------------------------------------------- */

static void add_claim(worker *k, uint32_t index, const resource_claim *given)
{
    indexed_claim *c = &k->w->resource_claims[index];
    const demand *terms;
    uint32_t *results = alloc_array(k, given->result_count, sizeof *results);
    counted_list *shares = alloc_array(k, given->result_count, sizeof *shares);
    c->given = given;
    term_demands(k, given->terms, &terms, &c->topology);
    for (uint32_t i = 0; !k->refused && i < given->result_count; i++) {
        const allocated_device *r = &given->results[i];
        results[i] = identity_of(k, r->driver, r->pool, r->device);
        counted *items = alloc_array(k, r->consumed.count, sizeof *items);
        for (uint32_t n = 0; !k->refused && n < r->consumed.count; n++) {
            items[n] = (counted){ dimension_of(k, results[i], r->consumed.items[n].name), r->consumed.items[n].value };
        }
        shares[i] = (counted_list){ items, r->consumed.count };
    }
    c->results = results;
    c->shares = shares;
}

static void compile(worker *k, const uint32_t *selectors, uint32_t count)
{
    struct device_index *w = k->w;
    for (uint32_t i = 0; i < count && !k->refused; i++) {
        if (selectors[i] == NO_TEXT || map64_get(&w->program_of, selectors[i]) != NO_ID) continue;
        struct selector_program *p = &w->programs[w->program_count];
        p->status = cel_compile(&k->s->data, text_of(k->s, selectors[i]), &p->root);
        if (p->status == CEL_REFUSED || !map64_put(&w->program_of, selectors[i], w->program_count++)) k->refused = true;
    }
}

static size_t request_selectors(const device_request *r, uint32_t count)
{
    size_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += r[i].selector_count + request_selectors(r[i].alternatives, r[i].alternative_count);
    return n;
}

static void compile_requests(worker *k, const device_request *r, uint32_t count)
{
    for (uint32_t i = 0; i < count && !k->refused; i++) {
        compile(k, r[i].selectors, r[i].selector_count);
        compile_requests(k, r[i].alternatives, r[i].alternative_count);
    }
}

static void compile_all(worker *k)
{
    const store *raw = &k->s->raw;
    size_t most = 0;
    for (size_t i = 0; i < raw->device_classes.count; i++) most += raw->device_classes.items[i].selector_count;
    for (size_t i = 0; i < raw->resource_claims.count; i++)
        most += request_selectors(raw->resource_claims.items[i].requests, raw->resource_claims.items[i].request_count);
    k->w->programs = alloc_array(k, most, sizeof *k->w->programs);
    for (size_t i = 0; i < raw->device_classes.count && !k->refused; i++)
        compile(k, raw->device_classes.items[i].selectors, raw->device_classes.items[i].selector_count);
    for (size_t i = 0; i < raw->resource_claims.count && !k->refused; i++)
        compile_requests(k, raw->resource_claims.items[i].requests, raw->resource_claims.items[i].request_count);
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

static void allocate(worker *k)
{
    karp_snapshot *s = k->s;
    struct device_index *w = k->w;
    size_t devices = 0, device_sets = 0;
    for (size_t i = 0; i < s->raw.slices.count; i++) devices += s->raw.slices.items[i].devices.count;
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].type_count; i++) {
            const struct type_devices *d = s->tables[t].types[i].devices;
            if (d == NULL) continue;
            device_sets++;
            for (uint32_t n = 0; n < d->template_count; n++) devices += d->templates[n].devices.count;
        }
    }
    w->slice_count = (uint32_t)s->raw.slices.count;
    w->claim_count = (uint32_t)s->raw.resource_claims.count;
    w->devices = alloc_array(k, devices, sizeof *w->devices);
    w->slices = alloc_array(k, w->slice_count, sizeof *w->slices);
    w->device_sets = alloc_array(k, device_sets, sizeof *w->device_sets);
    w->resource_claims = alloc_array(k, w->claim_count, sizeof *w->resource_claims);
    if (devices >= NO_ID) k->refused = true;
}

static void make_index(worker *k)
{
    karp_snapshot *s = k->s;
    allocate(k);
    for (uint32_t i = 0; i < k->w->slice_count && !k->refused; i++) add_slice(k, i, &s->raw.slices.items[i]);
    if (!k->refused) order_pools(k);
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].type_count && !k->refused; i++) {
            if (s->tables[t].types[i].devices != NULL) add_device_set(k, &s->tables[t].types[i]);
        }
    }
    for (uint32_t i = 0; i < k->w->claim_count && !k->refused; i++) add_claim(k, i, &s->raw.resource_claims.items[i]);
    if (!k->refused) compile_all(k);
    k->w->identity_count = (uint32_t)k->identities.count;
    k->w->counter_count = (uint32_t)k->counters.count;
    k->w->dimension_count = (uint32_t)k->dimensions.count;
    k->w->set_count = (uint32_t)k->sets.count;
}

karp_status prepare_devices(karp_snapshot *s, karp_error *error)
{
    bool used = false;
    for (size_t i = 0; i < s->raw.shapes.count && !used; i++) used = shape_needs_devices(s, &s->raw.shapes.items[i]);
    if (!used || !s->raw.settings.dra_requests) return KARP_OK;
    worker k = { .s = s, .w = arena_zalloc(&s->data, sizeof *k.w) };
    if (k.w == NULL) return fail_nomem(error);
    words *tables[] = { &k.identities, &k.counters, &k.dimensions, &k.sets, &k.pools };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) words_init(tables[i], s->context);
    map64_init(&k.w->program_of, s->context);
    s->devices = k.w;
    make_index(&k);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) words_free(tables[i]);
    return k.refused || s->algebra.failed ? fail_nomem(error) : KARP_OK;
}

void device_index_free(struct device_index *w)
{
    if (w != NULL) map64_free(&w->program_of);
}
