/* SPDX-License-Identifier: Apache-2.0 */
#include "selectors.h"

#include <string.h>

#include "memory.h"

struct selector ref_selector_read(const json_t *object)
{
    return (struct selector){
        .given = object != NULL,
        .labels = ref_labels_read(ref_at(object, "matchLabels")),
        .expressions = ref_expressions_read(ref_at(object, "matchExpressions")),
    };
}

static bool listed(struct names values, const char *value)
{
    for (size_t i = 0; i < values.count; i++) {
        if (strcmp(values.items[i], value) == 0) {
            return true;
        }
    }
    return false;
}

static bool expression_selects(const struct expression *e, struct labels labels)
{
    const char *value = ref_label(labels, e->key);
    if (strcmp(e->op, "In") == 0) {
        return e->values.count > 0 && value != NULL && listed(e->values, value);
    }
    if (strcmp(e->op, "NotIn") == 0) {
        return e->values.count > 0 && (value == NULL || !listed(e->values, value));
    }
    if (strcmp(e->op, "Exists") == 0) {
        return e->values.count == 0 && value != NULL;
    }
    return strcmp(e->op, "DoesNotExist") == 0 && e->values.count == 0 && value == NULL;
}

bool ref_selects(const struct selector *selector, struct labels labels)
{
    for (size_t i = 0; i < selector->labels.count; i++) {
        const char *value = ref_label(labels, selector->labels.items[i].key);
        if (value == NULL || strcmp(value, selector->labels.items[i].value) != 0) {
            return false;
        }
    }
    for (size_t i = 0; i < selector->expressions.count; i++) {
        if (!expression_selects(&selector->expressions.items[i], labels)) {
            return false;
        }
    }
    return selector->given;
}

struct names ref_odd(struct names values)
{
    struct names out = { ref_alloc((values.count + 1) * sizeof(char *)), 0 };
    for (size_t i = 0; i < values.count; i++) {
        size_t times = 0;
        for (size_t j = 0; j < values.count; j++) {
            times += strcmp(values.items[i], values.items[j]) == 0;
        }
        if (times % 2 == 1) {
            out.items[out.count++] = values.items[i];
        }
    }
    return ref_names_sorted(out.items, out.count);
}

/** Karpenter's hash of a list as a set: the exclusive or of the texts' FNV-1. */
static uint64_t values_hash(struct names values)
{
    uint64_t all = 0;
    for (size_t i = 0; i < values.count; i++) {
        uint64_t h = UINT64_C(0xcbf29ce484222325);
        for (const char *c = values.items[i]; *c != '\0'; c++) {
            h = h * UINT64_C(0x100000001b3) ^ (unsigned char)*c;
        }
        all ^= h;
    }
    return all;
}

static bool expressions_alike(const struct expression *a, const struct expression *b)
{
    return strcmp(a->key, b->key) == 0 && strcmp(a->op, b->op) == 0 && values_hash(a->values) == values_hash(b->values);
}

static bool contained(struct expressions a, struct expressions b)
{
    for (size_t i = 0; i < a.count; i++) {
        bool found = false;
        for (size_t j = 0; j < b.count && !found; j++) {
            found = expressions_alike(&a.items[i], &b.items[j]);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

bool ref_selectors_alike(const struct selector *a, const struct selector *b)
{
    if (a->given != b->given || a->labels.count != b->labels.count) {
        return false;
    }
    for (size_t i = 0; i < a->labels.count; i++) {
        if (strcmp(a->labels.items[i].key, b->labels.items[i].key) != 0 ||
            strcmp(a->labels.items[i].value, b->labels.items[i].value) != 0) {
            return false;
        }
    }
    return contained(a->expressions, b->expressions) && contained(b->expressions, a->expressions);
}

void ref_selector_require(struct selector *selector, const char *key, const char *value)
{
    struct expression added = { .key = key, .op = "In", .values = ref_names_one(value) };
    struct expressions old = selector->expressions;
    struct expression *items = ref_alloc((old.count + 1) * sizeof *items);
    for (size_t i = 0; i < old.count; i++) {
        items[i] = old.items[i];
    }
    items[old.count] = added;
    selector->expressions = (struct expressions){ items, old.count + 1 };
}
