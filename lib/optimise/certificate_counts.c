/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes are whole. The pods of a plan are worth no more than what its nodes are charged, so a plan costs at least as
 * much as the cheapest whole nodes whose charges are as much as all pods are worth. Sums of costs and charges are made
 * in the order of their costs. One is kept only if its charges are more than those of all cheaper ones.
 */
#include <optimise/bound.h>

#include <base/sort.h>

enum { MOST_SUMS = 1 << 13, SUMS_AT_ONCE = 1 << 10 };
#define MOST_MONEY (INT64_MAX / 4)

typedef counts_item sum;

typedef struct counts {
    sum *items, *sums; /* offers; sums, of which each is worth more than those before it */
    uint32_t *next; /* by item: the sum to which it is added next */
    uint32_t item_count, sum_count;
    sum *first; /* sums of nodes of which there is one each, as `sums` */
    uint32_t first_count, next_first;
} counts;

static int cheaper_first(uint32_t a, uint32_t b, const void *user)
{
    const sum *x = (const sum *)user + a, *y = (const sum *)user + b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->worth > y->worth ? -1 : x->worth < y->worth ? 1 : (a > b) - (a < b);
}

/* The offers that are charged more than all cheaper ones. */
__attribute__((cold)) static enum proof_verdict find_items(counts *k, arena *a, const bound_problem *p,
                                                           const bound_proof *proof)
{
    uint32_t n = proof->share_count, count = 0, *order = arena_array(a, n + (size_t)1, sizeof *order);
    sum *all = arena_array(a, n + (size_t)1, sizeof *all);
    k->items = arena_array(a, n + (size_t)1, sizeof *k->items);
    k->next = arena_array(a, n + (size_t)1, sizeof *k->next);
    k->sums = arena_alloc(a, MOST_SUMS * sizeof *k->sums);
    if (order == NULL || all == NULL || k->items == NULL || k->next == NULL || k->sums == NULL) return PROOF_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        amount charge;
        if (proof->of[i] >= p->offer_count) continue;
        if (!proof_charge(p, proof, i, &charge) || !amount_scale(charge, amount_from(1), &all[count].worth))
            return PROOF_TOO_MUCH;
        all[count].cost = p->costs[proof->of[i]];
        order[count] = count;
        count++;
    }
    if (!sort_ids(a->context, order, count, cheaper_first, all)) return PROOF_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        sum x = all[order[i]];
        if (x.worth > (k->item_count > 0 ? k->items[k->item_count - 1].worth : 0)) k->items[k->item_count++] = x;
    }
    return PROOF_HOLDS;
}

static bool before(const sum *a, const sum *b)
{
    return a->cost < b->cost || (a->cost == b->cost && a->worth > b->worth);
}

/* Sums of some of the nodes in the order of costs, if whatever is added to them can make them cost less than `enough`
 * when they are worth what is needed: each of the nodes that follow gains at most what it is worth beyond its cost. */
static enum proof_verdict add_up_nodes(counts *k, arena *a, const counts_item *nodes, uint32_t count, int64_t slack)
{
    sum *other = arena_alloc(a, MOST_SUMS * sizeof *other);
    int64_t gain = 0;
    k->first = arena_alloc(a, MOST_SUMS * sizeof *k->first);
    if (other == NULL || k->first == NULL) return PROOF_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) gain += nodes[i].worth > nodes[i].cost ? nodes[i].worth - nodes[i].cost : 0;
    k->first[0] = (sum){ 0, 0 };
    k->first_count = 1;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t i = 0, j = 0, made = 0;
        gain -= nodes[n].worth > nodes[n].cost ? nodes[n].worth - nodes[n].cost : 0;
        while (i < k->first_count || j < k->first_count) {
            sum x = { 0, 0 }, with = { 0, 0 };
            if (j < k->first_count)
                with = (sum){ k->first[j].cost + nodes[n].cost, k->first[j].worth + nodes[n].worth };
            bool add = i == k->first_count || (j < k->first_count && before(&with, &k->first[i]));
            x = add ? with : k->first[i];
            i += !add;
            j += add;
            if (x.cost - x.worth - gain >= slack || (made > 0 && x.worth <= other[made - 1].worth)) continue;
            if (made == MOST_SUMS) return PROOF_TOO_MUCH;
            other[made++] = x;
        }
        sum *swap = k->first;
        k->first = other;
        other = swap;
        k->first_count = made;
        if (!mem_work(a->context, made + (size_t)1)) return PROOF_NO_MEMORY;
    }
    return PROOF_HOLDS;
}

