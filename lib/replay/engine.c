/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/library.h>
#include <io/owner.h>
#include <replay/engine_interrupt.h>
#include <replay/engine_ordered.h>
#include <replay/engine_shapes.h>
#include <replay/engine_state.h>
#include <replay/objects.h>

enum { PROGRESS_STEPS = 100, JOINS = 80 };

void engine_nomem(engine *e)
{
    if (!e->status) e->status = fail_nomem(&e->error);
}

bool engine_push(engine *e, uint32_t **list, size_t *count, size_t *capacity, uint32_t value)
{
    if (!grow(e->context, (void **)list, capacity, *count + 1, sizeof **list)) {
        engine_nomem(e);
        return false;
    }
    (*list)[(*count)++] = value;
    return true;
}

karp_str engine_text(engine *e, karp_str text)
{
    uint32_t id = strings_add(&e->texts, text.ptr, text.len);
    if (id != NO_ID) return strings_get(&e->texts, id);
    engine_nomem(e);
    return (karp_str){ "", 0 };
}

karp_str engine_key(engine *e, karp_str kind, karp_str namespace_, karp_str name)
{
    strbuf_clear(&e->key);
    strbuf_addstr(&e->key, kind);
    strbuf_addc(&e->key, ' ');
    strbuf_addname(&e->key, namespace_, name);
    if (e->key.failed) engine_nomem(e);
    return (karp_str){ e->key.ptr, e->key.failed ? 0 : e->key.len };
}

