/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/relaxed.h>

#include <model/taints.h>
#include <schedule/placement.h>
#include <schedule/scheduler.h>
#include <schedule/types.h>
#include <schedule/views.h>
#include <string.h>

/* Where pods can be placed: pods with the same sign can be placed on the same rows. */
typedef struct sign {
    uint32_t class_, step;
} sign;

typedef struct maker {
    scheduler *s;
    arena *a;
    relaxed *out;
    const uint16_t *steps;
    bool any_step; /* pods may have relaxed everything that the ladder allows */
    /* some pod makes a label known by excluding a value of it, so that other pods may require the label */
    bool lenient;
    uint64_t *excluded; /* bits by key: some pod excludes values of it */
    words keys, signs; /* keys of classes; keys of signs */
    map64 known; /* (snapshot class, step) -> class */
    LIST_OF(sign) sign_list;
    LIST_OF(uint32_t) sign_of; /* by class */
    LIST_OF(uint32_t) samples; /* by class */
    LIST_OF(int64_t) counts, bought, limits;
    uint64_t *reach; /* [sign * bits_words(rows)]: rows on which its pods can be placed */
} maker;

static bool push_number(maker *k, void *list, size_t bytes, const void *value)
{
    void *slot = list_push(k->s->context, list, bytes);
    if (slot != NULL) memcpy(slot, value, bytes);
    return slot != NULL;
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

/* The view of the class after all relaxation steps; NO_ID = out of memory. */
static uint32_t last_view(scheduler *s, uint32_t number)
{
    uint32_t next = number;
    while (number != NO_ID && next != LAST_VIEW) {
        number = next;
        if (number != NO_ID) next = view_relax(s, number);
    }
    return number;
}

static void note_excluded(maker *k, uint32_t set)
{
    size_t n;
    const set_entry *entries = set_entries(&k->s->algebra, set, &n);
    for (size_t i = 0; i < n; i++) {
        const requirement *r = requirement_get(&k->s->algebra, entries[i].requirement);
        if (r->complement && r->value_count > 0) bits_set(k->excluded, entries[i].key);
    }
}

/* The requirements without those that other pods of the node can weaken: Exists, or a bound, combined with NotIn is
 * NotIn, which a missing label satisfies as well. */
static uint32_t required_beside_others(maker *k, uint32_t set)
{
    size_t n;
    uint32_t left = set;
    const set_entry *entries = set_entries(&k->s->algebra, set, &n);
    for (size_t i = 0; i < n; i++) {
        const requirement *r = requirement_get(&k->s->algebra, entries[i].requirement);
        bool open = r->complement && r->value_count == 0;
        uint32_t key = entries[i].key;
        if (!open || !bits_test(k->excluded, key)) continue;
        left = set_remove(&k->s->algebra, left, key);
        entries = set_entries(&k->s->algebra, set, &n); /* the entries may have moved */
    }
    return left;
}

static bool excludes_unknown(const scheduler *s, uint32_t set)
{
    size_t n;
    const set_entry *entries = set_entries(&s->algebra, set, &n);
    for (size_t i = 0; i < n; i++) {
        const requirement *r = requirement_get(&s->algebra, entries[i].requirement);
        if (!s->algebra.facts->well_known[entries[i].key] && (r->complement || r->value_count == 0)) return true;
    }
    return false;
}

/* The sign: requirements and tolerations at every step up to the last, and volumes. */
static uint32_t sign_number(maker *k, uint32_t class_number, uint32_t step)
{
    scheduler *s = k->s;
    const pod_class *c = &s->snapshot->classes[class_number];
    LIST_OF(uint32_t) key = { .count = 0 };
    size_t tolerated = bits_words(s->templates.count);
    uint32_t alternatives = c->alternative_count;
    bool ok = push_number(k, &key, sizeof alternatives, &alternatives);
    for (uint32_t number = view_of_class(s, class_number); ok && number < LAST_VIEW;
         number = s->pods.views.items[number].next) {
        const view *v = &s->pods.views.items[number];
        k->lenient = k->lenient || excludes_unknown(s, v->full.set);
        note_excluded(k, v->full.set);
        for (size_t i = 0; ok && i < 2 + 2 * tolerated; i++) {
            uint32_t word = i == 0   ? v->full.set
                            : i == 1 ? s->hosts.count > 0 ? shape_of(s->snapshot, class_number)->rules : 0
                                     : (uint32_t)(v->tolerated[(i - 2) / 2] >> 32 * (i % 2));
            ok = push_number(k, &key, sizeof word, &word);
        }
        if (v->step >= step) break;
    }
    for (uint32_t i = 0; ok && i < c->alternative_count; i++) {
        note_excluded(k, c->alternatives[i].set);
        ok = push_number(k, &key, sizeof c->alternatives[i].set, &c->alternatives[i].set);
    }
    size_t known = k->signs.count;
    uint32_t id = ok ? words_add(&k->signs, key.items, key.count) : NO_ID;
    if (id != NO_ID && id == known) {
        sign *x = list_push(s->context, &k->sign_list, sizeof *x);
        if (x == NULL) id = NO_ID;
        else *x = (sign){ class_number, step };
    }
    list_free(s->context, &key, sizeof(uint32_t));
    return id;
}

/* ---- limits on copies per node ----------------------------------------------------------------------------------- */

/* The limit on copies per node: from anti-affinity and spread over host names whose pods select themselves, and from
 * host ports. All pods of a class share it. A group that depends on relaxed preferences may be created late,
 * and then limits nothing. */
static int64_t limit_of(const maker *k, uint32_t class_number, const view *v, uint32_t *rule)
{
    const scheduler *s = k->s;
    bool stays = k->any_step ? v->settled : v->step == 0;
    int64_t least = COPIES_UNLIMITED;
    *rule = NO_ID;
    for (uint32_t i = 0; v->updated && i < v->owned_count; i++) {
        const struct owned_group *o = &v->owned[i];
        const group *g = &s->topology.groups.items[o->group];
        if (!o->host || !o->self) continue;
        int64_t most = g->kind == GROUP_ANTI                                                  ? 1
                       : g->kind == GROUP_SPREAD && g->max_skew > 0 && stays && !g->selective ? g->max_skew
                                                                                              : COPIES_UNLIMITED;
        if (most < least) least = most, *rule = o->group;
    }
    if (shape_of(s->snapshot, class_number)->ports.count > 0 && least > 1) {
        *rule = (uint32_t)s->topology.groups.count + class_number;
        return 1;
    }
    return least;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

/* The class of a pod with these requests and this sign; NO_ID = out of memory. */
static uint32_t make_class(maker *k, uint32_t pod_number, uint32_t step)
{
    scheduler *s = k->s;
    uint32_t class_number = s->snapshot->pod_class[pod_number], number = view_after(s, class_number, step), rule;
    if (number == NO_ID || (k->any_step && last_view(s, number) == NO_ID)) return NO_ID;
    uint32_t sign_id = sign_number(k, class_number, k->any_step ? UINT32_MAX : step);
    if (sign_id == NO_ID) return NO_ID;
    int64_t limit = limit_of(k, class_number, &s->pods.views.items[number], &rule), zero = 0;
    size_t dims = s->vectors.dims, length = 2 + 2 * dims;
    uint32_t *key = mem_alloc(s->context, length * sizeof *key);
    if (key == NULL) return NO_ID;
    key[0] = sign_id;
    key[1] = rule;
    for (size_t d = 0; d < dims; d++) {
        uint64_t request = (uint64_t)s->pods.classes[class_number].requests[d];
        key[2 + 2 * d] = (uint32_t)request;
        key[3 + 2 * d] = (uint32_t)(request >> 32);
    }
    size_t known = k->keys.count;
    uint32_t id = words_add(&k->keys, key, length);
    mem_free(s->context, key, length * sizeof *key);
    if (id != NO_ID && id == known &&
        !(push_number(k, &k->sign_of, sizeof sign_id, &sign_id) &&
          push_number(k, &k->samples, sizeof pod_number, &pod_number) &&
          push_number(k, &k->counts, sizeof zero, &zero) && push_number(k, &k->bought, sizeof zero, &zero) &&
          push_number(k, &k->limits, sizeof limit, &limit)))
        return NO_ID;
    return id;
}

static bool counts_here(const maker *k, place at)
{
    return at.where == PLACE_HOST || (at.where == PLACE_CLAIM && !k->s->claims.list.items[at.target].dropped);
}

static bool find_classes(maker *k)
{
    scheduler *s = k->s;
    size_t pods = s->snapshot->raw.pods.count;
    k->out->class_of = arena_alloc(k->a, (pods + 1) * sizeof *k->out->class_of);
    if (!placement_settle(s) || k->out->class_of == NULL) return false;
    memset(k->out->class_of, 0xff, (pods + 1) * sizeof *k->out->class_of);
    for (size_t i = 0; i < pods; i++) {
        uint32_t p = s->snapshot->queue[i];
        if (!exclusion(&s->pods, p) || !counts_here(k, s->placement.places[p])) continue;
        uint64_t key = (uint64_t)s->snapshot->pod_class[p] << 32 | k->steps[p];
        uint32_t id = map64_get(&k->known, key);
        if (id == NO_ID) {
            id = make_class(k, p, k->steps[p]);
            if (id == NO_ID || !map64_put(&k->known, key, id)) return false;
        }
        k->out->class_of[p] = id;
        k->counts.items[id]++;
        k->bought.items[id] += s->placement.places[p].where == PLACE_CLAIM;
    }
    return true;
}

/* The first sign whose pods can be placed on the same rows. */
static uint32_t like_sign(const maker *k, uint32_t sign_id, size_t row_words)
{
    const uint64_t *reach = k->reach + sign_id * row_words;
    uint32_t like = 0;
    while (!bits_equal(k->reach + like * row_words, reach, row_words)) like++;
    return like;
}

/* Merges each class into the first with equal requests and rows. The classes are merged if no rule limits the copies
 * of either. They are also merged if one rule limits equally many pods of each to the same number, since a node can
 * then have that number of each. A limit of at least the number of pods counts as none. */
static bool merge_classes(maker *k, const uint32_t *like)
{
    scheduler *s = k->s;
    relaxed *r = k->out;
    words sizes;
    bool ok = true;
    size_t dims = s->vectors.dims, length = 5 + 2 * dims;
    uint32_t *key = arena_array(k->a, length, sizeof *key);
    uint32_t *merged = arena_array(k->a, k->samples.count + 1, sizeof *merged);
    words_init(&sizes, s->context);
    for (uint32_t c = 0; ok && key != NULL && merged != NULL && c < k->samples.count; c++) {
        const int64_t *requests = s->pods.classes[s->snapshot->pod_class[k->samples.items[c]]].requests;
        bool bounded = k->limits.items[c] < k->counts.items[c];
        key[0] = like[k->sign_of.items[c]];
        uint64_t rule[] = { bounded ? (uint64_t)k->limits.items[c] : 0, bounded ? (uint64_t)k->counts.items[c] : 0 };
        for (size_t i = 0; i < 2; i++) key[1 + 2 * i] = (uint32_t)rule[i], key[2 + 2 * i] = (uint32_t)(rule[i] >> 32);
        for (size_t d = 0; d < dims; d++) {
            key[5 + 2 * d] = (uint32_t)(uint64_t)requests[d];
            key[6 + 2 * d] = (uint32_t)((uint64_t)requests[d] >> 32);
        }
        size_t known = sizes.count;
        uint32_t id = words_add(&sizes, key, length);
        ok = id != NO_ID;
        if (!ok) break;
        merged[c] = id;
        if (id == known) {
            r->samples[id] = k->samples.items[c];
            r->limits[id] = bounded ? 0 : COPIES_UNLIMITED;
            k->sign_of.items[id] = like[k->sign_of.items[c]];
            memcpy(r->requests + id * dims, requests, dims * sizeof *requests);
        }
        if (bounded) r->limits[id] += k->limits.items[c];
        r->counts[id] += k->counts.items[c];
        r->bought[id] += k->bought.items[c];
    }
    r->class_count = (uint32_t)sizes.count;
    words_free(&sizes);
    if (!ok || key == NULL || merged == NULL) return false;
    for (size_t i = 0; i < s->snapshot->raw.pods.count; i++)
        r->class_of[i] = r->class_of[i] == NO_ID ? NO_ID : merged[r->class_of[i]];
    return true;
}

static bool settle_classes(maker *k, size_t row_words)
{
    relaxed *r = k->out;
    size_t n = k->samples.count + 1, signs = k->sign_list.count + 1;
    uint32_t *like = arena_array(k->a, signs, sizeof *like);
    r->samples = arena_array(k->a, n, sizeof *r->samples);
    r->counts = arena_array(k->a, n, sizeof *r->counts);
    r->bought = arena_array(k->a, n, sizeof *r->bought);
    r->limits = arena_array(k->a, n, sizeof *r->limits);
    r->requests = arena_array(k->a, n * r->dims, sizeof *r->requests);
    if (like == NULL || r->samples == NULL || r->counts == NULL || r->bought == NULL || r->limits == NULL ||
        r->requests == NULL)
        return false;
    for (uint32_t i = 0; i + 1 < signs; i++) like[i] = like_sign(k, i, row_words);
    return merge_classes(k, like);
}

/* ---- offers and nodes -------------------------------------------------------------------------------------------- */

static bool list_offers(maker *k)
{
    scheduler *s = k->s;
    LIST_OF(relaxed_offer) all = { .count = 0 };
    bool ok = true;
    for (uint32_t t = 0; ok && t < s->templates.count; t++) {
        const template_ *x = &s->templates.items[t];
        uint64_t *offered = arena_array(k->a, bits_words(x->table->offering_count) + 1, sizeof *offered);
        ok = offered != NULL && types_offered(s, x->table_number, x->set, offered);
        for (uint32_t i = 0; ok && i < x->table->offering_count; i++) {
            const offering *o = &x->table->offerings[i];
            if (!bits_test(offered, i) || !offering_launchable(s, o)) continue;
            relaxed_offer found = { t, i, o->price, o->capacity_type == s->snapshot->known.spot };
            ok = push_number(k, &all, sizeof found, &found);
        }
    }
    k->out->offer_count = (uint32_t)all.count;
    k->out->offers = ok ? arena_copy(k->a, all.items, all.count * sizeof *all.items) : NULL;
    list_free(s->context, &all, sizeof *all.items);
    return k->out->offers != NULL;
}

static bool list_nodes(maker *k)
{
    const scheduler *s = k->s;
    relaxed *r = k->out;
    r->nodes = arena_array(k->a, s->hosts.count + (size_t)1, sizeof *r->nodes);
    for (uint32_t h = 0; r->nodes != NULL && h < s->hosts.count; h++) {
        if (bits_test(s->hosts.offered, h)) r->nodes[r->node_count++] = h;
    }
    return r->nodes != NULL;
}

/* The capacity of a node of the offering's type. A launch gets the type's cheapest offering, whichever variant its
 * pods need. */
static void offer_capacity(const scheduler *s, const relaxed_offer *o, int64_t *out)
{
    const template_ *t = &s->templates.items[o->template_];
    const instance_type *type = &t->table->types[t->table->offerings[o->offering].type];
    size_t dims = s->vectors.dims;
    for (size_t d = 0; d < dims; d++) out[d] = INT64_MIN;
    for (uint32_t v = type->variant_first; v < type->variant_first + type->variant_count; v++) {
        if (!bits_test(s->types.sets.items[t->initial].bits, v)) continue;
        for (size_t d = 0; d < dims; d++) {
            if (t->space[v * dims + d] > out[d]) out[d] = t->space[v * dims + d];
        }
    }
}

static bool type_possible(const scheduler *s, const relaxed_offer *o, const uint64_t *variants)
{
    const template_ *t = &s->templates.items[o->template_];
    const instance_type *type = &t->table->types[t->table->offerings[o->offering].type];
    const uint64_t *initial = s->types.sets.items[t->initial].bits;
    for (uint32_t v = type->variant_first; v < type->variant_first + type->variant_count; v++) {
        if (bits_test(initial, v) && bits_test(variants, v)) return true;
    }
    return false;
}

static bool may_meet(maker *k, uint32_t supply, uint32_t required, bool well_known)
{
    return k->lenient ? set_agree(&k->s->algebra, supply, required)
                      : set_compatible(&k->s->algebra, supply, required, well_known);
}

/* Adds the offers of one template on which pods with these requirements can be placed. */
static bool reach_offers(maker *k, uint32_t template_number, uint32_t required, uint64_t *reach)
{
    scheduler *s = k->s;
    const relaxed *r = k->out;
    const template_ *t = &s->templates.items[template_number];
    if (!may_meet(k, t->set, required, true)) return !s->algebra.failed;
    arena_mark mark = arena_get_mark(k->a);
    uint32_t set = set_meet(&s->algebra, t->set, required);
    uint64_t *offered = arena_array(k->a, bits_words(t->table->offering_count) + 1, sizeof *offered);
    const uint64_t *variants = types_mask(s, t->table_number, set);
    bool ok = offered != NULL && variants != NULL && types_offered(s, t->table_number, set, offered);
    for (uint32_t o = 0; ok && o < r->offer_count; o++) {
        const relaxed_offer *x = &r->offers[o];
        if (x->template_ == template_number && bits_test(offered, x->offering) && type_possible(s, x, variants))
            bits_set(reach, o);
    }
    arena_release(k->a, mark);
    return ok;
}

static void reach_nodes(maker *k, const view *v, uint32_t required, uint64_t *reach)
{
    scheduler *s = k->s;
    const relaxed *r = k->out;
    for (uint32_t i = 0; i < r->node_count; i++) {
        const state_node *n = &s->snapshot->nodes[s->hosts.items[r->nodes[i]].node];
        if (taints_tolerated(s->snapshot, v->tolerations, taints_of_node(s, n)) && may_meet(k, n->set, required, false))
            bits_set(reach, r->offer_count + i);
    }
}

/* All rows on which pods of the sign can be placed at some step, with some alternative of their volumes. */
static bool reach_of_sign(maker *k, const sign *x, uint64_t *reach)
{
    scheduler *s = k->s;
    const pod_class *c = &s->snapshot->classes[x->class_];
    for (uint32_t number = view_of_class(s, x->class_); number < LAST_VIEW;) {
        const view v = s->pods.views.items[number];
        for (uint32_t i = 0; i < c->alternative_count || i == 0; i++) {
            uint32_t required = c->alternative_count == 0 ? v.full.set
                                                          : set_meet(&s->algebra, v.full.set, c->alternatives[i].set);
            required = required_beside_others(k, required);
            for (uint32_t t = 0; t < s->templates.count; t++) {
                if (bits_test(v.tolerated, t) && !reach_offers(k, t, required, reach)) return false;
            }
            reach_nodes(k, &v, required, reach);
        }
        if (v.step >= x->step) break;
        number = v.next;
    }
    return !s->failed && !s->algebra.failed;
}

static bool fill_rows(maker *k)
{
    scheduler *s = k->s;
    relaxed *r = k->out;
    size_t rows = r->offer_count + (size_t)r->node_count, row_words = bits_words(rows);
    k->reach = arena_array(k->a, row_words * k->sign_list.count + 1, sizeof *k->reach);
    r->capacity = arena_array(k->a, rows * r->dims + 1, sizeof *r->capacity);
    if (k->reach == NULL || r->capacity == NULL) return false;
    for (size_t i = 0; i < k->sign_list.count; i++) {
        if (!reach_of_sign(k, &k->sign_list.items[i], k->reach + i * row_words)) return false;
    }
    if (!settle_classes(k, row_words)) return false;
    size_t class_words = bits_words(r->class_count);
    r->allowed = arena_array(k->a, rows * class_words + 1, sizeof *r->allowed);
    if (r->allowed == NULL) return false;
    for (uint32_t o = 0; o < r->offer_count; o++) offer_capacity(s, &r->offers[o], r->capacity + (size_t)o * r->dims);
    for (uint32_t i = 0; i < r->node_count; i++) {
        const host *h = &s->hosts.items[r->nodes[i]];
        memcpy(r->capacity + (r->offer_count + (size_t)i) * r->dims, h->touched ? h->saved : h->left,
               r->dims * sizeof *r->capacity);
        r->nodes[i] = h->node;
    }
    for (uint32_t c = 0; c < r->class_count; c++) {
        const uint64_t *reach = k->reach + k->sign_of.items[c] * row_words;
        for (size_t row = bits_next(reach, rows, 0); row < rows; row = bits_next(reach, rows, row + 1))
            bits_set(r->allowed + row * class_words, c);
    }
    return true;
}

static bool name_resources(maker *k)
{
    const scheduler *s = k->s;
    relaxed *r = k->out;
    r->resources = arena_array(k->a, r->dims + (size_t)1, sizeof *r->resources);
    r->units = arena_array(k->a, r->dims + (size_t)1, sizeof *r->units);
    for (uint32_t d = 0; r->resources != NULL && r->units != NULL && d < r->dims; d++) {
        r->resources[d] = strings_get(&s->snapshot->raw.resources, s->vectors.resources[d]);
        r->units[d] = s->snapshot->units[s->vectors.resources[d]];
    }
    return r->resources != NULL && r->units != NULL;
}

bool relaxed_make(scheduler *s, arena *a, const uint16_t *steps, bool any_step, relaxed *out)
{
    maker k = { .s = s, .a = a, .out = out, .steps = steps, .any_step = any_step };
    *out = (relaxed){ .dims = s->vectors.dims };
    words_init(&k.keys, s->context);
    words_init(&k.signs, s->context);
    map64_init(&k.known, s->context);
    k.excluded = arena_array(a, bits_words(s->snapshot->facts.count) + 1, sizeof *k.excluded);
    bool ok = k.excluded != NULL && name_resources(&k) && find_classes(&k) && list_offers(&k) && list_nodes(&k) &&
              fill_rows(&k);
    out->lenient = k.lenient;
    list_free(s->context, &k.sign_list, sizeof(sign));
    list_free(s->context, &k.sign_of, sizeof(uint32_t));
    list_free(s->context, &k.samples, sizeof(uint32_t));
    list_free(s->context, &k.counts, sizeof(int64_t));
    list_free(s->context, &k.bought, sizeof(int64_t));
    list_free(s->context, &k.limits, sizeof(int64_t));
    map64_free(&k.known);
    words_free(&k.keys);
    words_free(&k.signs);
    return ok && !s->failed && !s->algebra.failed;
}

bool relaxed_reach(scheduler *s, arena *a, const relaxed *r, uint32_t required, uint64_t *rows)
{
    relaxed copy = *r;
    maker k = { .s = s, .a = a, .out = &copy, .lenient = r->lenient };
    for (uint32_t t = 0; t < s->templates.count; t++) {
        if (!reach_offers(&k, t, required, rows)) return false;
    }
    return !s->failed && !s->algebra.failed;
}

void relaxed_offer_names(const scheduler *s, const relaxed_offer *o, karp_str names[4])
{
    const template_ *t = &s->templates.items[o->template_];
    const offering *x = &t->table->offerings[o->offering];
    names[0] = pool_name(s->snapshot, t->pool);
    names[1] = text_of(s->snapshot, t->table->types[x->type].name);
    names[2] = text_or_none(s->snapshot, x->zone);
    names[3] = text_or_none(s->snapshot, x->capacity_type);
}
