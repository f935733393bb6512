/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/templates.h>

#include <base/sort.h>
#include <model/prepare.h>
#include <model/taints.h>
#include <schedule/ports.h>
#include <schedule/scheduler.h>
#include <schedule/types.h>

static int by_weight(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *s = user;
    const node_pool *a = &s->raw.pools.items[x], *b = &s->raw.pools.items[y];
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    return compare_str(name_of(s, b->meta.name), name_of(s, a->meta.name)); /* equal weights: z before a */
}

/* ---- one template ------------------------------------------------------------------------------------------------ */

static uint32_t taint_list_id(scheduler *s, taint_list list)
{
    return words_add(&s->templates.taint_lists, (const uint32_t *)(const void *)list.items, (size_t)list.count * 3);
}

static bool template_requirements(scheduler *s, template_ *t)
{
    const karp_snapshot *snapshot = s->snapshot;
    bool known = snapshot->pool_templates != NULL && snapshot->pool_templates[t->pool].table != NO_ID;
    demand d = known ? snapshot->pool_templates[t->pool].required : (demand){ EMPTY_SET, NO_ID };
    if (!known && !demand_of_pool(&s->algebra, snapshot, t->pool, &s->data, &d)) return false;
    t->set = d.set;
    t->host_possible = d.host == NO_ID || requirement_has_fresh(requirement_get(&s->algebra, d.host));
    return !s->failed && !s->algebra.failed;
}

bool set_has_min_values(const scheduler *s, uint32_t set)
{
    size_t n;
    const set_entry *e = set_entries(&s->algebra, set, &n);
    for (size_t i = 0; i < n; i++) {
        if (requirement_get(&s->algebra, e[i].requirement)->min_values > 0) return true;
    }
    return false;
}

/* The variants that pass the pre-filter. */
static uint64_t *pre_filter(scheduler *s, template_ *t)
{
    uint64_t *bits = arena_array(&s->data, template_words(t) + 1, sizeof *bits);
    const uint64_t *mask = types_mask(s, t->table_number, t->set);
    if (bits == NULL || mask == NULL) return mem_refused_null(&s->failed);
    memcpy(bits, mask, template_words(t) * sizeof *bits);
    for (uint32_t v = 0; v < t->table->variant_count; v++) {
        if (!t->table->variants[v].usable) bits_clear(bits, v);
    }
    t->dropped_reason = bits_any(bits, template_words(t)) ? KARP_REASON_NONE : KARP_REASON_NO_TEMPLATES;
    if (t->dropped_reason == KARP_REASON_NONE && set_has_min_values(s, t->set) && !s->settings.best_effort_min_values &&
        !min_values_met(s, t, bits, t->set, NULL)) {
        t->dropped_reason = KARP_REASON_MIN_VALUES;
    }
    return bits;
}

/* ---- daemon groups ----------------------------------------------------------------------------------------------- */

static bool make_daemon_views(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    s->templates.daemons = arena_array(&s->data, snapshot->daemon_count + (size_t)1, sizeof *s->templates.daemons);
    if (s->templates.daemons == NULL) return false;
    for (uint32_t i = 0; i < snapshot->daemon_count; i++) {
        struct daemon_view *d = &s->templates.daemons[i];
        const shape *h = snapshot->daemons[i].shape;
        d->tolerations = h->tolerations;
        if (!quirk(s, 1) && !add_prefer_no_schedule(s, &d->tolerations))
            return false; /* otherwise computed once for a template */
        d->refused = h->has_claims && !snapshot->raw.settings.dra_requests;
        d->term_count = snapshot->daemons[i].required.count > 0 ? snapshot->daemons[i].required.count : 1;
        d->terms = arena_array(&s->data, d->term_count, sizeof *d->terms);
        if (d->terms == NULL) return false;
        for (uint32_t t = 0; t < d->term_count; t++) {
            d->terms[t] = (demand){ EMPTY_SET, NO_ID };
            if (!demand_of_labels(&s->algebra, h->node_selector, &d->terms[t])) return false;
            if (snapshot->daemons[i].required.count == 0) continue;
            if (!demand_of_expressions(&s->algebra, snapshot->daemons[i].required.items[t].expressions, &d->terms[t]))
                return false;
        }
    }
    return !s->failed;
}

static bool term_possible(scheduler *s, const template_ *t, demand d)
{
    if (d.host != NO_ID && !requirement_negative(requirement_get(&s->algebra, d.host))) return false;
    return set_compatible(&s->algebra, t->set, d.set, true);
}

/* Whether the daemon runs on a type of the template. Karpenter removes an OR-term that failed from the shared pod, so
 * that it is not tried for later types. Without the quirk, all terms are tried for every type. */
