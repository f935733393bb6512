/* SPDX-License-Identifier: Apache-2.0 */
/* One node at a time; the pools take turns (deprovisioning.md §17). */
#include <disrupt/consolidate.h>

#include <base/error.h>
#include <base/sort.h>
#include <disrupt/balanced.h>

/* The order of the attempts: in round i the i-th candidate of each pool, pools by name. */
struct turn { uint32_t candidate, round; };

static int by_turn(const void *x, const void *y, const void *user)
{
    const pass *p = user;
    const struct turn *a = x, *b = y;
    if (a->round != b->round) return a->round < b->round ? -1 : 1;
    return compare_str(name_of(p->snapshot, pool_of(p, &p->candidates[a->candidate])->meta.name),
                       name_of(p->snapshot, pool_of(p, &p->candidates[b->candidate])->meta.name));
}

static uint32_t *take_turns(pass *p)
{
    uint32_t *order = by_savings_ratio(p), *rounds = arena_array(&p->data, p->snapshot->raw.pools.count + 1, sizeof *rounds);
    struct turn *turns = arena_array(&p->data, p->eligible_count + (size_t)1, sizeof *turns);
    if (order == NULL || rounds == NULL || turns == NULL) return NULL;
    for (uint32_t i = 0; i < p->eligible_count; i++) turns[i] = (struct turn){ order[i], rounds[p->candidates[order[i]].pool]++ };
    if (!sort_stable(p->context, turns, p->eligible_count, sizeof *turns, by_turn, p)) return NULL;
    for (uint32_t i = 0; i < p->eligible_count; i++) order[i] = turns[i].candidate;
    return order;
}

static karp_status try_one(pass *p, const uint32_t *number, bool *done, karp_error *error)
{
    const candidate *c = &p->candidates[*number];
    attempt a = { .code = KARP_REASON_NONE, .detail = { "", 0 } };
    if (p->remaining[c->pool] == 0) {
        a.code = KARP_REASON_BUDGET;
        a.detail = name_of(p->snapshot, pool_of(p, c)->meta.name);
    } else if (!candidate_worthwhile(p, c)) {
        a.code = KARP_REASON_BALANCED_SCORE;
    } else {
        karp_status status = consolidate(p, number, 1, false, &a, error);
        if (status != KARP_OK) return status;
        if (a.outcome == SIMULATION_NO_POOLS) no_usable_pools(p);
        *done = a.outcome == SIMULATION_STOPPED || a.possible;
    }
    if (!a.possible) return pass_keep(p, c->node, a.code, a.detail) ? KARP_OK : fail_nomem(error);
    command *slot = list_push(p->context, &p->commands, sizeof *slot);
    if (slot == NULL) {
        simulation_free(p, a.command.simulation);
        return fail_nomem(error);
    }
    *slot = a.command;
    return KARP_OK;
}

karp_status method_single_node(pass *p, karp_error *error)
{
    const uint32_t *order = take_turns(p);
    karp_status status = KARP_OK;
    bool done = false;
    if (order == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < p->eligible_count && !done && status == KARP_OK; i++) status = try_one(p, &order[i], &done, error);
    return status;
}
