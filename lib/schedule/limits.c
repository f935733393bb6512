/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of NodePools, and minValues: the rules that depend on the individual remaining instance types (§23, §24). */
#include <schedule/scheduler.h>
#include <schedule/templates.h>

#include <schedule/types.h>
#include <string.h>

static const int64_t unlimited = INT64_C(1) << 61;

/* floor(value / unit), clamped. Capacities are whole units, so comparing with the floor is exact. */
static int64_t floor_units(amount value, amount unit)
{
    int64_t exact;
    if (amount_scale(value, unit, &exact))
        return exact < -unlimited ? -unlimited : exact > unlimited ? unlimited : exact;
    bool negative = amount_sign(value) < 0;
    amount size = negative ? amount_neg(value) : value;
    int64_t lo = 0, hi = unlimited; /* unit * lo <= size < unit * hi, unless clamped */
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;
        amount product;
        if (!amount_mul(unit, (uint64_t)mid, &product) || amount_cmp(product, size) > 0) hi = mid;
        else lo = mid;
    }
    return negative ? -lo - 1 : lo;
}

/* Nodes are counted before one is launched, and then it only matters whether anything is left. Half a node
 * counts. */
static int64_t units_left(const scheduler *s, uint32_t resource, amount left)
{
    amount unit = s->snapshot->units[resource];
    return resource == RESOURCE_NODES && quirk(s, 10) ? -floor_units(amount_neg(left), unit) : floor_units(left, unit);
}

/* Computes, for each template, the largest capacity of any type in each limited resource. Far from the limit no type
 * has to be filtered. */
static bool find_largest(scheduler *s)
{
    for (uint32_t i = 0; i < s->templates.count; i++) {
        template_ *t = &s->templates.items[i];
        const pool_limit *l = &s->templates.limits[t->pool];
        t->largest = arena_array(&s->data, l->count + (size_t)1, sizeof *t->largest);
        if (t->largest == NULL) return false;
        for (uint32_t y = 0; y < t->table->type_count; y++) {
            for (uint32_t k = 0; k < l->count; k++) {
                int64_t has = t->table->types[y].capacity[l->columns[k]];
                if (has > t->largest[k]) t->largest[k] = has;
            }
        }
    }
    return true;
}

bool limits_init(scheduler *s)
{
    const karp_snapshot *w = s->snapshot;
    s->templates.limits = arena_array(&s->data, w->raw.pools.count + 1, sizeof *s->templates.limits);
    if (s->templates.limits == NULL) return false;
    for (uint32_t p = 0; p < w->raw.pools.count; p++) {
        resource_list list = w->raw.pools.items[p].limits;
        pool_limit *l = &s->templates.limits[p];
        uint32_t *resources = arena_array(&s->data, list.count + (size_t)1, sizeof *resources);
        uint32_t *columns = arena_array(&s->data, list.count + (size_t)1, sizeof *columns);
        l->left = arena_array(&s->data, list.count + (size_t)1, sizeof *l->left);
        l->initial = arena_array(&s->data, list.count + (size_t)1, sizeof *l->initial);
        if (resources == NULL || columns == NULL || l->left == NULL || l->initial == NULL) return false;
        l->count = list.count;
        l->resources = resources;
        l->columns = columns;
        for (uint32_t i = 0; i < list.count; i++) {
            resources[i] = list.items[i].resource;
            columns[i] = w->column_of[resources[i]];
            amount left = list.items[i].value;
            for (uint32_t h = 0; h < s->hosts.count; h++) {
                const state_node *n = &w->nodes[s->hosts.items[h].node];
                if (n->pool == p && !amount_sub(left, resource_list_get(n->capacity, resources[i]), &left)) {
                    left = amount_whole(-unlimited); /* used up, clamped */
                }
            }
            l->initial[i] = l->left[i] = units_left(s, resources[i], left);
        }
    }
    return find_largest(s);
}

