/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a story's Deployments that are manifests: a reader tells it, as for any other input. */
#include <replay/story.h>

#include <io/admission.h>
#include <io/fill.h>

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

karp_status story_read_all(story *s, karp_reader **out, karp_snapshot **snapshot)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.region = s->region;
    options.feature_gates = s->feature_gates;
    options.peer_version = s->options.peer_version;
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
    if (s->workload_count == 0 || s->old_rules) return KARP_OK;
    karp_status status = story_read_all(s, &reader, &snapshot);
    if (!status) status = story_settle_by(s, reader);
    else if (status != KARP_E_NOMEM) { /* it is told when the objects are needed */
        karp_error_init(&s->error, sizeof s->error);
        status = KARP_OK;
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}

uint64_t story_replicas_after(story_workload *w, const story_effect *effect, uint64_t pods)
{
    uint64_t same = w->refused ? 1 : pods; /* one that was not there is created, with one replica by default */
    w->refused = false;
    return effect->replicas == STORY_SAME ? same : effect->replicas;
}
