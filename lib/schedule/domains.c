/* SPDX-License-Identifier: Apache-2.0 */
/* Domains: the values of label keys that topology uses, numbered densely for each key. */
#include <schedule/scheduler.h>
#include <base/sort.h>
#include <schedule/topology.h>

#include <schedule/templates.h>

static bool refuse(scheduler *s) { return mem_refused(&s->failed); }

/* ---- the universe ------------------------------------------------------------------------------------------------ */

static struct universe_domain *universe_at(scheduler *s, domain_key *k, uint32_t number, bool *is_new)
{
    *is_new = false;
    for (uint32_t i = 0; i < k->universe_count; i++) {
        if (k->universe[i].number == number) return &k->universe[i];
    }
    size_t capacity = k->universe_capacity;
    void *items = k->universe;
    if (!grow(s->context, &items, &capacity, k->universe_count + (size_t)1, sizeof *k->universe))
        return mem_refused_null(&s->failed);
    k->universe = items;
    k->universe_capacity = (uint32_t)capacity;
    *is_new = true;
    k->universe[k->universe_count] = (struct universe_domain){ .number = number };
    return &k->universe[k->universe_count++];
}

/* Adds a domain with taints. A domain without taints is open to all pods, and remains so. */
static bool universe_insert(scheduler *s, uint32_t key_index, uint32_t text, uint32_t taints_id)
{
    bool is_new;
    uint32_t number = domain_number(s, key_index, text);
    if (number == NO_ID) return false;
    struct universe_domain *d = universe_at(s, &s->topology.keys[key_index], number, &is_new);
    if (d == NULL) return false;
    bool open = s->templates.taint_lists.entries[taints_id].count == 0;
    bool was_open = !is_new && d->taint_count == 1 && s->templates.taint_lists.entries[d->taint_ids[0]].count == 0;
    if (was_open) return true;
    if (!open && ids_have(d->taint_ids, d->taint_count, taints_id)) return true;
    uint32_t keep = open ? 0 : d->taint_count;
    uint32_t *ids = arena_array(&s->data, keep + (size_t)1, sizeof *ids);
    if (ids == NULL) return refuse(s);
    if (keep > 0) memcpy(ids, d->taint_ids, keep * sizeof *ids);
    ids[keep] = taints_id;
    d->taint_ids = ids;
    d->taint_count = keep + 1;
    return true;
}

static bool insert_values(scheduler *s, uint32_t key_index, uint32_t requirement_id, uint32_t taints_id, bool only_in)
{
    if (requirement_id == NO_ID) return true;
    requirement r = *requirement_get(&s->algebra, requirement_id);
    if (r.complement && (only_in || !quirk(s, 6))) return true;
    for (uint32_t i = 0; i < r.value_count; i++) {
        if (!universe_insert(s, key_index, r.values[i], taints_id)) return false;
    }
    return true;
}

/* The part of a NodePool's requirements that defines domains: requirements of the spec and labels of the template. */
static uint32_t base_requirement(scheduler *s, uint32_t pool, uint32_t key)
{
    const node_pool *p = &s->snapshot->raw.pools.items[pool];
    const uint32_t *normalized = s->snapshot->facts.normalized;
    uint32_t have = NO_ID;
    for (uint32_t i = 0; i < p->requirements.count; i++) {
        const expression *e = &p->requirements.items[i];
        if (normalized[e->key] != key) continue;
        uint32_t r = requirement_make(&s->algebra, e->key, e->op, e->values, e->value_count, e->min_values);
        have = have == NO_ID ? r : requirement_meet(&s->algebra, have, r);
    }
    for (uint32_t i = 0; i < p->template_labels.count; i++) {
        if (normalized[p->template_labels.items[i].key] != key) continue;
        uint32_t r = requirement_in(&s->algebra, key, p->template_labels.items[i].value);
        have = have == NO_ID ? r : requirement_meet(&s->algebra, have, r);
    }
    return have;
}

static bool pool_domains(scheduler *s, uint32_t key_index, uint32_t pool, const type_table *table, uint32_t taints_id)
{
    uint32_t key = s->topology.keys[key_index].key, base = base_requirement(s, pool, key), last = NO_ID;
    uint32_t column = type_key_column(table, key);
    bool first = true;
    for (uint32_t t = 0; t < table->type_count && !s->failed && !s->algebra.failed; t++) {
        uint32_t of_type = column < table->type_key_count ? table->type_columns[(size_t)column * table->type_count + t]
                                                          : NO_ID;
        uint32_t r = base == NO_ID ? of_type : of_type == NO_ID ? base : requirement_meet(&s->algebra, base, of_type);
        if (!first && r == last) continue; /* the same values with the same taints change nothing */
        first = false;
        last = r;
        if (!insert_values(s, key_index, r, taints_id, false)) return false;
    }
    return !s->failed && !s->algebra.failed && insert_values(s, key_index, base, taints_id, true);
}

