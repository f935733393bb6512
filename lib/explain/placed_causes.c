/* SPDX-License-Identifier: Apache-2.0 */
/* Why a placed pod is placed where it is: what existing nodes lack, why the instance type, what fills the node. */
#include <explain/node_causes.h>
#include <explain/type_causes.h>

#include <base/error.h>
#include <base/sort.h>
#include <karp/what_if.h>
#include <model/quantity.h>
#include <model/taints.h>
#include <schedule/movable.h>
#include <schedule/report.h>

enum { NODES_NAMED = 5 };

void record_cause(karp_pod_explanation *e, uint32_t kind, strbuf *text)
{
    karp_placement_cause *row = text->failed ? NULL : list_push(e->context, &e->causes, sizeof *row);
    const char *copy = row == NULL ? NULL : arena_string(&e->data, text->ptr, text->len);
    if (row != NULL) *row = (karp_placement_cause){ .size = sizeof *row, .kind = kind, .text = { copy, text->len } };
    e->refused = e->refused || copy == NULL;
    strbuf_free(text);
}

void add_count(strbuf *b, size_t count, const char *one, const char *several)
{
    strbuf_addu(b, count);
    strbuf_adds(b, count == 1 ? one : several);
}

/* ---- existing nodes ---------------------------------------------------------------------------------------------- */

/* Bits of the pod's requests for which the node has too little left; 0 = that is not the reason, or pods of this round
 * fill the node. */
static uint64_t lacking_on(const search *s, const karp_target_refusal *t)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint32_t number = t->code == KARP_REASON_RESOURCES ? state_node_named(snapshot, t->target) : NO_ID;
    const pod_class *c = &snapshot->classes[snapshot->pod_class[s->pod]];
    resource_list asked = snapshot->raw.shapes.items[c->shape].requests;
    uint64_t bits = 0;
    for (uint32_t i = 0; number != NO_ID && i < asked.count && i < 64; i++) {
        uint32_t column = snapshot->column_of[asked.items[i].resource];
        if (c->requests[column] > snapshot->nodes[number].available[column]) bits |= UINT64_C(1) << i;
    }
    return bits;
}

/* The first taint of the node that the pod does not tolerate; NULL = that is not the reason. */
static const taint *stopped_by(const search *s, const karp_target_refusal *t)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint32_t number = t->code == KARP_REASON_TAINTS ? state_node_named(snapshot, t->target) : NO_ID;
    for (uint32_t i = 0; number != NO_ID && i < snapshot->nodes[number].taints.count; i++) {
        const taint *one = &snapshot->nodes[number].taints.items[i];
        if (one->effect != snapshot->known.prefer_no_schedule &&
            !taint_tolerated(snapshot, original_shape(s)->tolerations, one))
            return one;
    }
    return NULL;
}

/* "taint a=b:NoSchedule is not tolerated", and whether something else than its NodePool puts it on the node: Karpenter
 * launches further nodes for the same pods then. */
static void show_stop(const search *s, const karp_target_refusal *t, const taint *stop, strbuf *b)
{
    const karp_snapshot *snapshot = s->snapshot;
    const state_node *n = &snapshot->nodes[state_node_named(snapshot, t->target)];
    bool declared = n->pool == NO_ID || taint_declared(snapshot, &snapshot->raw.pools.items[n->pool], stop);
    strbuf_adds(b, "taint ");
    show_taint(snapshot, b, stop);
    if (!declared) {
        strbuf_put(b, ", which NodePool ", name_of(snapshot, snapshot->raw.pools.items[n->pool].meta.name),
                   " does not declare,");
    }
    strbuf_adds(b, declared ? " is not tolerated"
                            : " is not tolerated; if something removes the taint, it belongs in startupTaints");
}

static bool same_taint(const taint *a, const taint *b)
{
    if (a == NULL || b == NULL) return a == b;
    return a->key == b->key && a->value == b->value && a->effect == b->effect;
}

