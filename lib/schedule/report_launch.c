/* SPDX-License-Identifier: Apache-2.0 */
/* One launch as a row: its emitted requirements, labels, types, and the offering that its price comes from. */
#include <schedule/pricing.h>
#include <schedule/report.h>

#include <base/sort.h>
#include <schedule/scheduler.h>
#include <schedule/types.h>

/* A number as a list with one value. */
static bool bound_row(karp_decision *d, karp_requirement *row, int64_t bound)
{
    strbuf b = strbuf_on(d->context);
    strbuf_addi(&b, bound);
    karp_str *value = arena_items(&d->data, 1, sizeof *value), text;
    bool ok = strbuf_move(&b, &d->data, &text) && value != NULL;
    if (ok) *value = text;
    row->values = value;
    row->value_count = 1;
    return ok;
}

static bool value_rows(const scheduler *s, karp_decision *d, const requirement *r, karp_requirement *row)
{
    karp_str *values = arena_items(&d->data, r->value_count + (size_t)1, sizeof *values);
    if (values == NULL) return false;
    for (uint32_t i = 0; i < r->value_count; i++) values[i] = text_of(s->snapshot, r->values[i]);
    row->values = values;
    row->value_count = r->value_count;
    return true;
}

/* The rows of one requirement. For a NodeClaim, bounds are separate rows, and exclusions together with bounds are
 * lost. */
static bool requirement_rows(const scheduler *s, karp_decision *d, const requirement *r, bool of_claim,
                             karp_requirement *rows, size_t *n)
{
    karp_requirement row = { .key = text_of(s->snapshot, r->key),
                             .min_values = r->min_zero ? KARP_MIN_VALUES_ZERO : r->min_values };
    bool bounded = r->has_gte || r->has_lte;
    if (!bounded || !of_claim || (r->value_count > 0 && !quirk(s, 8))) {
        rows[*n] = row;
        rows[*n].op = requirement_op(r);
        if (!value_rows(s, d, r, &rows[(*n)++])) return false;
    }
    if (r->has_gte) {
        rows[*n] = row;
        rows[*n].op = KARP_OP_GTE;
        if (!bound_row(d, &rows[(*n)++], r->gte)) return false;
    }
    if (r->has_lte) {
        rows[*n] = row;
        rows[*n].op = KARP_OP_LTE;
        if (!bound_row(d, &rows[(*n)++], r->lte)) return false;
    }
    return true;
}

static const karp_requirement *set_rows(scheduler *s, karp_decision *d, uint32_t set, bool of_claim, size_t *count)
{
    const known_text *k = &s->snapshot->known;
    size_t n, kept = 0;
    (void)set_entries(&s->algebra, set, &n);
    uint32_t *ids = mem_alloc(s->context, (n + 1) * sizeof *ids);
    karp_requirement *rows = arena_items(&d->data, 3 * n + 1, sizeof *rows);
    bool ok = ids != NULL && rows != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        set_entry e = set_entries(&s->algebra, set, &n)[i];
        if (e.key != k->registered && e.key != k->initialized) ids[kept++] = e.requirement;
    }
    ok = ok && sort_ids(s->context, ids, kept, requirements_by_key, s);
    *count = 0;
    for (size_t i = 0; ok && i < kept; i++)
        ok = requirement_rows(s, d, requirement_get(&s->algebra, ids[i]), of_claim, rows, count);
    mem_free(s->context, ids, (n + 1) * sizeof *ids);
    return ok ? rows : NULL;
}

/* Adds the capacity types of the type's offerings that are compatible with the set. */
static uint32_t add_capacity_types(scheduler *s, const type_table *t, uint32_t type, uint32_t set, uint32_t *list,
                                   uint32_t n)
{
    const instance_type *y = &t->types[type];
    for (uint32_t o = y->offering_first; o < y->offering_first + y->offering_count; o++) {
        const offering *f = &t->offerings[o];
        bool known = !offering_launchable(s, f) || f->capacity_type == NO_ID || f->capacity_type == NO_TEXT;
        for (uint32_t c = 0; c < n && !known; c++) known = list[c] == f->capacity_type;
        if (!known && offering_compatible(s, f, set)) list[n++] = f->capacity_type;
    }
    return n;
}

