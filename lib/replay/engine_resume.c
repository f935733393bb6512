/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores an engine from a saved state: reads the format of engine_save.c. The cluster itself has been adopted before.
 */
#include <karp/library.h>
#include <replay/engine.h>
#include <replay/engine_state.h>
#include <replay/state_rows.h>

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int64_t needed(engine *e, const tree *object, const char *name)
{
    return state_number(e, tree_get(object, name), name);
}
static bool flag(const tree *object, const char *name) { return tree_is(tree_get(object, name), TREE_TRUE); }

/* A row number below `count`; −1 is REPLAY_NONE. */
static uint32_t row(engine *e, const tree *value, size_t count, const char *what)
{
    int64_t out = state_number(e, value, what);
    if (out == -1) return REPLAY_NONE;
    if (out >= 0 && (uint64_t)out < count) return (uint32_t)out;
    state_refuse(e, what);
    return REPLAY_NONE;
}

/* ---- pods and nodes ---------------------------------------------------------------------------------------------- */

static void resume_pods(engine *e, const tree *list)
{
    if (tree_count(list) != e->base->resumed_pods) state_refuse(e, "pods");
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) {
        const tree *pod = tree_item(list, i);
        pod_create(e, &e->trace->events[i]);
        if (e->status) return;
        replay_pod *p = &e->pods.list[i];
        state_read(e, pod, &state_pod, NULL, p);
        p->life = tree_get(pod, "evicted") ? (uint32_t)state_count(e, tree_get(pod, "evicted"), UINT32_MAX, "evicted")
                                           : 0;
        if (tree_get(pod, "set")) p->set = (uint32_t)state_count(e, tree_get(pod, "set"), UINT32_MAX, "set");
        if (tree_get(pod, "errors")) p->errors = (uint8_t)state_count(e, tree_get(pod, "errors"), UINT8_MAX, "errors");
        if ((p->state == POD_RUNNING) != (tree_get(pod, "started") != NULL)) state_refuse(e, "pods");
        else if (p->state == POD_RUNNING) p->started = needed(e, pod, "started");
    }
    e->next_event_of_trace = e->base->resumed_pods;
}

static void resume_pending(engine *e, const tree *list)
{
    if (tree_count(list) != e->pods.still_pending) state_refuse(e, "waiting");
    e->pods.pending_count = 0;
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) {
        uint32_t pod = row(e, tree_item(list, i), e->pods.count, "waiting");
        if (pod == REPLAY_NONE || e->pods.list[pod].state != POD_PENDING) state_refuse(e, "waiting");
        else (void)engine_push(e, &e->pods.pending, &e->pods.pending_count, &e->pods.pending_capacity, pod);
    }
    e->pods.new_pending = e->nodes.fresh = e->provisioning.bind_complex = false;
    e->pods.settled = e->pods.pending_count;
    nodes_tried(e);
}

static void resume_room(engine *e, replay_node *n, const tree *state)
{
    int64_t reserved[RESOURCES_MOST];
    amounts_from_state(e, tree_get(state, "reserved"), reserved);
    for (size_t i = 0; i < e->resource_names.count; i++) n->free[i] = n->allocatable[i] - reserved[i];
    for (uint32_t p = n->first_pod; p != REPLAY_NONE; p = e->pods.list[p].next) {
        for (size_t i = 0; i < e->resource_names.count; i++)
            n->free[i] -= e->pods.shapes[e->pods.list[p].shape].requests[i];
    }
}

static void resume_node(engine *e, replay_node *n, const tree *state)
{
    if (!equal_str(tree_get_text(state, "name"), n->name) || flag(state, "ready") != n->ready) {
        state_refuse(e, "nodes");
        return;
    }
    state_read(e, state, &state_node, NULL, n);
    if (tree_get(state, "deletedAt")) n->deleted_at = needed(e, state, "deletedAt");
    n->idle = state_real(e, tree_get(state, "idleDollars"), "idleDollars");
    n->idle_until = needed(e, state, "idleUntil");
    if (n->deleting) node_drains(e, (uint32_t)(n - e->nodes.list));
    resume_room(e, n, state);
}

