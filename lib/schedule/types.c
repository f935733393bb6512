/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/types.h>

#include <schedule/scheduler.h>
#include <string.h>

/* Masks for one table, computed on first use. */
struct type_masks {
    map64 of_type; /* requirement -> index */
    map64 of_offering; /* (offering key, requirement or NO_ID) -> index */
    map64 of_set; /* set -> index */
    LIST_OF(uint64_t *) masks;
    uint64_t *available; /* offerings; NULL until first used */
};

/* Caches whether a requirement is compatible with those of a column, which are few and repeated. */
enum { ANSWERS = 64 };
struct answers {
    uint32_t of[ANSWERS]; /* NO_ID = empty slot */
    bool yes[ANSWERS];
};

static void answers_init(struct answers *a) { memset(a->of, 0xff, sizeof a->of); }

/* `have` may be NO_ID: no requirement. */
static bool answers_agree(scheduler *s, struct answers *a, uint32_t key, uint32_t requests, uint32_t have)
{
    uint32_t slot = have % ANSWERS;
    if (have == NO_ID) return true;
    if (a->of[slot] != have) {
        a->yes[slot] = offering_key_agrees(s->snapshot, &s->algebra, key, requests, have);
        a->of[slot] = have;
    }
    return a->yes[slot];
}

bool types_init(scheduler *s)
{
    words_init(&s->types.set_keys, s->context);
    map64_init(&s->types.narrowed, s->context);
    map64_init(&s->types.price_order_of, s->context);
    s->types.masks = arena_array(&s->data, s->snapshot->table_count + (size_t)1, sizeof *s->types.masks);
    if (s->types.masks == NULL) return false;
    for (uint32_t t = 0; t < s->snapshot->table_count; t++) {
        map64_init(&s->types.masks[t].of_type, s->context);
        map64_init(&s->types.masks[t].of_offering, s->context);
        map64_init(&s->types.masks[t].of_set, s->context);
    }
    return true;
}

void types_free(scheduler *s)
{
    for (uint32_t t = 0; s->types.masks != NULL && t < s->snapshot->table_count; t++) {
        map64_free(&s->types.masks[t].of_type);
        map64_free(&s->types.masks[t].of_offering);
        map64_free(&s->types.masks[t].of_set);
        list_free(s->context, &s->types.masks[t].masks, sizeof(uint64_t *));
    }
    words_free(&s->types.set_keys);
    map64_free(&s->types.narrowed);
    list_free(s->context, &s->types.sets, sizeof(typeset));
    list_free(s->context, &s->types.price_orders, sizeof(struct price_order));
    map64_free(&s->types.price_order_of);
}

/* A new mask of `bits` bits, stored under a key of one of the maps; NULL = out of memory. */
static uint64_t *new_mask(scheduler *s, struct type_masks *m, map64 *map, uint64_t key, size_t bits)
{
    uint64_t *mask = arena_array(&s->data, bits_words(bits) + 1, sizeof *mask);
    uint64_t **slot = mask == NULL ? NULL : list_push(s->context, &m->masks, sizeof *slot);
    if (slot == NULL || !map64_put(map, key, (uint32_t)(m->masks.count - 1))) return mem_refused_null(&s->failed);
    *slot = mask;
    return mask;
}

/* Variants whose type matches the requirement on the table's key number k. */
static const uint64_t *type_mask(scheduler *s, uint32_t table, uint32_t k, uint32_t requirement_id)
{
    const type_table *t = &s->snapshot->tables[table];
    struct type_masks *m = &s->types.masks[table];
    uint32_t known = map64_get(&m->of_type, requirement_id);
    if (known != NO_ID) return m->masks.items[known];
    uint64_t *mask = new_mask(s, m, &m->of_type, requirement_id, t->variant_count);
    if (mask == NULL) return NULL;
    if (!scheduler_worked(s, t->type_count * (size_t)8)) return NULL;
    mark_agreeing_types(&s->algebra, t, k, requirement_id, mask);
    return mask;
}

