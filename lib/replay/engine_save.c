/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a replay beyond the cluster, as the member "replay" of its Snapshot (docs/replay.md). With it, the rest
 * of a trace is replayed as if there had been no interruption. Times and durations are numbers of nanoseconds. Absent
 * ones are KARP_NO_TIME or UNSET.
 */
#include <replay/engine.h>
#include <replay/engine_state.h>
#include <replay/state_rows.h>

#include <io/make_object.h>

/* Row numbers of the existing objects, in the order of the written lists. */
typedef struct saving {
    engine *e;
    trees *t;
    uint32_t *pod_row, *node_row, *command_row; /* REPLAY_NONE = it has ended */
} saving;

static void set_number(trees *t, tree *object, const char *name, int64_t value)
{
    tree_set(t, object, name, tree_new_integer(t, value));
}

static void set_flag(trees *t, tree *object, const char *name, bool value)
{
    if (value) tree_set(t, object, name, tree_new(t, TREE_TRUE));
}

static void add_number(trees *t, tree *list, int64_t value) { tree_append(t, list, tree_new_integer(t, value)); }

/* The row number as it is written: −1 = it has ended. */
static int64_t row(const uint32_t *rows, uint32_t number)
{
    return number == REPLAY_NONE || rows[number] == REPLAY_NONE ? -1 : (int64_t)rows[number];
}

/* ---- pods and nodes ---------------------------------------------------------------------------------------------- */

static tree *pods_state(saving *s)
{
    engine *e = s->e;
    tree *list = tree_new(s->t, TREE_LIST);
    uint32_t count = 0;
    for (size_t i = 0; i < e->pods.count; i++) {
        const replay_pod *p = &e->pods.list[i];
        s->pod_row[i] = p->state == POD_GONE ? REPLAY_NONE : count++;
        if (p->state == POD_GONE) continue;
        tree *pod = tree_new(s->t, TREE_MAP);
        tree_set(s->t, pod, "namespace", tree_new_slice(s->t, TREE_STRING, p->namespace_));
        tree_set(s->t, pod, "name", tree_new_slice(s->t, TREE_STRING, p->name));
        state_write(s->t, pod, &state_pod, p);
        if (p->state == POD_RUNNING) set_number(s->t, pod, "started", p->started);
        if (p->life) set_number(s->t, pod, "evicted", p->life);
        if (p->errors) set_number(s->t, pod, "errors", p->errors);
        if (p->set) set_number(s->t, pod, "set", p->set);
        tree_append(s->t, list, pod);
    }
    return list;
}

static tree *node_state(saving *s, const replay_node *n)
{
    trees *t = s->t;
    int64_t reserved[RESOURCES_MOST] = { 0 };
    node_reserved(s->e, n, reserved);
    tree *node = tree_new(t, TREE_MAP);
    tree_set(t, node, "name", tree_new_slice(t, TREE_STRING, n->name));
    state_write(t, node, &state_node, n);
    if (n->deleting || n->tainted) set_number(t, node, "deletedAt", n->deleted_at);
    tree_set(t, node, "idleDollars", tree_new_double(t, n->idle));
    set_number(t, node, "idleUntil", n->idle_until);
    tree_set(t, node, "reserved", amounts_state(s->e, t, reserved));
    return node;
}

static tree *nodes_state(saving *s)
{
    const engine *e = s->e;
    tree *list = tree_new(s->t, TREE_LIST);
    for (size_t i = 0; i < e->nodes.count; i++) s->node_row[i] = REPLAY_NONE;
    for (size_t i = 0; i < e->nodes.alive_count; i++) {
        s->node_row[e->nodes.alive[i]] = (uint32_t)i;
        tree_append(s->t, list, node_state(s, &e->nodes.list[e->nodes.alive[i]]));
    }
    return list;
}

