/* SPDX-License-Identifier: Apache-2.0 */
/* Topology groups: their identity, the pods they select, their owners. */
#include <schedule/scheduler.h>
#include <model/taints.h>
#include <schedule/topology.h>

#include <base/sort.h>
#include <schedule/filters.h>
#include <schedule/label_groups.h>
#include <schedule/rounds.h>
#include <schedule/templates.h>

/* Distinguishes kinds of parts that are interned in one table. */
enum part {
    PART_GROUP = 1,
    PART_EXPRESSION,
    PART_TOLERATION,
    PART_TOLERATIONS,
    PART_FILTER,
    PART_SELECTOR,
    PART_WHOLE,
    PART_NAMESPACES,
    PART_NAMESPACES_SELECTED
};

/* An array of words under construction: the end of topology.parts, from `base` on. Its own parts are built after it
 * and removed before it continues. */
typedef struct key_words {
    scheduler *s;
    size_t base;
} key_words;

static key_words words_begin(scheduler *s) { return (key_words){ s, s->topology.parts.count }; }
static size_t words_so_far(const key_words *k) { return k->s->topology.parts.count - k->base; }

static void put(key_words *k, uint32_t word)
{
    scheduler *s = k->s;
    bool full = s->topology.parts.count == s->topology.parts.capacity;
    if (full && !list_reserve(s->context, &s->topology.parts, sizeof word)) s->failed = true;
    else s->topology.parts.items[s->topology.parts.count++] = word;
}

static uint32_t intern(key_words *k)
{
    scheduler *s = k->s;
    uint32_t id = s->failed ? NO_ID
                            : words_add(&s->topology.group_keys, s->topology.parts.items + k->base, words_so_far(k));
    if (id == NO_ID) s->failed = true;
    s->topology.parts.count = k->base;
    return id;
}

/* Sorts words[from…]. Equal ones cancel in pairs (the peer's exclusive or), or are merged (a set). */
static void settle(key_words *k, size_t from, bool cancel)
{
    size_t n = words_so_far(k) - from, kept = 0;
    if (k->s->failed || n == 0) return;
    uint32_t *w = k->s->topology.parts.items + k->base + from;
    if (!sort_numbers(k->s->context, w, n)) {
        k->s->failed = true;
        return;
    }
    for (size_t i = 0; i < n;) {
        size_t same = i;
        while (same < n && w[same] == w[i]) same++;
        if (!cancel || (same - i) % 2 == 1) w[kept++] = w[i];
        i = same;
    }
    k->s->topology.parts.count = k->base + from + kept;
}

/* FNV-1, the peer's hash of texts. */
static uint64_t text_hash(karp_str text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.len; i++) h = (h * UINT64_C(0x100000001b3)) ^ (unsigned char)text.ptr[i];
    return h;
}

/* The peer combines the hashes of values by exclusive or. So equal values cancel, and v1 with v2 is the same as v0
 * with v3. */
static uint32_t expression_part(scheduler *s, uint32_t key, uint32_t op, const uint32_t *values, uint32_t count,
                                bool full)
{
    key_words k = words_begin(s);
    uint64_t all = 0;
    put(&k, PART_EXPRESSION);
    put(&k, key);
    put(&k, op);
    for (uint32_t i = 0; i < count && full; i++) put(&k, values[i]);
    settle(&k, 3, false);
    for (uint32_t i = 0; i < count && !full; i++) all ^= text_hash(text_of(s->snapshot, values[i]));
    if (!full) put(&k, (uint32_t)all);
    if (!full) put(&k, (uint32_t)(all >> 32));
    return intern(&k);
}

