/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PodDisruptionBudgets: the numbers of covered and healthy pods and of allowed evictions, as the disruption controller
 * computes them.
 */
#include <replay/engine.h>

#include <base/admit.h>
#include <io/decode_fields.h>

static void settle(engine *e, replay_budget *b)
{
    int32_t allowed = kube_budget_allows(&b->object, &b->covered).allowed;
    if (allowed == b->allowed) return;
    b->allowed = allowed;
    e->disruption.changes++;
}

/* Whether the controller of the pod has no scale: then a budget of a percentage, or of pods that may be missing, allows
 * nothing. A custom resource is taken to have one. */
static bool lacks_scale(const karp_pod *pod)
{
    static const char *const kinds[] = { "Job", "CronJob", "DaemonSet", "Node" };
    for (size_t i = 0; i < pod->meta.owner_count; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (pod->meta.owners[i].controller && str_is(pod->meta.owners[i].kind, kinds[k])) return true;
        }
    }
    return false;
}

/* A controller has as many pods as it should: those that are evicted are made anew at once. */
static void count(replay_budget *b, const karp_pod *pod, int total, int healthy)
{
    b->covered.pods += (uint64_t)total;
    b->covered.healthy += (uint64_t)healthy;
    if (pod->meta.owner_count) b->covered.replicas += (uint64_t)total;
    if (lacks_scale(pod)) b->covered.unscaled += (uint64_t)total;
}

static bool covers(const replay_shape *shape, size_t budget)
{
    return shape->budgets && (shape->budgets[budget / 64] >> (budget % 64) & 1) != 0;
}

void budgets_note(engine *e, const replay_shape *shape, int total, int healthy)
{
    for (size_t i = 0; shape->budgets && i < e->budgets.count; i++) {
        if (!covers(shape, i)) continue;
        count(&e->budgets.list[i], &shape->pod, total, healthy);
        settle(e, &e->budgets.list[i]);
    }
}

/* Pods on nodes are ready. */
bool budgets_allow(engine *e, uint32_t shape)
{
    kube_eviction pod = { .ready = true };
    for (size_t i = 0; e->pods.shapes[shape].budgets && i < e->budgets.count; i++) {
        if (!covers(&e->pods.shapes[shape], i)) continue;
        pod.budgets++;
        pod.allowance.allowed = e->budgets.list[i].allowed;
    }
    int answer = kube_evict(&pod);
    return answer == KUBE_EVICTS || answer == KUBE_EVICTS_FREELY;
}

static karp_status read_budget(engine *e, const tree *object)
{
    io_decoder d;
    if (!grow(e->context, (void **)&e->budgets.list, &e->budgets.capacity, e->budgets.count + 1,
              sizeof *e->budgets.list))
        return fail_nomem(&e->error);
    replay_budget *b = &e->budgets.list[e->budgets.count];
    *b = (replay_budget){ .shown = -1 };
    io_decoder_init(&d, &e->memory);
    io_decode(&d, &io_budget_record, object, &b->object);
    if (d.status) {
        e->error = d.error;
        return d.status;
    }
    if (b->object.meta.namespace_.len == 0) b->object.meta.namespace_ = str("default");
    e->budgets.count++;
    return KARP_OK;
}

static karp_status cover(engine *e, replay_shape *shape)
{
    size_t words_ = (e->budgets.count + 63) / 64;
    for (size_t i = 0; i < e->budgets.count; i++) {
        const karp_pod_disruption_budget *b = &e->budgets.list[i].object;
        if (!b->selector || !equal_str(b->meta.namespace_, shape->pod.meta.namespace_)) continue;
        if (!selector_admits(b->selector, shape->pod.meta.labels, shape->pod.meta.label_count)) continue;
        if (!shape->budgets) shape->budgets = arena_zalloc(&e->memory, words_ * sizeof *shape->budgets);
        if (!shape->budgets) return fail_nomem(&e->error);
        shape->budgets[i / 64] |= UINT64_C(1) << (i % 64);
    }
    return KARP_OK;
}

/* Pods of the objects do not change: bound pods count as healthy. */
static karp_status count_given(engine *e, const tree *object)
{
    io_decoder d;
    karp_pod pod;
    arena memory = arena_on(e->context);
    io_decoder_init(&d, &memory);
    io_decode_pod(&d, object, &pod);
    karp_str namespace_ = d.status == KARP_OK && pod.meta.namespace_.len ? pod.meta.namespace_ : str("default");
    for (size_t i = 0; i < e->budgets.count && !d.status; i++) {
        replay_budget *b = &e->budgets.list[i];
        if (!b->object.selector || !equal_str(b->object.meta.namespace_, namespace_) ||
            !selector_admits(b->object.selector, pod.meta.labels, pod.meta.label_count))
            continue;
        count(b, &pod, 1, pod.node_name.len > 0);
        settle(e, b);
    }
    if (d.status) e->error = d.error;
    arena_free(&memory);
    return d.status;
}

karp_status budgets_read_again(engine *e)
{
    e->budgets.count = 0;
    for (size_t i = 0; i < e->pods.shape_count; i++) e->pods.shapes[i].budgets = NULL;
    karp_status status = budgets_read(e);
    for (size_t i = 0; i < e->pods.count && !status; i++) {
        const replay_pod *p = &e->pods.list[i];
        if (p->state != POD_GONE) budgets_note(e, &e->pods.shapes[p->shape], 1, pod_is_ready(e, p));
    }
    return status;
}

karp_status budgets_read(engine *e)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(e->objects.documents) && !status; i++) {
        const tree *object = tree_item(e->objects.documents, i);
        if (str_is(tree_get_text(object, "kind"), "PodDisruptionBudget")) status = read_budget(e, object);
    }
    for (size_t i = 0; e->budgets.count && i < tree_count(e->objects.documents) && !status; i++) {
        if (str_is(tree_get_text(tree_item(e->objects.documents, i), "kind"), "Pod"))
            status = count_given(e, tree_item(e->objects.documents, i));
    }
    for (size_t i = 0; i < e->pods.shape_count && !status; i++) status = cover(e, &e->pods.shapes[i]);
    return status;
}
