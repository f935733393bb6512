/* SPDX-License-Identifier: Apache-2.0 */
#include <io/owner.h>
#include <io/pod_makers.h>

/* The key under which the pods of a kind's objects are counted. */
static karp_str key_of(const char *kind, char key[96])
{
    static const char before[] = "owned ";
    size_t length = strnlen(kind, 96 - sizeof before);
    memcpy(key, before, sizeof before - 1);
    memcpy(key + sizeof before - 1, kind, length);
    return (karp_str){ key, sizeof before - 1 + length };
}

/* DaemonSets and nodes have their pods without being asked. */
static bool is_counted(const char *kind)
{
    return kind[0] != '\0' && strcmp(kind, "DaemonSet") != 0 && strcmp(kind, "Node") != 0;
}

karp_str io_namespace(const tree *root)
{
    karp_str space = tree_get_text(tree_get(root, "metadata"), "namespace");
    return space.len ? space : str("default");
}

bool io_pod_ended(const tree *pod)
{
    karp_str phase = tree_get_text(tree_get(pod, "status"), "phase");
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

io_owner io_controller(const tree *root)
{
    static const char *const kinds[] = { "ReplicaSet", "StatefulSet",           "Job", "Deployment",
                                         "DaemonSet",  "ReplicationController", "Node" };
    const tree *owners = tree_get(tree_get(root, "metadata"), "ownerReferences");
    for (size_t i = 0; i < tree_count(owners); i++) {
        const tree *owner = tree_item(owners, i);
        if (!tree_is(tree_get(owner, "controller"), TREE_TRUE)) continue;
        karp_str kind = tree_get_text(owner, "kind"), name = tree_get_text(owner, "name");
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            if (str_is(kind, kinds[k])) return (io_owner){ kinds[k], name };
        }
        const io_kind_info *info = io_kind_find(tree_get_text(owner, "apiVersion"), kind);
        return (io_owner){ info->kind == IO_KIND_OPERATED ? info->name : "another's", name };
    }
    return (io_owner){ "", { "", 0 } };
}

/* Whether the text can be a pod template hash: 6 to 10 characters of the hash's alphabet, usually at least 8. */
static bool looks_like_hash(karp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!memchr("bcdfghjklmnpqrstvwxz2456789", text.ptr[i], 27)) return false;
    }
    return text.len >= 6 && text.len <= 10;
}

/* The Deployment of a ReplicaSet, which is named after it and the hash of the template. `hash` is "" if it is not
 * known. */
static karp_str deployment_of(karp_str set, karp_str hash)
{
    size_t dash = set.len;
    while (dash > 0 && set.ptr[dash - 1] != '-') dash--;
    if (dash < 2) return (karp_str){ "", 0 };
    karp_str last = { set.ptr + dash, set.len - dash };
    bool generated = hash.len ? equal_str(hash, last) : looks_like_hash(last);
    return generated ? (karp_str){ set.ptr, dash - 1 } : (karp_str){ "", 0 };
}

/* Pods have the hash as a label. */
karp_str io_deployment_by_name(const tree *pod, karp_str set)
{
    return deployment_of(set, tree_get_text(tree_get(tree_get(pod, "metadata"), "labels"), "pod-template-hash"));
}

karp_str io_deployment_of_set(karp_str set) { return deployment_of(set, (karp_str){ "", 0 }); }