static bool daemon_runs(scheduler *s, struct daemon_view *d, const template_ *t, uint32_t type)
{
    uint32_t term = quirk(s, 1) ? d->first_term : 0;
    for (;; term++) {
        if (term_possible(s, t, d->terms[term]) &&
            set_agree(&s->algebra, t->table->types[type].set, d->terms[term].set))
            break;
        if (term + 1 == d->term_count) {
            if (quirk(s, 1)) d->first_term = term;
            return false;
        }
    }
    if (quirk(s, 1)) d->first_term = term;
    return true;
}

/* The total requests of a set of daemons. Templates with the same set share it. */
typedef struct daemon_load {
    resource_list overhead;
    port_use *ports;
    uint32_t port_count;
    bool named_ports;
    uint32_t template_, group; /* the template that used it last, and its group with these daemons */
} daemon_load;

typedef struct gathering {
    words sets; /* sets of daemons, as bits */
    LIST_OF(daemon_load) loads; /* by set */
    uint64_t *members; /* scratch: the daemons of one type */
    uint8_t *tolerated; /* the daemons that tolerate the taints of one template */
} gathering;

static bool gathering_init(scheduler *s, gathering *g)
{
    size_t daemons = s->snapshot->daemon_count + (size_t)1;
    *g = (gathering){ .members = arena_array(&s->data, bits_words(daemons), sizeof *g->members),
                      .tolerated = arena_array(&s->data, daemons, 1) };
    words_init(&g->sets, s->context);
    return g->members != NULL && g->tolerated != NULL;
}

static void gathering_free(scheduler *s, gathering *g)
{
    words_free(&g->sets);
    list_free(s->context, &g->loads, sizeof(daemon_load));
}

static bool gather_overhead(scheduler *s, const uint64_t *members, resource_list *out)
{
    const karp_snapshot *snapshot = s->snapshot;
    size_t count = 0, n = 0;
    for (uint32_t i = 0; i < snapshot->daemon_count; i++)
        count += bits_test(members, i) ? daemon_on_new_nodes(snapshot, i).count : 0;
    resource_amount *items = mem_alloc(s->context, count * sizeof *items);
    if (items == NULL) return false;
    for (uint32_t i = 0; i < snapshot->daemon_count; i++) {
        const resource_list required = daemon_on_new_nodes(snapshot, i);
        if (!bits_test(members, i) || required.count == 0) continue;
        memcpy(items + n, required.items, required.count * sizeof *items);
        n += required.count;
    }
    bool ok = resource_list_total(&s->data, items, n, out) == KARP_OK;
    mem_free(s->context, items, count * sizeof *items);
    return ok;
}

static bool gather_load(scheduler *s, const uint64_t *members, daemon_load *out)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint32_t ports = 0;
    for (uint32_t i = 0; i < snapshot->daemon_count; i++)
        ports += bits_test(members, i) ? snapshot->daemons[i].shape->ports.count : 0;
    out->ports = arena_array(&s->data, ports + (size_t)1, sizeof *out->ports);
    if (out->ports == NULL) return false;
    for (uint32_t i = 0; i < snapshot->daemon_count; i++) {
        if (!bits_test(members, i)) continue;
        const shape *h = snapshot->daemons[i].shape;
        for (uint32_t p = 0; p < h->ports.count; p++)
            out->ports[out->port_count++] = (port_use){ h->ports.items[p], snapshot->daemons[i].pod };
        out->named_ports = out->named_ports || (h->ports.count > 0 && snapshot->daemons[i].pod != NO_ID);
    }
    return gather_overhead(s, members, &out->overhead);
}

/* For the set in all->members. NULL = out of memory. */
static daemon_load *load_of_members(scheduler *s, gathering *all)
{
    size_t width = bits_words(s->snapshot->daemon_count + (size_t)1);
    uint32_t number = words_add(&all->sets, (const uint32_t *)(const void *)all->members, width * 2);
    if (number == NO_ID) return NULL;
    if (number < all->loads.count) return &all->loads.items[number];
    daemon_load *load = list_push(s->context, &all->loads, sizeof *load);
    if (load == NULL) return NULL;
    load->template_ = NO_ID;
    return gather_load(s, all->members, load) ? load : NULL;
}

/* The template's group of types with the daemons in all->members. NO_ID = out of memory. */
static uint32_t group_of_members(scheduler *s, template_ *t, uint32_t first_type, gathering *all)
{
    uint32_t number = (uint32_t)(t - s->templates.items);
    daemon_load *load = load_of_members(s, all);
    if (load == NULL) return NO_ID;
    if (load->template_ == number) return load->group;
    daemon_group *g = &t->groups[t->group_count];
    *g = (daemon_group){
        .overhead = load->overhead, .ports = load->ports, .port_count = load->port_count, .first_type = first_type
    };
    g->bits = arena_array(&s->data, template_words(t) + 1, sizeof *g->bits);
    t->group_ports = t->group_ports || g->port_count > 0;
    t->named_ports = t->named_ports || load->named_ports;
    load->template_ = number;
    load->group = t->group_count++;
    return g->bits != NULL ? load->group : NO_ID;
}

