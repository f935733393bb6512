/* SPDX-License-Identifier: Apache-2.0 */
/* Processes the tree of one object: unfolding lists, kinds, decoding, the builder, deferred objects. */

#include <io/notes.h>
#include <io/change.h>
#include <io/clouds.h>
#include <io/convert.h>
#include <io/fill.h>
#include <io/foreign.h>
#include <io/owner.h>
#include <io/pod_makers.h>

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

io_deferred *io_find_deferred(const karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name)
{
    uint32_t number = io_find_kind(reader, kind, namespace_, name);
    return number < reader->deferred_count ? &reader->deferred[number] : NULL;
}

const tree *io_find_tree(const karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name)
{
    const io_deferred *w = io_find_deferred(reader, kind, namespace_, name);
    return w ? w->root : NULL;
}

karp_str io_name_of_kind(const io_kind_info *info, const tree *root, char room[IO_KIND_ROOM])
{
    bool own = info->kind == IO_KIND_NODE_CLASS || info->kind == IO_KIND_POD_MAKER || info->kind == IO_KIND_OPERATED;
    if (!own) return str(info->name);
    karp_str kind = tree_get_text(root, "kind"), group = str_before(tree_get_text(root, "apiVersion"), '/');
    if (info->kind == IO_KIND_NODE_CLASS) return kind;
    room[0] = '\0';
    str_append(room, IO_KIND_ROOM, "%.*s.%.*s", str_shown(kind, 100), kind.ptr, str_shown(group, 100), group.ptr);
    return str(room);
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

bool io_count_name(karp_reader *reader, const char *kind, karp_str namespace_, karp_str name)
{
    uint32_t *count = io_number_of(reader, str(kind), namespace_, name);
    if (count) *count = *count == IO_NONE ? 1 : *count + 1;
    return count != NULL;
}

void io_identity(const io_kind_info *info, const tree *root, karp_str *namespace_, karp_str *name)
{
    const tree *metadata = tree_get(root, "metadata");
    *name = tree_get_text(metadata, "name");
    *namespace_ = (karp_str){ "", 0 };
    if (!info->namespaced) return;
    *namespace_ = tree_get_text(metadata, "namespace");
    if (namespace_->len == 0) *namespace_ = str("default");
}

/* ---- deferred plain objects -------------------------------------------------------------------------------------- */

void io_error_first(karp_reader *reader, const io_place *first)
{
    char where[IO_PLACE_TEXT];
    str_append(reader->error.message, sizeof reader->error.message, ": %s", io_place_text(first, where));
}

/* Defers an object. Its mistakes are found when it is added, or by io_first_mistake(). */
static karp_status defer(karp_reader *reader, const io_kind_info *info, tree *root, const io_place *place)
{
    karp_str namespace_, name;
    char room[IO_KIND_ROOM];
    karp_str kind = io_name_of_kind(info, root, room);
    io_identity(info, root, &namespace_, &name);
    uint32_t *number = io_number_of(reader, kind, namespace_, name);
    if (!number) return io_reader_nomem(reader);
    if (reader->mode.replacing && *number != IO_NONE) return io_replace(reader, *number, root, place);
    /* The builder finds duplicates of the other kinds. */
    if (!io_is_added(info) && *number < reader->deferred_count) {
        (void)io_reader_fail(reader, KARP_E_DUPLICATE, place, "metadata.name", "the object is in the input already");
        io_error_first(reader, &reader->deferred[*number].place);
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
        .place = *place,
        .replaced = reader->mode.replacing,
        .created = info->kind == IO_KIND_POD && io_is_stated(tree_get(root, "metadata"), "uid"),
        .like = NO_ID,
    };
    return io_note_like(reader, &reader->deferred[reader->deferred_count - 1]) ? KARP_OK : io_reader_nomem(reader);
}

karp_status io_postpone(karp_reader *reader, const io_kind_info *info, tree *root, const io_place *place)
{
    karp_status status = defer(reader, info, root, place);
    if (status || info->kind != IO_KIND_NODE_CLASS) return status;
    status = io_check_node_class(reader, root, place);
    return status ? status : io_survey_class(reader, root);
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

const karp_str io_in_common[IO_IN_COMMON] = {
    { "spec", 4 },          { "labels", 6 },           { "annotations", 11 },   { "ownerReferences", 15 },
    { "status", 6 },        { "conditions", 10 },      { "affinity", 8 },       { "tolerations", 11 },
    { "env", 3 },           { "resources", 9 },        { "nodeSelector", 12 },  { "topologySpreadConstraints", 25 },
    { "volumes", 7 },       { "volumeMounts", 12 },    { "livenessProbe", 13 }, { "readinessProbe", 14 },
    { "startupProbe", 12 }, { "securityContext", 15 },
};

/* Kinds of a Snapshot that other objects need while they are filled in, or that wait for objects they refer to. */
static bool is_looked_up(io_kind kind)
{
    return kind == IO_KIND_CAPACITY_BUFFER || kind == IO_KIND_DEPLOYMENT || kind == IO_KIND_REPLICA_SET ||
           kind == IO_KIND_STATEFUL_SET || kind == IO_KIND_POD_TEMPLATE || kind == IO_KIND_PRIORITY_CLASS ||
           kind == IO_KIND_STORAGE_CLASS || kind == IO_KIND_NODE_POOL || kind == IO_KIND_NODE_CLASS ||
           kind == IO_KIND_PRICES || kind == IO_KIND_POD_MAKER;
}

/* Sets the default namespace of a namespaced object. Metadata of the wrong type is reported by the decoder. */
static bool state_namespace(trees *t, tree *root)
{
    tree_default_text(t, tree_get(root, "metadata"), "namespace", str("default"));
    return t->status == KARP_OK;
}

/* The text of a Snapshot stays in memory only if changes may be applied to its objects. */
static void leave_text(karp_reader *reader, size_t first)
{
    if (reader->options.editable) return;
    for (size_t i = first; i < reader->deferred_count; i++) reader->deferred[i].place.text.ptr = NULL;
}

/* Defers an object of a Snapshot: until changes were applied to it, or because other objects need it. */
static karp_status hold(karp_reader *reader, const io_kind_info *info, tree *root, const io_place *place)
{
    size_t number = reader->deferred_count;
    karp_status status = io_postpone(reader, info, root, place);
    leave_text(reader, number);
    if (status || number == reader->deferred_count) return status; /* it replaced another object */
    reader->deferred[number].stated = true;
    reader->deferred[number].held = reader->options.editable;
    return KARP_OK;
}

static karp_status convert_stated(karp_reader *reader, const io_kind_info *info, const tree *root,
                                  const io_place *place)
{
    size_t number = reader->deferred_count;
    const tree *kept = tree_deep_copy(&reader->trees, root, true);
    karp_status status = kept ? io_convert(reader, info, kept, place) : io_reader_nomem(reader);
    leave_text(reader, number);
    return status;
}

/* Uses an object of a Snapshot. Unless changes may be applied to it, neither its tree nor its text stays in memory. */
static karp_status use_stated(karp_reader *reader, const io_kind_info *info, tree *root, const io_place *place)
{
    karp_str namespace_, name;
    if (info->namespaced && !state_namespace(io_trees(reader, true), root)) return io_reader_nomem(reader);
    if (reader->options.editable) return hold(reader, info, root, place);
    karp_status status = info->kind == IO_KIND_CAPACITY_BUFFER ? io_object_check(reader, info, root, place)
                                                               : io_object_add(reader, info, root, place);
    if (status) return status;
    io_identity(info, root, &namespace_, &name);
    if (!io_note_name(reader, str(info->name), namespace_, name, IO_STATED)) return io_reader_nomem(reader);
    if (is_looked_up(info->kind)) {
        tree *kept = tree_deep_copy(&reader->trees, root, true);
        status = kept ? hold(reader, info, kept, place) : io_reader_nomem(reader);
        if (status) return status;
    }
    return io_keep_object(reader, info, root);
}

/* Names an object that states only the beginning of its name: "NAME-1" … */
bool io_name_generated(karp_reader *reader, const io_kind_info *info, tree *root)
{
    trees *t = &reader->trees;
    tree *metadata = tree_get(root, "metadata");
    karp_str given = tree_get_text(metadata, "generateName"), name;
    if (given.len == 0 || tree_get(metadata, "name")) return true;
    karp_str space = tree_get_text(metadata, "namespace");
    if (space.len == 0 && info->namespaced) space = str("default");
    uint32_t *last = io_number_of(reader, str("generated names"), space, given);
    if (!last) return false;
    uint32_t number = *last == IO_NONE ? 0 : *last;
    char room[IO_KIND_ROOM];
    karp_str kind = io_name_of_kind(info, root, room);
    do {
        strbuf text = strbuf_on(reader->context);
        strbuf_addstr(&text, given);
        strbuf_addu(&text, *last = ++number);
        name = text.failed ? (karp_str){ NULL, 0 } : io_keep(reader, (karp_str){ text.ptr, text.len });
        strbuf_free(&text);
    } while (name.ptr && io_find_kind(reader, kind, space, name) != IO_NONE);
    if (name.ptr) tree_set_text(t, metadata, "name", name);
    return name.ptr && t->status == KARP_OK;
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

/* Whether the API server has taken the object. */
static bool is_of_cluster(const tree *root)
{
    const tree *metadata = tree_get(root, "metadata");
    return tree_get(metadata, "uid") || tree_get(metadata, "resourceVersion");
}

karp_status io_note_object(karp_reader *reader, const io_kind_info *info, tree *root, const io_place *place)
{
    karp_status status = io_note_version(reader, info, tree_get_text(root, "apiVersion"), tree_get_text(root, "kind"));
    if (status == KARP_OK) status = io_convert_beta(reader, info, root);
    if (is_of_cluster(root)) return status;
    if (status == KARP_OK) status = io_note_fields(reader, info, root, place);
    return status ? status : io_note_refused(reader, info, root, place);
}

/* Of kinds that are not read, objects are kept that create pods, and those of which nothing is known. */
static const io_kind_info *kind_of(const karp_reader *reader, const tree *root)
{
    karp_str kind = tree_get_text(root, "kind"), api_version = tree_get_text(root, "apiVersion");
    const io_kind_info *info = io_reader_kind(reader, api_version, kind);
    if (info->kind != IO_KIND_UNKNOWN || io_is_ignored(reader, api_version, kind)) return info;
    return io_makes_pods(root) || io_is_unknown_kind(api_version, kind) ? &io_kind_pod_maker : info;
}

static karp_status use_whole_object(karp_reader *reader, tree *root, const io_place *place, bool stated)
{
    karp_str kind = tree_get_text(root, "kind"), api_version = tree_get_text(root, "apiVersion");
    stated = stated || reader->mode.complete;
    if (reader->catalogues.only_prices && !is_prices(root)) return refuse_as_prices(reader, root, place);
    if (kind.len == 0 || api_version.len == 0 || io_foreign_version(api_version))
        return io_foreign_refuse(reader, root, place, stated, kind.len > 0 ? "apiVersion" : "kind",
                                 "is missing: this is not a Kubernetes object");
    reader->survey.used++;
    const io_kind_info *info = kind_of(reader, root);
    if (!stated && !io_name_generated(reader, info, root)) return io_reader_nomem(reader);
    if (info->kind != IO_KIND_POD && !io_note_made(reader, root)) return io_reader_nomem(reader);
    if (info->kind == IO_KIND_UNKNOWN) {
        bool told = false;
        karp_status noted = KARP_OK;
        if (str_is(kind, "VolumeAttachment") && str_starts(api_version, "storage.k8s.io/"))
            return io_note_attachment(reader, root);
        if (!stated && !io_is_ignored(reader, api_version, kind)) noted = io_note_mutator(reader, root, place, &told);
        return noted || told ? noted : io_unused_kind(reader, api_version, kind);
    }
    if (!stated) {
        bool left_out = false;
        bool plain = info->kind != IO_KIND_POD_MAKER && !is_of_cluster(root);
        karp_status refused = plain ? io_foreign_object(reader, root, place, &left_out) : KARP_OK;
        if (refused || left_out) return refused;
        karp_status noted = io_note_object(reader, info, root, place);
        if (noted) return noted;
    }
    if (info->kind == IO_KIND_PROVISIONER || info->kind == IO_KIND_NODE_TEMPLATE)
        return stated ? convert_stated(reader, info, root, place) : io_convert(reader, info, root, place);
    uint32_t rank = info->kind == IO_KIND_NODE || info->kind == IO_KIND_NODE_CLAIM ? IO_RANK_NODE
                    : info->kind == IO_KIND_NODE_POOL                              ? IO_RANK_POOL
                    : info->kind == IO_KIND_VOLUME                                 ? IO_RANK_VOLUME
                    : info->kind == IO_KIND_PRICES || info->kind == IO_KIND_NODE_OVERLAY ||
                            info->kind == IO_KIND_STORAGE_CLASS || info->kind == IO_KIND_NODE_CLASS
                        ? IO_RANK_OTHER
                        : IO_RANK_POD;
    karp_status status = KARP_OK;
    /* Pods to which changes may be applied are counted at the end. */
    if (info->kind == IO_KIND_POD && !reader->options.editable && !io_note_owned(reader, root))
        return io_reader_nomem(reader);
    if (!stated || !reader->asked.has_now || !reader->catalogues.stated || reader->options.provider.len) {
        io_note_cloud(reader, info, root);
        status = io_survey(reader, root, rank);
    }
    if (status == KARP_OK && !stated) status = io_convert_auto_mode(reader, info, root);
    if (status) return status;
    return stated ? use_stated(reader, info, root, place) : io_postpone(reader, info, root, place);
}

static karp_status use_object(karp_reader *reader, tree *root, const io_place *place, bool stated)
{
    size_t first = reader->deferred_count;
    karp_status status = use_whole_object(reader, root, place, stated);
    if (status == KARP_OK || stated || reader->mode.complete || reader->catalogues.only_prices) return status;
    status = io_leave_out(reader, status, root, place);
    for (size_t i = first; i < reader->deferred_count && status == KARP_OK; i++) reader->deferred[i].gone = true;
    return status;
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
        trees *t = io_trees(reader, stated);
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
    reader->survey.used++;
    karp_status status = io_snapshot_begin(reader, place);
    if (status) return status;
    io_snapshot_head head = { tree_get(root, "now"), tree_get(root, "settings"), tree_get(root, "labels"),
                              tree_get(root, "state") };
    status = io_snapshot_head_read(reader, &head, place, root);
    const tree *catalogues = tree_get(root, "catalogues");
    if (status == KARP_OK && catalogues) {
        if (!tree_is(catalogues, TREE_LIST))
            return io_reader_fail(reader, KARP_E_INVALID, place, "catalogues", "must be a list");
        reader->catalogues.stated = true;
        for (size_t i = 0; i < tree_count(catalogues) && status == KARP_OK; i++) {
            const tree *entry = tree_item(catalogues, i);
            const tree *types = tree_get(entry, "instanceTypes");
            strbuf text = strbuf_on(reader->context);
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
        return io_foreign_refuse(reader, root, place, stated, NULL, "a document must be an object");
    karp_str kind = tree_get_text(root, "kind");
    if (io_is_snapshot(kind, tree_get_text(root, "apiVersion"))) {
        if (reader->catalogues.only_prices) return refuse_as_prices(reader, root, place);
        if (stated) return io_reader_fail(reader, KARP_E_INVALID, place, NULL, "a Snapshot inside a Snapshot");
        return read_snapshot_tree(reader, root, place);
    }
    if (str_ends(kind, "List") && tree_get(root, "items")) return read_items(reader, root, "items", place, stated);
    return use_object(reader, root, place, stated);
}