static bool type_within(const pool_limit *l, const instance_type *type)
{
    for (uint32_t i = 0; i < l->count; i++) {
        if (type->capacity[l->columns[i]] > l->left[i]) return false;
    }
    return true;
}

uint32_t limits_types(scheduler *s, uint32_t template_number, uint32_t *reason)
{
    template_ *t = &s->templates.items[template_number];
    const pool_limit *l = &s->templates.limits[t->pool];
    size_t words_ = template_words(t), width = t->table->variant_count;
    bool all = true, far = true;
    for (uint32_t i = 0; i < l->count; i++) far = far && l->left[i] > t->largest[i];
    if (far) return t->initial;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->resources[i] == RESOURCE_NODES && l->left[i] == 0) {
            *reason = KARP_REASON_NODE_LIMITS;
            return NO_ID;
        }
    }
    uint64_t *bits = mem_zalloc(s->context, (words_ + 1) * sizeof *bits);
    if (bits == NULL) {
        s->failed = true;
        return NO_ID;
    }
    const uint64_t *initial = s->types.sets.items[t->initial].bits;
    for (size_t v = bits_next(initial, width, 0); v < width; v = bits_next(initial, width, v + 1)) {
        if (type_within(l, &t->table->types[t->table->variants[v].type])) bits_set(bits, v);
        else all = false;
    }
    uint32_t id = all ? t->initial : typeset_make(s, template_number, bits);
    if (!bits_any(bits, words_)) {
        *reason = KARP_REASON_LIMITS;
        id = NO_ID;
    }
    mem_free(s->context, bits, (words_ + 1) * sizeof *bits);
    return id;
}

/* The variant of a type set with the largest capacity in the NodePool's limited resource k, cached in the type set. */
static uint32_t biggest(scheduler *s, uint32_t types, uint32_t k)
{
    typeset *ts = &s->types.sets.items[types];
    const template_ *t = &s->templates.items[ts->template_];
    const pool_limit *l = &s->templates.limits[t->pool];
    size_t width = t->table->variant_count;
    if (ts->biggest == NULL) {
        ts->biggest = arena_array(&s->data, l->count + (size_t)1, sizeof *ts->biggest);
        if (ts->biggest == NULL) {
            s->failed = true;
            return NO_ID;
        }
        for (uint32_t i = 0; i < l->count; i++) {
            int64_t most = -1;
            for (size_t v = bits_next(ts->bits, width, 0); v < width; v = bits_next(ts->bits, width, v + 1)) {
                int64_t has = t->table->types[t->table->variants[v].type].capacity[l->columns[i]];
                if (has <= most) continue;
                most = has;
                ts->biggest[i] = (uint32_t)v;
            }
        }
    }
    return ts->biggest[k];
}

/* The largest capacity among the fitting types. If the largest type of the set fits, it is that one. */
static int64_t largest_fitting(scheduler *s, uint32_t types, uint32_t k, const int64_t *total)
{
    const template_ *t = &s->templates.items[s->types.sets.items[types].template_];
    uint32_t column = s->templates.limits[t->pool].columns[k], v = biggest(s, types, k);
    size_t words_ = template_words(t), width = t->table->variant_count;
    int64_t most = 0;
    if (v == NO_ID) return 0;
    if (variant_fits(s, t, v, total)) return t->table->types[t->table->variants[v].type].capacity[column];
    uint64_t *bits = mem_zalloc(s->context, (words_ + 1) * sizeof *bits);
    if (bits == NULL) {
        s->failed = true;
        return 0;
    }
    typeset_fitting(s, types, total, bits);
    for (size_t i = bits_next(bits, width, 0); i < width; i = bits_next(bits, width, i + 1)) {
        int64_t has = t->table->types[t->table->variants[i].type].capacity[column];
        if (has > most) most = has;
    }
    mem_free(s->context, bits, (words_ + 1) * sizeof *bits);
    return most;
}

