/* SPDX-License-Identifier: Apache-2.0 */
/* The current cluster as a Snapshot document: the objects of the replay, and its pods and nodes as objects. */
#include <replay/engine.h>
#include <replay/engine_state.h>

#include <io/make_object.h>
#include <io/notes.h>
#include <io/write_buffer.h>

static tree *conditions_of(trees *t, tree *object)
{
    tree *list = tree_new(t, TREE_LIST);
    tree_set(t, tree_get_or_make(t, object, "status"), "conditions", list);
    return list;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static tree *pod_object(engine *e, trees *t, const replay_pod *p)
{
    const replay_shape *s = &e->pods.shapes[p->shape];
    tree *object = NULL;
    karp_status status = tree_read(t, str("a pod of the trace"), s->text, &object, &e->error);
    if (status) {
        keep_failure(&e->status, status);
        return NULL;
    }
    tree *metadata = tree_get_or_make(t, object, "metadata"), *spec = tree_get_or_make(t, object, "spec");
    tree_set_text(t, object, "apiVersion", str("v1"));
    tree_set_text(t, object, "kind", str("Pod"));
    tree_set_text(t, metadata, "name", p->name);
    tree_set_text(t, metadata, "uid", p->name);
    tree_set_text(t, metadata, "namespace", p->namespace_);
    io_set_time(t, metadata, "creationTimestamp", p->created);
    tree *stated = tree_get_or_make(t, object, "status"), *conditions = conditions_of(t, object);
    bool runs = p->state == POD_RUNNING;
    tree_set_text(t, stated, "phase", str(runs ? "Running" : "Pending"));
    io_add_condition(t, conditions, "PodScheduled", runs ? "True" : "False", runs ? "PodScheduled" : shape_waits(s),
                     runs ? p->started : p->waits_since);
    if (p->state == POD_HELD) io_add_condition(t, conditions, "Created", "False", "WaitsForPodBefore", KARP_NO_TIME);
    if (s->priority) tree_set(t, spec, "priority", tree_new_integer(t, s->priority));
    if (!runs) return object;
    tree_set_text(t, spec, "nodeName", e->nodes.list[p->node].name);
    io_set_time(t, stated, "startTime", p->started);
    io_add_condition(t, conditions, "Ready", "True", "Ready", p->started);
    return object;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static tree *label_map(trees *t, const karp_label *list, size_t count)
{
    tree *map = tree_new(t, TREE_MAP);
    io_set_labels(t, map, list, count);
    return map;
}

static tree *node_object(trees *t, const replay_node *n, bool claim)
{
    static const karp_taint disrupted = { { "karpenter.sh/disrupted", 22 }, { "", 0 }, { "NoSchedule", 10 } };
    tree *object = io_new_node(t, claim, n->name, n->created), *status = tree_get(object, "status");
    tree *taints = claim ? io_new_taints(t, n->taints, n->taint_count, false)
                         : io_new_taints(t, n->node_taints, n->node_taint_count, false);
    if (!claim && (n->tainted || n->deleting)) tree_append(t, taints, io_new_taint(t, &disrupted, false));
    tree_set_text(t, tree_get(object, "metadata"), "uid", n->name);
    tree_set(t, tree_get(object, "metadata"), "labels", label_map(t, n->labels, n->label_count - (claim && !n->ready)));
    tree_set(t, tree_get(object, "spec"), "taints", taints);
    tree_set(t, status, "capacity", io_new_amounts(t, n->capacity, n->capacity_count));
    tree_set(t, status, "allocatable", io_new_amounts(t, n->resources, n->resource_count));
    return object;
}

static void set_duration(trees *t, tree *spec, const char *name, int64_t duration)
{
    char text[KARP_VALUE_TEXT];
    if (duration == KARP_DURATION_UNSET) return;
    if (duration == KARP_DURATION_NEVER) {
        tree_set_text(t, spec, name, str("Never"));
        return;
    }
    karp_duration_format(duration, text);
    tree_set_text(t, spec, name, str(text));
}

static tree *claim_object(trees *t, const replay_node *n)
{
    tree *object = node_object(t, n, true), *spec = tree_get(object, "spec"), *status = tree_get(object, "status");
    tree *metadata = tree_get(object, "metadata"), *conditions = conditions_of(t, object);
    tree *ref = tree_get_or_make(t, spec, "nodeClassRef");
    tree_set_text(t, ref, "group", n->node_class.group);
    tree_set_text(t, ref, "kind", n->node_class.kind);
    tree_set_text(t, ref, "name", n->node_class.name);
    tree_set(t, metadata, "annotations", label_map(t, n->annotations, n->annotation_count));
    tree_set(t, spec, "requirements", tree_new(t, TREE_LIST));
    if (n->startup_taint_count)
        tree_set(t, spec, "startupTaints", io_new_taints(t, n->startup_taints, n->startup_taint_count, false));
    if (n->deleting || n->tainted) io_set_time(t, metadata, "deletionTimestamp", n->deleted_at);
    set_duration(t, spec, "expireAfter", n->expire_after);
    set_duration(t, spec, "terminationGracePeriod", n->termination_grace_period);
    io_set_time(t, status, "lastPodEventTime", n->last_event);
    io_add_condition(t, conditions, "Launched", "True", "Launched", n->created);
    if (n->ready) {
        tree_set_text(t, status, "nodeName", n->name);
        io_add_condition(t, conditions, "Registered", "True", "Registered", n->ready_at);
        if (!n->initializing) io_add_condition(t, conditions, "Initialized", "True", "Initialized", n->ready_at);
        if (!n->initializing) io_add_condition(t, conditions, "Ready", "True", "Ready", n->ready_at);
    }
    if (n->consolidatable) io_add_condition(t, conditions, "Consolidatable", "True", "Consolidatable", n->ready_at);
    if (n->drifted)
        io_add_condition(t, conditions, "Drifted", "True", n->drift_reason.len ? n->drift_reason.ptr : "Drifted",
                         n->drifted_at);
    return object;
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

static karp_status add_object(engine *e, trees *t, karp_reader *reader, const tree *object)
{
    if (e->status) return e->status;
    strbuf text = strbuf_on(e->context);
    tree_write(&text, object);
    karp_status status = t->status || text.failed
                             ? fail_nomem(&e->error)
                             : karp_reader_add(reader, str("the cluster"), (karp_str){ text.ptr, text.len }, &e->error);
    strbuf_free(&text);
    trees_clear(t);
    return status;
}

/* They have everything: a NodeClaim of a NodePool that has changed since is not filled in from it. */
static karp_status add_nodes(engine *e, trees *t, karp_reader *reader)
{
    karp_status status = KARP_OK;
    reader->mode.complete = true;
    for (size_t i = 0; i < e->nodes.alive_count && !status; i++) {
        const replay_node *n = &e->nodes.list[e->nodes.alive[i]];
        if (!n->unmanaged) status = add_object(e, t, reader, claim_object(t, n));
        if (status || !n->ready) continue;
        tree *node = node_object(t, n, false);
        io_add_condition(t, conditions_of(t, node), "Ready", n->unready ? "Unknown" : "True",
                         n->unready ? "NodeStatusUnknown" : "Ready", n->health_since ? n->health_since : n->ready_at);
        status = add_object(e, t, reader, node);
    }
    reader->mode.complete = false;
    return status;
}

/* Appends the state as the last member of the Snapshot. */
static karp_status add_state(engine *e, trees *t, karp_text *text)
{
    size_t end = text->len;
    const tree *state = engine_state(e, t);
    if (!state) return e->status;
    strbuf json = strbuf_on(e->context);
    write_buffer whole = buffer_on(e->context);
    tree_write(&json, state);
    while (end > 0 && text->ptr[end - 1] != '}') end--;
    buffer_bytes(&whole, text->ptr, end ? end - 1 : 0);
    buffer_text(&whole, ",\n\"replay\":");
    buffer_str(&whole, (karp_str){ json.ptr, json.len });
    buffer_text(&whole, "}\n");
    bool failed = json.failed;
    strbuf_free(&json);
    karp_text_free(text);
    karp_status status = buffer_finish(&whole, text, &e->error);
    return failed && !status ? fail_nomem(&e->error) : status;
}

karp_status engine_dump(engine *e, karp_text *out)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    trees t = trees_on(e->context);
    karp_status status = engine_reader(e, true, &reader);
    if (!status) status = add_nodes(e, &t, reader);
    for (size_t i = 0; i < e->pods.count && !status; i++) {
        if (e->pods.list[i].state != POD_GONE) status = add_object(e, &t, reader, pod_object(e, &t, &e->pods.list[i]));
    }
    if (!status) status = karp_reader_finish(reader, &snapshot, &e->error);
    if (!status && e->base->licences.len && io_licences_keep(reader, e->base->licences)) status = fail_nomem(&e->error);
    if (!status) status = karp_reader_dump(reader, out, &e->error);
    if (!status && !e->played &&
        !e->repack) { /* a plan is not part of the state: a later replay continues as from any cluster */
        status = add_state(e, &t, out);
        if (status) karp_text_free(out);
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    trees_free(&t);
    return status;
}
