/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster of a story, in the engine: the pods of its workloads, and the nodes of its documents. */
#include <replay/engine_interrupt.h>
#include <replay/objects.h>
#include <replay/story.h>

#include <karp/inspect.h>

karp_status story_engine(story *s)
{
    if (s->e->status) s->error = s->e->error;
    return s->e->status;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static karp_status pod_event(story *s, const story_workload *w, karp_str name, uint32_t kind)
{
    trace_event event = { .at = s->e->now, .kind = kind, .shape = w->shape, .lasts = KARP_DURATION_UNSET };
    event.of.pod.namespace_ = w->namespace_;
    event.of.pod.name = name;
    if (kind == TRACE_POD_CREATED) pod_create(s->e, &event);
    else pod_delete(s->e, &event);
    return story_engine(s);
}

static karp_status numbered_pod(story *s, const story_workload *w, uint64_t number, uint32_t kind)
{
    strbuf name = strbuf_on(s->context);
    strbuf_addstr(&name, w->name);
    strbuf_addc(&name, '-');
    strbuf_addu(&name, w->first + number);
    karp_str kept = name.failed ? (karp_str){ NULL, 0 }
                                : trace_keep(&s->played.base.trace, (karp_str){ name.ptr, name.len });
    strbuf_free(&name);
    return kept.ptr ? pod_event(s, w, kept, kind) : story_nomem(s);
}

static uint64_t replicas_of(const story_workload *w)
{
    return w->rolled.kind ? (uint64_t)w->rolled.of.rollout.replicas : w->pods + w->owned_count;
}

/* New pods get the next numbers. Scaling down deletes the highest numbers first, and then the pods of the documents. */
karp_status story_scale(story *s, uint32_t workload, uint64_t replicas)
{
    story_workload *w = &s->workloads[workload];
    karp_status status = KARP_OK;
    if (w->refused) replicas = 0;
    if (w->rolled.kind) {
        w->rolled.of.rollout.replicas = (int32_t)replicas;
        engine_take(s->e, &w->rolled);
        return story_engine(s);
    }
    while (w->pods + w->owned_count < replicas && !status) status = numbered_pod(s, w, w->pods++, TRACE_POD_CREATED);
    while (w->pods > 0 && w->pods + w->owned_count > replicas && !status)
        status = numbered_pod(s, w, --w->pods, TRACE_POD_DELETED);
    while (w->owned_count > replicas && !status)
        status = pod_event(s, w, w->owned[--w->owned_count], TRACE_POD_DELETED);
    return status;
}

static karp_status change_workload(story *s, const story_effect *effect)
{
    story_workload *w = &s->workloads[effect->workload];
    uint64_t replicas = story_replicas_after(w, effect, replicas_of(w));
    karp_status status = KARP_OK;
    if (effect->event.kind == TRACE_ROLLED) {
        w->rolled = effect->event;
        w->shape = s->trace->rollouts[w->rolled.of.rollout.rollout].shapes[w->rolled.of.rollout.set];
    } else if (effect->event.shape != NO_ID && effect->event.shape != w->shape) {
        status = story_scale(s, effect->workload, 0);
        w->shape = effect->event.shape;
    }
    return status ? status : story_scale(s, effect->workload, replicas);
}

karp_status story_change(story *s, const story_step *step)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < step->effect_count && !status; i++) {
        const story_effect *effect = &step->effects[i];
        if (effect->workload == IO_NONE) engine_take(s->e, &effect->event);
        status = effect->workload == IO_NONE ? story_engine(s) : change_workload(s, effect);
    }
    if (!status) drift_note(s->e);
    return status ? status : story_engine(s);
}

/* ---- load and cloud ---------------------------------------------------------------------------------------------- */

