/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine.h>
#include <replay/state_rows.h>

/* ---- beginning --------------------------------------------------------------------------------------------------- */

karp_status rollouts_begin(engine *e)
{
    size_t count = e->trace->rollout_count;
    e->rollouts.due = INT64_MAX;
    if (count == 0) return KARP_OK;
    e->rollouts.list = arena_zalloc(&e->memory, count * sizeof *e->rollouts.list);
    if (!e->rollouts.list) return fail_nomem(&e->error);
    e->rollouts.count = count;
    for (size_t i = 0; i < count; i++) {
        kube_deployment *d = &e->rollouts.list[i].d;
        d->count = e->trace->rollouts[i].count;
        d->sets = arena_zalloc(&e->memory, d->count * sizeof *d->sets);
        if (!d->sets) return fail_nomem(&e->error);
    }
    return KARP_OK;
}

static uint32_t first_pod(const engine *e, const trace_rollout *of)
{
    const replay_shape *s = &e->pods.shapes[of->shapes[0]];
    return e->pods.shapes[s->group].first_pod;
}

/* Until now all its pods are of the first template. */
static void activate(const engine *e, replay_rollout *r, const trace_rollout *of)
{
    uint64_t pods = 0;
    for (uint32_t p = first_pod(e, of); p != REPLAY_NONE; p = e->pods.list[p].next_alike) pods++;
    kube_set *first = &r->d.sets[0];
    first->made = true;
    first->size = first->desired = first->most = (int32_t)pods;
    r->d.replicas = (int32_t)pods;
    r->next = pods;
    r->active = true;
}

void rollouts_take(engine *e, const trace_event *event)
{
    uint32_t number = event->of.rollout.rollout;
    replay_rollout *r = &e->rollouts.list[number];
    if (!r->active) activate(e, r, &e->trace->rollouts[number]);
    r->strategy = event->of.rollout.strategy;
    r->d.recreate = r->strategy.recreate;
    r->d.paused = r->strategy.paused;
    r->d.replicas = event->of.rollout.replicas;
    r->d.newest = event->of.rollout.set;
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */

static bool is_complete(const kube_deployment *d)
{
    for (size_t i = 0; i < d->count; i++) {
        const kube_set *set = &d->sets[i];
        if (set->size != (i == d->newest ? d->replicas : 0)) return false;
        if (set->size > 0 && set->desired != d->replicas) return false;
    }
    return d->sets[d->newest].made;
}

/* When the pod has been ready for long enough: containers take no time to start. */
static int64_t available_at(const replay_rollout *r, const replay_pod *p) { return p->started + r->strategy.min_ready; }

/* What the ReplicaSets' controller sees of the pods. */
static void observe(engine *e, const replay_rollout *r, const trace_rollout *of)
{
    for (size_t i = 0; i < r->d.count; i++) r->d.sets[i].pods = r->d.sets[i].available = 0;
    for (uint32_t i = first_pod(e, of); i != REPLAY_NONE; i = e->pods.list[i].next_alike) {
        const replay_pod *p = &e->pods.list[i];
        kube_set *set = &r->d.sets[p->set];
        bool runs = pod_is_ready(e, p) && e->nodes.list[p->node].ready;
        set->pods++;
        if (!runs) continue;
        if (available_at(r, p) <= e->now) set->available++;
        else if (available_at(r, p) < e->rollouts.due) e->rollouts.due = available_at(r, p);
    }
}

/* Creates and deletes pods until the sets have their sizes. */
static void follow(engine *e, replay_rollout *r, const trace_rollout *of)
{
    for (uint32_t i = 0; i < r->d.count && !e->status; i++) {
        const kube_set *set = &r->d.sets[i];
        for (int32_t has = set->pods; has < set->size && !e->status; has++)
            replicas_add(e, of->shapes[i], i, of->name, &r->next);
        if (set->pods > set->size) replicas_remove(e, of->shapes[i], i, (size_t)(set->pods - set->size));
    }
}

static bool look(engine *e, replay_rollout *r, const trace_rollout *of)
{
    if (!r->active || is_complete(&r->d)) return false;
    observe(e, r, of);
    kube_rollout_bounds(&r->d, r->strategy.surge, r->strategy.unavailable);
    if (!kube_rollout_look(&r->d)) return false;
    follow(e, r, of);
    return true;
}

bool rollouts_go_on(engine *e)
{
    bool changed = false;
    if (e->rollouts.count == 0 || e->status) return false;
    e->rollouts.due = INT64_MAX;
    for (size_t i = 0; i < e->rollouts.count && !e->status; i++)
        changed = look(e, &e->rollouts.list[i], &e->trace->rollouts[i]) || changed;
    return changed && !e->status;
}

/* ---- autoscalers ------------------------------------------------------------------------------------------------- */

static replay_rollout *rollout_of(const engine *e, uint32_t shape)
{
    for (size_t i = 0; i < e->rollouts.count; i++) {
        uint32_t own = e->trace->rollouts[i].shapes[0];
        if (e->rollouts.list[i].active && e->pods.shapes[own].group == e->pods.shapes[shape].group)
            return &e->rollouts.list[i];
    }
    return NULL;
}

bool rollouts_scale(engine *e, uint32_t shape, uint64_t replicas)
{
    replay_rollout *r = rollout_of(e, shape);
    if (r) r->d.replicas = (int32_t)replicas;
    return r != NULL;
}

uint64_t rollouts_wanted(const engine *e, uint32_t shape, uint64_t absent)
{
    const replay_rollout *r = rollout_of(e, shape);
    return r ? (uint64_t)r->d.replicas : absent;
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

enum { SET_NUMBERS = 4, STRATEGY_NUMBERS = 7 };

static void add_numbers(trees *t, tree *list, const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) tree_append(t, list, tree_new_integer(t, numbers[i]));
}

tree *rollouts_state(const engine *e, trees *t)
{
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < e->rollouts.count; i++) {
        const replay_rollout *r = &e->rollouts.list[i];
        const kube_strategy *s = &r->strategy;
        tree *one = tree_new(t, TREE_MAP), *sets = tree_new(t, TREE_LIST), *strategy = tree_new(t, TREE_LIST);
        const int64_t stated[STRATEGY_NUMBERS] = { s->surge.percent,     s->surge.value, s->unavailable.percent,
                                                   s->unavailable.value, s->recreate,    s->paused,
                                                   s->min_ready };
        add_numbers(t, strategy, stated, STRATEGY_NUMBERS);
        for (size_t k = 0; k < r->d.count; k++) {
            const kube_set *set = &r->d.sets[k];
            const int64_t numbers[SET_NUMBERS] = { set->made, set->size, set->desired, set->most };
            tree *row = tree_new(t, TREE_LIST);
            add_numbers(t, row, numbers, SET_NUMBERS);
            tree_append(t, sets, row);
        }
        tree_set(t, one, "active", tree_new(t, r->active ? TREE_TRUE : TREE_FALSE));
        tree_set(t, one, "next", tree_new_integer(t, (int64_t)r->next));
        tree_set(t, one, "replicas", tree_new_integer(t, r->d.replicas));
        tree_set(t, one, "newest", tree_new_integer(t, (int64_t)r->d.newest));
        tree_set(t, one, "strategy", strategy);
        tree_set(t, one, "sets", sets);
        tree_append(t, list, one);
    }
    return list;
}

