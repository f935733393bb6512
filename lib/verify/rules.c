/* SPDX-License-Identifier: Apache-2.0 */
#include <verify/verify.h>

#include <base/bisect.h>
#include <string.h>

/* ---- texts ------------------------------------------------------------------------------------------------------- */

uint32_t word_of(vocabulary *w, karp_str text)
{
    uint32_t id = strings_find(&w->snapshot->raw.text, text.len > 0 ? text.ptr : "", text.len);
    if (id != NO_ID) return id;
    id = strings_add(&w->extra, text.len > 0 ? text.ptr : "", text.len);
    if (id == NO_ID) {
        w->failed = true;
        return NO_TEXT;
    }
    return w->snapshot->facts.count + id;
}

karp_str word_text(const vocabulary *w, uint32_t id)
{
    uint32_t known = w->snapshot->facts.count;
    return id < known ? text_of(w->snapshot, id) : strings_get(&w->extra, id - known);
}

uint32_t word_key(const vocabulary *w, uint32_t key)
{
    return key < w->snapshot->facts.count ? w->snapshot->facts.normalized[key] : key;
}

bool word_well_known(const vocabulary *w, uint32_t key) { return w->snapshot->facts.well_known[key] != 0; }

bool digits_number(karp_str digits, bool minus, int64_t *out)
{
    int64_t n = 0;
    if (digits.len == 0) return false;
    for (size_t i = 0; i < digits.len; i++) {
        int digit = digits.ptr[i] - '0';
        if (digit < 0 || digit > 9) return false;
        if (minus ? n < (INT64_MIN + digit) / 10 : n > (INT64_MAX - digit) / 10) return false;
        n = n * 10 + (minus ? -digit : digit);
    }
    *out = n;
    return true;
}

/* Parses an integer: an optional sign and digits, within range. */
static bool word_number(const vocabulary *w, uint32_t id, int64_t *out)
{
    karp_str t = word_text(w, id);
    size_t i = t.len > 0 && (t.ptr[0] == '-' || t.ptr[0] == '+') ? 1 : 0;
    return digits_number((karp_str){ t.ptr + i, t.len - i }, i == 1 && t.ptr[0] == '-', out);
}

/* ---- one rule ---------------------------------------------------------------------------------------------------- */

static rule nothing(uint32_t key, uint32_t min_values)
{
    return (rule){ .key = key, .min_values = min_values, .gte = INT64_MIN, .lte = INT64_MAX };
}

static rule anything(uint32_t key, uint32_t min_values)
{
    rule r = nothing(key, min_values);
    r.excludes = true;
    return r;
}

/* The rule for an operator with text ids as values; `values` must stay valid. */
static rule rule_make(const vocabulary *w, uint32_t key, uint32_t op, const uint32_t *values, uint32_t count,
                      uint32_t min_values)
{
    rule r = anything(word_key(w, key), min_values);
    int64_t bound = 0;
    if (count > 0) (void)word_number(w, values[0], &bound);
    switch (op) {
    case KARP_OP_IN:
        r.excludes = false;
        r.values = values;
        r.count = count;
        break;
    case KARP_OP_NOT_IN:
        r.values = values;
        r.count = count;
        break;
    case KARP_OP_DOES_NOT_EXIST: r.excludes = false; break;
    case KARP_OP_GT:
        if (bound == INT64_MAX) return nothing(r.key, 0);
        r.gte = bound + 1;
        break;
    case KARP_OP_LT:
        if (bound == INT64_MIN) return nothing(r.key, 0);
        r.lte = bound - 1;
        break;
    case KARP_OP_GTE: r.gte = bound; break;
    case KARP_OP_LTE: r.lte = bound; break;
    default: break;
    }
    return r;
}

rule rule_of_expression(vocabulary *w, const expression *e)
{
    return rule_make(w, e->key, e->op, e->values, e->value_count, e->min_values);
}

rule rule_of_plan(vocabulary *w, const karp_requirement *r)
{
    uint32_t *values = r->value_count < NO_ID ? arena_array(&w->data, r->value_count + 1, sizeof *values) : NULL;
    if (values == NULL) {
        w->failed = true;
        return nothing(NO_TEXT, 0);
    }
    for (size_t i = 0; i < r->value_count; i++) values[i] = word_of(w, r->values[i]);
    return rule_make(w, word_of(w, r->key), r->op, values, (uint32_t)r->value_count, r->min_values);
}

rule rule_of_requirement(const requirement *r)
{
    return (rule){ .key = r->key,
                   .min_values = r->min_values,
                   .count = r->value_count,
                   .values = r->values,
                   .gte = r->has_gte ? r->gte : INT64_MIN,
                   .lte = r->has_lte ? r->lte : INT64_MAX,
                   .excludes = r->complement };
}

rule rule_one(vocabulary *w, uint32_t key, uint32_t value)
{
    uint32_t *values = arena_array(&w->data, 1, sizeof *values);
    rule r = nothing(word_key(w, key), 0);
    if (values == NULL) {
        w->failed = true;
        return r;
    }
    values[0] = value;
    r.values = values;
    r.count = 1;
    return r;
}

bool rule_negative(const rule *r) { return r->excludes ? r->count > 0 : r->count == 0; }

