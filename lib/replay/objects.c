/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/objects.h>

#include <io/fill.h>
#include <io/owner.h>

void replay_append(karp_reader *reader, tree *list, tree *object)
{
    const io_kind_info *info = io_reader_kind(reader, tree_get_text(object, "apiVersion"),
                                              tree_get_text(object, "kind"));
    if (!io_name_generated(reader, info, object)) reader->trees.status = KARP_E_NOMEM;
    tree_append(&reader->trees, list, object);
}

karp_status replay_take(karp_reader *reader, tree *root, const io_place *place, void *user)
{
    tree *list = user;
    const tree *items = tree_get(root, "items");
    (void)place;
    if (!tree_is(items, TREE_LIST)) replay_append(reader, list, root);
    for (size_t i = 0; tree_is(items, TREE_LIST) && i < tree_count(items); i++)
        replay_append(reader, list, tree_item(items, i));
    return reader->trees.status ? io_reader_nomem(reader) : KARP_OK;
}

static void copy_head(trees *t, const tree *snapshot, tree *head)
{
    if (head) head->at = snapshot->at;
    static const char *const kept[] = { "apiVersion", "kind", "catalogues", "settings", "labels" };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        tree *member = tree_get(snapshot, kept[i]);
        if (member) tree_set(t, head, kept[i], member);
    }
}

karp_status replay_open_snapshots(trees *t, tree *objects, tree **head, karp_error *error)
{
    tree *rest = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < tree_count(objects); i++) {
        tree *snapshot = tree_item(objects, i);
        const tree *list = tree_get(snapshot, "objects");
        if (!str_is(tree_get_text(snapshot, "kind"), "Snapshot")) {
            tree_append(t, rest, snapshot);
            continue;
        }
        if (*head) return fail(error, KARP_E_DUPLICATE, "the input has a Snapshot already");
        *head = tree_new(t, TREE_MAP);
        copy_head(t, snapshot, *head);
        for (size_t k = 0; k < tree_count(list); k++) tree_append(t, objects, tree_item(list, k));
    }
    if (t->status) return fail_nomem(error);
    tree_move_items(objects, rest);
    return KARP_OK;
}

static bool is_same_object(const tree *a, const tree *b)
{
    const tree *of_a = tree_get(a, "metadata"), *of_b = tree_get(b, "metadata");
    karp_str space_a = tree_get_text(of_a, "namespace"), space_b = tree_get_text(of_b, "namespace");
    if (space_a.len == 0) space_a = str("default");
    if (space_b.len == 0) space_b = str("default");
    return equal_str(tree_get_text(a, "kind"), tree_get_text(b, "kind")) && equal_str(space_a, space_b) &&
           equal_str(tree_get_text(of_a, "name"), tree_get_text(of_b, "name"));
}

void replay_replace(trees *t, tree *objects, const tree *replaced)
{
    for (size_t i = 0; i < tree_count(replaced); i++) {
        tree *one = tree_item(replaced, i), *there = NULL;
        for (size_t k = 0; k < tree_count(objects) && !there; k++) {
            if (is_same_object(tree_item(objects, k), one)) there = tree_item(objects, k);
        }
        if (!there) tree_append(t, objects, one);
        else if (one) *there = *one;
    }
}

void replay_forget_status(trees *t, tree *object)
{
    if (str_is(tree_get_text(object, "kind"), "PodDisruptionBudget")) tree_remove(t, object, "status");
}

bool replay_is_pool(const tree *object)
{
    karp_str kind = tree_get_text(object, "kind");
    return str_is(kind, "NodePool") || str_is(kind, "Provisioner");
}

int64_t replay_window(const tree *pool)
{
    const tree *spec = tree_get(pool, "spec"), *ttl = tree_get(spec, "ttlSecondsAfterEmpty");
    int64_t window = 0;
    if (str_is(tree_get_text(pool, "kind"), "Provisioner")) {
        if (tree_integer(ttl, &window) && window >= 0 && window < INT32_MAX) return window * INT64_C(1000000000);
        return tree_is(tree_get(tree_get(spec, "consolidation"), "enabled"), TREE_TRUE) ? 0 : KARP_DURATION_NEVER;
    }
    karp_str after = tree_get_text(tree_get(spec, "disruption"), "consolidateAfter");
    if (after.len == 0) return 0;
    return karp_duration_parse(after, &window) == KARP_OK ? window : KARP_DURATION_NEVER;
}

/* ---- pods of the objects ----------------------------------------------------------------------------------------- */

