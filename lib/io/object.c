/* SPDX-License-Identifier: Apache-2.0 */
/* Processes the tree of one object: unfolding lists, kinds, decoding, the builder, deferred objects. */

#include <io/decode_fields.h>
#include <io/notes.h>
#include <io/change.h>
#include <io/convert.h>
#include <io/owner.h>
#include <io/prices.h>
#include <string.h>

#include <karp/builder.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool name_key(char *into, size_t room, karp_str kind, karp_str namespace_, karp_str name, karp_str *key)
{
    size_t k = kind.len;
    if (k + namespace_.len + name.len + 2 > room) return false;
    memcpy(into, kind.ptr, k);
    into[k] = '\n';
    if (namespace_.len) memcpy(into + k + 1, namespace_.ptr, namespace_.len);
    into[k + 1 + namespace_.len] = '/';
    if (name.len) memcpy(into + k + 2 + namespace_.len, name.ptr, name.len);
    *key = (karp_str){ into, k + 2 + namespace_.len + name.len };
    return true;
}

uint32_t io_find_kind(const karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name)
{
    char buffer[768];
    karp_str key;
    return name_key(buffer, sizeof buffer, kind, namespace_, name, &key) ? io_table_get(&reader->names, key) : IO_NONE;
}

uint32_t io_find(const karp_reader *reader, const char *kind, karp_str namespace_, karp_str name)
{
    return io_find_kind(reader, str(kind), namespace_, name);
}

/* Names longer than Kubernetes allows are not recorded: nothing can refer to them. */
uint32_t *io_number_of(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name)
{
    char buffer[768];
    karp_str key;
    reader->unrecorded = IO_NONE;
    return name_key(buffer, sizeof buffer, kind, namespace_, name, &key) ? io_table_at(&reader->names, key)
                                                                         : &reader->unrecorded;
}

bool io_note_name(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name, uint32_t number)
{
    uint32_t *place = io_number_of(reader, kind, namespace_, name);
    if (place) *place = number;
    return place != NULL;
}

static void identity(const io_kind_info *info, const tree *root, karp_str *namespace_, karp_str *name)
{
    const tree *metadata = tree_get(root, "metadata");
    *name = tree_get_text(metadata, "name");
    *namespace_ = (karp_str){ "", 0 };
    if (!info->namespaced) return;
    *namespace_ = tree_get_text(metadata, "namespace");
    if (namespace_->len == 0) *namespace_ = str("default");
}

/* ---- decoding and adding ----------------------------------------------------------------------------------------- */

static karp_status add_node_class(karp_reader *reader, io_decoder *d, const tree *root, bool add)
{
    karp_node_class class_;
    memset(&class_, 0, sizeof class_);
    class_.size = sizeof class_;
    class_.meta = io_meta(d, root, false);
    class_.group = str_before(io_string(d, root, "apiVersion"), '/');
    class_.kind = io_string(d, root, "kind");
    if (d->status || !add) return d->status;
    strbuf text;
    strbuf_init(&text, reader->context);
    tree_write(&text, root);
    karp_status status = text.failed ? io_reader_nomem(reader) : KARP_OK;
    class_.document = (karp_str){ text.ptr, text.len };
    if (status == KARP_OK) status = karp_builder_add_node_class(reader->builder, &class_, &reader->error);
    strbuf_free(&text);
    return status;
}

static karp_status add_selecting(karp_reader *reader, io_decoder *d, const tree *root, uint32_t kind, bool add)
{
    karp_selecting selecting;
    io_decode_selecting(d, root, kind, &selecting);
    if (d->status || !add) return d->status;
    return karp_builder_add_selecting(reader->builder, &selecting, &reader->error);
}

