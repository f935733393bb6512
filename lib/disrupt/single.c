/* SPDX-License-Identifier: Apache-2.0 */
/* Single-node consolidation; the pools take turns. */
#include <disrupt/consolidate.h>
#include <disrupt/methods.h>

#include <base/error.h>
#include <base/sort.h>
#include <disrupt/balanced.h>
#include <disrupt/marks.h>
#include <disrupt/whole_groups.h>

/* The order of the attempts: in round i the i-th candidate of each pool. Within a round, pools that were not reached in
 * the last run come first, then by name. */
struct turn {
    uint32_t candidate, round;
};

static int by_turn(const void *x, const void *y, const void *user)
{
    const pass *p = user;
    const struct turn *a = x, *b = y;
    uint32_t pool_a = p->found.candidates[a->candidate].pool, pool_b = p->found.candidates[b->candidate].pool;
    if (a->round != b->round) return a->round < b->round ? -1 : 1;
    if (marks_unseen(p, pool_a) != marks_unseen(p, pool_b)) return marks_unseen(p, pool_a) ? -1 : 1;
    return compare_str(pool_name(p->snapshot, pool_a), pool_name(p->snapshot, pool_b));
}

static uint32_t *take_turns(pass *p)
{
    uint32_t *order = by_savings_ratio(p),
             *rounds = arena_array(&p->data, p->snapshot->raw.pools.count + 1, sizeof *rounds);
    struct turn *turns = arena_array(&p->data, p->found.eligible_count + (size_t)1, sizeof *turns);
    if (order == NULL || rounds == NULL || turns == NULL) return NULL;
    for (uint32_t i = 0; i < p->found.eligible_count; i++)
        turns[i] = (struct turn){ order[i], rounds[p->found.candidates[order[i]].pool]++ };
    if (p->snapshot->raw.pools.count > 1 &&
        !sort_stable(p->context, turns, p->found.eligible_count, sizeof *turns, by_turn, p))
        return NULL;
    for (uint32_t i = 0; i < p->found.eligible_count; i++) order[i] = turns[i].candidate;
    return order;
}

static karp_status try_one(pass *p, const uint32_t *number, bool *done, karp_error *error)
{
    const candidate *c = &p->found.candidates[*number];
    attempt a = { .code = KARP_REASON_NONE, .detail = { "", 0 } };
    double score;
    departure d = { number, 1 };
    if (p->nodes.scattered != NULL &&
        !whole_groups_departure(p, number, p->found.eligible, p->found.eligible_count, &d))
        return fail_nomem(error);
    if (d.count == 0) return KARP_OK;
    if (p->budgets.remaining[c->pool] == 0) {
        p->budgets.constrained = true;
        a.code = KARP_REASON_BUDGET;
        a.detail = name_of(p->snapshot, pool_of(p, c)->meta.name);
    } else if (d.count == 1 && !candidate_worthwhile(p, c, &score)) {
        a.code = KARP_REASON_BALANCED_SCORE;
        a.detail = balanced_detail(p, score);
        if (a.detail.ptr == NULL) return fail_nomem(error);
    } else {
        karp_status status = consolidate(p, d.candidates, d.count, d.count > 1, &a, error);
        if (status != KARP_OK) return status;
        if (a.outcome == SIMULATION_NO_POOLS) no_usable_pools(p);
        *done = a.outcome == SIMULATION_STOPPED || a.possible;
    }
    if (!a.possible) {
        if (p->found.stays == NULL) return KARP_OK;
        if (!whole_groups_keep(p, &d, a.code, a.detail)) return fail_nomem(error);
        p->found.stays[c->node].found = a.found;
        return KARP_OK;
    }
    command *slot = list_push(p->context, &p->found.commands, sizeof *slot);
    if (slot == NULL) {
        simulation_free(p, a.command.simulation);
        return fail_nomem(error);
    }
    *slot = a.command;
    return KARP_OK;
}

/* The first attempts are simulated alone, since one of them often ends the pass; after that, this many at once. */
enum { TURNS_ALONE = 4, TURNS_AHEAD = 16 };

/* Simulates the next candidates in advance, except those that are rejected without a simulation. */
static karp_status look_ahead(pass *p, const uint32_t *order, uint32_t next, karp_error *error)
{
    uint32_t wanted[TURNS_AHEAD], n = 0;
    double score;
    if (next < TURNS_ALONE || (next - TURNS_ALONE) % TURNS_AHEAD != 0 || !may_simulate_ahead(p)) return KARP_OK;
    uint64_t most = p->work.most_simulations == 0 ? TURNS_AHEAD : p->work.most_simulations - p->work.simulations;
    for (uint32_t i = next; i < p->found.eligible_count && i < next + TURNS_AHEAD && n < most; i++) {
        const candidate *c = &p->found.candidates[order[i]];
        bool alone = whole_groups_pod(p, candidate_node(p, order[i])) == NO_ID;
        if (alone && p->budgets.remaining[c->pool] != 0 && candidate_worthwhile(p, c, &score)) wanted[n++] = order[i];
    }
    return n == 0 ? KARP_OK : simulate_ahead(p, wanted, n, error);
}

/* Remembers the pools that no attempt has reached before the work ran out. */
static bool note_unseen(pass *p, const uint32_t *order, uint32_t tried)
{
    bool *not_seen = arena_array(&p->data, p->snapshot->raw.pools.count + 1, sizeof *not_seen);
    if (not_seen == NULL) return false;
    for (uint32_t i = tried; i < p->found.eligible_count; i++) not_seen[p->found.candidates[order[i]].pool] = true;
    for (uint32_t i = 0; i < tried; i++) not_seen[p->found.candidates[order[i]].pool] = false;
    marks_set_unseen(p, not_seen);
    return true;
}

karp_status method_single_node(pass *p, karp_error *error)
{
    const uint32_t *order = take_turns(p);
    karp_status status = KARP_OK;
    bool done = false;
    uint32_t tried = 0;
    if (order == NULL) return fail_nomem(error);
    while (tried < p->found.eligible_count && !done && status == KARP_OK) {
        status = look_ahead(p, order, tried, error);
        if (status == KARP_OK) status = try_one(p, &order[tried++], &done, error);
    }
    forget_simulations_ahead(p);
    if (status != KARP_OK || p->found.commands.count > 0) return status;
    /* The attempt that was stopped does not count. */
    return note_unseen(p, order, p->work.stopped ? tried - 1 : tried) ? KARP_OK : fail_nomem(error);
}
