/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-node consolidation: the longest prefix of the order that can be removed. */
#include <disrupt/budgets.h>

#include <base/error.h>
#include <disrupt/consolidate.h>
#include <disrupt/methods.h>
#include <disrupt/whole_groups.h>

enum { MOST_NODES = 100 };

/* Records the reason that rejected the shortest prefix for all its nodes. */
static bool note_refusal(pass *p, const uint32_t *order, uint32_t from, uint32_t to, const attempt *a)
{
    for (uint32_t i = from; i < to; i++) {
        if (!pass_keep(p, p->found.candidates[order[i]].node, a->code, a->detail)) return false;
    }
    return true;
}

/* Puts the nodes of a group that is disrupted as a whole one after another. *end: where those of each place in the
 * order end. Nodes stay out that have only a part of such a group. false = out of memory. */
__attribute__((cold)) static bool keep_groups_whole(pass *p, uint32_t *order, uint32_t *kept, uint32_t **end)
{
    uint32_t n = 0, count = *kept;
    uint32_t *out = arena_array(&p->data, count + (size_t)1, sizeof *out);
    uint8_t *taken = arena_array(&p->data, count + (size_t)1, 1);
    *end = arena_array(&p->data, count + (size_t)1, sizeof **end);
    if (out == NULL || taken == NULL || *end == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = n;
        bool complete = true;
        if (taken[i]) continue;
        whole_groups_take(p, order, count, i, taken, out, &n);
        uint32_t which = whole_groups_pod(p, candidate_node(p, out[first]));
        if (which != NO_ID && !whole_groups_complete(p, out + first, n - first, &complete)) return false;
        for (uint32_t k = first; k < n; k++) {
            if (complete) (*end)[k] = n;
            else if (!pass_keep(p, p->found.candidates[out[k]].node, KARP_REASON_GROUP_ELSEWHERE,
                                pod_name(p->snapshot, which)))
                return false;
        }
        if (!complete) n = first;
    }
    memcpy(order, out, n * sizeof *order);
    *kept = n;
    return true;
}

/* end NULL = every prefix may be removed. */
static karp_status search(pass *p, const uint32_t *order, const uint32_t *end, uint32_t low, uint32_t high,
                          command *best, karp_error *error)
{
    while (low <= high) {
        uint32_t middle = low + (high - low) / 2, count = end == NULL ? middle + 1 : end[middle];
        attempt a;
        karp_status status = consolidate(p, order, count, true, &a, error);
        if (status != KARP_OK) return status;
        if (a.outcome == SIMULATION_NO_POOLS) no_usable_pools(p);
        if (a.possible) {
            simulation_free(p, best->simulation);
            *best = a.command;
            low = count;
        } else {
            if (!note_refusal(p, order, best->candidate_count, count, &a)) return fail_nomem(error);
            if (a.outcome != SIMULATED) return KARP_OK;
            high = middle - 1;
        }
    }
    return KARP_OK;
}

static karp_status decide(pass *p, const uint32_t *order, const uint32_t *end, uint32_t kept, karp_error *error)
{
    command best = { .candidates = NULL };
    /* Above the cap, Karpenter uses a count as the last index and so is off by one (D-Q3). */
    uint32_t high = kept <= MOST_NODES ? kept - 1 : MOST_NODES - (pass_quirk(p, 3) ? 0 : 1);
    karp_status status = search(p, order, end, 1, high, &best, error);
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
    uint32_t kept, *order = by_savings_ratio(p), *end = NULL;
    if (order == NULL || !keep_within_budget(p, order, p->found.eligible_count, &kept)) return fail_nomem(error);
    if (p->nodes.scattered != NULL && !keep_groups_whole(p, order, &kept, &end)) return fail_nomem(error);
    if (kept >= 2) return decide(p, order, end, kept, error);
    if (kept == 1 && !pass_keep(p, p->found.candidates[order[0]].node, KARP_REASON_TOO_FEW_NODES, (karp_str){ "", 0 }))
        return fail_nomem(error);
    return KARP_OK;
}