static void resume_nodes(engine *e, const tree *list)
{
    if (tree_count(list) != e->nodes.count) state_refuse(e, "nodes");
    for (size_t i = 0; i < e->nodes.count && !e->status; i++) resume_node(e, &e->nodes.list[i], tree_item(list, i));
    e->meter.cost_rate = 0;
    for (size_t i = 0; i < e->nodes.count; i++) e->meter.cost_rate += e->nodes.list[i].price;
}

/* ---- work in progress -------------------------------------------------------------------------------------------- */

static uint32_t *rows(engine *e, const tree *list, size_t room, size_t *count, const char *what)
{
    uint32_t *out = karp_alloc(e->context, (room + 1) * sizeof *out);
    if (!out) engine_nomem(e);
    *count = 0;
    for (size_t i = 0; out && i < tree_count(list) && i < room && !e->status; i++)
        out[(*count)++] = row(e, tree_item(list, i), e->nodes.count, what);
    if (tree_count(list) > room) state_refuse(e, what);
    return out;
}

static void resume_launches(engine *e, replay_command *c, const tree *list)
{
    if (tree_count(list) != c->launch_count) state_refuse(e, "launches");
    c->launches = arena_zalloc(&e->memory, (c->launch_count + 1) * sizeof *c->launches);
    c->amounts = arena_zalloc(&e->memory, (c->launch_count + 1) * sizeof *c->amounts);
    if (!c->launches || !c->amounts) engine_nomem(e);
    for (size_t i = 0; i < c->launch_count && !e->status; i++)
        launch_from_state(e, tree_item(list, i), &c->launches[i], c->amounts[i]);
}

static void resume_command(engine *e, const tree *state)
{
    enum { MOST_LAUNCHES = 1000000 };
    if (!grow(e->context, (void **)&e->disruption.commands, &e->disruption.command_capacity,
              e->disruption.command_count + 1, sizeof *e->disruption.commands)) {
        engine_nomem(e);
        return;
    }
    replay_command *c = &e->disruption.commands[e->disruption.command_count++];
    *c = (replay_command){ .method = (uint32_t)state_count(e, tree_get(state, "method"), UINT32_MAX, "method"),
                           .memory = arena_on(e->context),
                           .started = flag(state, "started"),
                           .drain_limit = KARP_DURATION_UNSET,
                           .terminates_first = flag(state, "terminatesFirst") };
    if (c->started) c->started_at = needed(e, state, "startedAt");
    c->launch_count = (size_t)state_count(e, tree_get(state, "launchCount"), MOST_LAUNCHES, "launchCount");
    const tree *nodes = tree_get(state, "nodes");
    size_t room = tree_count(nodes);
    c->nodes = rows(e, nodes, room, &c->node_count, "nodes");
    c->dropped = room - c->node_count;
    c->replacements = rows(e, tree_get(state, "replacements"), c->launch_count, &c->replacement_count, "replacements");
    const tree *receivers = tree_get(state, "receivers");
    c->receivers = rows(e, receivers, tree_count(receivers), &c->receiver_count, "receivers");
    if (!c->started && c->method != KARP_METHOD_ANY) resume_launches(e, c, tree_get(state, "launches"));
}

static void resume_losses(engine *e, const tree *list)
{
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) {
        if (!grow(e->context, (void **)&e->losses.list, &e->losses.capacity, e->losses.count + 1,
                  sizeof *e->losses.list)) {
            engine_nomem(e);
            return;
        }
        state_read(e, tree_item(list, i), &state_loss, NULL, &e->losses.list[e->losses.count++]);
    }
}

static size_t rows_of_event(const engine *e, uint32_t what)
{
    switch (what) {
    case EVENT_POD_END: return e->pods.count;
    case EVENT_VALIDATE: return e->disruption.command_count;
    case EVENT_RETRY: return e->losses.count;
    case EVENT_BATCH:
    case EVENT_TRY:
    case EVENT_PASS: return 1;
    default: return e->nodes.count;
    }
}