static uint32_t make_selector_part(scheduler *s, const group *g, bool full)
{
    key_words k = words_begin(s);
    put(&k, PART_SELECTOR);
    put(&k, g->selects == NULL);
    if (g->selects != NULL) {
        put(&k, g->selects->labels.count);
        for (uint32_t i = 0; i < g->selects->labels.count; i++) {
            put(&k, g->selects->labels.items[i].key);
            put(&k, g->selects->labels.items[i].value);
        }
        size_t from = words_so_far(&k);
        for (uint32_t i = 0; i < g->selects->expressions.count; i++) {
            const expression *e = &g->selects->expressions.items[i];
            put(&k, expression_part(s, e->key, e->op, e->values, e->value_count, full));
        }
        for (uint32_t i = 0; i < g->extra.count; i++)
            put(&k, expression_part(s, g->extra.items[i].key, KARP_OP_IN, &g->extra.items[i].value, 1, full));
        settle(&k, from, false);
    }
    return intern(&k);
}

static uint32_t selector_part(scheduler *s, const group *g, bool full)
{
    if (g->selection == NULL) return make_selector_part(s, g, full);
    uint32_t *known = &g->selection->identities[full];
    if (*known == 0) *known = make_selector_part(s, g, full) + 1;
    return *known - 1;
}

static uint32_t toleration_part(scheduler *s, const toleration *t)
{
    key_words k = words_begin(s);
    const uint32_t w[] = { PART_TOLERATION,
                           t->key,
                           t->value,
                           t->effect,
                           t->op,
                           t->has_seconds,
                           (uint32_t)(uint64_t)t->seconds,
                           (uint32_t)((uint64_t)t->seconds >> 32) };
    for (size_t i = 0; i < sizeof w / sizeof *w; i++) put(&k, w[i]);
    return intern(&k);
}

/* Cached because each step of a ladder has the same tolerations. */
static uint32_t tolerations_part(scheduler *s, toleration_list list, bool cancel)
{
    struct last_tolerations *last = &s->topology.last_tolerations[cancel];
    if (last->items == list.items && list.count > 0) return last->identity; /* the address identifies a list */
    key_words k = words_begin(s);
    put(&k, PART_TOLERATIONS);
    for (uint32_t i = 0; i < list.count; i++) put(&k, toleration_part(s, &list.items[i]));
    settle(&k, 1, cancel);
    *last = (struct last_tolerations){ list.items, intern(&k) };
    return last->identity;
}

static uint32_t filter_part(scheduler *s, const group *g, bool full)
{
    key_words k = words_begin(s);
    put(&k, PART_FILTER);
    if (g->has_filter) {
        const node_filter *f = &g->filter;
        put(&k, (uint32_t)f->honor_affinity | ((uint32_t)f->honor_taints << 1));
        if (full) put(&k, (uint32_t)g->min_domains);
        put(&k, tolerations_part(s, f->tolerations, !full));
        put(&k, filter_identity(s, f, full));
    }
    return intern(&k);
}

/* With `full`, everything is part of the identity. The peer's identity leaves out parts of the filter and minDomains,
 * and confuses some values. */
static uint32_t group_identity(scheduler *s, const group *g, bool full)
{
    key_words k = words_begin(s);
    uint32_t parts[] = { PART_GROUP,
                         g->kind,
                         g->inverse,
                         s->topology.keys[g->key].key,
                         (uint32_t)g->max_skew,
                         selector_part(s, g, full),
                         filter_part(s, g, full) };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) put(&k, parts[i]);
    put(&k, g->namespace_count);
    put(&k, g->namespace_count == 1 ? g->namespaces[0] : g->namespace_list);
    return intern(&k);
}

bool group_in_namespace(const group *g, uint32_t name_space)
{
    return g->namespace_count == 1 ? g->namespaces[0] == name_space
                                   : numbers_have(g->namespaces, g->namespace_count, name_space);
}

bool group_selects(const scheduler *s, const group *g, const label_group *k)
{
    if (g->selects == NULL || !group_in_namespace(g, k->name_space)) return false;
    if (g->selection != NULL && g->selection->label_groups != NULL)
        return numbers_have(g->selection->label_groups, g->selection->label_group_count,
                            (uint32_t)(k - s->topology.label_groups.items));
    label_list labels = label_group_labels(s, k);
    for (uint32_t i = 0; i < g->extra.count; i++) {
        if (label_get(labels, g->extra.items[i].key) != g->extra.items[i].value) return false;
    }
    return selector_selects(g->selects, labels);
}