/* Which of its rules a domain would have to satisfy, or that those of other pods do. */
static void show_rules(const search *s, strbuf *b)
{
    const shape *h = original_shape(s);
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->spread.count; i++) {
        if (h->spread.items[i].schedule_anyway) continue;
        strbuf_put(b, count++ > 0 ? " or its topology spread by " : "its topology spread by ",
                   text_of(s->snapshot, h->spread.items[i].topology_key), "");
    }
    if (h->required_affinity.count > 0)
        strbuf_put(b, count++ > 0 ? " or its pod affinity by " : "its pod affinity by ",
                   text_of(s->snapshot, h->required_affinity.items[0].topology_key), "");
    if (h->required_anti.count > 0)
        strbuf_put(b, count++ > 0 ? " or its pod anti-affinity by " : "its pod anti-affinity by ",
                   text_of(s->snapshot, h->required_anti.items[0].topology_key), "");
    strbuf_adds(b, count > 0 ? " does not allow it" : "the pod anti-affinity of other pods does not allow it");
}

static void add_reason(const search *s, const karp_target_refusal *t, strbuf *b)
{
    const karp_snapshot *snapshot = s->snapshot;
    const taint *stop = stopped_by(s, t);
    uint64_t lacking = lacking_on(s, t);
    resource_list asked = snapshot->raw.shapes.items[snapshot->classes[snapshot->pod_class[s->pod]].shape].requests;
    uint32_t count = 0;
    if (stop != NULL) show_stop(s, t, stop, b);
    else if (t->code == KARP_REASON_TOPOLOGY) show_rules(s, b);
    else if (lacking == 0) strbuf_adds(b, karp_reason_text(t->code));
    for (uint32_t i = 0; lacking != 0 && i < asked.count && i < 64; i++) {
        if ((lacking >> i & 1) == 0) continue;
        strbuf_adds(b, count++ == 0 ? "not enough free " : " and ");
        strbuf_addstr(b, strings_get(&snapshot->raw.resources, asked.items[i].resource));
    }
}

static bool same_reason(const search *s, const karp_target_refusal *a, const karp_target_refusal *b)
{
    return !a->is_launch && a->code == b->code && lacking_on(s, a) == lacking_on(s, b) &&
           same_taint(stopped_by(s, a), stopped_by(s, b));
}

/* "2 existing nodes do not take it: TEXT of the reason (a, b)" */
static void add_refusals(search *s, const karp_unschedulable *row, size_t first)
{
    karp_pod_explanation *e = s->out;
    size_t count = 0;
    strbuf names = strbuf_on(e->context);
    strbuf text = strbuf_on(e->context);
    for (size_t i = first; i < row->target_count; i++) {
        if (!same_reason(s, &row->targets[i], &row->targets[first])) continue;
        if (count++ >= NODES_NAMED) continue;
        if (count > 1) strbuf_adds(&names, ", ");
        strbuf_addstr(&names, row->targets[i].target);
    }
    if (count > NODES_NAMED) {
        strbuf_putu(&names, " and ", count - NODES_NAMED, " more");
    }
    add_count(&text, count, " existing node does not take it: ", " existing nodes do not take it: ");
    add_reason(s, &row->targets[first], &text);
    strbuf_put(&text, " (", (karp_str){ names.ptr, names.failed ? 0 : names.len }, ")");
    e->refused = e->refused || names.failed;
    strbuf_free(&names);
    record_cause(e, KARP_PLACEMENT_EXISTING_NODES, &text);
}

/* Limits of no nodes leave the pod to the existing nodes, as they are in the decision: Karpenter tries them before any
 * new node. */
