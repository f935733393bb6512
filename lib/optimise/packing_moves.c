/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ruin and recreate: takes the pods off a few nodes, places some of them in the free space of other nodes and the
 * rest on new nodes. A result that costs no more is kept. Simulated annealing also keeps slightly more expensive
 * results, with a tolerance that decreases until the next milestone.
 */
#include <optimise/packing_state.h>
#include <base/sort.h>

#include <base/bits.h>
#include <math.h>

enum { MOST_RUINED = 12, TOUCHED = 6 };

/* The worth of the node's pods per dollar. */
static double use_of(packing *k, const filled *n)
{
    double worth = 0;
    for (size_t i = 0; i < n->entries.count; i++)
        worth += k->p->worth[n->entries.items[i].class_] * n->entries.items[i].copies;
    k->work += n->entries.count;
    return k->p->prices[n->offer] > 0 ? worth / k->p->prices[n->offer] : HUGE_VAL;
}

/* The worst of three nodes, and further random ones; descending. */
static uint32_t choose_ruined(packing *k, uint32_t *chosen)
{
    uint32_t all = (uint32_t)k->nodes.count, most = all < MOST_RUINED ? all : MOST_RUINED;
    uint32_t wanted = 2 + chance_below(&k->random, 6), count = 0;
    double least = HUGE_VAL;
    chosen[0] = 0;
    for (uint32_t t = 0; t < 3; t++) {
        uint32_t i = chance_below(&k->random, all);
        double use = use_of(k, &k->nodes.items[i]);
        if (use < least) least = use, chosen[0] = i;
    }
    count = 1;
    if (wanted > most) wanted = most;
    while (count < wanted) {
        uint32_t i = chance_below(&k->random, all), at = 0;
        while (at < count && chosen[at] != i) at++;
        if (at < count) continue;
        chosen[count++] = i;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t x = chosen[i], at = i;
        for (; at > 0 && chosen[at - 1] < x; at--) chosen[at] = chosen[at - 1];
        chosen[at] = x;
    }
    return count;
}

/* The number of additional copies of the class that fit on the node. */
static uint32_t more_copies(const packing *k, const filled *n, uint32_t c)
{
    const packing_problem *p = k->p;
    const int64_t *r = p->requests + (size_t)c * p->dims, *space = p->spaces + (size_t)n->offer * p->dims;
    if (!bits_test(p->allowed + c * k->offer_words, n->offer)) return 0;
    uint32_t most = p->limits[c];
    for (size_t i = 0; i < n->entries.count; i++) {
        const packing_entry *e = &n->entries.items[i];
        if (e->class_ == c) most = e->copies >= most ? 0 : most - e->copies;
        else if (p->conflicts != NULL && bits_test(p->conflicts + c * k->class_words, e->class_)) return 0;
    }
    if (k->rest[c] < most) most = k->rest[c];
    for (uint32_t d = 0; d < p->dims && most > 0; d++) {
        int64_t left = space[d] - n->used[d];
        if (r[d] * (int64_t)most > left) most = r[d] > left ? 0 : (uint32_t)(left / r[d]);
    }
    return most;
}

/* Pods that were put on nodes that stay, for undoing. */
typedef struct put_more {
    uint32_t node, class_, copies;
} put_more;

typedef struct put_list {
    put_more items[64];
    uint32_t count;
} put_list;

static void fill_others(packing *k, const uint32_t *chosen, uint32_t count, put_list *done)
{
    done->count = 0;
    for (uint32_t t = 0; t < TOUCHED && k->nodes.count > count; t++) {
        uint32_t i = chance_below(&k->random, (uint32_t)k->nodes.count);
        if (ids_have(chosen, count, i)) continue;
        filled *n = &k->nodes.items[i];
        uint32_t from = chance_below(&k->random, k->open_count);
        for (uint32_t o = 0; o < k->open_count && done->count < 64; o++) {
            uint32_t c = k->open[from + o < k->open_count ? from + o : from + o - k->open_count];
            if (k->rest[c] == 0) continue;
            uint32_t more = more_copies(k, n, c);
            if (more == 0) continue;
            if (!packing_node_put(k, n, c, more)) return;
            k->rest[c] -= more;
            done->items[done->count++] = (put_more){ i, c, more };
        }
        k->work += k->open_count * 2;
    }
}

