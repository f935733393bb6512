/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selectors of devices: the part of CEL that random worlds use. An expression is evaluated while it is read; as in CEL,
 * && and || forgive an error on one side if the other side decides.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "memory.h"

enum kind { FAILURE, BOOL, INT, STRING, AMOUNT, VERSION, DEVICE, DOMAINS, NAMES, LIST };

struct value {
    enum kind kind;
    int64_t number; /* BOOL, INT */
    const char *text; /* STRING; the domain of NAMES */
    amount quantity;
    int64_t version[3];
    bool capacity; /* DOMAINS, NAMES: of capacity, not of attributes */
    struct value *items; /* LIST */
    size_t count;
};

struct reader {
    const char *at;
    const struct device *device;
    bool broken; /* it is not of the language */
};

static const struct value failure = { .kind = FAILURE };

static struct value boolean(bool value) { return (struct value){ .kind = BOOL, .number = value }; }

static struct value expression(struct reader *r);

/* ------------------------------------------------------------------------------------------------ tokens */

static void skip(struct reader *r)
{
    while (isspace((unsigned char)*r->at)) {
        r->at++;
    }
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/** Takes a token if it is next; a word must end there. */
static bool take(struct reader *r, const char *token)
{
    size_t length = strlen(token);
    skip(r);
    if (strncmp(r->at, token, length) != 0 || (is_name(token[0]) && is_name(r->at[length]))) {
        return false;
    }
    r->at += length;
    return true;
}

static void expect(struct reader *r, const char *token)
{
    if (!take(r, token)) {
        r->broken = true;
    }
}

static const char *name(struct reader *r)
{
    skip(r);
    const char *start = r->at;
    while (is_name(*r->at)) {
        r->at++;
    }
    r->broken = r->broken || r->at == start;
    return ref_format("%.*s", (int)(r->at - start), start);
}

static const char *string(struct reader *r)
{
    skip(r);
    const char quote = *r->at, *start = r->at + 1;
    const char *end = quote == '"' || quote == '\'' ? strchr(start, quote) : NULL;
    if (end == NULL) {
        r->broken = true;
        return "";
    }
    r->at = end + 1;
    return ref_format("%.*s", (int)(end - start), start);
}

/* ------------------------------------------------------------------------------------------------ of the device */

static struct value version(const char *text)
{
    struct value out = { .kind = VERSION };
    char *end = NULL;
    for (int i = 0; i < 3; i++) {
        out.version[i] = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : -1;
        if (out.version[i] < 0 || *end != (i < 2 ? '.' : '\0')) {
            return failure;
        }
        text = end + 1;
    }
    return out;
}

static struct value attribute(const json_t *a)
{
    if (ref_at(a, "int") != NULL) {
        return (struct value){ .kind = INT, .number = ref_int(a, "int", 0) };
    }
    if (ref_at(a, "bool") != NULL) {
        return boolean(ref_true(a, "bool", false));
    }
    if (ref_at(a, "string") != NULL) {
        return (struct value){ .kind = STRING, .text = ref_text(a, "string") };
    }
    return version(ref_text(a, "version"));
}

/** Names without a domain are of the driver's. */
static bool is_of(const struct device *d, const char *key, const char *domain, const char *id)
{
    const char *slash = strchr(key, '/');
    if (slash == NULL) {
        return strcmp(domain, d->id.driver) == 0 && (id == NULL || strcmp(key, id) == 0);
    }
    return strncmp(key, domain, (size_t)(slash - key)) == 0 && domain[slash - key] == '\0' &&
           (id == NULL || strcmp(slash + 1, id) == 0);
}

/** An entry of a domain, any with @p id NULL; a FAILURE if there is none. */
static struct value look_up(const struct reader *r, bool capacity, const char *domain, const char *id)
{
    const struct device *d = r->device;
    struct labels keys = ref_labels_read(capacity ? NULL : d->attributes);
    for (size_t i = 0; i < keys.count; i++) {
        if (is_of(d, keys.items[i].key, domain, id)) {
            return attribute(ref_at(d->attributes, keys.items[i].key));
        }
    }
    for (size_t i = 0; capacity && i < d->dimension_count; i++) {
        if (is_of(d, d->dimensions[i].name, domain, id)) {
            return (struct value){ .kind = AMOUNT, .quantity = d->dimensions[i].value };
        }
    }
    return failure;
}

static struct value member(struct reader *r, struct value of, const char *field)
{
    if (of.kind == NAMES) {
        return look_up(r, of.capacity, of.text, field);
    }
    if (of.kind != DEVICE) {
        return failure;
    }
    if (strcmp(field, "driver") == 0) {
        return (struct value){ .kind = STRING, .text = r->device->id.driver };
    }
    if (strcmp(field, "allowMultipleAllocations") == 0) {
        return boolean(r->device->shared);
    }
    if (strcmp(field, "attributes") == 0 || strcmp(field, "capacity") == 0) {
        return (struct value){ .kind = DOMAINS, .capacity = *field == 'c' };
    }
    r->broken = true;
    return failure;
}

static struct value element(struct reader *r, struct value of, struct value key)
{
    if (key.kind != STRING || (of.kind != DOMAINS && of.kind != NAMES)) {
        return failure;
    }
    return of.kind == NAMES ? member(r, of, key.text)
                            : (struct value){ .kind = NAMES, .capacity = of.capacity, .text = key.text };
}

/* ------------------------------------------------------------------------------------------------ operators */

static int order(const struct value *a, const struct value *b)
{
    if (a->kind == STRING) {
        return strcmp(a->text, b->text);
    }
    if (a->kind == AMOUNT) {
        return (a->quantity > b->quantity) - (a->quantity < b->quantity);
    }
    for (int i = 0; a->kind == VERSION && i < 3; i++) {
        if (a->version[i] != b->version[i]) {
            return a->version[i] < b->version[i] ? -1 : 1;
        }
    }
    return a->kind == VERSION ? 0 : (a->number > b->number) - (a->number < b->number);
}

static struct value equal(struct value a, struct value b, bool wanted)
{
    if (a.kind == FAILURE || b.kind == FAILURE) {
        return failure;
    }
    return boolean((a.kind == b.kind && order(&a, &b) == 0) == wanted);
}

static struct value less(struct value a, struct value b, bool or_equal)
{
    if (a.kind != b.kind || (a.kind != INT && a.kind != STRING && a.kind != BOOL)) {
        return failure;
    }
    return boolean(order(&a, &b) < (or_equal ? 1 : 0));
}

static struct value contains(const struct reader *r, struct value item, struct value in)
{
    if (item.kind == FAILURE || in.kind == FAILURE) {
        return failure;
    }
    if (in.kind == LIST) {
        bool found = false;
        for (size_t i = 0; i < in.count; i++) {
            found = found || (item.kind == in.items[i].kind && order(&item, &in.items[i]) == 0);
        }
        return boolean(found);
    }
    if (item.kind != STRING || (in.kind != DOMAINS && in.kind != NAMES)) {
        return failure;
    }
    bool domain = in.kind == DOMAINS;
    return boolean(look_up(r, in.capacity, domain ? item.text : in.text, domain ? NULL : item.text).kind != FAILURE);
}

static struct value method(struct reader *r, struct value of, const char *called, struct value with)
{
    if (strcmp(called, "compareTo") != 0 && strcmp(called, "isLessThan") != 0 && strcmp(called, "isGreaterThan") != 0) {
        r->broken = true;
    }
    if (of.kind != with.kind || (of.kind != AMOUNT && of.kind != VERSION)) {
        return failure;
    }
    int sign = order(&of, &with);
    return *called == 'c' ? (struct value){ .kind = INT, .number = sign }
                          : boolean(strcmp(called, "isLessThan") == 0 ? sign < 0 : sign > 0);
}

/* ------------------------------------------------------------------------------------------------ grammar */

static struct value list(struct reader *r)
{
    struct value out = { .kind = LIST };
    while (!r->broken && !take(r, "]")) {
        if (out.count > 0) {
            expect(r, ",");
        }
        struct value one = expression(r);
        out.items = ref_push(out.items, out.count, sizeof one);
        out.items[out.count++] = one;
    }
    return out;
}

static struct value made_of_text(struct reader *r, bool amounts)
{
    struct value out = { .kind = AMOUNT };
    expect(r, "(");
    const char *text = string(r);
    expect(r, ")");
    if (!amounts) {
        return version(text);
    }
    return ref_amount_parse(text, &out.quantity) ? out : failure;
}

static struct value primary(struct reader *r)
{
    struct value out = { .kind = STRING };
    skip(r);
    if (take(r, "(")) {
        out = expression(r);
        expect(r, ")");
        return out;
    }
    if (take(r, "[")) {
        return list(r);
    }
    if (*r->at == '"' || *r->at == '\'') {
        out.text = string(r);
        return out;
    }
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        out = (struct value){ .kind = INT, .number = strtoll(r->at, &end, 10) };
        r->at = end;
        return out;
    }
    const char *word = name(r);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
        return boolean(*word == 't');
    }
    if (strcmp(word, "quantity") == 0 || strcmp(word, "semver") == 0) {
        return made_of_text(r, *word == 'q');
    }
    if (strcmp(word, "has") == 0) {
        expect(r, "(");
        out = expression(r);
        expect(r, ")");
        return boolean(out.kind != FAILURE);
    }
    r->broken = r->broken || strcmp(word, "device") != 0;
    return (struct value){ .kind = DEVICE };
}