io_owner io_workload_of(const karp_reader *reader, const tree *pod)
{
    io_owner owner = io_controller(pod);
    if (strcmp(owner.kind, "ReplicaSet") != 0) return owner;
    uint32_t number = io_find(reader, "ReplicaSet", io_namespace(pod), owner.name);
    if (number < reader->deferred_count) {
        io_owner above = io_controller(reader->deferred[number].root);
        return above.kind[0] != '\0' ? above : owner;
    }
    karp_str deployment = io_deployment_by_name(pod, owner.name);
    return number == IO_NONE && deployment.len ? (io_owner){ "Deployment", deployment } : owner;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

uint32_t io_owned(const karp_reader *reader, const char *kind, karp_str namespace_, karp_str name)
{
    char key[96];
    uint32_t count = io_find_kind(reader, key_of(kind, key), namespace_, name);
    return count == IO_NONE ? 0 : count;
}

static bool set_owned(karp_reader *reader, const char *kind, karp_str namespace_, karp_str name, uint32_t count)
{
    char key[96];
    return io_note_name(reader, key_of(kind, key), namespace_, name, count);
}

static bool note_set(karp_reader *reader, karp_str namespace_, karp_str set, karp_str deployment)
{
    if (!grow(reader->context, (void **)&reader->sets, &reader->set_capacity, reader->set_count + 1,
              sizeof *reader->sets))
        return false;
    io_named_set *noted = &reader->sets[reader->set_count++];
    *noted = (io_named_set){ io_keep(reader, namespace_), io_keep(reader, set), io_keep(reader, deployment) };
    return noted->namespace_.ptr && noted->name.ptr && noted->deployment.ptr;
}

#define SUCCEEDED "succeeded of Job"

uint32_t io_succeeded(const karp_reader *reader, karp_str namespace_, karp_str name)
{
    uint32_t count = io_find(reader, SUCCEEDED, namespace_, name);
    return count == IO_NONE ? 0 : count;
}

/* Whether the kind is one of Kubernetes itself. */
static bool is_plain(const char *kind)
{
    return str_in_list(str(kind), "ReplicaSet StatefulSet Job Deployment ReplicationController");
}

/* Counts a pod with the ownerReferences of one before. false = it is to be looked at. */
static bool count_again(karp_reader *reader, uint64_t address, const tree *pod)
{
    uint32_t at = address ? map64_get(&reader->pod_templates.owned, address) : NO_ID;
    if (at == NO_ID) return false;
    const io_counted_owner *owner = &reader->pod_templates.owners[at];
    if (owner->number == NO_ID) return true;
    if (io_pod_ended(pod) || !equal_str(owner->namespace_, io_namespace(pod))) return false;
    ++reader->names.values[owner->number];
    return true;
}

static bool remember(karp_reader *reader, uint64_t address, io_counted_owner owner)
{
    io_pod_templates *p = &reader->pod_templates;
    if (address == 0) return true;
    if (!owner.namespace_.ptr || p->owner_count >= NO_ID ||
        !grow(reader->context, (void **)&p->owners, &p->owner_capacity, p->owner_count + 1, sizeof owner))
        return false;
    p->owners[p->owner_count] = owner;
    return map64_put(&p->owned, address, (uint32_t)p->owner_count++);
}

bool io_note_owned(karp_reader *reader, const tree *pod)
{
    const tree *references = tree_get(tree_get(pod, "metadata"), "ownerReferences");
    uint64_t address = references ? io_shared_address(references) : 0;
    if (count_again(reader, address, pod)) return true;
    io_owner owner = io_controller(pod);
    if (!is_counted(owner.kind)) return remember(reader, address, (io_counted_owner){ str(""), NO_ID });
    /* An operator has acted even if its pods have ended. */
    if (!is_plain(owner.kind) && !io_note_made(reader, pod)) return false;
    bool done = str_is(tree_get_text(tree_get(pod, "status"), "phase"), "Succeeded");
    if (done && strcmp(owner.kind, "Job") == 0) return io_count_name(reader, SUCCEEDED, io_namespace(pod), owner.name);
    if (io_pod_ended(pod)) return true;
    char key[96];
    karp_str space = io_namespace(pod);
    uint32_t *count = io_number_of(reader, key_of(owner.kind, key), space, owner.name);
    if (!count) return false;
    if (*count == IO_NONE) *count = 0;
    if (*count == 0 && strcmp(owner.kind, "ReplicaSet") == 0) {
        karp_str deployment = io_deployment_by_name(pod, owner.name);
        if (deployment.len && !note_set(reader, space, owner.name, deployment)) return false;
    }
    ++*count;
    if (!is_plain(owner.kind)) return true;
    return remember(reader, address,
                    (io_counted_owner){ io_keep(reader, space), (uint32_t)(count - reader->names.values) });
}

/* `above` owns the ReplicaSet. */
static bool count_for(karp_reader *reader, karp_str namespace_, karp_str set, io_owner above)
{
    uint32_t count = io_owned(reader, "ReplicaSet", namespace_, set);
    return count == 0 || set_owned(reader, above.kind, namespace_, above.name,
                                   count + io_owned(reader, above.kind, namespace_, above.name));
}

karp_status io_settle_owned(karp_reader *reader)
{
    bool ok = true;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && ok; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_REPLICA_SET) continue;
        io_owner above = io_controller(w->root);
        if (above.kind[0] != '\0') ok = count_for(reader, w->namespace_, w->name, above);
    }
    for (size_t i = 0; i < reader->set_count && ok; i++) {
        const io_named_set *s = &reader->sets[i];
        if (io_find(reader, "ReplicaSet", s->namespace_, s->name) == IO_NONE)
            ok = count_for(reader, s->namespace_, s->name, (io_owner){ "Deployment", s->deployment });
    }
    return ok ? KARP_OK : io_reader_nomem(reader);
}
