/* SPDX-License-Identifier: Apache-2.0 */
#include "document.h"

#include <string.h>

#include "memory.h"

static _Thread_local json_t *kept;

void ref_keep_document(json_t *tree)
{
    if (kept == NULL) {
        kept = json_array();
    }
    json_array_append_new(kept, tree);
}

void ref_drop_documents(void)
{
    json_decref(kept);
    kept = NULL;
}

const json_t *ref_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

const char *ref_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(ref_at(object, key));
    return text != NULL ? text : "";
}

int64_t ref_int(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = ref_at(object, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

bool ref_true(const json_t *object, const char *key, bool otherwise)
{
    const json_t *value = ref_at(object, key);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

size_t ref_length(const json_t *object, const char *key) { return json_array_size(ref_at(object, key)); }

const json_t *ref_item(const json_t *object, const char *key, size_t index)
{
    return json_array_get(ref_at(object, key), index);
}

const char *ref_scalar(const json_t *value)
{
    if (json_is_string(value)) {
        return json_string_value(value);
    }
    if (json_is_integer(value)) {
        return ref_format("%lld", (long long)json_integer_value(value));
    }
    if (json_is_real(value)) {
        return ref_format("%.15g", json_real_value(value));
    }
    return NULL;
}

struct names ref_list(const json_t *array)
{
    struct names out = { ref_alloc((json_array_size(array) + 1) * sizeof(char *)), 0 };
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *text = ref_scalar(json_array_get(array, i));
        if (text != NULL) {
            out.items[out.count++] = text;
        }
    }
    return out;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct resource *)a)->name, ((const struct resource *)b)->name);
}

/** The pairs of an object one after the other; NULL behind the last. The iterator of jansson wants a non-const tree. */
static const json_t *next_pair(const json_t *object, void **cursor, const char **key)
{
    union {
        const json_t *given;
        json_t *wanted;
    } tree = { .given = object };
    *cursor = *cursor == NULL ? json_object_iter(tree.wanted) : json_object_iter_next(tree.wanted, *cursor);
    if (*cursor == NULL) {
        return NULL;
    }
    *key = json_object_iter_key(*cursor);
    return json_object_iter_value(*cursor);
}

struct resources ref_resources_read(const json_t *object)
{
    struct resources out = { ref_alloc((json_object_size(object) + 1) * sizeof(struct resource)), 0 };
    void *cursor = NULL;
    const char *key;
    const json_t *value;
    while ((value = next_pair(object, &cursor, &key)) != NULL) {
        const char *text = ref_scalar(value);
        struct resource r = { key, 0 };
        if (text == NULL || !ref_amount_parse(text, &r.value)) {
            ref_fault("bad quantity of %s: %s", key, text != NULL ? text : "neither text nor number");
        }
        out.items[out.count++] = r;
    }
    ref_sort(out.items, out.count, sizeof out.items[0], by_name);
    return out;
}

int64_t ref_instant_at(const json_t *object, const char *key)
{
    const char *text = ref_text(object, key);
    int64_t out = 0;
    if (*text != '\0' && !ref_instant(text, &out)) {
        ref_fault("bad time %s: %s", key, text);
    }
    return out;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct label *)a)->key, ((const struct label *)b)->key);
}

struct labels ref_labels_read(const json_t *object)
{
    struct labels out = { ref_alloc((json_object_size(object) + 1) * sizeof(struct label)), 0 };
    void *cursor = NULL;
    const char *key;
    const json_t *value;
    while ((value = next_pair(object, &cursor, &key)) != NULL) {
        const char *text = json_string_value(value);
        out.items[out.count++] = (struct label){ key, text != NULL ? text : "" };
    }
    ref_sort(out.items, out.count, sizeof out.items[0], by_key);
    return out;
}

const char *ref_label(struct labels labels, const char *key)
{
    for (size_t i = 0; i < labels.count; i++) {
        if (strcmp(labels.items[i].key, key) == 0) {
            return labels.items[i].value;
        }
    }
    return NULL;
}

struct labels ref_labels_merge(struct labels a, struct labels b)
{
    struct labels out = { ref_alloc((a.count + b.count + 1) * sizeof(struct label)), 0 };
    for (size_t i = 0; i < a.count; i++) {
        if (ref_label(b, a.items[i].key) == NULL) {
            out.items[out.count++] = a.items[i];
        }
    }
    for (size_t i = 0; i < b.count; i++) {
        out.items[out.count++] = b.items[i];
    }
    ref_sort(out.items, out.count, sizeof out.items[0], by_key);
    return out;
}

struct labels ref_labels_one(const char *key, const char *value)
{
    struct labels out = { ref_alloc(sizeof(struct label)), 1 };
    out.items[0] = (struct label){ key, value };
    return out;
}
