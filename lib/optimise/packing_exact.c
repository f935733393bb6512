/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optimal packing of a few pods, by dynamic programming over sets of pods: the cost of each set on one node, and
 * from that its cost on any number of nodes. The node of the set's first pod is combined with every possible rest of
 * the set.
 */
#include <optimise/packing_state.h>

#include <base/bits.h>
#include <math.h>
#include <string.h>

enum { EXACT_PODS = 10, WORK_A_PART = 1 };
#define SAME 1e-12 /* $/h: rounding errors of sums of prices */

typedef struct exact {
    packing *k;
    uint32_t count, class_of[EXACT_PODS]; /* by pod */
    double *one, *least; /* cost by set: on one node; on any number of nodes */
    uint32_t *nodes, *first; /* by set: number of nodes in the optimum, and the set on one of them */
} exact;

/* The classes of a set, and whether they conflict with each other. */
static uint32_t entries_of(const exact *x, uint32_t set, packing_entry *entries, bool *apart)
{
    const packing_problem *p = x->k->p;
    uint32_t n = 0;
    *apart = false;
    for (uint32_t i = 0; i < x->count; i++) {
        if ((set >> i & 1) == 0) continue;
        uint32_t c = x->class_of[i];
        if (n > 0 && entries[n - 1].class_ == c) entries[n - 1].copies++; /* pods of a class are consecutive */
        else entries[n++] = (packing_entry){ c, 1 };
        *apart = *apart || entries[n - 1].copies > p->limits[c];
    }
    for (uint32_t i = 0; i < n && p->conflicts != NULL; i++) {
        for (uint32_t j = 0; j < i; j++)
            *apart = *apart || bits_test(p->conflicts + entries[i].class_ * x->k->class_words, entries[j].class_);
    }
    return n;
}

static uint32_t offer_of(const exact *x, uint32_t set)
{
    packing *k = x->k;
    packing_entry entries[EXACT_PODS];
    bool apart;
    uint32_t n = entries_of(x, set, entries, &apart);
    k->work += n * (n + k->p->dims);
    if (apart) return UINT32_MAX;
    memset(k->left, 0, k->p->dims * sizeof *k->left);
    for (uint32_t i = 0; i < n; i++) {
        const int64_t *r = k->p->requests + (size_t)entries[i].class_ * k->p->dims;
        for (uint32_t d = 0; d < k->p->dims; d++) k->left[d] += r[d] * (int64_t)entries[i].copies;
    }
    return packing_offer_for(k, entries, n, k->left);
}

static void find_least(exact *x, uint32_t set)
{
    uint32_t lowest = set & (~set + 1), others = set ^ lowest;
    x->least[set] = HUGE_VAL;
    for (uint32_t with = others;; with = (with - 1) & others) {
        uint32_t here = with | lowest, rest = set ^ here, nodes = x->nodes[rest] + 1;
        double cost = x->one[here] + x->least[rest];
        bool better = cost < x->least[set] - SAME || (cost <= x->least[set] + SAME && nodes < x->nodes[set]);
        if (cost < HUGE_VAL && better) {
            x->least[set] = cost;
            x->nodes[set] = nodes;
            x->first[set] = here;
        }
        x->k->work += WORK_A_PART;
        if (with == 0) return;
    }
}

/* Takes over the optimal packing of all pods. */
static bool take_least(exact *x)
{
    karp_context *context = x->k->context;
    packing_bins bins = { .cost = 0 };
    bool ok = true, apart;
    for (uint32_t set = (1U << x->count) - 1; ok && set != 0; set ^= x->first[set]) {
        packing_entry entries[EXACT_PODS];
        uint32_t n = entries_of(x, x->first[set], entries, &apart);
        ok = packing_copy_bin(context, &bins, 0, entries, n);
    }
    ok = ok && packing_complete(x->k, &bins);
    packing_bins_free(context, &bins);
    if (!ok) x->k->failed = true;
    return ok;
}

bool packing_exact(packing *k)
{
    exact x = { .k = k };
    for (uint32_t c = 0; c < k->p->class_count; c++) {
        for (uint32_t i = 0; i < k->p->counts[c]; i++) {
            if (x.count == EXACT_PODS) return false;
            x.class_of[x.count++] = c;
        }
    }
    size_t sets = (size_t)1 << x.count;
    k->work += WORK_A_STEP;
    x.one = arena_array(&k->data, sets, sizeof *x.one);
    x.least = arena_array(&k->data, sets, sizeof *x.least);
    x.nodes = arena_array(&k->data, sets, sizeof *x.nodes);
    x.first = arena_array(&k->data, sets, sizeof *x.first);
    k->failed = x.one == NULL || x.least == NULL || x.nodes == NULL || x.first == NULL;
    for (uint32_t set = 1; set < sets && !k->failed; set++) {
        uint32_t offer = offer_of(&x, set);
        x.one[set] = offer != UINT32_MAX ? k->p->prices[offer] : HUGE_VAL;
        find_least(&x, set);
    }
    return !k->failed && x.least[sets - 1] < HUGE_VAL && take_least(&x);
}
