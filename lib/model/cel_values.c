/* SPDX-License-Identifier: Apache-2.0 */
/* Values in expressions: versions, equality, order. */
#include <model/cel_tree.h>

#include <base/str.h>

/* ---- versions (semver.org 2.0.0) --------------------------------------------------------------------------------- */

/* A number without leading zeros, up to a dot or the end. */
static bool read_part(karp_str *t, bool lenient, uint64_t *out)
{
    size_t n = 0;
    *out = 0;
    for (; n < t->len && t->ptr[n] >= '0' && t->ptr[n] <= '9'; n++) {
        unsigned digit = (unsigned)(t->ptr[n] - '0');
        if (*out > (UINT64_MAX - digit) / 10) return false;
        *out = *out * 10 + digit;
    }
    if (n == 0 || (n > 1 && t->ptr[0] == '0' && !lenient)) return false;
    t->ptr += n;
    t->len -= n;
    return true;
}

static bool identifier_character(char c) { return is_digit(c) || is_letter(c) || c == '-'; }

static bool all_digits(karp_str t)
{
    for (size_t i = 0; i < t.len; i++) {
        if (t.ptr[i] < '0' || t.ptr[i] > '9') return false;
    }
    return t.len > 0;
}

/* Removes the first identifier from a dotted list and returns it. */
static karp_str next_identifier(karp_str *list)
{
    size_t n = 0;
    while (n < list->len && list->ptr[n] != '.') n++;
    karp_str one = { list->ptr, n };
    size_t skip = n < list->len ? n + 1 : n;
    list->ptr += skip;
    list->len -= skip;
    return one;
}

/* Whether a numeric pre-release identifier is valid: no leading zero, at most 64 bits. */
static bool plain_number(karp_str t)
{
    uint64_t value = 0;
    if (t.len > 1 && t.ptr[0] == '0') return false;
    for (size_t i = 0; i < t.len; i++) {
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(t.ptr[i] - '0'), &value))
            return false;
    }
    return true;
}

static bool identifiers_valid(karp_str list, bool numbers_plain)
{
    if (list.len == 0 || list.ptr[list.len - 1] == '.') return false;
    while (list.len > 0) {
        karp_str one = next_identifier(&list);
        if (one.len == 0) return false;
        for (size_t i = 0; i < one.len; i++) {
            if (!identifier_character(one.ptr[i])) return false;
        }
        if (numbers_plain && all_digits(one) && !plain_number(one)) return false;
    }
    return true;
}

bool cel_read_version(karp_str t, bool lenient, cel_version *out)
{
    *out = (cel_version){ .pre = { "", 0 } };
    uint64_t *parts[3] = { &out->major, &out->minor, &out->patch };
    if (lenient && t.len > 0 && t.ptr[0] == 'v') {
        t.ptr++;
        t.len--;
    }
    for (size_t i = 0; i < 3; i++) {
        /* In lenient mode, missing parts are zero; a short version ends after its last number. */
        if (i > 0 && (t.len == 0 || t.ptr[0] != '.')) return lenient && t.len == 0;
        if (i > 0) {
            t.ptr++;
            t.len--;
        }
        /* "1.2.-rc": Kubernetes inserts the missing number. */
        if (lenient && i == 2 && t.len > 0 && (t.ptr[0] == '-' || t.ptr[0] == '+')) break;
        if (!read_part(&t, lenient, parts[i])) return false;
    }
    if (t.len > 0 && t.ptr[0] == '-') {
        size_t n = 1;
        while (n < t.len && t.ptr[n] != '+') n++;
        out->pre = (karp_str){ t.ptr + 1, n - 1 };
        if (!identifiers_valid(out->pre, true)) return false;
        t.ptr += n;
        t.len -= n;
    }
    if (t.len > 0 && t.ptr[0] == '+') return identifiers_valid((karp_str){ t.ptr + 1, t.len - 1 }, false);
    return t.len == 0;
}

