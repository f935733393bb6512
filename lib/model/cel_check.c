/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Type checking of expressions, as far as it is possible without a device. Kubernetes checks types when a claim is
 * created or evaluated, so an expression that fails here never selects a device.
 */
#include <model/cel_tree.h>

#include <base/str.h>

typedef struct bound {
    karp_str name;
    enum cel_type type;
    const struct bound *outer;
} bound;

typedef struct checker {
    bool wrong, beyond;
} checker;

static enum cel_type check(checker *c, cel_node *n, const bound *names);

/* ---- functions --------------------------------------------------------------------------------------------------- */

struct known_function {
    const char *name;
    enum cel_function function;
    enum cel_type receiver; /* CEL_T_FAILURE = a function without a receiver */
    uint32_t least, most; /* number of arguments */
    enum cel_type argument, result;
};

static const struct known_function functions[] = {
    { "has", CEL_F_HAS, CEL_T_FAILURE, 1, 1, CEL_ANY, CEL_T_BOOL },
    { "quantity", CEL_F_QUANTITY, CEL_T_FAILURE, 1, 1, CEL_T_TEXT, CEL_T_QUANTITY },
    { "isQuantity", CEL_F_IS_QUANTITY, CEL_T_FAILURE, 1, 1, CEL_T_TEXT, CEL_T_BOOL },
    { "semver", CEL_F_VERSION, CEL_T_FAILURE, 1, 2, CEL_ANY, CEL_T_VERSION },
    { "isSemver", CEL_F_IS_VERSION, CEL_T_FAILURE, 1, 2, CEL_ANY, CEL_T_BOOL },
    { "size", CEL_F_SIZE, CEL_T_FAILURE, 1, 1, CEL_ANY, CEL_T_INT },
    { "dyn", CEL_F_DYN, CEL_T_FAILURE, 1, 1, CEL_ANY, CEL_ANY },
    { "int", CEL_F_INT, CEL_T_FAILURE, 1, 1, CEL_ANY, CEL_T_INT },
    { "size", CEL_F_SIZE, CEL_ANY, 0, 0, CEL_ANY, CEL_T_INT },
    { "startsWith", CEL_F_STARTS, CEL_T_TEXT, 1, 1, CEL_T_TEXT, CEL_T_BOOL },
    { "endsWith", CEL_F_ENDS, CEL_T_TEXT, 1, 1, CEL_T_TEXT, CEL_T_BOOL },
    { "contains", CEL_F_CONTAINS, CEL_T_TEXT, 1, 1, CEL_T_TEXT, CEL_T_BOOL },
    { "compareTo", CEL_F_COMPARE, CEL_ANY, 1, 1, CEL_ANY, CEL_T_INT },
    { "isGreaterThan", CEL_F_GREATER, CEL_ANY, 1, 1, CEL_ANY, CEL_T_BOOL },
    { "isLessThan", CEL_F_LESS, CEL_ANY, 1, 1, CEL_ANY, CEL_T_BOOL },
    { "sign", CEL_F_SIGN, CEL_T_QUANTITY, 0, 0, CEL_ANY, CEL_T_INT },
    { "isInteger", CEL_F_IS_INTEGER, CEL_T_QUANTITY, 0, 0, CEL_ANY, CEL_T_BOOL },
    { "asInteger", CEL_F_AS_INTEGER, CEL_T_QUANTITY, 0, 0, CEL_ANY, CEL_T_INT },
    { "asApproximateFloat", CEL_F_AS_DOUBLE, CEL_T_QUANTITY, 0, 0, CEL_ANY, CEL_T_DOUBLE },
    { "add", CEL_F_ADD, CEL_T_QUANTITY, 1, 1, CEL_ANY, CEL_T_QUANTITY },
    { "sub", CEL_F_SUB, CEL_T_QUANTITY, 1, 1, CEL_ANY, CEL_T_QUANTITY },
    { "major", CEL_F_MAJOR, CEL_T_VERSION, 0, 0, CEL_ANY, CEL_T_INT },
    { "minor", CEL_F_MINOR, CEL_T_VERSION, 0, 0, CEL_ANY, CEL_T_INT },
    { "patch", CEL_F_PATCH, CEL_T_VERSION, 0, 0, CEL_ANY, CEL_T_INT },
    { "hasValue", CEL_F_HAS_VALUE, CEL_ANY, 0, 0, CEL_ANY, CEL_T_BOOL },
    { "value", CEL_F_VALUE, CEL_ANY, 0, 0, CEL_ANY, CEL_ANY },
    { "orValue", CEL_F_OR_VALUE, CEL_ANY, 1, 1, CEL_ANY, CEL_ANY },
    { "or", CEL_F_OR, CEL_ANY, 1, 1, CEL_ANY, CEL_ANY },
};

