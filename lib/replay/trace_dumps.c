/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sequence of dumps of a cluster (karp dump, kubectl get -o json): new pods were created, missing pods were deleted.
 */
#include <replay/objects.h>
#include <replay/patch.h>
#include <replay/trace_read.h>
#include <replay/trace_workloads.h>

typedef struct dump {
    workloads w;
    int64_t now;
    uint32_t number; /* number of this dump, from 1 */
    bool first;
    bool partial; /* what has changed since the last one */
    patch_book *book; /* of a recording; NULL = a dump */
} dump;

/* The time of a dump: its own, or the latest time in its objects. */
static void latest(const tree *value, int64_t *now)
{
    int64_t at = 0;
    if (tree_is(value, TREE_STRING)) {
        karp_str text = tree_text(value);
        if (text.len >= 20 && text.len <= 35 && text.ptr[4] == '-' && karp_time_parse(text, &at) == KARP_OK &&
            at > *now)
            *now = at;
        return;
    }
    for (size_t i = 0; i < tree_count(value); i++)
        latest(tree_is(value, TREE_MAP) ? tree_member_at(value, i)->value : tree_item(value, i), now);
}

static bool runs(const tree *pod)
{
    karp_str phase = tree_get_text(tree_get(pod, "status"), "phase");
    const tree *owners = tree_get(tree_get(pod, "metadata"), "ownerReferences");
    for (size_t i = 0; i < tree_count(owners); i++) {
        karp_str kind = tree_get_text(tree_item(owners, i), "kind");
        if (str_is(kind, "DaemonSet") || str_is(kind, "Node")) return false;
    }
    return !str_is(phase, "Succeeded") && !str_is(phase, "Failed");
}

static bool end_one(dump *d, trace_dumped *p)
{
    trace_event event = d->w.t->events[p->event];
    event.kind = TRACE_POD_DELETED;
    event.at = d->now;
    p->seen = 0;
    return trace_add(d->w.t, &event);
}

/* Deletes the pod, if there is one. */
static karp_status end_pod(dump *d, karp_str namespace_, karp_str name)
{
    trace *t = d->w.t;
    strbuf key = strbuf_on(t->context);
    strbuf_addname(&key, namespace_.len ? namespace_ : str("default"), name);
    uint32_t found = key.failed ? IO_NONE : io_table_get(&t->dumped, (karp_str){ key.ptr, key.len });
    bool fine = !key.failed;
    strbuf_free(&key);
    if (found == IO_NONE || t->dumped_pods[found].seen == 0) return fine ? KARP_OK : fail_nomem(d->w.error);
    return end_one(d, &t->dumped_pods[found]) ? KARP_OK : fail_nomem(d->w.error);
}

/* Nothing is launched for a gated pod: it counts from the dump on in which its gates are gone. */
static bool is_gated(const tree *pod)
{
    const tree *spec = tree_get(pod, "spec");
    return tree_count(tree_get(spec, "schedulingGates")) > 0 && tree_get_text(spec, "nodeName").len == 0;
}