static void existing_nodes(search *s)
{
    resource_amount none = { .resource = RESOURCE_NODES };
    const karp_snapshot *snapshot = s->snapshot;
    karp_options full = *s->options;
    karp_decision *d = NULL;
    if (snapshot->node_count == 0) return;
    for (uint32_t p = 0; p < snapshot->raw.pools.count; p++)
        overlay_pool(&s->changed, p)->limits = (resource_list){ &none, 1 };
    full.explain = KARP_EXPLAIN_FULL;
    s->status = overlay_decide(&s->changed, &full, &d, s->error);
    overlay_view_reset(&s->changed);
    if (s->status != KARP_OK) return;
    const karp_unschedulable *row = search_row(s, d);
    for (size_t i = 0; row != NULL && i < row->target_count; i++) {
        bool before = row->targets[i].is_launch != 0;
        for (size_t k = 0; k < i && !before; k++) before = same_reason(s, &row->targets[k], &row->targets[i]);
        if (!before) add_refusals(s, row, i);
    }
    karp_decision_unref(d);
}

/* ---- what fills the node ----------------------------------------------------------------------------------------- */

/* "most used on the node: pods 29 of 29 (100%)" */
static void show_fullest(const karp_launch *l, strbuf *b)
{
    launch_use use;
    if (!launch_fullest(l, &use)) return;
    strbuf_put(b, "most used on the node: ", use.resource, " ");
    quantity asked, has;
    if (quantity_parse(use.requested.ptr, use.requested.len, &asked) != 0 ||
        quantity_parse(use.allocatable.ptr, use.allocatable.len, &has) != 0)
        asked = has = (quantity){ .binary = false };
    add_quantities(b, asked.value, " of ", has.value, asked.binary);
    strbuf_putu(b, " (", (uint64_t)(use.part * 100 + 0.5), "%)");
}

