/* SPDX-License-Identifier: Apache-2.0 */
/* The label tables of an input that is no Snapshot. */
#include <io/builtin.h>
#include <io/fill.h>

#include <string.h>

/* Keys under construction, each once. `recent` spares most look-ups: equal keys of one catalogue are one string. */
typedef struct key_list {
    karp_reader *reader;
    io_table seen;
    karp_str *keys;
    size_t count, capacity;
    const char *recent[256];
} key_list;

static bool add_key(key_list *l, karp_str key)
{
    const char **recent = &l->recent[((uintptr_t)key.ptr >> 3) % 256];
    if (*recent == key.ptr || io_str_is(key, "kubernetes.io/hostname")) return true;
    *recent = key.ptr;
    if (io_table_get(&l->seen, key) != IO_NONE) return true;
    void *list = l->keys;
    if (!io_table_put(&l->seen, key, 1) ||
        !io_grow(l->reader->context, &list, &l->capacity, l->count + 1, sizeof *l->keys))
        return false;
    l->keys = list;
    l->keys[l->count++] = key;
    return true;
}

static bool add_keys(key_list *l, const karp_requirement *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!add_key(l, list[i].key)) return false;
    }
    return true;
}

static bool add_catalogue_keys(key_list *l, const karp_catalogue *catalogue)
{
    for (size_t i = 0; i < karp_catalogue_count(catalogue); i++) {
        const karp_instance_type *type = karp_catalogue_type(catalogue, i);
        if (!add_keys(l, type->requirements, type->requirement_count)) return false;
        for (size_t k = 0; k < type->offering_count; k++) {
            if (!add_keys(l, type->offerings[k].requirements, type->offerings[k].requirement_count)) return false;
        }
    }
    return true;
}

static karp_status has_pool_of(karp_reader *reader, const karp_provider *provider, bool *found)
{
    karp_str group = karp_provider_class_group(provider);
    for (size_t i = 0; i < reader->waiting_count && !*found; i++) {
        const io_waiting *w = &reader->waiting[i];
        if (w->info->kind != IO_KIND_NODE_POOL) continue;
        json_t *tree = io_waiting_tree(reader, w);
        if (!tree) return reader->error.status;
        const json_t *ref = io_get(io_get(io_get(io_get(tree, "spec"), "template"), "spec"), "nodeClassRef");
        *found = group.len && io_str_equal(io_get_text(ref, "group"), group);
        json_decref(tree);
    }
    return KARP_OK;
}

static int compare_keys(const void *a, const void *b)
{
    return io_str_compare(*(const karp_str *)a, *(const karp_str *)b);
}

/* A list of texts as JSON, sorted. NULL = no memory. */
static json_t *text_list(karp_context *context, const karp_str *texts, size_t count)
{
    json_t *list = io_list();
    size_t bytes = count * sizeof(void *);
    const void **order = bytes ? karp_alloc(context, bytes) : NULL;
    bool ok = list && (order || !bytes);
    for (size_t i = 0; ok && i < count; i++) order[i] = &texts[i];
    ok = ok && io_sort(context, order, count, compare_keys);
    for (size_t i = 0; ok && i < count; i++) ok = io_append(list, io_text_value(*(const karp_str *)order[i]));
    karp_free(context, order, bytes);
    if (ok) return list;
    json_decref(list);
    return NULL;
}

/* The tables as a Snapshot states them, for the dump. */
static karp_status keep_labels(karp_reader *reader, const karp_settings *settings)
{
    if (!reader->options.keep_documents) return KARP_OK;
    json_t *out = io_map(), *normalized = io_map();
    bool ok = out && normalized;
    for (size_t i = 0; ok && i < settings->normalized_count; i++) {
        ok = io_set(normalized, settings->normalized[i].key.ptr, io_text_value(settings->normalized[i].value));
    }
    if (ok) ok = !settings->normalized_count || json_object_set(out, "normalized", normalized) == 0;
    ok = ok && io_set(out, "wellKnown", text_list(reader->context, settings->well_known, settings->well_known_count));
    if (ok && settings->restricted_domain_count) {
        ok = io_set(out, "restrictedDomains",
                    text_list(reader->context, settings->restricted_domains, settings->restricted_domain_count));
    }
    if (ok && settings->reservation_id_label.len)
        ok = io_set(out, "reservationID", io_text_value(settings->reservation_id_label));
    if (ok) reader->labels_text = io_keep_json(reader, out);
    json_decref(normalized);
    json_decref(out);
    return ok && reader->labels_text.ptr ? KARP_OK : io_reader_nomem(reader);
}

/* `all` = the provider has the nodes; else its words are used only where the catalogues use them. */
static karp_status set_tables(karp_reader *reader, karp_provider *provider, key_list *l, bool all)
{
    karp_settings settings, tables;
    karp_settings_init(&settings, sizeof settings);
    karp_settings_init(&tables, sizeof tables);
    karp_status status = karp_provider_settings(provider, &tables, &reader->error);
    if (status) return status;
    if (all) settings = tables;
    bool ok = true;
    for (size_t i = 0; ok && all && i < tables.well_known_count; i++) ok = add_key(l, tables.well_known[i]);
    for (size_t i = 0; ok && reader->own_catalogues && i < reader->catalogue_count; i++) {
        ok = add_catalogue_keys(l, reader->catalogues[i].catalogue);
    }
    if (!ok) return io_reader_nomem(reader);
    if (io_table_get(&l->seen, tables.reservation_id_label) != IO_NONE)
        settings.reservation_id_label = tables.reservation_id_label;
    settings.well_known = l->keys;
    settings.well_known_count = l->count;
    status = karp_builder_set_settings(reader->builder, &settings, &reader->error);
    return status ? status : keep_labels(reader, &settings);
}

karp_status io_settle_labels(karp_reader *reader)
{
    karp_provider *provider = NULL;
    if (reader->has_snapshot) return KARP_OK;
    bool all = io_builtin_types(reader) || reader->given_provider || reader->options.provider.len > 0;
    karp_status status = io_provider(reader, &provider);
    if (status == KARP_OK) status = has_pool_of(reader, provider, &all);
    if (status || (!all && !reader->own_catalogues)) return status;
    io_arena arena;
    io_arena_init(&arena, reader->context);
    key_list l;
    memset(&l, 0, sizeof l);
    l.reader = reader;
    io_table_init(&l.seen, &arena);
    status = set_tables(reader, provider, &l, all);
    karp_free(reader->context, l.keys, l.capacity * sizeof *l.keys);
    io_table_free(&l.seen);
    io_arena_free(&arena);
    return status;
}
