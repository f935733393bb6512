/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/library.h>
#include <base/labels.h>
#include <io/change.h>
#include <io/owner.h>
#include <io/replaced.h>

/* What is changed, replaced or deleted is decoded before, so that its mistakes are reported all the same. */
static karp_status check_before(karp_reader *reader, const io_deferred *w)
{
    return io_object_check(reader, w->info, w->root, &w->place);
}

static karp_status forget(karp_reader *reader, uint32_t number)
{
    io_deferred *w = &reader->deferred[number];
    karp_status status = check_before(reader, w);
    if (status) return status;
    char room[IO_KIND_ROOM];
    w->gone = reader->mode.changes = true;
    bool noted = io_note_name(reader, io_name_of_kind(w->info, w->root, room), w->namespace_, w->name, IO_NONE);
    return noted ? KARP_OK : io_reader_nomem(reader);
}

/* ---- replacing --------------------------------------------------------------------------------------------------- */

/* Whether `has` contains everything that `wanted` states. It may contain more, because an API server fills in
 * defaults. */
static bool covers(const tree *has, const tree *wanted)
{
    if (tree_is(wanted, TREE_MAP)) {
        for (size_t i = 0; i < tree_count(wanted); i++) {
            const tree_member *m = tree_member_at(wanted, i);
            if (!tree_is_null(m->value) && !covers(tree_find_str(has, tree_member_name(m)), m->value)) return false;
        }
        return tree_is(has, TREE_MAP) || tree_count(wanted) == 0;
    }
    if (tree_is(wanted, TREE_LIST)) {
        for (size_t i = 0; i < tree_count(wanted); i++) {
            bool found = false;
            for (size_t k = 0; k < tree_count(has) && !found; k++)
                found = covers(tree_item(has, k), tree_item(wanted, i));
            if (!found) return false;
        }
        return true;
    }
    return has && tree_equal(has, wanted);
}

/* Fields that affect placement and that no API server fills in: removing them is a change. */
static bool takes_away(const tree *before, const tree *after)
{
    static const char *const fields[] = { "nodeSelector", "affinity", "topologySpreadConstraints" };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!covers(tree_get(after, fields[i]), tree_get(before, fields[i])) && tree_count(tree_get(before, fields[i])))
            return true;
    }
    const tree *had = tree_get(before, "containers"), *has = tree_get(after, "containers");
    for (size_t i = 0; i < tree_count(had); i++) {
        const tree *requests = tree_get(tree_get(tree_item(had, i), "resources"), "requests");
        if (i >= tree_count(has)) return true;
        if (tree_count(requests) && !tree_get(tree_item(has, i), "resources")) return true;
    }
    return false;
}

bool io_same_template(const tree *before, const tree *after)
{
    const tree *old = tree_get(before, "template"), *new_ = tree_get(after, "template");
    return covers(old, new_) && !takes_away(tree_get(old, "spec"), tree_get(new_, "spec"));
}

const char *io_scale_path(const io_kind_info *info)
{
    io_kind kind = info->kind;
    if (kind == IO_KIND_OPERATED) return io_pod_kind_of(info)->scale;
    if (kind == IO_KIND_JOB) return "/spec/parallelism";
    return io_is_workload(kind) ? "/spec/replicas" : NULL;
}

bool io_has_replicas(const io_kind_info *info) { return io_scale_path(info) != NULL; }

void io_set_scale(trees *t, tree *object, const char *path, tree *number)
{
    char name[64];
    while (object && strchr(path + 1, '/')) {
        size_t length = strcspn(path + 1, "/");
        str_shorten(name, sizeof name, (karp_str){ path + 1, length });
        object = tree_get_or_make(t, object, name);
        path += 1 + length;
    }
    tree_set(t, object, path + 1, number);
}

/* The number of pods that the workload states; `absent` if it states none. */
static int64_t scale_of(const io_deferred *w, int64_t absent)
{
    int64_t count = absent;
    (void)tree_integer(io_at_path(w->root, io_scale_path(w->info)), &count);
    return count;
}

/* A copy that has no position in the text of another object. */
static tree *without_place(trees *t, const tree *value)
{
    tree *copy = tree_deep_copy(t, value, false);
    if (copy) io_shift_positions(copy, TREE_NOWHERE);
    return copy;
}

