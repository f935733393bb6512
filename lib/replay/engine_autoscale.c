/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine.h>
#include <replay/state_rows.h>

/* ---- beginning --------------------------------------------------------------------------------------------------- */

static void read_one(engine *e, const trace_autoscaler *from, replay_autoscaler *a)
{
    io_decoder d;
    tree *object = NULL;
    karp_status status = tree_read(&e->objects.memory, from->document, from->text, &object, &e->error);
    io_decoder_init(&d, &e->memory);
    if (!status) kube_autoscaler_read(&d, object, &a->of);
    if (d.status) e->error = d.error;
    keep_failure(&e->status, status ? status : d.status);
    a->shape = from->shape;
    for (size_t i = 0; i < KUBE_METRICS; i++) a->usage[i] = -1;
}

karp_status autoscalers_begin(engine *e)
{
    struct replay_autoscalers *all = &e->autoscalers;
    size_t count = e->trace->autoscaler_count;
    all->due = INT64_MAX;
    if (count == 0) return KARP_OK;
    all->list = arena_zalloc(&e->memory, count * sizeof *all->list);
    if (!all->list) return fail_nomem(&e->error);
    all->count = count;
    for (size_t i = 0; i < count && !e->status; i++) read_one(e, &e->trace->autoscalers[i], &all->list[i]);
    return e->status;
}

void autoscalers_free(engine *e)
{
    for (size_t i = 0; i < e->autoscalers.count; i++) kube_autoscaler_free(e->context, &e->autoscalers.list[i].of);
}

/* ---- usage ------------------------------------------------------------------------------------------------------- */

static uint32_t first_pod(const engine *e, const replay_autoscaler *a)
{
    const replay_shape *s = &e->pods.shapes[a->shape];
    return e->pods.shapes[s->group].first_pod;
}

static size_t count_pods(const engine *e, const replay_autoscaler *a, bool running)
{
    size_t count = 0;
    for (uint32_t p = first_pod(e, a); p != REPLAY_NONE; p = e->pods.list[p].next_alike)
        count += !running || e->pods.list[p].state == POD_RUNNING;
    return count;
}

/* It looks every 15 s, counted from the start of a story. In a replay it began some time before. */
void autoscalers_looked(engine *e)
{
    int64_t before = (int64_t)(engine_random(e, UINT64_MAX - 2, 0) % KUBE_AUTOSCALER_PERIOD);
    int64_t since = e->trace->begins - (e->played ? 0 : before);
    e->autoscalers.due = since + ((e->now - since) / KUBE_AUTOSCALER_PERIOD + 1) * KUBE_AUTOSCALER_PERIOD;
}

void autoscalers_use(engine *e, const trace_event *event)
{
    replay_autoscaler *a = &e->autoscalers.list[event->of.usage.autoscaler];
    memcpy(a->usage, event->of.usage.amounts, sizeof a->usage);
    if (!a->active) a->next = count_pods(e, a, false);
    a->active = true;
    if (e->autoscalers.due == INT64_MAX) autoscalers_looked(e);
}

/* Thousandths of a core or a byte; a pod that requests nothing states nothing. */
static int64_t request_of(const replay_shape *s, size_t metric)
{
    int64_t amount = metric == KUBE_METRIC_CPU ? s->requests[RESOURCE_CPU] / 1000000 : s->requests[RESOURCE_MEMORY];
    return amount > 0 ? amount : -1;
}

/* All pods that run share the usage. There are samples of a pod once it has run for as long as one covers. */
static kube_scaled_pod scaled_pod(const engine *e, const replay_autoscaler *a, const replay_pod *p, size_t running)
{
    bool runs = p->state == POD_RUNNING;
    kube_scaled_pod out = { .phase = runs ? KARP_PHASE_RUNNING : KARP_PHASE_PENDING,
                            .ready = pod_is_ready(e, p) ? KUBE_READY : KUBE_NOT_READY,
                            .started = runs ? p->started : KARP_NO_TIME,
                            .changed = runs ? p->started : p->waits_since,
                            .sampled = e->now,
                            .window = KUBE_AUTOSCALER_PERIOD };
    bool sampled = runs && p->started + KUBE_AUTOSCALER_PERIOD <= e->now;
    for (size_t i = 0; i < KUBE_METRICS; i++) {
        out.requests[i] = request_of(&e->pods.shapes[p->shape], i);
        out.usage[i] = sampled && a->usage[i] >= 0 ? a->usage[i] / (int64_t)running : -1;
    }
    return out;
}

