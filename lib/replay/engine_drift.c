/* SPDX-License-Identifier: Apache-2.0 */
#include <io/replaced.h>
#include <karp/library.h>
#include <replay/engine.h>
#include <replay/objects.h>

static void add_class(engine *e, const tree *object)
{
    struct replay_drift *d = &e->drift;
    if (!grow(e->context, (void **)&d->node_classes, &d->class_capacity, d->class_count + 1, sizeof *d->node_classes)) {
        engine_nomem(e);
        return;
    }
    karp_str api = tree_get_text(object, "apiVersion");
    d->node_classes[d->class_count++] = (karp_node_class_ref){
        engine_text(e, str_before(api, '/')), engine_text(e, tree_get_text(object, "kind")),
        engine_text(e, tree_get_text(tree_get(object, "metadata"), "name"))
    };
}

/* Karpenter's controller of hashes annotates claims with that of the NodePool that they were launched from. */
static void annotate(engine *e, const karp_action *action)
{
    uint32_t node = io_table_get(&e->nodes.index, action->object);
    if (node == IO_NONE || e->nodes.list[node].given) return;
    replay_node *n = &e->nodes.list[node];
    karp_label *list = arena_array(&n->memory, n->annotation_count + 1, sizeof *list);
    if (!list) {
        engine_nomem(e);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < n->annotation_count; i++) {
        if (!equal_str(n->annotations[i].key, action->subject)) list[count++] = n->annotations[i];
    }
    list[count++] = (karp_label){ engine_text(e, action->subject), engine_text(e, action->value) };
    n->annotations = list;
    n->annotation_count = count;
}

/* Calls the function for each action of this kind, and frees the advice. */
static void follow(engine *e, karp_status status, karp_advice *advice, bool (*wanted)(uint32_t kind),
                   void (*call)(engine *e, const karp_action *action))
{
    for (size_t i = 0; !status && i < karp_advice_action_count(advice); i++) {
        karp_action action = { .size = sizeof action };
        status = karp_advice_action(advice, i, &action);
        if (!status && wanted(action.kind)) call(e, &action);
    }
    keep_failure(&e->status, status);
    karp_advice_free(advice);
}

static bool annotates_claim(uint32_t kind) { return kind == KARP_ACTION_ANNOTATE_CLAIM; }
static bool sets_condition(uint32_t kind)
{
    return kind == KARP_ACTION_SET_CONDITION || kind == KARP_ACTION_CLEAR_CONDITION;
}

static bool refers_to_class(const tree *pool)
{
    return tree_get(tree_get(tree_get(tree_get(pool, "spec"), "template"), "spec"), "nodeClassRef") != NULL;
}

/* A dump that the replay goes on from states what the API server fills in, and a trace need not. */
static bool same_pool(engine *e, const tree *before, const tree *after)
{
    const tree *given[2] = { before, after };
    tree *filled[2];
    bool fill = refers_to_class(before) && refers_to_class(after);
    trees t = trees_on(e->context);
    for (size_t i = 0; i < 2; i++) {
        filled[i] = tree_deep_copy(&t, given[i], false);
        if (fill && !t.status) io_fill_pool(NULL, &t, filled[i]); /* only a missing reference is taken from a reader */
    }
    bool same = tree_equal(tree_get(filled[0], "spec"), tree_get(filled[1], "spec"));
    if (t.status) engine_nomem(e);
    trees_free(&t);
    return same;
}

void drift_expect(engine *e, const tree *before, const tree *after)
{
    const tree *had = tree_get(before, "spec"), *has = tree_get(after, "spec");
    karp_advice *advice = NULL;
    bool selects = false, pool = before && replay_is_pool(before);
    bool is_class = !pool && str_ends(tree_get_text(before, "kind"), "NodeClass");
    if (!(pool && !tree_equal(had, has) && !same_pool(e, before, after)) &&
        !(is_class && io_class_changed(had, has, &selects)))
        return;
    if (e->nodes.alive_count == 0) return; /* none can drift, and a snapshot takes time */
    if (is_class) add_class(e, after);
    if (e->drift.before || e->status) return;
    e->drift.before = karp_snapshot_ref(engine_snapshot(e));
    if (!e->drift.before) return;
    karp_status status = karp_advise_hashes(e->drift.before, &advice, &e->error);
    follow(e, status, advice, annotates_claim, annotate);
}

static void take(engine *e, const karp_action *action)
{
    uint32_t node = io_table_get(&e->nodes.index, action->object);
    if (node == IO_NONE || e->nodes.list[node].given) return;
    replay_node *n = &e->nodes.list[node];
    replay_drift_result *r = &e->meter.result.drift;
    bool drifts = action->kind == KARP_ACTION_SET_CONDITION;
    if (drifts && !n->drifted) {
        if (r->begins == KARP_NO_TIME) r->before = e->meter.cost_rate;
        if (r->begins == KARP_NO_TIME) r->begins = e->now;
        r->nodes++;
    }
    r->nodes -= !drifts && n->drifted && r->nodes > 0 && !n->deleting && !n->tainted;
    n->drifted = action->kind == KARP_ACTION_SET_CONDITION;
    n->drifted_at = e->now;
    n->drift_reason = engine_text(e, action->value);
    node_touch(e, node);
}

void drift_note(engine *e)
{
    struct replay_drift *d = &e->drift;
    karp_advice *advice = NULL;
    if (!d->before || e->status) return;
    const karp_snapshot *snapshot = engine_snapshot(e);
    karp_status status = snapshot ? karp_advise_replaced(d->before, snapshot, e->now, d->node_classes, d->class_count,
                                                         &advice, &e->error)
                                  : e->status;
    follow(e, status, advice, sets_condition, take);
    karp_snapshot_unref(d->before);
    d->before = NULL;
    d->class_count = 0;
}

void drift_goes(engine *e, uint32_t node, bool goes)
{
    replay_drift_result *r = &e->meter.result.drift;
    if (!e->nodes.list[node].drifted || r->begins == KARP_NO_TIME) return;
    if (goes) r->going++;
    else if (r->going > 0) r->going--;
    if (r->going > r->at_once) r->at_once = r->going;
    drift_launched(e);
}

void drift_launched(engine *e)
{
    replay_drift_result *r = &e->meter.result.drift;
    if (r->going > 0 && e->meter.cost_rate > r->during) r->during = e->meter.cost_rate;
}

void drift_gone(engine *e, uint32_t node)
{
    replay_drift_result *r = &e->meter.result.drift;
    if (!e->nodes.list[node].drifted || r->begins == KARP_NO_TIME) return;
    drift_goes(e, node, false);
    r->gone++;
    r->ends = e->now;
    r->after = e->meter.cost_rate;
}

void drift_free(engine *e)
{
    karp_snapshot_unref(e->drift.before);
    karp_free(e->context, e->drift.node_classes, e->drift.class_capacity * sizeof *e->drift.node_classes);
}
