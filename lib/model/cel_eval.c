/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates a checked tree. As in CEL, a failure is a value: "a || b" is true if either is true, even if the other
 * failed.
 */
#include <model/cel_tree.h>

#include <base/str.h>
#include <model/quantity.h>

enum { MOST_STEPS = 100000 };

typedef struct bound {
    karp_str name;
    cel_value value;
    const struct bound *outer;
} bound;

typedef struct run {
    const cel_device *device;
    uint32_t steps;
} run;

static cel_value eval(run *r, const cel_node *n, const bound *names);

static cel_value failure(void) { return (cel_value){ .type = CEL_T_FAILURE }; }
static cel_value of_bool(bool b) { return (cel_value){ .type = CEL_T_BOOL, .as.boolean = b }; }
static cel_value of_int(int64_t i) { return (cel_value){ .type = CEL_T_INT, .as.integer = i }; }
static cel_value of_text(enum cel_type type, karp_str t) { return (cel_value){ .type = type, .as.text = t }; }
static bool plain(const cel_value *v, enum cel_type type) { return v->type == type && !v->optional; }

static cel_value of_quantity(amount a) { return (cel_value){ .type = CEL_T_QUANTITY, .as.quantity = a }; }

/* ---- the device -------------------------------------------------------------------------------------------------- */

static cel_value value_of(const cel_attribute *a)
{
    cel_value v = { .type = CEL_T_TEXT, .as.text = a->text };
    if (a->kind == CEL_INTEGER) return of_int(a->number);
    if (a->kind == CEL_BOOLEAN) return of_bool(a->number != 0);
    if (a->kind == CEL_VERSION) {
        v.type = CEL_T_VERSION;
        if (!cel_read_version(a->text, false, &v.as.version)) return failure();
    }
    return v;
}

/* Whether a domain has any members. */
static bool has_domain(const run *r, enum cel_type map, karp_str domain)
{
    const cel_device *d = r->device;
    for (uint32_t i = 0; map == CEL_T_ATTRIBUTES && i < d->attribute_count; i++) {
        if (equal_str(d->attributes[i].domain, domain)) return true;
    }
    for (uint32_t i = 0; map == CEL_T_CAPACITIES && i < d->capacity_count; i++) {
        if (equal_str(d->capacity[i].domain, domain)) return true;
    }
    return false;
}

/* Looks up a member of a map; false = there is none with this name. A domain without members is an empty map. */
static bool lookup(const run *r, const cel_value *map, karp_str key, cel_value *out)
{
    const cel_device *d = r->device;
    if (map->type == CEL_T_ATTRIBUTES || map->type == CEL_T_CAPACITIES) {
        *out = of_text(map->type == CEL_T_ATTRIBUTES ? CEL_T_ATTRIBUTE_DOMAIN : CEL_T_CAPACITY_DOMAIN, key);
        return true;
    }
    for (uint32_t i = 0; map->type == CEL_T_ATTRIBUTE_DOMAIN && i < d->attribute_count; i++) {
        if (!equal_str(d->attributes[i].domain, map->as.text) || !equal_str(d->attributes[i].name, key)) continue;
        *out = value_of(&d->attributes[i]);
        return true;
    }
    for (uint32_t i = 0; map->type == CEL_T_CAPACITY_DOMAIN && i < d->capacity_count; i++) {
        if (!equal_str(d->capacity[i].domain, map->as.text) || !equal_str(d->capacity[i].name, key)) continue;
        *out = of_quantity(d->capacity[i].value);
        return true;
    }
    return false;
}

static bool is_map(const cel_value *v) { return v->type >= CEL_T_ATTRIBUTES && v->type <= CEL_T_CAPACITY_DOMAIN; }

static cel_value device_field(const run *r, karp_str name)
{
    if (str_is(name, "driver")) return of_text(CEL_T_TEXT, r->device->driver);
    if (str_is(name, "attributes")) return (cel_value){ .type = CEL_T_ATTRIBUTES };
    if (str_is(name, "capacity")) return (cel_value){ .type = CEL_T_CAPACITIES };
    return of_bool(r->device->allow_multiple);
}

static cel_value optionally(cel_value v)
{
    if (v.optional) return failure(); /* nested optionals are not supported */
    if (v.type == CEL_T_FAILURE) return v;
    v.optional = v.present = true;
    return v;
}

static cel_value nothing(void) { return (cel_value){ .type = CEL_T_NULL, .optional = true }; }

