/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/library.h>
#include <io/owner.h>
#include <replay/engine.h>
#include <replay/objects.h>

#include <base/error.h>

enum { PROGRESS_STEPS = 100 };

void engine_fail(engine *e, karp_status status) { keep_failure(&e->status, status); }

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
    if (!grow(e->context, (void **)&e->heap, &e->heap_capacity, e->heap_count + 1, sizeof *e->heap)) {
        engine_nomem(e);
        return;
    }
    replay_event event = {
        .at = at < e->now ? e->now : at, .order = e->order++, .what = what, .index = index, .life = life
    };
    size_t i = e->heap_count++;
    while (i > 0 && earlier(&event, &e->heap[(i - 1) / 2])) {
        e->heap[i] = e->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    e->heap[i] = event;
}

static replay_event take_first(engine *e)
{
    replay_event first = e->heap[0], last = e->heap[--e->heap_count];
    size_t i = 0;
    for (size_t child = 1; child < e->heap_count; child = 2 * i + 1) {
        if (child + 1 < e->heap_count && earlier(&e->heap[child + 1], &e->heap[child])) child++;
        if (!earlier(&e->heap[child], &last)) break;
        e->heap[i] = e->heap[child];
        i = child;
    }
    if (e->heap_count) e->heap[i] = last;
    return first;
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

void engine_find_pool(const engine *e, replay_node *n)
{
    n->pool_number = REPLAY_NONE;
    for (size_t i = 0; i < e->pool_count; i++) {
        if (equal_str(e->pools[i].name, n->pool)) n->pool_number = (uint32_t)i;
    }
}

static karp_status read_pools(engine *e)
{
    e->pool_count = 0;
    e->review_all = true;
    for (size_t i = 0; i < tree_count(e->objects); i++) {
        const tree *object = tree_item(e->objects, i);
        karp_str kind = tree_get_text(object, "kind");
        if (!str_is(kind, "NodePool") && !str_is(kind, "Provisioner")) continue;
        if (!grow(e->context, (void **)&e->pools, &e->pool_capacity, e->pool_count + 1, sizeof *e->pools))
            return fail_nomem(&e->error);
        const tree *disruption = tree_get(tree_get(object, "spec"), "disruption");
        e->pools[e->pool_count++] = (replay_pool){
            engine_text(e, tree_get_text(tree_get(object, "metadata"), "name")), replay_window(object),
            str_is(tree_get_text(disruption, "consolidationPolicy"), "WhenEmpty"),
            tree_get(tree_get(object, "spec"), "replicas") != NULL
        };
    }
    for (size_t i = 0; i < e->alive_count; i++) engine_find_pool(e, &e->nodes[e->alive[i]]);
    return e->status;
}

/* ---- one event --------------------------------------------------------------------------------------------------- */

static void interrupt_recorded(engine *e, const trace_event *event)
{
    for (size_t i = 0; i < e->alive_count; i++) {
        const replay_node *n = &e->nodes[e->alive[i]];
        if (n->deleting || !str_is(n->capacity_type, "spot")) continue;
        if (event->of.offering.instance_type.len && !equal_str(event->of.offering.instance_type, n->instance_type))
            continue;
        if (event->of.offering.zone.len && !equal_str(event->of.offering.zone, n->zone)) continue;
        node_interrupt(e, e->alive[i]);
        return;
    }
}

static void lose_capacity(engine *e, const trace_event *event)
{
    if (!grow(e->context, (void **)&e->losses, &e->loss_capacity, e->loss_count + 1, sizeof *e->losses)) {
        engine_nomem(e);
        return;
    }
    int64_t lasts = event->lasts == KARP_DURATION_UNSET || event->lasts > e->ends - e->now ? e->ends - e->now + 1
                                                                                           : event->lasts;
    e->losses[e->loss_count++] = (replay_loss){ event->of.offering.instance_type,
                                                event->of.offering.zone,
                                                event->of.offering.capacity_type,
                                                e->now + lasts,
                                                false,
                                                false };
}

/* Adds the object, or replaces the one with its kind, namespace and name. */
static void apply_object(engine *e, const trace_event *event)
{
    trees *t = &e->objects_memory;
    tree *object = NULL;
    karp_status status = tree_read(t, event->document, event->of.text, &object, &e->error);
    if (status) {
        engine_fail(e, status);
        return;
    }
    const tree *metadata = tree_get(object, "metadata");
    for (size_t i = 0; i < tree_count(e->objects); i++) {
        const tree *old = tree_item(e->objects, i), *old_metadata = tree_get(old, "metadata");
        if (!equal_str(tree_get_text(old, "kind"), tree_get_text(object, "kind")) ||
            !equal_str(tree_get_text(old_metadata, "name"), tree_get_text(metadata, "name")) ||
            !equal_str(io_namespace(old), io_namespace(object)))
            continue;
        tree_remove_item(t, e->objects, i);
        break;
    }
    tree_append(t, e->objects, object);
    if (t->status) engine_nomem(e);
    e->stale = e->pools_changed = true;
    engine_fail(e, read_pools(e));
    if (str_is(tree_get_text(object, "kind"), "PodDisruptionBudget")) engine_fail(e, budgets_read_again(e));
    e->changes++;
    static_open(e);
    if (e->still_pending) batch_open(e);
}

static void from_trace(engine *e, const trace_event *event)
{
    switch (event->kind) {
    case TRACE_POD_CREATED:
        e->created_pods++;
        pod_create(e, event);
        return;
    case TRACE_POD_DELETED: pod_delete(e, event); return;
    case TRACE_NODE_INTERRUPTED: interrupt_recorded(e, event); return;
    case TRACE_OBJECT_APPLIED: apply_object(e, event); return;
    case TRACE_CAPACITY_LOST: lose_capacity(e, event); return;
    default: return;
    }
}

static void from_queue(engine *e, const replay_event *event)
{
    const replay_node *n = event->index < e->node_count ? &e->nodes[event->index] : NULL;
    switch (event->what) {
    case EVENT_POD_END:
        if (event->index < e->pod_count && e->pods[event->index].state == POD_RUNNING &&
            e->pods[event->index].life == event->life)
            pod_end(e, event->index);
        return;
    case EVENT_READY:
        if (n && !n->gone && !n->ready) node_ready(e, event->index);
        return;
    case EVENT_EXPIRED:
        if (n && !n->gone && !n->deleting) {
            e->result.expirations++;
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
        if (e->batch_due == e->now) provision(e);
        return;
    case EVENT_PASS:
        if (e->pass_due == e->now) disrupt_pass(e);
        return;
    case EVENT_VALIDATE: disrupt_validate(e, event->index); return;
    case EVENT_STATIC:
        if (e->static_due == e->now) static_pools(e);
        return;
    case EVENT_PLAN: return; /* handled at the end of this time */
    default: /* EVENT_RETRY: a lost offering may be available again */
        e->stale = e->stale || !e->losses[event->index].interrupted;
        e->losses[event->index].known = false;
        static_open(e);
        if (e->still_pending) batch_open(e);
    }
}

/* ---- all events -------------------------------------------------------------------------------------------------- */

/* Decisions come after all other events of the same time, so that they see them. */
static bool decides(const replay_event *event) { return event->what >= EVENT_BATCH; }

static void instant(engine *e)
{
    while (!e->status && e->next_event_of_trace < e->trace->count &&
           e->trace->events[e->next_event_of_trace].at <= e->now)
        from_trace(e, &e->trace->events[e->next_event_of_trace++]);
    while (!e->status && e->heap_count && e->heap[0].at == e->now) {
        if (decides(&e->heap[0])) {
            uint64_t order = e->order;
            pods_settle(e);
            nodes_drain(e);
            if (e->order != order && e->heap[0].at == e->now && !decides(&e->heap[0])) continue;
        }
        replay_event event = take_first(e);
        from_queue(e, &event);
    }
    if (e->status) return;
    pods_settle(e);
    nodes_drain(e);
    pods_settle(e);
    repack_go_on(e);
    disrupt_plan(e);
}

static int64_t next_instant(const engine *e)
{
    int64_t next = e->heap_count ? e->heap[0].at : INT64_MAX;
    if (e->next_event_of_trace < e->trace->count) {
        int64_t at = e->trace->events[e->next_event_of_trace].at;
        if (at < next) next = at;
    }
    return next;
}

static void report_progress(const engine *e, int64_t *told)
{
    if (!e->options->progress || e->now < *told) return;
    karp_replay_progress progress = { .size = sizeof progress,
                                      .policy = e->result.policy,
                                      .now = e->now,
                                      .begins = e->trace->begins,
                                      .ends = e->ends,
                                      .nodes = e->nodes_running,
                                      .pods = e->running + e->still_pending };
    e->options->progress(&progress, e->options->progress_user);
    *told = e->now + (e->ends - e->trace->begins) / PROGRESS_STEPS;
}

/* Decisions poll for cancellation, too, but one with a partial result continues without an error. */
static bool stopped(engine *e)
{
    const karp_options *d = &e->decision;
    if (!d->should_stop || !d->should_stop(d->stop_user)) return false;
    engine_fail(e, fail(&e->error, KARP_E_CANCELED, "stopped on request"));
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
    e->objects = tree_copy(&e->objects_memory, e->base->objects);
    if (!e->objects) return fail_nomem(&e->error);
    karp_status status = read_pools(e);
    if (!status) status = engine_shapes(e);
    if (!status) status = budgets_read(e);
    const tree *state = e->base->state;
    if (state) e->now = e->base->starts;
    e->resuming = state != NULL;
    if (!status) status = engine_adopt(e);
    if (!status && state) status = engine_resume(e, state);
    e->resuming = false;
    if (!status && !state) static_open(e);
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
    e->now = e->metered = e->next_point = base->trace.begins;
    trees_init(&e->objects_memory, context);
    trees_init(&e->shapes_memory, context);
    karp_error_init(&e->error, sizeof e->error);
    arena_init(&e->memory, context);
    strings_init(&e->texts, context);
    strbuf_init(&e->key, context);
    strings_init(&e->resource_names, context);
    io_table_init(&e->pod_index, context);
    io_table_init(&e->node_index, context);
    io_table_init(&e->kind_index, context);
    e->freed_forgotten = e->freed_settled = 1;
    e->stale = true;
    e->batch_first = e->batch_due = e->static_due = e->pass_due = e->last_pass = e->look_again = e->repack_due =
        KARP_NO_TIME;
}

void engine_free(engine *e)
{
    karp_context *c = e->context;
    for (size_t i = 0; i < e->shape_count; i++) {
        karp_free(c, e->shapes[i].admits, e->shapes[i].admit_capacity);
        karp_free(c, e->shapes[i].takers, e->shapes[i].taker_capacity * sizeof *e->shapes[i].takers);
    }
    for (size_t i = 0; i < e->node_count; i++) arena_free(&e->nodes[i].memory);
    disrupt_free(e);
    repack_free(e);
    karp_snapshot_unref(e->snapshot);
    karp_free(c, e->shapes, e->shape_count * sizeof *e->shapes);
    karp_free(c, e->pods, e->pod_capacity * sizeof *e->pods);
    karp_free(c, e->pending, e->pending_capacity * sizeof *e->pending);
    karp_free(c, e->nodes, e->node_capacity * sizeof *e->nodes);
    karp_free(c, e->alive, e->alive_capacity * sizeof *e->alive);
    karp_free(c, e->candidates, e->candidate_capacity * sizeof *e->candidates);
    karp_free(c, e->kinds, e->kind_capacity * sizeof *e->kinds);
    karp_free(c, e->pools, e->pool_capacity * sizeof *e->pools);
    karp_free(c, e->budgets, e->budget_capacity * sizeof *e->budgets);
    karp_free(c, e->young, e->young_capacity * sizeof *e->young);
    karp_free(c, e->drains, e->drain_capacity * sizeof *e->drains);
    karp_free(c, e->changing, e->changing_capacity * sizeof *e->changing);
    karp_free(c, e->freed_nodes, e->freed_capacity * sizeof *e->freed_nodes);
    karp_free(c, e->heap, e->heap_capacity * sizeof *e->heap);
    karp_free(c, e->dirty_pods, e->dirty_pod_capacity * sizeof *e->dirty_pods);
    karp_free(c, e->dirty_nodes, e->dirty_node_capacity * sizeof *e->dirty_nodes);
    karp_free(c, e->losses, e->loss_capacity * sizeof *e->losses);
    karp_free(c, e->commands, e->command_capacity * sizeof *e->commands);
    karp_free(c, e->waits, e->wait_capacity * sizeof *e->waits);
    karp_free(c, e->result.repack.attempts, e->result.repack.attempt_capacity * sizeof *e->result.repack.attempts);
    karp_free(c, e->result.points, e->result.point_capacity * sizeof *e->result.points);
    io_table_free(&e->pod_index);
    io_table_free(&e->node_index);
    io_table_free(&e->kind_index);
    strings_free(&e->texts);
    strbuf_free(&e->key);
    strings_free(&e->resource_names);
    trees_free(&e->objects_memory);
    trees_free(&e->shapes_memory);
    arena_free(&e->memory);
}
