/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story with the documents of a cluster managed by Karpenter, or with pods and workloads other than Deployments: its
 * nodes and pods belong to the story from the start, as in a replay.
 */
#include <replay/engine.h>
#include <replay/objects.h>
#include <replay/story.h>

#include <io/admission.h>
#include <io/fill.h>
#include <io/owner.h>
#include <io/write_buffer.h>

#include <karp/inspect.h>

static const io_kind_info *kind_of(const story *s, const tree *object)
{
    return io_reader_kind(s->reader, tree_get_text(object, "apiVersion"), tree_get_text(object, "kind"));
}

/* Whether there are pods of the object, other than those of the story's Deployments. */
static bool has_pods(const story *s, const tree *object)
{
    const io_kind_info *info = kind_of(s, object);
    bool pending = info->kind == IO_KIND_POD && tree_get_text(tree_get(object, "spec"), "nodeName").len == 0;
    return pending || replay_is_workload(s->reader, object);
}

bool story_has_cluster(const story *s)
{
    bool found = false;
    for (size_t i = 0; i < tree_count(s->base) && !found; i++) {
        const tree *object = tree_item(s->base, i);
        found = str_is(tree_get_text(object, "kind"), "NodeClaim") || has_pods(s, object);
    }
    return found && !s->old_rules;
}

/* The reader changes what it reads, so it gets a copy. */
static karp_status add_object(story *s, karp_reader *reader, const tree *object)
{
    tree *copy = tree_deep_copy(&reader->trees, object, false);
    if (!copy) return story_nomem(s);
    io_place place = story_place(s, object);
    karp_status status = io_read_tree(reader, copy, &place, false);
    if (status) s->error = reader->error;
    return status;
}

/* Reads everything as any other input, so that pods count for their workloads and missing values are completed. */
static karp_status read_all(story *s, karp_reader **out, karp_snapshot **snapshot)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.region = s->region;
    options.feature_gates = s->feature_gates;
    options.keep_documents = 1;
    if (s->starts) options.now = s->begins;
    karp_status status = karp_reader_new(s->context, &options, out, &s->error);
    if (status) return status;
    karp_reader *reader = *out;
    reader->plays = true;
    reader->directory = reader->options.base_directory;
    if (s->catalogue) status = karp_reader_add_catalogue(reader, s->catalogue, &s->error);
    if (!status && s->head) status = add_object(s, reader, s->head);
    for (size_t i = 0; i < tree_count(s->base) && !status; i++) status = add_object(s, reader, tree_item(s->base, i));
    for (size_t i = 0; i < s->workload_count && !status; i++) {
        if (!s->workloads[i].applied) status = add_object(s, reader, s->workloads[i].object);
    }
    return status ? status : karp_reader_finish(reader, snapshot, &s->error);
}

static karp_status keep_notes(story *s, const karp_reader *reader)
{
    karp_status status = replay_keep_notes(&s->played, reader);
    return status ? story_nomem(s) : KARP_OK;
}

static karp_status keep_title(story *s, karp_reader *reader)
{
    karp_str title = karp_reader_catalogue_title(reader);
    if (!title.ptr) return story_nomem(s);
    str_shorten(s->title, sizeof s->title, title);
    return KARP_OK;
}

/* ---- what becomes of Deployments that are manifests -------------------------------------------------------------- */

/* The replicas that autoscalers leave to it, and the pods as the API server would create them. */
static karp_status settle_workload(story *s, karp_reader *reader, const io_admission *admission, story_workload *w)
{
    const io_deferred *d = io_find_deferred(reader, str("Deployment"), w->namespace_, w->name);
    int64_t replicas = (int64_t)w->replicas;
    if (w->applied || !d || !d->root || io_is_stated(tree_get(d->root, "metadata"), "uid")) return KARP_OK;
    if (d->gone || d->refused) replicas = 0;
    else if (!tree_integer(tree_get(tree_get(d->root, "spec"), "replicas"), &replicas)) replicas = 1;
    if (replicas < 0 || replicas > STORY_REPLICAS_MOST) return KARP_OK; /* told where it is read */
    tree *object = tree_deep_copy(s->t, w->object, false);
    tree *template_ = tree_get(tree_get(object, "spec"), "template"), *spec = tree_get(template_, "spec");
    karp_status status = spec ? io_admit(admission, reader, s->t, spec, w->namespace_) : KARP_OK;
    if (status || s->t->status) return story_nomem(s);
    w->replicas = (uint64_t)replicas;
    w->object = object;
    return KARP_OK;
}

/* Called after the notes were kept: those that are made here were made before. */
static karp_status settle_workloads(story *s, karp_reader *reader)
{
    io_admission admission;
    karp_status status = KARP_OK;
    io_admission_init(&admission, s->context);
    for (size_t i = 0; i < reader->deferred_count && !status; i++)
        status = io_admission_note(&admission, reader, &reader->deferred[i]);
    for (size_t i = 0; i < s->workload_count && !status; i++)
        status = settle_workload(s, reader, &admission, &s->workloads[i]);
    io_admission_free(&admission, s->context);
    return status ? story_nomem(s) : KARP_OK;
}

