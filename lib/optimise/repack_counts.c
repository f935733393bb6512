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

/* The same as one list in the arena. *known: the numbers are in range. false = out of memory. */
static bool list_nodes(const struct repack_bound *b, const karp_certificate_point *point, arena *a, counts_nodes *out,
                       bool *known)
{
    counts_item *items = arena_array(a, b->count + (size_t)1, sizeof *items);
    *known = false;
    if (items == NULL) return false;
    *out = (counts_nodes){ .items = items, .count = b->count };
    *known = point->part == KARP_CERTIFICATE_WHOLE && list_items(b, point, items, &out->needed, &out->saved);
    return true;
}

bool repack_counts_prove(karp_context *context, const struct repack_bound *b, const karp_certificate_point *point,
                         int64_t enough, int64_t *value)
{
    int64_t least = 0;
    bool known;
    counts_nodes nodes;
    arena a = arena_on(context);
    enum proof_verdict verdict = list_nodes(b, point, &a, &nodes, &known) ? PROOF_TOO_MUCH : PROOF_NO_MEMORY;
    if (known && enough < MOST_COUNTED)
        verdict = counts_least_with(context, &b->facts.problem, &b->facts.proof, nodes.items, nodes.count, nodes.needed,
                                    enough - nodes.saved, &least);
    arena_free(&a);
    if (verdict == PROOF_HOLDS && least + nodes.saved > *value) *value = least + nodes.saved;
    return verdict != PROOF_NO_MEMORY;
}

bool repack_counts_raise(karp_context *context, const struct repack_bound *b, karp_certificate_point *point)
{
    bool known;
    counts_nodes nodes;
    arena a = arena_on(context);
    bool ok = list_nodes(b, point, &a, &nodes, &known);
    if (known) ok = counts_raise(context, &b->facts.problem, &b->facts.proof, &nodes, LEAST_RISE, &point->value);
    arena_free(&a);
    return ok;
}

/* The nodes that can be removed, by the proof, which becomes that of the bound. *saved: what other nodes cost. */
static bool list_tree_items(repacking *r, const bound_proof *proof, counts_item *items, int64_t *needed, int64_t *saved,
                            bool *known)
{
    struct repack_bound *b = &r->bound;
    const karp_certificate_point all = { .part = KARP_CERTIFICATE_WHOLE };
    amount value, *spaces, *spent = arena_array(&r->data, b->facts.problem.node_count + (size_t)1, sizeof *spent);
    proof_fault fault;
    *known = false;
    if (spent == NULL) return false;
    b->facts.proof = *proof;
    if (!proof_holds_for(r->context, &b->facts.problem, proof, &value, spent, &fault))
        return fault.kind != PROOF_NO_MEMORY;
    spaces = repack_bound_spaces(r, spent);
    if (spaces == NULL || !repack_bound_fill(r, spaces)) return false;
    *known = b->known && list_items(b, &all, items, needed, saved);
    return true;
}

bool repack_tree_proves(repacking *r, const bound_tree *tree, int64_t enough, int64_t *value)
{
    const struct repack_bound before = r->bound;
    const uint32_t n = before.count;
    int64_t saved = 0, least = 0;
    tree_items items = { .count = n };
    bool ok = true, known = enough > 0 && enough < MOST_COUNTED;
    *value = 0;
    items.needed = arena_array(&r->data, tree->proof_count + (size_t)1, sizeof *items.needed);
    items.nodes = arena_array(&r->data, tree->proof_count * (size_t)n + 1, sizeof *items.nodes);
    if (items.needed == NULL || items.nodes == NULL) return false;
    for (uint32_t k = 0; ok && known && k < tree->proof_count; k++)
        ok = list_tree_items(r, &tree->proofs[k], items.nodes + (size_t)k * n, &items.needed[k], &saved, &known);
    r->bound = before;
    if (!ok || !known || enough <= saved) return ok;
    enum proof_verdict verdict = tree_least_with(r->context, &before.facts.problem, tree, &items, enough - saved,
                                                 &least);
    if (verdict == PROOF_HOLDS) *value = least + saved;
    return verdict != PROOF_NO_MEMORY;
}

bool repack_take_tree(repacking *r)
{
    bound_tree tree;
    r->tree_value = 0;
    r->bound.facts.tree = (bound_tree){ .nodes = NULL };
    if (r->tree.nodes == NULL || !r->bound.known || !r->bound.exact) return true;
    if (!certificate_choose_proofs(&r->data, &r->tree, &r->bound.facts.proof, &tree)) return false;
    if (tree.nodes == NULL) return true;
    if (!repack_tree_proves(r, &tree, money_of(r->cost.after), &r->tree_value)) return false;
    if (r->tree_value > 0) r->bound.facts.tree = tree;
    return true;
}
