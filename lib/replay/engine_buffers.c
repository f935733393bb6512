/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine_shapes.h>

#include <io/fill.h>
#include <io/owner.h>
#include <io/previews.h>

#include <karp/columns.h>
#include <karp/inspect.h>
#include <karp/library.h>

#define INTERVAL (30 * SECOND) /* of the controller that asks for a decision on each buffer */
#define BATCH_IDLE (1 * SECOND)

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Buffers are the only objects of a replay whose pods have no phase. */
static karp_status add_pods(engine *e, const karp_snapshot *snapshot, const karp_column *phases)
{
    struct replay_buffers *b = &e->buffers;
    for (size_t row = 0; row < phases->row_count; row++) {
        if (((const uint32_t *)phases->values)[row] != KARP_PHASE_UNSET) continue;
        if (!grow(e->context, (void **)&b->requests, &b->capacity, b->count + 1, sizeof *b->requests) ||
            !io_table_put(&b->index, karp_snapshot_pod_name(snapshot, row), (uint32_t)b->count))
            return fail_nomem(&e->error);
        memset(b->requests[b->count], 0, sizeof *b->requests);
        b->requests[b->count++][RESOURCE_PODS] = 1000;
    }
    return KARP_OK;
}

static void add_amounts(engine *e, const karp_snapshot *snapshot, const karp_column *column, uint32_t resource)
{
    for (size_t row = 0; row < column->row_count; row++) {
        uint32_t pod = io_table_get(&e->buffers.index, karp_snapshot_pod_name(snapshot, row));
        if (pod != IO_NONE)
            e->buffers.requests[pod][resource] = engine_whole(((const double *)column->values)[row], resource);
    }
}

static karp_status add_all_amounts(engine *e, const karp_snapshot *snapshot, const karp_table *table)
{
    for (size_t i = 0; i < karp_table_column_count(table); i++) {
        karp_column column = { .size = sizeof column };
        karp_status status = karp_table_column(table, i, &column);
        if (status) return status;
        if (!str_starts(column.name, "requests.") || str_is(column.name, "requests.pods")) continue;
        uint32_t resource = engine_resource(e, (karp_str){ column.name.ptr + 9, column.name.len - 9 });
        if (resource < RESOURCES_MOST) add_amounts(e, snapshot, &column, resource);
    }
    return e->status;
}

karp_status buffers_read(engine *e, const karp_snapshot *snapshot)
{
    karp_table *table = NULL;
    karp_column phases = { .size = sizeof phases };
    io_table_free(&e->buffers.index);
    e->buffers.count = 0;
    karp_status status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_PODS, &table, &e->error);
    if (!status) status = karp_table_find(table, str("phase"), &phases);
    if (!status) status = add_pods(e, snapshot, &phases);
    if (!status) status = add_all_amounts(e, snapshot, table);
    karp_table_free(table);
    return status;
}

const int64_t *buffer_requests(const engine *e, karp_str pod)
{
    uint32_t number = e->buffers.count == 0 ? IO_NONE : io_table_get(&e->buffers.index, pod);
    return number == IO_NONE ? NULL : e->buffers.requests[number];
}

void buffers_free(engine *e)
{
    io_table_free(&e->buffers.index);
    karp_free(e->context, e->buffers.requests, e->buffers.capacity * sizeof *e->buffers.requests);
}

/* ---- one-shot buffers: kubernetes-sigs/karpenter#3257 ------------------------------------------------------------ */

static const tree *find_document(const engine *e, const char *kind, karp_str namespace_, karp_str name)
{
    for (size_t i = 0; i < tree_count(e->objects.documents); i++) {
        const tree *o = tree_item(e->objects.documents, i);
        if (str_is(tree_get_text(o, "kind"), kind) && equal_str(io_namespace(o), namespace_) &&
            equal_str(tree_get_text(tree_get(o, "metadata"), "name"), name))
            return o;
    }
    return NULL;
}

/* The labels of the buffer's pods, which are those of the pods that consume it. NULL = none, so that nothing does. */
static const tree *labels_of(const engine *e, const tree *buffer)
{
    const tree *spec = tree_get(buffer, "spec"), *ref = tree_get(spec, "podTemplateRef");
    bool scalable = !ref;
    char kind[64] = "PodTemplate";
    if (scalable) ref = tree_get(spec, "scalableRef");
    if (scalable) str_shorten(kind, sizeof kind, tree_get_text(ref, "kind"));
    const tree *owner = find_document(e, kind, io_namespace(buffer), tree_get_text(ref, "name"));
    const tree *template_ = tree_get(scalable ? tree_get(owner, "spec") : owner, "template");
    const tree *labels = tree_get(tree_get(template_, "metadata"), "labels");
    return tree_is(labels, TREE_MAP) && tree_count(labels) > 0 ? labels : NULL;
}

