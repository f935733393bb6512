/* SPDX-License-Identifier: Apache-2.0 */
#include <model/requirement.h>

#include <base/bisect.h>
#include <base/sort.h>

static uint32_t refuse(algebra *a) { return mem_refused_id(&a->failed); }

static bool copy_tables(algebra *a, const algebra *from)
{
    a->shared = from->own_requirements;
    a->shared_slots = from->requirement_slots;
    a->shared_count = a->requirement_count = from->requirement_count;
    a->shared_slot_count = from->requirement_slot_count;
    return words_continue(&a->sets, &from->sets);
}

bool algebra_init(algebra *a, karp_context *context, const string_facts *facts, const algebra *copy_of)
{
    memset(a, 0, sizeof *a);
    a->context = context;
    a->facts = facts;
    arena_init(&a->data, context);
    words_init(&a->sets, context);
    map64_init(&a->meets, context);
    map64_init(&a->overlaps, context);
    map64_init(&a->set_meets, context);
    map64_init(&a->set_strict, context);
    map64_init(&a->set_lenient, context);
    if (copy_of != NULL) return copy_tables(a, copy_of);
    return words_add(&a->sets, NULL, 0) == EMPTY_SET;
}

void algebra_free(algebra *a)
{
    mem_free(a->context, a->own_requirements, a->requirement_capacity * sizeof *a->own_requirements);
    mem_free(a->context, a->requirement_slots, a->requirement_slot_count * sizeof *a->requirement_slots);
    words_free(&a->sets);
    map64_free(&a->meets);
    map64_free(&a->overlaps);
    map64_free(&a->set_meets);
    map64_free(&a->set_strict);
    map64_free(&a->set_lenient);
    arena_free(&a->data);
}

/* ---- interning --------------------------------------------------------------------------------------------------- */

static uint64_t requirement_hash(const requirement *r)
{
    uint64_t h = hash_mix(pair_key(r->key, r->min_values) + (uint64_t)r->complement);
    h = hash_mix(h ^ (uint64_t)r->gte);
    h = hash_mix(h ^ (uint64_t)r->lte ^ ((uint64_t)r->has_gte << 1) ^ (uint64_t)r->has_lte ^
                 ((uint64_t)r->min_zero << 2));
    for (uint32_t i = 0; i < r->value_count; i++) h = hash_mix(h ^ r->values[i]);
    return h;
}

static bool same_values(const requirement *x, const requirement *y)
{
    size_t count = x->value_count;
    if (count != y->value_count || count == 0) return count == y->value_count;
    if (count == 1) return x->values[0] == y->values[0];
    return memcmp(x->values, y->values, count * sizeof *x->values) == 0;
}

static bool requirement_equal(const requirement *x, const requirement *y)
{
    return x->key == y->key && x->min_values == y->min_values && x->complement == y->complement && x->gte == y->gte &&
           x->lte == y->lte && x->has_gte == y->has_gte && x->has_lte == y->has_lte && x->min_zero == y->min_zero &&
           same_values(x, y);
}