/* Includes unavailable offerings. */
static const uint64_t *offering_mask(scheduler *s, uint32_t table, uint32_t k, uint32_t have)
{
    const type_table *t = &s->snapshot->tables[table];
    struct type_masks *m = &s->types.masks[table];
    uint32_t known = map64_get(&m->of_offering, pair_key(k, have));
    if (known != NO_ID) return m->masks.items[known];
    uint64_t *mask = new_mask(s, m, &m->of_offering, pair_key(k, have), t->offering_count);
    if (mask == NULL) return NULL;
    if (!scheduler_worked(s, t->offering_count * (size_t)8)) return NULL;
    mark_agreeing_offerings(s->snapshot, &s->algebra, t, k, have, mask);
    return mask;
}

bool offering_compatible(scheduler *s, const offering *o, uint32_t set)
{
    return set_compatible(&s->algebra, set, o->set, true);
}

bool offering_launchable(const scheduler *s, const offering *o)
{
    bool full = o->capacity_type == s->snapshot->known.reserved && o->reservation_capacity <= 0;
    return o->available && !(full && in_force(s, RULE_LAUNCHABLE));
}

bool types_label_mask(scheduler *s, uint32_t table, uint32_t set, uint64_t *out)
{
    const type_table *t = &s->snapshot->tables[table];
    size_t words_ = bits_words(t->variant_count);
    bits_fill(out, t->variant_count);
    for (uint32_t k = 0; k < t->type_key_count; k++) {
        uint32_t r = set_get(&s->algebra, set, t->type_keys[k]);
        const uint64_t *mask = r == NO_ID ? NULL : type_mask(s, table, k, r);
        if (s->failed) return false;
        if (mask != NULL) bits_and(out, mask, words_);
    }
    return true;
}

static const uint64_t *available_mask(scheduler *s, uint32_t table)
{
    const type_table *t = &s->snapshot->tables[table];
    struct type_masks *m = &s->types.masks[table];
    if (m->available != NULL) return m->available;
    m->available = arena_array(&s->data, bits_words(t->offering_count) + 1, sizeof *m->available);
    if (m->available == NULL) s->failed = true;
    else mark_available(t, m->available);
    return m->available;
}

/* Polls should_stop as often as when all offerings are visited. */
static bool keep_patience(scheduler *s, uint32_t table)
{
    const type_table *t = &s->snapshot->tables[table];
    return scheduler_worked(s, t->offering_count * (size_t)8 * t->offering_key_count);
}

bool types_offered(scheduler *s, uint32_t table, uint32_t set, uint64_t *out)
{
    const type_table *t = &s->snapshot->tables[table];
    size_t words_ = bits_words(t->offering_count);
    const struct pool_template *given = pool_template_of(s->snapshot, table, set);
    if (given != NULL) {
        memcpy(out, given->offered, words_ * sizeof *out);
        return keep_patience(s, table);
    }
    const uint64_t *available = available_mask(s, table);
    if (available == NULL) return false;
    memcpy(out, available, words_ * sizeof *out);
    for (uint32_t k = 0; k < t->offering_key_count && !s->failed; k++) {
        uint32_t have = set_get(&s->algebra, set, t->offering_keys[k]);
        if (have == NO_ID && s->snapshot->facts.well_known[t->offering_keys[k]]) continue; /* every offering matches */
        const uint64_t *mask = offering_mask(s, table, k, have);
        if (mask != NULL) bits_and(out, mask, words_);
    }
    return !s->failed;
}

/* The available offerings of these variants that are compatible with the set. Visits only these offerings, while
 * types_offered() visits all. */
