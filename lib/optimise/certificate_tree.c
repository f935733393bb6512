/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan has whole numbers of nodes. The inequality of a proof says that the charges of its nodes are at least what all
 * pods are worth. A tree divides all plans by how many nodes of an offer they have. In each leaf a sum of inequalities
 * says what its nodes cost at least: what is needed, and for each offer what its nodes cost beyond their charges.
 */
#include <optimise/bound.h>

enum { NEARLY = 64 }; /* a part of what an item costs, which a launch in its place may lack of its worth */

typedef struct leaves {
    karp_context *context;
    const bound_problem *p;
    const bound_tree *tree;
    uint32_t rows; /* share rows of every proof */
    int64_t *needed, *charges; /* by proof; [proof * rows] */
    int64_t *low, *high; /* by row: the plans that are looked at */
    int64_t enough, least;
    const tree_items *items; /* NULL = there are none */
    bool *stays; /* by item: a launch is not always as good */
} leaves;

/* An inner node above the current one. */
typedef struct turn {
    uint32_t row;
    int64_t copies, low, high; /* low, high: before it */
    bool second; /* the plans with more */
} turn;

/* What all pods are worth beyond what existing nodes are charged, and what a node of each row is. */
static enum proof_verdict read_proof(leaves *k, uint32_t number)
{
    const bound_problem *p = k->p;
    const bound_proof *proof = &k->tree->proofs[number];
    amount needed = amount_from(0), part;
    bool ok = true;
    for (uint32_t c = 0; ok && c < p->class_count; c++)
        ok = amount_mul(amount_from(proof->y[c]), (uint64_t)p->counts[c], &part) && amount_add(needed, part, &needed);
    if (proof->share_count != k->rows) return PROOF_NOT_COVERED;
    for (uint32_t i = 0; ok && i < k->rows; i++) {
        if (proof->of[i] != k->tree->proofs[0].of[i]) return PROOF_NOT_COVERED;
        ok = proof_charge(p, proof, i, &part);
        if (ok && proof->of[i] >= p->offer_count) ok = amount_sub(needed, part, &needed);
        else if (ok) ok = amount_scale(part, amount_from(1), &k->charges[(size_t)number * k->rows + i]);
    }
    ok = ok && amount_scale(needed, amount_from(1), &k->needed[number]);
    if (k->items != NULL) k->needed[number] = k->items->needed[number];
    return ok ? PROOF_HOLDS : PROOF_OVERFLOW;
}

/* *sum += weight × value, of which the weight is not negative */
static bool add_part(amount *sum, int64_t value, int64_t weight)
{
    amount part;
    return amount_mul(amount_from(value), (uint64_t)weight, &part) && amount_add(*sum, part, sum);
}

/* What a node of the row costs beyond the inequalities, in parts. */
static bool row_beyond(const leaves *k, const tree_node *leaf, uint32_t row, amount *out)
{
    const bound_proof *any = &k->tree->proofs[0];
    bool ok = amount_mul(amount_from(k->p->costs[any->of[row]]), (uint64_t)KARP_CERTIFICATE_PARTS, out);
    for (uint32_t n = 0; ok && n < leaf->weight_count; n++) {
        const tree_weight *x = &leaf->weights[n];
        ok = add_part(out, -k->charges[(size_t)x->proof * k->rows + row], x->weight);
    }
    return ok;
}

/* Whether the row is of an offer, and not of an existing node. */
static bool is_bought(const leaves *k, uint32_t row) { return k->tree->proofs[0].of[row] < k->p->offer_count; }

/* By how much the proofs charge a launch of the row less than the item; INT64_MAX = too much, or the launch is dearer.
 */
static int64_t lost_by(const leaves *k, uint32_t row, uint32_t item)
{
    const tree_items *x = k->items;
    int64_t sum = 0;
    if (!is_bought(k, row) || k->p->costs[k->tree->proofs[0].of[row]] > x->nodes[item].cost) return INT64_MAX;
    for (uint32_t n = 0; n < k->tree->proof_count; n++) {
        int64_t worth = x->nodes[(size_t)n * x->count + item].worth;
        int64_t less = worth - k->charges[(size_t)n * k->rows + row];
        if (less > x->nodes[item].cost / NEARLY) return INT64_MAX;
        sum += less > 0 ? less : 0;
    }
    return sum;
}

/* Where a launch costs no more than an item and is charged as much, a plan without the item costs no more. The item may
 * be worth a little more: then less is needed. The other items remain. */
static void find_items(leaves *k)
{
    const tree_items *x = k->items;
    for (uint32_t i = 0; x != NULL && i < x->count; i++) {
        int64_t least = INT64_MAX;
        uint32_t row = 0;
        for (uint32_t other = 0; other < k->rows; other++) {
            int64_t lost = lost_by(k, other, i);
            if (lost < least) least = lost, row = other;
        }
        k->stays[i] = least == INT64_MAX;
        for (uint32_t n = 0; !k->stays[i] && n < k->tree->proof_count; n++) {
            int64_t less = x->nodes[(size_t)n * x->count + i].worth - k->charges[(size_t)n * k->rows + row];
            if (less > 0) k->needed[n] -= less;
        }
    }
}

/* Adds what items cost less than the inequalities pay for them. */
static bool add_items(const leaves *k, const tree_node *leaf, amount *sum)
{
    const tree_items *x = k->items;
    bool ok = true;
    for (uint32_t i = 0; ok && x != NULL && i < x->count; i++) {
        amount part;
        if (!k->stays[i]) continue;
        ok = amount_mul(amount_from(x->nodes[i].cost), (uint64_t)KARP_CERTIFICATE_PARTS, &part);
        for (uint32_t n = 0; ok && n < leaf->weight_count; n++)
            ok = add_part(&part, -x->nodes[(size_t)leaf->weights[n].proof * x->count + i].worth,
                          leaf->weights[n].weight);
        ok = ok && (amount_sign(part) >= 0 || amount_add(*sum, part, sum));
    }
    return ok;
}

