/* SPDX-License-Identifier: Apache-2.0 */
#include <model/store.h>

#include <base/error.h>
#include <model/devices.h>
#include <string.h>

/* 2026-01-01T00:00:00Z: the clock of a snapshot that was not told the time. */
#define DEFAULT_NOW (INT64_C(1767225600) * INT64_C(1000000000))

/* ---- growable arrays ----------------------------------------------------------------------------------------------- */

/* What all LIST_OF have in common. They are different types, so they are read and written as bytes. */
typedef struct any_list {
    void *items;
    size_t count, capacity;
} any_list;

bool list_reserve(karp_context *context, void *list, size_t element_bytes)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    if (l.count >= NO_ID - 1 || !grow(context, &l.items, &l.capacity, l.count + 1, element_bytes)) return false;
    memcpy(list, &l, sizeof l);
    return true;
}

void *list_push(karp_context *context, void *list, size_t element_bytes)
{
    any_list l;
    if (!list_reserve(context, list, element_bytes)) return NULL;
    memcpy(&l, list, sizeof l);
    void *element = (char *)l.items + l.count * element_bytes;
    memset(element, 0, element_bytes);
    l.count++;
    memcpy(list, &l, sizeof l);
    return element;
}

size_t list_count(const void *list)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    return l.count;
}

void list_free(karp_context *context, void *list, size_t element_bytes)
{
    any_list l;
    memcpy(&l, list, sizeof l);
    mem_free(context, l.items, l.capacity * element_bytes);
    memset(&l, 0, sizeof l);
    memcpy(list, &l, sizeof l);
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

static bool add_fixed_ids(store *s)
{
    static const uint32_t no_marks[5] = { NO_ID, NO_ID, NO_ID, NO_TEXT, NO_ID };
    return resource_names_init(&s->resources, s->context) && strings_add(&s->text, "", 0) == NO_TEXT &&
           strings_add(&s->names, "", 0) == NO_TEXT && words_add(&s->labels, NULL, 0) == 0 &&
           words_add(&s->volumes, NULL, 0) == 0 && words_add(&s->mark_keys, no_marks, 5) == 0 &&
           words_add(&s->claim_names, NULL, 0) == 0;
}

karp_status store_init(store *s, karp_context *context, karp_error *error)
{
    memset(s, 0, sizeof *s);
    s->context = context;
    s->now = DEFAULT_NOW;
    karp_settings_init(&s->settings, sizeof s->settings);
    arena_init(&s->data, context);
    strings_init(&s->text, context);
    strings_init(&s->names, context);
    strings_init(&s->resources, context);
    words_init(&s->shape_keys, context);
    words_init(&s->labels, context);
    words_init(&s->volumes, context);
    words_init(&s->mark_keys, context);
    words_init(&s->claim_names, context);
    words_init(&s->taken, context);
    if (add_fixed_ids(s)) return KARP_OK;
    store_free(s);
    return fail_nomem(error);
}

static void free_lists(store *s)
{
    karp_context *context = s->context;
    list_free(context, &s->shapes, sizeof *s->shapes.items);
    list_free(context, &s->taken_index, sizeof *s->taken_index.items);
    list_free(context, &s->pods, sizeof *s->pods.items);
    list_free(context, &s->nodes, sizeof *s->nodes.items);
    list_free(context, &s->claims, sizeof *s->claims.items);
    list_free(context, &s->pools, sizeof *s->pools.items);
    list_free(context, &s->classes, sizeof *s->classes.items);
    list_free(context, &s->daemon_sets, sizeof *s->daemon_sets.items);
    list_free(context, &s->volume_claims, sizeof *s->volume_claims.items);
    list_free(context, &s->volumes_bound, sizeof *s->volumes_bound.items);
    list_free(context, &s->storage_classes, sizeof *s->storage_classes.items);
    list_free(context, &s->csi_nodes, sizeof *s->csi_nodes.items);
    list_free(context, &s->budgets, sizeof *s->budgets.items);
    list_free(context, &s->namespaces, sizeof *s->namespaces.items);
    list_free(context, &s->selecting, sizeof *s->selecting.items);
    list_free(context, &s->overlays, sizeof *s->overlays.items);
    list_free(context, &s->buffers, sizeof *s->buffers.items);
    list_free(context, &s->slices, sizeof *s->slices.items);
    list_free(context, &s->device_classes, sizeof *s->device_classes.items);
    list_free(context, &s->resource_claims, sizeof *s->resource_claims.items);
    list_free(context, &s->catalogues, sizeof *s->catalogues.items);
    list_free(context, &s->states, sizeof *s->states.items);
    list_free(context, &s->pods_to_place, sizeof *s->pods_to_place.items);
}

void store_free(store *s)
{
    for (size_t i = 0; i < s->catalogues.count; i++) karp_catalogue_unref(s->catalogues.items[i].catalogue);
    free_lists(s);
    strings_free(&s->text);
    strings_free(&s->names);
    strings_free(&s->resources);
    words_free(&s->shape_keys);
    words_free(&s->labels);
    words_free(&s->volumes);
    words_free(&s->mark_keys);
    words_free(&s->claim_names);
    words_free(&s->taken);
    arena_free(&s->data);
}

/* ---- questions ----------------------------------------------------------------------------------------------------- */

static uint32_t find(const store *s, const uint32_t *identity, size_t count)
{
    uint32_t id = words_find(&s->taken, identity, count);
    return id == NO_ID ? NO_ID : s->taken_index.items[id];
}

uint32_t store_find(const store *s, enum kind kind, uint32_t name_space, uint32_t name)
{
    uint32_t identity[3] = { (uint32_t)kind, name_space, name };
    return find(s, identity, 3);
}

uint32_t store_find_selecting(const store *s, uint32_t selects, uint32_t name_space, uint32_t name)
{
    uint32_t identity[4] = { KIND_SELECTING, name_space, name, selects };
    return find(s, identity, 4);
}

uint32_t store_find_class(const store *s, uint32_t group, uint32_t kind, uint32_t name)
{
    uint32_t identity[5] = { KIND_NODE_CLASS, NO_TEXT, name, group, kind };
    return find(s, identity, 5);
}

const pod_marks *store_marks(const store *s, const pod *p)
{
    return (const pod_marks *)(const void *)s->mark_keys.entries[p->marks].ptr;
}

uint32_t label_get(label_list labels, uint32_t key)
{
    for (uint32_t i = 0; i < labels.count && labels.items[i].key <= key; i++) {
        if (labels.items[i].key == key) return labels.items[i].value;
    }
    return NO_ID;
}

label_list store_pod_labels(const store *s, uint32_t labels)
{
    const struct words_entry *e = &s->labels.entries[labels];
    return (label_list){ (const label_pair *)(const void *)e->ptr, e->count / 2 };
}

const condition *condition_find(condition_list list, uint32_t type)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i].type == type) return &list.items[i];
    }
    return NULL;
}