uint64_t engine_random(const engine *e, uint64_t a, uint64_t b)
{
    uint64_t mixed = e->options->seed + UINT64_C(0x9e3779b97f4a7c15) * (a + 1);
    return hash_mix(hash_mix(mixed) + UINT64_C(0xd1b54a32d192ed03) * (b + 1));
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static bool earlier(const replay_event *a, const replay_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void engine_at(engine *e, int64_t at, uint32_t what, uint32_t index, uint32_t life)
{
    if (at > e->ends || e->played || e->resuming) return;
    if (!grow(e->context, (void **)&e->events.heap, &e->events.capacity, e->events.count + 1, sizeof *e->events.heap)) {
        engine_nomem(e);
        return;
    }
    replay_event event = {
        .at = at < e->now ? e->now : at, .order = e->events.order++, .what = what, .index = index, .life = life
    };
    size_t i = e->events.count++;
    while (i > 0 && earlier(&event, &e->events.heap[(i - 1) / 2])) {
        e->events.heap[i] = e->events.heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    e->events.heap[i] = event;
}

static replay_event take_first(engine *e)
{
    replay_event first = e->events.heap[0], last = e->events.heap[--e->events.count];
    size_t i = 0;
    for (size_t child = 1; child < e->events.count; child = 2 * i + 1) {
        if (child + 1 < e->events.count && earlier(&e->events.heap[child + 1], &e->events.heap[child])) child++;
        if (!earlier(&e->events.heap[child], &last)) break;
        e->events.heap[i] = e->events.heap[child];
        i = child;
    }
    if (e->events.count) e->events.heap[i] = last;
    return first;
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

void engine_find_pool(const engine *e, replay_node *n)
{
    uint32_t found = io_table_get(&e->nodes.pool_index, n->pool);
    n->pool_number = found == IO_NONE ? REPLAY_NONE : found;
}

/* Reads a NodePool that is new or has changed. */
static void read_pool(engine *e, const tree *object)
{
    const tree *spec = tree_get(object, "spec");
    karp_str name = tree_get_text(tree_get(object, "metadata"), "name");
    uint32_t number = io_table_get(&e->nodes.pool_index, name);
    if (number == IO_NONE) {
        number = (uint32_t)e->nodes.pool_count;
        name = engine_text(e, name);
        if (e->status || !io_table_put(&e->nodes.pool_index, name, number) ||
            !grow(e->context, (void **)&e->nodes.pools, &e->nodes.pool_capacity, e->nodes.pool_count + 1,
                  sizeof *e->nodes.pools)) {
            engine_nomem(e);
            return;
        }
        e->nodes.pools[e->nodes.pool_count++].name = name;
    }
    replay_pool *pool = &e->nodes.pools[number];
    pool->window = replay_window(object);
    pool->when_empty = str_is(tree_get_text(tree_get(spec, "disruption"), "consolidationPolicy"), "WhenEmpty");
    pool->is_static = tree_get(spec, "replicas") != NULL;
    pool->limited = tree_get(spec, "limits") != NULL;
}

static void find_pools(engine *e)
{
    for (size_t i = 0; i < e->nodes.alive_count; i++) engine_find_pool(e, &e->nodes.list[e->nodes.alive[i]]);
}

static karp_status read_pools(engine *e)
{
    e->disruption.review_all = true;
    for (size_t i = 0; i < tree_count(e->objects.documents) && !e->status; i++) {
        if (replay_is_pool(tree_item(e->objects.documents, i))) read_pool(e, tree_item(e->objects.documents, i));
    }
    find_pools(e);
    return e->status;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* The object with the kind, namespace and name. Every object is in the index with its number of appearance. */
static tree **place_of_name(engine *e, karp_str kind, karp_str namespace_, karp_str name)
{
    karp_str key = engine_key(e, kind, namespace_, name);
    uint32_t *number = key.len ? io_table_at(&e->objects.index, key) : NULL;
    if (number && *number == IO_NONE) {
        *number = (uint32_t)e->objects.count;
        if (!grow(e->context, (void **)&e->objects.latest, &e->objects.capacity, e->objects.count + 1,
                  sizeof *e->objects.latest))
            number = NULL;
        else e->objects.latest[e->objects.count++] = NULL;
    }
    if (!number) engine_nomem(e);
    return number ? &e->objects.latest[*number] : NULL;
}

static tree **place_of_object(engine *e, const tree *object)
{
    return place_of_name(e, tree_get_text(object, "kind"), io_namespace(object),
                         tree_get_text(tree_get(object, "metadata"), "name"));
}

static void index_objects(engine *e)
{
    if (e->objects.count > 0) return;
    for (size_t i = 0; i < tree_count(e->objects.documents) && !e->status; i++) {
        tree **place = place_of_object(e, tree_item(e->objects.documents, i));
        if (place) *place = tree_item(e->objects.documents, i);
    }
}

/* ---- one event --------------------------------------------------------------------------------------------------- */

static void lose_capacity(engine *e, const trace_event *event)
{
    if (!grow(e->context, (void **)&e->losses.list, &e->losses.capacity, e->losses.count + 1, sizeof *e->losses.list)) {
        engine_nomem(e);
        return;
    }
    int64_t lasts = event->lasts == KARP_DURATION_UNSET || event->lasts > e->ends - e->now ? e->ends - e->now + 1
                                                                                           : event->lasts;
    e->losses.list[e->losses.count++] = (replay_loss){ event->of.offering.instance_type,
                                                       event->of.offering.zone,
                                                       event->of.offering.capacity_type,
                                                       e->now + lasts,
                                                       false,
                                                       false };
}

static void remove_document(engine *e, const tree *object)
{
    for (size_t i = 0; object && i < tree_count(e->objects.documents); i++) {
        if (tree_item(e->objects.documents, i) != object) continue;
        tree_remove_item(&e->objects.memory, e->objects.documents, i);
        return;
    }
}

/* The objects of decisions have changed: `kind` is that of the one that did. */
static void objects_changed(engine *e, karp_str kind)
{
    if (e->objects.memory.status) engine_nomem(e);
    e->objects.stale = true;
    e->disruption.review_all = true;
    if (str_is(kind, "PodDisruptionBudget")) keep_failure(&e->status, budgets_read_again(e));
    e->disruption.changes++;
    disrupt_changed(e);
    static_open(e);
    if (e->pods.still_pending) batch_open(e);
}

void engine_replace_object(engine *e, const tree *object, tree *fresh)
{
    index_objects(e);
    tree **place = place_of_object(e, fresh);
    if (!place) return;
    remove_document(e, object);
    *place = fresh;
    tree_append(&e->objects.memory, e->objects.documents, fresh);
    if (e->objects.memory.status) engine_nomem(e);
    e->objects.stale = true;
}

/* Adds the object, or replaces the one with its kind, namespace and name. Replaced objects move to the end. */
static void apply_object(engine *e, const trace_event *event)
{
    trees *t = &e->objects.memory;
    tree *object = NULL;
    karp_status status = tree_read(t, event->document, event->of.text, &object, &e->error);
    if (status) {
        keep_failure(&e->status, status);
        return;
    }
    replay_forget_status(t, object);
    index_objects(e);
    tree **place = place_of_object(e, object);
    if (!place) return;
    drift_expect(e, *place, object);
    remove_document(e, *place);
    *place = object;
    tree_append(t, e->objects.documents, object);
    if (replay_is_pool(object)) {
        read_pool(e, object);
        find_pools(e);
    }
    objects_changed(e, tree_get_text(object, "kind"));
}

/* Deletes the object. The nodes of a NodePool are its dependents. */
static void delete_object(engine *e, const trace_event *event)
{
    karp_str kind = event->of.object.kind, name = event->of.object.name;
    index_objects(e);
    tree **place = place_of_name(e, kind, event->of.object.namespace_, name);
    if (!place) return;
    bool pool = *place && replay_is_pool(*place);
    remove_document(e, *place);
    *place = NULL;
    for (size_t i = 0; pool && i < e->nodes.alive_count; i++) {
        const replay_node *n = &e->nodes.list[e->nodes.alive[i]];
        if (equal_str(n->pool, name) && !n->deleting && !n->unmanaged && !n->given) node_delete(e, e->nodes.alive[i]);
    }
    objects_changed(e, kind);
}

void engine_take(engine *e, const trace_event *event)
{
    switch (event->kind) {
    case TRACE_POD_CREATED:
        e->pods.created++;
        pod_create(e, event);
        return;
    case TRACE_POD_DELETED:
        if (event->of.pod.surplus && e->scheduler.on) replicas_choose(e, event);
        pod_delete(e, event);
        return;
    case TRACE_NODE_INTERRUPTED:
    case TRACE_NODE_FAILED: interrupt_recorded(e, event); return;
    case TRACE_OBJECT_APPLIED: apply_object(e, event); return;
    case TRACE_CAPACITY_LOST: lose_capacity(e, event); return;
    case TRACE_OBJECT_DELETED: delete_object(e, event); return;
    case TRACE_USAGE: autoscalers_use(e, event); return;
    case TRACE_ROLLED: rollouts_take(e, event); return;
    case TRACE_JOB: jobs_take(e, event); return;
    default: return;
    }
}

/* Any of the nodes that join at this time, in a random order. */
static uint32_t next_to_join(engine *e, uint32_t node)
{
    uint32_t left = 0;
    for (size_t i = 0; i < e->nodes.alive_count; i++) {
        const replay_node *n = &e->nodes.list[e->nodes.alive[i]];
        if (n->ready || n->gone || n->ready_at != e->now) continue;
        if (engine_random(e, n->serial, JOINS) % ++left == 0) node = e->nodes.alive[i];
    }
    if (e->pods.joins_at != e->now) e->pods.joining = left;
    e->pods.joins_at = e->now;
    return node;
}

/* Nodes that are due at one time join one after another, and kube-scheduler binds pods meanwhile: those that come first
 * get more of them. */
static void join(engine *e, uint32_t node)
{
    bool others = e->events.count && e->events.heap[0].at == e->now && e->events.heap[0].what == EVENT_READY;
    bool binds = e->scheduler.on && e->pods.still_pending;
    if (e->scheduler.on && (others || e->pods.joins_at == e->now)) node = next_to_join(e, node);
    if (e->nodes.list[node].ready) return;
    if (binds && !e->pods.joined) pods_order(e);
    if (e->pods.still_pending) node_nominate_since(e, node, e->nodes.list[node].created);
    node_ready(e, node);
    if (binds && others) pods_settle_joined(e, e->nodes.list[node].serial);
}

static void from_queue(engine *e, const replay_event *event)
{
    const replay_node *n = event->index < e->nodes.count ? &e->nodes.list[event->index] : NULL;
    switch (event->what) {
    case EVENT_POD_END:
        if (event->index < e->pods.count && e->pods.list[event->index].state == POD_RUNNING &&
            e->pods.list[event->index].life == event->life && !e->nodes.list[e->pods.list[event->index].node].silent)
            pod_end(e, event->index);
        return;
    case EVENT_READY:
        if (n && !n->gone && n->ready_at == e->now) join(e, event->index);
        else if (n && !n->gone && n->initializing && n->ready_at + e->options->initialization == e->now)
            node_initialized(e, event->index);
        return;
    case EVENT_EXPIRED:
        if (n && !n->gone && !n->deleting) {
            e->meter.result.expirations++;
            node_delete(e, event->index);
        }
        return;
    case EVENT_INTERRUPTED:
        if (n && !n->gone && !n->deleting) node_interrupt(e, event->index);
        return;
    case EVENT_KILLED:
        if (n && !n->gone) node_kill(e, event->index);
        return;
    case EVENT_BATCH:
        if (e->provisioning.batch_due == e->now) provision(e);
        return;
    case EVENT_PASS:
        if (e->disruption.pass_due == e->now) disrupt_pass(e);
        return;
    case EVENT_VALIDATE: disrupt_validate(e, event->index); return;
    case EVENT_STATIC:
        if (e->provisioning.static_due == e->now) static_pools(e);
        return;
    case EVENT_TRY: e->pods.try_again = true; return;
    case EVENT_BUFFERS:
        e->objects.stale = e->disruption.review_all = true;
        e->disruption.changes++;
        disrupt_changed(e);
        return;
    case EVENT_DRAINED:
    case EVENT_PLAN: return; /* handled at the end of this time */
    default: /* EVENT_RETRY: a lost offering may be available again */
        e->objects.stale = e->objects.stale || !e->losses.list[event->index].interrupted;
        e->losses.list[event->index].known = false;
        static_open(e);
        if (e->pods.still_pending) batch_open(e);
    }
}

/* ---- all events -------------------------------------------------------------------------------------------------- */

/* Decisions come after all other events of the same time, so that they see them. */
static bool decides(const replay_event *event)
{
    return event->what >= EVENT_BATCH && event->what != EVENT_DRAINED && event->what != EVENT_TRY &&
           event->what != EVENT_BUFFERS;
}

static void instant(engine *e)
{
    while (!e->status && e->next_event_of_trace < e->trace->count &&
           e->trace->events[e->next_event_of_trace].at <= e->now)
        engine_take(e, &e->trace->events[e->next_event_of_trace++]);
    (void)health_go_on(e);
    if (e->autoscalers.due <= e->now) autoscalers_look(e);
    drift_note(e);
    while (!e->status && e->events.count && e->events.heap[0].at == e->now) {
        if (decides(&e->events.heap[0])) {
            uint64_t order = e->events.order;
            pods_settle(e);
            nodes_drain(e);
            if (e->events.order != order && e->events.heap[0].at == e->now && !decides(&e->events.heap[0])) continue;
        }
        replay_event event = take_first(e);
        from_queue(e, &event);
    }
    if (e->status) return;
    pods_settle(e);
    uint64_t evicted = 0;
    do { /* a pod that runs elsewhere lets its budget allow the next one */
        evicted = e->meter.result.evictions;
        nodes_drain(e);
        pods_settle(e);
    } while (!e->status && e->meter.result.evictions > evicted);
    while (rollouts_go_on(e) || ordered_go_on(e) || jobs_go_on(e)) pods_settle(e);
    repack_go_on(e);
    buffers_open(e);
    disrupt_plan(e);
}

static int64_t next_instant(const engine *e)
{
    int64_t next = e->events.count ? e->events.heap[0].at : INT64_MAX;
    if (e->next_event_of_trace < e->trace->count) {
        int64_t at = e->trace->events[e->next_event_of_trace].at;
        if (at < next) next = at;
    }
    if (e->autoscalers.due < next) next = e->autoscalers.due;
    if (e->rollouts.due < next) next = e->rollouts.due;
    if (e->jobs.due < next) next = e->jobs.due;
    if (e->health.due < next) next = e->health.due;
    return next;
}

static void report_progress(const engine *e, int64_t *told)
{
    if (!e->options->progress || e->now < *told) return;
    karp_replay_progress progress = { .size = sizeof progress,
                                      .policy = e->meter.result.policy,
                                      .now = e->now,
                                      .begins = e->trace->begins,
                                      .ends = e->ends,
                                      .nodes = e->meter.nodes_running,
                                      .pods = e->meter.running + e->pods.still_pending };
    e->options->progress(&progress, e->options->progress_user);
    *told = e->now + (e->ends - e->trace->begins) / PROGRESS_STEPS;
}

/* Decisions poll for cancellation, too, but one with a partial result continues without an error. */
static bool stopped(engine *e)
{
    const karp_options *d = &e->decision;
    if (!d->should_stop || !d->should_stop(d->stop_user)) return false;
    keep_failure(&e->status, fail(&e->error, KARP_E_CANCELED, "stopped on request"));
    return true;
}

bool engine_step(engine *e)
{
    int64_t next = next_instant(e);
    if (e->status || next > e->ends || stopped(e)) return false;
    if (!karp_context_work(e->context, 64)) engine_nomem(e);
    meter_to(e, next > e->now ? next : e->now);
    e->now = next > e->now ? next : e->now;
    instant(e);
    return !e->status;
}

karp_status engine_run_until(engine *e, int64_t at)
{
    while (!e->status && next_instant(e) <= at && engine_step(e)) {
    }
    if (!e->status && e->now < at) e->now = at;
    return e->status;
}

karp_status engine_run(engine *e)
{
    int64_t told = e->trace->begins;
    while (engine_step(e)) report_progress(e, &told);
    if (!e->status) meter_end(e);
    repack_finish(e);
    return e->status;
}

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

karp_status engine_begin(engine *e)
{
    e->objects.documents = tree_copy(&e->objects.memory, e->base->objects);
    if (!e->objects.documents) return fail_nomem(&e->error);
    backoffs_begin(e);
    karp_status status = read_pools(e);
    if (!status) status = engine_shapes(e);
    if (!status) status = budgets_read(e);
    if (!status) status = autoscalers_begin(e);
    if (!status) status = rollouts_begin(e);
    if (!status) status = jobs_begin(e);
    const tree *state = e->base->state;
    if (state) e->now = e->base->starts;
    e->resuming = state != NULL;
    if (!status) status = engine_adopt(e);
    if (!status && state) status = engine_resume(e, state);
    e->resuming = false;
    if (!status) status = binding_mirror(e, state);
    if (!status && !state) static_open(e);
    if (!status && !state) e->buffers.decided = e->disruption.changes - 1; /* they are looked at from the start */
    if (!status) buffers_open(e);
    return status ? status : repack_begin(e);
}

void engine_init(engine *e, const replay_base *base)
{
    karp_context *context = base->context;
    memset(e, 0, sizeof *e);
    e->context = context;
    e->base = base;
    e->trace = &base->trace;
    e->options = base->options;
    e->now = e->meter.metered = e->meter.next_point = base->trace.begins;
    trees_init(&e->objects.memory, context);
    trees_init(&e->objects.shapes_memory, context);
    karp_error_init(&e->error, sizeof e->error);
    arena_init(&e->memory, context);
    strings_init(&e->texts, context);
    strbuf_init(&e->key, context);
    strings_init(&e->resource_names, context);
    io_table_init(&e->pods.groups, context);
    io_table_init(&e->pods.index, context);
    io_table_init(&e->buffers.index, context);
    io_table_init(&e->nodes.index, context);
    io_table_init(&e->nodes.kind_index, context);
    io_table_init(&e->nodes.pool_index, context);
    io_table_init(&e->objects.index, context);
    e->pods.freed_forgotten = e->pods.freed_settled = 1;
    e->pods.left_at = e->pods.joins_at = e->pods.try_due = KARP_NO_TIME;
    e->objects.stale = true;
    e->meter.result.drift.begins = e->meter.result.drift.ends = KARP_NO_TIME;
    e->buffers.deadline = KARP_NO_TIME;
    e->provisioning.batch_first = e->provisioning.batch_due = e->provisioning.static_due = e->disruption.pass_due =
        e->disruption.look_again = e->repack_due = KARP_NO_TIME;
    health_begin(e);
    disrupt_begin(e);
}

void engine_free(engine *e)
{
    karp_context *c = e->context;
    for (size_t i = 0; i < e->pods.shape_count; i++) {
        karp_free(c, e->pods.shapes[i].admits, e->pods.shapes[i].admit_capacity);
        karp_free(c, e->pods.shapes[i].takers, e->pods.shapes[i].taker_capacity * sizeof *e->pods.shapes[i].takers);
    }
    binding_free(e);
    for (size_t i = 0; i < e->nodes.count; i++) arena_free(&e->nodes.list[i].memory);
    disrupt_free(e);
    drift_free(e);
    buffers_free(e);
    autoscalers_free(e);
    jobs_free(e);
    health_free(e);
    repack_free(e);
    karp_snapshot_unref(e->objects.snapshot);
    karp_free(c, e->pods.shapes, e->pods.shape_count * sizeof *e->pods.shapes);
    karp_free(c, e->pods.list, e->pods.capacity * sizeof *e->pods.list);
    karp_free(c, e->pods.pending, e->pods.pending_capacity * sizeof *e->pods.pending);
    karp_free(c, e->nodes.list, e->nodes.capacity * sizeof *e->nodes.list);
    karp_free(c, e->nodes.alive, e->nodes.alive_capacity * sizeof *e->nodes.alive);
    karp_free(c, e->pods.candidates, e->pods.candidate_capacity * sizeof *e->pods.candidates);
    karp_free(c, e->nodes.kinds, e->nodes.kind_capacity * sizeof *e->nodes.kinds);
    karp_free(c, e->objects.latest, e->objects.capacity * sizeof *e->objects.latest);
    karp_free(c, e->nodes.pools, e->nodes.pool_capacity * sizeof *e->nodes.pools);
    karp_free(c, e->budgets.list, e->budgets.capacity * sizeof *e->budgets.list);
    karp_free(c, e->disruption.young, e->disruption.young_capacity * sizeof *e->disruption.young);
    karp_free(c, e->nodes.drains, e->nodes.drain_capacity * sizeof *e->nodes.drains);
    karp_free(c, e->disruption.changing, e->disruption.changing_capacity * sizeof *e->disruption.changing);
    karp_free(c, e->pods.freed_nodes, e->pods.freed_capacity * sizeof *e->pods.freed_nodes);
    karp_free(c, e->pods.ordered_groups, e->pods.ordered_capacity * sizeof *e->pods.ordered_groups);
    karp_free(c, e->events.heap, e->events.capacity * sizeof *e->events.heap);
    karp_free(c, e->objects.dirty_pods, e->objects.dirty_pod_capacity * sizeof *e->objects.dirty_pods);
    karp_free(c, e->objects.dirty_nodes, e->objects.dirty_node_capacity * sizeof *e->objects.dirty_nodes);
    karp_free(c, e->reservations.list, e->reservations.capacity * sizeof *e->reservations.list);
    karp_free(c, e->losses.list, e->losses.capacity * sizeof *e->losses.list);
    karp_free(c, e->backoffs.list, e->backoffs.capacity * sizeof *e->backoffs.list);
    karp_free(c, e->backoffs.pools, e->backoffs.pool_capacity * sizeof *e->backoffs.pools);
    karp_free(c, e->disruption.commands, e->disruption.command_capacity * sizeof *e->disruption.commands);
    karp_free(c, e->meter.waits, e->meter.wait_capacity * sizeof *e->meter.waits);
    karp_free(c, e->meter.result.repack.attempts,
              e->meter.result.repack.attempt_capacity * sizeof *e->meter.result.repack.attempts);
    karp_free(c, e->meter.result.points, e->meter.result.point_capacity * sizeof *e->meter.result.points);
    io_table_free(&e->pods.groups);
    io_table_free(&e->pods.index);
    io_table_free(&e->nodes.index);
    io_table_free(&e->nodes.kind_index);
    io_table_free(&e->nodes.pool_index);
    io_table_free(&e->objects.index);
    strings_free(&e->texts);
    strbuf_free(&e->key);
    strings_free(&e->resource_names);
    trees_free(&e->objects.memory);
    trees_free(&e->objects.shapes_memory);
    arena_free(&e->memory);
}