/* The most nodes of the row in a plan that costs less than enough. */
static int64_t most_nodes(const leaves *k, uint32_t row)
{
    int64_t cost = k->p->costs[k->tree->proofs[0].of[row]], most = cost > 0 ? k->enough / cost : INT64_MAX;
    return most < k->high[row] ? most : k->high[row];
}

/* Lowers `least` to what the nodes of the leaf cost at least. */
static enum proof_verdict look_at_leaf(leaves *k, const tree_node *leaf)
{
    amount sum = amount_from(0), part;
    for (uint32_t n = 0; n < leaf->weight_count; n++) {
        const tree_weight *x = &leaf->weights[n];
        if (x->proof >= k->tree->proof_count || x->weight < 0) return PROOF_NEGATIVE;
        if (!add_part(&sum, k->needed[x->proof], x->weight)) return PROOF_OVERFLOW;
    }
    for (uint32_t i = 0; i < k->rows; i++) {
        if (!is_bought(k, i)) continue;
        int64_t most = most_nodes(k, i);
        if (k->low[i] > most) return PROOF_HOLDS; /* no plan that costs less than enough is in it */
        if (!row_beyond(k, leaf, i, &part)) return PROOF_OVERFLOW;
        int64_t nodes = amount_sign(part) < 0 ? most : k->low[i];
        if (!amount_mul(part, (uint64_t)nodes, &part) || !amount_add(sum, part, &sum)) return PROOF_OVERFLOW;
    }
    if (!add_items(k, leaf, &sum)) return PROOF_OVERFLOW;
    uint64_t rest;
    int64_t value = 0;
    if (amount_sign(sum) > 0) {
        amount_divide(sum, (uint64_t)KARP_CERTIFICATE_PARTS, &sum, &rest);
        if (!amount_scale(sum, amount_from(1), &value)) value = INT64_MAX;
    }
    if (value < k->least) k->least = value;
    return PROOF_HOLDS;
}

/* Visits the leaves, which have to be complete. */
static enum proof_verdict look_at_tree(leaves *k)
{
    turn path[TREE_DEEP];
    uint32_t deep = 0;
    for (uint32_t i = 0; i < k->tree->node_count; i++) {
        const tree_node *x = &k->tree->nodes[i];
        if (!mem_work(k->context, k->rows * (x->weight_count + (size_t)1))) return PROOF_NO_MEMORY;
        if (x->row != KARP_CERTIFICATE_LEAF) {
            if (deep == TREE_DEEP || x->row >= k->rows || !is_bought(k, x->row) || x->copies < 0 ||
                x->copies == INT64_MAX)
                return PROOF_NOT_COVERED;
            path[deep++] = (turn){ x->row, x->copies, k->low[x->row], k->high[x->row], false };
            if (x->copies < k->high[x->row]) k->high[x->row] = x->copies;
            continue;
        }
        enum proof_verdict verdict = look_at_leaf(k, x);
        if (verdict != PROOF_HOLDS) return verdict;
        for (; deep > 0 && path[deep - 1].second; deep--) {
            k->low[path[deep - 1].row] = path[deep - 1].low;
            k->high[path[deep - 1].row] = path[deep - 1].high;
        }
        if (deep == 0) return i + 1 == k->tree->node_count ? PROOF_HOLDS : PROOF_NOT_COVERED;
        turn *last = &path[deep - 1];
        last->second = true;
        k->high[last->row] = last->high;
        if (last->copies >= k->low[last->row]) k->low[last->row] = last->copies + 1;
    }
    return PROOF_NOT_COVERED;
}

__attribute__((cold)) enum proof_verdict tree_least_with(karp_context *context, const bound_problem *p,
                                                         const bound_tree *tree, const tree_items *items,
                                                         int64_t enough, int64_t *least)
{
    leaves k = { .context = context, .p = p, .tree = tree, .enough = enough, .least = enough, .items = items };
    enum proof_verdict verdict = PROOF_NO_MEMORY;
    arena a = arena_on(context);
    k.rows = tree->proofs[0].share_count;
    k.needed = arena_array(&a, tree->proof_count + (size_t)1, sizeof *k.needed);
    k.charges = arena_array(&a, tree->proof_count * (size_t)k.rows + 1, sizeof *k.charges);
    k.low = arena_array(&a, k.rows + (size_t)1, sizeof *k.low);
    k.high = arena_array(&a, k.rows + (size_t)1, sizeof *k.high);
    k.stays = arena_array(&a, (items != NULL ? items->count : 0) + (size_t)1, sizeof *k.stays);
    if (k.needed != NULL && k.charges != NULL && k.low != NULL && k.high != NULL && k.stays != NULL) {
        verdict = PROOF_HOLDS;
        for (uint32_t i = 0; i < k.rows; i++) k.high[i] = INT64_MAX;
        for (uint32_t i = 0; i < tree->proof_count && verdict == PROOF_HOLDS; i++) verdict = read_proof(&k, i);
        if (verdict == PROOF_HOLDS) find_items(&k);
        if (verdict == PROOF_HOLDS) verdict = look_at_tree(&k);
    }
    arena_free(&a);
    *least = k.least;
    return verdict;
}

enum proof_verdict tree_least(karp_context *context, const bound_problem *p, const bound_tree *tree, int64_t enough,
                              int64_t *least)
{
    return tree_least_with(context, p, tree, NULL, enough, least);
}