/* The next sum in the order of costs: the item that is added; UINT32_MAX = none, item_count = it is of nodes alone. */
static uint32_t next_sum(const counts *k, sum *out)
{
    uint32_t best = UINT32_MAX;
    if (k->next_first < k->first_count) best = k->item_count, *out = k->first[k->next_first];
    for (uint32_t i = 0; i < k->item_count; i++) {
        if (k->next[i] == k->sum_count) continue;
        sum x = k->sums[k->next[i]];
        x.cost += k->items[i].cost, x.worth += k->items[i].worth;
        if (best != UINT32_MAX && !before(&x, out)) continue;
        best = i;
        *out = x;
    }
    return best;
}

/* Sums that cost `enough`, if what is still needed costs no more than it is worth, are not kept. */
static enum proof_verdict add_up(counts *k, karp_context *context, int64_t needed, int64_t enough, int64_t *least)
{
    sum x = { 0, 0 };
    uint32_t item;
    *least = enough;
    for (uint64_t turn = 1; (item = next_sum(k, &x)) != UINT32_MAX && x.cost < enough; turn++) {
        if (item < k->item_count) k->next[item]++;
        else k->next_first++;
        if (turn % SUMS_AT_ONCE == 0 && !mem_work(context, SUMS_AT_ONCE * (size_t)k->item_count))
            return PROOF_NO_MEMORY;
        if (k->sum_count > 0 && x.worth <= k->sums[k->sum_count - 1].worth) continue;
        if (x.worth >= needed) {
            *least = x.cost;
            return PROOF_HOLDS;
        }
        if (x.cost - x.worth >= enough - needed) continue;
        if (k->sum_count == MOST_SUMS) return PROOF_TOO_MUCH;
        k->sums[k->sum_count++] = x;
    }
    return PROOF_HOLDS;
}

enum proof_verdict counts_least_with(karp_context *context, const bound_problem *p, const bound_proof *proof,
                                     const counts_item *nodes, uint32_t node_count, int64_t needed, int64_t enough,
                                     int64_t *least)
{
    counts k = { .item_count = 0 };
    arena a = arena_on(context);
    enum proof_verdict verdict = PROOF_TOO_MUCH;
    if (needed > 0 && needed < MOST_MONEY && enough < MOST_MONEY) verdict = find_items(&k, &a, p, proof);
    if (verdict == PROOF_HOLDS) verdict = add_up_nodes(&k, &a, nodes, node_count, enough - needed);
    if (verdict == PROOF_HOLDS) verdict = add_up(&k, context, needed, enough, least);
    arena_free(&a);
    return verdict;
}

enum proof_verdict counts_least(karp_context *context, const bound_problem *p, const bound_proof *proof, int64_t needed,
                                int64_t enough, int64_t *least)
{
    return counts_least_with(context, p, proof, NULL, 0, needed, enough, least);
}

bool counts_raise(karp_context *context, const bound_problem *p, const bound_proof *proof, const counts_nodes *nodes,
                  int64_t part, int64_t *value)
{
    const int64_t before = *value;
    for (; part > 0 && before < MOST_MONEY / 2; part /= 2) {
        int64_t enough = before + before / part, least = 0;
        enum proof_verdict verdict = counts_least_with(context, p, proof, nodes->items, nodes->count, nodes->needed,
                                                       enough - nodes->saved, &least);
        if (verdict == PROOF_NO_MEMORY) return false;
        if (verdict != PROOF_HOLDS || least + nodes->saved <= *value) return true;
        *value = least + nodes->saved;
        if (*value < enough) return true;
    }
    return true;
}