void limits_take(scheduler *s, uint32_t template_number, uint32_t types, const int64_t *total)
{
    pool_limit *l = &s->templates.limits[s->templates.items[template_number].pool];
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t most = largest_fitting(s, types, i, total);
        if (l->resources[i] == RESOURCE_NODES && !quirk(s, 10) && most < 1) most = 1;
        l->left[i] -= most;
    }
}

/* ---- minValues ------------------------------------------------------------------------------------------------------ */

/* For Karpenter a type's value counts even if no launch can have it. Neither an available offering of the type
 * has to allow it, nor, before 1.15, the launch itself. */
static bool value_counts(scheduler *s, const template_ *t, uint32_t variant_number, uint32_t key, uint32_t value,
                         uint32_t set)
{
    uint32_t required = quirk(s, 20) && !in_force(s, RULE_ALLOWED_MIN_VALUES) ? NO_ID : set_get(&s->algebra, set, key);
    if (required != NO_ID && !requirement_has(&s->algebra, requirement_get(&s->algebra, required), value)) return false;
    if (quirk(s, 20)) return true;
    const instance_type *type = &t->table->types[t->table->variants[variant_number].type];
    for (uint32_t i = type->offering_first; i < type->offering_first + type->offering_count; i++) {
        const offering *o = &t->table->offerings[i];
        if (!o->available || o->variant != variant_number || !offering_compatible(s, o, set)) continue;
        uint32_t r = set_get(&s->algebra, o->set, key);
        if (r == NO_ID || requirement_has(&s->algebra, requirement_get(&s->algebra, r), value)) return true;
    }
    return false;
}

/* The number of different values of the key that the types of the variants have. `seen` is scratch by text id, all
 * zero. */
static uint32_t distinct_values(scheduler *s, const template_ *t, const uint64_t *bits, uint32_t key, uint32_t set,
                                uint8_t *seen)
{
    const type_table *table = t->table;
    size_t width = table->variant_count;
    uint32_t n = 0, column = 0;
    while (column < table->type_key_count && table->type_keys[column] != key) column++;
    if (column == table->type_key_count) return 0;
    for (size_t v = bits_next(bits, width, 0); v < width; v = bits_next(bits, width, v + 1)) {
        uint32_t id = table->type_columns[(size_t)column * table->type_count + table->variants[v].type];
        if (id == NO_ID) continue;
        requirement r = *requirement_get(&s->algebra, id);
        for (uint32_t i = 0; i < r.value_count; i++) {
            if (seen[r.values[i]] || !value_counts(s, t, (uint32_t)v, key, r.values[i], set)) continue;
            n++;
            seen[r.values[i]] = 1;
        }
    }
    return n;
}

bool min_values_met(scheduler *s, const template_ *t, const uint64_t *bits, uint32_t set, uint32_t *relaxed)
{
    bool met = true;
    uint32_t count = s->snapshot->facts.count;
    if (relaxed != NULL) *relaxed = set;
    if (!bits_any(bits, template_words(t))) return true;
    uint8_t *seen = mem_alloc(s->context, count);
    if (seen == NULL) {
        s->failed = true;
        return false;
    }
    size_t n;
    (void)set_entries(&s->algebra, set, &n);
    for (size_t i = 0; i < n; i++) {
        set_entry e = set_entries(&s->algebra, set, &n)[i];
        uint32_t wanted = requirement_get(&s->algebra, e.requirement)->min_values;
        if (wanted == 0) continue;
        memset(seen, 0, count);
        uint32_t have = distinct_values(s, t, bits, e.key, set, seen);
        if (have >= wanted) continue;
        met = false;
        if (relaxed != NULL)
            *relaxed = set_replace(&s->algebra, *relaxed,
                                   requirement_with_min_values(&s->algebra, e.requirement, have));
    }
    mem_free(s->context, seen, count);
    return met;
}