/* Copies what an API server keeps when a changed object is applied. */
static void keep_identity(trees *t, const tree *before, tree *after, bool status)
{
    static const char *const kept[] = { "uid", "creationTimestamp", "resourceVersion" };
    const tree *old = tree_get(before, "metadata");
    tree *metadata = tree_get(after, "metadata");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        tree_default(t, metadata, kept[i], without_place(t, tree_get(old, kept[i])));
    if (status) tree_default(t, after, "status", without_place(t, tree_get(before, "status")));
}

static karp_status renew_pods(karp_reader *reader, const io_deferred *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *p = &reader->deferred[i];
        if (p->gone || p->info->kind != IO_KIND_POD || !equal_str(p->namespace_, w->namespace_)) continue;
        io_owner owner = io_workload_of(reader, p->root);
        if (!str_is(io_kind_of(w), owner.kind) || !equal_str(owner.name, w->name)) continue;
        karp_status status = forget(reader, i);
        if (status) return status;
        count++;
    }
    if (count == 0) return KARP_OK;
    return io_warn(reader, "%s %.*s/%.*s: its pod template changes, so its %u pods are recreated", w->info->name,
                   (int)w->namespace_.len, w->namespace_.ptr, (int)w->name.len, w->name.ptr, (unsigned)count);
}

karp_status io_replace(karp_reader *reader, uint32_t number, tree *root, const io_place *place)
{
    if (number >= reader->deferred_count)
        return io_reader_fail(reader, KARP_E_STATE, place, NULL, "the object to replace was read as one that stays");
    io_deferred *w = &reader->deferred[number];
    const tree *before = w->root, *old_spec = tree_get(before, "spec");
    tree *spec = tree_get(root, "spec");
    karp_status status = check_before(reader, w);
    if (status) return status;
    status = io_note_replaced(reader, number, before);
    if (status) return status;
    keep_identity(&reader->trees, before, root, w->info->kind != IO_KIND_POD && w->info->kind != IO_KIND_BUDGET);
    w->root = root;
    w->created = false;
    w->like = NO_ID;
    w->place = *place;
    w->stated = w->held = false;
    w->replaced = reader->mode.changes = true;
    /* The names are slices of the new object's text, too. */
    w->name = tree_get_text(tree_get(root, "metadata"), "name");
    if (w->info->namespaced) w->namespace_ = io_namespace(root);
    if (io_has_replicas(w->info)) {
        const char *path = io_scale_path(w->info);
        int64_t had;
        if (!io_at_path(root, path) && tree_integer(io_at_path(before, path), &had))
            io_set_scale(&reader->trees, root, path, tree_new_integer(&reader->trees, had));
        w->changed = true;
        if (!io_same_template(old_spec, spec)) status = renew_pods(reader, w);
    }
    if (reader->trees.status) return io_reader_nomem(reader);
    return status;
}

/* ---- deleting ---------------------------------------------------------------------------------------------------- */

/* Handles a pod whose node is deleted. Its controller creates a replacement, which is pending. The pod is deleted if
 * it has no controller or belongs to its node (a DaemonSet's or static pod). */
static karp_status displace(karp_reader *reader, uint32_t number)
{
    io_deferred *w = &reader->deferred[number];
    io_owner owner = io_controller(w->root);
    if (owner.kind[0] == '\0' || strcmp(owner.kind, "DaemonSet") == 0 || strcmp(owner.kind, "Node") == 0 ||
        io_pod_ended(w->root))
        return forget(reader, number);
    karp_status status = check_before(reader, w);
    if (status) return status;
    io_set_pending(&reader->trees, w->root, KARP_NO_TIME);
    return reader->trees.status ? io_reader_nomem(reader) : KARP_OK;
}

/* Whether the object is a pod of the workload, or its ReplicaSet. */
static bool is_owned_by(const karp_reader *reader, const io_deferred *w, const io_deferred *workload)
{
    io_owner owner = { "", { "", 0 } };
    if (!equal_str(w->namespace_, workload->namespace_)) return false;
    if (w->info->kind == IO_KIND_POD && workload->info->kind != IO_KIND_REPLICA_SET)
        owner = io_workload_of(reader, w->root);
    else if (w->info->kind == IO_KIND_POD || w->info->kind == IO_KIND_REPLICA_SET) owner = io_controller(w->root);
    return strcmp(owner.kind, workload->info->name) == 0 && equal_str(owner.name, workload->name);
}