static bool offered_of(scheduler *s, uint32_t table, uint32_t set, const uint64_t *variants, uint64_t *out)
{
    const type_table *t = &s->snapshot->tables[table];
    struct answers known_answers;
    for (size_t v = bits_next(variants, t->variant_count, 0); v < t->variant_count;
         v = bits_next(variants, t->variant_count, v + 1)) {
        const instance_type *y = &t->types[t->variants[v].type];
        for (uint32_t i = y->offering_first; i < y->offering_first + y->offering_count; i++) {
            if (t->offerings[i].available && t->offerings[i].variant == v) bits_set(out, i);
        }
    }
    for (uint32_t k = 0; k < t->offering_key_count; k++) {
        const uint32_t *column = t->offering_columns + (size_t)k * t->offering_count;
        uint32_t have = set_get(&s->algebra, set, t->offering_keys[k]);
        answers_init(&known_answers);
        for (size_t i = bits_next(out, t->offering_count, 0); i < t->offering_count;
             i = bits_next(out, t->offering_count, i + 1)) {
            if (!answers_agree(s, &known_answers, t->offering_keys[k], have, column[i])) bits_clear(out, i);
        }
    }
    return !s->failed;
}

/* Clears the variants without an available offering that is compatible with the set. */
static bool keep_offered(scheduler *s, uint32_t table, uint32_t set, uint64_t *out)
{
    const type_table *t = &s->snapshot->tables[table];
    size_t words_ = bits_words(t->offering_count), width = bits_words(t->variant_count);
    uint64_t *offered = mem_zalloc(s->context, (words_ + width + 1) * sizeof *offered);
    if (offered == NULL) return mem_refused(&s->failed);
    uint64_t *variants = offered + words_;
    bool few = bits_count(out, width) < t->variant_count / 8;
    bool ok = scheduler_worked(s, t->offering_count * (size_t)4) &&
              (few ? offered_of(s, table, set, out, offered) : types_offered(s, table, set, offered));
    for (size_t i = bits_next(offered, t->offering_count, 0); i < t->offering_count;
         i = bits_next(offered, t->offering_count, i + 1)) {
        bits_set(variants, t->offerings[i].variant);
    }
    bits_and(out, variants, width);
    mem_free(s->context, offered, (words_ + width + 1) * sizeof *offered);
    return ok;
}

const uint64_t *types_mask(scheduler *s, uint32_t table, uint32_t set)
{
    struct type_masks *m = &s->types.masks[table];
    uint32_t known = map64_get(&m->of_set, set);
    if (known != NO_ID) return m->masks.items[known];
    const struct pool_template *given = pool_template_of(s->snapshot, table, set);
    if (given != NULL) return keep_patience(s, table) ? given->variants : NULL;
    uint64_t *mask = new_mask(s, m, &m->of_set, set, s->snapshot->tables[table].variant_count);
    if (mask == NULL || !types_label_mask(s, table, set, mask) || !keep_offered(s, table, set, mask)) return NULL;
    return mask;
}

uint32_t types_of_variants(const type_table *t, const uint64_t *variants, uint32_t *list)
{
    uint32_t n = 0, last = NO_ID;
    for (size_t v = bits_next(variants, t->variant_count, 0); v < t->variant_count;
         v = bits_next(variants, t->variant_count, v + 1)) {
        if (t->variants[v].type == last) continue;
        last = t->variants[v].type;
        if (list != NULL) list[n] = last;
        n++;
    }
    return n;
}

/* ---- type sets --------------------------------------------------------------------------------------------------- */