/* ---- making groups ----------------------------------------------------------------------------------------------- */

static bool push_id(scheduler *s, uint32_t **items, uint32_t *count, uint32_t *capacity, uint32_t id)
{
    size_t grown = *capacity;
    void *list = *items;
    if (!grow(s->context, &list, &grown, *count + (size_t)1, sizeof **items)) return mem_refused(&s->failed);
    *items = list;
    *capacity = (uint32_t)grown;
    (*items)[(*count)++] = id;
    return true;
}

/* The domains that a group knows initially: those whose taints the creating pod tolerates, unless taints are
 * ignored. Affinity and anti-affinity have no policy for this, and the peer then honours taints. */
static bool initial_domains(scheduler *s, group *g, toleration_list tolerations)
{
    const domain_key *k = &s->topology.keys[g->key];
    bool honor = g->has_filter ? g->filter.honor_taints : quirk(s, 4);
    if (k->is_host) return true;
    for (uint32_t i = 0; i < k->universe_count; i++) {
        const struct universe_domain *d = &k->universe[i];
        bool open = !honor;
        for (uint32_t t = 0; t < d->taint_count && !open; t++) {
            const struct words_entry *e = &s->templates.taint_lists.entries[d->taint_ids[t]];
            open = taints_tolerated(s->snapshot, tolerations,
                                    (taint_list){ (const taint *)(const void *)e->ptr, e->count / 3 });
        }
        if (open) group_register(s, g, d->number);
    }
    return !s->failed;
}

static bool list_selected(scheduler *s, const group *g)
{
    spread_selection *x = g->selection;
    if (g->selects == NULL || x->label_groups != NULL) return true;
    label_group_list near = label_groups_for(s, g);
    uint32_t *list = arena_array(&s->data, near.count + (size_t)1, sizeof *list);
    if (list == NULL) return mem_refused(&s->failed);
    for (uint32_t i = 0; i < near.count; i++) {
        if (group_selects(s, g, &s->topology.label_groups.items[label_group_list_at(near, i)]))
            list[x->label_group_count++] = label_group_list_at(near, i);
    }
    x->label_groups = list;
    return true;
}

static bool introduce_to_label_groups(scheduler *s, uint32_t number)
{
    const group *g = &s->topology.groups.items[number];
    label_group_list near = label_groups_for(s, g);
    for (uint32_t i = 0; i < near.count; i++) {
        label_group *k = &s->topology.label_groups.items[label_group_list_at(near, i)];
        if (!scheduler_worked(s, 64)) return false;
        if (!group_counts(s, g, k)) continue;
        bool ok = !g->inverse         ? push_id(s, &k->counted_by, &k->counted_count, &k->counted_capacity, number)
                  : g->wider != NO_ID ? push_id(s, &k->spared_by, &k->spared_count, &k->spared_capacity, number)
                                      : push_id(s, &k->barred_by, &k->barred_count, &k->barred_capacity, number);
        if (!ok) return false;
        if (g->inverse && !g->host) k->barred_elsewhere = true;
    }
    return !s->failed;
}

/* Whether some domain of the key is only available with taints. */
static bool some_tainted(const scheduler *s, const domain_key *d)
{
    for (uint32_t i = 0; i < d->universe_count; i++) {
        for (uint32_t t = 0; t < d->universe[i].taint_count; t++) {
            if (s->templates.taint_lists.entries[d->universe[i].taint_ids[t]].count > 0) return true;
        }
    }
    return false;
}

/* Everything in which two creators of a group can differ: the full identity, and their tolerations if these determine
 * the initial domains. */
static uint32_t whole_identity(scheduler *s, const group *g, toleration_list tolerations)
{
    key_words k = words_begin(s);
    bool matter = some_tainted(s, &s->topology.keys[g->key]);
    put(&k, PART_WHOLE);
    put(&k, group_identity(s, g, true));
    if (matter) put(&k, tolerations_part(s, tolerations, false));
    return intern(&k);
}

