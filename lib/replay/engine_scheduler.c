/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/config.h>
#include <kube/groups.h>
#include <kube/objects.h>
#include <kube/pod_class.h>
#include <kube/profile.h>
#include <replay/engine.h>
#include <replay/state_rows.h>

/* Takes over a failure of the mirror. */
static karp_status settle(engine *e)
{
    if (e->scheduler.cluster.status && !e->status) {
        e->error = e->scheduler.cluster.error;
        e->status = e->scheduler.cluster.status;
    }
    return e->status;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

karp_status binding_begin(engine *e)
{
    const kube_config *given = e->base->scheduler;
    kube_profile *own = &e->scheduler.profile;
    kube_cluster *c = &e->scheduler.cluster;
    e->scheduler.on = !e->played && !str_is(e->options->scheduler, "simple");
    if (!e->scheduler.on) return KARP_OK;
    kube_profile_default(own, kube_minor(e->options->scheduler_minor));
    if (e->options->most_allocated) own->strategy = KUBE_MOST_ALLOCATED;
    if (given) kube_cluster_init(c, e->context, given->profiles, given->count);
    else kube_cluster_init(c, e->context, own, 1);
    kube_attempt_init(&e->scheduler.attempt, c);
    c->objects.owners_assumed = true;
    for (size_t i = 0; i < tree_count(e->objects.documents); i++) {
        const tree *object = tree_item(e->objects.documents, i);
        /* Budgets change as pods come and leave: list_budgets(). */
        if (!str_is(tree_get_text(object, "kind"), "PodDisruptionBudget")) kube_object_add(c, object);
    }
    return settle(e);
}

/* Claims that are not among the objects, and devices, are left to karp_provision(). */
static bool handles(engine *e, const karp_pod *pod)
{
    bool all = pod->resource_claim_count == 0;
    for (size_t i = 0; i < pod->volume_count && all; i++) {
        const karp_pod_volume *v = &pod->volumes[i];
        if (v->kind == KARP_VOLUME_CLAIM)
            all = kube_claim_find(&e->scheduler.cluster, pod->meta.namespace_, v->claim_name) != KUBE_NONE;
        else all = v->kind == KARP_VOLUME_OTHER;
    }
    return all;
}

void binding_shape(engine *e, uint32_t shape, const tree *object)
{
    replay_shape *s = &e->pods.shapes[shape];
    if (!e->scheduler.on || e->status) return;
    (void)kube_class_add(&e->scheduler.cluster, &s->pod, object);
    s->scheduled = handles(e, &s->pod);
    (void)settle(e);
}

/* ---- the mirror -------------------------------------------------------------------------------------------------- */

/* Amounts of the engine as the scheduler's, rounded up. */
static int64_t in_units_of_scheduler(uint32_t resource, int64_t amount)
{
    int64_t unit = resource == RESOURCE_CPU ? 1000000 : 1000;
    return amount <= 0 ? 0 : amount / unit + (amount % unit != 0);
}

/* What DaemonSets use of the node. */
static void reserve(engine *e, uint32_t node)
{
    const replay_node *n = &e->nodes.list[node];
    int64_t reserved[RESOURCES_MOST];
    node_reserved(e, n, reserved);
    for (uint32_t i = 0; i < e->resource_names.count; i++)
        kube_node_reserve(&e->scheduler.cluster, n->scheduled, strings_get(&e->resource_names, i),
                          in_units_of_scheduler(i, reserved[i]));
}

static void join(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    const kube_node_spec spec = { .name = n->name,
                                  .labels = n->labels,
                                  .label_count = n->label_count,
                                  .taints = n->node_taints,
                                  .taint_count = n->node_taint_count,
                                  .allocatable = n->resources,
                                  .allocatable_count = n->resource_count,
                                  .leaving = !node_takes_pods(n),
                                  .number = node };
    n->scheduled = kube_node_add(&e->scheduler.cluster, &spec);
    if (n->scheduled != KUBE_NONE) reserve(e, node);
}

void binding_node(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    kube_cluster *c = &e->scheduler.cluster;
    if (!e->scheduler.mirrors || e->status) return;
    bool joins = n->ready && !n->gone, leaving = !node_takes_pods(n);
    if (joins && n->scheduled == REPLAY_NONE) join(e, node);
    else if (joins && c->nodes[n->scheduled].spec.leaving != leaving) {
        c->nodes[n->scheduled].spec.leaving = leaving;
        kube_node_changed(c, n->scheduled);
    } else if (!joins && n->scheduled != REPLAY_NONE) {
        kube_node_remove(c, n->scheduled);
        n->scheduled = REPLAY_NONE;
    }
    (void)settle(e);
}

void binding_retaint(engine *e, uint32_t node)
{
    const replay_node *n = &e->nodes.list[node];
    kube_cluster *c = &e->scheduler.cluster;
    if (!e->scheduler.mirrors || e->status || n->scheduled == REPLAY_NONE) return;
    c->nodes[n->scheduled].spec.taints = n->node_taints;
    c->nodes[n->scheduled].spec.taint_count = n->node_taint_count;
    kube_node_changed(c, n->scheduled);
}

static uint32_t number_of(engine *e, uint32_t pod)
{
    replay_pod *p = &e->pods.list[pod];
    const replay_shape *s = &e->pods.shapes[p->shape];
    if (p->scheduled != REPLAY_NONE) return p->scheduled;
    const kube_pod one = { .class_ = p->shape, .priority = s->priority, .name = p->name, .number = pod };
    p->scheduled = kube_pod_add(&e->scheduler.cluster, &one);
    (void)settle(e);
    return p->scheduled;
}

void binding_place(engine *e, uint32_t pod, uint32_t node)
{
    uint32_t at = e->nodes.list[node].scheduled;
    if (!e->scheduler.mirrors || e->status || at == REPLAY_NONE) return;
    uint32_t number = number_of(e, pod);
    if (number == KUBE_NONE) return;
    e->scheduler.cluster.pods[number].started = e->pods.list[pod].started;
    kube_place(&e->scheduler.cluster, number, at);
    (void)settle(e);
}

void binding_leave(engine *e, uint32_t pod)
{
    uint32_t number = e->pods.list[pod].scheduled;
    if (!e->scheduler.mirrors || e->status || number == REPLAY_NONE) return;
    if (e->scheduler.cluster.pods[number].node != KUBE_NONE) kube_displace(&e->scheduler.cluster, number);
    (void)settle(e);
}

void binding_forget(engine *e, uint32_t pod)
{
    uint32_t number = e->pods.list[pod].scheduled;
    if (!e->scheduler.mirrors || e->status || number == REPLAY_NONE) return;
    kube_pod_remove(&e->scheduler.cluster, number);
    e->pods.list[pod].scheduled = REPLAY_NONE;
    (void)settle(e);
}

/* Nodes join in the order of a saved walk, and then in their own order. */
karp_status binding_mirror(engine *e, const tree *state)
{
    const tree *saved = tree_get(state, "scheduler"), *order = tree_get(saved, "nodes");
    if (!e->scheduler.on) return KARP_OK;
    kube_groups_settle(&e->scheduler.cluster);
    e->scheduler.mirrors = true;
    if (settle(e)) return e->status;
    for (size_t i = 0; i < tree_count(order); i++) {
        uint32_t node = io_table_get(&e->nodes.index, tree_text(tree_item(order, i)));
        if (node == IO_NONE) state_refuse(e, "scheduler");
        else binding_node(e, node);
    }
    for (size_t i = 0; i < e->nodes.alive_count; i++) binding_node(e, e->nodes.alive[i]);
    for (uint32_t i = 0; i < e->pods.count && !e->status; i++) {
        if (e->pods.list[i].state == POD_RUNNING) binding_place(e, i, e->pods.list[i].node);
    }
    if (!saved || e->status) return e->status;
    e->scheduler.cluster.start = (size_t)state_count(e, tree_get(saved, "start"), UINT32_MAX, "scheduler");
    e->meter.result.preemptions = state_count(e, tree_get(saved, "preemptions"), UINT64_MAX, "scheduler");
    return e->status;
}

/* The nodes, zone by zone, and where the next walk begins. */
tree *binding_state(engine *e, trees *t)
{
    const kube_cluster *c = &e->scheduler.cluster;
    tree *state = tree_new(t, TREE_MAP), *nodes = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < c->zone_count; i++) {
        for (size_t k = 0; k < c->zones[i].count; k++)
            tree_append(t, nodes, tree_new_text(t, c->nodes[c->zones[i].nodes[k]].spec.name));
    }
    tree_set(t, state, "start", tree_new_integer(t, (int64_t)c->start));
    tree_set(t, state, "nodes", nodes);
    tree_set(t, state, "preemptions", tree_new_integer(t, (int64_t)e->meter.result.preemptions));
    return state;
}

