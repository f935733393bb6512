/* SPDX-License-Identifier: Apache-2.0 */
#include <base/admit.h>

#include <base/str.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

string_number read_integer(karp_str t)
{
    string_number n = { 0, false };
    size_t i = t.len > 0 && (t.ptr[0] == '-' || t.ptr[0] == '+') ? 1 : 0;
    bool negative = i == 1 && t.ptr[0] == '-';
    if (i == t.len) return n;
    uint64_t value = 0, limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    bool beyond = false;
    for (; i < t.len; i++) {
        if (!is_digit(t.ptr[i])) return n;
        uint64_t digit = (uint64_t)(t.ptr[i] - '0');
        beyond = beyond || value > (limit - digit) / 10;
        value = beyond ? limit : value * 10 + digit;
    }
    n.is_number = !beyond;
    if (!negative) n.value = (int64_t)value;
    else n.value = value == limit ? INT64_MIN : -(int64_t)value;
    return n;
}

bool bounds_of_operator(uint32_t op, int64_t number, int64_t *least, int64_t *most)
{
    *least = INT64_MIN;
    *most = INT64_MAX;
    switch (op) {
    case KARP_OP_GT:
        if (number == INT64_MAX) return false;
        *least = number + 1;
        return true;
    case KARP_OP_LT: *most = number == INT64_MIN ? INT64_MAX : number - 1; return true;
    case KARP_OP_GTE: *least = number; return true;
    case KARP_OP_LTE: *most = number; return true;
    default: return false;
    }
}

static bool is_bound(uint32_t op) { return op >= KARP_OP_GT && op <= KARP_OP_LTE; }

/* The bounds of a requirement on numbers. false = it allows no value. */
static bool bounds(const karp_requirement *r, int64_t *least, int64_t *most)
{
    string_number bound = r->value_count == 1 ? read_integer(r->values[0]) : (string_number){ 0, false };
    return bound.is_number && bounds_of_operator(r->op, bound.value, least, most);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

const karp_str *label_value(const karp_label *list, size_t count, karp_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (equal_str(list[i].key, key)) return &list[i].value;
    }
    return NULL;
}

karp_str label_or_none(const karp_label *list, size_t count, const char *key)
{
    const karp_str *value = label_value(list, count, str(key));
    return value != NULL ? *value : (karp_str){ "", 0 };
}

bool requirement_allows(const karp_requirement *r, const karp_str *value)
{
    if (!is_bound(r->op))
        return operator_allows(r->op, value != NULL, value != NULL && str_in(*value, r->values, r->value_count));
    int64_t least, most;
    string_number number = value != NULL ? read_integer(*value) : (string_number){ 0, false };
    return number.is_number && bounds(r, &least, &most) && number.value >= least && number.value <= most;
}

void label_set(karp_label *list, size_t *count, karp_str key, karp_str value)
{
    size_t at = 0;
    while (at < *count && !equal_str(list[at].key, key)) at++;
    list[at] = (karp_label){ key, value };
    if (at == *count) (*count)++;
}

bool labels_include(const karp_label *labels, size_t count, const karp_label *wanted, size_t wanted_count)
{
    for (size_t i = 0; i < wanted_count; i++) {
        const karp_str *value = label_value(labels, count, wanted[i].key);
        if (value == NULL || !equal_str(*value, wanted[i].value)) return false;
    }
    return true;
}

bool labels_meet(const karp_label *labels, size_t count, const karp_requirement *wanted, size_t wanted_count)
{
    for (size_t i = 0; i < wanted_count; i++) {
        if (!requirement_allows(&wanted[i], label_value(labels, count, wanted[i].key))) return false;
    }
    return true;
}

bool selector_admits(const karp_selector *selector, const karp_label *labels, size_t count)
{
    return labels_include(labels, count, selector->match_labels, selector->match_label_count) &&
           labels_meet(labels, count, selector->expressions, selector->expression_count);
}

/* ---- lists of requirements --------------------------------------------------------------------------------------- */

const karp_requirement *requirement_find(const karp_requirement *list, size_t count, karp_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (equal_str(list[i].key, key)) return &list[i];
    }
    return NULL;
}

karp_str requirement_single(const karp_requirement *list, size_t count, const char *key)
{
    const karp_requirement *r = requirement_find(list, count, str(key));
    return r != NULL && r->op == KARP_OP_IN && r->value_count == 1 ? r->values[0] : (karp_str){ "", 0 };
}