static void find_members(scheduler *s, const template_ *t, uint32_t type, gathering *all)
{
    memset(all->members, 0, bits_words(s->snapshot->daemon_count + (size_t)1) * sizeof *all->members);
    for (uint32_t i = 0; i < s->snapshot->daemon_count; i++) {
        if (all->tolerated[i] && daemon_runs(s, &s->templates.daemons[i], t, type)) bits_set(all->members, i);
    }
}

static bool find_tolerated(scheduler *s, const template_ *t, gathering *all)
{
    for (uint32_t i = 0; i < s->snapshot->daemon_count; i++) {
        struct daemon_view *d = &s->templates.daemons[i];
        if (!d->refused && !add_prefer_no_schedule(s, &d->tolerations)) return false;
        all->tolerated[i] = !d->refused && taints_tolerated(s->snapshot, d->tolerations, t->taints);
    }
    return true;
}

static bool daemon_groups(scheduler *s, template_ *t, const uint64_t *bits, gathering *all)
{
    size_t width = t->table->variant_count;
    t->group_of = arena_array(&s->data, width + 1, sizeof *t->group_of);
    t->groups = arena_array(&s->data, t->types_start + (size_t)1, sizeof *t->groups);
    if (t->group_of == NULL || t->groups == NULL) return false;
    if (!find_tolerated(s, t, all)) return false;
    uint32_t last = NO_ID, number = 0;
    for (size_t v = bits_next(bits, width, 0); v < width; v = bits_next(bits, width, v + 1)) {
        uint32_t type = t->table->variants[v].type;
        if (type != last) {
            find_members(s, t, type, all);
            number = group_of_members(s, t, type, all);
            if (number == NO_ID) return false;
            last = type;
        }
        t->group_of[v] = number;
        bits_set(t->groups[number].bits, v);
    }
    return true;
}

/* Computes the space of every variant. Removes variants without space for their daemons. */
static bool compute_spaces(scheduler *s, template_ *t, uint64_t *bits)
{
    uint32_t full = s->snapshot->dims;
    size_t width = t->table->variant_count;
    int64_t *overheads = mem_alloc(s->context, ((size_t)t->group_count + 1) * full * sizeof *overheads);
    t->space = arena_items(&s->data, (width + 1) * s->vectors.dims, sizeof *t->space);
    if (overheads == NULL || t->space == NULL) {
        mem_free(s->context, overheads, ((size_t)t->group_count + 1) * full * sizeof *overheads);
        return false;
    }
    for (uint32_t g = 0; g < t->group_count; g++)
        vector_of(s->snapshot, t->groups[g].overhead, overheads + (size_t)g * full);
    for (size_t v = bits_next(bits, width, 0); v < width; v = bits_next(bits, width, v + 1)) {
        const int64_t *allocatable = t->table->variants[v].allocatable,
                      *overhead = overheads + (size_t)t->group_of[v] * full;
        bool dead = false;
        for (uint32_t d = 0; d < full; d++) dead = dead || allocatable[d] < overhead[d];
        for (uint32_t d = 0; d < s->vectors.dims; d++) {
            uint32_t c = s->vectors.columns[d];
            t->space[v * s->vectors.dims + d] = is_served(s, d) && allocatable[c] <= 0 ? MOST_UNITS
                                                                                       : allocatable[c] - overhead[c];
        }
        if (dead) bits_clear(bits, v);
    }
    mem_free(s->context, overheads, ((size_t)t->group_count + 1) * full * sizeof *overheads);
    return capacity_init(s, t);
}

/* ---- all templates ----------------------------------------------------------------------------------------------- */

static bool finish_template(scheduler *s, uint32_t number, uint64_t *bits, gathering *all)
{
    template_ *t = &s->templates.items[number];
    t->types_start = types_of_variants(t->table, bits, NULL);
    t->filtered = arena_copy(&s->data, bits, template_words(t) * sizeof *bits);
    if (t->filtered == NULL) return false;
    if (!daemon_groups(s, t, bits, all) || !compute_spaces(s, t, bits)) return false;
    t->initial = typeset_make(s, number, bits);
    return t->initial != NO_ID;
}

/* Daemons are checked against one template after the other, once all templates exist. */
static bool finish_templates(scheduler *s, uint64_t **bits)
{
    gathering all;
    bool ok = gathering_init(s, &all);
    for (uint32_t i = 0; ok && i < s->templates.count; i++) ok = finish_template(s, i, bits[i], &all);
    gathering_free(s, &all);
    return ok;
}