void binding_free(engine *e)
{
    kube_attempt_free(&e->scheduler.attempt);
    kube_cluster_free(&e->scheduler.cluster);
}

/* ---- preemption -------------------------------------------------------------------------------------------------- */

static void list_budgets(engine *e)
{
    kube_cluster *c = &e->scheduler.cluster;
    c->budget_count = 0;
    if (!grow(e->context, (void **)&c->budgets, &c->budget_capacity, e->budgets.count + 1, sizeof *c->budgets)) {
        engine_nomem(e);
        return;
    }
    for (size_t i = 0; i < e->budgets.count; i++) {
        const replay_budget *b = &e->budgets.list[i];
        c->budgets[c->budget_count++] = (kube_budget){ .namespace_ = b->object.meta.namespace_,
                                                       .selector = b->object.selector,
                                                       .allowed = b->allowed };
    }
}

/* The victims of the best candidate leave at once, and the pod is tried on their node. */
static uint32_t preempt(engine *e, uint32_t pod)
{
    kube_attempt *a = &e->scheduler.attempt;
    kube_cluster *c = &e->scheduler.cluster;
    size_t count = 0;
    list_budgets(e);
    if (e->status || kube_preemption_refusal(a)) return REPLAY_NONE;
    const kube_candidate *list = kube_preemption_candidates(a, &count), *best = count ? list : NULL;
    for (size_t i = 1; i < count; i++) {
        if (kube_compare_candidates(a, &list[i], best) > 0) best = &list[i];
    }
    if (settle(e) || !best) return REPLAY_NONE;
    uint32_t number = e->pods.list[pod].scheduled, node = best->node;
    kube_nominate(c, number, node);
    for (size_t i = 0; i < best->count && !e->status; i++) {
        e->meter.result.preemptions++;
        pod_evict(e, c->pods[a->victims[best->first + i]].number);
    }
    uint32_t chosen = e->status ? KUBE_NONE : kube_schedule(a, number, 0);
    kube_nominate(c, number, KUBE_NONE);
    return chosen == KUBE_NONE ? REPLAY_NONE : c->nodes[chosen].spec.number;
}