/* Whether the object is deleted together with the other one. */
static bool goes_with(const karp_reader *reader, const io_deferred *w, const io_deferred *deleted)
{
    const tree *metadata = tree_get(w->root, "metadata");
    io_kind kind = w->info->kind, of = deleted->info->kind;
    if (of == IO_KIND_NODE_POOL)
        return (kind == IO_KIND_NODE_CLAIM || kind == IO_KIND_NODE) &&
               equal_str(tree_get_text(tree_get(metadata, "labels"), LABEL_NODE_POOL), deleted->name);
    if (of == IO_KIND_NODE_CLAIM)
        return kind == IO_KIND_NODE && equal_str(w->name, tree_get_text(tree_get(deleted->root, "status"), "nodeName"));
    if (of == IO_KIND_NODE)
        return (kind == IO_KIND_NODE_CLAIM &&
                equal_str(tree_get_text(tree_get(w->root, "status"), "nodeName"), deleted->name)) ||
               (kind == IO_KIND_CSI_NODE && equal_str(w->name, deleted->name));
    if (of == IO_KIND_NAMESPACE) return w->info->namespaced && equal_str(w->namespace_, deleted->name);
    return (io_is_workload(of) || of == IO_KIND_OPERATED || of == IO_KIND_DAEMON_SET) &&
           is_owned_by(reader, w, deleted);
}

static bool was_on(const io_deferred *w, const io_deferred *deleted)
{
    return deleted->info->kind == IO_KIND_NODE && w->info->kind == IO_KIND_POD &&
           equal_str(tree_get_text(tree_get(w->root, "spec"), "nodeName"), deleted->name);
}

/* An object that mentions a name, and the next one that does. */
typedef struct mention {
    uint32_t object, next;
} mention;

/* The objects by the names that they mention: only these can go with an object of that name. */
typedef struct dependents {
    io_table first; /* name -> mentions */
    mention *mentions;
    size_t count, capacity;
    uint32_t *deleted; /* numbers of deferred objects */
    size_t deleted_count;
    uint8_t *listed; /* by object: whether it is in `deleted` */
} dependents;

static bool add_mention(karp_reader *reader, dependents *d, uint32_t object, karp_str name)
{
    uint32_t *first = io_table_at(&d->first, name);
    if (!first) return false;
    if (*first != IO_NONE && d->mentions[*first].object == object) return true;
    if (!grow(reader->context, (void **)&d->mentions, &d->capacity, d->count + 1, sizeof *d->mentions)) return false;
    d->mentions[d->count] = (mention){ object, *first };
    *first = (uint32_t)d->count++;
    return true;
}

/* Backwards, so that the objects of a name are in their order. */
static bool add_mentions(karp_reader *reader, dependents *d)
{
    bool fine = true;
    for (uint32_t i = (uint32_t)reader->deferred_count; i-- > 0 && fine;) {
        const io_deferred *w = &reader->deferred[i];
        karp_str names[] = { w->name,
                             w->namespace_,
                             io_controller(w->root).name,
                             w->info->kind == IO_KIND_POD ? io_workload_of(reader, w->root).name : str(""),
                             tree_get_text(tree_get(tree_get(w->root, "metadata"), "labels"), LABEL_NODE_POOL),
                             tree_get_text(tree_get(w->root, "spec"), "nodeName"),
                             tree_get_text(tree_get(w->root, "status"), "nodeName") };
        for (size_t k = 0; k < sizeof names / sizeof names[0] && fine; k++)
            fine = names[k].len == 0 || add_mention(reader, d, i, names[k]);
    }
    return fine;
}

static void list_deleted(dependents *d, uint32_t number)
{
    if (d->listed[number]) return;
    d->listed[number] = 1;
    d->deleted[d->deleted_count++] = number;
}

/* Deletes dependents. Pods are deleted at once. Owners of pods are listed and deleted at the end, because they are
 * still needed to find the pods' owners. */