static karp_status take_pod(dump *d, const tree *object)
{
    trace *t = d->w.t;
    const tree *metadata = tree_get(object, "metadata");
    karp_str name = tree_get_text(metadata, "name"), namespace_ = tree_get_text(metadata, "namespace");
    if (!runs(object) || is_gated(object) || replay_is_held(object))
        return d->partial ? end_pod(d, namespace_, name) : KARP_OK;
    if (name.len == 0) return workloads_fault(&d->w, object, "metadata.name", "a pod without a name");
    if (namespace_.len == 0) namespace_ = str("default");
    strbuf key = strbuf_on(t->context);
    strbuf_addname(&key, namespace_, name);
    bool fine = !key.failed;
    uint32_t seen = fine ? io_table_get(&t->dumped, (karp_str){ key.ptr, key.len }) : IO_NONE;
    bool there = seen != IO_NONE && t->events[t->dumped_pods[seen].event].kind == TRACE_POD_CREATED &&
                 t->dumped_pods[seen].seen;
    if (fine && there && t->dumped_pods[seen].seen == d->number && !d->partial) {
        strbuf_free(&key);
        return workloads_fault(&d->w, object, "metadata.name", "the pod is in this dump already");
    }
    if (fine && there) t->dumped_pods[seen].seen = d->number;
    if (fine && !there) {
        int64_t created = 0;
        trace_event event = {
            .at = d->now, .kind = TRACE_POD_CREATED, .lasts = KARP_DURATION_UNSET, .document = d->w.document
        };
        (void)karp_time_parse(tree_get_text(metadata, "creationTimestamp"), &created);
        if (!d->first && created > t->dump_before && created < d->now) event.at = created;
        event.shape = trace_shape_of(t, &d->w.memory, replay_lean_pod(&d->w.memory, object));
        event.of.pod.namespace_ = trace_keep(t, namespace_);
        event.of.pod.name = trace_keep(t, name);
        fine = event.shape != NO_ID && event.of.pod.namespace_.ptr && event.of.pod.name.ptr &&
               grow(t->context, (void **)&t->dumped_pods, &t->dumped_capacity, t->dumped_count + 1,
                    sizeof *t->dumped_pods);
        if (fine) t->dumped_pods[t->dumped_count] = (trace_dumped){ (uint32_t)t->count, d->number };
        fine = fine && trace_add(t, &event) &&
               io_table_put(&t->dumped, (karp_str){ key.ptr, key.len }, (uint32_t)t->dumped_count);
        if (fine) t->dumped_count++;
    }
    strbuf_free(&key);
    return fine ? KARP_OK : fail_nomem(d->w.error);
}

static karp_status take_object(dump *d, const tree *object)
{
    karp_str kind = tree_get_text(object, "kind");
    if (str_is(kind, "Pod")) return take_pod(d, object);
    bool of_pools = str_is(kind, "NodePool") || str_ends(kind, "NodeClass");
    if (!d->first && !of_pools) return KARP_OK;
    /* Workloads are ignored, because their pods are in the dump. */
    static const char makers[] = "Deployment StatefulSet ReplicaSet ReplicationController Job CronJob Node NodeClaim";
    bool made = str_in_list(kind, makers);
    return made ? KARP_OK : workloads_apply(&d->w, d->now, object, NULL);
}

/* Objects of a line of a recording, and those of which it says what has changed. */
static karp_status take_objects(dump *d, const tree *list, const tree *patched)
{
    karp_status status = KARP_OK;
    const char *why = NULL;
    for (size_t i = 0; i < tree_count(list) && !status; i++) {
        strbuf key = strbuf_on(d->w.t->context);
        if (d->book) patch_key(&key, tree_item(list, i));
        bool kept = !d->book ||
                    (!key.failed && patch_book_put(d->book, (karp_str){ key.ptr, key.len }, tree_item(list, i)));
        strbuf_free(&key);
        status = kept ? take_object(d, tree_item(list, i)) : fail_nomem(d->w.error);
    }
    for (size_t i = 0; i < tree_count(patched) && d->book && !status; i++) {
        const tree *object = patch_book_turn(d->book, &d->w.memory, tree_item(patched, i), &why);
        if (object) status = take_object(d, object);
        else status = why ? workloads_fault(&d->w, tree_item(patched, i), NULL, why) : fail_nomem(d->w.error);
    }
    return status;
}

/* Deletes the pods that this dump no longer contains. */
static bool end_missing(dump *d)
{
    trace *t = d->w.t;
    for (size_t i = 0; i < t->dumped_count; i++) {
        trace_dumped *p = &t->dumped_pods[i];
        if (p->seen != 0 && p->seen != d->number && !end_one(d, p)) return false;
    }
    return true;
}

static karp_status take(dump *d, const tree *root)
{
    trace *t = d->w.t;
    karp_str kind = tree_get_text(root, "kind");
    bool ours = str_is(kind, "Snapshot") || str_is(kind, "Recording");
    const tree *objects = tree_get(root, ours ? "objects" : "items");
    karp_str stated = tree_get_text(root, "now");
    karp_status status = KARP_OK;
    if (!tree_is(objects, TREE_LIST))
        return workloads_fault(&d->w, root, "items", "a dump is a Snapshot or a List of objects");
    if (stated.len && karp_time_parse(stated, &d->now)) return workloads_fault(&d->w, root, "now", "not a time");
    if (!stated.len) latest(objects, &d->now);
    if (!d->first && d->now <= t->dump_before)
        return workloads_fault(&d->w, root, "now", "time goes back: dumps come in the order of their times");
    if (d->first) t->begins = d->now;
    status = take_objects(d, objects, tree_get(root, "patched"));
    if (!status && !end_missing(d)) status = fail_nomem(d->w.error);
    t->dump_before = d->now;
    if (d->now > t->ends) t->ends = d->now;
    return status;
}