uint32_t group_obtain(scheduler *s, group *wanted, toleration_list tolerations)
{
    uint32_t identity = group_identity(s, wanted, !quirk(s, 3) || wanted->kind == GROUP_WIDE);
    if (identity == NO_ID) return NO_ID;
    uint32_t number = map64_get(&s->topology.group_of_identity, identity);
    wanted->whole = s->settings.simulation ? whole_identity(s, wanted, tolerations) : NO_ID;
    if (number != NO_ID) {
        if (s->topology.groups.items[number].whole != wanted->whole) s->topology.conflated = true;
        return number;
    }
    wanted->host = s->topology.keys[wanted->key].is_host;
    wanted->selective = wanted->has_filter && filter_selective(&wanted->filter);
    wanted->version = 1; /* 0 marks empty cache entries */
    if (!group_widen(s, wanted, tolerations)) return NO_ID;
    number = (uint32_t)s->topology.groups.count;
    group *g = list_push(s->context, &s->topology.groups, sizeof *g);
    if (g == NULL || !map64_put(&s->topology.group_of_identity, identity, number)) return mem_refused_id(&s->failed);
    *g = *wanted;
    /* If there are several steps of a ladder, the selected label groups are listed once for all. */
    if (g->selection != NULL && g->filter.terms->count > 1 && g->wider == NO_ID && !list_selected(s, g)) return NO_ID;
    bool ok = initial_domains(s, g, tolerations) && (g->inverse || topology_seed(s, number)) &&
              introduce_to_label_groups(s, number) && round_withhold(s, number);
    /* A group that is created during a round does not count what the round has already placed. A group kept
     * from an earlier round would count it. */
    if (s->round.solving && !g->inverse) {
        if (!quirk(s, 5)) topology_count_placed(s, number);
        else if (s->settings.simulation) s->topology.conflated = true;
    }
    return ok && !s->failed ? number : NO_ID;
}

static void put_namespaces(key_words *k, const pod_term *t, uint32_t own)
{
    for (uint32_t i = 0; i < t->namespace_count; i++) put(k, t->namespaces[i]);
    if (t->namespace_selector == NULL && t->namespace_count == 0) put(k, own);
}

/* The namespaces that are listed, and those whose labels the term selects. */
static uint32_t list_namespaces(scheduler *s, const pod_term *t, uint32_t own)
{
    const store *raw = &s->snapshot->raw;
    key_words k = words_begin(s);
    put(&k, PART_NAMESPACES);
    put_namespaces(&k, t, own);
    for (size_t i = 0; t->namespace_selector != NULL && i < raw->namespaces.count; i++) {
        if (!selector_selects(t->namespace_selector, raw->namespaces.items[i].labels)) continue;
        karp_str name = name_of(s->snapshot, raw->namespaces.items[i].name);
        put(&k, strings_find(&raw->text, name.ptr, name.len));
    }
    settle(&k, 1, false);
    return intern(&k);
}

/* All namespaces are visited once for each distinct selector. */
static uint32_t list_selected_namespaces(scheduler *s, const pod_term *t, uint32_t own)
{
    group asking = { .selects = t->namespace_selector };
    key_words k = words_begin(s);
    put(&k, PART_NAMESPACES_SELECTED);
    put_namespaces(&k, t, own);
    settle(&k, 1, false);
    put(&k, make_selector_part(s, &asking, true));
    uint32_t selected_key = intern(&k),
             list = s->failed ? NO_ID : map64_get(&s->topology.namespace_lists, selected_key);
    if (list != NO_ID || s->failed) return list;
    list = list_namespaces(s, t, own);
    if (list != NO_ID && !map64_put(&s->topology.namespace_lists, selected_key, list)) s->failed = true;
    return list;
}