uint32_t typeset_make(scheduler *s, uint32_t template_number, const uint64_t *bits)
{
    size_t words_ = template_words(&s->templates.items[template_number]);
    uint32_t stack[256], *key = stack;
    size_t length = 1 + 2 * words_;
    if (length > 256) key = mem_alloc(s->context, length * sizeof *key);
    if (key == NULL) return mem_refused_id(&s->failed);
    key[0] = template_number;
    for (size_t i = 0; i < words_; i++) {
        key[1 + 2 * i] = (uint32_t)bits[i];
        key[2 + 2 * i] = (uint32_t)(bits[i] >> 32);
    }
    uint32_t id = words_add(&s->types.set_keys, key, length);
    if (key != stack) mem_free(s->context, key, length * sizeof *key);
    if (id == s->types.sets.count) {
        typeset *t = list_push(s->context, &s->types.sets, sizeof *t);
        if (t != NULL) {
            t->template_ = template_number;
            t->bits = arena_array(&s->data, words_ + 1, sizeof *t->bits);
            t->maximal_count = NO_ID;
        }
        if (t == NULL || t->bits == NULL) return mem_refused_id(&s->failed);
        memcpy(t->bits, bits, words_ * sizeof *bits);
        if (!bits_any(bits, words_)) t->maximal_count = 0;
    }
    if (id == NO_ID) s->failed = true;
    return id;
}

uint32_t typeset_narrow(scheduler *s, uint32_t types, uint32_t set)
{
    if (s->failed) return NO_ID;
    uint32_t known = map64_get(&s->types.narrowed, pair_key(types, set));
    if (known != NO_ID) return known;
    uint32_t template_number = s->types.sets.items[types].template_;
    const template_ *t = &s->templates.items[template_number];
    const uint64_t *mask = types_mask(s, t->table_number, set);
    if (mask == NULL) return NO_ID;
    size_t words_ = template_words(t);
    uint64_t stack[128], *bits = words_ <= 128 ? stack : mem_alloc(s->context, words_ * sizeof *bits);
    if (bits == NULL) return mem_refused_id(&s->failed);
    memcpy(bits, s->types.sets.items[types].bits, words_ * sizeof *bits);
    bits_and(bits, mask, words_);
    known = typeset_make(s, template_number, bits);
    if (bits != stack) mem_free(s->context, bits, words_ * sizeof *bits);
    if (known != NO_ID && !map64_put(&s->types.narrowed, pair_key(types, set), known)) s->failed = true;
    return s->failed ? NO_ID : known;
}

/* Those variants of a type set that have a bit in the mask, or have none there. */
static uint32_t typeset_filtered(scheduler *s, uint32_t types, const uint64_t *mask, bool with_bit)
{
    if (s->failed) return NO_ID;
    uint32_t template_number = s->types.sets.items[types].template_;
    size_t words_ = template_words(&s->templates.items[template_number]);
    uint64_t *bits = mem_alloc(s->context, (words_ + 1) * sizeof *bits);
    if (bits == NULL) return mem_refused_id(&s->failed);
    memcpy(bits, s->types.sets.items[types].bits, words_ * sizeof *bits);
    if (with_bit) bits_and(bits, mask, words_);
    else bits_and_not(bits, mask, words_);
    uint32_t id = typeset_make(s, template_number, bits);
    mem_free(s->context, bits, (words_ + 1) * sizeof *bits);
    return id;
}

uint32_t typeset_without(scheduler *s, uint32_t types, const uint64_t *without)
{
    return typeset_filtered(s, types, without, false);
}

uint32_t typeset_both(scheduler *s, uint32_t types, uint32_t others)
{
    return s->failed ? NO_ID : typeset_filtered(s, types, s->types.sets.items[others].bits, true);
}

static bool find_maximal(scheduler *s, typeset *ts)
{
    const template_ *t = &s->templates.items[ts->template_];
    size_t width = t->table->variant_count, n = 0;
    size_t bits = bits_count(ts->bits, template_words(t));
    ts->maximal = arena_array(&s->data, bits + 1, sizeof *ts->maximal);
    ts->most = arena_array(&s->data, s->vectors.dims, sizeof *ts->most);
    if (ts->maximal == NULL || ts->most == NULL) return mem_refused(&s->failed);
    for (uint32_t d = 0; d < s->vectors.dims; d++) ts->most[d] = -1;
    for (size_t v = bits_next(ts->bits, width, 0); v < width; v = bits_next(ts->bits, width, v + 1)) {
        const int64_t *space = t->space + v * s->vectors.dims;
        bool beaten = false;
        for (size_t i = 0; i < n && !beaten; i++) beaten = variant_covers(s, t, ts->maximal[i], (uint32_t)v);
        if (beaten) continue;
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            if (!variant_covers(s, t, (uint32_t)v, ts->maximal[i])) ts->maximal[kept++] = ts->maximal[i];
        }
        n = kept;
        ts->maximal[n++] = (uint32_t)v;
        for (uint32_t d = 0; d < s->vectors.dims; d++) {
            if (space[d] > ts->most[d]) ts->most[d] = space[d];
        }
    }
    ts->maximal_count = (uint32_t)n;
    return true;
}