/* ---- recordings -------------------------------------------------------------------------------------------------- */

/* Of "Pod/namespace/name"; other kinds have no effect here. */
static karp_status take_gone(dump *d, karp_str key)
{
    static const char pod[] = "Pod/";
    const size_t kind = sizeof pod - 1;
    if (!str_starts(key, pod)) return KARP_OK;
    karp_str rest = { key.ptr + kind, key.len - kind }, namespace_ = str_before(rest, '/');
    if (namespace_.len == 0) return workloads_fault(&d->w, NULL, "gone", "not a key like Pod/default/web-0");
    return end_pod(d, namespace_, (karp_str){ rest.ptr + namespace_.len + 1, rest.len - namespace_.len - 1 });
}

static karp_status take_change(dump *d, const tree *root)
{
    trace *t = d->w.t;
    const tree *changed = tree_get(root, "changed"), *gone = tree_get(root, "gone");
    karp_status status = KARP_OK;
    if (t->dumps == 0) return workloads_fault(&d->w, root, "kind", "a recording begins with a line of kind Recording");
    if (karp_time_parse(tree_get_text(root, "now"), &d->now)) return workloads_fault(&d->w, root, "now", "not a time");
    if (d->now <= t->dump_before)
        return workloads_fault(&d->w, root, "now", "time goes back: lines come in the order of their times");
    for (size_t i = 0; i < tree_count(gone) && !status; i++) status = take_gone(d, tree_text(tree_item(gone, i)));
    if (!status) status = take_objects(d, changed, tree_get(root, "patched"));
    t->dump_before = d->now;
    if (d->now > t->ends) t->ends = d->now;
    return status;
}

static karp_status take_line(trace *t, patch_book *book, karp_str name, karp_str line, bool lenient, bool last,
                             karp_error *error)
{
    dump d = { .number = t->dumps, .partial = true, .book = book };
    tree *root = NULL;
    karp_status status = workloads_init(&d.w, t, name, line, lenient, error);
    if (!status) status = tree_read(&d.w.memory, name, line, &root, error);
    if (status == KARP_E_SYNTAX && last) { /* the recording was interrupted in it */
        karp_error_init(error, sizeof *error);
        t->notes++;
        workloads_free(&d.w);
        return KARP_OK;
    }
    if (!status && tree_get(root, "objects")) {
        d.partial = false;
        d.number = ++t->dumps;
        d.first = t->dumps == 1;
        status = take(&d, root);
    } else if (!status) {
        status = take_change(&d, root);
    }
    if (!status && d.w.memory.status) status = fail_nomem(error);
    workloads_free(&d.w);
    return status;
}

karp_status trace_read_recording(trace *t, karp_str name, karp_str text, bool lenient, karp_error *error)
{
    karp_status status = KARP_OK;
    uint32_t number = 0;
    patch_book book;
    patch_book_init(&book, t->context);
    for (size_t at = 0, end; at < text.len && !status; at = end + 1) {
        const char *feed = memchr(text.ptr + at, '\n', text.len - at);
        end = feed ? (size_t)(feed - text.ptr) : text.len;
        number++;
        if (end > at) status = take_line(t, &book, name, (karp_str){ text.ptr + at, end - at }, lenient, !feed, error);
        if (status && error->line <= 1) error->line = number;
    }
    patch_book_free(&book);
    return status;
}

karp_status trace_read_dump(trace *t, karp_str name, karp_str text, bool lenient, karp_error *error)
{
    dump d = { .number = ++t->dumps, .first = t->dumps == 1 };
    tree *root = NULL;
    karp_status status = workloads_init(&d.w, t, name, text, lenient, error);
    if (!status) status = tree_read(&d.w.memory, name, text, &root, error);
    if (!status) status = take(&d, root);
    if (!status && d.w.memory.status) status = fail_nomem(error);
    workloads_free(&d.w);
    return status;
}
