/* SPDX-License-Identifier: Apache-2.0 */
/* Unhealthy nodes are rebooted or replaced, most urgent first (K15-8). */
#include <base/error.h>
#include <base/sort.h>
#include <disrupt/candidates.h>
#include <disrupt/budgets.h>
#include <disrupt/methods.h>
#include <disrupt/terminate_first.h>
#include <disrupt/whole_groups.h>

bool repair_offered(const pass *p)
{
    const store *raw = &p->snapshot->raw;
    return pass_rule(p, RULE_REPAIR) && (raw->settings.gates & KARP_GATE_NODE_REPAIR) != 0 &&
           raw->settings.legacy_node_repair == 0 && raw->repair_count > 0;
}

/* Its own checks are done. */
uint32_t eligible_for_repair(const pass *p, const candidate *c)
{
    (void)c;
    return repair_offered(p) ? KARP_REASON_NONE : KARP_REASON_HEALTHY;
}

/* Sorts by urgency, then by least disruption. */
static int more_urgent(uint32_t x, uint32_t y, const void *user)
{
    const pass *p = user;
    const candidate *a = &p->found.candidates[x], *b = &p->found.candidates[y];
    if (a->repair->score != b->repair->score) return a->repair->score > b->repair->score ? -1 : 1;
    double cost_a = candidate_disruption_cost(p, a), cost_b = candidate_disruption_cost(p, b);
    return (cost_a > cost_b) - (cost_a < cost_b);
}

/* The time limit of the drain: the policy's or the claim's, whichever is shorter; UNSET when no policy sets one. */
static int64_t drain_bound(const pass *p, const candidate *c)
{
    int64_t own = p->snapshot->raw.claims.items[p->snapshot->nodes[c->node].claim].termination_grace_period;
    int64_t bound = c->repair->bound;
    return bound != KARP_DURATION_UNSET && own != KARP_DURATION_UNSET && own < bound ? own : bound;
}

static karp_status reboot_node(pass *p, const uint32_t *number, karp_error *error)
{
    command *c = list_push(p->context, &p->found.commands, sizeof *c);
    if (c == NULL) return fail_nomem(error);
    *c = (command){
        .candidates = number, .candidate_count = 1, .decision = KARP_COMMAND_REBOOT, .score = -1.0, .savings = 0.0
    };
    return KARP_OK;
}

static karp_status replace_static(pass *p, const uint32_t *number, karp_error *error)
{
    const candidate *c = &p->found.candidates[*number];
    karp_str pool = name_of(p->snapshot, pool_of(p, c)->meta.name);
    pool_counters k = count_claims(p->snapshot, c->pool);
    bool gate = terminate_first_on(p, KARP_GATE_TERMINATE_FIRST_REPAIR);
    pool_reservations r = { .full = false };
    if (k.active > pool_of(p, c)->replicas)
        return pass_keep_candidate(p, *number, KARP_REASON_STATIC_LIMIT, pool, error);
    karp_status status = gate ? static_reservations(p, c->pool, &r, error) : KARP_OK;
    if (status != KARP_OK) return status;
    if (r.full && !holds_reservation(p, c, &r))
        return pass_keep_candidate(p, *number, KARP_REASON_RESERVATION_ELSEWHERE, pool, error);
    if (!r.full && node_room(pool_of(p, c), k) > 0) return replace_static_node(p, number) ? KARP_OK : fail_nomem(error);
    if (!gate || !pool_may_launch_later(p, c->pool))
        return pass_keep_candidate(p, *number, KARP_REASON_STATIC_LIMIT, pool, error);
    return terminate_static_node(
               p, number, r.full ? KARP_TERMINATE_FIRST_NO_RESERVED_CAPACITY : KARP_TERMINATE_FIRST_STATIC_AT_LIMIT)
               ? KARP_OK
               : fail_nomem(error);
}

static karp_status try_one(pass *p, const bool *tripped, const uint32_t *number, bool *done, karp_error *error)
{
    const candidate *c = &p->found.candidates[*number];
    const state_node *n = &p->snapshot->nodes[c->node];
    karp_str pool = name_of(p->snapshot, pool_of(p, c)->meta.name);
    karp_status status;
    if (tripped[c->pool]) return pass_keep_candidate(p, *number, KARP_REASON_POOL_UNHEALTHY, pool, error);
    if (n->initialized && p->budgets.remaining[c->pool] == 0)
        return pass_keep_candidate(p, *number, KARP_REASON_BUDGET, pool, error);
    if (c->repair->action == KARP_REPAIR_REBOOT) status = reboot_node(p, number, error);
    else if (pool_of(p, c)->replicas >= 0) status = replace_static(p, number, error);
    else
        status = move_pods_away(p, &(const departure){ number, 1 },
                                terminate_first_on(p, KARP_GATE_TERMINATE_FIRST_REPAIR), done, error);
    if (status != KARP_OK || p->found.commands.count == 0) return status;
    p->found.commands.items[0].bound = drain_bound(p, c);
    *done = true;
    return KARP_OK;
}

karp_status method_repair(pass *p, karp_error *error)
{
    uint32_t *order = arena_array(&p->data, p->found.eligible_count + (size_t)1, sizeof *order);
    const bool *tripped = health_tripped(p);
    karp_status status = KARP_OK;
    bool done = false;
    if (order == NULL || tripped == NULL) return fail_nomem(error);
    memcpy(order, p->found.eligible, p->found.eligible_count * sizeof *order); /* there is at least one */
    if (!sort_ids(p->context, order, p->found.eligible_count, more_urgent, p)) return fail_nomem(error);
    for (uint32_t i = 0; i < p->found.eligible_count && !done && status == KARP_OK; i++)
        status = try_one(p, tripped, &order[i], &done, error);
    return status;
}
