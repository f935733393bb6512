/* SPDX-License-Identifier: Apache-2.0 */
/* Drifted nodes of static pools: replaced one for one, within the budget and the node limit. */
#include <disrupt/budgets.h>

#include <base/error.h>
#include <disrupt/methods.h>
#include <disrupt/terminate_first.h>

uint32_t eligible_static(const pass *p, const candidate *c)
{
    return pool_of(p, c)->replicas >= 0 ? eligible_drifted(p, c) : KARP_REASON_NOT_DRIFTED;
}

/* The drifted nodes of one pool, and the limits of their replacement. */
struct drifted {
    uint32_t pool;
    int64_t count, most; /* most: the budget's limit */
    bool gate; /* the feature gate to terminate nodes first */
    pool_reservations reservations; /* only computed with the gate on */
};

static bool of_pool(const pass *p, uint32_t index, const struct drifted *d)
{
    return p->found.candidates[p->found.eligible[index]].pool == d->pool;
}

static bool keep(pass *p, const candidate *c, uint32_t why)
{
    return pass_keep(p, c->node, why, name_of(p->snapshot, pool_of(p, c)->meta.name));
}

/* All reservations of the pool are full and it has no other offering. Only nodes that use a reservation can be
 * terminated, before their replacements are launched (K15-10). */
static bool terminate_holders(pass *p, const struct drifted *d)
{
    int64_t taken = 0;
    bool may = pool_may_launch_later(p, d->pool), ok = true;
    for (uint32_t i = 0; i < p->found.eligible_count && ok; i++) {
        const candidate *c = &p->found.candidates[p->found.eligible[i]];
        if (!of_pool(p, i, d)) continue;
        if (!may || !holds_reservation(p, c, &d->reservations)) ok = keep(p, c, KARP_REASON_RESERVATION_ELSEWHERE);
        else if (taken++ >= d->most) ok = keep(p, c, KARP_REASON_BUDGET);
        else ok = terminate_static_node(p, &p->found.eligible[i], KARP_TERMINATE_FIRST_NO_RESERVED_CAPACITY);
    }
    return ok;
}

/* Replaces the first drifted nodes, as many as the node limit leaves room for. Without any room they are terminated
 * before their replacements are launched (K15-10). */
static bool replace_or_terminate(pass *p, const struct drifted *d, int64_t room)
{
    bool first = room == 0 && d->gate && pool_may_launch_later(p, d->pool), ok = true;
    int64_t taken = 0, most = first || d->most < room ? d->most : room;
    uint32_t why = most == d->most ? KARP_REASON_BUDGET : KARP_REASON_STATIC_LIMIT;
    for (uint32_t i = 0; i < p->found.eligible_count && ok; i++) {
        if (!of_pool(p, i, d)) continue;
        if (taken++ >= most) ok = keep(p, &p->found.candidates[p->found.eligible[i]], why);
        else if (first) ok = terminate_static_node(p, &p->found.eligible[i], KARP_TERMINATE_FIRST_STATIC_AT_LIMIT);
        else ok = replace_static_node(p, &p->found.eligible[i]);
    }
    return ok;
}

static karp_status decide_pool(pass *p, uint32_t pool, karp_error *error)
{
    const node_pool *n = &p->snapshot->raw.pools.items[pool];
    struct drifted d = { .pool = pool, .gate = terminate_first_on(p, KARP_GATE_TERMINATE_FIRST_DRIFT) };
    for (uint32_t i = 0; i < p->found.eligible_count; i++) d.count += of_pool(p, i, &d);
    if (d.count == 0) return KARP_OK;
    d.most = d.count < p->budgets.remaining[pool] ? d.count : p->budgets.remaining[pool];
    pool_counters k = count_claims(p->snapshot, pool);
    bool unfinished = k.active > n->replicas; /* a scale-down is in progress */
    if (d.most > 0 && !unfinished && d.gate) {
        karp_status status = static_reservations(p, pool, &d.reservations, error);
        if (status != KARP_OK) return status;
    }
    if (unfinished && d.most > 0) d.gate = false;
    bool ok = d.reservations.full ? terminate_holders(p, &d)
                                  : replace_or_terminate(p, &d, unfinished ? 0 : node_room(n, k));
    return ok ? KARP_OK : fail_nomem(error);
}

karp_status method_static_drift(pass *p, karp_error *error)
{
    const karp_snapshot *s = p->snapshot;
    const uint32_t *pools = pools_by_name(s, &p->data);
    if (pools == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < s->raw.pools.count; i++) {
        karp_status status = decide_pool(p, pools[i], error);
        if (status != KARP_OK) return status;
    }
    return KARP_OK;
}
