/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each NodePool can launch, as far as it depends only on the NodePool and its instance types. Every scheduler
 * needs it, and a snapshot that continues another one usually has the same NodePools and types.
 */
#include <model/prepare.h>

#include <base/bits.h>
#include <base/error.h>

/* ---- what agrees with a requirement on one label key ------------------------------------------------------------- */

void mark_agreeing_types(algebra *a, const type_table *t, uint32_t k, uint32_t required, uint64_t *variants)
{
    const key_values *by = &t->type_values[k];
    for (uint32_t g = 0; g < by->count; g++) {
        if (by->values[g] != NO_ID && !requirement_agree(a, required, by->values[g])) continue;
        for (uint32_t i = by->first[g]; i < by->first[g + 1]; i++) {
            const instance_type *y = &t->types[by->items[i]];
            for (uint32_t v = 0; v < y->variant_count; v++) bits_set(variants, y->variant_first + v);
        }
    }
}

bool offering_key_agrees(const karp_snapshot *s, algebra *a, uint32_t key, uint32_t required, uint32_t have)
{
    if (have == NO_ID) return true;
    if (required == NO_ID) return s->facts.well_known[key] || requirement_negative(requirement_get(a, have));
    return requirement_agree(a, required, have);
}

void mark_agreeing_offerings(const karp_snapshot *s, algebra *a, const type_table *t, uint32_t k, uint32_t required,
                             uint64_t *offerings)
{
    const key_values *by = &t->offering_values[k];
    for (uint32_t g = 0; g < by->count; g++) {
        if (!offering_key_agrees(s, a, t->offering_keys[k], required, by->values[g])) continue;
        for (uint32_t i = by->first[g]; i < by->first[g + 1]; i++) bits_set(offerings, by->items[i]);
    }
}

void mark_available(const type_table *t, uint64_t *offerings)
{
    for (uint32_t i = 0; i < t->offering_count; i++) {
        if (t->offerings[i].available) bits_set(offerings, i);
    }
}

/* ---- requirements ------------------------------------------------------------------------------------------------ */

/* Adds those labels of the template that every launch of the NodePool has. */
static bool add_labels(algebra *a, const karp_snapshot *s, const node_pool *p, struct pool_words own_words, arena *to,
                       demand *d)
{
    const known_text *k = &s->known;
    const label_pair own[] = { { k->node_pool, own_words.name },
                               { own_words.class_label, p->class_name },
                               { k->registered, k->true_ },
                               { k->initialized, k->true_ } };
    label_list all = { NULL, 0 };
    label_pair *labels = arena_array(to, p->template_labels.count + sizeof own / sizeof *own, sizeof *labels);
    if (labels == NULL) return false;
    for (uint32_t i = 0; i < p->template_labels.count; i++) {
        label_pair l = p->template_labels.items[i];
        if (l.key != k->node_pool && l.key != own_words.class_label)
            labels[all.count++] = l; /* a template cannot override these two */
    }
    memcpy(labels + all.count, own, sizeof own);
    all.items = labels;
    all.count += sizeof own / sizeof *own;
    return demand_of_labels(a, all, d);
}