static bool build_universe(scheduler *s, uint32_t key_index)
{
    domain_key *k = &s->topology.keys[key_index];
    if (k->is_host || k->key != k->normalized) return true; /* types have no key by an older name */
    /* All usable NodePools with types, by weight. Those whose types the pre-filter removed are in a separate list,
     * but count as well. */
    uint32_t i = 0, j = 0;
    while (i < s->templates.count || j < s->templates.dropped_count) {
        bool take = j == s->templates.dropped_count ||
                    (i < s->templates.count && s->templates.items[i].order < s->templates.dropped[j].order);
        const template_ *t = take ? &s->templates.items[i++] : &s->templates.dropped[j++];
        if (t->table == NULL) continue;
        if (!pool_domains(s, key_index, t->pool, t->table, t->taints_id)) return false;
    }
    return true;
}

/* Sets the bits of the values that the requirement lists. */
static bool list_bits(const scheduler *s, const domain_key *k, uint32_t id, uint64_t *bits)
{
    const requirement *r = requirement_get(&s->algebra, id);
    for (uint32_t i = 0; i < r->value_count && !r->complement; i++) {
        uint32_t d = map64_get(&k->numbers, r->values[i]);
        if (d != NO_ID) bits_set(bits, d);
    }
    return !s->algebra.failed;
}

bool pool_domain_bits(scheduler *s, uint32_t key_index, uint32_t pool, const type_table *table, uint64_t *bits,
                      uint32_t *base)
{
    const domain_key *k = &s->topology.keys[key_index];
    uint32_t column = type_key_column(table, k->key);
    *base = base_requirement(s, pool, k->key);
    for (uint32_t v = 0; column < table->type_key_count && v < table->type_values[column].count; v++) {
        uint32_t r = table->type_values[column].values[v];
        if (r != NO_ID && *base != NO_ID) r = requirement_meet(&s->algebra, *base, r);
        if (r != NO_ID && !list_bits(s, k, r, bits)) return false;
    }
    return !s->algebra.failed && (*base == NO_ID || list_bits(s, k, *base, bits));
}

/* ---- keys and numbers -------------------------------------------------------------------------------------------- */

uint32_t domain_key_of(scheduler *s, uint32_t given)
{
    uint32_t key = quirk(s, 34) ? given : s->snapshot->facts.normalized[given];
    uint32_t known = map64_get(&s->topology.key_numbers, key);
    if (known != NO_ID) return known;
    size_t capacity = s->topology.key_capacity;
    void *items = s->topology.keys;
    if (!map64_put(&s->topology.key_numbers, key, s->topology.key_count) ||
        !grow(s->context, &items, &capacity, s->topology.key_count + (size_t)1, sizeof *s->topology.keys))
        return mem_refused_id(&s->failed);
    s->topology.keys = items;
    s->topology.key_capacity = (uint32_t)capacity;
    domain_key *k = &s->topology.keys[s->topology.key_count];
    *k = (domain_key){ .key = key,
                       .normalized = s->snapshot->facts.normalized[key],
                       .is_host = key == s->snapshot->known.hostname };
    map64_init(&k->numbers, s->context);
    map64_init(&k->masks, s->context);
    return build_universe(s, s->topology.key_count++) ? s->topology.key_count - 1 : NO_ID;
}

uint32_t domain_number(scheduler *s, uint32_t key_index, uint32_t text)
{
    domain_key *k = &s->topology.keys[key_index];
    uint32_t number = map64_get(&k->numbers, text);
    if (number != NO_ID) return number;
    size_t capacity = k->capacity;
    void *items = k->values;
    if (!grow(s->context, &items, &capacity, k->count + (size_t)1, sizeof *k->values))
        return mem_refused_id(&s->failed);
    k->values = items;
    k->capacity = (uint32_t)capacity;
    if (!map64_put(&k->numbers, text, k->count)) return mem_refused_id(&s->failed);
    k->values[k->count] = text;
    return k->count++;
}

const uint64_t *domain_mask(scheduler *s, uint32_t key_index, uint32_t requirement_id)
{
    domain_key *k = &s->topology.keys[key_index];
    if (k->mask_domains != k->count) { /* a new value, which old masks do not cover */
        map64_clear(&k->masks);
        k->mask_list.count = 0;
        k->mask_domains = k->count;
    }
    uint32_t at = map64_get(&k->masks, requirement_id);
    if (at != NO_ID) return k->mask_list.items[at];
    uint64_t *mask = arena_array(&s->data, bits_words(k->count) + 1, sizeof *mask);
    uint64_t **slot = mask == NULL ? NULL : list_push(s->context, &k->mask_list, sizeof *slot);
    if (slot == NULL || !map64_put(&k->masks, requirement_id, (uint32_t)(k->mask_list.count - 1)))
        return mem_refused_null(&s->failed);
    *slot = mask;
    const requirement *r = requirement_id == NO_ID ? NULL : requirement_get(&s->algebra, requirement_id);
    for (uint32_t i = 0; i < k->count; i++) {
        if (r == NULL || requirement_has(&s->algebra, r, k->values[i])) bits_set(mask, i);
    }
    return mask;
}