/* Interrupted nodes are deleted at once, and their offerings stay available. */
karp_status story_interrupt(story *s, const story_step *step)
{
    const trace_event *event = &step->effects[0].event;
    char why[INTERRUPT_TEXT];
    uint64_t done = 0;
    bool fails = event->kind == TRACE_NODE_FAILED;
    for (size_t i = 0; i < s->e->nodes.alive_count && done < event->of.offering.nodes; i++) {
        uint32_t node = s->e->nodes.alive[i];
        if (s->e->nodes.list[node].given || !interrupt_means(&s->e->nodes.list[node], event)) continue;
        story_write_event(s, fails ? "failed" : "interrupted", s->e->nodes.list[node].name, str(""));
        done++;
        if (fails) {
            health_fail(s->e, node, event->lasts);
            continue;
        }
        s->e->meter.result.interruptions++;
        node_delete(s->e, node);
    }
    if (done == 0) {
        interrupt_why_none(s->e, event, why);
        return story_fail_step(s, s->step, fails ? "fail" : "interrupt", KARP_E_NOT_FOUND, why);
    }
    interrupt_note(s->e, event, done);
    return story_engine(s);
}

karp_status story_use(story *s, const story_step *step)
{
    const trace_event *event = &step->effects[0].event;
    s->e->autoscalers.list[event->of.usage.autoscaler].shape = s->workloads[step->workload].shape;
    engine_take(s->e, event);
    return story_engine(s);
}