static bool fits(enum cel_type have, enum cel_type wanted)
{
    return have == wanted || have == CEL_ANY || wanted == CEL_ANY;
}

/* cel.bind(), optional.of(), optional.none(): a namespace takes the position of the receiver. */
static bool in_namespace(const cel_node *n, const char *space, const bound *names)
{
    if (!n->on_first || n->first->kind != CEL_NAME || !str_is(n->first->text, space)) return false;
    for (const bound *b = names; b != NULL; b = b->outer) {
        if (str_is(b->name, space)) return false;
    }
    return true;
}

static enum cel_type check_optional(checker *c, cel_node *n, const bound *names)
{
    bool of = str_is(n->text, "of"), none = str_is(n->text, "none");
    if (!of && !none) {
        c->beyond = true;
        return CEL_ANY;
    }
    if (n->argument_count != (of ? 1U : 0U)) c->wrong = true;
    else if (of) (void)check(c, n->arguments, names);
    n->function = of ? CEL_F_OPTIONAL_OF : CEL_F_OPTIONAL_NONE;
    return CEL_ANY;
}

static enum cel_type check_bind(checker *c, cel_node *n, const bound *names)
{
    if (!str_is(n->text, "bind") || n->argument_count != 3 || n->arguments->kind != CEL_NAME) {
        if (str_is(n->text, "bind")) c->wrong = true;
        else c->beyond = true;
        return CEL_ANY;
    }
    cel_node *value = n->arguments->next;
    bound one = { n->arguments->text, check(c, value, names), names };
    if (value->kind == CEL_LIST) c->beyond = true; /* lists are not supported as values */
    n->function = CEL_F_BIND;
    return check(c, value->next, &one);
}

/* list.all(x, …), list.exists(x, …) and similar */
static enum cel_type check_quantifier(checker *c, cel_node *n, const bound *names)
{
    enum cel_type over = check(c, n->first, names);
    if (n->argument_count != 2 || n->arguments->kind != CEL_NAME) {
        c->wrong = true;
        return CEL_T_BOOL;
    }
    if (n->first->kind != CEL_LIST) c->beyond = true;
    if (over != CEL_T_LIST && over != CEL_ANY && over < CEL_T_ATTRIBUTES) c->wrong = true;
    bound one = { n->arguments->text, CEL_ANY, names };
    enum cel_type body = check(c, n->arguments->next, &one);
    if (!fits(body, CEL_T_BOOL)) c->wrong = true;
    n->function = str_is(n->text, "all") ? CEL_F_ALL : str_is(n->text, "exists") ? CEL_F_EXISTS : CEL_F_EXISTS_ONE;
    return CEL_T_BOOL;
}

static bool quantifier(karp_str name) { return str_in_list(name, "all exists exists_one existsOne"); }

static void check_has(checker *c, cel_node *n, const bound *names)
{
    if (n->argument_count != 1 || n->arguments->kind != CEL_SELECT || n->arguments->maybe) c->wrong = true;
    else (void)check(c, n->arguments, names);
}

static bool comparable_here(enum cel_type t) { return t == CEL_ANY || t == CEL_T_QUANTITY || t == CEL_T_VERSION; }

static void check_arguments(checker *c, cel_node *n, const struct known_function *f, enum cel_type receiver,
                            const bound *names)
{
    bool compares = f->function == CEL_F_COMPARE || f->function == CEL_F_GREATER || f->function == CEL_F_LESS;
    if (n->argument_count < f->least || n->argument_count > f->most) c->wrong = true;
    if (n->on_first && !fits(receiver, f->receiver)) c->wrong = true;
    if (compares && !comparable_here(receiver)) c->wrong = true;
    for (cel_node *a = n->arguments; a != NULL; a = a->next) {
        enum cel_type t = check(c, a, names);
        if (!fits(t, f->argument) || (compares && !fits(t, receiver))) c->wrong = true;
        if (a->kind == CEL_LIST && f->function != CEL_F_SIZE) c->beyond = true;
    }
}