static void take_back(packing *k, const put_list *done)
{
    for (uint32_t i = done->count; i-- > 0;) {
        const put_more *m = &done->items[i];
        filled *n = &k->nodes.items[m->node];
        const int64_t *r = k->p->requests + (size_t)m->class_ * k->p->dims;
        for (uint32_t d = 0; d < k->p->dims; d++) n->used[d] -= r[d] * (int64_t)m->copies;
        for (size_t e = 0; e < n->entries.count; e++) {
            if (n->entries.items[e].class_ != m->class_) continue;
            n->entries.items[e].copies -= m->copies;
            if (n->entries.items[e].copies == 0) n->entries.items[e] = n->entries.items[--n->entries.count];
            break;
        }
    }
}

/* Saves the best plan, which is the current one without the pods that were put on nodes that stay. */
static bool save_before(packing *k, const put_list *done)
{
    take_back(k, done);
    if (!packing_save_best(k)) return false;
    for (uint32_t i = 0; i < done->count && !k->failed; i++) {
        const put_more *m = &done->items[i];
        (void)packing_node_put(k, &k->nodes.items[m->node], m->class_, m->copies);
    }
    return !k->failed;
}

/* Takes the pods off the chosen nodes. Returns the cost of these nodes. */
static double ruin(packing *k, const uint32_t *chosen, uint32_t count)
{
    double cost = 0;
    k->open_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const filled *n = &k->nodes.items[chosen[i]];
        cost += k->p->prices[n->offer];
        for (size_t e = 0; e < n->entries.count; e++) {
            uint32_t c = n->entries.items[e].class_;
            if (k->rest[c] == 0) k->open[k->open_count++] = c;
            k->rest[c] += n->entries.items[e].copies;
        }
        k->work += n->entries.count * 2;
    }
    double shake = 0.1 + 0.4 * chance_part(&k->random);
    for (uint32_t i = 0; i < k->open_count; i++) {
        uint32_t c = k->open[i];
        k->value[c] = k->p->worth[c] * (1 + shake * (chance_part(&k->random) - 0.5));
    }
    return cost;
}

static void exchange_nodes(packing *k, const uint32_t *chosen, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) { /* descending, so that the last node is never one of the chosen */
        filled removed = k->nodes.items[chosen[i]];
        k->nodes.items[chosen[i]] = k->nodes.items[--k->nodes.count];
        packing_node_free(k, &removed);
    }
    for (uint32_t i = 0; i < k->fresh_count; i++) {
        filled *slot = list_push(k->context, &k->nodes, sizeof *slot);
        if (slot == NULL) {
            k->failed = true;
            return;
        }
        *slot = k->fresh.items[i];
        if (!packing_node_init(k, &k->fresh.items[i])) k->failed = true;
    }
}

void packing_move(packing *k, double slack)
{
    uint32_t chosen[MOST_RUINED];
    put_list done;
    uint32_t count = choose_ruined(k, chosen);
    double old = ruin(k, chosen, count);
    if (chance_next(&k->random) >> 63) fill_others(k, chosen, count, &done);
    else done.count = 0;
    k->fresh_count = 0;
    packing_fill_freely(k);
    double cost = k->failed ? HUGE_VAL : packing_recreate(k, old + slack, k->nodes.count > 40 ? 3 : 2);
    for (uint32_t i = 0; i < k->open_count; i++) k->rest[k->open[i]] = 0; /* left over from a move that ended early */
    if (k->failed) return;
    if (!(cost < old + slack)) {
        k->stale++;
        take_back(k, &done);
        return;
    }
    if (k->best_is_at_hand && cost > old && !save_before(k, &done)) return;
    exchange_nodes(k, chosen, count);
    k->cost += cost - old;
    k->stale++;
    if (k->cost < k->best.cost * (1 - 1e-12) - 1e-12) {
        k->best_is_at_hand = true;
        k->best.cost = k->cost;
        k->stale = 0;
    }
}