/* Nothing is said unless they are as many as the decision counts on the node. */
static void daemons_of(karp_pod_explanation *e, const karp_snapshot *s, market *m, uint32_t pool, const karp_launch *l)
{
    karp_str text = { "", 0 };
    double pods = amount_named(l->requests, l->request_count, str("pods"), &text) - (double)l->pod_count;
    uint32_t type = market_launched(s, m, l), count = 0;
    strbuf b = strbuf_on(e->context);
    strbuf_adds(&b, "DaemonSets on the node: ");
    for (uint32_t i = 0; i < s->daemon_count && type < m->table->type_count; i++) {
        if (!daemon_runs_on(s, m, &s->raw.pools.items[pool], &s->daemons[i], type)) continue;
        if (count++ > 0) strbuf_adds(&b, ", ");
        show_daemon(s, &s->daemons[i], &b);
    }
    bool right = count > 0 && pods > count - 0.5 && pods < count + 0.5;
    if (right) record_cause(e, KARP_PLACEMENT_DAEMONS, &b);
    else strbuf_free(&b);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static const karp_launch *launch_of(const karp_decision *d, uint32_t pod_number)
{
    for (size_t i = 0; i < d->launches.count; i++) {
        if (ids_have(d->launches.items[i].pods, d->launches.items[i].pod_count, pod_number))
            return &d->launches.items[i];
    }
    return NULL;
}

static const karp_placement *placement_of(const karp_decision *d, uint32_t pod_number)
{
    for (size_t i = 0; i < d->placements.count; i++) {
        if (ids_have(d->placements.items[i].pods, d->placements.items[i].pod_count, pod_number))
            return &d->placements.items[i];
    }
    return NULL;
}

static void keep_overcommit(karp_pod_explanation *e, bool any, strbuf *b)
{
    if (any) record_cause(e, KARP_PLACEMENT_OVERCOMMIT, b);
    else strbuf_free(b);
}

void overcommit_cause(karp_pod_explanation *e, const karp_snapshot *s, uint32_t pod_number)
{
    uint32_t number = state_node_named(s, name_of(s, pod_at(&s->raw, pod_number)->node));
    strbuf b = strbuf_on(e->context);
    keep_overcommit(e, number != NO_ID && show_overcommit_of_node(&b, s, number), &b);
}

static void overcommit_of_launch(karp_pod_explanation *e, const karp_snapshot *s, const market *m, const karp_launch *l)
{
    uint32_t type = market_launched(s, m, l);
    strbuf b = strbuf_on(e->context);
    bool any = type < m->table->type_count &&
               show_overcommit(&b, s, l->pods, l->pod_count,
                               resource_list_get(m->table->types[type].allocatable_list, RESOURCE_MEMORY));
    keep_overcommit(e, any, &b);
}

/* Why the launch's type, after `before`; what fills the node, and DaemonSets, unless `brief`. */
static void launch_causes(karp_pod_explanation *e, const karp_snapshot *s, const karp_launch *l, uint32_t kind,
                          strbuf *before, bool brief)
{
    market m;
    if (!market_of(e->context, &e->data, s, l, (karp_str){ "", 0 }, &m, &e->refused)) {
        strbuf_free(before);
        return;
    }
    (void)market_show_type(s, &m, l, before);
    record_cause(e, kind, before);
    if (!e->refused && !brief) {
        strbuf fullest = strbuf_on(e->context);
        show_fullest(l, &fullest);
        record_cause(e, KARP_PLACEMENT_FULLEST, &fullest);
        if (!e->refused) crowd_causes(e, s, &m, l, market_launched(s, &m, l));
        if (!e->refused) overcommit_of_launch(e, s, &m, l);
        if (!e->refused) one_more_cause(e, s, &m, l, market_launched(s, &m, l));
        if (!e->refused) excluded_causes(e, s, l);
        if (!e->refused) generation_cause(e, s, &m, l, market_launched(s, &m, l));
        if (!e->refused) daemons_of(e, s, &m, pool_named(s, l->node_pool), l);
    }
    e->refused = e->refused || m.algebra.failed;
    algebra_free(&m.algebra);
}

/* Of a pod that Karpenter counts on a node which is not initialized yet. */
static void starting_node(search *s, const karp_placement *p)
{
    uint32_t number = state_node_named(s->snapshot, p->node);
    if (number == NO_ID || !s->snapshot->nodes[number].managed || s->snapshot->nodes[number].initialized) return;
    strbuf b = strbuf_on(s->out->context);
    strbuf_put(&b, "node ", p->node, " is not initialized yet");
    show_start(&b, s->snapshot, number);
    strbuf_adds(&b, "; Karpenter waits for it, and launches no other node for the pod");
    record_cause(s->out, KARP_PLACEMENT_ORDER, &b);
}

/* Of a pod without requests: nothing but the number of pods keeps it off a node. */
static void no_requests(search *s)
{
    resource_list asked = original_shape(s)->requests;
    if (resource_list_find(asked, RESOURCE_CPU) != NULL || resource_list_find(asked, RESOURCE_MEMORY) != NULL) return;
    strbuf b = strbuf_on(s->out->context);
    strbuf_adds(&b, "it requests neither cpu nor memory: Karpenter and kube-scheduler count only the number of pods of "
                    "a node, and what its containers use has no part in it");
    record_cause(s->out, KARP_PLACEMENT_FULLEST, &b);
}

void find_placement_causes(search *s)
{
    karp_pod_explanation *e = s->out;
    const karp_launch *l = launch_of(e->decision, e->pod);
    const karp_placement *placed = l == NULL ? placement_of(e->decision, e->pod) : NULL;
    strbuf text = strbuf_on(e->context);
    if (l != NULL) {
        existing_nodes(s);
        if (s->status == KARP_OK) domain_causes(s, l);
        if (s->status == KARP_OK) dropped_causes(s);
        if (s->status == KARP_OK) placed_volume_causes(s);
        if (s->status == KARP_OK) apart_causes(s, l);
        if (s->status == KARP_OK) launch_causes(e, s->snapshot, l, KARP_PLACEMENT_TYPE, &text, false);
        else strbuf_free(&text);
        if (s->status == KARP_OK) pool_causes(s, l);
    } else if (s->snapshot->raw.pools.count > 0 && placed != NULL) {
        strbuf_adds(&text,
                    "existing nodes come before any NodePool: weights and prices are compared for new nodes only");
        record_cause(e, KARP_PLACEMENT_ORDER, &text);
        if (!e->refused) starting_node(s, placed);
    } else {
        strbuf_free(&text);
    }
    if (s->status == KARP_OK && !e->refused) no_requests(s);
}

/* ---- running pods ------------------------------------------------------------------------------------------------ */

static void add_offer(strbuf *b, karp_str type, karp_str zone, karp_str capacity_type)
{
    const karp_str parts[] = { type, zone, capacity_type };
    for (size_t i = 0; i < 3; i++) {
        if (parts[i].len == 0) continue;
        strbuf_put(b, ", ", parts[i], "");
    }
}

void add_running(karp_pod_explanation *e, const karp_snapshot *s, uint32_t pod_number, int64_t now)
{
    const pod *p = pod_at(&s->raw, pod_number);
    karp_str on = name_of(s, p->node);
    uint32_t number = state_node_named(s, on);
    strbuf text = strbuf_on(e->context);
    strbuf_put(&text, "it runs on node ", on, "");
    if (number != NO_ID) {
        const state_node *n = &s->nodes[number];
        uint32_t type = label_get(n->labels, s->known.instance_type);
        add_offer(&text, text_or_none(s, type), text_or_none(s, n->zone), text_or_none(s, n->capacity_type));
        if (n->pool != NO_ID) {
            strbuf_put(&text, ", of NodePool ", name_of(s, s->raw.pools.items[n->pool].meta.name), "");
        }
    }
    if (number == NO_ID || !s->nodes[number].marked)
        strbuf_adds(&text,
                    ": kube-scheduler bound it there, and Karpenter does not move it until it disrupts the node");
    else if (!pod_disruptable(s, p, now))
        strbuf_adds(&text, "; the node is being deleted, but karpenter.sh/do-not-disrupt of the pod holds its drain");
    else if (pod_holds_drain(s, pod_number, now))
        strbuf_adds(&text, "; the node is being deleted, but a PodDisruptionBudget of the pod holds its drain");
    else strbuf_adds(&text, "; the node is being deleted, and its drain evicts the pod");
    record_cause(e, KARP_PLACEMENT_RUNNING, &text);
}

karp_status add_replacement(karp_pod_explanation *e, const karp_snapshot *s, const karp_options *options,
                            uint32_t pod_number, karp_error *error)
{
    karp_str on = name_of(s, pod_at(&s->raw, pod_number)->node);
    uint32_t number = state_node_named(s, on);
    karp_decision *d = NULL;
    const karp_change change = { .kind = KARP_CHANGE_REMOVE_NODE, .name = on };
    if (number == NO_ID || !s->nodes[number].managed || s->nodes[number].claim == NO_ID) return KARP_OK;
    karp_status status = karp_what_if(s, &change, 1, options, &d, error);
    if (status != KARP_OK) return status;
    const karp_launch *l = launch_of(d, pod_number);
    strbuf text = strbuf_on(e->context);
    strbuf_adds(&text, "if the node were removed today, ");
    if (l != NULL) {
        strbuf_adds(&text, "the pod would get a new one: ");
        launch_causes(e, s, l, KARP_PLACEMENT_TODAY, &text, true);
    } else {
        bool moves = pod_reschedulable(pod_at(&s->raw, pod_number)), fits = placement_of(d, pod_number) != NULL;
        strbuf_adds(&text, fits     ? "the pod would fit on another existing node"
                           : !moves ? "the pod would end with it, and Karpenter looks for no other node"
                                    : "the pod would have no node");
        record_cause(e, KARP_PLACEMENT_TODAY, &text);
    }
    karp_decision_unref(d);
    return e->refused ? fail_nomem(error) : KARP_OK;
}