/* Sorts the names of the types by text and returns their number. Uses the precomputed order of the table. */
static uint32_t names_by_text(const type_table *t, const launch_source *from, uint64_t *places, uint32_t *names)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < from->type_count; i++) bits_set(places, t->text_place[from->types[i]]);
    for (size_t i = 0; i < bits_words(t->type_count); i++) {
        for (uint64_t left = places[i]; left != 0; left &= left - 1)
            names[n++] = t->types[t->by_text[i * 64 + (size_t)__builtin_ctzll(left)]].name;
    }
    return n;
}

/* Restricts instance-type to the listed types, and capacity-type to those of their offerings. */
static uint32_t claim_set(scheduler *s, const launch_source *from)
{
    const known_text *k = &s->snapshot->known;
    const type_table *t = s->templates.items[from->template_].table;
    uint32_t set = from->set, n = 0;
    if (from->type_count == 0) return set;
    size_t words_ = bits_words(t->type_count) * sizeof(uint64_t);
    size_t bytes = words_ + ((size_t)from->type_count + t->capacity_type_count) * sizeof(uint32_t);
    uint64_t *places = mem_alloc(s->context, bytes);
    if (places == NULL) {
        s->failed = true;
        return set;
    }
    memset(places, 0, words_);
    uint32_t *names = (uint32_t *)(void *)((char *)places + words_), *capacity_types = names + from->type_count;
    uint32_t name_count = names_by_text(t, from, places, names);
    uint32_t most = capacity_types_offered(s, t, from->set);
    for (uint32_t i = 0; i < from->type_count && n < most; i++)
        n = add_capacity_types(s, t, from->types[i], from->set, capacity_types, n);
    uint32_t old = set_get(&s->algebra, set, k->instance_type);
    uint32_t least = old == NO_ID ? 0 : requirement_get(&s->algebra, old)->min_values;
    set = set_add(&s->algebra, set,
                  requirement_make(&s->algebra, k->instance_type, KARP_OP_IN, names, name_count, least));
    if (n > 0)
        set = set_add(&s->algebra, set,
                      requirement_make(&s->algebra, k->capacity_type, KARP_OP_IN, capacity_types, n, 0));
    mem_free(s->context, places, bytes);
    return set;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* The labels being built. */
struct labels {
    karp_label *items;
    size_t count;
};

static void put_label(struct labels *l, karp_str key, karp_str value)
{
    l->items[l->count++] = (karp_label){ key, value };
}

/* Sorts by key. Of several values for a key, the last one added is kept. */
static bool order_labels(scheduler *s, struct labels *l)
{
    size_t kept = 0;
    if (!sort_stable(s->context, l->items, l->count, sizeof *l->items, by_text, NULL)) return false;
    for (size_t i = 0; i < l->count; i++) {
        if (kept > 0 && equal_str(l->items[kept - 1].key, l->items[i].key)) kept--;
        l->items[kept++] = l->items[i];
    }
    l->count = kept;
    return true;
}

static void put_pairs(const scheduler *s, struct labels *l, label_list list)
{
    for (uint32_t i = 0; i < list.count; i++)
        put_label(l, text_of(s->snapshot, list.items[i].key), text_of(s->snapshot, list.items[i].value));
}

/* Labels that follow from the requirements: custom keys with a listed value. */
static void put_implied(scheduler *s, struct labels *l, uint32_t set, bool well_known_too)
{
    const known_text *k = &s->snapshot->known;
    size_t n;
    const set_entry *e = set_entries(&s->algebra, set, &n);
    for (size_t i = 0; i < n; i++) {
        const requirement *r = requirement_get(&s->algebra, e[i].requirement);
        if (e[i].key == k->registered || e[i].key == k->initialized || r->complement || r->value_count == 0) continue;
        if (!well_known_too && s->snapshot->facts.well_known[e[i].key]) continue;
        if (well_known_too && r->value_count != 1) continue;
        put_label(l, text_of(s->snapshot, e[i].key), text_of(s->snapshot, r->values[0]));
    }
}

static bool launch_labels(scheduler *s, karp_decision *d, const launch_source *from, karp_launch *row)
{
    const template_ *t = &s->templates.items[from->template_];
    const node_pool *p = &s->snapshot->raw.pools.items[t->pool];
    struct pool_words w = s->snapshot->pool_names[t->pool];
    size_t n;
    (void)set_entries(&s->algebra, from->set, &n);
    struct labels l = { arena_items(&d->data, p->template_labels.count + n + 3, sizeof *l.items), 0 };
    if (l.items == NULL) return false;
    put_pairs(s, &l, p->template_labels);
    put_label(&l, text_of(s->snapshot, s->snapshot->known.node_pool), text_of(s->snapshot, w.name));
    put_label(&l, text_of(s->snapshot, w.class_label), text_of(s->snapshot, p->class_name));
    put_implied(s, &l, from->set, false);
    if (!order_labels(s, &l)) return false;
    row->labels = l.items;
    row->label_count = l.count;
    return true;
}

static bool launch_annotations(scheduler *s, karp_decision *d, const launch_source *from, karp_launch *row)
{
    static const char hash[] = "karpenter.sh/nodepool-hash", version[] = "karpenter.sh/nodepool-hash-version";
    static const char relaxed[] = "karpenter.sh/nodeclaim-min-values-relaxed";
    const node_pool *p = &s->snapshot->raw.pools.items[s->templates.items[from->template_].pool];
    const type_table *t = s->templates.items[from->template_].table;
    struct labels l = {
        arena_items(&d->data, p->template_annotations.count + p->meta.annotations.count + (size_t)3, sizeof *l.items), 0
    };
    if (l.items == NULL) return false;
    put_pairs(s, &l, p->template_annotations);
    for (uint32_t i = 0; i < p->meta.annotations.count; i++) {
        karp_str key = text_of(s->snapshot, p->meta.annotations.items[i].key);
        if (equal_str(key, str(hash)) || equal_str(key, str(version)))
            put_label(&l, key, text_of(s->snapshot, p->meta.annotations.items[i].value));
    }
    put_label(&l, str(relaxed), str(from->relaxed_min_values ? "true" : "false"));
    bool priced = false, resized = false;
    for (uint32_t i = 0; i < from->type_count && t->overlaid; i++) {
        const instance_type *y = &t->types[from->types[i]];
        for (uint32_t o = 0; o < y->offering_count; o++)
            priced = priced || t->offerings[y->offering_first + o].price_from_overlay;
        resized = resized || y->capacity_from_overlay;
    }
    if (priced) put_label(&l, str("karpenter.sh/price-overlay-applied"), str("true"));
    if (resized) put_label(&l, str("karpenter.sh/capacity-overlay-applied"), str("true"));
    if (!order_labels(s, &l)) return false;
    row->annotations = l.items;
    row->annotation_count = l.count;
    return true;
}

/* ---- taints, choice ---------------------------------------------------------------------------------------------- */

static const karp_taint *taint_rows(const scheduler *s, karp_decision *d, taint_list list)
{
    karp_taint *rows = arena_items(&d->data, list.count + (size_t)1, sizeof *rows);
    for (uint32_t i = 0; i < list.count && rows != NULL; i++) {
        rows[i] = (karp_taint){ text_of(s->snapshot, list.items[i].key), text_of(s->snapshot, list.items[i].value),
                                text_of(s->snapshot, list.items[i].effect) };
    }
    return rows;
}

static karp_choice choice_of(const karp_snapshot *s, const type_table *t, uint32_t type, uint32_t best)
{
    const offering *o = &t->offerings[best];
    return (karp_choice){ text_of(s, t->types[type].name), text_or_none(s, o->zone), text_or_none(s, o->capacity_type),
                          o->price };
}

/* The offering that would be launched if the chosen type were not available. */
static karp_choice runner_up(scheduler *s, const launch_source *from)
{
    static const karp_str nothing = { "", 0 };
    const type_table *t = s->templates.items[from->template_].table;
    uint32_t best;
    bool wanted = s->settings.options->explain != KARP_EXPLAIN_NONE && from->type_count > 1;
    if (!wanted || !cheapest_offering(s, t, from->types[1], from->set, &best))
        return (karp_choice){ nothing, nothing, nothing, 0 };
    return choice_of(s->snapshot, t, from->types[1], best);
}

bool report_choice(scheduler *s, karp_decision *d, const type_table *t, const offering *o, karp_launch *row)
{
    const karp_snapshot *snapshot = s->snapshot;
    const instance_type *y = &t->types[o->type];
    row->choice = choice_of(snapshot, t, o->type, (uint32_t)(o - t->offerings));
    row->list_price = o->price_from_overlay ? o->list_price : 0;
    size_t types, offers;
    (void)set_entries(&s->algebra, y->set, &types);
    (void)set_entries(&s->algebra, o->set, &offers);
    struct labels l = { arena_items(&d->data, types + offers + 1, sizeof *l.items), 0 };
    if (l.items == NULL) return false;
    put_implied(s, &l, y->set, true);
    put_implied(s, &l, o->set, true);
    if (!order_labels(s, &l)) return false;
    row->choice_labels = l.items;
    row->choice_label_count = l.count;
    row->capacity = resource_rows(snapshot, &d->data, y->capacity_list, &row->capacity_count);
    row->allocatable = resource_rows(snapshot, &d->data, y->allocatable_list, &row->allocatable_count);
    return row->capacity != NULL && row->allocatable != NULL;
}

/* The offering that the launch's price comes from; NO_ID = there is none. A launch that holds no reservation although
 * there are some is one of a simulation that does without: others hold the instances that are free. */
static uint32_t launch_offering(scheduler *s, const type_table *t, const launch_source *from)
{
    uint32_t best, chosen = NO_ID;
    bool holds = s->snapshot->raw.reservation_id != NO_TEXT &&
                 set_get(&s->algebra, from->set, s->snapshot->facts.normalized[s->snapshot->raw.reservation_id]) !=
                     NO_ID;
    for (uint32_t i = 0; t->has_reservations && !holds && i < from->type_count; i++) {
        if (!cheapest_left(s, t, from->types[i], from->set, &best)) continue;
        if (chosen == NO_ID || t->offerings[best].price < t->offerings[chosen].price) chosen = best;
    }
    if (chosen == NO_ID) (void)cheapest_offering(s, t, from->types[0], from->set, &chosen);
    return chosen;
}

/* The offering that the launch's price comes from, and the properties of such a node. */
static bool launch_choice(scheduler *s, karp_decision *d, const launch_source *from, karp_launch *row)
{
    static const karp_str nothing = { "", 0 };
    row->choice = (karp_choice){ nothing, nothing, nothing, 0 };
    row->list_price = 0;
    row->runner_up = runner_up(s, from);
    if (from->type_count == 0) return true;
    const type_table *t = s->templates.items[from->template_].table;
    uint32_t chosen = launch_offering(s, t, from);
    return chosen == NO_ID || report_choice(s, d, t, &t->offerings[chosen], row);
}

/* The row is the last of the decision. */
static bool launch_id(karp_decision *d, karp_launch *row)
{
    char text[4 + 20] = "new-";
    size_t length = 4 + write_digits(text + 4, d->launches.count);
    row->id = (karp_str){ arena_string(&d->data, text, length), length };
    return row->id.ptr != NULL;
}

static bool launch_types(const scheduler *s, karp_decision *d, const launch_source *from, karp_launch *row)
{
    karp_str *names = arena_items(&d->data, from->type_count + (size_t)1, sizeof *names);
    const type_table *t = s->templates.items[from->template_].table;
    if (names == NULL) return false;
    for (uint32_t i = 0; i < from->type_count; i++) names[i] = text_of(s->snapshot, t->types[from->types[i]].name);
    row->instance_types = names;
    row->instance_type_count = from->type_count;
    return true;
}

/* Launches with equal template, requirements and types share all rows except pods and requests. */
static uint32_t find_like(scheduler *s, const launch_source *from)
{
    if (from->list != 0) { /* no type has the number NO_ID */
        uint32_t few[] = { from->template_, from->set, from->relaxed_min_values, NO_ID, from->list };
        uint32_t listed = words_add(&s->launches.keys, few, sizeof few / sizeof *few);
        if (listed == NO_ID) s->failed = true;
        return listed;
    }
    size_t length = 3 + (size_t)from->type_count;
    uint32_t *key = mem_alloc(s->context, length * sizeof *key);
    if (key == NULL) return mem_refused_id(&s->failed);
    key[0] = from->template_;
    key[1] = from->set;
    key[2] = from->relaxed_min_values;
    if (from->type_count > 0) memcpy(key + 3, from->types, from->type_count * sizeof *key);
    uint32_t id = words_add(&s->launches.keys, key, length);
    mem_free(s->context, key, length * sizeof *key);
    if (id == NO_ID) s->failed = true;
    return id;
}

/* Fills everything that does not depend on the pods. */
static bool fill_shared(scheduler *s, karp_decision *d, const launch_source *from, karp_launch *row)
{
    const karp_snapshot *snapshot = s->snapshot;
    const node_pool *p = &snapshot->raw.pools.items[s->templates.items[from->template_].pool];
    row->node_pool = name_of(snapshot, p->meta.name);
    row->node_class = (karp_node_class_ref){ text_of(snapshot, p->class_group), text_of(snapshot, p->class_kind),
                                             text_of(snapshot, p->class_name) };
    row->expire_after = p->expire_after;
    row->termination_grace_period = p->termination_grace_period;
    row->requirements = set_rows(s, d, from->set, false, &row->requirement_count);
    row->claim_requirements = set_rows(s, d, claim_set(s, from), true, &row->claim_requirement_count);
    row->taints = taint_rows(s, d, p->taints);
    row->taint_count = p->taints.count;
    row->startup_taints = taint_rows(s, d, p->startup_taints);
    row->startup_taint_count = p->startup_taints.count;
    return row->requirements != NULL && row->claim_requirements != NULL && row->taints != NULL &&
           row->startup_taints != NULL && launch_types(s, d, from, row) && launch_labels(s, d, from, row) &&
           launch_annotations(s, d, from, row) && launch_choice(s, d, from, row);
}

static bool add_drivers(scheduler *s, karp_decision *d, karp_str drivers, karp_launch *row)
{
    struct labels l = { arena_items(&d->data, row->annotation_count + 1, sizeof *l.items), row->annotation_count };
    if (l.items == NULL) return false;
    memcpy(l.items, row->annotations, row->annotation_count * sizeof *l.items);
    put_label(&l, str("karpenter.sh/requested-dra-drivers"), drivers);
    if (!order_labels(s, &l)) return false;
    row->annotations = l.items;
    row->annotation_count = l.count;
    return true;
}

/* Fills everything but the pods, the id and the drivers. The row is the last of the decision. */
static bool fill_row(scheduler *s, karp_decision *d, const launch_source *from, karp_launch *row)
{
    bool ok = true, own = from->drivers.len > 0; /* rows with an annotation of their own are not shared */
    uint32_t like = own ? NO_ID : find_like(s, from);
    if (s->failed) return false;
    if (own) {
        ok = fill_shared(s, d, from, row);
    } else if (like < s->launches.firsts.count) {
        *row = d->launches.items[s->launches.firsts.items[like]];
    } else {
        uint32_t *slot = list_push(s->context, &s->launches.firsts, sizeof *slot);
        ok = slot != NULL && fill_shared(s, d, from, row);
        if (ok) *slot = (uint32_t)(d->launches.count - 1);
    }
    row->requests = ok ? resource_rows(s->snapshot, &d->data, from->requests, &row->request_count) : NULL;
    return row->requests != NULL;
}

bool report_launch(scheduler *s, karp_decision *d, const launch_source *from)
{
    karp_launch *row = list_push(d->context, &d->launches, sizeof *row);
    if (row == NULL) return false;
    if (from->same_as > 0) {
        *row = d->launches.items[from->same_as - 1];
    } else {
        *row = (karp_launch){ .size = sizeof *row };
        if (!fill_row(s, d, from, row)) return false;
    }
    row->pods = from->pods;
    row->pod_count = from->pod_count;
    return launch_id(d, row) && (from->drivers.len == 0 || add_drivers(s, d, from->drivers, row)) && !s->failed &&
           !s->algebra.failed;
}