static bool make_templates(scheduler *s, const uint32_t *order, uint32_t count)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint64_t **bits = arena_array(&s->data, count + (size_t)1, sizeof *bits);
    s->templates.items = arena_array(&s->data, count + (size_t)1, sizeof *s->templates.items);
    s->templates.dropped = arena_array(&s->data, count + (size_t)1, sizeof *s->templates.dropped);
    if (bits == NULL || s->templates.items == NULL || s->templates.dropped == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        const node_pool *p = &snapshot->raw.pools.items[order[i]];
        template_ t = {
            .pool = order[i], .order = i, .taints = p->taints, .table_number = snapshot->pool_table[order[i]]
        };
        t.taints_id = taint_list_id(s, p->taints);
        for (uint32_t k = 0; k < p->taints.count; k++) {
            if (p->taints.items[k].effect == snapshot->known.prefer_no_schedule)
                s->settings.tolerate_prefer_no_schedule = true;
        }
        if (t.taints_id == NO_ID || !template_requirements(s, &t)) return false;
        if (t.table_number == NO_ID) {
            t.dropped_reason = KARP_REASON_NO_TEMPLATES;
            s->templates.dropped[s->templates.dropped_count++] = t;
            continue;
        }
        t.table = &snapshot->tables[t.table_number];
        uint64_t *left = pre_filter(s, &t);
        if (left == NULL) return false;
        if (t.dropped_reason != KARP_REASON_NONE) {
            s->templates.dropped[s->templates.dropped_count++] = t;
            continue;
        }
        bits[s->templates.count] = left;
        s->templates.items[s->templates.count++] = t;
    }
    return finish_templates(s, bits);
}

bool templates_init(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    words_init(&s->templates.taint_lists, s->context);
    uint32_t *order = arena_array(&s->data, snapshot->raw.pools.count + 1, sizeof *order), count = 0;
    if (order == NULL || !make_daemon_views(s)) return false;
    for (uint32_t i = 0; i < snapshot->raw.pools.count; i++) {
        if (pool_usable(snapshot, &snapshot->raw.pools.items[i])) order[count++] = i;
    }
    s->templates.usable_pools = count;
    return sort_ids(s->context, order, count, by_weight, snapshot) && make_templates(s, order, count);
}

bool template_of_static(scheduler *s, uint32_t pool, uint32_t *number)
{
    template_ *list = arena_array(&s->data, s->templates.count + (size_t)1, sizeof *list);
    if (list == NULL) return false;
    if (s->templates.count > 0) memcpy(list, s->templates.items, s->templates.count * sizeof *list);
    template_ *t = &list[s->templates.count];
    t->pool = pool;
    t->taints = s->snapshot->raw.pools.items[pool].taints;
    t->table_number = NO_ID;
    if (!template_requirements(s, t)) return false;
    s->templates.items = list;
    *number = s->templates.count++;
    return true;
}

bool template_daemons(scheduler *s, uint32_t number, const type_table *table, uint32_t type, resource_list *out)
{
    template_ t = s->templates.items[number];
    gathering all;
    t.table = table;
    bool ok = gathering_init(s, &all) && find_tolerated(s, &t, &all);
    for (uint32_t i = 0; ok && i < s->snapshot->daemon_count; i++) s->templates.daemons[i].first_term = 0;
    if (ok) {
        find_members(s, &t, type, &all);
        ok = gather_overhead(s, all.members, out) && !s->failed;
    }
    gathering_free(s, &all);
    return ok;
}

/* ---- taints ------------------------------------------------------------------------------------------------------ */

bool tolerates_prefer_no_schedule(const scheduler *s, toleration_list tolerations)
{
    for (uint32_t i = 0; i < tolerations.count; i++) {
        const toleration *t = &tolerations.items[i];
        if (t->op == KARP_TOLERATION_EXISTS && t->key == NO_TEXT && t->value == NO_TEXT && !t->has_seconds &&
            t->effect == s->snapshot->known.prefer_no_schedule) {
            return true;
        }
    }
    return false;
}

bool add_prefer_no_schedule(scheduler *s, toleration_list *tolerations)
{
    if (tolerates_prefer_no_schedule(s, *tolerations)) return true;
    toleration *items = arena_array(&s->data, tolerations->count + (size_t)1, sizeof *items);
    if (items == NULL) return mem_refused(&s->failed);
    if (tolerations->count > 0) memcpy(items, tolerations->items, tolerations->count * sizeof *items);
    items[tolerations->count] = (toleration){
        .key = NO_TEXT, .value = NO_TEXT, .effect = s->snapshot->known.prefer_no_schedule, .op = KARP_TOLERATION_EXISTS
    };
    *tolerations = (toleration_list){ items, tolerations->count + 1 };
    return true;
}