tree *replay_owners(trees *memory, karp_str kind, karp_str name)
{
    tree *owner = tree_new(memory, TREE_MAP), *owners = tree_new(memory, TREE_LIST);
    tree_set_text(memory, owner, "apiVersion", str("apps/v1"));
    tree_set_text(memory, owner, "kind", str_is(kind, "Deployment") ? str("ReplicaSet") : kind);
    tree_set_text(memory, owner, "name", name);
    tree_set_text(memory, owner, "uid", name);
    tree_set(memory, owner, "controller", tree_new(memory, TREE_TRUE));
    tree_append(memory, owners, owner);
    return owners;
}

tree *replay_template_pod(trees *memory, karp_str kind, karp_str name, const tree *template_, karp_str namespace_)
{
    const tree *given = tree_get(template_, "metadata");
    tree *pod = tree_new(memory, TREE_MAP), *spec = tree_get(template_, "spec");
    tree *metadata = tree_get_or_make(memory, pod, "metadata");
    tree_set_text(memory, metadata, "namespace", namespace_);
    tree_set(memory, metadata, "labels", tree_get(given, "labels"));
    tree_set(memory, metadata, "annotations", tree_get(given, "annotations"));
    tree_set(memory, metadata, "ownerReferences", replay_owners(memory, kind, name));
    tree_set(memory, pod, "spec", spec ? spec : tree_new(memory, TREE_MAP));
    return pod;
}

uint32_t replay_workload_shape(trace *t, trees *memory, const tree *workload, karp_str namespace_)
{
    karp_str kind = tree_get_text(workload, "kind"), name = tree_get_text(tree_get(workload, "metadata"), "name");
    const tree *template_ = tree_get(tree_get(workload, "spec"), "template");
    return trace_shape_of(t, memory, replay_template_pod(memory, kind, name, template_, namespace_));
}

/* The creation time if it is before the start of the trace, otherwise 0. */
static int64_t created_before(const trace *t, const tree *metadata)
{
    int64_t created = 0;
    karp_str stated = tree_get_text(metadata, "creationTimestamp");
    return karp_time_parse(stated, &created) == KARP_OK && created < t->begins && created > 0 ? created : 0;
}

bool replay_is_held(const tree *pod)
{
    return str_is(io_condition_status(tree_get(tree_get(pod, "status"), "conditions"), "Created"), "False");
}

static bool add_pending(trace *t, uint32_t shape, const tree *object)
{
    const tree *metadata = tree_get(object, "metadata");
    trace_event event = { .at = t->begins, .kind = TRACE_POD_CREATED, .shape = shape, .lasts = KARP_DURATION_UNSET };
    karp_str namespace_ = tree_get_text(metadata, "namespace");
    event.of.pod.ordered = replay_is_held(object);
    event.of.pod.created = created_before(t, metadata);
    event.of.pod.namespace_ = trace_keep(t, namespace_.len ? namespace_ : str("default"));
    event.of.pod.name = trace_keep(t, tree_get_text(metadata, "name"));
    return shape != NO_ID && event.of.pod.namespace_.ptr && event.of.pod.name.ptr && trace_add(t, &event);
}

/* The volumes that affect where a pod can run; every pod also has a volume for its token. */
static tree *bearing_volumes(trees *memory, const tree *volumes)
{
    tree *kept = NULL;
    for (size_t i = 0; i < tree_count(volumes); i++) {
        tree *volume = tree_item(volumes, i);
        if (!tree_get(volume, "persistentVolumeClaim") && !tree_get(volume, "ephemeral")) continue;
        if (!kept) kept = tree_new(memory, TREE_LIST);
        tree_append(memory, kept, volume);
    }
    return kept;
}

static bool is_own_label(karp_str key)
{
    static const char *const own[] = { "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index",
                                       "batch.kubernetes.io/job-completion-index" };
    return str_in_words(key, own, sizeof own / sizeof own[0]);
}

static tree *chosen(trees *memory, const tree *map, bool labels)
{
    tree *kept = NULL;
    for (size_t i = 0; tree_is(map, TREE_MAP) && i < tree_count(map); i++) {
        const tree_member *member = tree_member_at(map, i);
        karp_str key = tree_member_name(member);
        bool wanted = labels ? !is_own_label(key)
                             : str_starts(key, "karpenter.sh/") || str_starts(key, "controller.kubernetes.io/");
        if (!wanted) continue;
        if (!kept) kept = tree_new(memory, TREE_MAP);
        tree_set_named(memory, kept, key, member->value);
    }
    return kept;
}

