/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sequence of dumps of a cluster (karp dump, kubectl get -o json): new pods were created, missing pods were deleted.
 */
#include <replay/objects.h>
#include <replay/trace_read.h>
#include <replay/trace_workloads.h>

#define SECOND INT64_C(1000000000)

typedef struct dump {
    workloads w;
    int64_t now;
    uint32_t number; /* number of this dump, from 1 */
    bool first;
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

static karp_status take_pod(dump *d, const tree *object)
{
    trace *t = d->w.t;
    const tree *metadata = tree_get(object, "metadata");
    karp_str name = tree_get_text(metadata, "name"), namespace_ = tree_get_text(metadata, "namespace");
    strbuf key;
    if (!runs(object)) return KARP_OK;
    if (name.len == 0) return workloads_fault(&d->w, object, "metadata.name", "a pod without a name");
    if (namespace_.len == 0) namespace_ = str("default");
    strbuf_init(&key, t->context);
    strbuf_addname(&key, namespace_, name);
    bool fine = !key.failed;
    uint32_t seen = fine ? io_table_get(&t->dumped, (karp_str){ key.ptr, key.len }) : IO_NONE;
    bool there = seen != IO_NONE && t->events[t->dumped_pods[seen].event].kind == TRACE_POD_CREATED &&
                 t->dumped_pods[seen].seen;
    if (fine && there && t->dumped_pods[seen].seen == d->number) {
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
    static const char *const makers[] = { "Deployment", "StatefulSet", "ReplicaSet", "ReplicationController",
                                          "Job",        "CronJob",     "Node",       "NodeClaim" };
    bool made = str_in_words(kind, makers, sizeof makers / sizeof makers[0]);
    return made ? KARP_OK : workloads_apply(&d->w, d->now, object, NULL);
}

/* Deletes the pods that this dump no longer contains. */
static bool end_missing(dump *d)
{
    trace *t = d->w.t;
    for (size_t i = 0; i < t->dumped_count; i++) {
        trace_dumped *p = &t->dumped_pods[i];
        if (p->seen == 0 || p->seen == d->number) continue;
        trace_event event = t->events[p->event];
        event.kind = TRACE_POD_DELETED;
        event.at = d->now;
        p->seen = 0;
        if (!trace_add(t, &event)) return false;
    }
    return true;
}

static karp_status take(dump *d, const tree *root)
{
    trace *t = d->w.t;
    const tree *objects = tree_get(root, str_is(tree_get_text(root, "kind"), "Snapshot") ? "objects" : "items");
    karp_str stated = tree_get_text(root, "now");
    karp_status status = KARP_OK;
    if (!tree_is(objects, TREE_LIST))
        return workloads_fault(&d->w, root, "items", "a dump is a Snapshot or a List of objects");
    if (stated.len && karp_time_parse(stated, &d->now)) return workloads_fault(&d->w, root, "now", "not a time");
    if (!stated.len) latest(objects, &d->now);
    if (!d->first && d->now <= t->dump_before)
        return workloads_fault(&d->w, root, "now", "time goes back: dumps come in the order of their times");
    if (d->first) t->begins = d->now;
    for (size_t i = 0; i < tree_count(objects) && !status; i++) status = take_object(d, tree_item(objects, i));
    if (!status && !end_missing(d)) status = fail_nomem(d->w.error);
    t->dump_before = d->now;
    if (d->now > t->ends) t->ends = d->now;
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