static cel_value member(run *r, const cel_node *n, const bound *names)
{
    cel_value of = eval(r, n->first, names), out = failure();
    karp_str key = n->text;
    bool optional = of.optional || n->maybe;
    if (of.type == CEL_T_FAILURE) return of;
    if (of.optional && !of.present) return of;
    of.optional = false;
    if (n->kind == CEL_INDEX) {
        cel_value index = eval(r, n->second, names);
        if (!plain(&index, CEL_T_TEXT)) return failure();
        key = index.as.text;
    }
    if (of.type == CEL_T_DEVICE && n->kind == CEL_SELECT)
        return optional ? optionally(device_field(r, key)) : device_field(r, key);
    if (!is_map(&of)) return failure();
    /* An optional entry of an outer map is present only if its domain has members. */
    bool found = lookup(r, &of, key, &out);
    if (found && n->maybe && (of.type == CEL_T_ATTRIBUTES || of.type == CEL_T_CAPACITIES))
        found = has_domain(r, of.type, key);
    if (!found) return optional ? nothing() : failure();
    return optional ? optionally(out) : out;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static bool affix(enum cel_function f, karp_str in, karp_str what)
{
    if (f == CEL_F_STARTS) return str_has_prefix(in, what);
    return f == CEL_F_ENDS ? str_has_suffix(in, what) : str_contains(in, what);
}

/* The number of code points. */
static int64_t text_size(karp_str t)
{
    int64_t n = 0;
    for (size_t i = 0; i < t.len; i++) n += ((unsigned char)t.ptr[i] & 0xc0) != 0x80;
    return n;
}

static cel_value size_of(const run *r, const cel_value *v)
{
    int64_t n = 0;
    if (plain(v, CEL_T_TEXT)) return of_int(text_size(v->as.text));
    if (plain(v, CEL_T_LIST)) return of_int((int64_t)v->as.list->argument_count);
    if (plain(v, CEL_T_ATTRIBUTE_DOMAIN)) {
        for (uint32_t i = 0; i < r->device->attribute_count; i++)
            n += equal_str(r->device->attributes[i].domain, v->as.text);
        return of_int(n);
    }
    if (plain(v, CEL_T_CAPACITY_DOMAIN)) {
        for (uint32_t i = 0; i < r->device->capacity_count; i++)
            n += equal_str(r->device->capacity[i].domain, v->as.text);
        return of_int(n);
    }
    return failure();
}

static bool whole(amount a, int64_t *out) { return amount_scale(a, amount_whole(1), out); }

static cel_value compare(enum cel_function f, const cel_value *x, const cel_value *y)
{
    int order;
    if (x->optional || y->optional || x->type != y->type) return failure();
    if (x->type == CEL_T_QUANTITY) order = amount_cmp(x->as.quantity, y->as.quantity);
    else if (x->type == CEL_T_VERSION) order = cel_compare_versions(&x->as.version, &y->as.version);
    else return failure();
    if (f == CEL_F_COMPARE) return of_int(order < 0 ? -1 : order > 0);
    return of_bool(f == CEL_F_GREATER ? order > 0 : order < 0);
}

static cel_value of_quantities(enum cel_function f, const cel_value *x, const cel_value *y)
{
    amount a = x->as.quantity, b, out;
    int64_t i = 0;
    if (!plain(x, CEL_T_QUANTITY)) return failure();
    if (f == CEL_F_SIGN) return of_int(amount_sign(a));
    if (f == CEL_F_IS_INTEGER) return of_bool(whole(a, &i));
    if (f == CEL_F_AS_INTEGER) return whole(a, &i) ? of_int(i) : failure();
    if (f == CEL_F_AS_DOUBLE) return (cel_value){ .type = CEL_T_DOUBLE, .as.real = amount_double(a) };
    if (plain(y, CEL_T_QUANTITY)) b = y->as.quantity;
    else if (plain(y, CEL_T_INT)) b = amount_whole(y->as.integer);
    else return failure();
    if (!(f == CEL_F_ADD ? amount_add(a, b, &out) : amount_sub(a, b, &out))) return failure();
    return of_quantity(out);
}

static cel_value of_version(enum cel_function f, const cel_value *x)
{
    if (!plain(x, CEL_T_VERSION)) return failure();
    uint64_t part = f == CEL_F_MAJOR   ? x->as.version.major
                    : f == CEL_F_MINOR ? x->as.version.minor
                                       : x->as.version.patch;
    return part <= (uint64_t)INT64_MAX ? of_int((int64_t)part) : failure();
}

static cel_value read_value(enum cel_function f, const cel_value *text, const cel_value *lenient)
{
    quantity q;
    cel_value v = { .type = CEL_T_VERSION };
    if (!plain(text, CEL_T_TEXT) || (lenient != NULL && !plain(lenient, CEL_T_BOOL))) return failure();
    bool loose = lenient != NULL && lenient->as.boolean;
    if (f == CEL_F_QUANTITY || f == CEL_F_IS_QUANTITY) {
        bool ok = quantity_parse(text->as.text.ptr, text->as.text.len, &q) == QUANTITY_OK;
        if (f == CEL_F_IS_QUANTITY) return of_bool(ok);
        return ok ? of_quantity(q.value) : failure();
    }
    bool ok = cel_read_version(text->as.text, loose, &v.as.version);
    if (f == CEL_F_IS_VERSION) return of_bool(ok);
    return ok ? v : failure();
}

static cel_value to_int(const cel_value *v)
{
    if (plain(v, CEL_T_INT)) return *v;
    if (plain(v, CEL_T_UINT) && v->as.natural <= (uint64_t)INT64_MAX) return of_int((int64_t)v->as.natural);
    if (plain(v, CEL_T_DOUBLE) && v->as.real > -9.2e18 && v->as.real < 9.2e18) return of_int((int64_t)v->as.real);
    return failure();
}

static cel_value of_optional(run *r, const cel_node *n, const cel_value *x, const bound *names)
{
    if (!x->optional) return failure();
    if (n->function == CEL_F_HAS_VALUE) return of_bool(x->present);
    cel_value inner = *x;
    inner.optional = inner.present = false;
    if (n->function == CEL_F_VALUE) return x->present ? inner : failure();
    if (!x->present) return eval(r, n->arguments, names);
    return n->function == CEL_F_OR ? *x : inner;
}

static bool bool_of(const cel_value *v, bool *out)
{
    if (!plain(v, CEL_T_BOOL)) return false;
    *out = v->as.boolean;
    return true;
}

static cel_value quantify(run *r, const cel_node *n, const bound *names)
{
    bound one = { .name = n->arguments->text, .outer = names };
    uint32_t yes = 0, failed = 0, count = 0;
    for (const cel_node *e = n->first->arguments; e != NULL; e = e->next, count++) {
        bool yes_or_no;
        one.value = eval(r, e, names);
        if (one.value.type == CEL_T_FAILURE) return failure(); /* a list has no value as a whole */
        cel_value v = eval(r, n->arguments->next, &one);
        if (!bool_of(&v, &yes_or_no)) failed++;
        else if (yes_or_no) yes++;
    }
    if (n->function == CEL_F_EXISTS && yes > 0) return of_bool(true);
    if (n->function == CEL_F_ALL && yes + failed < count) return of_bool(false);
    if (failed > 0) return failure();
    if (n->function == CEL_F_EXISTS_ONE) return of_bool(yes == 1);
    return of_bool(n->function == CEL_F_ALL);
}

/* A member may be missing, but not the value that it is a member of. */
static cel_value has(run *r, const cel_node *n, const bound *names)
{
    const cel_node *what = n->arguments;
    cel_value of = eval(r, what->first, names), ignored;
    if (of.optional && !of.present) return of_bool(false);
    of.optional = false;
    if (of.type == CEL_T_DEVICE) return of_bool(true);
    return is_map(&of) ? of_bool(lookup(r, &of, what->text, &ignored)) : failure();
}

static cel_value bind(run *r, const cel_node *n, const bound *names)
{
    const cel_node *value = n->arguments->next;
    bound one = { n->arguments->text, eval(r, value, names), names };
    return eval(r, value->next, &one);
}

static cel_value call(run *r, const cel_node *n, const bound *names)
{
    if (n->function == CEL_F_HAS) return has(r, n, names);
    if (n->function == CEL_F_BIND) return bind(r, n, names);
    if (n->function <= CEL_F_EXISTS_ONE) return quantify(r, n, names);
    if (n->function == CEL_F_OPTIONAL_NONE) return nothing();
    if (n->function == CEL_F_OPTIONAL_OF) return optionally(eval(r, n->arguments, names));
    const cel_node *rest = n->on_first ? n->arguments : n->arguments->next;
    cel_value x = eval(r, n->on_first ? n->first : n->arguments, names), y = failure();
    if (x.type == CEL_T_FAILURE) return x;
    if (n->function >= CEL_F_HAS_VALUE && n->function <= CEL_F_OR) return of_optional(r, n, &x, names);
    if (rest != NULL) {
        y = eval(r, rest, names);
        if (y.type == CEL_T_FAILURE) return y;
    }
    switch (n->function) { /* never: another function */
    case CEL_F_STARTS:
    case CEL_F_ENDS:
    case CEL_F_CONTAINS:
        if (!plain(&x, CEL_T_TEXT) || !plain(&y, CEL_T_TEXT)) return failure();
        return of_bool(affix(n->function, x.as.text, y.as.text));
    case CEL_F_SIZE: return size_of(r, &x);
    case CEL_F_COMPARE:
    case CEL_F_GREATER:
    case CEL_F_LESS: return compare(n->function, &x, &y);
    case CEL_F_QUANTITY:
    case CEL_F_IS_QUANTITY:
    case CEL_F_VERSION:
    case CEL_F_IS_VERSION: return read_value(n->function, &x, rest != NULL ? &y : NULL);
    case CEL_F_SIGN:
    case CEL_F_IS_INTEGER:
    case CEL_F_AS_INTEGER:
    case CEL_F_AS_DOUBLE:
    case CEL_F_ADD:
    case CEL_F_SUB: return of_quantities(n->function, &x, &y);
    case CEL_F_MAJOR:
    case CEL_F_MINOR:
    case CEL_F_PATCH: return of_version(n->function, &x);
    case CEL_F_DYN: return x;
    case CEL_F_INT: return to_int(&x);
    case CEL_F_NONE:
    case CEL_F_HAS:
    case CEL_F_BIND:
    case CEL_F_ALL:
    case CEL_F_EXISTS:
    case CEL_F_EXISTS_ONE: /* never: handled above */
    case CEL_F_HAS_VALUE:
    case CEL_F_VALUE:
    case CEL_F_OR_VALUE:
    case CEL_F_OR: /* never: handled above */
    case CEL_F_OPTIONAL_OF:
    case CEL_F_OPTIONAL_NONE: /* never: handled above */ break;
    }
    return failure();
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static cel_value both(run *r, const cel_node *n, const bound *names)
{
    bool decides = n->kind == CEL_OR, x, y; /* the operand that decides the result */
    cel_value left = eval(r, n->first, names);
    bool ok = bool_of(&left, &x);
    if (ok && x == decides) return left;
    cel_value right = eval(r, n->second, names);
    bool right_ok = bool_of(&right, &y);
    if (right_ok && y == decides) return right;
    return ok && right_ok ? of_bool(!decides) : failure();
}

static cel_value contained(run *r, const cel_node *n, const bound *names)
{
    cel_value x = eval(r, n->first, names), map, ignored;
    bool found = false;
    if (x.type == CEL_T_FAILURE) return x;
    if (n->second->kind == CEL_LIST) {
        for (const cel_node *e = n->second->arguments; e != NULL; e = e->next) {
            cel_value v = eval(r, e, names);
            if (v.type == CEL_T_FAILURE) return v;
            found = found || cel_equal(&x, &v);
        }
        return of_bool(found);
    }
    map = eval(r, n->second, names);
    if (!is_map(&map) || map.optional || !plain(&x, CEL_T_TEXT)) return failure();
    if (map.type == CEL_T_ATTRIBUTES || map.type == CEL_T_CAPACITIES)
        return of_bool(has_domain(r, map.type, x.as.text));
    return of_bool(lookup(r, &map, x.as.text, &ignored));
}

static cel_value whole_arithmetic(enum cel_kind kind, int64_t a, int64_t b)
{
    int64_t out = 0;
    bool bad = false;
    if (kind == CEL_ADD) bad = __builtin_add_overflow(a, b, &out);
    else if (kind == CEL_SUBTRACT) bad = __builtin_sub_overflow(a, b, &out);
    else if (kind == CEL_MULTIPLY) bad = __builtin_mul_overflow(a, b, &out);
    else if (b == 0 || (a == INT64_MIN && b == -1)) bad = true;
    else out = kind == CEL_DIVIDE ? a / b : a % b;
    return bad ? failure() : of_int(out);
}

static cel_value natural_arithmetic(enum cel_kind kind, uint64_t a, uint64_t b)
{
    cel_value v = { .type = CEL_T_UINT };
    bool bad = false;
    if (kind == CEL_ADD) bad = __builtin_add_overflow(a, b, &v.as.natural);
    else if (kind == CEL_SUBTRACT) bad = __builtin_sub_overflow(a, b, &v.as.natural);
    else if (kind == CEL_MULTIPLY) bad = __builtin_mul_overflow(a, b, &v.as.natural);
    else if (b == 0) bad = true;
    else v.as.natural = kind == CEL_DIVIDE ? a / b : a % b;
    return bad ? failure() : v;
}

static cel_value arithmetic(enum cel_kind kind, const cel_value *x, const cel_value *y)
{
    if (x->optional || y->optional || x->type != y->type) return failure();
    if (x->type == CEL_T_INT) return whole_arithmetic(kind, x->as.integer, y->as.integer);
    if (x->type == CEL_T_UINT) return natural_arithmetic(kind, x->as.natural, y->as.natural);
    if (x->type != CEL_T_DOUBLE || kind == CEL_MODULO) return failure();
    double a = x->as.real, b = y->as.real;
    double out = kind == CEL_ADD ? a + b : kind == CEL_SUBTRACT ? a - b : kind == CEL_MULTIPLY ? a * b : a / b;
    return (cel_value){ .type = CEL_T_DOUBLE, .as.real = out };
}

static cel_value ordered(enum cel_kind kind, const cel_value *x, const cel_value *y)
{
    int order;
    if (!cel_order(x, y, &order)) return failure();
    if (order == 2) return of_bool(false);
    if (kind == CEL_LESS) return of_bool(order < 0);
    if (kind == CEL_LESS_EQUAL) return of_bool(order <= 0);
    return of_bool(kind == CEL_MORE ? order > 0 : order >= 0);
}

static cel_value two(run *r, const cel_node *n, const bound *names)
{
    cel_value x = eval(r, n->first, names), y = eval(r, n->second, names);
    if (x.type == CEL_T_FAILURE || y.type == CEL_T_FAILURE) return failure();
    if (n->kind == CEL_EQUAL || n->kind == CEL_UNEQUAL) return of_bool(cel_equal(&x, &y) == (n->kind == CEL_EQUAL));
    if (n->kind <= CEL_MORE_EQUAL) return ordered(n->kind, &x, &y);
    return arithmetic(n->kind, &x, &y);
}

static cel_value one(run *r, const cel_node *n, const bound *names)
{
    bool b;
    cel_value x = eval(r, n->first, names);
    if (n->kind == CEL_NOT) return bool_of(&x, &b) ? of_bool(!b) : failure();
    if (plain(&x, CEL_T_INT) && x.as.integer != INT64_MIN) return of_int(-x.as.integer);
    if (plain(&x, CEL_T_DOUBLE)) return (cel_value){ .type = CEL_T_DOUBLE, .as.real = -x.as.real };
    return failure();
}

static cel_value choice(run *r, const cel_node *n, const bound *names)
{
    bool b;
    cel_value x = eval(r, n->first, names);
    if (!bool_of(&x, &b)) return failure();
    return eval(r, b ? n->second : n->third, names);
}

static cel_value name_value(const cel_node *n, const bound *names)
{
    for (; names != NULL; names = names->outer) {
        if (equal_str(names->name, n->text)) return names->value;
    }
    return (cel_value){ .type = CEL_T_DEVICE };
}

static cel_value eval(run *r, const cel_node *n, const bound *names)
{
    if (++r->steps > MOST_STEPS) return failure();
    switch (n->kind) { /* never: another kind */
    case CEL_CONSTANT: return n->constant;
    case CEL_NAME: return name_value(n, names);
    case CEL_SELECT:
    case CEL_INDEX: return member(r, n, names);
    case CEL_CALL: return call(r, n, names);
    case CEL_LIST: return (cel_value){ .type = CEL_T_LIST, .as.list = n };
    case CEL_NOT:
    case CEL_MINUS: return one(r, n, names);
    case CEL_AND:
    case CEL_OR: return both(r, n, names);
    case CEL_IN: return contained(r, n, names);
    case CEL_CHOICE: return choice(r, n, names);
    case CEL_EQUAL:
    case CEL_UNEQUAL:
    case CEL_LESS:
    case CEL_LESS_EQUAL:
    case CEL_MORE:
    case CEL_MORE_EQUAL:
    case CEL_ADD:
    case CEL_SUBTRACT:
    case CEL_MULTIPLY:
    case CEL_DIVIDE:
    case CEL_MODULO: return two(r, n, names);
    }
    return failure();
}

uint32_t cel_matches(const cel_node *program, const cel_device *device)
{
    run r = { .device = device };
    bool yes_or_no;
    cel_value v = eval(&r, program, NULL);
    if (!bool_of(&v, &yes_or_no)) return CEL_ERROR;
    return yes_or_no ? CEL_YES : CEL_NO;
}
