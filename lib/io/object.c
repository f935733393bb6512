/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to one object's tree: unfolding, kinds, decoding, the builder, waiting. */
#include <io/reader.h>

#include <io/decode_devices.h>
#include <io/doubts.h>
#include <io/fields.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool name_key(char *into, size_t room, const char *kind, karp_str namespace_, karp_str name, karp_str *key)
{
    size_t k = strlen(kind);
    if (k + namespace_.len + name.len + 2 > room) return false;
    memcpy(into, kind, k);
    into[k] = '\n';
    if (namespace_.len) memcpy(into + k + 1, namespace_.ptr, namespace_.len);
    into[k + 1 + namespace_.len] = '/';
    if (name.len) memcpy(into + k + 2 + namespace_.len, name.ptr, name.len);
    *key = (karp_str){ into, k + 2 + namespace_.len + name.len };
    return true;
}

/* Longer names than Kubernetes allows are not noted: nothing can refer to them. */
uint32_t io_find(const karp_reader *reader, const char *kind, karp_str namespace_, karp_str name)
{
    char buffer[768];
    karp_str key;
    return name_key(buffer, sizeof buffer, kind, namespace_, name, &key) ? io_table_get(&reader->names, key) : IO_NONE;
}

bool io_note_name(karp_reader *reader, const char *kind, karp_str namespace_, karp_str name, uint32_t number)
{
    char buffer[768];
    karp_str key;
    if (!name_key(buffer, sizeof buffer, kind, namespace_, name, &key)) return true;
    return io_table_put(&reader->names, key, number);
}

static void identity(const io_kind_info *info, const json_t *tree, karp_str *namespace_, karp_str *name)
{
    const json_t *metadata = io_get(tree, "metadata");
    *name = io_get_text(metadata, "name");
    *namespace_ = (karp_str){ "", 0 };
    if (!info->namespaced) return;
    *namespace_ = io_get_text(metadata, "namespace");
    if (namespace_->len == 0) *namespace_ = io_str("default");
}

/* ---- decoding and adding ----------------------------------------------------------------------------------------- */

static karp_status add_node_class(karp_reader *reader, io_decoder *d, const json_t *tree, bool add)
{
    karp_node_class class_;
    memset(&class_, 0, sizeof class_);
    class_.size = sizeof class_;
    class_.meta = io_meta(d, tree, false);
    class_.group = io_group_of(io_string(d, tree, "apiVersion"));
    class_.kind = io_string(d, tree, "kind");
    if (d->status || !add) return d->status;
    io_text text;
    io_text_init(&text, reader->context);
    io_write_json(&text, tree);
    karp_status status = text.failed ? io_reader_nomem(reader) : KARP_OK;
    class_.document = (karp_str){ text.ptr, text.len };
    if (status == KARP_OK) status = karp_builder_add_node_class(reader->builder, &class_, &reader->error);
    io_text_free(&text);
    return status;
}

static karp_status add_selecting(karp_reader *reader, io_decoder *d, const json_t *tree, uint32_t kind, bool add)
{
    karp_selecting selecting;
    io_decode_selecting(d, tree, kind, &selecting);
    if (d->status || !add) return d->status;
    return karp_builder_add_selecting(reader->builder, &selecting, &reader->error);
}