static bool rehash_requirements(algebra *a, size_t slot_count)
{
    uint32_t *slots = mem_zalloc(a->context, slot_count * sizeof *slots);
    if (slots == NULL) return false;
    for (size_t i = 0; i < a->requirement_count - a->shared_count; i++) {
        size_t at = (size_t)requirement_hash(&a->own_requirements[i]) & (slot_count - 1);
        while (slots[at] != 0) at = (at + 1) & (slot_count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    mem_free(a->context, a->requirement_slots, a->requirement_slot_count * sizeof *a->requirement_slots);
    a->requirement_slots = slots;
    a->requirement_slot_count = slot_count;
    return true;
}

/* The slot of an equal requirement, or the free slot for it. `slots` belong to `list`, and some are free. */
static size_t requirement_slot(const uint32_t *slots, size_t slot_count, const requirement *list, const requirement *r,
                               uint64_t hash)
{
    size_t mask = slot_count - 1, at = (size_t)hash & mask;
    while (slots[at] != 0 && !requirement_equal(&list[slots[at] - 1], r)) at = (at + 1) & mask;
    return at;
}

/* Finds an existing requirement; NO_ID = none. */
static uint32_t requirement_known(const algebra *a, const requirement *r, uint64_t hash)
{
    uint32_t at = 0;
    if (a->shared_slot_count > 0)
        at = a->shared_slots[requirement_slot(a->shared_slots, a->shared_slot_count, a->shared, r, hash)];
    if (at != 0) return at - 1;
    if (a->requirement_slot_count > 0)
        at = a->requirement_slots[requirement_slot(a->requirement_slots, a->requirement_slot_count, a->own_requirements,
                                                   r, hash)];
    return at == 0 ? NO_ID : (uint32_t)a->shared_count + at - 1;
}

uint32_t requirement_find_in(const algebra *a, uint32_t key, uint32_t value)
{
    const requirement r = {
        .key = a->facts->normalized[key], .gte = INT64_MIN, .lte = INT64_MAX, .values = &value, .value_count = 1
    };
    return requirement_known(a, &r, requirement_hash(&r));
}

/* Interns `r`; copies its values if it is new. */
static uint32_t requirement_intern(algebra *a, const requirement *r)
{
    if (a->failed) return NO_ID;
    uint64_t hash = requirement_hash(r);
    uint32_t known = requirement_known(a, r, hash);
    if (known != NO_ID) return known;
    size_t own = a->requirement_count - a->shared_count;
    if ((own + 1) * 2 > a->requirement_slot_count &&
        !rehash_requirements(a, a->requirement_slot_count ? a->requirement_slot_count * 2 : 64)) {
        return refuse(a);
    }
    void *items = a->own_requirements;
    if (!grow(a->context, &items, &a->requirement_capacity, own + 1, sizeof *r)) return refuse(a);
    a->own_requirements = items;
    requirement copy = *r;
    copy.values = NULL;
    if (r->value_count > 0) {
        copy.values = arena_copy(&a->data, r->values, r->value_count * sizeof *r->values);
        if (copy.values == NULL) return refuse(a);
    }
    size_t at = requirement_slot(a->requirement_slots, a->requirement_slot_count, a->own_requirements, &copy, hash);
    a->own_requirements[own] = copy;
    a->requirement_slots[at] = (uint32_t)own + 1;
    return (uint32_t)a->requirement_count++;
}

/* The same for values in scratch memory after the mark, which is freed unless the requirement is new. */
static uint32_t intern_from(algebra *a, const requirement *r, arena_mark mark)
{
    size_t known = a->requirement_count;
    uint32_t id = requirement_intern(a, r);
    if (a->requirement_count == known) arena_release(&a->data, mark);
    return id;
}

/* ---- one requirement --------------------------------------------------------------------------------------------- */

/* Sorts by name and removes duplicates; returns the new count. */
static size_t order_values(algebra *a, uint32_t *values, size_t count)
{
    const uint32_t *rank = a->facts->rank;
    size_t ordered = 1;
    while (ordered < count && rank[values[ordered - 1]] < rank[values[ordered]]) ordered++;
    if (ordered >= count) return count;
    if (!sort_ids(a->context, values, count, by_rank, a->facts->rank)) {
        a->failed = true;
        return 0;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || values[kept - 1] != values[i]) values[kept++] = values[i];
    }
    return kept;
}

/* A value that is not a number is 0; a number out of range is the nearest limit. */
static int64_t bound_of(const algebra *a, const uint32_t *values, size_t count)
{
    return count == 0 ? 0 : a->facts->numbers[values[0]].value;
}

uint32_t requirement_make(algebra *a, uint32_t key, uint32_t op, const uint32_t *values, size_t count,
                          uint32_t min_values)
{
    requirement r = { .key = a->facts->normalized[key], .min_values = min_values, .gte = INT64_MIN, .lte = INT64_MAX };
    int64_t n = op >= KARP_OP_GT ? bound_of(a, values, count) : 0;
    arena_mark mark = arena_get_mark(&a->data);
    switch (op) {
    case KARP_OP_IN:
    case KARP_OP_NOT_IN: {
        r.complement = op == KARP_OP_NOT_IN;
        if (count == 0) break;
        uint32_t *sorted = arena_copy(&a->data, values, count * sizeof *values);
        if (sorted == NULL) return refuse(a);
        r.value_count = (uint32_t)order_values(a, sorted, count);
        r.values = sorted;
        return intern_from(a, &r, mark);
    }
    case KARP_OP_EXISTS: r.complement = true; break;
    case KARP_OP_GT:
    case KARP_OP_LT:
    case KARP_OP_GTE:
    case KARP_OP_LTE:
        r.complement = bounds_of_operator(op, n, &r.gte, &r.lte);
        r.has_gte = r.complement && (op == KARP_OP_GT || op == KARP_OP_GTE);
        r.has_lte = r.complement && !r.has_gte;
        if (!r.complement) r.min_values = 0;
        break;
    default: /* DoesNotExist, and unknown operators: no value is allowed */ break;
    }
    return requirement_intern(a, &r);
}

uint32_t requirement_in(algebra *a, uint32_t key, uint32_t value)
{
    requirement r = {
        .key = a->facts->normalized[key], .gte = INT64_MIN, .lte = INT64_MAX, .values = &value, .value_count = 1
    };
    return requirement_intern(a, &r);
}

uint32_t requirement_with_min_values(algebra *a, uint32_t id, uint32_t min_values)
{
    if (a->failed) return NO_ID;
    requirement r = *requirement_get(a, id);
    r.min_values = min_values;
    r.min_zero = min_values == 0;
    return requirement_intern(a, &r);
}

uint32_t requirement_op(const requirement *r)
{
    if (r->complement) return r->value_count > 0 ? KARP_OP_NOT_IN : KARP_OP_EXISTS;
    return r->value_count > 0 ? KARP_OP_IN : KARP_OP_DOES_NOT_EXIST;
}

static bool within(const algebra *a, uint32_t value, const requirement *bounds)
{
    if (!bounds->has_gte && !bounds->has_lte) return true;
    const string_number *n = &a->facts->numbers[value];
    return n->is_number && n->value >= bounds->gte && n->value <= bounds->lte;
}

static bool lists(const algebra *a, const requirement *r, uint32_t value)
{
    const uint32_t *rank = a->facts->rank;
    bisection b = bisect(r->value_count);
    while (bisecting(&b)) bisect_step(&b, rank[r->values[b.at]] < rank[value]);
    return b.at < r->value_count && r->values[b.at] == value;
}

bool requirement_has(const algebra *a, const requirement *r, uint32_t value)
{
    return lists(a, r, value) != r->complement && within(a, value, r);
}

bool requirement_has_fresh(const requirement *r) { return r->complement && !r->has_gte && !r->has_lte; }

/* The key, bounds and minValues of an intersection. */
static requirement meet_frame(const requirement *x, const requirement *y)
{
    requirement r = { .key = x->key, .complement = x->complement && y->complement };
    r.has_gte = x->has_gte || y->has_gte;
    r.has_lte = x->has_lte || y->has_lte;
    r.gte = x->gte > y->gte ? x->gte : y->gte;
    r.lte = x->lte < y->lte ? x->lte : y->lte;
    r.min_values = x->min_values > y->min_values ? x->min_values : y->min_values;
    r.min_zero = r.min_values == 0 && (x->min_zero || y->min_zero);
    return r;
}

static bool crossed(const requirement *r) { return r->has_gte && r->has_lte && r->gte > r->lte; }

/* Merges two lists sorted by rank. kind: 0 union, 1 x without y, 2 intersection. Keeps only values within bounds. */
static uint32_t merge_values(const algebra *a, const requirement *x, const requirement *y, int kind,
                             const requirement *bounds, uint32_t *out)
{
    const uint32_t *rank = a->facts->rank;
    uint32_t i = 0, j = 0, n = 0;
    while (i < x->value_count || j < y->value_count) {
        bool take_x = j == y->value_count || (i < x->value_count && rank[x->values[i]] <= rank[y->values[j]]);
        bool both = take_x && j < y->value_count && x->values[i] == y->values[j];
        uint32_t value = take_x ? x->values[i] : y->values[j];
        bool keep = kind == 0 || (kind == 1 ? take_x && !both : both);
        if (keep && within(a, value, bounds)) out[n++] = value;
        if (take_x) i++;
        if (!take_x || both) j++;
    }
    return n;
}

static uint32_t meet(algebra *a, const requirement *x, const requirement *y)
{
    requirement r = meet_frame(x, y);
    if (crossed(&r)) {
        r.complement = r.has_gte = r.has_lte = false;
        r.gte = INT64_MIN;
        r.lte = INT64_MAX;
        return requirement_intern(a, &r);
    }
    arena_mark mark = arena_get_mark(&a->data);
    uint32_t *out = arena_alloc(&a->data, ((size_t)x->value_count + y->value_count + 1) * sizeof *out);
    if (out == NULL) return refuse(a);
    if (r.complement) r.value_count = merge_values(a, x, y, 0, &r, out);
    else if (x->complement) r.value_count = merge_values(a, y, x, 1, &r, out);
    else if (y->complement) r.value_count = merge_values(a, x, y, 1, &r, out);
    else r.value_count = merge_values(a, x, y, 2, &r, out);
    r.values = out;
    if (!r.complement) {
        r.has_gte = r.has_lte = false;
        r.gte = INT64_MIN;
        r.lte = INT64_MAX;
    }
    return intern_from(a, &r, mark);
}

uint32_t requirement_meet(algebra *a, uint32_t x, uint32_t y)
{
    if (x == y || a->failed) return x;
    uint64_t key = x < y ? pair_key(x, y) : pair_key(y, x);
    uint32_t id = map64_get(&a->meets, key);
    if (id != NO_ID) return id;
    /* copies, because interning may move the array */
    requirement rx = *requirement_get(a, x), ry = *requirement_get(a, y);
    id = meet(a, &rx, &ry);
    if (id == NO_ID || !map64_put(&a->meets, key, id)) return refuse(a);
    return id;
}

uint32_t requirement_of_all(algebra *a, const uint32_t *ids, size_t count)
{
    if (count < 2) return count == 0 ? NO_ID : *ids;
    uint32_t first = requirement_of_all(a, ids, count / 2);
    return requirement_meet(a, first, requirement_of_all(a, ids + count / 2, count - count / 2));
}

void algebra_keep(algebra *a, map64 *answers, uint64_t pair, bool answer)
{
    if (answers->count < PAIRS_KEPT && !map64_put(answers, pair, answer)) a->failed = true;
}

static bool overlap(const algebra *a, const requirement *x, const requirement *y)
{
    requirement bounds = meet_frame(x, y);
    if (crossed(&bounds)) return false;
    if (x->complement && y->complement) return true;
    if (x->complement) {
        const requirement *swap = x;
        x = y;
        y = swap;
    }
    for (uint32_t i = 0; i < x->value_count; i++) {
        if (lists(a, y, x->values[i]) != y->complement && within(a, x->values[i], &bounds)) return true;
    }
    return false;
}

/* A requirement that lists allowed values has no bounds. */
static bool one_value(const requirement *r) { return r->value_count == 1 && !r->complement; }

bool requirement_overlap(algebra *a, uint32_t x, uint32_t y)
{
    if (a->failed) return false;
    const requirement *rx = requirement_get(a, x), *ry = requirement_get(a, y);
    if (one_value(rx) && one_value(ry))
        return rx->values[0] == ry->values[0]; /* mostly labels; faster than a look-up */
    uint64_t key = x < y ? pair_key(x, y) : pair_key(y, x);
    uint32_t known = map64_get(&a->overlaps, key);
    if (known == NO_ID) {
        known = overlap(a, rx, ry);
        algebra_keep(a, &a->overlaps, key, known != 0);
    }
    return known != 0;
}

bool requirement_agree(algebra *a, uint32_t x, uint32_t y)
{
    if (a->failed) return false;
    return requirement_overlap(a, x, y) ||
           (requirement_negative(requirement_get(a, x)) && requirement_negative(requirement_get(a, y)));
}

/* ---- demands ----------------------------------------------------------------------------------------------------- */

bool demand_add(algebra *a, demand *d, uint32_t id)
{
    if (a->failed || id == NO_ID) return false;
    if (requirement_get(a, id)->key == a->facts->hostname)
        d->host = d->host == NO_ID ? id : requirement_meet(a, d->host, id);
    else d->set = set_add(a, d->set, id);
    return !a->failed;
}

bool demand_meet(algebra *a, demand *d, demand with)
{
    d->set = set_meet(a, d->set, with.set);
    if (with.host != NO_ID) d->host = d->host == NO_ID ? with.host : requirement_meet(a, d->host, with.host);
    return !a->failed;
}
