/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-node consolidation: the longest prefix of the order that can be removed. */
#include <disrupt/budgets.h>

#include <base/error.h>
#include <disrupt/consolidate.h>
#include <disrupt/methods.h>

enum { MOST_NODES = 100 };

/* Records the reason that rejected the shortest prefix for all its nodes. */
static bool note_refusal(pass *p, const uint32_t *order, uint32_t from, uint32_t to, const attempt *a)
{
    for (uint32_t i = from; i < to; i++) {
        if (!pass_keep(p, p->found.candidates[order[i]].node, a->code, a->detail)) return false;
    }
    return true;
}

static karp_status search(pass *p, const uint32_t *order, uint32_t low, uint32_t high, command *best, karp_error *error)
{
    while (low <= high) {
        uint32_t middle = low + (high - low) / 2;
        attempt a;
        karp_status status = consolidate(p, order, middle + 1, true, &a, error);
        if (status != KARP_OK) return status;
        if (a.outcome == SIMULATION_NO_POOLS) no_usable_pools(p);
        if (a.possible) {
            simulation_free(p, best->simulation);
            *best = a.command;
            low = middle + 1;
        } else {
            if (!note_refusal(p, order, best->candidate_count, middle + 1, &a)) return fail_nomem(error);
            if (a.outcome != SIMULATED) return KARP_OK;
            high = middle - 1;
        }
    }
    return KARP_OK;
}

static karp_status decide(pass *p, const uint32_t *order, uint32_t kept, karp_error *error)
{
    command best = { .candidates = NULL };
    /* Above the cap, Karpenter uses a count as the last index and so is off by one (D-Q3). */
    uint32_t high = kept <= MOST_NODES ? kept - 1 : MOST_NODES - (pass_quirk(p, 3) ? 0 : 1);
    karp_status status = search(p, order, 1, high, &best, error);
    if (status == KARP_OK && best.candidate_count > 0) {
        command *c = list_push(p->context, &p->found.commands, sizeof *c);
        if (c != NULL) {
            for (uint32_t i = 0; p->found.stays != NULL && i < best.candidate_count; i++)
                p->found.stays[p->found.candidates[order[i]].node].code = KARP_REASON_NONE;
            *c = best;
            return KARP_OK;
        }
        status = fail_nomem(error);
    }
    simulation_free(p, best.simulation);
    return status;
}

karp_status method_multi_node(pass *p, karp_error *error)
{
    uint32_t kept, *order = by_savings_ratio(p);
    if (order == NULL || !keep_within_budget(p, order, p->found.eligible_count, &kept)) return fail_nomem(error);
    if (kept >= 2) return decide(p, order, kept, error);
    if (kept == 1 && !pass_keep(p, p->found.candidates[order[0]].node, KARP_REASON_TOO_FEW_NODES, (karp_str){ "", 0 }))
        return fail_nomem(error);
    return KARP_OK;
}
