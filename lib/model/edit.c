/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots that continue others: a builder that starts with all objects of a snapshot, and removing objects from it.
 */
#include <model/builder.h>

#include <base/admit.h>
#include <base/context.h>
#include <base/error.h>
#include <model/peer.h>
#include <model/snapshot.h>
#include <model/store_pods.h>

#include <karp/builder.h>

static uint64_t types_of(const store *s)
{
    uint64_t types = 0;
    for (size_t i = 0; i < s->catalogues.count; i++) {
        bool before = false;
        for (size_t k = 0; k < i && !before; k++)
            before = s->catalogues.items[k].catalogue == s->catalogues.items[i].catalogue;
        if (!before) types += s->catalogues.items[i].catalogue->count;
    }
    return types;
}

karp_status karp_snapshot_edit(const karp_snapshot *snapshot, karp_builder **out, karp_error *error)
{
    store continued;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the builder are needed");
    bool ok = store_continue(&continued, &snapshot->raw);
    karp_builder *b = ok ? builder_of(snapshot->context, &continued) : NULL;
    if (b == NULL) return context_nomem(snapshot->context, error);
    b->before = snapshot_hold(snapshot);
    b->types = types_of(&b->s);
    *out = b;
    return KARP_OK;
}

/* ---- names of kinds ---------------------------------------------------------------------------------------------- */

/* Kinds that are identified by kind, namespace and name. */
static const struct named_kind {
    const char *name;
    enum kind kind;
    bool namespaced;
} named_kinds[] = {
    { "Pod", KIND_POD, true },
    { "Node", KIND_NODE, false },
    { "NodeClaim", KIND_NODE_CLAIM, false },
    { "NodePool", KIND_NODE_POOL, false },
    { "DaemonSet", KIND_DAEMON_SET, true },
    { "PersistentVolumeClaim", KIND_VOLUME_CLAIM, true },
    { "PersistentVolume", KIND_VOLUME, false },
    { "StorageClass", KIND_STORAGE_CLASS, false },
    { "CSINode", KIND_CSI_NODE, false },
    { "PodDisruptionBudget", KIND_BUDGET, true },
    { "Namespace", KIND_NAMESPACE, false },
    { "NodeOverlay", KIND_OVERLAY, false },
    { "CapacityBuffer", KIND_BUFFER, true },
    { "ResourceSlice", KIND_RESOURCE_SLICE, false },
    { "DeviceClass", KIND_DEVICE_CLASS, false },
    { "ResourceClaim", KIND_RESOURCE_CLAIM, true },
};
static const char *const selecting_kinds[] = { "Service", "ReplicationController", "ReplicaSet",
                                               "StatefulSet" }; /* KARP_SELECTS_* */

/* The identity of an object in `taken`. Returns its length, 0 = there is no such object. */
static size_t identify(const store *s, karp_str kind, karp_str name_space, karp_str name, uint32_t identity[5])
{
    uint32_t space = strings_find(&s->text, name_space.ptr, name_space.len);
    identity[1] = NO_TEXT;
    identity[2] = strings_find(&s->names, name.ptr, name.len);
    if (identity[2] == NO_ID) return 0;
    for (size_t i = 0; i < sizeof named_kinds / sizeof *named_kinds; i++) {
        if (!str_is(kind, named_kinds[i].name)) continue;
        identity[0] = (uint32_t)named_kinds[i].kind;
        if (named_kinds[i].namespaced) identity[1] = space;
        return identity[1] == NO_ID ? 0 : 3;
    }
    for (uint32_t i = 0; i < sizeof selecting_kinds / sizeof *selecting_kinds; i++) {
        if (!str_is(kind, selecting_kinds[i])) continue;
        identity[0] = (uint32_t)KIND_SELECTING;
        identity[1] = space;
        identity[3] = i;
        return space == NO_ID ? 0 : 4;
    }
    const char *slash = kind.len > 0 ? memchr(kind.ptr, '/', kind.len) : NULL;
    if (slash == NULL) return 0;
    size_t before = (size_t)(slash - kind.ptr);
    identity[0] = (uint32_t)KIND_NODE_CLASS;
    identity[3] = strings_find(&s->text, kind.ptr, before);
    identity[4] = strings_find(&s->text, slash + 1, kind.len - before - 1);
    return identity[3] == NO_ID || identity[4] == NO_ID ? 0 : 5;
}

