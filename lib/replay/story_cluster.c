/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story with the documents of a cluster managed by Karpenter, or with pods and workloads other than Deployments: its
 * nodes and pods belong to the story from the start, as in a replay.
 */
#include <replay/engine.h>
#include <replay/objects.h>
#include <replay/story.h>

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

static karp_status keep_notes(story *s, const karp_reader *reader)
{
    karp_status status = replay_keep_notes(&s->played, reader);
    if (s->write.licences.len == 0) s->write.licences = s->played.base.licences;
    return status ? story_nomem(s) : KARP_OK;
}

static karp_status keep_title(story *s, karp_reader *reader)
{
    karp_str title = karp_reader_catalogue_title(reader);
    if (!title.ptr) return story_nomem(s);
    str_shorten(s->title, sizeof s->title, title);
    return KARP_OK;
}

karp_status story_note_input(story *s)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_status status = story_read_all(s, &reader, &snapshot);
    bool fails_later = status && status != KARP_E_NOMEM &&
                       status != KARP_E_CANCELED; /* the engine reports it when it needs the objects */
    if (fails_later) karp_error_init(&s->error, sizeof s->error);
    if (!status) status = keep_notes(s, reader);
    if (!status) status = keep_title(s, reader);
    if (!status && !s->old_rules) status = story_settle_by(s, reader);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return fails_later ? KARP_OK : status;
}

static karp_status read_cluster(story *s)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_status status = story_read_all(s, &reader, &snapshot);
    if (!status) status = keep_notes(s, reader);
    if (!status) status = keep_title(s, reader);
    if (!status) {
        if (!s->starts) s->begins = karp_snapshot_now(snapshot);
        status = replay_read_cluster(&s->played, reader, snapshot);
        if (status) s->error = s->played.error;
    }
    if (!status && !s->played.cluster.ptr) status = karp_reader_dump(reader, &s->played.cluster, &s->error);
    if (!status) status = story_settle_by(s, reader);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
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
    status = story_note_owned(s);
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