static karp_status delete_owned(karp_reader *reader, dependents *d, uint32_t number, karp_str name)
{
    const io_deferred *deleted = &reader->deferred[number];
    karp_status status = KARP_OK;
    for (uint32_t m = name.len ? io_table_get(&d->first, name) : IO_NONE; m != IO_NONE && !status;
         m = d->mentions[m].next) {
        uint32_t i = d->mentions[m].object;
        const io_deferred *w = &reader->deferred[i];
        if (w->gone || i == number) continue;
        if (was_on(w, deleted)) status = displace(reader, i);
        else if (goes_with(reader, w, deleted)) {
            if (w->info->kind == IO_KIND_POD) status = forget(reader, i);
            else list_deleted(d, i);
        }
    }
    return status;
}

static karp_status delete_with(karp_reader *reader, uint32_t first)
{
    size_t most = reader->deferred_count;
    dependents d = { .deleted = karp_alloc(reader->context, (most + 1) * sizeof *d.deleted),
                     .listed = karp_alloc(reader->context, most + 1) };
    io_table_init(&d.first, reader->context);
    if (d.listed) memset(d.listed, 0, most + 1);
    karp_status status = d.deleted && d.listed && add_mentions(reader, &d) ? KARP_OK : io_reader_nomem(reader);
    if (!status) list_deleted(&d, first);
    for (size_t i = 0; i < d.deleted_count && !status; i++) {
        const io_deferred *w = &reader->deferred[d.deleted[i]];
        karp_str of_claim = tree_get_text(tree_get(w->root, "status"), "nodeName");
        status = delete_owned(reader, &d, d.deleted[i], w->name);
        if (!status && w->info->kind == IO_KIND_NODE_CLAIM && !equal_str(of_claim, w->name))
            status = delete_owned(reader, &d, d.deleted[i], of_claim);
    }
    for (size_t i = 0; i < d.deleted_count && !status; i++) status = forget(reader, d.deleted[i]);
    io_table_free(&d.first);
    karp_free(reader->context, d.mentions, d.capacity * sizeof *d.mentions);
    if (d.deleted) karp_free(reader->context, d.deleted, (most + 1) * sizeof *d.deleted);
    if (d.listed) karp_free(reader->context, d.listed, most + 1);
    return status;
}

/* Deletes a workload that is not in the input, but whose pods are. */
static karp_status delete_pods_of(karp_reader *reader, const io_reference *to)
{
    karp_status status = KARP_OK;
    bool found = false;
    for (uint32_t i = 0; i < reader->deferred_count && !status; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->gone || w->info->kind != IO_KIND_POD) continue;
        io_owner owner = io_workload_of(reader, w->root);
        if (owner.kind[0] == '\0' || !io_refers_to(to, str(owner.kind), w->namespace_, owner.name)) continue;
        status = forget(reader, i);
        found = true;
    }
    return status || found ? status : io_not_found(reader, to);
}

karp_status io_delete(karp_reader *reader, karp_str object)
{
    io_reference to;
    uint32_t found = IO_NONE;
    if (!io_reference_read(object, true, &to))
        return fail(&reader->error, KARP_E_INVALID, "name what to delete as KIND/NAME or KIND/NAMESPACE/NAME");
    for (uint32_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->gone || !io_refers_to(&to, io_kind_of(w), w->namespace_, w->name)) continue;
        if (found != IO_NONE) {
            const io_deferred *other = &reader->deferred[found];
            return io_ambiguous(reader, &to, other->namespace_.len ? other->namespace_ : io_kind_of(other),
                                w->namespace_.len ? w->namespace_ : io_kind_of(w));
        }
        found = i;
    }
    if (found == IO_NONE) return delete_pods_of(reader, &to);
    const io_deferred *w = &reader->deferred[found];
    karp_str kind = io_kind_of(w);
    karp_status status = !w->replaced ? KARP_OK
                                      : io_warn(reader, "%.*s %.*s is replaced and deleted: it is left out",
                                                str_shown(kind, 100), kind.ptr, str_shown(w->name, 200), w->name.ptr);
    return status ? status : delete_with(reader, found);
}

/* ---- scaling ----------------------------------------------------------------------------------------------------- */