static enum cel_type check_call(checker *c, cel_node *n, const bound *names)
{
    if (in_namespace(n, "cel", names)) return check_bind(c, n, names);
    if (in_namespace(n, "optional", names)) return check_optional(c, n, names);
    if (n->on_first && quantifier(n->text)) return check_quantifier(c, n, names);
    const struct known_function *f = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && f == NULL; i++) {
        bool alone = functions[i].receiver == CEL_T_FAILURE;
        if (alone != n->on_first && str_is(n->text, functions[i].name)) f = &functions[i];
    }
    if (f == NULL) {
        c->beyond = true;
        return CEL_ANY;
    }
    n->function = f->function;
    if (f->function == CEL_F_HAS) {
        check_has(c, n, names);
        return f->result;
    }
    enum cel_type receiver = n->on_first ? check(c, n->first, names) : CEL_ANY;
    check_arguments(c, n, f, receiver, names);
    return f->result;
}

/* ---- names, members ---------------------------------------------------------------------------------------------- */

static enum cel_type check_name(checker *c, const cel_node *n, const bound *names)
{
    static const char *const types[] = { "bool", "bytes",     "double", "int",  "list",
                                         "map",  "null_type", "string", "type", "uint" };
    for (const bound *b = names; b != NULL; b = b->outer) {
        if (equal_str(b->name, n->text)) return b->type;
    }
    if (str_is(n->text, "device")) return CEL_T_DEVICE;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (str_is(n->text, types[i])) {
            c->beyond = true;
            return CEL_ANY;
        }
    }
    c->wrong = true;
    return CEL_ANY;
}

static enum cel_type field_of_device(checker *c, karp_str name)
{
    if (str_is(name, "driver")) return CEL_T_TEXT;
    if (str_is(name, "attributes")) return CEL_T_ATTRIBUTES;
    if (str_is(name, "capacity")) return CEL_T_CAPACITIES;
    if (str_is(name, "allowMultipleAllocations")) return CEL_T_BOOL;
    c->wrong = true;
    return CEL_ANY;
}