/* Pending pods in the order in which they are tried. */
static tree *pending_state(saving *s)
{
    tree *list = tree_new(s->t, TREE_LIST);
    for (size_t i = 0; i < s->e->pods.pending_count; i++) {
        uint32_t pod = s->e->pods.pending[i];
        if (s->e->pods.list[pod].state == POD_PENDING) add_number(s->t, list, s->pod_row[pod]);
    }
    return list;
}

/* ---- work in progress -------------------------------------------------------------------------------------------- */

static tree *rows_state(saving *s, const uint32_t *nodes, size_t count)
{
    tree *list = tree_new(s->t, TREE_LIST);
    for (size_t i = 0; i < count; i++) add_number(s->t, list, row(s->node_row, nodes[i]));
    return list;
}

static tree *launches_state(saving *s, const replay_command *c)
{
    engine *e = s->e;
    tree *list = tree_new(s->t, TREE_LIST);
    for (size_t i = 0; i < c->launch_count; i++)
        tree_append(s->t, list, launch_state(e, s->t, &c->launches[i], c->amounts[i]));
    return list;
}

static tree *command_state(saving *s, const replay_command *c)
{
    trees *t = s->t;
    tree *command = tree_new(t, TREE_MAP);
    set_number(t, command, "method", c->method);
    set_flag(t, command, "started", c->started);
    if (c->started) set_number(t, command, "startedAt", c->started_at);
    set_flag(t, command, "terminatesFirst", c->terminates_first);
    set_number(t, command, "launchCount", (int64_t)c->launch_count);
    tree_set(t, command, "nodes", rows_state(s, c->nodes, c->node_count));
    tree_set(t, command, "replacements", rows_state(s, c->replacements, c->replacement_count));
    if (c->receiver_count) tree_set(t, command, "receivers", rows_state(s, c->receivers, c->receiver_count));
    /* A step of a repack plan is planned again, and a started command needs no launches. */
    if (!c->started && c->method != KARP_METHOD_ANY) tree_set(t, command, "launches", launches_state(s, c));
    return command;
}

static tree *commands_state(saving *s)
{
    engine *e = s->e;
    tree *list = tree_new(s->t, TREE_LIST);
    uint32_t count = 0;
    for (size_t i = 0; i < e->disruption.command_count; i++) {
        s->command_row[i] = e->disruption.commands[i].over ? REPLAY_NONE : count++;
        if (!e->disruption.commands[i].over) tree_append(s->t, list, command_state(s, &e->disruption.commands[i]));
    }
    return list;
}

static tree *losses_state(saving *s)
{
    trees *t = s->t;
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < s->e->losses.count; i++) {
        tree *loss = tree_new(t, TREE_MAP);
        state_write(t, loss, &state_loss, &s->e->losses.list[i]);
        tree_append(t, list, loss);
    }
    return list;
}