bool demand_of_pool(algebra *a, const karp_snapshot *s, uint32_t pool, arena *to, demand *out)
{
    const node_pool *p = &s->raw.pools.items[pool];
    *out = (demand){ EMPTY_SET, NO_ID };
    return demand_of_expressions(a, p->requirements, out) && add_labels(a, s, p, s->pool_names[pool], to, out) &&
           !a->failed;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* The variants whose type matches the set on every key of the table. `scratch` has room for a mask. */
static void find_variants(algebra *a, const type_table *t, uint32_t set, uint64_t *scratch, uint64_t *out)
{
    size_t width = bits_words(t->variant_count);
    bits_fill(out, t->variant_count);
    for (uint32_t k = 0; k < t->type_key_count; k++) {
        uint32_t required = set_get(a, set, t->type_keys[k]);
        if (required == NO_ID) continue;
        memset(scratch, 0, width * sizeof *scratch);
        mark_agreeing_types(a, t, k, required, scratch);
        bits_and(out, scratch, width);
    }
}

/* The available offerings that are compatible with the set. */
static void find_offerings(const karp_snapshot *s, algebra *a, const type_table *t, uint32_t set, uint64_t *scratch,
                           uint64_t *out)
{
    size_t width = bits_words(t->offering_count);
    mark_available(t, out);
    for (uint32_t k = 0; k < t->offering_key_count; k++) {
        memset(scratch, 0, width * sizeof *scratch);
        mark_agreeing_offerings(s, a, t, k, set_get(a, set, t->offering_keys[k]), scratch);
        bits_and(out, scratch, width);
    }
}

/* The number of their different capacity types. */
static uint32_t capacity_types_of(const type_table *t, const uint64_t *offered)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < t->capacity_type_count; c++) {
        bool some = false;
        for (uint32_t i = 0; i < t->offering_count && !some; i++)
            some = bits_test(offered, i) && t->offerings[i].capacity_type == t->capacity_types[c];
        count += some;
    }
    return count;
}

static bool find_types(karp_snapshot *s, const type_table *t, struct pool_template *out)
{
    size_t width = bits_words(t->variant_count), offering_width = bits_words(t->offering_count);
    size_t room = (width + offering_width + 1) * sizeof(uint64_t);
    uint64_t *variants = arena_array(&s->data, width + 1, sizeof *variants),
             *offered = arena_array(&s->data, offering_width + 1, sizeof *offered),
             *scratch = mem_zalloc(s->context, room);
    bool ok = variants != NULL && offered != NULL && scratch != NULL;
    if (ok) {
        find_variants(&s->algebra, t, out->required.set, scratch, variants);
        find_offerings(s, &s->algebra, t, out->required.set, scratch, offered);
        memset(scratch, 0, room);
        for (size_t i = bits_next(offered, t->offering_count, 0); i < t->offering_count;
             i = bits_next(offered, t->offering_count, i + 1))
            bits_set(scratch, t->offerings[i].variant);
        bits_and(variants, scratch, width);
        out->capacity_types = capacity_types_of(t, offered);
    }
    mem_free(s->context, scratch, room);
    out->variants = variants;
    out->offered = offered;
    return ok && !s->algebra.failed;
}

/* With more NodePools than this, nothing is cached for them. */
enum { MOST_POOLS = 64 };

static bool find_templates(karp_snapshot *s)
{
    size_t count = s->raw.pools.count;
    if (count == 0 || count > MOST_POOLS) return true;
    struct pool_template *all = arena_array(&s->data, count, sizeof *all);
    bool ok = all != NULL;
    for (uint32_t i = 0; ok && i < count; i++) {
        all[i].table = NO_ID;
        if (s->pool_table[i] == NO_ID || !pool_usable(s, &s->raw.pools.items[i])) continue;
        all[i].table = s->pool_table[i];
        ok = demand_of_pool(&s->algebra, s, i, &s->data, &all[i].required) &&
             find_types(s, &s->tables[all[i].table], &all[i]);
    }
    s->pool_templates = all;
    return ok;
}

/* Nothing is added to the algebra after this, so schedulers share its sets without copying them. */
karp_status prepare_pool_templates(karp_snapshot *s, karp_error *error)
{
    return find_templates(s) && words_settle(&s->algebra.sets) ? KARP_OK : fail_nomem(error);
}

const struct pool_template *pool_template_of(const karp_snapshot *s, uint32_t table, uint32_t set)
{
    for (size_t i = 0; s->pool_templates != NULL && i < s->raw.pools.count; i++) {
        const struct pool_template *t = &s->pool_templates[i];
        if (t->table == table && t->required.set == set) return t;
    }
    return NULL;
}
