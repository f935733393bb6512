/* SPDX-License-Identifier: Apache-2.0 */
/* Of a pod that is not placed: limits of NodePools, what is in use of them, and what refuses the pod behind them. */
#include <explain/explain_pod.h>
#include <math.h>
#include <explain/market.h>
#include <explain/node_causes.h>

#include <base/str.h>
#include <schedule/report.h>

/* ---- limits ------------------------------------------------------------------------------------------------------ */

amount limit_used(const karp_snapshot *s, uint32_t pool, const resource_amount *limit)
{
    amount used = amount_from(0), sum;
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].pool != pool || s->nodes[i].marked) continue;
        if (amount_add(used, resource_list_get(s->nodes[i].capacity, limit->resource), &sum)) used = sum;
    }
    return used;
}

void show_use_of_limits(const karp_snapshot *s, uint32_t pool, strbuf *b)
{
    resource_list limits = s->raw.pools.items[pool].limits;
    uint32_t count = 0;
    for (uint32_t i = 0; i < limits.count; i++) {
        amount used = limit_used(s, pool, &limits.items[i]);
        if (amount_sign(used) <= 0) continue;
        strbuf_adds(b, count++ == 0 ? ", in use " : ", ");
        strbuf_put(b, "", strings_get(&s->raw.resources, limits.items[i].resource), " ");
        add_quantity(b, used, limits.items[i].binary);
    }
}

/* The table and the number of the type that has least of the resource, of those that a node for the pod can have; NULL
 * = there is none. */
static const instance_type *smallest_type(const search *x, uint32_t pool, uint32_t resource, strbuf *b)
{
    const karp_snapshot *s = x->snapshot;
    market m = { .set = EMPTY_SET, .requests = original_shape(x)->requests };
    demand d = { EMPTY_SET, NO_ID };
    const instance_type *least = NULL;
    if (s->pool_table[pool] == NO_ID || resource == RESOURCE_NODES) return NULL;
    m.table = &s->tables[s->pool_table[pool]];
    bool ok = algebra_init(&m.algebra, s->context, &s->facts, &s->algebra) &&
              demand_of_expressions(&m.algebra, s->raw.pools.items[pool].requirements, &d);
    m.set = d.set;
    for (uint32_t t = 0; ok && t < m.table->type_count; t++) {
        const instance_type *type = &m.table->types[t];
        if (market_price(&m, t) >= HUGE_VAL || market_lacking(&m, t)) continue;
        if (least == NULL || amount_cmp(resource_list_get(type->capacity_list, resource),
                                        resource_list_get(least->capacity_list, resource)) < 0)
            least = type;
    }
    b->failed = b->failed || !ok || m.algebra.failed;
    algebra_free(&m.algebra);
    return least;
}

/* The most that a node of the NodePool has of the resource. */
static amount largest_node(const karp_snapshot *s, uint32_t pool, uint32_t resource)
{
    amount most = amount_from(0);
    for (uint32_t i = 0; i < s->node_count; i++) {
        amount has = resource_list_get(s->nodes[i].capacity, resource);
        if (s->nodes[i].pool == pool && !s->nodes[i].marked && amount_cmp(has, most) > 0) most = has;
    }
    return most;
}

/* Says what is in use of the limit, and what a node needs. Whether the limit has no room for one more node. */
static bool show_limit(const search *x, uint32_t pool, const resource_amount *limit, strbuf *b)
{
    const karp_snapshot *s = x->snapshot;
    const karp_decision *d = x->out->decision;
    amount used = limit_used(s, pool, limit), sum;
    strbuf_put(b, "", strings_get(&s->raw.resources, limit->resource), ": limit ");
    add_quantity(b, limit->value, limit->binary);
    strbuf_adds(b, ", in use ");
    add_quantity(b, used, limit->binary);
    size_t launches = launches_of(d, name_of(s, s->raw.pools.items[pool].meta.name));
    if (launches > 0) {
        strbuf_adds(b, " before ");
        add_count(b, launches, " launch of this round", " launches of this round");
    }
    if (amount_cmp(used, limit->value) > 0) {
        strbuf_adds(b, " (limits only stop launches, and remove no nodes)");
        return true;
    }
    const instance_type *least = smallest_type(x, pool, limit->resource, b);
    if (least == NULL || b->failed) return true;
    amount needs = resource_list_get(least->capacity_list, limit->resource);
    strbuf_adds(b, "; a node for the pod has at least ");
    add_quantity(b, needs, limit->binary);
    strbuf_put(b, " (", text_of(s, least->name), ")");
    if (launches > 0 || !amount_add(used, needs, &sum)) return true;
    if (amount_cmp(sum, limit->value) <= 0) return false;
    amount most = largest_node(s, pool, limit->resource), rest;
    if (amount_sign(most) > 0 && amount_sub(sum, most, &rest) && amount_cmp(rest, limit->value) > 0)
        strbuf_adds(b, ", and has no room in the place of one of its nodes either");
    return true;
}

