/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drifted nodes are replaced when their pods can be rescheduled, at any cost. So are expired
 * nodes where expiration is graceful.
 */

#include <base/error.h>
#include <base/sort.h>
#include <disrupt/advice.h>
#include <disrupt/methods.h>
#include <disrupt/terminate_first.h>
#include <disrupt/whole_groups.h>
#include <schedule/movable.h>

uint32_t eligible_drifted(const pass *p, const candidate *c)
{
    return p->snapshot->nodes[c->node].drifted ? KARP_REASON_NONE : KARP_REASON_NOT_DRIFTED;
}

static int64_t candidate_expires(const pass *p, const candidate *c)
{
    return claim_expires(&p->snapshot->raw.claims.items[p->snapshot->nodes[c->node].claim]);
}

uint32_t eligible_expired(const pass *p, const candidate *c)
{
    int64_t end = candidate_expires(p, c);
    return end != KARP_NO_TIME && end <= p->now ? KARP_REASON_NONE : KARP_REASON_NOT_EXPIRED;
}

bool expiration_offered(const pass *p) { return p->expire_gracefully; }

/* The time since which the node should be removed. */
static int64_t due_since(const pass *p, const candidate *c)
{
    if (p->method == KARP_METHOD_EXPIRATION) return candidate_expires(p, c);
    const karp_snapshot *s = p->snapshot;
    const condition *d = condition_find(s->raw.claims.items[s->nodes[c->node].claim].conditions, s->known.drifted);
    return d != NULL ? d->since : KARP_NO_TIME;
}

/* Sorts nodes without pods first, then by the time since which they should be removed. */
static int earlier(uint32_t x, uint32_t y, const void *user)
{
    const pass *p = user;
    const candidate *a = &p->found.candidates[x], *b = &p->found.candidates[y];
    if ((a->moving_count == 0) != (b->moving_count == 0)) return a->moving_count == 0 ? -1 : 1;
    int64_t ta = due_since(p, a), tb = due_since(p, b);
    return (ta > tb) - (ta < tb); /* nodes with equal times stay in the order of names */
}

static bool is_backed_off(const pass *p, karp_str pool)
{
    bool found = false;
    for (size_t i = 0; i < p->backed_off_count && !found; i++) found = equal_str(p->backed_off[i], pool);
    return found;
}

/* `all`: the numbers of all candidates. *done: the method has ended. */
static karp_status try_one(pass *p, const uint32_t *number, const uint32_t *all, bool *done, karp_error *error)
{
    const candidate *c = &p->found.candidates[*number];
    bool drift = p->method == KARP_METHOD_DRIFT, allowed = p->budgets.remaining[c->pool] > 0;
    karp_str pool = name_of(p->snapshot, pool_of(p, c)->meta.name);
    if (allowed && !(drift && is_backed_off(p, pool))) {
        departure d;
        if (!whole_groups_departure(p, number, all, p->found.candidate_count, &d)) return fail_nomem(error);
        if (d.count == 0) return KARP_OK;
        return move_pods_away(p, &d, drift && terminate_first_on(p, KARP_GATE_TERMINATE_FIRST_DRIFT), done, error);
    }
    uint32_t reason = allowed ? KARP_REASON_DRIFT_BACKOFF : KARP_REASON_BUDGET;
    return pass_keep(p, c->node, reason, pool) ? KARP_OK : fail_nomem(error);
}

karp_status method_drift(pass *p, karp_error *error)
{
    uint32_t *order = arena_array(&p->data, p->found.eligible_count + (size_t)1, sizeof *order);
    uint32_t *all = arena_array(&p->data, p->found.candidate_count + (size_t)1, sizeof *all);
    karp_status status = KARP_OK;
    bool done = false;
    if (order == NULL || all == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < p->found.candidate_count; i++) all[i] = i;
    memcpy(order, p->found.eligible, p->found.eligible_count * sizeof *order); /* there is at least one */
    if (!sort_ids(p->context, order, p->found.eligible_count, earlier, p)) return fail_nomem(error);
    for (uint32_t i = 0; i < p->found.eligible_count && !done && status == KARP_OK; i++)
        status = try_one(p, &order[i], all, &done, error);
    return status;
}