/* Checks the pod template of a workload in the same way as the pods. */
static karp_status check_workload(io_decoder *d, const tree *root)
{
    karp_pod pod;
    (void)io_meta(d, root, true);
    const tree *spec = io_enter(d, root, "spec");
    (void)io_integer(d, spec, "replicas", 0, INT32_MAX, 1);
    (void)io_integer(d, spec, "parallelism", 0, INT32_MAX, 1);
    (void)io_boolean(d, spec, "suspend", false);
    (void)io_selector(d, spec, "selector");
    const tree *template_ = io_enter(d, spec, "template");
    io_decode_template(d, template_, &pod);
    io_pop(d);
    size_t count = 0;
    const tree *claims = io_array(d, spec, "volumeClaimTemplates", &count);
    io_push(d, "volumeClaimTemplates");
    for (size_t i = 0; i < count && !d->status; i++) {
        karp_persistent_volume_claim claim;
        io_decode(d, &io_claim_shape, io_element(d, claims, i), &claim);
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
    return d->status;
}

static karp_status check_priority_class(io_decoder *d, const tree *root)
{
    (void)io_meta(d, root, false);
    (void)io_integer(d, root, "value", INT32_MIN, INT32_MAX, 0);
    (void)io_boolean(d, root, "globalDefault", false);
    return d->status;
}

static karp_status check_template(io_decoder *d, const tree *root)
{
    karp_pod pod;
    (void)io_meta(d, root, true);
    const tree *template_ = io_enter(d, root, "template");
    io_decode_template(d, template_, &pod);
    io_pop(d);
    return d->status;
}

static karp_status add_pool(karp_reader *reader, const karp_node_pool *pool)
{
    karp_status status = io_note_invalid_pool(reader, pool);
    if (status == KARP_OK) status = io_unused_pool(reader, pool);
    if (status == KARP_OK) status = io_values_pool(reader, pool);
    return status ? status : karp_builder_add_node_pool(reader->builder, pool, &reader->error);
}

static karp_status add_node(karp_reader *reader, const karp_node *node)
{
    karp_status status = io_unused_node(reader, node);
    return status ? status : karp_builder_add_node(reader->builder, node, &reader->error);
}

static karp_status add_claim(karp_reader *reader, const karp_node_claim *claim)
{
    karp_status status = io_unused_claim(reader, claim);
    return status ? status : karp_builder_add_node_claim(reader->builder, claim, &reader->error);
}

static karp_status add_overlay(karp_reader *reader, const karp_node_overlay *overlay)
{
    karp_status status = io_unused_object(reader, KARP_GATE_NODE_OVERLAY, overlay->meta.name);
    return status ? status : karp_builder_add_node_overlay(reader->builder, overlay, &reader->error);
}

/* Decoding failures are recorded in the decoder, the builder's in reader->error. */
static karp_status decode_and_add(karp_reader *reader, io_decoder *d, const io_kind_info *info, const tree *root,
                                  bool add)
{
    karp_builder *b = reader->builder;
    karp_error *e = &reader->error;
    union {
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
    case IO_KIND_POD: return io_use_pod(reader, d, root, add);
    case IO_KIND_NODE:
        io_decode(d, &io_node_shape, root, &o.node);
        return d->status || !add ? d->status : add_node(reader, &o.node);
    case IO_KIND_NODE_CLAIM:
        io_decode(d, &io_node_claim_shape, root, &o.node_claim);
        return d->status || !add ? d->status : add_claim(reader, &o.node_claim);
    case IO_KIND_NODE_POOL:
        io_decode(d, &io_node_pool_shape, root, &o.pool);
        return d->status || !add ? d->status : add_pool(reader, &o.pool);
    case IO_KIND_NODE_OVERLAY:
        io_decode(d, &io_node_overlay_shape, root, &o.overlay);
        return d->status || !add ? d->status : add_overlay(reader, &o.overlay);
    case IO_KIND_NODE_CLASS: return add_node_class(reader, d, root, add);
    case IO_KIND_DAEMON_SET:
        io_decode(d, &io_workload_shape, root, &o.daemon_set);
        return d->status || !add ? d->status : karp_builder_add_daemon_set(b, &o.daemon_set, e);
    case IO_KIND_CLAIM:
        io_decode(d, &io_claim_shape, root, &o.claim);
        return d->status || !add ? d->status : karp_builder_add_persistent_volume_claim(b, &o.claim, e);
    case IO_KIND_VOLUME:
        io_decode(d, &io_volume_shape, root, &o.volume);
        return d->status || !add ? d->status : karp_builder_add_persistent_volume(b, &o.volume, e);
    case IO_KIND_STORAGE_CLASS:
        io_decode(d, &io_storage_class_shape, root, &o.storage_class);
        return d->status || !add ? d->status : karp_builder_add_storage_class(b, &o.storage_class, e);
    case IO_KIND_CSI_NODE:
        io_decode(d, &io_csi_node_shape, root, &o.csi_node);
        return d->status || !add ? d->status : karp_builder_add_csi_node(b, &o.csi_node, e);
    case IO_KIND_BUDGET:
        io_decode(d, &io_budget_shape, root, &o.budget);
        return d->status || !add ? d->status : karp_builder_add_pod_disruption_budget(b, &o.budget, e);
    case IO_KIND_NAMESPACE:
        io_decode(d, &io_namespace_shape, root, &o.namespace_);
        return d->status || !add ? d->status : karp_builder_add_namespace(b, &o.namespace_, e);
    case IO_KIND_SERVICE: return add_selecting(reader, d, root, KARP_SELECTS_SERVICE, add);
    case IO_KIND_REPLICATION_CONTROLLER:
        return add_selecting(reader, d, root, KARP_SELECTS_REPLICATION_CONTROLLER, add);
    case IO_KIND_REPLICA_SET:
    case IO_KIND_STATEFUL_SET:
        if (!add && check_workload(d, root)) return d->status;
        return add_selecting(reader, d, root,
                             info->kind == IO_KIND_REPLICA_SET ? KARP_SELECTS_REPLICA_SET : KARP_SELECTS_STATEFUL_SET,
                             add);
    case IO_KIND_DEPLOYMENT:
    case IO_KIND_JOB: return add ? KARP_OK : check_workload(d, root);
    case IO_KIND_PRIORITY_CLASS: return check_priority_class(d, root);
    case IO_KIND_POD_TEMPLATE: return check_template(d, root);
    case IO_KIND_CAPACITY_BUFFER:
        io_decode(d, &io_capacity_buffer_shape, root, &o.buffer);
        return d->status || !add ? d->status : io_add_buffer(reader, d, root, &o.buffer);
    case IO_KIND_PRICES: return io_check_prices(d, root);
    case IO_KIND_DEVICES: return io_use_devices(d, info, root, add ? b : NULL, e);
    case IO_KIND_UNKNOWN:
    case IO_KIND_PROVISIONER:
    case IO_KIND_NODE_TEMPLATE: break;
    }
    return KARP_OK;
}

/* Finds the position of the field in the builder's error, while the text is in memory. */
static void place_of_field(karp_reader *reader, const io_place *place, const tree *root)
{
    io_place at = *place;
    io_step path[IO_PATH_MOST];
    char names[sizeof reader->error.field];
    io_place_refine(&at, root, path, io_path_read(reader->error.field, names, sizeof names, path));
    io_error_place(&reader->error, &at);
}

karp_status io_object_use(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place,
                          bool add)
{
    io_decoder d;
    arena_release(&reader->scratch, (arena_mark){ NULL, NULL });
    io_decoder_init(&d, &reader->scratch);
    karp_status status = decode_and_add(reader, &d, info, root, add);
    if (status == KARP_OK) return status;
    if (d.status) {
        status = io_reader_bad(reader, &d, place, root);
    } else if (status != KARP_E_NOMEM) {
        reader->error.status = status;
        place_of_field(reader, place, root);
    }
    karp_str namespace_, name;
    identity(info, root, &namespace_, &name);
    if (status != KARP_E_NOMEM) io_reader_name(reader, tree_get_text(root, "kind"), namespace_, name);
    return status;
}

karp_status io_keep_object(karp_reader *reader, const io_kind_info *info, const tree *root)
{
    /* Prices are not kept: they are in the kept catalogues. */
    if (!reader->options.keep_documents || info->kind == IO_KIND_UNKNOWN || info->kind == IO_KIND_PRICES)
        return KARP_OK;
    karp_str namespace_, name;
    identity(info, root, &namespace_, &name);
    if (!grow(reader->context, (void **)&reader->kept, &reader->kept_capacity, reader->kept_count + 1, sizeof(io_kept)))
        return io_reader_nomem(reader);
    io_kept *kept = &reader->kept[reader->kept_count];
    *kept = (io_kept){
        .kind = io_keep(reader, tree_get_text(root, "kind")),
        .api_version = io_keep(reader, tree_get_text(root, "apiVersion")),
        .namespace_ = io_keep(reader, namespace_),
        .name = io_keep(reader, name),
        .text = io_keep_json(reader, root),
    };
    if (!kept->kind.ptr || !kept->api_version.ptr || !kept->namespace_.ptr || !kept->name.ptr || !kept->text.ptr)
        return io_reader_nomem(reader);
    reader->kept_count++;
    return KARP_OK;
}

/* ---- deferred plain objects -------------------------------------------------------------------------------------- */

/* Kinds that are not added to the builder, so that duplicates have to be found here. */
static bool is_ours_alone(const io_kind_info *info)
{
    io_kind kind = info->kind;
    return kind == IO_KIND_PRIORITY_CLASS || kind == IO_KIND_DEPLOYMENT || kind == IO_KIND_JOB ||
           kind == IO_KIND_POD_TEMPLATE || kind == IO_KIND_PRICES ||
           (kind == IO_KIND_DEVICES && strcmp(info->name, "ResourceClaimTemplate") == 0);
}

karp_status io_postpone(karp_reader *reader, const io_kind_info *info, tree *root, const io_place *place)
{
    /* Decodes once to find failures now, because the text is needed for their line and usually does not stay in
     * memory. The text of pods in JSON stays, and they are most of an input, so they are decoded only later. */
    bool later = info->kind == IO_KIND_POD && place->text.ptr && place->lasts;
    karp_status status = later ? KARP_OK : io_object_use(reader, info, root, place, false);
    if (status == KARP_OK && info->kind == IO_KIND_NODE_CLASS) status = io_check_node_class(reader, root, place);
    if (status == KARP_OK && info->kind == IO_KIND_NODE_CLASS) status = io_survey_class(reader, root);
    if (status) return status;
    karp_str namespace_, name, kind = info->kind == IO_KIND_NODE_CLASS ? tree_get_text(root, "kind") : str(info->name);
    identity(info, root, &namespace_, &name);
    uint32_t *number = io_number_of(reader, kind, namespace_, name);
    if (!number) return io_reader_nomem(reader);
    if (reader->replacing && *number != IO_NONE) return io_replace(reader, *number, root, place);
    if (is_ours_alone(info) && *number < reader->deferred_count) {
        (void)io_reader_fail(reader, KARP_E_DUPLICATE, place, "metadata.name", "the object is in the input already");
        io_reader_name(reader, kind, namespace_, name);
        return KARP_E_DUPLICATE;
    }
    if (reader->deferred_count >= IO_STATED ||
        !grow(reader->context, (void **)&reader->deferred, &reader->deferred_capacity, reader->deferred_count + 1,
              sizeof(io_deferred)))
        return io_reader_nomem(reader);
    *number = (uint32_t)reader->deferred_count;
    reader->deferred[reader->deferred_count++] = (io_deferred){
        .info = info,
        .namespace_ = namespace_,
        .name = name,
        .root = root,
        .document = place->document,
        .text = later ? place->text : (karp_str){ NULL, 0 },
        .line = place->line,
        .column = place->column,
        .offset = place->offset,
        .replaced = reader->replacing,
    };
    return KARP_OK;
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

/* Kinds of a Snapshot that other objects need while they are filled in, or that wait for objects they refer to. */
static bool is_looked_up(io_kind kind)
{
    return kind == IO_KIND_CAPACITY_BUFFER || kind == IO_KIND_DEPLOYMENT || kind == IO_KIND_REPLICA_SET ||
           kind == IO_KIND_STATEFUL_SET || kind == IO_KIND_POD_TEMPLATE || kind == IO_KIND_PRIORITY_CLASS ||
           kind == IO_KIND_STORAGE_CLASS || kind == IO_KIND_NODE_POOL || kind == IO_KIND_NODE_CLASS ||
           kind == IO_KIND_PRICES;
}

/* Sets the default namespace of a namespaced object. Metadata of the wrong type is reported by the decoder. */
static bool state_namespace(karp_reader *reader, tree *root)
{
    tree_default_text(&reader->passing, tree_get(root, "metadata"), "namespace", str("default"));
    return reader->passing.status == KARP_OK;
}

/* Lets an object of a Snapshot wait for changes like a plain one. */
static karp_status hold(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place)
{
    tree *kept = tree_deep_copy(&reader->trees, root, true);
    karp_status status = kept ? io_postpone(reader, info, kept, place) : io_reader_nomem(reader);
    if (status == KARP_OK) {
        reader->deferred[reader->deferred_count - 1].stated = true;
        reader->deferred[reader->deferred_count - 1].held = true;
    }
    return status;
}

static bool is_prices(const tree *root)
{
    return io_kind_find(tree_get_text(root, "apiVersion"), tree_get_text(root, "kind"))->kind == IO_KIND_PRICES;
}

static karp_status refuse_as_prices(karp_reader *reader, const tree *root, const io_place *place)
{
    karp_str kind = tree_get_text(root, "kind"), version = tree_get_text(root, "apiVersion"), shown = kind;
    if (shown.len > 64) shown.len = 64;
    return io_reader_fail(reader, KARP_E_INVALID, place, "kind",
                          "prices are an object of kind Prices (apiVersion: karp/v1); this is %s%.*s%s",
                          kind.len ? "a " : "none: it has no kind", (int)shown.len, kind.len ? shown.ptr : "",
                          str_is(kind, "Prices") && version.len == 0 ? " without an apiVersion"
                          : str_is(kind, "Prices")                   ? " of another apiVersion"
                                                                     : "");
}

static karp_status use_object(karp_reader *reader, tree *root, const io_place *place, bool stated)
{
    const tree *kind = tree_get(root, "kind"), *api_version = tree_get(root, "apiVersion");
    if (reader->only_prices && !is_prices(root)) return refuse_as_prices(reader, root, place);
    if (!tree_is(kind, TREE_STRING) || kind->count == 0)
        return io_reader_fail(reader, KARP_E_INVALID, place, "kind", "is missing: this is not a Kubernetes object");
    if (!tree_is(api_version, TREE_STRING) || api_version->count == 0) {
        return io_reader_fail(reader, KARP_E_INVALID, place, "apiVersion",
                              "is missing: this is not a Kubernetes object");
    }
    const io_kind_info *info = io_kind_find(tree_get_text(root, "apiVersion"), tree_get_text(root, "kind"));
    if (info->kind == IO_KIND_UNKNOWN)
        return io_unused_kind(reader, tree_get_text(root, "apiVersion"), tree_get_text(root, "kind"));
    if (!stated) {
        karp_status noted = io_note_version(reader, info, tree_get_text(root, "apiVersion"));
        if (noted == KARP_OK) noted = io_convert_beta(reader, info, root);
        if (noted == KARP_OK) noted = io_note_fields(reader, info, root, place);
        if (noted) return noted;
    }
    if (info->kind == IO_KIND_PROVISIONER || info->kind == IO_KIND_NODE_TEMPLATE)
        return io_convert(reader, info, root, place);
    uint32_t rank = info->kind == IO_KIND_NODE || info->kind == IO_KIND_NODE_CLAIM ? 0
                    : info->kind == IO_KIND_NODE_POOL                              ? 1
                                                                                   : 2;
    karp_status status = KARP_OK;
    bool held = stated && reader->options.editable;
    /* Pods to which changes may be applied are counted at the end. */
    if (info->kind == IO_KIND_POD && !reader->options.editable && !io_note_owned(reader, root))
        return io_reader_nomem(reader);
    if (!stated || !reader->has_now || !reader->has_catalogues || reader->options.provider.len)
        status = io_survey(reader, root, rank);
    if (status == KARP_OK && !stated) status = io_convert_auto_mode(reader, info, root);
    if (status) return status;
    if (!stated) return io_postpone(reader, info, root, place);

    karp_str namespace_, name;
    if (info->namespaced && !state_namespace(reader, root)) return io_reader_nomem(reader);
    if (held) return hold(reader, info, root, place);
    status = io_object_use(reader, info, root, place, info->kind != IO_KIND_CAPACITY_BUFFER);
    if (status) return status;
    identity(info, root, &namespace_, &name);
    if (!io_note_name(reader, str(info->name), namespace_, name, IO_STATED)) return io_reader_nomem(reader);
    if (is_looked_up(info->kind)) {
        tree *kept = tree_deep_copy(&reader->trees, root, true);
        status = kept ? io_postpone(reader, info, kept, place) : io_reader_nomem(reader);
        if (status) return status;
        reader->deferred[reader->deferred_count - 1].stated = true;
    }
    return io_keep_object(reader, info, root);
}

karp_status io_read_item(karp_reader *reader, tree *item, const io_place *place, bool stated, karp_str list_kind,
                         karp_str list_api_version)
{
    if (!tree_is(item, TREE_MAP)) {
        return io_reader_fail(reader, KARP_E_INVALID, place, NULL, "an element of %s must be an object",
                              stated ? "objects" : "items");
    }
    bool typed = list_kind.len > 4 && str_ends(list_kind, "List");
    if (typed && !tree_get(item, "kind")) {
        trees *t = stated ? &reader->passing : &reader->trees;
        tree_set_text(t, item, "kind", (karp_str){ list_kind.ptr, list_kind.len - 4 });
        tree_default_text(t, item, "apiVersion", list_api_version);
        if (t->status) return io_reader_nomem(reader);
    }
    return io_read_tree(reader, item, place, stated);
}

static karp_status read_items(karp_reader *reader, tree *root, const char *member, const io_place *place, bool stated)
{
    tree *items = tree_get(root, member);
    if (!items) return KARP_OK;
    if (!tree_is(items, TREE_LIST)) return io_reader_fail(reader, KARP_E_INVALID, place, member, "must be a list");
    karp_str kind = stated ? (karp_str){ "", 0 } : tree_get_text(root, "kind");
    for (size_t i = 0; i < tree_count(items); i++) {
        io_place at = *place;
        io_step path[2] = { { member, 0 }, { NULL, i } };
        /* In JSON the elements of a List inside a List have the position of the outer element, because finding each
         * position would take too long. */
        if (at.marks) io_place_refine(&at, root, path, 2);
        at.text.ptr = NULL;
        karp_status status = io_read_item(reader, tree_item(items, i), &at, stated, kind,
                                          tree_get_text(root, "apiVersion"));
        if (status) return status;
    }
    return KARP_OK;
}

static karp_status read_snapshot_tree(karp_reader *reader, tree *root, const io_place *place)
{
    karp_status status = io_snapshot_begin(reader, place);
    if (status) return status;
    io_snapshot_head head = { tree_get(root, "now"), tree_get(root, "settings"), tree_get(root, "labels"),
                              tree_get(root, "state") };
    status = io_snapshot_head_read(reader, &head, place, root);
    const tree *catalogues = tree_get(root, "catalogues");
    if (status == KARP_OK && catalogues) {
        if (!tree_is(catalogues, TREE_LIST))
            return io_reader_fail(reader, KARP_E_INVALID, place, "catalogues", "must be a list");
        reader->has_catalogues = true;
        for (size_t i = 0; i < tree_count(catalogues) && status == KARP_OK; i++) {
            const tree *entry = tree_item(catalogues, i);
            const tree *types = tree_get(entry, "instanceTypes");
            strbuf text;
            strbuf_init(&text, reader->context);
            if (types) tree_write(&text, types);
            status = text.failed ? io_reader_nomem(reader)
                                 : io_snapshot_catalogue(reader, entry, (karp_str){ text.ptr, text.len }, place, i);
            strbuf_free(&text);
        }
    }
    return status ? status : read_items(reader, root, "objects", place, true);
}

karp_status io_read_tree(karp_reader *reader, tree *root, const io_place *place, bool stated)
{
    if (!tree_is(root, TREE_MAP))
        return io_reader_fail(reader, KARP_E_INVALID, place, NULL, "a document must be an object");
    karp_str kind = tree_get_text(root, "kind");
    if (str_is(kind, "Snapshot") && str_is(str_before(tree_get_text(root, "apiVersion"), '/'), "karp")) {
        if (reader->only_prices) return refuse_as_prices(reader, root, place);
        if (stated) return io_reader_fail(reader, KARP_E_INVALID, place, NULL, "a Snapshot inside a Snapshot");
        return read_snapshot_tree(reader, root, place);
    }
    if (str_ends(kind, "List") && tree_get(root, "items")) return read_items(reader, root, "items", place, stated);
    return use_object(reader, root, place, stated);
}
