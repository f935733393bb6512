/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/match.h>

#include <string.h>

/* As Go's Atoi: digits with an optional sign. */
static bool integer(karp_str text, int64_t *out)
{
    size_t i = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
    bool negative = i && text.ptr[0] == '-';
    uint64_t value = 0, most = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
    if (i == text.len) return false;
    for (; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
        uint64_t digit = (uint64_t)(text.ptr[i] - '0');
        if (value > (most - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

static bool is_bound(uint32_t op)
{
    return op == KARP_OP_GT || op == KARP_OP_LT || op == KARP_OP_GTE || op == KARP_OP_LTE;
}

static bool within(const karp_requirement *r, int64_t number)
{
    int64_t bound;
    if (r->value_count == 0 || !integer(r->values[0], &bound)) return false;
    switch (r->op) {
    case KARP_OP_GT: return number > bound;
    case KARP_OP_LT: return number < bound;
    case KARP_OP_GTE: return number >= bound;
    default: return number <= bound;
    }
}

static bool allows(const karp_requirement *r, karp_str value)
{
    int64_t number;
    if (is_bound(r->op)) return integer(value, &number) && within(r, number);
    switch (r->op) {
    case KARP_OP_IN: return str_in(value, r->values, r->value_count);
    case KARP_OP_NOT_IN: return !str_in(value, r->values, r->value_count);
    case KARP_OP_EXISTS: return true;
    default: return false;
    }
}

bool match_allows(const karp_requirement *required, size_t required_count, karp_str key, karp_str value)
{
    for (size_t i = 0; i < required_count; i++) {
        if (equal_str(required[i].key, key) && !allows(&required[i], value)) return false;
    }
    return true;
}

/* The combination of all requirements on one key. */
typedef struct meeting {
    bool none; /* a DoesNotExist, an empty range, or no value of In that all allow */
    bool excludes; /* a NotIn */
    const karp_requirement *in; /* the first In */
    int64_t least, most;
} meeting;

static void narrow(meeting *m, const karp_requirement *r)
{
    int64_t bound;
    if (r->value_count == 0 || !integer(r->values[0], &bound)) return;
    if (r->op == KARP_OP_GT && bound < INT64_MAX && bound + 1 > m->least) m->least = bound + 1;
    if (r->op == KARP_OP_GTE && bound > m->least) m->least = bound;
    if (r->op == KARP_OP_LT && bound > INT64_MIN && bound - 1 < m->most) m->most = bound - 1;
    if (r->op == KARP_OP_LTE && bound < m->most) m->most = bound;
}

static meeting meet(const karp_requirement *list, size_t count, karp_str key)
{
    meeting m = { .least = INT64_MIN, .most = INT64_MAX };
    for (size_t i = 0; i < count; i++) {
        const karp_requirement *r = &list[i];
        if (!equal_str(r->key, key)) continue;
        if (r->op == KARP_OP_IN && !m.in) m.in = r;
        if (r->op == KARP_OP_DOES_NOT_EXIST) m.none = true;
        if (r->op == KARP_OP_NOT_IN && r->value_count) m.excludes = true;
        if (is_bound(r->op)) narrow(&m, r);
    }
    if (m.least > m.most) m.none = true;
    bool any = !m.in;
    for (size_t i = 0; m.in && i < m.in->value_count && !any; i++)
        any = match_allows(list, count, key, m.in->values[i]);
    if (!any) m.none = true;
    return m;
}

/* Checks one key of the supply. */
static bool agree(const karp_requirement *required, size_t required_count, const karp_requirement *supply,
                  size_t supply_count, karp_str key)
{
    meeting a = meet(required, required_count, key), b = meet(supply, supply_count, key);
    if (a.none || b.none) return (a.none || (!a.in && a.excludes)) && (b.none || (!b.in && b.excludes));
    const karp_requirement *values = b.in ? b.in : a.in;
    for (size_t i = 0; values && i < values->value_count; i++) {
        if (match_allows(required, required_count, key, values->values[i]) &&
            match_allows(supply, supply_count, key, values->values[i])) {
            return true;
        }
    }
    if (values) return false;
    return (a.least > b.least ? a.least : b.least) <= (a.most < b.most ? a.most : b.most);
}

bool match_agree(const karp_requirement *required, size_t required_count, const karp_requirement *supply,
                 size_t supply_count)
{
    for (size_t i = 0; i < required_count; i++) {
        bool there = false;
        for (size_t k = 0; k < supply_count && !there; k++) there = equal_str(required[i].key, supply[k].key);
        if (there && !agree(required, required_count, supply, supply_count, required[i].key)) return false;
    }
    return true;
}

karp_str match_single(const karp_requirement *list, size_t count, const char *key)
{
    const karp_requirement *r = requirement_find(list, count, str(key));
    karp_str none = { "", 0 };
    return r && r->op == KARP_OP_IN && r->value_count == 1 ? r->values[0] : none;
}