/* Adds the note "what if: Deployment shop/web: spec.replicas 6 → 0". */
static karp_status note_scaled(karp_reader *reader, const io_deferred *w, uint64_t replicas)
{
    char space[64], name[160], field[128];
    int64_t had = scale_of(w, 1); /* the default of all workloads */
    io_show_path(io_scale_path(w->info), field, sizeof field);
    if (!reader->options.note_changes || had < 0 || (uint64_t)had == replicas) return KARP_OK;
    str_shorten(space, sizeof space, w->namespace_);
    str_shorten(name, sizeof name, w->name);
    return io_warn(reader, "what if: %s %s/%s: %s %lld \xe2\x86\x92 %llu", w->info->name, space, name, field,
                   (long long)had, (unsigned long long)replicas);
}

static karp_status set_replicas(karp_reader *reader, uint32_t number, uint64_t replicas)
{
    io_deferred *w = &reader->deferred[number];
    karp_status status = check_before(reader, w);
    if (status) return status;
    trees *t = &reader->trees;
    io_set_scale(t, w->root, io_scale_path(w->info), tree_new_integer(t, (int64_t)replicas));
    w->changed = w->scaled = reader->mode.changes = true;
    /* Its pods are created like those of a plain workload. */
    w->stated = w->held = false;
    return reader->trees.status ? io_reader_nomem(reader) : KARP_OK;
}

/* Creates a workload that is not in the input, as far as this is possible from one of its pods. */
static karp_status make_workload(karp_reader *reader, const io_deferred *pod, io_owner owner, uint64_t replicas)
{
    trees *t = &reader->trees;
    const char *version = strcmp(owner.kind, "Job") == 0 ? "batch/v1" : "apps/v1";
    const tree *had = tree_get(pod->root, "metadata");
    tree *object = io_new_object(t, version, owner.kind, pod->namespace_, owner.name),
         *spec = tree_get_or_make(t, object, "spec"), *template_ = tree_get_or_make(t, spec, "template"),
         *labels = tree_deep_copy(t, tree_get(had, "labels"), false),
         *inner = tree_deep_copy(t, tree_get(pod->root, "spec"), false);
    tree *about = tree_get_or_make(t, template_, "metadata");
    tree_set(t, about, "labels", labels);
    tree_set(t, about, "annotations", tree_get(had, "annotations"));
    tree *selected = tree_deep_copy(t, labels, false);
    if (strcmp(owner.kind, "Deployment") == 0 && selected) tree_remove(t, selected, "pod-template-hash");
    if (selected) tree_set(t, tree_get_or_make(t, spec, "selector"), "matchLabels", selected);
    if (inner) tree_remove(t, inner, "nodeName");
    tree_set(t, template_, "spec", inner);
    if (t->status) return io_reader_nomem(reader);
    io_place place = io_place_whole(&pod->place);
    karp_status status = io_postpone(reader, io_kind_find(str(version), str(owner.kind)), object, &place);
    return status ? status : set_replicas(reader, (uint32_t)reader->deferred_count - 1, replicas);
}

/* What has that name has no number of pods, or there is nothing of that name. */
static karp_status not_scaled(karp_reader *reader, const io_reference *to)
{
    for (uint32_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        io_kind kind = w->info->kind;
        bool has_pods = kind == IO_KIND_OPERATED || kind == IO_KIND_POD_MAKER || kind == IO_KIND_DAEMON_SET;
        if (w->gone || !has_pods || !io_refers_to(to, io_kind_of(w), w->namespace_, w->name)) continue;
        karp_str of = io_kind_of(w);
        return fail(&reader->error, KARP_E_UNSUPPORTED,
                    "%.*s %.*s/%.*s cannot be scaled: it has no field for the number of its pods; change the object "
                    "and give it with --replace FILE",
                    str_shown(of, 64), of.ptr, str_shown(w->namespace_, 64), w->namespace_.ptr, str_shown(w->name, 100),
                    w->name.ptr);
    }
    return io_not_found(reader, to);
}