static int order_of(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_identifiers(karp_str a, karp_str b)
{
    bool na = all_digits(a), nb = all_digits(b);
    if (na != nb) return na ? -1 : 1;
    if (na && a.len != b.len) return a.len < b.len ? -1 : 1;
    int order = compare_str(a, b);
    return order < 0 ? -1 : order > 0;
}

int cel_compare_versions(const cel_version *x, const cel_version *y)
{
    int order = order_of(x->major, y->major);
    if (order == 0) order = order_of(x->minor, y->minor);
    if (order == 0) order = order_of(x->patch, y->patch);
    if (order != 0) return order;
    if (x->pre.len == 0 || y->pre.len == 0) return x->pre.len == y->pre.len ? 0 : x->pre.len == 0 ? 1 : -1;
    karp_str a = x->pre, b = y->pre;
    while (a.len > 0 && b.len > 0) {
        order = compare_identifiers(next_identifier(&a), next_identifier(&b));
        if (order != 0) return order;
    }
    return a.len > 0 ? 1 : b.len > 0 ? -1 : 0;
}

/* ---- equality and order ------------------------------------------------------------------------------------------ */

static bool number(const cel_value *v)
{
    return v->type == CEL_T_INT || v->type == CEL_T_UINT || v->type == CEL_T_DOUBLE;
}

/* Compares integers with doubles exactly. */
static int order_real(double real, const cel_value *whole)
{
    const double limit = 18446744073709551616.0;
    if (real != real) return 2;
    if (real >= limit) return 1;
    if (real < -limit) return -1;
    bool negative = whole->type == CEL_T_INT && whole->as.integer < 0;
    if (negative != (real < 0)) return real < 0 ? -1 : 1;
    uint64_t size = whole->type == CEL_T_UINT ? whole->as.natural
                    : negative                ? (uint64_t)0 - (uint64_t)whole->as.integer
                                              : (uint64_t)whole->as.integer;
    double positive = negative ? -real : real;
    uint64_t floor = (uint64_t)positive;
    int order = order_of(floor, size);
    if (order == 0 && positive > (double)floor) order = 1;
    return negative ? -order : order;
}

static int order_numbers(const cel_value *x, const cel_value *y)
{
    if (x->type == CEL_T_DOUBLE && y->type == CEL_T_DOUBLE) {
        if (x->as.real != x->as.real || y->as.real != y->as.real) return 2;
        return x->as.real < y->as.real ? -1 : x->as.real > y->as.real;
    }
    if (x->type == CEL_T_DOUBLE) return order_real(x->as.real, y);
    if (y->type == CEL_T_DOUBLE) {
        int order = order_real(y->as.real, x);
        return order == 2 ? 2 : -order;
    }
    bool nx = x->type == CEL_T_INT && x->as.integer < 0, ny = y->type == CEL_T_INT && y->as.integer < 0;
    if (nx != ny) return nx ? -1 : 1;
    uint64_t a = x->type == CEL_T_INT ? (uint64_t)x->as.integer : x->as.natural;
    uint64_t b = y->type == CEL_T_INT ? (uint64_t)y->as.integer : y->as.natural;
    return order_of(a, b);
}

bool cel_equal(const cel_value *x, const cel_value *y)
{
    if (x->optional != y->optional) return false;
    if (x->optional && (!x->present || !y->present)) return x->present == y->present;
    if (number(x) && number(y)) return order_numbers(x, y) == 0;
    if (x->type != y->type) return false;
    if (x->type == CEL_T_BOOL) return x->as.boolean == y->as.boolean;
    if (x->type == CEL_T_TEXT) return equal_str(x->as.text, y->as.text);
    if (x->type == CEL_T_QUANTITY) return amount_cmp(x->as.quantity, y->as.quantity) == 0;
    if (x->type == CEL_T_VERSION) return cel_compare_versions(&x->as.version, &y->as.version) == 0;
    return x->type == CEL_T_NULL;
}

bool cel_order(const cel_value *x, const cel_value *y, int *order)
{
    if (x->optional || y->optional) return false;
    if (number(x) && number(y)) {
        *order = order_numbers(x, y);
        return true;
    }
    if (x->type != y->type) return false;
    if (x->type == CEL_T_TEXT) *order = compare_str(x->as.text, y->as.text);
    else if (x->type == CEL_T_BOOL) *order = (int)x->as.boolean - (int)y->as.boolean;
    else return false;
    return true;
}