/* The events are in the order of the queue; a sorted list is a valid heap. */
static void resume_events(engine *e, const tree *list)
{
    int64_t before = INT64_MIN;
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) {
        const tree *state = tree_item(list, i);
        if (!grow(e->context, (void **)&e->events.heap, &e->events.capacity, e->events.count + 1,
                  sizeof *e->events.heap)) {
            engine_nomem(e);
            return;
        }
        replay_event event = { .at = state_number(e, tree_item(state, 0), "events"),
                               .order = e->events.order++,
                               .what = (uint32_t)state_count(e, tree_item(state, 1), UINT32_MAX, "events"),
                               .life = (uint32_t)state_count(e, tree_item(state, 3), UINT32_MAX, "events") };
        event.index = row(e, tree_item(state, 2), rows_of_event(e, event.what), "events");
        bool about_one = event.what == EVENT_VALIDATE || event.what == EVENT_RETRY;
        if (event.what > EVENT_TRY || event.at < before || event.at <= e->now ||
            (about_one && event.index == REPLAY_NONE))
            state_refuse(e, "events");
        if (event.what == EVENT_TRY) e->pods.try_due = event.at;
        before = event.at;
        e->events.heap[e->events.count++] = event;
    }
}

static void resume_schedule(engine *e, const tree *state)
{
    state_read(e, state, &state_schedule, NULL, e);
    if (e->disruption.last_pass == KARP_NO_TIME) disrupt_begin(e);
    e->disruption.planned_changes = e->disruption.changes - flag(state, "changed");
    e->buffers.decided = e->disruption.changes - flag(state, "buffersWait");
}

/* ---- the meter --------------------------------------------------------------------------------------------------- */

static void resume_counters(engine *e, const tree *list)
{
    replay_result *r = &e->meter.result;
    state_read(e, list, &state_counters, "counters", r);
    for (size_t i = 0; i < METHODS_MOST; i++)
        r->commands[i] = state_count(e, tree_item(list, state_counters.count + i), UINT64_MAX, "counters");
}

static void resume_points(engine *e, const tree *list)
{
    replay_result *r = &e->meter.result;
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) {
        if (!grow(e->context, (void **)&r->points, &r->point_capacity, r->point_count + 1, sizeof *r->points)) {
            engine_nomem(e);
            return;
        }
        state_read(e, tree_item(list, i), &state_point, "points", &r->points[r->point_count++]);
    }
}

static void resume_waits(engine *e, const tree *list)
{
    e->meter.wait_count = 0;
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) {
        if (!grow(e->context, (void **)&e->meter.waits, &e->meter.wait_capacity, e->meter.wait_count + 1,
                  sizeof *e->meter.waits)) {
            engine_nomem(e);
            return;
        }
        e->meter.waits[e->meter.wait_count++] = state_real(e, tree_item(list, i), "waits");
    }
}

/* A state has them only if there were any. */
static void resume_preferences(replay_result *r, engine *e, const tree *list)
{
    if (list == NULL) return;
    r->preferences_kept = state_count(e, tree_item(list, 0), UINT64_MAX, "preferences");
    r->preferences_dropped = state_count(e, tree_item(list, 1), UINT64_MAX, "preferences");
}

static void resume_meter(engine *e, const tree *state)
{
    state_read(e, state, &state_meter, NULL, e);
    state_read(e, tree_get(state, "sums"), &state_sums, "sums", e);
    resume_waits(e, tree_get(state, "waits"));
    resume_counters(e, tree_get(state, "counters"));
    resume_points(e, tree_get(state, "points"));
    resume_preferences(&e->meter.result, e, tree_get(state, "preferences"));
    if (e->meter.metered > e->now || e->meter.next_point < e->meter.metered) state_refuse(e, "meter");
}

karp_status engine_resume(engine *e, const tree *state)
{
    e->nodes.next_serial = state_count(e, tree_get(state, "nodesLaunched"), UINT64_MAX, "nodesLaunched");
    resume_pods(e, tree_get(state, "pods"));
    if (!e->status) resume_nodes(e, tree_get(state, "nodes"));
    if (!e->status) resume_pending(e, tree_get(state, "waiting"));
    const tree *commands = tree_get(state, "commands");
    for (size_t i = 0; i < tree_count(commands) && !e->status; i++) resume_command(e, tree_item(commands, i));
    if (!e->status) resume_losses(e, tree_get(state, "losses"));
    if (!e->status) backoffs_resume(e, tree_get(state, "driftBackoffs"));
    if (!e->status) resume_events(e, tree_get(state, "events"));
    if (!e->status) autoscalers_resume(e, state);
    if (!e->status) rollouts_resume(e, state);
    if (!e->status) jobs_resume(e, state);
    if (!e->status) resume_schedule(e, tree_get(state, "schedule"));
    if (!e->status) resume_meter(e, tree_get(state, "meter"));
    return e->status;
}
