/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a story's Deployments that are manifests: a reader tells it, as for any other input. */
#include <replay/story.h>

#include <io/fill.h>
#include <io/owner.h>

#include <karp/inspect.h>

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

karp_reader_options story_reader_options(const story *s)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.region = s->region;
    options.feature_gates = s->feature_gates;
    options.peer_version = s->options.peer_version;
    options.previews = s->options.flip_rules;
    return options;
}

karp_status story_read_all(story *s, karp_reader **out, karp_snapshot **snapshot)
{
    karp_reader_options options = story_reader_options(s);
    options.keep_documents = 1;
    if (s->starts) options.now = s->begins;
    karp_status status = karp_reader_new(s->context, &options, out, &s->error);
    if (status) return status;
    karp_reader *reader = *out;
    reader->mode.plays = true;
    reader->directory = reader->options.base_directory;
    status = story_add_rules(s, reader);
    if (!status && s->catalogue) status = karp_reader_add_catalogue(reader, s->catalogue, &s->error);
    if (!status && s->head) status = add_object(s, reader, s->head);
    for (size_t i = 0; i < tree_count(s->base) && !status; i++) status = add_object(s, reader, tree_item(s->base, i));
    for (size_t i = 0; i < s->workload_count && !status; i++) {
        if (!s->workloads[i].applied) status = add_object(s, reader, s->workloads[i].object);
    }
    return status ? status : karp_reader_finish(reader, snapshot, &s->error);
}

/* The replicas that autoscalers leave to it, and the pods as the API server would create them. */
static karp_status settle_workload(story *s, karp_reader *reader, const io_admission *admission, story_workload *w)
{
    const io_deferred *d = io_find_deferred(reader, str("Deployment"), w->namespace_, w->name);
    int64_t replicas = (int64_t)w->replicas;
    if (w->applied || !d || !d->root || io_is_stated(tree_get(d->root, "metadata"), "uid")) return KARP_OK;
    w->refused = d->refused;
    if (d->gone || d->refused) replicas = 0;
    else if (!tree_integer(tree_get(tree_get(d->root, "spec"), "replicas"), &replicas)) replicas = 1;
    if (replicas < 0 || replicas > STORY_REPLICAS_MOST) return KARP_OK; /* told where it is read */
    /* What is filled in belongs to the reader, which ends before the story. */
    tree *object = tree_deep_copy(&reader->trees, w->object, false);
    tree *template_ = tree_get(tree_get(object, "spec"), "template"), *spec = tree_get(template_, "spec");
    karp_status status = spec ? io_admit(admission, reader, &reader->trees, spec, w->namespace_) : KARP_OK;
    tree *kept = object ? tree_deep_copy(s->t, object, true) : NULL;
    if (status || reader->trees.status || !kept) return story_nomem(s);
    w->replicas = (uint64_t)replicas;
    w->object = kept;
    return KARP_OK;
}

karp_status story_settle_by(story *s, karp_reader *reader)
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
    bool nodes = story_has_nodes(s);
    if ((s->workload_count == 0 && !nodes) || s->old_rules) return KARP_OK;
    karp_status status = story_read_all(s, &reader, &snapshot);
    if (!status && nodes && !s->starts && !s->is_load) s->begins = karp_snapshot_now(snapshot);
    if (!status) status = story_settle_by(s, reader);
    else if (status != KARP_E_NOMEM) { /* it is told when the objects are needed */
        karp_error_init(&s->error, sizeof s->error);
        status = KARP_OK;
    }
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

karp_status story_note_owned(story *s)
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
            karp_str kept = trace_keep(s->trace, tree_get_text(tree_get(pod, "metadata"), "name"));
            if (!kept.ptr) return story_nomem(s);
            w->owned[w->owned_count++] = kept;
            count_beyond(w, kept);
        }
    }
    return KARP_OK;
}

bool story_has_nodes(const story *s)
{
    bool found = false;
    for (size_t i = 0; i < tree_count(s->base) && !found; i++) {
        karp_str kind = tree_get_text(tree_item(s->base, i), "kind");
        found = str_is(kind, "Node") || str_is(kind, "NodeClaim");
    }
    return found;
}

uint64_t story_replicas_after(story_workload *w, const story_effect *effect, uint64_t pods)
{
    uint64_t same = w->refused ? 1 : pods; /* one that was not there is created, with one replica by default */
    w->refused = false;
    return effect->replicas == STORY_SAME ? same : effect->replicas;
}