tree *replay_lean_pod(trees *memory, const tree *object)
{
    static const char *const fields[] = { "containers",
                                          "initContainers",
                                          "overhead",
                                          "nodeSelector",
                                          "affinity",
                                          "tolerations",
                                          "topologySpreadConstraints",
                                          "priority",
                                          "priorityClassName",
                                          "resourceClaims",
                                          "resources",
                                          "runtimeClassName",
                                          "schedulingGates",
                                          "terminationGracePeriodSeconds" };
    const tree *given = tree_get(object, "metadata"), *stated = tree_get(object, "spec");
    tree *pod = tree_new(memory, TREE_MAP), *metadata = tree_get_or_make(memory, pod, "metadata"),
         *spec = tree_get_or_make(memory, pod, "spec");
    karp_str namespace_ = tree_get_text(given, "namespace");
    tree_set_text(memory, metadata, "namespace", namespace_.len ? namespace_ : str("default"));
    tree_set(memory, metadata, "labels", chosen(memory, tree_get(given, "labels"), true));
    tree_set(memory, metadata, "annotations", chosen(memory, tree_get(given, "annotations"), false));
    tree_set(memory, metadata, "ownerReferences", tree_get(given, "ownerReferences"));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        tree *field = tree_get(stated, fields[i]);
        if (field) tree_set(memory, spec, fields[i], field);
    }
    tree_set(memory, spec, "volumes", bearing_volumes(memory, tree_get(stated, "volumes")));
    return pod;
}

/* The map without these members. */
static tree *without(trees *memory, const tree *map, const char *const *names, size_t count)
{
    tree *kept = tree_new(memory, TREE_MAP);
    for (size_t i = 0; tree_is(map, TREE_MAP) && i < tree_count(map); i++) {
        const tree_member *member = tree_member_at(map, i);
        if (!str_in_words(tree_member_name(member), names, count))
            tree_set_named(memory, kept, tree_member_name(member), member->value);
    }
    return kept;
}

/* A pod that a replay dumped, without what the dump added. */
static tree *dumped_pod(trees *memory, const tree *object)
{
    static const char *const own[] = { "name", "uid", "creationTimestamp" }, *const place[] = { "nodeName" };
    tree *pod = tree_new(memory, TREE_MAP);
    tree_set(memory, pod, "metadata", without(memory, tree_get(object, "metadata"), own, sizeof own / sizeof own[0]));
    tree_set(memory, pod, "spec", without(memory, tree_get(object, "spec"), place, 1));
    return pod;
}

static uint32_t pod_shape(trace *t, trees *memory, const tree *object, bool dumped)
{
    return trace_shape_of(t, memory, dumped ? dumped_pod(memory, object) : replay_lean_pod(memory, object));
}

static bool is_daemon(const tree *pod)
{
    const tree *owners = tree_get(tree_get(pod, "metadata"), "ownerReferences");
    for (size_t i = 0; i < tree_count(owners); i++) {
        karp_str kind = tree_get_text(tree_item(owners, i), "kind");
        if (str_is(kind, "DaemonSet") || str_is(kind, "Node")) return true;
    }
    return false;
}

/* Only the requests of a daemon pod matter. */
static bool add_daemon(trace *t, trees *memory, const tree *object, karp_str node)
{
    tree *pod = tree_new(memory, TREE_MAP), *spec = tree_get_or_make(memory, pod, "spec");
    static const char *const kept[] = { "containers", "initContainers", "overhead" };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        tree *member = tree_get(tree_get(object, "spec"), kept[i]);
        if (member) tree_set(memory, spec, kept[i], member);
    }
    tree_set_text(memory, tree_get_or_make(memory, pod, "metadata"), "namespace", str("default"));
    trace_daemon daemon = { trace_keep(t, node), trace_shape_of(t, memory, pod) };
    if (!daemon.node.ptr || daemon.shape == NO_ID ||
        !grow(t->context, (void **)&t->daemons, &t->daemon_capacity, t->daemon_count + 1, sizeof daemon))
        return false;
    t->daemons[t->daemon_count++] = daemon;
    return true;
}