static int32_t count_in(engine *e, const tree *list, size_t i, int32_t most)
{
    return (int32_t)state_count(e, tree_item(list, i), (uint64_t)most, "rollouts");
}

static void resume_strategy(engine *e, const tree *list, kube_strategy *s)
{
    s->surge = (kube_bound){ count_in(e, list, 0, 1) == 1, count_in(e, list, 1, INT32_MAX) };
    s->unavailable = (kube_bound){ count_in(e, list, 2, 1) == 1, count_in(e, list, 3, INT32_MAX) };
    s->recreate = count_in(e, list, 4, 1) == 1;
    s->paused = count_in(e, list, 5, 1) == 1;
    s->min_ready = (int64_t)state_count(e, tree_item(list, 6), (uint64_t)REPLAY_LATEST, "rollouts");
}

static void resume_one(engine *e, const tree *state, replay_rollout *r)
{
    const tree *sets = tree_get(state, "sets");
    r->active = tree_is(tree_get(state, "active"), TREE_TRUE);
    r->next = state_count(e, tree_get(state, "next"), INT64_MAX, "rollouts");
    r->d.replicas = (int32_t)state_count(e, tree_get(state, "replicas"), INT32_MAX, "rollouts");
    r->d.newest = (size_t)state_count(e, tree_get(state, "newest"), r->d.count - 1, "rollouts");
    resume_strategy(e, tree_get(state, "strategy"), &r->strategy);
    r->d.recreate = r->strategy.recreate;
    r->d.paused = r->strategy.paused;
    if (tree_count(sets) != r->d.count) state_refuse(e, "rollouts");
    for (size_t k = 0; k < r->d.count && !e->status; k++) {
        const tree *row = tree_item(sets, k);
        r->d.sets[k] = (kube_set){ .made = count_in(e, row, 0, 1) == 1,
                                   .size = count_in(e, row, 1, INT32_MAX),
                                   .desired = count_in(e, row, 2, INT32_MAX),
                                   .most = count_in(e, row, 3, INT32_MAX) };
    }
}

/* Pods of a document may have a set of any Deployment: that of one whose template does not change is not read. */
static void check_sets(engine *e)
{
    for (size_t i = 0; i < e->rollouts.count && !e->status; i++) {
        uint32_t p = first_pod(e, &e->trace->rollouts[i]);
        for (; p != REPLAY_NONE && !e->status; p = e->pods.list[p].next_alike) {
            if (e->pods.list[p].set >= e->rollouts.list[i].d.count) state_refuse(e, "pods");
        }
    }
}

void rollouts_resume(engine *e, const tree *state)
{
    const tree *list = tree_get(state, "rollouts");
    if (tree_count(list) != e->rollouts.count && list) state_refuse(e, "rollouts");
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) resume_one(e, tree_item(list, i), &e->rollouts.list[i]);
    check_sets(e);
    for (size_t i = 0; i < e->rollouts.count && !e->status; i++) {
        const replay_rollout *r = &e->rollouts.list[i];
        if (r->active && !is_complete(&r->d)) observe(e, r, &e->trace->rollouts[i]);
    }
}