static struct value postfix(struct reader *r)
{
    struct value out = primary(r);
    for (;;) {
        if (r->broken) {
            return failure;
        }
        if (take(r, "[")) {
            out = element(r, out, expression(r));
            expect(r, "]");
        } else if (take(r, ".")) {
            const char *field = name(r);
            if (take(r, "(")) {
                out = method(r, out, field, expression(r));
                expect(r, ")");
            } else {
                out = member(r, out, field);
            }
        } else {
            return out;
        }
    }
}

static struct value unary(struct reader *r)
{
    skip(r);
    if (strncmp(r->at, "!=", 2) != 0 && take(r, "!")) {
        struct value v = unary(r);
        return v.kind == BOOL ? boolean(!v.number) : failure;
    }
    if (take(r, "-")) {
        struct value v = unary(r);
        v.number = -v.number;
        return v.kind == INT ? v : failure;
    }
    return postfix(r);
}

static struct value relation(struct reader *r)
{
    struct value left = unary(r);
    if (take(r, "==")) {
        return equal(left, unary(r), true);
    }
    if (take(r, "!=")) {
        return equal(left, unary(r), false);
    }
    if (take(r, "<=")) {
        return less(left, unary(r), true);
    }
    if (take(r, ">=")) {
        return less(unary(r), left, true);
    }
    if (take(r, "<")) {
        return less(left, unary(r), false);
    }
    if (take(r, ">")) {
        return less(unary(r), left, false);
    }
    return take(r, "in") ? contains(r, left, unary(r)) : left;
}