static bool has_labels(const karp_pod *pod, const tree *labels)
{
    for (size_t i = 0; i < tree_count(labels); i++) {
        const tree_member *m = tree_member_at(labels, i);
        size_t k = 0;
        while (k < pod->meta.label_count && !(equal_str(pod->meta.labels[k].key, tree_member_name(m)) &&
                                              equal_str(pod->meta.labels[k].value, tree_text(m->value))))
            k++;
        if (k == pod->meta.label_count) return false;
    }
    return true;
}

static int64_t count_bound(const engine *e, karp_str namespace_, const tree *labels)
{
    int64_t count = 0;
    for (size_t i = 0; labels && i < e->pods.count; i++) {
        const replay_pod *p = &e->pods.list[i];
        bool taken = p->state == POD_RUNNING || (e->played && p->state == POD_PENDING); /* those are bound at once */
        count += taken && equal_str(p->namespace_, namespace_) && has_labels(&e->pods.shapes[p->shape].pod, labels);
    }
    return count;
}

/* When the buffer gives up; KARP_NO_TIME = never, or it is not known. */
static int64_t deadline_of(const tree *buffer)
{
    const tree *conditions = tree_get(tree_get(buffer, "status"), "conditions");
    int64_t since = io_creation(buffer), seconds = 0;
    for (size_t i = 0; tree_is(conditions, TREE_LIST) && i < tree_count(conditions); i++) {
        const tree *c = tree_item(conditions, i);
        if (str_is(tree_get_text(c, "type"), "ReadyForProvisioning"))
            (void)karp_time_parse(tree_get_text(c, "lastTransitionTime"), &since);
    }
    bool stated = tree_integer(tree_get(tree_get(buffer, "spec"), "fillDeadlineSeconds"), &seconds);
    if (!stated || since == KARP_NO_TIME || seconds < 0 || since > INT64_MAX / 2 || seconds > INT64_MAX / 2 / SECOND)
        return KARP_NO_TIME;
    return since + seconds * SECOND;
}

static void consume(engine *e, const tree *buffer)
{
    trees *t = &e->objects.memory;
    int64_t before = 0, bound = count_bound(e, io_namespace(buffer), labels_of(e, buffer));
    (void)tree_integer(tree_get(tree_get(buffer, "status"), "consumedReplicas"), &before);
    int64_t deadline = deadline_of(buffer);
    if (deadline != KARP_NO_TIME && e->buffers.looked < deadline && deadline <= e->now) e->objects.stale = true;
    if (bound <= before) return; /* what was consumed is not given back */
    tree *own = tree_deep_copy(t, buffer, false), *status = tree_get_or_make(t, own, "status");
    tree_set(t, status, "consumedReplicas", tree_new_integer(t, bound));
    engine_replace_object(e, buffer, own);
}

static bool is_one_shot(const tree *o)
{
    return str_is(tree_get_text(o, "kind"), "CapacityBuffer") &&
           str_is(tree_get_text(tree_get(o, "spec"), "refillStrategy"), "none");
}

/* Notes when the next buffer gives up. */
static void watch_deadlines(engine *e)
{
    int64_t next = KARP_NO_TIME;
    if (!io_preview(e->decision.flip_rules, "one-shot-buffers")) return;
    for (size_t i = 0; i < tree_count(e->objects.documents); i++) {
        const tree *o = tree_item(e->objects.documents, i);
        int64_t at = is_one_shot(o) ? deadline_of(o) : KARP_NO_TIME;
        if (at != KARP_NO_TIME && at > e->now && (next == KARP_NO_TIME || at < next)) next = at;
    }
    if (next == e->buffers.deadline) return;
    e->buffers.deadline = next;
    if (next != KARP_NO_TIME && !e->played) engine_at(e, next, EVENT_BUFFERS, 0, 0);
}

void buffers_consume(engine *e)
{
    if (!io_preview(e->decision.flip_rules, "one-shot-buffers")) return;
    for (size_t i = tree_count(e->objects.documents); i-- > 0 && !e->status;) { /* those that change move to the end */
        if (is_one_shot(tree_item(e->objects.documents, i))) consume(e, tree_item(e->objects.documents, i));
    }
    e->buffers.looked = e->now;
    watch_deadlines(e);
}

/* ---- when they are looked at ------------------------------------------------------------------------------------- */

bool buffers_wait(const engine *e) { return e->buffers.count > 0 && e->disruption.changes != e->buffers.decided; }

void buffers_decided(engine *e) { e->buffers.decided = e->disruption.changes; }

void buffers_open(engine *e)
{
    watch_deadlines(e);
    if (e->played || !buffers_wait(e) || e->provisioning.batch_due != KARP_NO_TIME) return;
    int64_t since = e->now - e->trace->begins, turn = since - since % INTERVAL + BATCH_IDLE;
    if (turn <= since) turn += INTERVAL;
    e->provisioning.batch_due = e->trace->begins + turn;
    engine_at(e, e->provisioning.batch_due, EVENT_BATCH, 0, 0);
}
