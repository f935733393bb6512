/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/cloud/go_hash.h>

#include <karp/values.h>

/* "Never" and invalid durations have no value. */
static bool duration_of(const tree *value, int64_t *out)
{
    *out = 0;
    return karp_duration_parse(tree_text(value), out) == KARP_OK;
}

static uint64_t of_duration(const char *type, const tree *value)
{
    int64_t nanoseconds;
    uint64_t h = go_hash_text(str(type));
    bool there = duration_of(value, &nanoseconds);
    /* Karpenter's type contains a pointer, so zero is hashed, too. */
    if (there && (nanoseconds != 0 || strcmp(type, "NillableDuration") == 0))
        go_hash_field(&h, "Duration", go_hash_number((uint64_t)nanoseconds, 8));
    return h;
}

static uint64_t of_quantity(const tree *value)
{
    char text[KARP_VALUE_TEXT];
    karp_str given = tree_text_or_digits(value);
    return karp_quantity_canonical(given, text) == KARP_OK ? go_hash_text(str(text)) : go_hash_text(given);
}

static uint64_t of_value(const go_field *f, const tree *value)
{
    int64_t number = 0;
    switch (f->kind) {
    case GO_TEXT: return go_hash_text(tree_text(value));
    case GO_BOOL: return go_hash_number(tree_is(value, TREE_TRUE), 1);
    case GO_INT32:
    case GO_INT64:
        (void)tree_integer(value, &number);
        return go_hash_number((uint64_t)number, f->kind == GO_INT32 ? 4 : 8);
    case GO_DURATION: return of_duration("Duration", value);
    case GO_NILLABLE_DURATION: return of_duration("NillableDuration", value);
    case GO_QUANTITY_TEXT: return of_quantity(value);
    case GO_STRUCT: return go_hash_struct(f->of, value);
    }
    return 0;
}

/* Whether all fields of the struct are zero. */
static bool is_zero_struct(const go_struct *type, const tree *object);

static bool is_zero(const go_field *f, const tree *value)
{
    int64_t number = 0;
    if (!value) return true;
    if (f->form != GO_PLAIN) return false;
    switch (f->kind) {
    case GO_TEXT: return tree_text(value).len == 0;
    case GO_BOOL: return !tree_is(value, TREE_TRUE);
    case GO_INT32:
    case GO_INT64: return tree_integer(value, &number) && number == 0;
    case GO_DURATION: return !duration_of(value, &number) || number == 0;
    case GO_NILLABLE_DURATION: return false; /* it keeps its original text */
    case GO_QUANTITY_TEXT: return false;
    case GO_STRUCT: return is_zero_struct(f->of, value);
    }
    return false;
}

static bool is_zero_struct(const go_struct *type, const tree *object)
{
    for (size_t i = 0; i < type->count; i++) {
        if (!is_zero(&type->fields[i], tree_get(object, type->fields[i].json))) return false;
    }
    return true;
}

static uint64_t of_list(const go_field *f, const tree *list)
{
    uint64_t h = 0;
    for (size_t i = 0; tree_is(list, TREE_LIST) && i < tree_count(list); i++) h ^= of_value(f, tree_item(list, i));
    return h;
}

static uint64_t of_map(const go_field *f, const tree *map)
{
    uint64_t h = 0;
    for (size_t i = 0; tree_is(map, TREE_MAP) && i < tree_count(map); i++) {
        const tree_member *m = tree_member_at(map, i);
        h ^= go_hash_pair(go_hash_text(tree_member_name(m)), of_value(f, m->value));
    }
    return go_hash_number(h, 8);
}

uint64_t go_hash_struct(const go_struct *type, const tree *object)
{
    uint64_t h = go_hash_text(str(type->name));
    for (size_t i = 0; i < type->count; i++) {
        const go_field *f = &type->fields[i];
        const tree *value = tree_get(object, f->json);
        if (is_zero(f, value)) continue;
        go_hash_field(&h, f->name,
                      f->form == GO_LIST  ? of_list(f, value)
                      : f->form == GO_MAP ? of_map(f, value)
                                          : of_value(f, value));
    }
    return h;
}
