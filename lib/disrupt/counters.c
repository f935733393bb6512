/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/counters.h>

/* A claim is marked when its state node is; one without a state node counts as active whatever it says itself. */
pool_counters count_claims(const karp_snapshot *w, uint32_t pool)
{
    pool_counters k = { 0, 0 };
    for (size_t i = 0; i < w->raw.claims.count; i++) {
        k.active += label_get(w->raw.claims.items[i].meta.labels, w->known.node_pool) == w->pool_names[pool].name;
    }
    for (uint32_t i = 0; i < w->node_count; i++) {
        const state_node *n = &w->nodes[i];
        if (!n->marked || n->claim == NO_ID) continue;
        k.deleting += label_get(w->raw.claims.items[n->claim].meta.labels, w->known.node_pool) ==
                      w->pool_names[pool].name;
    }
    k.active -= k.deleting;
    return k;
}

int64_t node_room(const node_pool *pool, pool_counters k)
{
    const resource_amount *limit = resource_list_find(pool->limits, RESOURCE_NODES);
    amount whole;
    uint64_t rest;
    int64_t nodes;
    if (limit == NULL) return INT64_MAX;
    if (amount_sign(limit->value) <= 0) return 0;
    amount_divide(limit->value, (uint64_t)AMOUNT_NANO, &whole, &rest);
    if (!amount_scale(whole, amount_from(1), &nodes)) return INT64_MAX;
    int64_t left = nodes - (k.active + k.deleting);
    return left > 0 ? left : 0;
}