/* Scales the only workload with this name among the pods' owners. */
static karp_status scale_by_pods(karp_reader *reader, const io_reference *to, uint64_t replicas)
{
    const io_deferred *sample = NULL;
    io_owner found = { "", { "", 0 } };
    for (uint32_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->gone || w->info->kind != IO_KIND_POD || io_pod_ended(w->root)) continue;
        io_owner owner = io_workload_of(reader, w->root);
        if (owner.kind[0] == '\0' || !io_refers_to(to, str(owner.kind), w->namespace_, owner.name)) continue;
        if (sample && (!equal_str(sample->namespace_, w->namespace_) || strcmp(found.kind, owner.kind) != 0))
            return io_ambiguous(reader, to, sample->namespace_, w->namespace_);
        if (!sample) {
            sample = w;
            found = owner;
        }
    }
    if (!sample) return not_scaled(reader, to);
    bool known = strcmp(found.kind, "Deployment") == 0 || strcmp(found.kind, "ReplicaSet") == 0 ||
                 strcmp(found.kind, "Job") == 0;
    if (!known) {
        char shown[120];
        str_shorten(shown, sizeof shown, to->given);
        return fail(&reader->error, KARP_E_INVALID, "%s: a %s is scaled when the input has it, not its pods alone",
                    shown, found.kind);
    }
    io_deferred pod = *sample; /* the list may be reallocated */
    return make_workload(reader, &pod, found, replicas);
}

karp_status io_scale(karp_reader *reader, karp_str workload, uint64_t replicas)
{
    io_reference to;
    uint32_t found = IO_NONE;
    if (!io_reference_read(workload, false, &to))
        return fail(&reader->error, KARP_E_INVALID,
                    "name what to scale as NAME, NAMESPACE/NAME, KIND/NAME or KIND/NAMESPACE/NAME");
    if (replicas > INT32_MAX) return fail(&reader->error, KARP_E_RANGE, "more replicas than a workload can have");
    for (uint32_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->gone || !io_has_replicas(w->info) || !io_refers_to(&to, io_kind_of(w), w->namespace_, w->name)) continue;
        if (found != IO_NONE) {
            const io_deferred *other = &reader->deferred[found];
            bool same_space = equal_str(other->namespace_, w->namespace_);
            return io_ambiguous(reader, &to, same_space ? io_kind_of(other) : other->namespace_,
                                same_space ? io_kind_of(w) : w->namespace_);
        }
        found = i;
    }
    if (found == IO_NONE) return scale_by_pods(reader, &to, replicas);
    karp_status status = note_scaled(reader, &reader->deferred[found], replicas);
    return status ? status : set_replicas(reader, found, replicas);
}

/* ---- surplus pods ------------------------------------------------------------------------------------------------ */

typedef struct surplus {
    uint32_t number;
    int64_t cost; /* controller.kubernetes.io/pod-deletion-cost */
    int64_t created;
    uint64_t ordinal; /* of a StatefulSet */
    bool bound;
} surplus;

static int64_t deletion_cost(const tree *pod)
{
    karp_str text = tree_get_text(tree_get(tree_get(pod, "metadata"), "annotations"),
                                  "controller.kubernetes.io/pod-deletion-cost");
    double cost = 0;
    return text.len && karp_double_parse(text, &cost) == KARP_OK && cost > -1e9 && cost < 1e9 ? (int64_t)cost : 0;
}

/* The ordinal of a StatefulSet's pod: 12 for "web-12". */
static uint64_t ordinal_of(karp_str pod)
{
    uint64_t number = 0, weight = 1;
    for (size_t i = pod.len; i > 0 && pod.ptr[i - 1] >= '0' && pod.ptr[i - 1] <= '9' && weight < 1000000000; i--) {
        number += weight * (uint64_t)(pod.ptr[i - 1] - '0');
        weight *= 10;
    }
    return number;
}

/* Whether a controller deletes `a` before `b`. A StatefulSet deletes the highest ordinal first. Others delete pods
 * without a node first, then those with the lowest deletion cost, then the youngest. */
static bool goes_before(const karp_reader *reader, const surplus *a, const surplus *b)
{
    if (a->ordinal != b->ordinal) return a->ordinal > b->ordinal;
    if (a->bound != b->bound) return !a->bound;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->created != b->created) return a->created > b->created;
    return compare_str(reader->deferred[a->number].name, reader->deferred[b->number].name) > 0;
}

static bool is_pod_of(const karp_reader *reader, const io_deferred *pod, const io_deferred *workload)
{
    return !pod->gone && pod->info->kind == IO_KIND_POD && is_owned_by(reader, pod, workload) &&
           !io_pod_ended(pod->root);
}