karp_status story_settle_workloads(story *s)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    if (s->workload_count == 0 || s->old_rules) return KARP_OK;
    karp_status status = read_all(s, &reader, &snapshot);
    if (!status) status = settle_workloads(s, reader);
    else if (status != KARP_E_NOMEM) { /* it is told when the objects are needed */
        karp_error_init(&s->error, sizeof s->error);
        status = KARP_OK;
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}

karp_status story_note_input(story *s)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_status status = read_all(s, &reader, &snapshot);
    bool fails_later = status && status != KARP_E_NOMEM &&
                       status != KARP_E_CANCELED; /* the engine reports it when it needs the objects */
    if (fails_later) karp_error_init(&s->error, sizeof s->error);
    if (!status) status = keep_notes(s, reader);
    if (!status) status = keep_title(s, reader);
    if (!status && !s->old_rules) status = settle_workloads(s, reader);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return fails_later ? KARP_OK : status;
}

static karp_status read_cluster(story *s)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_status status = read_all(s, &reader, &snapshot);
    if (!status) status = keep_notes(s, reader);
    if (!status) status = keep_title(s, reader);
    if (!status) {
        if (!s->starts) s->begins = karp_snapshot_now(snapshot);
        status = replay_read_cluster(&s->played, reader, snapshot);
        if (status) s->error = s->played.error;
    }
    if (!status && !s->played.cluster.ptr) status = karp_reader_dump(reader, &s->played.cluster, &s->error);
    if (!status) status = settle_workloads(s, reader);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}

/* New pods get numbers that no pod of the documents has. */
static void count_beyond(story_workload *w, karp_str pod)
{
    uint64_t number = 0;
    size_t i = w->name.len + 1;
    if (pod.len <= i || pod.len > i + 9 || pod.ptr[i - 1] != '-') return;
    for (; i < pod.len; i++) {
        if (pod.ptr[i] < '0' || pod.ptr[i] > '9') return;
        number = number * 10 + (uint64_t)(pod.ptr[i] - '0');
    }
    if (number >= w->first) w->first = number + 1;
}

/* Scaling starts from the pods that the workload already has. */
static karp_status note_owned(story *s)
{
    for (size_t i = 0; i < tree_count(s->base); i++) {
        const tree *pod = tree_item(s->base, i);
        if (!str_is(tree_get_text(pod, "kind"), "Pod") || io_pod_ended(pod)) continue;
        io_owner owner = io_controller(pod);
        karp_str name = str_is(str(owner.kind), "ReplicaSet") ? io_deployment_by_name(pod, owner.name)
                                                              : (karp_str){ 0 };
        for (size_t k = 0; k < s->workload_count && name.len; k++) {
            story_workload *w = &s->workloads[k];
            if (!equal_str(w->name, name) || !equal_str(w->namespace_, io_namespace(pod))) continue;
            if (!grow(s->context, (void **)&w->owned, &w->owned_capacity, w->owned_count + 1, sizeof *w->owned))
                return story_nomem(s);
            karp_str kept = trace_keep(&s->played.base.trace, tree_get_text(tree_get(pod, "metadata"), "name"));
            if (!kept.ptr) return story_nomem(s);
            w->owned[w->owned_count++] = kept;
            count_beyond(w, kept);
        }
    }
    return KARP_OK;
}

karp_status story_take_cluster(story *s)
{
    replay_base *base = &s->played.base;
    tree *cluster = NULL, *objects = tree_new(s->t, TREE_LIST);
    base->starts = KARP_NO_TIME;
    karp_status status = objects ? read_cluster(s) : story_nomem(s);
    if (status) return status;
    base->trace.begins = base->trace.ends = s->begins;
    karp_str text = { s->played.cluster.ptr, s->played.cluster.len };
    status = tree_read(s->t, str("the cluster"), text, &cluster, &s->error);
    if (status) return status;
    tree_append(s->t, objects, cluster);
    s->base = base->objects = objects;
    s->head = NULL; /* the cluster has its own */
    status = replay_open_snapshots(s->t, objects, &s->head, &s->error);
    if (status) return status;
    if (s->head && s->catalogue) tree_remove(s->t, s->head, "catalogues");
    status = note_owned(s);
    if (!status && (status = replay_take_nodes(&s->played, s->t)) != KARP_OK) s->error = s->played.error;
    replay_drop_workloads(s->reader, s->t, objects);
    if (!status && s->t->status) status = story_nomem(s);
    return status ? status : replay_pods_of_objects(&base->trace, s->t, objects, false, &s->error);
}

karp_status story_create_pods(story *s)
{
    const trace *t = &s->played.base.trace;
    for (size_t i = 0; i < t->count && !s->e->status; i++) {
        if (t->events[i].kind == TRACE_POD_CREATED) pod_create(s->e, &t->events[i]);
    }
    return story_engine(s);
}