uint64_t autoscaler_wants(engine *e, uint32_t autoscaler)
{
    replay_autoscaler *a = &e->autoscalers.list[autoscaler];
    size_t count = count_pods(e, a, false), running = count_pods(e, a, true), n = 0;
    int32_t replicas = (int32_t)rollouts_wanted(e, a->shape, count);
    kube_scaled_pod *pods = mem_alloc(e->context, (count + 1) * sizeof *pods);
    kube_scaling_verdict verdict = { .replicas = replicas };
    for (uint32_t p = first_pod(e, a); pods && p != REPLAY_NONE; p = e->pods.list[p].next_alike)
        pods[n++] = scaled_pod(e, a, &e->pods.list[p], running);
    if (!pods || !kube_autoscaler_look(e->context, &a->of, e->now, replicas, pods, count, &verdict)) engine_nomem(e);
    mem_free(e->context, pods, (count + 1) * sizeof *pods);
    return (uint64_t)verdict.replicas;
}

/* ---- scaling ----------------------------------------------------------------------------------------------------- */

static void scale(engine *e, replay_autoscaler *a, uint64_t has, uint64_t wants)
{
    if (rollouts_scale(e, a->shape, wants)) return;
    for (uint64_t k = has; k < wants && !e->status; k++) replicas_add(e, a->shape, 0, a->of.target, &a->next);
    if (wants < has) replicas_remove(e, a->shape, REPLICAS_ALL, (size_t)(has - wants));
}

void autoscalers_look(engine *e)
{
    for (uint32_t i = 0; i < e->autoscalers.count && !e->status; i++) {
        replay_autoscaler *a = &e->autoscalers.list[i];
        if (!a->active) continue;
        uint64_t has = count_pods(e, a, false), wants = autoscaler_wants(e, i);
        scale(e, a, has, wants);
    }
    autoscalers_looked(e);
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static void set_scalings(trees *t, tree *into, const char *name, const kube_scalings *s)
{
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < s->count; i++) {
        tree *row = tree_new(t, TREE_LIST);
        tree_append(t, row, tree_new_integer(t, s->list[i].at));
        tree_append(t, row, tree_new_integer(t, s->list[i].replicas));
        tree_append(t, row, tree_new_integer(t, s->list[i].outdated));
        tree_append(t, list, row);
    }
    tree_set(t, into, name, list);
}

tree *autoscalers_state(const engine *e, trees *t)
{
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < e->autoscalers.count; i++) {
        const replay_autoscaler *a = &e->autoscalers.list[i];
        tree *one = tree_new(t, TREE_MAP), *usage = tree_new(t, TREE_LIST);
        for (size_t k = 0; k < KUBE_METRICS; k++) tree_append(t, usage, tree_new_integer(t, a->usage[k]));
        tree_set(t, one, "active", tree_new(t, a->active ? TREE_TRUE : TREE_FALSE));
        tree_set(t, one, "next", tree_new_integer(t, (int64_t)a->next));
        tree_set(t, one, "usage", usage);
        set_scalings(t, one, "recommendations", &a->of.recommendations);
        set_scalings(t, one, "ups", &a->of.ups);
        set_scalings(t, one, "downs", &a->of.downs);
        tree_append(t, list, one);
    }
    return list;
}

static void read_scalings(engine *e, const tree *list, kube_scalings *s)
{
    size_t count = tree_count(list);
    if (!grow(e->context, (void **)&s->list, &s->capacity, count + 1, sizeof *s->list)) engine_nomem(e);
    for (size_t i = 0; i < count && !e->status; i++) {
        const tree *row = tree_item(list, i);
        s->list[s->count++] = (kube_scaling){ .at = state_number(e, tree_item(row, 0), "autoscalers"),
                                              .replicas = (int32_t)state_count(e, tree_item(row, 1), INT32_MAX,
                                                                               "autoscalers"),
                                              .outdated = state_count(e, tree_item(row, 2), 1, "autoscalers") == 1 };
    }
}

void autoscalers_resume(engine *e, const tree *state)
{
    const tree *list = tree_get(state, "autoscalers");
    if (tree_count(list) == 0) return;
    if (tree_count(list) != e->autoscalers.count) state_refuse(e, "autoscalers");
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) {
        const tree *one = tree_item(list, i), *usage = tree_get(one, "usage");
        replay_autoscaler *a = &e->autoscalers.list[i];
        a->active = tree_is(tree_get(one, "active"), TREE_TRUE);
        a->next = state_count(e, tree_get(one, "next"), INT64_MAX, "autoscalers");
        for (size_t k = 0; k < KUBE_METRICS; k++) a->usage[k] = state_number(e, tree_item(usage, k), "autoscalers");
        read_scalings(e, tree_get(one, "recommendations"), &a->of.recommendations);
        read_scalings(e, tree_get(one, "ups"), &a->of.ups);
        read_scalings(e, tree_get(one, "downs"), &a->of.downs);
        if (a->active) autoscalers_looked(e);
    }
}
