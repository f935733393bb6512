/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes are whole, those that stay and those that are launched. A node that stays costs its price less the price of the
 * evictions that it saves, and is worth its own pods and what its free space could contain. So a cluster costs at least
 * as much as the cheapest nodes that are worth what all pods are (certificate_counts.c).
 */
#include <optimise/repack.h>

enum { LEAST_RISE = 1 << 12 }; /* the first part of the bound by which whole nodes may raise it */
#define MOST_COUNTED (INT64_MAX / 16)

static bool in_range(amount x, int64_t *out)
{
    return amount_scale(x, amount_from(1), out) && *out<MOST_COUNTED && * out> - MOST_COUNTED;
}

/* The nodes that can be removed, with this price of an eviction. *needed: what all nodes are worth that are there in
 * the end; *saved: what all evictions cost beyond those that are allowed, and what nodes cost that stay in any case. */
static bool list_items(const struct repack_bound *b, const karp_certificate_point *point, counts_item *items,
                       int64_t *needed, int64_t *saved)
{
    amount needs, saves = b->fixed_units, part, all = amount_from(0);
    bool ok = amount_sub(amount_from(0), b->fixed_space, &needs);
    for (uint32_t i = 0; ok && i < b->count; i++) {
        const struct bound_node *n = &b->nodes[i];
        amount cost, worth;
        ok = amount_mul(amount_from(point->eviction_price), n->evictions, &part) && amount_add(saves, part, &saves) &&
             amount_sub(amount_from(n->cost), part, &cost) && amount_add(n->worth_units, n->space_units, &worth) &&
             amount_add(needs, n->worth_units, &needs) && in_range(cost, &items[i].cost) &&
             in_range(worth, &items[i].worth) && amount_add(all, worth, &all) && amount_add(all, part, &all) &&
             amount_add(all, amount_from(n->cost), &all) && in_range(all, saved);
    }
    ok = ok && amount_mul(amount_from(point->eviction_price), point->evictions, &part) &&
         amount_sub(saves, part, &saves);
    return ok && in_range(needs, needed) && in_range(saves, saved);
}

bool repack_counts_prove(karp_context *context, const struct repack_bound *b, const karp_certificate_point *point,
                         int64_t enough, int64_t *value)
{
    int64_t needed = 0, saved = 0, least = 0;
    arena a = arena_on(context);
    counts_item *items = arena_array(&a, b->count + (size_t)1, sizeof *items);
    enum proof_verdict verdict = items != NULL ? PROOF_TOO_MUCH : PROOF_NO_MEMORY;
    if (items != NULL && point->part == KARP_CERTIFICATE_WHOLE && enough < MOST_COUNTED &&
        list_items(b, point, items, &needed, &saved))
        verdict = counts_least_with(context, &b->facts.problem, &b->facts.proof, items, b->count, needed,
                                    enough - saved, &least);
    arena_free(&a);
    if (verdict == PROOF_HOLDS && least + saved > *value) *value = least + saved;
    return verdict != PROOF_NO_MEMORY;
}

bool repack_counts_raise(karp_context *context, const struct repack_bound *b, karp_certificate_point *point)
{
    const int64_t before = point->value;
    if (before <= 0 || before >= MOST_COUNTED / 2) return true;
    for (int64_t part = LEAST_RISE; part > 0; part /= 2) {
        int64_t enough = before + before / part, found = before;
        if (!repack_counts_prove(context, b, point, enough, &found)) return false;
        if (found <= point->value) return true;
        point->value = found;
        if (found < enough) return true;
    }
    return true;
}
