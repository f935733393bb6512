/* SPDX-License-Identifier: Apache-2.0 */
/* Why a pod is placed on its NodePool and not on another one: every other NodePool is tried in a round of its own. */
#include <explain/explain_pod.h>

#include <base/error.h>
#include <base/sort.h>
#include <schedule/report.h>

enum { ALTERNATIVES_MOST = 12 };

/* The NodePool that launches the pod's node; NO_ID = the pod is placed on an existing node. */
static uint32_t own_pool(const search *s, const karp_decision *d)
{
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        if (ids_have(l->pods, l->pod_count, s->pod)) return pool_named(s->snapshot, l->node_pool);
    }
    return NO_ID;
}

/* Makes the pods of the shape require the NodePool; false = they require another one. */
static bool pin(search *s, uint32_t pool)
{
    uint32_t key = s->snapshot->known.node_pool, own = s->snapshot->pool_names[pool].name;
    uint32_t had = label_get(original_shape(s)->node_selector, key);
    if (had != NO_ID) return had == own;
    return select_label(s, overlay_shape(&s->changed, s->shape), key, own);
}

static karp_decision *decide(search *s)
{
    karp_decision *d = search_decide(s);
    overlay_view_reset(&s->changed);
    return d;
}

/* "spread on KEY: CAUSE" */
static void name_topology(search *s, const karp_topology *t, karp_alternative *a)
{
    strbuf b = strbuf_on(s->snapshot->context);
    strbuf_addstr(&b, t->key);
    strbuf_put(&b, ": ", t->cause, "");
    if (b.failed) s->status = KARP_E_NOMEM;
    else a->detail = search_keep(s, (karp_str){ b.ptr, b.len });
    strbuf_free(&b);
}

/* Reads the reason of the NodePool. The other NodePools only report that they are not selected. */
static void take_refusal(search *s, const karp_decision *d, karp_alternative *a)
{
    const karp_unschedulable *u = search_row(s, d);
    if (u == NULL) return;
    a->code = u->code;
    a->detail = search_keep(s, u->message);
    for (size_t k = 0; k < u->pool_count; k++) {
        if (!equal_str(u->pools[k].node_pool, a->node_pool)) continue;
        a->code = u->pools[k].code;
        a->detail = search_keep(s, u->pools[k].detail);
    }
    if (a->code == KARP_REASON_TOPOLOGY && u->topology_count > 0) name_topology(s, &u->topologies[0], a);
}

/* Adds the limits to the reason, "limit cpu 400, memory 1600Gi", because the round only reports that they are
 * reached. */
static void name_limits(search *s, uint32_t pool, karp_alternative *a)
{
    strbuf text = strbuf_on(s->snapshot->context);
    limits_name(s->snapshot, pool, &text);
    if (text.len > 0) show_use_of_limits(s->snapshot, pool, &text);
    if (text.failed) s->status = KARP_E_NOMEM;
    else if (text.len > 0) a->detail = search_keep(s, (karp_str){ text.ptr, text.len });
    strbuf_free(&text);
}

/* Reads what is launched for the pod. */
static void take_choice(search *s, const karp_decision *d, karp_alternative *a)
{
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        if (!ids_have(l->pods, l->pod_count, s->pod)) continue;
        a->choice = search_keep_choice(s, &l->choice);
    }
}

/* Decides without the NodePool's limits: the total cost, and what is launched for the pod if it is placed there. */
static void try_without_limits(search *s, uint32_t pool, karp_alternative *a)
{
    overlay_pool(&s->changed, pool)->limits = (resource_list){ NULL, 0 };
    karp_decision *d = decide(s);
    if (d == NULL) return;
    if (d->complete && d->unschedulable.count <= s->waiting) {
        a->cost_known = 1;
        a->cost_change = karp_decision_cost_after(d) - karp_decision_cost_after(s->out->decision);
        if (own_pool(s, d) == pool) take_choice(s, d, a);
    }
    karp_decision_unref(d);
}

static void try_pool(search *s, uint32_t pool, karp_alternative *a)
{
    static const karp_str nothing = { "", 0 };
    a->detail = nothing;
    a->choice = (karp_choice){ nothing, nothing, nothing, 0 };
    if (!pin(s, pool)) {
        overlay_view_reset(&s->changed);
        a->code = KARP_REASON_REQUIREMENTS;
        return;
    }
    karp_decision *d = decide(s);
    if (d == NULL) return;
    take_refusal(s, d, a);
    if (a->code == 0) take_choice(s, d, a);
    if (a->code == 0 && d->complete && d->unschedulable.count <= s->waiting) {
        a->cost_known = 1;
        a->cost_change = karp_decision_cost_after(d) - karp_decision_cost_after(s->out->decision);
    }
    karp_decision_unref(d);
    if (a->code == KARP_REASON_LIMITS) name_limits(s, pool, a);
    if (a->code == KARP_REASON_LIMITS && s->status == KARP_OK) try_without_limits(s, pool, a);
}

/* By descending weight, the order in which the round tries them. */
static int by_weight(const void *x, const void *y, const void *user)
{
    const karp_alternative *a = x, *b = y;
    (void)user;
    int order = (a->weight < b->weight) - (a->weight > b->weight);
    return order ? order : compare_str(a->node_pool, b->node_pool);
}

void try_alternatives(search *s)
{
    karp_pod_explanation *e = s->out;
    uint32_t own = own_pool(s, e->decision);
    if (own == NO_ID) return;
    e->weight = s->snapshot->raw.pools.items[own].weight;
    for (uint32_t p = 0; p < s->snapshot->raw.pools.count && s->status == KARP_OK; p++) {
        if (p == own || e->alternatives.count >= ALTERNATIVES_MOST || search_over(s)) continue;
        karp_alternative *a = search_memory(s, list_push(e->context, &e->alternatives, sizeof *a));
        if (a == NULL) return;
        *a = (karp_alternative){ .size = sizeof *a,
                                 .node_pool = search_keep(s, pool_name(s->snapshot, p)),
                                 .weight = s->snapshot->raw.pools.items[p].weight };
        try_pool(s, p, a);
    }
    if (s->status == KARP_OK && !sort_stable(e->context, e->alternatives.items, e->alternatives.count,
                                             sizeof(karp_alternative), by_weight, NULL))
        s->status = KARP_E_NOMEM;
}

int32_t karp_pod_explanation_weight(const karp_pod_explanation *explanation) { return explanation->weight; }

size_t karp_pod_explanation_alternative_count(const karp_pod_explanation *explanation)
{
    return explanation->alternatives.count;
}

karp_status karp_pod_explanation_alternative(const karp_pod_explanation *explanation, size_t index,
                                             karp_alternative *out)
{
    if (index >= explanation->alternatives.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &explanation->alternatives.items[index], sizeof *out,
                       SIZE_THROUGH(karp_alternative, cost_change));
}