static bool namespaces_of_term(scheduler *s, const pod_term *t, uint32_t own, group *g)
{
    g->namespace_list = t->namespace_selector == NULL ? list_namespaces(s, t, own)
                                                      : list_selected_namespaces(s, t, own);
    if (s->failed) return false;
    const struct words_entry *list = &s->topology.group_keys.entries[g->namespace_list];
    g->namespaces = list->ptr + 1; /* after the kind of part */
    g->namespace_count = list->count - 1;
    return true;
}

static uint32_t group_of_term(scheduler *s, const pod_term *t, uint8_t kind, bool inverse, uint32_t own,
                              toleration_list tolerations)
{
    group g = { .kind = kind, .inverse = inverse, .max_skew = INT32_MAX, .selects = t->label_selector };
    g.key = domain_key_of(s, t->topology_key);
    if (g.key == NO_ID || !namespaces_of_term(s, t, own, &g)) return NO_ID;
    return group_obtain(s, &g, tolerations);
}

static bool match_labels(scheduler *s, const view *v, const spread_constraint *c, label_list *out)
{
    const label_group *k = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    label_pair *extra = arena_array(&s->data, c->match_label_key_count + (size_t)1, sizeof *extra);
    if (extra == NULL) return mem_refused(&s->failed);
    for (uint32_t i = 0; i < c->match_label_key_count; i++) {
        uint32_t value = label_get(label_group_labels(s, k), c->match_label_keys[i]);
        if (value != NO_ID) extra[out->count++] = (label_pair){ c->match_label_keys[i], value };
    }
    out->items = extra;
    return true;
}

/* For the n-th constraint. NULL = out of memory. */
static spread_selection *selection_of(scheduler *s, const view *v, uint32_t n)
{
    class_state *class_ = &s->pods.classes[v->class_];
    if (class_->selections == NULL)
        class_->selections = arena_array(&s->data, v->spread.count, sizeof *class_->selections);
    if (class_->selections == NULL) return mem_refused_null(&s->failed);
    spread_selection *x = &class_->selections[n];
    return x->extra.items != NULL || match_labels(s, v, &v->spread.items[n], &x->extra) ? x : NULL;
}

static uint32_t group_of_spread(scheduler *s, const view *v, uint32_t n)
{
    const spread_constraint *c = &v->spread.items[n];
    const pod_class *class_ = &s->snapshot->classes[v->class_];
    group g = { .kind = GROUP_SPREAD,
                .max_skew = c->max_skew,
                .min_domains = c->min_domains,
                .has_filter = true,
                .selects = c->label_selector };
    g.key = domain_key_of(s, c->topology_key);
    g.selection = selection_of(s, v, n);
    if (g.key == NO_ID || g.selection == NULL) return NO_ID;
    g.extra = g.selection->extra;
    g.namespaces = &class_->name_space;
    g.namespace_count = 1;
    toleration_list tolerations = v->tolerations;
    if (!quirk(s, 5) && s->settings.tolerate_prefer_no_schedule && !add_prefer_no_schedule(s, &tolerations))
        return NO_ID;
    /* Karpenter uses the remaining terms, and therefore has a different group for each step of the ladder.
     * Without the quirk the filter does not depend on the step. */
    g.filter = (node_filter){ .honor_affinity = c->honor_affinity,
                              .honor_taints = c->honor_taints,
                              .tolerations = tolerations,
                              .terms = filter_terms_of(s, v->class_),
                              .first = quirk(s, 5) ? v->required_first : 0 };
    return g.filter.terms != NULL ? group_obtain(s, &g, tolerations) : NO_ID;
}

/* ---- owners ------------------------------------------------------------------------------------------------------ */

bool owns_inverse(const class_state *c, uint32_t number)
{
    return ids_have(c->inverse_owned, c->inverse_count, number);
}