bool requirements_allow(const karp_requirement *list, size_t count, karp_str key, karp_str value)
{
    for (size_t i = 0; i < count; i++) {
        if (equal_str(list[i].key, key) && !requirement_allows(&list[i], &value)) return false;
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
    int64_t least, most;
    if (!bounds(r, &least, &most)) m->none = true;
    else if (least > m->least) m->least = least;
    else if (most < m->most) m->most = most;
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
        any = requirements_allow(list, count, key, m.in->values[i]);
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
        if (requirements_allow(required, required_count, key, values->values[i]) &&
            requirements_allow(supply, supply_count, key, values->values[i]))
            return true;
    }
    if (values) return false;
    return (a.least > b.least ? a.least : b.least) <= (a.most < b.most ? a.most : b.most);
}

bool requirements_agree(const karp_requirement *required, size_t required_count, const karp_requirement *supply,
                        size_t supply_count)
{
    for (size_t i = 0; i < required_count; i++) {
        if (requirement_find(supply, supply_count, required[i].key) != NULL &&
            !agree(required, required_count, supply, supply_count, required[i].key))
            return false;
    }
    return true;
}

/* Whether one of the values that the label may have satisfies the requirement. */
static bool serves(const karp_requirement *has, const karp_requirement *wanted)
{
    bool there = has != NULL && has->op == KARP_OP_IN && has->value_count > 0;
    if (!there) return requirement_allows(wanted, NULL);
    for (size_t i = 0; i < has->value_count; i++) {
        if (requirement_allows(wanted, &has->values[i])) return true;
    }
    return false;
}

bool requirements_served(const karp_requirement *wanted, size_t count, const karp_requirement *own, size_t own_count,
                         const karp_requirement *others, size_t other_count)
{
    for (size_t i = 0; i < count; i++) {
        const karp_requirement *has = requirement_find(own, own_count, wanted[i].key);
        if (has == NULL) has = requirement_find(others, other_count, wanted[i].key);
        if (!serves(has, &wanted[i])) return false;
    }
    return true;
}

/* ---- taints ------------------------------------------------------------------------------------------------------ */

static bool canonical_integer(karp_str t, int64_t *out)
{
    string_number n = read_integer(t);
    size_t digits = n.is_number && t.ptr[0] == '-' ? 1 : 0;
    *out = n.value;
    return n.is_number && t.ptr[0] != '+' && (t.ptr[digits] != '0' || t.len == 1);
}

bool toleration_allows(uint32_t op, karp_str wanted, karp_str value)
{
    int64_t ours, theirs;
    switch (op) {
    case KARP_TOLERATION_EQUAL: return equal_str(wanted, value);
    case KARP_TOLERATION_EXISTS: return true;
    case KARP_TOLERATION_LT:
    case KARP_TOLERATION_GT:
        if (!canonical_integer(wanted, &ours) || !canonical_integer(value, &theirs)) return false;
        return op == KARP_TOLERATION_LT ? theirs < ours : theirs > ours;
    default: return false;
    }
}

const karp_toleration *toleration_of(const karp_toleration *list, size_t count, const karp_taint *taint)
{
    for (size_t i = 0; i < count; i++) {
        const karp_toleration *t = &list[i];
        if ((t->effect.len == 0 || equal_str(t->effect, taint->effect)) &&
            (t->key.len == 0 || equal_str(t->key, taint->key)) && toleration_allows(t->op, t->value, taint->value))
            return t;
    }
    return NULL;
}

bool tolerations_allow(const karp_toleration *list, size_t count, const karp_taint *taint)
{
    return toleration_of(list, count, taint) != NULL;
}

/* ---- PodDisruptionBudgets ---------------------------------------------------------------------------------------- */

bool pods_of_amount(const karp_int_or_string *amount, uint64_t all, uint64_t *out)
{
    uint64_t percent = 0;
    *out = amount->value > 0 ? (uint64_t)amount->value : 0;
    if (!amount->is_set || !amount->is_text) return amount->is_set;
    karp_str text = amount->text;
    if (text.len < 2 || text.len > 9 || text.ptr[text.len - 1] != '%') return false;
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (!is_digit(text.ptr[i])) return false;
        percent = percent * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    *out = (all * percent + 99) / 100;
    return true;
}

uint64_t pods_to_stay(const karp_int_or_string *min_available, const karp_int_or_string *max_unavailable,
                      uint64_t expected)
{
    uint64_t amount;
    bool most = max_unavailable->is_set;
    if (!pods_of_amount(most ? max_unavailable : min_available, expected, &amount)) return INT32_MAX;
    if (!most) return amount;
    return amount < expected ? expected - amount : 0;
}