static enum cel_type check_member(checker *c, cel_node *n, const bound *names)
{
    enum cel_type of = check(c, n->first, names), key = CEL_T_TEXT;
    if (n->kind == CEL_INDEX) {
        key = check(c, n->second, names);
        if (of == CEL_T_LIST) c->beyond = true;
        if (of == CEL_T_DEVICE || n->second->kind == CEL_LIST) c->wrong = true;
    }
    if (n->maybe && of != CEL_T_DEVICE) {
        if (of > CEL_ANY && of < CEL_T_ATTRIBUTES && of != CEL_T_LIST) c->wrong = true;
        return CEL_ANY;
    }
    if (of >= CEL_T_ATTRIBUTES && !fits(key, CEL_T_TEXT)) c->wrong = true;
    if (of == CEL_T_DEVICE && n->kind == CEL_SELECT) return field_of_device(c, n->text);
    if (of == CEL_T_ATTRIBUTES) return CEL_T_ATTRIBUTE_DOMAIN;
    if (of == CEL_T_CAPACITIES) return CEL_T_CAPACITY_DOMAIN;
    if (of == CEL_T_CAPACITY_DOMAIN) return CEL_T_QUANTITY;
    if (of == CEL_ANY || of == CEL_T_ATTRIBUTE_DOMAIN || of == CEL_T_LIST) return CEL_ANY;
    c->wrong = true; /* selects a member of a simple value */
    return CEL_ANY;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static bool numeric(enum cel_type t) { return t == CEL_ANY || t == CEL_T_INT || t == CEL_T_UINT || t == CEL_T_DOUBLE; }

static bool has_order(enum cel_type t) { return t <= CEL_T_TEXT; } /* CEL_ANY is the first enumerator */

static void check_in(checker *c, enum cel_type x, enum cel_type y)
{
    if (y != CEL_ANY && y != CEL_T_LIST && y < CEL_T_ATTRIBUTES) c->wrong = true;
    if (y == CEL_ANY) c->beyond = true; /* a map or list of unknown type */
    if (y >= CEL_T_ATTRIBUTES && !fits(x, CEL_T_TEXT)) c->wrong = true;
    if (x == CEL_T_LIST) c->beyond = true;
}

static enum cel_type check_two(checker *c, const cel_node *n, enum cel_type x, enum cel_type y)
{
    if (n->kind == CEL_AND || n->kind == CEL_OR) {
        if (!fits(x, CEL_T_BOOL) || !fits(y, CEL_T_BOOL)) c->wrong = true;
        return CEL_T_BOOL;
    }
    if (n->kind == CEL_EQUAL || n->kind == CEL_UNEQUAL) {
        if (!fits(x, y) && x != CEL_T_NULL && y != CEL_T_NULL) c->wrong = true;
        if (x == CEL_T_LIST || y == CEL_T_LIST || x >= CEL_T_DEVICE || y >= CEL_T_DEVICE) c->beyond = true;
        return CEL_T_BOOL;
    }
    if (n->kind == CEL_IN) {
        check_in(c, x, y);
        return CEL_T_BOOL;
    }
    if (n->kind <= CEL_MORE_EQUAL) { /* for the remaining operators */
        if (!(fits(x, y) || (numeric(x) && numeric(y))) || !has_order(x) || !has_order(y)) c->wrong = true;
        return CEL_T_BOOL;
    }
    bool texts = n->kind == CEL_ADD && (x == CEL_T_TEXT || y == CEL_T_TEXT || x == CEL_T_LIST || y == CEL_T_LIST);
    if (texts) c->beyond = true; /* the result would be a new text or list */
    else if (!numeric(x) || !numeric(y)) c->wrong = true;
    if (!fits(x, y) || (n->kind == CEL_MODULO && (x == CEL_T_DOUBLE || y == CEL_T_DOUBLE))) c->wrong = true;
    return x != CEL_ANY ? x : y;
}

static enum cel_type check_choice(checker *c, cel_node *n, const bound *names)
{
    if (!fits(check(c, n->first, names), CEL_T_BOOL)) c->wrong = true;
    enum cel_type yes = check(c, n->second, names), no = check(c, n->third, names);
    if (n->second->kind == CEL_LIST || n->third->kind == CEL_LIST) c->beyond = true;
    if (!fits(yes, no)) c->wrong = true;
    return yes != CEL_ANY ? yes : no;
}

static enum cel_type check_list(checker *c, const cel_node *n, const bound *names)
{
    enum cel_type of = CEL_ANY;
    for (cel_node *e = n->arguments; e != NULL; e = e->next) {
        enum cel_type t = check(c, e, names);
        if (!fits(t, of)) c->wrong = true; /* Kubernetes requires lists of a single type */
        if (of == CEL_ANY) of = t;
        if (e->kind == CEL_LIST) c->beyond = true;
    }
    return CEL_T_LIST;
}

static enum cel_type check(checker *c, cel_node *n, const bound *names)
{
    enum cel_type x;
    if (c->wrong) return CEL_ANY;
    switch (n->kind) { /* never: another kind */
    case CEL_CONSTANT: return n->constant.type;
    case CEL_NAME: return check_name(c, n, names);
    case CEL_SELECT:
    case CEL_INDEX: return check_member(c, n, names);
    case CEL_CALL: return check_call(c, n, names);
    case CEL_LIST: return check_list(c, n, names);
    case CEL_NOT:
        if (!fits(check(c, n->first, names), CEL_T_BOOL)) c->wrong = true;
        return CEL_T_BOOL;
    case CEL_MINUS:
        x = check(c, n->first, names);
        if (!numeric(x) || x == CEL_T_UINT) c->wrong = true;
        return x;
    case CEL_CHOICE: return check_choice(c, n, names);
    case CEL_AND:
    case CEL_OR:
    case CEL_EQUAL:
    case CEL_UNEQUAL:
    case CEL_LESS:
    case CEL_LESS_EQUAL:
    case CEL_MORE:
    case CEL_MORE_EQUAL:
    case CEL_IN:
    case CEL_ADD:
    case CEL_SUBTRACT:
    case CEL_MULTIPLY:
    case CEL_DIVIDE:
    case CEL_MODULO: x = check(c, n->first, names); return check_two(c, n, x, check(c, n->second, names));
    }
    return CEL_ANY;
}

/* cel_check.c: resolves the functions. Returns CEL_COMPILED, CEL_WRONG or CEL_BEYOND. */
static uint32_t cel_check(cel_node *root)
{
    checker c = { .wrong = false };
    enum cel_type t = check(&c, root, NULL);
    if (c.wrong || !fits(t, CEL_T_BOOL)) return CEL_WRONG;
    return c.beyond ? CEL_BEYOND : CEL_COMPILED;
}

uint32_t cel_compile(arena *a, karp_str text, const cel_node **out)
{
    cel_node *root = NULL;
    arena_mark mark = arena_get_mark(a);
    uint32_t status = cel_parse(a, text, &root);
    if (status == CEL_COMPILED) status = cel_check(root);
    if (status == CEL_COMPILED) *out = root;
    else arena_release(a, mark);
    return status;
}