bool topology_register_inverse(scheduler *s, uint32_t class_number, toleration_list tolerations)
{
    class_state *c = &s->pods.classes[class_number];
    const pod_class *class_ = &s->snapshot->classes[class_number];
    const shape *h = shape_of(s->snapshot, class_number);
    if (c->registered) return true;
    c->registered = true;
    c->inverse_owned = arena_array(&s->data, h->required_anti.count + (size_t)1, sizeof *c->inverse_owned);
    if (c->inverse_owned == NULL) return mem_refused(&s->failed);
    for (uint32_t i = 0; i < h->required_anti.count; i++) {
        uint32_t number = group_of_term(s, &h->required_anti.items[i], GROUP_ANTI, true, class_->name_space,
                                        tolerations);
        if (number == NO_ID) return false;
        if (!owns_inverse(c, number)) c->inverse_owned[c->inverse_count++] = number;
    }
    return true;
}

/* The list has space for every term. A group that occurs again in one update is already in it. */
static bool own(scheduler *s, uint32_t view_number, uint32_t group_number)
{
    view *v = &s->pods.views.items[view_number];
    if (group_number == NO_ID) return false;
    group *g = &s->topology.groups.items[group_number];
    if (g->owner == s->topology.updates) return true;
    g->owner = s->topology.updates;
    struct owned_group *o = &v->owned[v->owned_count++];
    *o = (struct owned_group){ .group = group_number, .host = g->host };
    o->self = group_selects(s, g, &s->topology.label_groups.items[s->pods.classes[v->class_].label_group]);
    o->most = g->kind == GROUP_SPREAD ? g->max_skew - (o->self ? 1 : 0) : 0;
    v->elsewhere = v->elsewhere || !g->host;
    return true;
}

/* Preferences are relaxed one by one. The groups of those that remain are looked up once (`known`; NULL for terms
 * that are never relaxed). */
static bool own_terms(scheduler *s, uint32_t view_number, pod_term_list list, uint8_t kind, uint32_t *known)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const view *v = &s->pods.views.items[view_number];
        uint32_t space = s->snapshot->classes[v->class_].name_space, number = known != NULL ? known[i] : NO_ID;
        if (number == NO_ID) number = group_of_term(s, &list.items[i], kind, false, space, v->tolerations);
        if (known != NULL) known[i] = number;
        if (!own(s, view_number, number)) return false;
    }
    return true;
}

bool topology_update(scheduler *s, uint32_t view_number)
{
    if (s->pods.views.items[view_number].updated) return true;
    view v =
        /* a copy: creating groups does not move views, but this keeps the lists stable */
        s->pods.views.items[view_number];
    const shape *h = shape_of(s->snapshot, v.class_);
    s->pods.views.items[view_number].updated = true;
    if (!topology_register_inverse(s, v.class_, v.tolerations)) return false;
    size_t most = (size_t)v.spread_count + h->required_affinity.count + v.preferred_affinity.count +
                  h->required_anti.count + v.preferred_anti.count;
    s->pods.views.items[view_number].owned = arena_array(&s->data, most + 1, sizeof *v.owned);
    if (s->pods.views.items[view_number].owned == NULL) return mem_refused(&s->failed);
    s->topology.updates++;
    for (uint32_t i = 0; i < v.spread_count; i++) {
        const spread_constraint *c = &v.spread.items[v.spread_left[i]];
        uint32_t *known = &v.spread_groups[v.spread_left[i]];
        if (c->schedule_anyway && s->settings.ignore_preferences) continue;
        if (*known == NO_ID) *known = group_of_spread(s, &v, v.spread_left[i]);
        if (!own(s, view_number, *known)) return false;
    }
    static const pod_term_list none = { NULL, 0 };
    return own_terms(s, view_number, h->required_affinity, GROUP_AFFINITY, NULL) &&
           own_terms(s, view_number, s->settings.ignore_preferences ? none : v.preferred_affinity, GROUP_AFFINITY,
                     v.affinity_groups) &&
           own_terms(s, view_number, h->required_anti, GROUP_ANTI, NULL) &&
           own_terms(s, view_number, s->settings.ignore_preferences ? none : v.preferred_anti, GROUP_ANTI,
                     v.anti_groups);
}