static surplus surplus_of(const karp_reader *reader, uint32_t number, bool numbered)
{
    const io_deferred *w = &reader->deferred[number];
    int64_t created = 0;
    karp_str text = tree_get_text(tree_get(w->root, "metadata"), "creationTimestamp");
    if (text.len == 0 || karp_time_parse(text, &created)) created = 0;
    return (surplus){ number, deletion_cost(w->root), created, numbered ? ordinal_of(w->name) : 0,
                      tree_get_text(tree_get(w->root, "spec"), "nodeName").len > 0 };
}

static karp_status take_surplus(karp_reader *reader, const io_deferred *workload)
{
    surplus *list = NULL;
    size_t count = 0, capacity = 0;
    karp_status status = KARP_OK;
    int64_t wanted = scale_of(workload, 1);
    for (uint32_t i = 0; i < reader->deferred_count && !status; i++) {
        if (!is_pod_of(reader, &reader->deferred[i], workload)) continue;
        if (!grow(reader->context, (void **)&list, &capacity, count + 1, sizeof *list))
            status = io_reader_nomem(reader);
        else list[count++] = surplus_of(reader, i, workload->info->kind == IO_KIND_STATEFUL_SET);
    }
    /* Only a few of many pods are deleted, so the next one is searched for each time. */
    for (int64_t left = (int64_t)count - (wanted > 0 ? wanted : 0); left > 0 && !status; left--) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++) {
            if (goes_before(reader, &list[i], &list[best])) best = i;
        }
        status = forget(reader, list[best].number);
        list[best] = list[--count];
    }
    karp_free(reader->context, list, capacity * sizeof *list);
    return status;
}

/* Adds notes such as "what if: shop/web-1: node n1 → deleted", in the format of karp_what_if()'s changes. */
static karp_status note_deleted(karp_reader *reader)
{
    enum { NOTED = 40 };
    size_t count = 0;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < reader->deferred_count && !status; i++) {
        const io_deferred *w = &reader->deferred[i];
        bool left = w->gone && w->info->kind == IO_KIND_POD && !io_pod_ended(w->root);
        if (!left || io_find(reader, "Pod", w->namespace_, w->name) != IO_NONE || ++count > NOTED) continue;
        char space[64], name[160], node[160];
        karp_str on = tree_get_text(tree_get(w->root, "spec"), "nodeName");
        str_shorten(space, sizeof space, w->namespace_);
        str_shorten(name, sizeof name, w->name);
        str_shorten(node, sizeof node, on);
        status = io_warn(reader, "what if: %s/%s: %s%s \xe2\x86\x92 deleted", space, name,
                         on.len > 0 ? "node " : "pending", node);
    }
    if (!status && count > NOTED)
        status = io_warn(reader, "what if: %zu more pods \xe2\x86\x92 deleted", count - NOTED);
    return status;
}

/* Closes the gaps of objects that are gone. moved[i]: the new number of object i. */
static karp_status close_gaps(karp_reader *reader, uint32_t *moved)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        char room[IO_KIND_ROOM];
        moved[i] = w->gone ? IO_NONE : kept;
        if (w->gone) continue;
        if (!io_note_name(reader, io_name_of_kind(w->info, w->root, room), w->namespace_, w->name, kept) ||
            (reader->options.editable && w->info->kind == IO_KIND_POD && !io_note_owned(reader, w->root)))
            return io_reader_nomem(reader);
        reader->deferred[kept++] = *w;
    }
    reader->deferred_count = kept;
    io_replaced_moved(reader, moved);
    return KARP_OK;
}

karp_status io_settle_changes(karp_reader *reader)
{
    karp_status status = KARP_OK;
    if (!reader->options.editable && !reader->mode.changes) return KARP_OK;
    for (size_t i = 0; i < reader->deferred_count && !status; i++) {
        if (reader->deferred[i].changed && !reader->deferred[i].gone)
            status = take_surplus(reader, &reader->deferred[i]);
    }
    if (!status && reader->options.note_changes) status = note_deleted(reader);
    if (status) return status;
    size_t count = reader->deferred_count;
    uint32_t *moved = karp_alloc(reader->context, (count + 1) * sizeof *moved);
    if (moved == NULL) return io_reader_nomem(reader);
    status = close_gaps(reader, moved);
    karp_free(reader->context, moved, (count + 1) * sizeof *moved);
    return status;
}
