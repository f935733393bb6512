/* SPDX-License-Identifier: Apache-2.0 */
/* Instance types from catalogue documents: facts of kind "types", in kwok's format or the full one. */
#include <providers/builtin.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/library.h>
#include <base/labels.h>
#include <base/sort.h>

typedef struct file_handle {
    plugin_handle base;
    karp_catalogue *types; /* NULL = nothing loaded */
    karp_str *keys; /* of all labels, without duplicates */
    size_t key_count, key_capacity;
} file_handle;

static void file_close(void *handle)
{
    file_handle *h = handle;
    karp_catalogue_unref(h->types);
    karp_free(h->base.context, h->keys, h->key_capacity * sizeof *h->keys);
    plugin_handle_free(&h->base);
}

static uint32_t file_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                          karp_provider_problem *problem)
{
    if (options->setting_count) return provider_problem(problem, KARP_PROVIDER_INVALID, "settings", "file has none");
    *handle = plugin_handle_new(allocator, sizeof(file_handle), NULL);
    return *handle ? KARP_PROVIDER_OK : provider_no_memory(problem);
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static size_t put_keys(karp_str *to, const karp_requirement *list, size_t count)
{
    for (size_t i = 0; to && i < count; i++) to[i] = list[i].key;
    return count;
}

/* Collects the keys of all types and offerings, with duplicates; only counts them if `to` is NULL. */
static size_t all_keys(const karp_catalogue *types, karp_str *to)
{
    size_t n = 0;
    for (size_t i = 0; i < karp_catalogue_count(types); i++) {
        const karp_instance_type *t = karp_catalogue_type(types, i);
        n += put_keys(to ? to + n : NULL, t->requirements, t->requirement_count);
        for (size_t k = 0; k < t->offering_count; k++)
            n += put_keys(to ? to + n : NULL, t->offerings[k].requirements, t->offerings[k].requirement_count);
    }
    return n;
}

/* Collects the well-known labels: every label of a type or an offering. */
static bool list_keys(file_handle *h, const karp_catalogue *types)
{
    h->key_capacity = all_keys(types, NULL);
    h->keys = h->key_capacity ? karp_alloc(h->base.context, h->key_capacity * sizeof *h->keys) : NULL;
    if (!h->keys) return h->key_capacity == 0;
    (void)all_keys(types, h->keys);
    if (!sort_stable(h->base.context, h->keys, h->key_capacity, sizeof *h->keys, by_text, NULL)) return false;
    for (size_t i = 0; i < h->key_capacity; i++) {
        if (str_is(h->keys[i], LABEL_HOSTNAME)) continue;
        if (h->key_count == 0 || !equal_str(h->keys[h->key_count - 1], h->keys[i]))
            h->keys[h->key_count++] = h->keys[i];
    }
    return true;
}

static uint32_t file_load_facts(void *handle, karp_str kind, const karp_provider_document *facts,
                                karp_provider_problem *problem)
{
    file_handle *h = handle;
    karp_catalogue *types = NULL;
    karp_error error = { .size = sizeof error };
    if (!str_is(kind, "types"))
        return provider_problem(problem, KARP_PROVIDER_INVALID, "kind", "file has facts of the kind types");
    if (karp_catalogue_read(h->base.context, facts->name, facts->text, &types, &error) != KARP_OK)
        return provider_problem_of(problem, &error);
    file_handle next = { .base.context = h->base.context };
    if (!list_keys(&next, types)) {
        karp_free(h->base.context, next.keys, next.key_capacity * sizeof *next.keys);
        karp_catalogue_unref(types);
        return provider_no_memory(problem);
    }
    karp_catalogue_unref(h->types);
    karp_free(h->base.context, h->keys, h->key_capacity * sizeof *h->keys);
    h->types = types;
    h->keys = next.keys;
    h->key_count = next.key_count;
    h->key_capacity = next.key_capacity;
    h->base.generation++;
    return KARP_PROVIDER_OK;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static uint32_t file_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                           const karp_instance_type **types, size_t *count, karp_provider_problem *problem)
{
    file_handle *h = handle;
    scratch s;
    (void)node_class;
    if (!h->types) return provider_problem(problem, KARP_PROVIDER_NOT_FOUND, "", "no file with types was given");
    size_t n = karp_catalogue_count(h->types);
    scratch_init_on(&s, memory);
    karp_instance_type *list = scratch_array(&s, n, sizeof *list);
    if (s.failed) return provider_no_memory(problem);
    for (size_t i = 0; i < n; i++) list[i] = *karp_catalogue_type(h->types, i);
    *types = list;
    *count = n;
    return KARP_PROVIDER_OK;
}

static uint32_t file_labels(const void *handle, karp_provider_labels *labels, karp_provider_problem *problem)
{
    const file_handle *h = handle;
    (void)problem;
    labels->well_known = h->keys;
    labels->well_known_count = h->key_count;
    return KARP_PROVIDER_OK;
}

static const karp_provider_plugin file_plugin = {
    .abi_version = KARP_PROVIDER_ABI,
    .size = sizeof(karp_provider_plugin),
    .name = "file",
    .open = file_open,
    .close = file_close,
    .load_facts = file_load_facts,
    .generation = plugin_generation,
    .instance_types = file_types,
    .labels = file_labels,
};

const builtin_plugin file_builtin = { .plugin = &file_plugin };