/* Adds a pod that has a node: it is running there at the start of the replay. */
static bool add_running(trace *t, trees *memory, const tree *object, bool dumped)
{
    const tree *metadata = tree_get(object, "metadata"), *status = tree_get(object, "status");
    karp_str phase = tree_get_text(status, "phase"), namespace_ = tree_get_text(metadata, "namespace");
    karp_str node = trace_keep(t, tree_get_text(tree_get(object, "spec"), "nodeName"));
    if (!node.ptr) return false;
    if (str_is(phase, "Succeeded") || str_is(phase, "Failed")) return true;
    if (!dumped && is_daemon(object)) return add_daemon(t, memory, object, node);
    trace_event event = { .at = t->begins, .kind = TRACE_POD_CREATED, .lasts = KARP_DURATION_UNSET };
    event.shape = pod_shape(t, memory, object, dumped);
    event.of.pod.namespace_ = trace_keep(t, namespace_.len ? namespace_ : str("default"));
    event.of.pod.name = trace_keep(t, tree_get_text(metadata, "name"));
    event.of.pod.node = node;
    event.of.pod.created = created_before(t, metadata);
    event.of.pod.started = t->begins;
    int64_t started = 0;
    if (karp_time_parse(tree_get_text(status, "startTime"), &started) == KARP_OK && started < t->begins)
        event.of.pod.started = started;
    return event.shape != NO_ID && event.of.pod.namespace_.ptr && event.of.pod.name.ptr && trace_add(t, &event);
}

karp_status replay_pods_of_objects(trace *t, trees *memory, tree *objects, bool dumped, karp_error *error)
{
    tree *rest = tree_new(memory, TREE_LIST);
    for (size_t i = 0; i < tree_count(objects); i++) {
        tree *object = tree_item(objects, i);
        if (!str_is(tree_get_text(object, "kind"), "Pod")) {
            tree_append(memory, rest, object);
            continue;
        }
        bool added = tree_get_text(tree_get(object, "spec"), "nodeName").len > 0
                         ? add_running(t, memory, object, dumped)
                         : add_pending(t, pod_shape(t, memory, object, dumped), object);
        if (!added) return fail_nomem(error);
    }
    if (memory->status) return fail_nomem(error);
    tree_move_items(objects, rest);
    return KARP_OK;
}

/* ---- pods of workloads ------------------------------------------------------------------------------------------- */

bool replay_is_workload(const karp_reader *reader, const tree *object)
{
    const io_kind_info *info = io_reader_kind(reader, tree_get_text(object, "apiVersion"),
                                              tree_get_text(object, "kind"));
    return io_is_workload(info->kind) || info->kind == IO_KIND_OPERATED;
}

void replay_drop_workloads(const karp_reader *reader, trees *t, tree *objects)
{
    tree *rest = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < tree_count(objects); i++) {
        tree *object = tree_item(objects, i);
        if (!replay_is_workload(reader, object)) tree_append(t, rest, object);
    }
    tree_move_items(objects, rest);
}

void replay_drop_pods(trees *t, tree *objects, const io_table *left_out)
{
    tree *rest = tree_new(t, TREE_LIST);
    strbuf key = strbuf_on(t->memory.context);
    for (size_t i = 0; i < tree_count(objects); i++) {
        tree *object = tree_item(objects, i);
        strbuf_clear(&key);
        strbuf_addname(&key, io_namespace(object), tree_get_text(tree_get(object, "metadata"), "name"));
        bool pod = str_is(tree_get_text(object, "kind"), "Pod");
        if (!pod || io_table_get(left_out, (karp_str){ key.ptr, key.len }) == IO_NONE) tree_append(t, rest, object);
    }
    if (key.failed) t->status = KARP_E_NOMEM;
    strbuf_free(&key);
    tree_move_items(objects, rest);
}

/* Pods, what a StatefulSet makes with them, and the class that is assumed for it. */
static const char made_kinds[] = "Pod PersistentVolumeClaim StorageClass";

karp_status replay_add_made(const karp_reader *reader, trees *t, tree *objects, karp_error *error)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < reader->kept_count && !status; i++) {
        const io_kept *kept = &reader->kept[i];
        tree *object = NULL;
        if (!str_in_list(kept->of->kind, made_kinds)) continue;
        if (io_find_kind(reader, kept->of->kind, kept->of->namespace_, kept->name) != IO_NONE) continue;
        karp_str text;
        status = io_kept_text(reader, kept, &t->memory, &text)
                     ? tree_read(t, str("a pod of a workload"), text, &object, error)
                     : fail_nomem(error);
        if (status) break;
        tree_remove(t, tree_get(object, "metadata"), "creationTimestamp");
        tree_append(t, objects, object);
    }
    return status || t->status == KARP_OK ? status : fail_nomem(error);
}