static int by_time(const void *a, const void *b, const void *user)
{
    const replay_event *x = a, *y = b;
    (void)user;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int64_t event_row(const saving *s, const replay_event *event)
{
    switch (event->what) {
    case EVENT_POD_END: return row(s->pod_row, event->index);
    case EVENT_READY:
    case EVENT_EXPIRED:
    case EVENT_INTERRUPTED:
    case EVENT_DRAINED:
    case EVENT_KILLED: return row(s->node_row, event->index);
    case EVENT_VALIDATE: return row(s->command_row, event->index);
    default: return event->index;
    }
}

/* The queue as [at, what, index, life], in its order. */
static tree *events_state(saving *s)
{
    engine *e = s->e;
    tree *list = tree_new(s->t, TREE_LIST);
    replay_event *sorted = mem_alloc(e->context, (e->events.count + 1) * sizeof *sorted);
    if (sorted && e->events.count) memcpy(sorted, e->events.heap, e->events.count * sizeof *sorted);
    if (!sorted || !sort_stable(e->context, sorted, e->events.count, sizeof *sorted, by_time, NULL)) engine_nomem(e);
    for (size_t i = 0; i < e->events.count && !e->status; i++) {
        if (sorted[i].what == EVENT_BUFFERS) continue;
        tree *event = tree_new(s->t, TREE_LIST);
        add_number(s->t, event, sorted[i].at);
        add_number(s->t, event, sorted[i].what);
        add_number(s->t, event, event_row(s, &sorted[i]));
        add_number(s->t, event, sorted[i].life);
        tree_append(s->t, list, event);
    }
    mem_free(e->context, sorted, (e->events.count + 1) * sizeof *sorted);
    return list;
}

static tree *schedule_state(saving *s)
{
    const engine *e = s->e;
    tree *object = tree_new(s->t, TREE_MAP);
    state_write(s->t, object, &state_schedule, e);
    set_flag(s->t, object, "changed", e->disruption.changes != e->disruption.planned_changes);
    if (e->buffers.count) set_flag(s->t, object, "buffersWait", buffers_wait(e));
    return object;
}

/* ---- the meter --------------------------------------------------------------------------------------------------- */

static tree *counters_state(trees *t, const replay_result *r)
{
    tree *list = tree_new(t, TREE_LIST);
    state_write(t, list, &state_counters, r);
    for (size_t i = 0; i < METHODS_MOST; i++) add_number(t, list, (int64_t)r->commands[i]);
    return list;
}

static tree *points_state(trees *t, const replay_result *r)
{
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < r->point_count; i++) {
        tree *point = tree_new(t, TREE_LIST);
        state_write(t, point, &state_point, &r->points[i]);
        tree_append(t, list, point);
    }
    return list;
}