karp_status story_autoscale(story *s, bool *changed)
{
    karp_status status = KARP_OK;
    *changed = false;
    for (uint32_t i = 0; i < s->workload_count && !status; i++) {
        const story_workload *w = &s->workloads[i];
        if (w->autoscaler == IO_NONE || !s->e->autoscalers.list[w->autoscaler].active) continue;
        uint64_t wants = autoscaler_wants(s->e, w->autoscaler);
        *changed = *changed || wants != replicas_of(w);
        status = story_scale(s, i, wants);
    }
    autoscalers_looked(s->e);
    return status ? status : story_engine(s);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

story_node *story_node_of(story *s, uint32_t node)
{
    size_t had = s->node_capacity;
    if (!grow(s->context, (void **)&s->nodes, &s->node_capacity, s->e->nodes.count, sizeof *s->nodes)) {
        (void)story_nomem(s);
        return NULL;
    }
    if (s->node_capacity > had) memset(s->nodes + had, 0, (s->node_capacity - had) * sizeof *s->nodes);
    return &s->nodes[node];
}

int64_t story_expires_at(const story *s, uint32_t node)
{
    const replay_node *n = &s->e->nodes.list[node];
    if (n->given || n->expire_after == KARP_DURATION_UNSET || n->expire_after >= INT64_MAX / 4) return KARP_NO_TIME;
    return n->created + n->expire_after;
}

void story_set_expiry(story *s, uint32_t node, int64_t instant)
{
    replay_node *n = &s->e->nodes.list[node];
    n->expire_after = instant - n->created;
    node_touch(s->e, node);
}

karp_status story_drain(story *s, uint32_t node)
{
    node_empty(s->e, node);
    s->again = true;
    story_write_event(s, "deleted", s->e->nodes.list[node].name, str(""));
    return story_engine(s);
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

static karp_status add_objects(story *s)
{
    trace *t = &s->played.base.trace;
    for (size_t i = 0; i < s->workload_count; i++) {
        story_workload *w = &s->workloads[i];
        w->shape = replay_workload_shape(t, s->t, w->object, w->namespace_);
        if (w->shape == NO_ID) return story_nomem(s);
        if (w->rollout != IO_NONE) t->rollouts[w->rollout].shapes[0] = w->shape;
    }
    for (size_t i = 0; i < s->step_count; i++) {
        if (s->steps[i].what != STORY_WAIT) continue;
        if (s->steps[i].duration > INT64_MAX / 4 - t->ends)
            return story_fail(s, KARP_E_RANGE, "the story lasts too long");
        t->ends += s->steps[i].duration;
    }
    return KARP_OK;
}

/* Reads properties and prices of the documents' nodes, as decisions see them. */
static karp_status measure_given(story *s)
{
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_options options = s->options;
    options.explain = KARP_EXPLAIN_NONE;
    karp_status status = story_snapshot(s, &snapshot);
    if (!status) status = karp_provision(snapshot, &options, &d, &s->error);
    for (size_t i = 0; !status && i < karp_decision_node_count(d); i++) {
        karp_node_use use = { .size = sizeof use };
        status = karp_decision_node(d, i, &use);
        uint32_t node = status ? IO_NONE : io_table_get(&s->e->nodes.index, use.node);
        if (node == IO_NONE) continue;
        replay_node *n = &s->e->nodes.list[node];
        n->price = use.price;
        n->allocatable[RESOURCE_CPU] = (int64_t)(use.cpu_allocatable * 1e9);
        n->allocatable[RESOURCE_MEMORY] = (int64_t)(use.memory_allocatable * 1e3);
        n->free[RESOURCE_CPU] = (int64_t)((use.cpu_allocatable - use.cpu_requested) * 1e9);
        n->free[RESOURCE_MEMORY] = (int64_t)((use.memory_allocatable - use.memory_requested) * 1e3);
        s->e->meter.cost_rate += n->price;
        s->e->meter.cpu_had += n->allocatable[RESOURCE_CPU];
        s->e->meter.memory_had += n->allocatable[RESOURCE_MEMORY];
        s->e->meter.cpu_asked += n->allocatable[RESOURCE_CPU] - n->free[RESOURCE_CPU];
        s->e->meter.memory_asked += n->allocatable[RESOURCE_MEMORY] - n->free[RESOURCE_MEMORY];
        s->rebuilds = s->rebuilds || use.node_pool.len > 0;
    }
    karp_decision_unref(d);
    return status;
}

static karp_status take_given(story *s)
{
    for (size_t i = 0; i < tree_count(s->base); i++) {
        const tree *object = tree_item(s->base, i);
        if (str_is(tree_get_text(object, "kind"), "Node"))
            (void)node_given(s->e, tree_get_text(tree_get(object, "metadata"), "name"));
    }
    return s->e->nodes.given_count && !s->e->status ? measure_given(s) : story_engine(s);
}

karp_status story_begin(story *s)
{
    replay_base *base = &s->played.base;
    trace *t = &base->trace;
    base->context = s->context;
    bool cluster = story_has_cluster(s);
    karp_status status = cluster ? story_take_cluster(s) : story_note_input(s);
    if (status) return status;
    base->objects = s->base;
    base->head = s->head;
    base->options = &s->played.options;
    t->begins = t->ends = s->begins;
    t->region = s->region;
    karp_replay_options_init(&s->played.options, sizeof s->played.options);
    s->played.options.catalogue = s->catalogue;
    s->played.options.feature_gates = s->feature_gates;
    s->played.options.boot = s->delay;
    s->played.options.boot_jitter = 0;
    status = add_objects(s);
    if (status) return status;
    s->e = mem_alloc(s->context, sizeof *s->e);
    if (!s->e) return story_nomem(s);
    engine_init(s->e, base);
    s->e->played = true;
    s->e->decision = s->options;
    s->e->ends = t->ends;
    s->e->meter.step = s->played.step = replay_step(t->ends - t->begins);
    if (engine_begin(s->e)) {
        if (!s->e->status) s->e->status = s->e->error.status;
        return story_engine(s);
    }
    if (cluster) status = story_create_pods(s);
    if (!status) status = take_given(s);
    for (uint32_t i = 0; i < s->workload_count && !status; i++)
        status = s->workloads[i].applied ? KARP_OK : story_scale(s, i, s->workloads[i].replicas);
    return status || s->start.effect_count == 0 ? status : story_change(s, &s->start);
}

karp_status story_snapshot(story *s, karp_snapshot **out)
{
    (void)disrupt_conditions(s->e);
    s->e->objects.stale = s->e->objects.stale || s->rebuilds;
    *out = engine_snapshot(s->e);
    return story_engine(s);
}