static bool by_limits(const karp_pool_refusal *r)
{
    return r->code == KARP_REASON_LIMITS || r->code == KARP_REASON_NODE_LIMITS;
}

static void limits_of_pools(search *s, const karp_unschedulable *row)
{
    for (size_t i = 0; i < row->pool_count; i++) {
        uint32_t pool = pool_named(s->snapshot, row->pools[i].node_pool);
        if (!by_limits(&row->pools[i]) || pool == NO_ID) continue;
        resource_list limits = s->snapshot->raw.pools.items[pool].limits;
        strbuf text = strbuf_on(s->out->context);
        strbuf_put(&text, "NodePool ", row->pools[i].node_pool, "");
        size_t before = text.len;
        for (uint32_t all = 0; all < 2 && text.len == before; all++) { /* limits that have room, only if all have */
            for (uint32_t k = 0; k < limits.count; k++) {
                size_t start = text.len;
                strbuf_adds(&text, start == before ? ": " : "; ");
                if (!show_limit(s, pool, &limits.items[k], &text) && all == 0) text.len = start;
            }
        }
        record_cause(s->out, KARP_PLACEMENT_LIMITS, &text);
    }
}

/* ---- behind limits ----------------------------------------------------------------------------------------------- */

/* "raising the limits of NodePool std is not enough, as it would refuse the pod all the same: REASON" */
static void show_behind(search *s, const karp_unschedulable *row, const karp_pool_refusal *r)
{
    strbuf b = strbuf_on(s->out->context);
    strbuf_put(&b, "raising the limits of NodePool ", r->node_pool,
               " is not enough, as it would still refuse the pod: ");
    if (r->code == KARP_REASON_TOPOLOGY && row->topology_count > 0) {
        strbuf_addstr(&b, row->topologies[0].key);
        strbuf_put(&b, ": ", row->topologies[0].cause, "");
    } else {
        strbuf_addstr(&b, refusal_text(r));
    }
    record_cause(s->out, KARP_PLACEMENT_BEHIND_LIMITS, &b);
}

/* The changes that place the pod if the limits are raised as well. */
static void changes_behind(search *s, karp_decision *lifted)
{
    karp_decision *given = s->out->decision;
    size_t waiting = s->waiting;
    s->out->decision = lifted;
    s->waiting = lifted->unschedulable.count;
    look_for_remedies(s);
    s->out->decision = given;
    s->waiting = waiting;
}

/* Karpenter looks at limits first, and at nothing else of a NodePool whose types all exceed them. So what to act on may
 * be behind them: the decision without limits has it. */
static void behind_limits(search *s, const karp_unschedulable *row)
{
    karp_options full = *s->options;
    karp_decision *lifted = NULL;
    bool alone = s->out->remedies.count == 0, raised = false;
    for (size_t i = 0; i < s->out->remedies.count; i++)
        raised = raised || s->out->remedies.items[i].kind == KARP_REMEDY_RAISE_LIMIT;
    if (raised) return; /* then limits are the only cause */
    full.explain = KARP_EXPLAIN_FULL;
    s->changed.unlimited = true;
    overlay_view_reset(&s->changed);
    s->status = overlay_decide(&s->changed, &full, &lifted, s->error);
    const karp_unschedulable *bare = s->status == KARP_OK ? search_row(s, lifted) : NULL;
    for (size_t i = 0; bare != NULL && i < row->pool_count; i++) {
        for (size_t k = 0; by_limits(&row->pools[i]) && k < bare->pool_count; k++) {
            const karp_pool_refusal *r = &bare->pools[k];
            if (equal_str(r->node_pool, row->pools[i].node_pool) && !by_limits(r)) show_behind(s, bare, r);
        }
    }
    if (bare != NULL && alone && !s->out->refused) changes_behind(s, lifted);
    s->changed.unlimited = false;
    overlay_view_reset(&s->changed);
    karp_decision_unref(lifted);
}

void find_limit_causes(search *s)
{
    const karp_unschedulable *row = search_row(s, s->out->decision);
    bool limited = false;
    for (size_t i = 0; row != NULL && i < row->pool_count; i++) {
        uint32_t pool = pool_named(s->snapshot, row->pools[i].node_pool);
        const karp_pool_refusal *r = &row->pools[i];
        bool small = r->code == KARP_REASON_TYPE_RESOURCES || (r->types_requirements > 0 && r->types_resources == 0);
        if (small && pool != NO_ID) size_causes(s->out, s->snapshot, pool);
        limited = limited || by_limits(&row->pools[i]);
    }
    if (limited && !s->out->refused) behind_limits(s, row);
    if (limited && !s->out->refused && s->status == KARP_OK) limits_of_pools(s, row);
}
