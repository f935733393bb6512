/* SPDX-License-Identifier: Apache-2.0 */
/* Drifted nodes of static pools: one for one, as far as budget and node limit go (deprovisioning.md §11). */
#include <disrupt/counters.h>

#include <base/error.h>
#include <base/sort.h>

static int by_pool_name(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *w = user;
    return compare_str(name_of(w, w->raw.pools.items[x].meta.name), name_of(w, w->raw.pools.items[y].meta.name));
}

static bool add_command(pass *p, const uint32_t *candidate_number)
{
    const candidate *x = &p->candidates[*candidate_number];
    replacement *r = arena_array(&p->data, 1, sizeof *r);
    command *c = r == NULL ? NULL : list_push(p->context, &p->commands, sizeof *c);
    if (c == NULL) return false;
    *r = (replacement){ .claim = NO_ID, .pool = x->pool };
    *c = (command){ .candidates = candidate_number,
                    .candidate_count = 1,
                    .replacements = r,
                    .replacement_count = 1,
                    .score = -1.0,
                    .savings = x->price };
    return true;
}

/* How many of `wanted` the pool may replace now; *why tells what limits it. */
static int64_t granted(const pass *p, uint32_t pool, int64_t wanted, uint32_t *why)
{
    const node_pool *n = &p->snapshot->raw.pools.items[pool];
    pool_counters k = count_claims(p->snapshot, pool);
    *why = KARP_REASON_BUDGET;
    if (wanted > p->remaining[pool]) wanted = p->remaining[pool];
    if (wanted == 0) return 0;
    *why = KARP_REASON_STATIC_LIMIT;
    if (k.active > n->replicas) return 0; /* a scale-down is unfinished */
    int64_t room = node_room(n, k);
    return room < wanted ? room : wanted;
}

static bool decide_pool(pass *p, uint32_t pool)
{
    int64_t mine = 0, taken = 0;
    uint32_t why = KARP_REASON_NONE;
    for (uint32_t i = 0; i < p->eligible_count; i++) mine += p->candidates[p->eligible[i]].pool == pool;
    if (mine == 0) return true;
    int64_t most = granted(p, pool, mine, &why);
    if (most > 0 && most < mine) why = most == p->remaining[pool] ? KARP_REASON_BUDGET : KARP_REASON_STATIC_LIMIT;
    for (uint32_t i = 0; i < p->eligible_count; i++) {
        const candidate *c = &p->candidates[p->eligible[i]];
        if (c->pool != pool) continue;
        bool ok = taken++ < most ? add_command(p, &p->eligible[i])
                                 : pass_keep(p, c->node, why, name_of(p->snapshot, pool_of(p, c)->meta.name));
        if (!ok) return false;
    }
    return true;
}

karp_status method_static_drift(pass *p, karp_error *error)
{
    const karp_snapshot *w = p->snapshot;
    uint32_t *pools = arena_array(&p->data, w->raw.pools.count + 1, sizeof *pools);
    if (pools == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < w->raw.pools.count; i++) pools[i] = i;
    if (!sort_ids(p->context, pools, w->raw.pools.count, by_pool_name, w)) return fail_nomem(error);
    for (uint32_t i = 0; i < w->raw.pools.count; i++) {
        if (!decide_pool(p, pools[i])) return fail_nomem(error);
    }
    return KARP_OK;
}