/* Computes, on first use, the maximal variants and the largest spaces, which decide whether a vector fits. false = out
 * of memory. */
static bool typeset_measure(scheduler *s, uint32_t types)
{
    typeset *ts = &s->types.sets.items[types];
    return ts->maximal_count != NO_ID || find_maximal(s, ts);
}

/* Of the sparse resources in the total, the one that the fewest variants have, if they are fewer than `fewer_than`;
 * NO_ID = none. */
static uint32_t scarcest(const scheduler *s, const template_ *t, const int64_t *total, uint32_t fewer_than)
{
    uint32_t best = NO_ID;
    for (uint32_t d = CAPACITY_DENSE; d < s->vectors.dims; d++) {
        uint32_t count = total[d] > 0 ? capacity_holders(t, d).count : NO_ID;
        if (count >= fewer_than) continue;
        best = d;
        fewer_than = count;
    }
    return best;
}

bool typeset_fits(scheduler *s, uint32_t types, const int64_t *total)
{
    const typeset *ts = &s->types.sets.items[types];
    if (!typeset_measure(s, types)) return false;
    if (ts->maximal_count == 0 || !vector_within(total, ts->most, s->vectors.dims)) return false;
    const template_ *t = &s->templates.items[ts->template_];
    uint32_t scarce = scarcest(s, t, total, ts->maximal_count);
    if (scarce != NO_ID) {
        holders h = capacity_holders(t, scarce);
        for (uint32_t i = 0; i < h.count; i++) {
            if (bits_test(ts->bits, h.variants[i]) && variant_fits(s, t, h.variants[i], total)) return true;
        }
        return false;
    }
    for (uint32_t i = 0; i < ts->maximal_count; i++) {
        if (variant_fits(s, t, ts->maximal[i], total)) return true;
    }
    return false;
}

const int64_t *typeset_most(scheduler *s, uint32_t types, const int64_t *total)
{
    const typeset *ts = &s->types.sets.items[types];
    if (!typeset_measure(s, types)) return NULL;
    const template_ *t = &s->templates.items[ts->template_];
    uint32_t scarce = scarcest(s, t, total, ts->maximal_count);
    if (scarce == NO_ID) return ts->most;
    holders h = capacity_holders(t, scarce);
    for (uint32_t d = 0; d < s->vectors.dims; d++) s->vectors.most[d] = -1;
    for (uint32_t i = 0; i < h.count; i++) {
        const int64_t *space = t->space + (size_t)h.variants[i] * s->vectors.dims;
        if (!bits_test(ts->bits, h.variants[i]) || !vector_within(total, space, s->vectors.dims)) continue;
        for (uint32_t d = 0; d < s->vectors.dims; d++) {
            if (space[d] > s->vectors.most[d]) s->vectors.most[d] = space[d];
        }
    }
    return s->vectors.most;
}

bool typeset_fitting(scheduler *s, uint32_t types, const int64_t *total, uint64_t *out)
{
    const typeset *ts = &s->types.sets.items[types];
    template_ *t = &s->templates.items[ts->template_];
    size_t words_ = template_words(t);
    memcpy(out, ts->bits, words_ * sizeof *out);
    capacity_filter(s, t, total, out);
    return bits_any(out, words_);
}