/* ---- hosts ------------------------------------------------------------------------------------------------------- */

bool host_numbers_reserve(scheduler *s, size_t count)
{
    void *items = s->topology.host_text;
    bool ok = grow(s->context, &items, &s->topology.host_text_capacity, count, sizeof *s->topology.host_text);
    s->topology.host_text = items;
    return ok;
}

static uint32_t next_host(scheduler *s, uint32_t text)
{
    if (s->topology.next_host_number >= s->topology.host_text_capacity &&
        !host_numbers_reserve(s, s->topology.next_host_number + (size_t)1))
        return mem_refused_id(&s->failed);
    s->topology.host_text[s->topology.next_host_number] = text;
    return s->topology.next_host_number++;
}

uint32_t host_number_of_text(scheduler *s, uint32_t text)
{
    size_t texts = s->snapshot->raw.text.count;
    uint32_t *number = &s->topology.host_of_text[text < texts ? text : texts];
    if (*number == 0) *number = next_host(s, text) + 1; /* NO_ID + 1 = 0 */
    return s->failed ? NO_ID : *number - 1;
}

uint32_t host_number_new(scheduler *s) { return next_host(s, NO_ID); }

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* Copies an array to a longer one, whose other elements are 0. */
static void widen(scheduler *s, int32_t **items, uint32_t count, uint32_t before, int32_t *wide)
{
    if (count > 0) memcpy(wide + before, *items, count * sizeof *wide);
    mem_free(s->context, *items, count * sizeof *wide);
    *items = wide;
}

/* The first domain of the new arrays. Most groups about host names have pods on few hosts, with consecutive numbers. */
static uint32_t first_domain(const group *g, uint32_t domain)
{
    if (!g->host) return 0;
    if (g->capacity == 0 || domain >= g->base) return g->capacity == 0 ? domain : g->base;
    uint32_t twice = g->base < g->capacity ? 0 : g->base - g->capacity;
    return domain < twice ? domain : twice;
}

/* Makes room for a domain in the arrays. */
static bool group_reserve(scheduler *s, group *g, uint32_t domain)
{
    if (domain - g->base < g->capacity) return true; /* below the base the difference is a large number */
    uint32_t base = first_domain(g, domain), capacity = g->capacity < 16 ? 16 : g->capacity;
    uint32_t end = g->base + g->capacity > domain ? g->base + g->capacity : domain + 1;
    while (capacity < end - base) capacity *= 2;
    int32_t *counts = mem_zalloc(s->context, capacity * sizeof *counts);
    int32_t *sources = g->host ? NULL : mem_zalloc(s->context, capacity * sizeof *sources);
    if (counts == NULL || (sources == NULL && !g->host)) {
        mem_free(s->context, counts, capacity * sizeof *counts);
        mem_free(s->context, sources, capacity * sizeof *sources);
        return refuse(s);
    }
    widen(s, &g->counts, g->capacity, g->base - base, counts);
    if (sources != NULL) widen(s, &g->sources, g->capacity, 0, sources);
    g->base = base;
    g->capacity = capacity;
    return true;
}

void group_register(scheduler *s, group *g, uint32_t domain)
{
    if (g->host || !group_reserve(s, g, domain)) return; /* every host is known */
    g->version += g->sources[domain]++ == 0;
}

static bool of_launch(const scheduler *s, const group *g, uint32_t domain)
{
    return g->host && s->topology.host_text[domain] == NO_ID;
}

/* The domain has received its first pod. */
static void note_occupied(scheduler *s, group *g, uint32_t domain)
{
    g->occupied++;
    g->launches += of_launch(s, g, domain);
    if (g->inverse && g->wider != NO_ID) group_count(s, &s->topology.groups.items[g->wider], domain);
}

void group_count(scheduler *s, group *g, uint32_t domain)
{
    if (!group_reserve(s, g, domain)) return;
    bool fresh = !g->host && g->sources[domain]++ == 0, first = g->counts[domain - g->base]++ == 0;
    g->version += fresh || first || g->kind == GROUP_SPREAD;
    if (first) note_occupied(s, g, domain);
}

void group_unregister(group *g, uint32_t domain)
{
    if (!g->host) g->version += --g->sources[domain] == 0;
}

void group_uncount(scheduler *s, group *g, uint32_t domain)
{
    bool gone = !g->host && --g->sources[domain] == 0, last = --g->counts[domain - g->base] == 0;
    g->version += gone || last || g->kind == GROUP_SPREAD;
    if (!last) return;
    g->occupied--;
    g->launches -= of_launch(s, g, domain);
    if (g->inverse && g->wider != NO_ID) group_uncount(s, &s->topology.groups.items[g->wider], domain);
}
