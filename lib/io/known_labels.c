/* SPDX-License-Identifier: Apache-2.0 */
/* The label tables of an input that has no Snapshot. */
#include <base/labels.h>
#include <io/notes.h>
#include <io/builtin.h>
#include <io/clouds.h>
#include <io/cluster_api.h>
#include <io/fill.h>

#include <karp/inspect.h>
#include <karp/library.h>

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
    if (*recent == key.ptr || str_is(key, LABEL_HOSTNAME)) return true;
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
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE_POOL) continue;
        const tree *ref = tree_get(io_template_spec(w->root), "nodeClassRef");
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
    if (t->status == KARP_OK) reader->asked.labels = io_keep_json(reader, out);
    return reader->asked.labels.ptr ? KARP_OK : io_reader_nomem(reader);
}

/* The label tables of the clouds that are used. */
typedef struct label_tables {
    karp_settings of[IO_CLOUDS_MOST + 1]; /* and Cluster API */
    size_t count;
    bool run; /* these clouds run the nodes; otherwise their labels are used only if the catalogues use them */
} label_tables;

static bool append(arena *a, const void **list, size_t *count, const void *more, size_t more_count, size_t elem)
{
    char *joined = arena_array(a, *count + more_count + 1, elem);
    if (!joined) return false;
    if (*count) memcpy(joined, *list, *count * elem);
    if (more_count) memcpy(joined + *count * elem, more, more_count * elem);
    *list = joined;
    *count += more_count;
    return true;
}

static bool join(const label_tables *t, arena *a, key_list *l, karp_settings *out)
{
    const void *domains = NULL, *aliases = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < t->count; i++) {
        const karp_settings *one = &t->of[i];
        ok = append(a, &domains, &out->restricted_domain_count, one->restricted_domains, one->restricted_domain_count,
                    sizeof *one->restricted_domains) &&
             append(a, &aliases, &out->normalized_count, one->normalized, one->normalized_count,
                    sizeof *one->normalized);
        for (size_t k = 0; ok && k < one->well_known_count; k++) ok = add_key(l, one->well_known[k]);
        if (out->reservation_id_label.len == 0) out->reservation_id_label = one->reservation_id_label;
    }
    out->restricted_domains = domains;
    out->normalized = aliases;
    return ok;
}

static karp_status set_tables(karp_reader *reader, const label_tables *t, arena *a, key_list *l)
{
    karp_settings settings;
    karp_settings_init(&settings, sizeof settings);
    bool ok = !t->run || join(t, a, l, &settings);
    for (size_t i = 0; ok && reader->catalogues.own && i < reader->catalogues.count; i++)
        ok = add_catalogue_keys(l, reader->catalogues.list[i].catalogue);
    if (!ok) return io_reader_nomem(reader);
    for (size_t i = 0; i < t->count; i++) {
        if (io_table_get(&l->seen, t->of[i].reservation_id_label) != IO_NONE)
            settings.reservation_id_label = t->of[i].reservation_id_label;
    }
    settings.well_known = l->keys;
    settings.well_known_count = l->count;
    io_options_apply(reader, &settings);
    settings.repairs = reader->clouds.repairs;
    settings.repair_count = reader->clouds.repair_count;
    karp_status status = karp_builder_set_settings(reader->builder, &settings, &reader->error);
    if (status == KARP_OK) status = io_check_pools(reader, &settings);
    return status ? status : keep_labels(reader, &settings);
}

/* Sets the gates. Further settings with the same gates may follow. */
static karp_status set_gates(karp_reader *reader)
{
    karp_settings settings;
    if (!io_settings_chosen(reader)) return KARP_OK;
    karp_settings_init(&settings, sizeof settings);
    io_options_apply(reader, &settings);
    return karp_builder_set_settings(reader->builder, &settings, &reader->error);
}

/* With the gate NodeRepair, nodes are repaired by the policies of their provider. */
static karp_status find_repairs(karp_reader *reader)
{
    bool on = (reader->gates.given_on & KARP_GATE_NODE_REPAIR) != 0, all = true;
    uint32_t reboots = (reader->gates.given_on & KARP_GATE_REBOOT_FOR_REPAIR) != 0;
    if (reader->options.legacy_node_repair) return KARP_OK;
    for (uint32_t i = 0; on && i < reader->clouds.count; i++) {
        karp_provider *provider = NULL;
        if (!reader->clouds.list[i].used) continue;
        karp_status status = io_cloud_open(reader, i, &provider);
        if (status == KARP_OK && reader->clouds.repair_count == 0)
            status = karp_provider_node_repairs(provider, reboots, &reader->clouds.repairs,
                                                &reader->clouds.repair_count, &reader->error);
        if (status) return status;
        if (reader->clouds.repair_count > 0) return KARP_OK;
        all = false;
    }
    if (!on || all) return KARP_OK;
    return io_warn(reader,
                   "the gate NodeRepair is on, and the provider has no repair policies of Karpenter 1.15's form: "
                   "no node is repaired; settings.repairPolicies of a Snapshot states some");
}

/* With these gates the aws provider makes devices for its instance types. */
static karp_status note_device_gates(karp_reader *reader)
{
    if (!(reader->gates.given_on & (KARP_GATE_DRA_NVIDIA_GPU | KARP_GATE_DRA_EFA))) return KARP_OK;
    if (reader->options.dra_requests != KARP_READ_DRA_PLAN)
        return io_warn(reader,
                       "the gates DRANVIDIAGPU and DRAEFA have no effect as long as Karpenter ignores ResourceClaims, "
                       "its default: --ignore-dra-requests false");
    if (io_builtin_types(reader)) return KARP_OK;
    return io_warn(reader,
                   "the gates DRANVIDIAGPU and DRAEFA have no effect: a catalogue states its types' devices itself, "
                   "in dynamicResources");
}

/* The tables of the clouds that are used. */
static karp_status gather(karp_reader *reader, label_tables *t)
{
    t->run = io_builtin_types(reader) || reader->clouds.given || reader->options.provider.len > 0;
    for (uint32_t i = 0; i < reader->clouds.count; i++) {
        karp_provider *provider = NULL;
        karp_settings *tables = &t->of[t->count];
        if (!reader->clouds.list[i].used) continue;
        karp_status status = io_cloud_open(reader, i, &provider);
        karp_settings_init(tables, sizeof *tables);
        if (status == KARP_OK) status = karp_provider_settings(provider, tables, &reader->error);
        if (status) return status;
        t->run = t->run || has_pool_of(reader, provider);
        t->count++;
    }
    if (reader->clouds.cluster_api) t->of[t->count++] = *io_cluster_api_labels();
    return KARP_OK;
}

karp_status io_settle_labels(karp_reader *reader)
{
    if (reader->asked.snapshot) return KARP_OK;
    karp_status status = set_gates(reader);
    label_tables tables = { .count = 0 };
    if (status == KARP_OK) status = gather(reader, &tables);
    if (status == KARP_OK) status = find_repairs(reader);
    if (status == KARP_OK) status = note_device_gates(reader);
    if (status == KARP_OK) status = io_settle_gates(reader);
    if (status || (!tables.run && !reader->catalogues.own)) return status;
    arena memory = arena_on(reader->context);
    key_list l;
    memset(&l, 0, sizeof l);
    l.reader = reader;
    io_table_init(&l.seen, reader->context);
    status = set_tables(reader, &tables, &memory, &l);
    karp_free(reader->context, l.keys, l.capacity * sizeof *l.keys);
    io_table_free(&l.seen);
    arena_free(&memory);
    return status;
}
