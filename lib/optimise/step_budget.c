/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/repack_steps.h>

#include <string.h>

bool step_budget_init(step_budget *b, arena *a, const repack_problem *p, const repack_pods *pods,
                      const repack_limits *limits)
{
    *b = (step_budget){ .p = p, .pods = pods, .limits = limits };
    b->nodes = arena_array(a, limits->pool_count + (size_t)1, sizeof *b->nodes);
    b->evicted = arena_array(a, limits->budget_count + (size_t)1, sizeof *b->evicted);
    return b->nodes != NULL && b->evicted != NULL;
}

void step_budget_clear(step_budget *b)
{
    memset(b->nodes, 0, b->limits->pool_count * sizeof *b->nodes);
    memset(b->evicted, 0, b->limits->budget_count * sizeof *b->evicted);
}

/* Adds the node's pods to those that the step moves, or subtracts them. */
static void count_evictions(step_budget *b, uint32_t which, int64_t by)
{
    for (uint32_t i = 0; b->pods->budget_of != NULL && i < b->pods->counts[which]; i++) {
        uint32_t pdb = b->pods->budget_of[b->pods->pods[which][i]];
        if (pdb != UINT32_MAX) b->evicted[pdb] += by;
    }
}

void step_budget_count(step_budget *b, uint32_t which, int64_t by)
{
    b->nodes[b->p->nodes[which].pool] += by;
    count_evictions(b, which, by);
}

static bool evictions_allowed(step_budget *b, uint32_t which)
{
    bool allowed = true;
    count_evictions(b, which, 1);
    for (uint32_t i = 0; allowed && b->pods->budget_of != NULL && i < b->pods->counts[which]; i++) {
        uint32_t pdb = b->pods->budget_of[b->pods->pods[which][i]];
        allowed = pdb == UINT32_MAX || b->evicted[pdb] <= b->limits->evictions_at_once[pdb];
    }
    count_evictions(b, which, -1);
    return allowed;
}

bool step_budget_allows(step_budget *b, uint32_t which)
{
    uint32_t pool = b->p->nodes[which].pool;
    if (b->limits->at_once != NULL && b->nodes[pool] >= b->limits->at_once[pool]) return false;
    return evictions_allowed(b, which);
}

bool step_budget_kept(const step_budget *b)
{
    const repack_limits *l = b->limits;
    for (uint32_t i = 0; l->at_once != NULL && i < l->pool_count; i++) {
        if (b->nodes[i] > l->at_once[i]) return false;
    }
    for (uint32_t i = 0; i < l->budget_count; i++) {
        if (b->evicted[i] > l->evictions_at_once[i]) return false;
    }
    return true;
}

bool step_pays(const repack_limits *l, double saving, uint64_t evictions)
{
    return saving > 1e-9 && saving >= l->min_saving && saving >= l->min_saving_per_eviction * (double)evictions;
}