/** One side that decides is enough. */
static struct value joined(struct value a, struct value b, bool decides)
{
    if ((a.kind == BOOL && a.number == decides) || (b.kind == BOOL && b.number == decides)) {
        return boolean(decides);
    }
    return a.kind == BOOL && b.kind == BOOL ? boolean(!decides) : failure;
}

static struct value all_of(struct reader *r)
{
    struct value out = relation(r);
    while (take(r, "&&")) {
        out = joined(out, relation(r), false);
    }
    return out;
}

static struct value expression(struct reader *r)
{
    struct value out = all_of(r);
    while (take(r, "||")) {
        out = joined(out, all_of(r), true);
    }
    return out;
}

static struct value evaluate(struct reader *r)
{
    struct value out = expression(r);
    skip(r);
    r->broken = r->broken || *r->at != '\0';
    return out;
}

bool ref_cel_parses(const char *text)
{
    static const struct device none = { .id = { "", "", "", false } };
    struct reader r = { text, &none, false };
    (void)evaluate(&r);
    return !r.broken;
}

int ref_cel_matches(const char *text, const struct device *device)
{
    struct reader r = { text, device, false };
    struct labels keys = ref_labels_read(device->attributes);
    for (size_t i = 0; i < keys.count; i++) {
        if (attribute(ref_at(device->attributes, keys.items[i].key)).kind == FAILURE) {
            return CEL_FAILS; /* one bad attribute spoils the device */
        }
    }
    struct value out = evaluate(&r);
    return out.kind != BOOL ? CEL_FAILS : out.number != 0 ? CEL_YES : CEL_NO;
}