static bool is_namespaced(karp_str kind)
{
    for (size_t i = 0; i < sizeof named_kinds / sizeof *named_kinds; i++) {
        if (str_is(kind, named_kinds[i].name)) return named_kinds[i].namespaced;
    }
    for (size_t i = 0; i < sizeof selecting_kinds / sizeof *selecting_kinds; i++) {
        if (str_is(kind, selecting_kinds[i])) return true;
    }
    return false;
}

static karp_status not_there(karp_error *error, karp_str kind, karp_str name_space, karp_str name)
{
    char shown[64];
    size_t length = kind.len < sizeof shown - 1 ? kind.len : sizeof shown - 1;
    if (length > 0) memcpy(shown, kind.ptr, length);
    shown[length] = '\0';
    karp_status status = fail(error, KARP_E_NOT_FOUND, "the object is not in the input");
    error_set_object(error, shown, is_namespaced(kind) ? name_space : str(""), name);
    return status;
}

static karp_status remove_object(karp_builder *builder, karp_str kind, karp_str namespace_, karp_str name,
                                 karp_error *error)
{
    store *s = &builder->s;
    uint32_t identity[5];
    karp_str space = namespace_.ptr == NULL || namespace_.len == 0 ? str("default") : namespace_;
    size_t length = identify(s, kind, space, name, identity);
    if (!store_index_pods(s)) return context_nomem(builder->context, error);
    if (length == 0 || !store_has(s, identity, length)) return not_there(error, kind, space, name);
    if (identity[0] == KIND_POD)
        return store_take_pod(s, store_find_pod(s, identity[1], identity[2])) ? KARP_OK
                                                                              : context_nomem(builder->context, error);
    removed_object *slot = list_own(&s->taken_index, sizeof(uint32_t))
                               ? list_push(builder->context, &builder->removed, sizeof *slot)
                               : NULL;
    if (slot == NULL) return context_nomem(builder->context, error);
    uint32_t id = words_find(&s->taken, identity, length), *index = &s->taken_index.items[id];
    *slot = (removed_object){ identity[0], *index, id };
    store_touch(s, identity[0]);
    *index = NO_ID;
    return KARP_OK;
}

karp_status karp_builder_remove(karp_builder *builder, karp_str kind, karp_str namespace_, karp_str name,
                                karp_error *error)
{
    if (!str_given(kind) || !str_given(namespace_) || !str_given(name))
        return fail_null(error, "kind, namespace_ or name");
    karp_status status = builder_enter(builder, error);
    return status != KARP_OK ? status : builder_leave(builder, remove_object(builder, kind, namespace_, name, error));
}

/* ---- reservations ------------------------------------------------------------------------------------------------ */

static bool take_reserved(store *s, karp_str reservation, int64_t taken, bool closes)
{
    uint32_t text = strings_add(&s->text, reservation.ptr, reservation.len), at = 0;
    reservation_use *list = text == NO_ID ? NULL : arena_array(&s->data, s->use_count + (size_t)1, sizeof *list);
    if (list == NULL) return false;
    if (s->use_count > 0) memcpy(list, s->uses, s->use_count * sizeof *list);
    while (at < s->use_count && list[at].reservation != text) at++;
    if (at == s->use_count) list[s->use_count++] = (reservation_use){ .reservation = text, .closes = closes };
    list[at].taken += taken;
    s->uses = list;
    store_touch(s, TOUCHED_REST);
    return true;
}

karp_status karp_builder_take_reserved(karp_builder *builder, const karp_label *labels, size_t label_count,
                                       int64_t instances, uint32_t peer_version_, karp_error *error)
{
    if (labels == NULL && label_count > 0) return fail_null(error, "labels");
    if (instances < INT32_MIN || instances > INT32_MAX)
        return fail(error, KARP_E_INVALID, "so many instances cannot be taken at once");
    if (!peer_known(peer_version_))
        return fail(error, KARP_E_INVALID, "unknown version of Karpenter %u", (unsigned)peer_version_);
    karp_status status = builder_enter(builder, error);
    if (status != KARP_OK) return status;
    const store *s = &builder->s;
    const karp_str *type = label_value(labels, label_count, str("karpenter.sh/capacity-type")),
                   *id = label_value(labels, label_count, store_text(s, s->reservation_id));
    bool taken = type != NULL && str_is(*type, "reserved") && instances != 0;
    bool closes = peer_version(peer_version_) < KARP_PEER_1_15;
    if (taken && !take_reserved(&builder->s, id != NULL ? *id : str(""), instances, closes))
        status = context_nomem(builder->context, error);
    return builder_leave(builder, status);
}