static bool in_bounds(const vocabulary *w, const rule *r, uint32_t value)
{
    int64_t n;
    if (r->gte == INT64_MIN && r->lte == INT64_MAX) return true;
    return word_number(w, value, &n) && n >= r->gte && n <= r->lte;
}

/* Reports work: in lists, each value is compared with each. */
static bool worked(const vocabulary *w, uint32_t values)
{
    if (!mem_work(w->snapshot->context, values)) *w->stopped = true;
    return !*w->stopped;
}

bool rule_accepts(const vocabulary *w, const rule *r, uint32_t value)
{
    bool listed = false;
    if (r->count > 64 && !worked(w, r->count)) return false;
    for (uint32_t i = 0; i < r->count && !listed; i++) listed = r->values[i] == value;
    return listed != r->excludes && in_bounds(w, r, value);
}

bool rules_agree(const vocabulary *w, const rule *x, const rule *y)
{
    if (rule_negative(x) && rule_negative(y)) return true;
    if (x->excludes && y->excludes) {
        int64_t gte = x->gte > y->gte ? x->gte : y->gte, lte = x->lte < y->lte ? x->lte : y->lte;
        return gte <= lte;
    }
    const rule *listed = x->excludes ? y : x, *other = x->excludes ? x : y;
    for (uint32_t i = 0; i < listed->count; i++) {
        if (rule_accepts(w, other, listed->values[i])) return true;
    }
    return false;
}

bool rule_within(const vocabulary *w, const rule *have, const rule *required)
{
    bool absent = !have->excludes && have->count == 0;
    if (absent) return rule_negative(required);
    if (!have->excludes) {
        for (uint32_t i = 0; i < have->count; i++) {
            if (!rule_accepts(w, required, have->values[i])) return false;
        }
        return true;
    }
    if (!required->excludes || have->gte < required->gte || have->lte > required->lte) return false;
    for (uint32_t i = 0; i < required->count; i++) {
        if (rule_accepts(w, have, required->values[i])) return false;
    }
    return true;
}

static rule rule_meet(vocabulary *w, const rule *x, const rule *y)
{
    rule r = nothing(x->key, x->min_values > y->min_values ? x->min_values : y->min_values);
    int64_t gte = x->gte > y->gte ? x->gte : y->gte, lte = x->lte < y->lte ? x->lte : y->lte;
    uint32_t *values = arena_array(&w->data, (size_t)x->count + y->count + 1, sizeof *values);
    if (values == NULL) {
        w->failed = true;
        return r;
    }
    if (gte > lte) return r;
    r.values = values;
    if (x->excludes && y->excludes) {
        const rule bounds = { .gte = gte, .lte = lte, .excludes = true };
        r.excludes = true;
        r.gte = gte;
        r.lte = lte;
        for (uint32_t i = 0; i < x->count + y->count; i++) {
            uint32_t value = i < x->count ? x->values[i] : y->values[i - x->count];
            if (in_bounds(w, &bounds, value))
                values[r.count++] = value; /* an excluded value outside the bounds is dropped */
        }
        return r;
    }
    const rule *listed = x->excludes ? y : x, *other = x->excludes ? x : y;
    for (uint32_t i = 0; i < listed->count; i++) {
        if (rule_accepts(w, other, listed->values[i])) values[r.count++] = listed->values[i];
    }
    return r;
}

/* ---- lists of rules ---------------------------------------------------------------------------------------------- */

/* The position of the key in by_key, or the position at which to insert it. */
static uint32_t place_of(const rules *list, uint32_t key)
{
    bisection b = bisect(list->count);
    while (bisecting(&b)) bisect_step(&b, list->items[list->by_key[b.at]].key < key);
    return (uint32_t)b.at;
}

const rule *rules_find(const rules *list, uint32_t key)
{
    uint32_t at = place_of(list, key);
    return at < list->count && list->items[list->by_key[at]].key == key ? &list->items[list->by_key[at]] : NULL;
}

static bool make_room(vocabulary *w, rules *list)
{
    size_t need = list->count + (size_t)1, capacity = list->capacity;
    return arena_grow(&w->data, (void **)&list->by_key, &capacity, need, sizeof *list->by_key) &&
           arena_grow(&w->data, (void **)&list->items, &list->capacity, need, sizeof *list->items);
}

void rules_add(vocabulary *w, rules *list, rule one)
{
    uint32_t at = place_of(list, one.key);
    if (at < list->count && list->items[list->by_key[at]].key == one.key) {
        rule *have = &list->items[list->by_key[at]];
        *have = rule_meet(w, have, &one);
        return;
    }
    if (!make_room(w, list)) {
        w->failed = true;
        return;
    }
    memmove(list->by_key + at + 1, list->by_key + at, (list->count - at) * sizeof *list->by_key);
    list->by_key[at] = list->count;
    list->items[list->count++] = one;
}

void rules_add_expressions(vocabulary *w, rules *list, expression_list expressions)
{
    for (uint32_t i = 0; i < expressions.count; i++) rules_add(w, list, rule_of_expression(w, &expressions.items[i]));
}

void rules_add_labels(vocabulary *w, rules *list, label_list labels)
{
    for (uint32_t i = 0; i < labels.count; i++)
        rules_add(w, list, rule_one(w, labels.items[i].key, labels.items[i].value));
}