/* Workloads: what their pods are made from is checked as those pods are. */
static karp_status check_workload(io_decoder *d, const json_t *tree)
{
    karp_pod pod;
    (void)io_meta(d, tree, true);
    const json_t *spec = io_enter(d, tree, "spec");
    (void)io_integer(d, spec, "replicas", 0, INT32_MAX, 1);
    (void)io_integer(d, spec, "parallelism", 0, INT32_MAX, 1);
    (void)io_boolean(d, spec, "suspend", false);
    (void)io_selector(d, spec, "selector");
    const json_t *template_ = io_enter(d, spec, "template");
    io_decode_template(d, template_, &pod);
    io_pop(d);
    size_t count = 0;
    const json_t *claims = io_array(d, spec, "volumeClaimTemplates", &count);
    io_push(d, "volumeClaimTemplates");
    for (size_t i = 0; i < count && !d->status; i++) {
        karp_persistent_volume_claim claim;
        io_decode_claim(d, io_element(d, claims, i), &claim);
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
    return d->status;
}

static karp_status check_priority_class(io_decoder *d, const json_t *tree)
{
    (void)io_meta(d, tree, false);
    (void)io_integer(d, tree, "value", INT32_MIN, INT32_MAX, 0);
    (void)io_boolean(d, tree, "globalDefault", false);
    return d->status;
}

static karp_status check_template(io_decoder *d, const json_t *tree)
{
    karp_pod pod;
    (void)io_meta(d, tree, true);
    const json_t *template_ = io_enter(d, tree, "template");
    io_decode_template(d, template_, &pod);
    io_pop(d);
    return d->status;
}

static karp_status add_pod(karp_reader *reader, const karp_pod *pod)
{
    karp_status status = io_doubt_pod(reader, pod);
    return status ? status : karp_builder_add_pod(reader->builder, pod, &reader->error);
}

static karp_status add_pool(karp_reader *reader, const karp_node_pool *pool)
{
    karp_status status = io_doubt_pool(reader, pool);
    return status ? status : karp_builder_add_node_pool(reader->builder, pool, &reader->error);
}

/* Decoding failures are in the decoder, the builder's in reader->error. */
static karp_status decode_and_add(karp_reader *reader, io_decoder *d, const io_kind_info *info, const json_t *tree,
                                  bool add)
{
    karp_builder *b = reader->builder;
    karp_error *e = &reader->error;
    union {
        karp_pod pod;
        karp_node node;
        karp_node_claim node_claim;
        karp_node_pool pool;
        karp_node_overlay overlay;
        karp_daemon_set daemon_set;
        karp_persistent_volume_claim claim;
        karp_persistent_volume volume;
        karp_storage_class storage_class;
        karp_csi_node csi_node;
        karp_pod_disruption_budget budget;
        karp_namespace namespace_;
        karp_capacity_buffer buffer;
    } o;
    switch (info->kind) {
    case IO_KIND_POD: io_decode_pod(d, tree, &o.pod); return d->status || !add ? d->status : add_pod(reader, &o.pod);
    case IO_KIND_NODE:
        io_decode_node(d, tree, &o.node);
        return d->status || !add ? d->status : karp_builder_add_node(b, &o.node, e);
    case IO_KIND_NODE_CLAIM:
        io_decode_node_claim(d, tree, &o.node_claim);
        return d->status || !add ? d->status : karp_builder_add_node_claim(b, &o.node_claim, e);
    case IO_KIND_NODE_POOL:
        io_decode_node_pool(d, tree, &o.pool);
        return d->status || !add ? d->status : add_pool(reader, &o.pool);
    case IO_KIND_NODE_OVERLAY:
        io_decode_node_overlay(d, tree, &o.overlay);
        return d->status || !add ? d->status : karp_builder_add_node_overlay(b, &o.overlay, e);
    case IO_KIND_NODE_CLASS: return add_node_class(reader, d, tree, add);
    case IO_KIND_DAEMON_SET:
        io_decode_daemon_set(d, tree, &o.daemon_set);
        return d->status || !add ? d->status : karp_builder_add_daemon_set(b, &o.daemon_set, e);
    case IO_KIND_CLAIM:
        io_decode_claim(d, tree, &o.claim);
        return d->status || !add ? d->status : karp_builder_add_persistent_volume_claim(b, &o.claim, e);
    case IO_KIND_VOLUME:
        io_decode_volume(d, tree, &o.volume);
        return d->status || !add ? d->status : karp_builder_add_persistent_volume(b, &o.volume, e);
    case IO_KIND_STORAGE_CLASS:
        io_decode_storage_class(d, tree, &o.storage_class);
        return d->status || !add ? d->status : karp_builder_add_storage_class(b, &o.storage_class, e);
    case IO_KIND_CSI_NODE:
        io_decode_csi_node(d, tree, &o.csi_node);
        return d->status || !add ? d->status : karp_builder_add_csi_node(b, &o.csi_node, e);
    case IO_KIND_BUDGET:
        io_decode_budget(d, tree, &o.budget);
        return d->status || !add ? d->status : karp_builder_add_pod_disruption_budget(b, &o.budget, e);
    case IO_KIND_NAMESPACE:
        io_decode_namespace(d, tree, &o.namespace_);
        return d->status || !add ? d->status : karp_builder_add_namespace(b, &o.namespace_, e);
    case IO_KIND_SERVICE: return add_selecting(reader, d, tree, KARP_SELECTS_SERVICE, add);
    case IO_KIND_REPLICATION_CONTROLLER:
        return add_selecting(reader, d, tree, KARP_SELECTS_REPLICATION_CONTROLLER, add);
    case IO_KIND_REPLICA_SET:
    case IO_KIND_STATEFUL_SET:
        if (!add && check_workload(d, tree)) return d->status;
        return add_selecting(reader, d, tree,
                             info->kind == IO_KIND_REPLICA_SET ? KARP_SELECTS_REPLICA_SET : KARP_SELECTS_STATEFUL_SET,
                             add);
    case IO_KIND_DEPLOYMENT:
    case IO_KIND_JOB: return add ? KARP_OK : check_workload(d, tree);
    case IO_KIND_PRIORITY_CLASS: return check_priority_class(d, tree);
    case IO_KIND_POD_TEMPLATE: return check_template(d, tree);
    case IO_KIND_CAPACITY_BUFFER:
        io_decode_capacity_buffer(d, tree, &o.buffer);
        return d->status || !add ? d->status : io_add_buffer(reader, d, tree, &o.buffer);
    case IO_KIND_DEVICES: return io_use_devices(d, info, tree, add ? b : NULL, e);
    case IO_KIND_UNKNOWN:
    case IO_KIND_PROVISIONER:
    case IO_KIND_NODE_TEMPLATE: break;
    }
    return KARP_OK;
}

/* What the builder finds wrong has a field, which is looked up while the text is at hand. */
static void place_of_field(karp_reader *reader, const io_place *place, const json_t *tree)
{
    io_place at = *place;
    io_step path[IO_PATH_MOST];
    char names[sizeof reader->error.field];
    io_place_refine(&at, tree, path, io_path_read(reader->error.field, names, sizeof names, path));
    io_error_place(&reader->error, &at);
}

karp_status io_object_use(karp_reader *reader, const io_kind_info *info, const json_t *tree, const io_place *place,
                          bool add)
{
    io_decoder d;
    io_arena_reset(&reader->scratch);
    io_decoder_init(&d, &reader->scratch);
    karp_status status = decode_and_add(reader, &d, info, tree, add);
    if (status == KARP_OK) return status;
    if (d.status) {
        status = io_reader_bad(reader, &d, place, tree);
    } else if (status != KARP_E_NOMEM) {
        reader->error.status = status;
        place_of_field(reader, place, tree);
    }
    karp_str namespace_, name;
    identity(info, tree, &namespace_, &name);
    if (status != KARP_E_NOMEM) io_reader_name(reader, io_get_text(tree, "kind"), namespace_, name);
    return status;
}

karp_status io_keep_object(karp_reader *reader, const io_kind_info *info, const json_t *tree)
{
    if (!reader->options.keep_documents || info->kind == IO_KIND_UNKNOWN) return KARP_OK;
    karp_str namespace_, name;
    identity(info, tree, &namespace_, &name);
    void *list = reader->kept;
    if (!io_grow(reader->context, &list, &reader->kept_capacity, reader->kept_count + 1, sizeof(io_kept))) {
        return io_reader_nomem(reader);
    }
    reader->kept = list;
    io_kept *kept = &reader->kept[reader->kept_count];
    *kept = (io_kept){
        .kind = io_keep(reader, io_get_text(tree, "kind")),
        .api_version = io_keep(reader, io_get_text(tree, "apiVersion")),
        .namespace_ = io_keep(reader, namespace_),
        .name = io_keep(reader, name),
        .text = io_keep_json(reader, tree),
    };
    if (!kept->kind.ptr || !kept->api_version.ptr || !kept->namespace_.ptr || !kept->name.ptr || !kept->text.ptr) {
        return io_reader_nomem(reader);
    }
    reader->kept_count++;
    return KARP_OK;
}

/* ---- plain objects wait ------------------------------------------------------------------------------------------ */

karp_status io_wait(karp_reader *reader, const io_kind_info *info, const json_t *tree, const io_place *place)
{
    /* A first decoding, for its failures: only now is the text at hand that tells their line. */
    karp_status status = io_object_use(reader, info, tree, place, false);
    if (status == KARP_OK && info->kind == IO_KIND_NODE_CLASS) status = io_check_node_class(reader, tree, place);
    if (status == KARP_OK && info->kind == IO_KIND_NODE_CLASS) status = io_survey_class(reader, tree);
    if (status) return status;
    karp_str namespace_, name;
    identity(info, tree, &namespace_, &name);
    void *list = reader->waiting;
    if (!io_grow(reader->context, &list, &reader->waiting_capacity, reader->waiting_count + 1, sizeof(io_waiting))) {
        return io_reader_nomem(reader);
    }
    reader->waiting = list;
    io_waiting *w = &reader->waiting[reader->waiting_count];
    *w = (io_waiting){
        .info = info,
        .namespace_ = io_keep(reader, namespace_),
        .name = io_keep(reader, name),
        .text = io_keep_json(reader, tree),
        .document = place->document,
        .line = place->line,
        .column = place->column,
        .offset = place->offset,
    };
    if (!w->namespace_.ptr || !w->name.ptr || !w->text.ptr) return io_reader_nomem(reader);
    const char *kind = info->kind == IO_KIND_NODE_CLASS ? json_string_value(io_get(tree, "kind")) : info->name;
    if (reader->waiting_count >= IO_STATED ||
        !io_note_name(reader, kind, w->namespace_, w->name, (uint32_t)reader->waiting_count)) {
        return io_reader_nomem(reader);
    }
    reader->waiting_count++;
    return KARP_OK;
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

/* Kinds of a Snapshot that other objects refer to while they are filled in, or that wait for what they refer to. */
static bool is_looked_up(io_kind kind)
{
    return kind == IO_KIND_CAPACITY_BUFFER || kind == IO_KIND_DEPLOYMENT || kind == IO_KIND_REPLICA_SET ||
           kind == IO_KIND_STATEFUL_SET || kind == IO_KIND_POD_TEMPLATE || kind == IO_KIND_PRIORITY_CLASS ||
           kind == IO_KIND_STORAGE_CLASS || kind == IO_KIND_NODE_POOL || kind == IO_KIND_NODE_CLASS;
}

/* Namespaced objects are in one, stated or not. Metadata of the wrong type is found out by the decoder. */
static bool state_namespace(json_t *tree)
{
    json_t *metadata = io_get(tree, "metadata");
    if (!json_is_object(metadata) || io_get(metadata, "namespace")) return true;
    return io_set(metadata, "namespace", json_string("default"));
}

static karp_status use_object(karp_reader *reader, json_t *tree, const io_place *place, bool stated)
{
    const json_t *kind = io_get(tree, "kind"), *api_version = io_get(tree, "apiVersion");
    if (!json_is_string(kind) || json_string_length(kind) == 0) {
        return io_reader_fail(reader, KARP_E_INVALID, place, "kind", "is missing: this is no Kubernetes object");
    }
    if (!json_is_string(api_version) || json_string_length(api_version) == 0) {
        return io_reader_fail(reader, KARP_E_INVALID, place, "apiVersion", "is missing: this is no Kubernetes object");
    }
    const io_kind_info *info = io_kind_find(io_get_text(tree, "apiVersion"), io_get_text(tree, "kind"));
    if (info->kind == IO_KIND_UNKNOWN) {
        return io_warn_once(reader, "%.100s of %.100s has no effect on decisions", json_string_value(kind),
                            json_string_value(api_version));
    }
    if (!stated) {
        karp_status noted = io_note_version(reader, info, io_get_text(tree, "apiVersion"));
        if (noted == KARP_OK) noted = io_note_fields(reader, info, tree, place);
        if (noted) return noted;
    }
    if (info->kind == IO_KIND_PROVISIONER || info->kind == IO_KIND_NODE_TEMPLATE)
        return io_convert(reader, info, tree, place);
    uint32_t rank = info->kind == IO_KIND_NODE || info->kind == IO_KIND_NODE_CLAIM ? 0
                    : info->kind == IO_KIND_NODE_POOL                              ? 1
                                                                                   : 2;
    karp_status status = KARP_OK;
    if (info->kind == IO_KIND_POD && !io_note_owned(reader, tree)) return io_reader_nomem(reader);
    if (!stated || !reader->has_now || !reader->has_catalogues || reader->options.provider.len)
        status = io_survey(reader, tree, rank);
    if (status) return status;
    if (!stated) return io_wait(reader, info, tree, place);

    karp_str namespace_, name;
    if (info->namespaced && !state_namespace(tree)) return io_reader_nomem(reader);
    status = io_object_use(reader, info, tree, place, info->kind != IO_KIND_CAPACITY_BUFFER);
    if (status) return status;
    identity(info, tree, &namespace_, &name);
    if (!io_note_name(reader, info->name, namespace_, name, IO_STATED)) return io_reader_nomem(reader);
    if (is_looked_up(info->kind)) {
        status = io_wait(reader, info, tree, place);
        if (status) return status;
        reader->waiting[reader->waiting_count - 1].stated = true;
    }
    return io_keep_object(reader, info, tree);
}

karp_status io_read_item(karp_reader *reader, json_t *item, const io_place *place, bool stated, karp_str list_kind,
                         karp_str list_api_version)
{
    if (!json_is_object(item)) {
        return io_reader_fail(reader, KARP_E_INVALID, place, NULL, "an element of %s must be an object",
                              stated ? "objects" : "items");
    }
    bool typed = list_kind.len > 4 && io_str_ends(list_kind, "List");
    if (typed && !io_get(item, "kind")) {
        bool ok = io_set(item, "kind", io_text_value((karp_str){ list_kind.ptr, list_kind.len - 4 }));
        if (ok && !io_get(item, "apiVersion")) ok = io_set(item, "apiVersion", io_text_value(list_api_version));
        if (!ok) return io_reader_nomem(reader);
    }
    return io_read_tree(reader, item, place, stated);
}

static karp_status read_items(karp_reader *reader, json_t *tree, const char *member, const io_place *place, bool stated)
{
    json_t *items = io_get(tree, member);
    if (!items) return KARP_OK;
    if (!json_is_array(items)) return io_reader_fail(reader, KARP_E_INVALID, place, member, "must be a list");
    karp_str kind = stated ? (karp_str){ "", 0 } : io_get_text(tree, "kind");
    for (size_t i = 0; i < json_array_size(items); i++) {
        io_place at = *place;
        io_step path[2] = { { member, 0 }, { NULL, i } };
        /* In JSON a List inside a List keeps the place of the outer element: looking each one up would take too long. */
        if (at.marks) io_place_refine(&at, tree, path, 2);
        at.json = NULL;
        karp_status status = io_read_item(reader, json_array_get(items, i), &at, stated, kind,
                                          io_get_text(tree, "apiVersion"));
        if (status) return status;
    }
    return KARP_OK;
}

static karp_status read_snapshot_tree(karp_reader *reader, json_t *tree, const io_place *place)
{
    karp_status status = io_snapshot_begin(reader, place);
    if (status) return status;
    io_snapshot_head head = { json_object_get(tree, "now"), json_object_get(tree, "settings"),
                              json_object_get(tree, "labels"), json_object_get(tree, "state") };
    status = io_snapshot_head_read(reader, &head, place, tree);
    const json_t *catalogues = io_get(tree, "catalogues");
    if (status == KARP_OK && catalogues) {
        if (!json_is_array(catalogues))
            return io_reader_fail(reader, KARP_E_INVALID, place, "catalogues", "must be a list");
        reader->has_catalogues = true;
        for (size_t i = 0; i < json_array_size(catalogues) && status == KARP_OK; i++) {
            const json_t *entry = json_array_get(catalogues, i);
            const json_t *types = io_get(entry, "instanceTypes");
            io_text text;
            io_text_init(&text, reader->context);
            if (types) io_write_json(&text, types);
            status = text.failed
                         ? io_reader_nomem(reader)
                         : io_snapshot_catalogue(reader, entry, (karp_str){ text.ptr, text.len }, place, tree, i);
            io_text_free(&text);
        }
    }
    return status ? status : read_items(reader, tree, "objects", place, true);
}

karp_status io_read_tree(karp_reader *reader, json_t *tree, const io_place *place, bool stated)
{
    if (!json_is_object(tree))
        return io_reader_fail(reader, KARP_E_INVALID, place, NULL, "a document must be an object");
    karp_str kind = io_get_text(tree, "kind");
    if (io_str_is(kind, "Snapshot") && io_str_is(io_group_of(io_get_text(tree, "apiVersion")), "karp")) {
        if (stated) return io_reader_fail(reader, KARP_E_INVALID, place, NULL, "a Snapshot inside a Snapshot");
        return read_snapshot_tree(reader, tree, place);
    }
    if (io_str_ends(kind, "List") && io_get(tree, "items")) return read_items(reader, tree, "items", place, stated);
    return use_object(reader, tree, place, stated);
}
