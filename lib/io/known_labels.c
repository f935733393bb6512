/* SPDX-License-Identifier: Apache-2.0 */
/* The label tables of an input that has no Snapshot. */
#include <base/sort.h>
#include <io/notes.h>
#include <io/builtin.h>
#include <io/fill.h>

#include <string.h>

/* A list of distinct keys. `recent` avoids most look-ups, because equal keys of one catalogue are the same string. */
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
    if (*recent == key.ptr || str_is(key, "kubernetes.io/hostname")) return true;
    *recent = key.ptr;
    if (io_table_get(&l->seen, key) != IO_NONE) return true;
    void *list = l->keys;
    if (!io_table_put(&l->seen, key, 1) ||
        !grow(l->reader->context, &list, &l->capacity, l->count + 1, sizeof *l->keys))
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

static bool has_pool_of(const karp_reader *reader, const karp_provider *provider)
{
    karp_str group = karp_provider_class_group(provider);
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE_POOL) continue;
        const tree *ref = tree_get(tree_get(tree_get(tree_get(w->root, "spec"), "template"), "spec"), "nodeClassRef");
        if (group.len && equal_str(tree_get_text(ref, "group"), group)) return true;
    }
    return false;
}

/* A sorted list of texts. */
static tree *text_list(trees *t, const karp_str *texts, size_t count)
{
    karp_str *order = arena_copy(&t->memory, texts, count * sizeof *texts);
    tree *list = tree_new(t, TREE_LIST);
    if (!order || !sort_stable(t->memory.context, order, count, sizeof *order, by_text, NULL)) {
        t->status = KARP_E_NOMEM;
        return NULL;
    }
    for (size_t i = 0; i < count; i++) tree_append(t, list, tree_new_text(t, order[i]));
    return list;
}

/* Keeps the tables for the dump, in the format of a Snapshot. */
static karp_status keep_labels(karp_reader *reader, const karp_settings *settings)
{
    if (!reader->options.keep_documents) return KARP_OK;
    trees *t = &reader->passing;
    trees_clear(t);
    tree *out = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < settings->normalized_count; i++) {
        const karp_label *label = &settings->normalized[i];
        tree_set_str(t, tree_get_or_make(t, out, "normalized"), label->key, tree_new_text(t, label->value));
    }
    tree_set(t, out, "wellKnown", text_list(t, settings->well_known, settings->well_known_count));
    if (settings->restricted_domain_count)
        tree_set(t, out, "restrictedDomains",
                 text_list(t, settings->restricted_domains, settings->restricted_domain_count));
    if (settings->reservation_id_label.len) tree_set_text(t, out, "reservationID", settings->reservation_id_label);
    if (t->status == KARP_OK) reader->labels_text = io_keep_json(reader, out);
    return reader->labels_text.ptr ? KARP_OK : io_reader_nomem(reader);
}

/* `all` = the provider runs the nodes; otherwise its labels are used only if the catalogues use them. */
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
    for (size_t i = 0; ok && reader->own_catalogues && i < reader->catalogue_count; i++)
        ok = add_catalogue_keys(l, reader->catalogues[i].catalogue);
    if (!ok) return io_reader_nomem(reader);
    if (io_table_get(&l->seen, tables.reservation_id_label) != IO_NONE)
        settings.reservation_id_label = tables.reservation_id_label;
    settings.well_known = l->keys;
    settings.well_known_count = l->count;
    io_gates_apply(reader, &settings);
    status = karp_builder_set_settings(reader->builder, &settings, &reader->error);
    if (status == KARP_OK) status = io_check_pools(reader, &settings);
    return status ? status : keep_labels(reader, &settings);
}

/* Sets the gates. Further settings with the same gates may follow. */
static karp_status set_gates(karp_reader *reader)
{
    karp_settings settings;
    if (!reader->gates_given) return KARP_OK;
    karp_settings_init(&settings, sizeof settings);
    io_gates_apply(reader, &settings);
    karp_status status = karp_builder_set_settings(reader->builder, &settings, &reader->error);
    return status ? status : io_settle_gates(reader);
}

karp_status io_settle_labels(karp_reader *reader)
{
    karp_provider *provider = NULL;
    if (reader->has_snapshot) return KARP_OK;
    karp_status status = set_gates(reader);
    if (status) return status;
    bool all = io_builtin_types(reader) || reader->given_provider || reader->options.provider.len > 0;
    status = io_provider(reader, &provider);
    if (status == KARP_OK) all = all || has_pool_of(reader, provider);
    if (status || (!all && !reader->own_catalogues)) return status;
    arena memory;
    arena_init(&memory, reader->context);
    key_list l;
    memset(&l, 0, sizeof l);
    l.reader = reader;
    io_table_init(&l.seen, reader->context);
    status = set_tables(reader, provider, &l, all);
    karp_free(reader->context, l.keys, l.capacity * sizeof *l.keys);
    io_table_free(&l.seen);
    arena_free(&memory);
    return status;
}