static tree *meter_state(saving *s)
{
    const engine *e = s->e;
    const replay_result *r = &e->meter.result;
    trees *t = s->t;
    tree *object = tree_new(t, TREE_MAP), *sums = tree_new(t, TREE_LIST), *waits = tree_new(t, TREE_LIST);
    state_write(t, object, &state_meter, e);
    state_write(t, sums, &state_sums, e);
    for (size_t i = 0; i < e->meter.wait_count; i++) tree_append(t, waits, tree_new_double(t, e->meter.waits[i]));
    tree_set(t, object, "sums", sums);
    tree_set(t, object, "waits", waits);
    tree_set(t, object, "counters", counters_state(t, r));
    tree_set(t, object, "points", points_state(t, r));
    if (r->preferences_kept + r->preferences_dropped > 0) {
        tree *preferences = tree_new(t, TREE_LIST);
        tree_append(t, preferences, tree_new_integer(t, (int64_t)r->preferences_kept));
        tree_append(t, preferences, tree_new_integer(t, (int64_t)r->preferences_dropped));
        tree_set(t, object, "preferences", preferences);
    }
    return object;
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

typedef struct selected {
    karp_str text; /* interned */
    tree *labels;
} selected;

static int by_labels(const void *a, const void *b, const void *user)
{
    (void)user;
    return compare_str(((const selected *)a)->text, ((const selected *)b)->text);
}

/* The labels that required anti-affinity selects, also that of pods that have ended: pods with these labels are left to
 * karp_provision(). Each once, in the order of their text. */
static tree *anti_affinity_state(saving *s)
{
    const engine *e = s->e;
    size_t most = e->pods.kept_away_count + 1, count = 0;
    selected *found = mem_alloc(e->context, most * sizeof *found);
    tree *list = tree_new(s->t, TREE_LIST);
    strbuf text = strbuf_on(e->context);
    for (size_t i = 0; found && i < e->pods.kept_away_count && !text.failed; i++) {
        const karp_selector *selector = e->pods.kept_away[i];
        found[count].labels = tree_new(s->t, TREE_MAP);
        io_set_labels(s->t, found[count].labels, selector->match_labels, selector->match_label_count);
        strbuf_clear(&text);
        tree_write(&text, found[count].labels);
        found[count].text = text.failed ? (karp_str){ "", 0 } : engine_text(s->e, (karp_str){ text.ptr, text.len });
        count++;
    }
    if (!found || text.failed || !sort_stable(e->context, found, count, sizeof *found, by_labels, NULL))
        engine_nomem(s->e);
    for (size_t i = 0; i < count && !e->status; i++) {
        if (i == 0 || found[i].text.ptr != found[i - 1].text.ptr) tree_append(s->t, list, found[i].labels);
    }
    strbuf_free(&text);
    mem_free(e->context, found, most * sizeof *found);
    return list;
}

static tree *write_state(saving *s)
{
    const engine *e = s->e;
    trees *t = s->t;
    tree *state = tree_new(t, TREE_MAP);
    set_number(t, state, "version", 1);
    if (e->base->title.len > 0) tree_set_text(t, state, "catalogue", e->base->title);
    tree *notes = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < e->base->note_count; i++) tree_append(t, notes, tree_new_text(t, e->base->notes[i]));
    if (e->base->note_count > 0) tree_set(t, state, "warnings", notes);
    if (e->base->licences.len > 0) tree_set_text(t, state, "withoutLicences", e->base->licences);
    set_number(t, state, "begins", e->trace->begins);
    set_number(t, state, "step", e->meter.step);
    set_number(t, state, "podsCreated", (int64_t)(e->base->earlier_pods + e->pods.created));
    set_number(t, state, "nodesLaunched", (int64_t)e->nodes.next_serial);
    /* These assign the row numbers used by the later members. */
    tree_set(t, state, "pods", pods_state(s));
    tree_set(t, state, "nodes", nodes_state(s));
    tree_set(t, state, "waiting", pending_state(s));
    tree_set(t, state, "antiAffinity", anti_affinity_state(s));
    if (e->scheduler.on) tree_set(t, state, "scheduler", binding_state(s->e, t));
    if (e->autoscalers.count) tree_set(t, state, "autoscalers", autoscalers_state(e, t));
    if (e->rollouts.count) tree_set(t, state, "rollouts", rollouts_state(e, t));
    if (e->jobs.count + e->jobs.cron_count > 0) tree_set(t, state, "jobs", jobs_state(e, t, s->pod_row));
    tree_set(t, state, "commands", commands_state(s));
    tree_set(t, state, "losses", losses_state(s));
    if (e->backoffs.count > 0) tree_set(t, state, "driftBackoffs", backoffs_state(e, t));
    tree_set(t, state, "events", events_state(s));
    tree_set(t, state, "schedule", schedule_state(s));
    tree_set(t, state, "meter", meter_state(s));
    return state;
}

tree *engine_state(engine *e, trees *t)
{
    saving s = { .e = e, .t = t };
    if (health_any(e)) {
        keep_failure(&e->status, fail(&e->error, KARP_E_UNSUPPORTED,
                                      "a node has failed, or pods tolerate a taint for some time: a replay is not "
                                      "saved before it is back or has ended"));
        return NULL;
    }
    s.pod_row = mem_alloc(e->context, (e->pods.count + 1) * sizeof *s.pod_row);
    s.node_row = mem_alloc(e->context, (e->nodes.count + 1) * sizeof *s.node_row);
    s.command_row = mem_alloc(e->context, (e->disruption.command_count + 1) * sizeof *s.command_row);
    tree *state = NULL;
    if (!s.pod_row || !s.node_row || !s.command_row) engine_nomem(e);
    else state = write_state(&s);
    mem_free(e->context, s.pod_row, (e->pods.count + 1) * sizeof *s.pod_row);
    mem_free(e->context, s.node_row, (e->nodes.count + 1) * sizeof *s.node_row);
    mem_free(e->context, s.command_row, (e->disruption.command_count + 1) * sizeof *s.command_row);
    if (t->status) engine_nomem(e);
    return e->status ? NULL : state;
}