/* ---- choice ------------------------------------------------------------------------------------------------------ */

bool binding_handles(const engine *e, uint32_t pod)
{
    return e->scheduler.mirrors && e->pods.shapes[e->pods.list[pod].shape].scheduled;
}

/* Versions that break ties at random do it with the seed, so that equal replays are equal. */
static uint64_t random_number(const engine *e, const replay_pod *p)
{
    return engine_random(e, hash_bytes(p->name.ptr, p->name.len, 0) ^ p->life, (uint64_t)e->now);
}

/* Without any node an attempt is an error. The next one is 1, 2, 4, 8 or at most 10 s later, or as the configuration
 * says, and then at the beginning of the second after. */
static void hold_back(engine *e, replay_pod *p)
{
    enum { MOST_ERRORS = 32 };
    const kube_profile *profile = e->scheduler.cluster.profiles;
    int64_t wait = profile->backoff;
    for (uint32_t i = 0; i < p->errors && wait < profile->backoff_most; i++) wait *= 2;
    int64_t due = e->now + (wait < profile->backoff_most ? wait : profile->backoff_most) * SECOND;
    if (p->errors < MOST_ERRORS) p->errors++;
    p->held_until = due - due % SECOND + SECOND;
    if (e->pods.try_due != p->held_until) engine_at(e, p->held_until, EVENT_TRY, 0, 0);
    e->pods.try_due = p->held_until;
}

uint32_t binding_choose(engine *e, uint32_t pod)
{
    kube_cluster *c = &e->scheduler.cluster;
    replay_pod *p = &e->pods.list[pod];
    if (p->held_until > e->now) return REPLAY_NONE;
    if (e->meter.nodes_running == e->meter.nodes_starting) {
        hold_back(e, p);
        return REPLAY_NONE;
    }
    uint32_t number = number_of(e, pod);
    if (e->status || number == KUBE_NONE) return REPLAY_NONE;
    kube_class *s = &c->classes[p->shape];
    /* Pods that rules want near each other, or evenly spread, may fit once others have been placed. */
    const uint64_t *changes = s->affinity_count || s->hard_count ? &c->stamp : &c->events;
    if (s->tried == *changes) return REPLAY_NONE;
    size_t start = c->start;
    e->scheduler.attempt.keep_refusals = !e->pods.ordered;
    uint32_t node = kube_schedule(&e->scheduler.attempt, number, random_number(e, p));
    if (settle(e)) return REPLAY_NONE;
    if (node != KUBE_NONE) return c->nodes[node].spec.number;
    c->start = start;
    uint32_t freed = e->pods.ordered ? REPLAY_NONE : preempt(e, pod);
    s = &c->classes[e->pods.list[pod].shape];
    if (freed == REPLAY_NONE) s->tried = *changes;
    return freed;
}

bool binding_fits(engine *e, uint32_t pod, uint32_t node)
{
    uint32_t number = number_of(e, pod), at = e->nodes.list[node].scheduled;
    if (e->status || number == KUBE_NONE || at == REPLAY_NONE) return false;
    kube_attempt_begin(&e->scheduler.attempt, number);
    bool fits = e->scheduler.attempt.before.code == KUBE_FITS &&
                kube_filter(&e->scheduler.attempt, at).code == KUBE_FITS;
    return !settle(e) && fits;
}
