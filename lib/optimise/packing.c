/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search starts with greedy plans, which always fill the node whose content is worth most per dollar. They are
 * repeated a few times, with random changes to the worth of pods and with more offers and classes considered each
 * time. Ruin and recreate then improves the best of them.
 */
#include <optimise/packing_state.h>

#include <base/bits.h>
#include <math.h>
#include <optimise/packing.h>
#include <string.h>

enum { FEW_NODES = 12, MOVES_A_NODE = 1000, GREEDY_PLANS = 5, PICKS = 30, LEAST_WINDOW = 16, LEAST_TRIES = 2 };
#define GREEDY_VISITS UINT64_C(65536) /* visits of classes while the first greedy plan is made */

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

bool packing_node_init(packing *k, filled *n)
{
    *n = (filled){ .offer = 0 };
    n->used = mem_zalloc(k->context, k->p->dims * sizeof *n->used);
    return n->used != NULL;
}

void packing_node_free(packing *k, filled *n)
{
    list_free(k->context, &n->entries, sizeof *n->entries.items);
    mem_free(k->context, n->used, k->p->dims * sizeof *n->used);
}

bool packing_node_put(packing *k, filled *n, uint32_t class_, uint32_t copies)
{
    const int64_t *r = k->p->requests + (size_t)class_ * k->p->dims;
    for (uint32_t d = 0; d < k->p->dims; d++) n->used[d] += r[d] * (int64_t)copies;
    for (size_t i = 0; i < n->entries.count; i++) {
        if (n->entries.items[i].class_ != class_) continue;
        n->entries.items[i].copies += copies;
        return true;
    }
    packing_entry *e = list_push(k->context, &n->entries, sizeof *e);
    if (e == NULL) return mem_refused(&k->failed);
    *e = (packing_entry){ class_, copies };
    return true;
}

static bool holds(const packing *k, uint32_t offer, const int64_t *used)
{
    const int64_t *space = k->p->spaces + (size_t)offer * k->p->dims;
    for (uint32_t d = 0; d < k->p->dims; d++) {
        if (used[d] > space[d]) return false;
    }
    return true;
}

uint32_t packing_offer_for(packing *k, const packing_entry *pods, uint32_t count, const int64_t *used)
{
    const packing_problem *p = k->p;
    memset(k->common, 0xff, k->offer_words * sizeof *k->common);
    for (uint32_t i = 0; i < count; i++)
        bits_and(k->common, p->allowed + pods[i].class_ * k->offer_words, k->offer_words);
    k->work += count * k->offer_words / 4 + 1;
    for (size_t o = bits_next(k->common, p->offer_count, 0); o < p->offer_count;
         o = bits_next(k->common, p->offer_count, o + 1)) {
        k->work++;
        if (holds(k, (uint32_t)o, used)) return (uint32_t)o;
    }
    return UINT32_MAX;
}

uint32_t packing_cheapest_for(packing *k, const filled *n)
{
    return packing_offer_for(k, n->entries.items, (uint32_t)n->entries.count, n->used);
}

/* ---- the best plan ----------------------------------------------------------------------------------------------- */

bool packing_save_best(packing *k)
{
    packing_bins_free(k->context, &k->best);
    k->best_is_at_hand = false;
    for (size_t i = 0; i < k->nodes.count; i++) {
        const filled *n = &k->nodes.items[i];
        if (!packing_copy_bin(k->context, &k->best, n->offer, n->entries.items, n->entries.count))
            return mem_refused(&k->failed);
        k->work += n->entries.count;
    }
    k->best.cost = k->cost;
    return true;
}

static void clear_nodes(packing *k)
{
    for (size_t i = 0; i < k->nodes.count; i++) packing_node_free(k, &k->nodes.items[i]);
    k->nodes.count = 0;
}

/* Makes the bins the current plan. Each gets the cheapest offer that can contain it. */
static bool take_bins(packing *k, const packing_bins *from)
{
    clear_nodes(k);
    k->cost = 0;
    for (size_t i = 0; i < from->list.count; i++) {
        const packing_bin *b = &from->list.items[i];
        filled *n = list_push(k->context, &k->nodes, sizeof *n);
        if (n == NULL || !packing_node_init(k, n)) {
            if (n != NULL) k->nodes.count--;
            return mem_refused(&k->failed);
        }
        for (size_t e = 0; e < b->entries.count; e++) {
            if (!packing_node_put(k, n, b->entries.items[e].class_, b->entries.items[e].copies)) return false;
        }
        n->offer = packing_cheapest_for(k, n);
        if (n->offer == UINT32_MAX) n->offer = b->offer;
        k->cost += k->p->prices[n->offer];
        k->work += b->entries.count;
    }
    return true;
}

/* ---- whole plans ------------------------------------------------------------------------------------------------- */

/* The nodes of the current move become the plan. */
static void take_fresh(packing *k, double cost)
{
    clear_nodes(k);
    for (uint32_t i = 0; i < k->fresh_count; i++) {
        filled *slot = list_push(k->context, &k->nodes, sizeof *slot);
        if (slot == NULL) {
            k->failed = true;
            return;
        }
        *slot = k->fresh.items[i];
        k->fresh.items[i] = (filled){ .offer = 0 };
    }
    for (uint32_t i = 0; i < k->fresh_count && !k->failed; i++) k->failed = !packing_node_init(k, &k->fresh.items[i]);
    k->cost = cost;
    k->best_is_at_hand = true;
}

/* Visits of classes per node of a greedy plan, which has about as many different nodes as there are classes. */
static uint64_t greedy_visits(const packing *k, uint32_t plan)
{
    return (GREEDY_VISITS << 2 * plan) / (k->p->class_count + 1) + 1;
}

/* The step at which the plan is made: more thorough plans are made once the search has done about as many steps as
 * they take. */
static uint64_t greedy_start(const packing *k, uint32_t plan)
{
    uint64_t visits = greedy_visits(k, plan), all = (uint64_t)k->p->class_count * k->p->offer_count;
    return plan == 0 ? 0 : (visits < all ? visits : all) * k->p->class_count * PICKS / WORK_A_STEP;
}

/* Fills nodes evenly, from a window of classes, using the most promising offers. */
static void fill_greedily(packing *k, uint32_t plan)
{
    uint64_t visits = greedy_visits(k, plan), tries = LEAST_TRIES + 2 * plan, window = visits / tries;
    if (window < LEAST_WINDOW) window = LEAST_WINDOW;
    if (window > k->p->class_count) window = k->p->class_count;
    if (visits / (window + 1) > tries) tries = visits / (window + 1);
    k->balanced = true;
    k->window = window < k->p->class_count ? (uint32_t)window : UINT32_MAX;
    k->tries = tries < UINT32_MAX ? (uint32_t)tries : UINT32_MAX;
}

/* Places all pods again; the plan is kept if it is the best. */
static void greedy_plan(packing *k)
{
    const packing_problem *p = k->p;
    k->open_count = p->class_count;
    k->fresh_count = 0;
    for (uint32_t c = 0; c < p->class_count; c++) {
        k->open[c] = c;
        k->rest[c] = p->counts[c];
        k->value[c] = p->worth[c] * (k->plans == 0 ? 1 : 1 + 0.1 * (chance_part(&k->random) - 0.5));
    }
    fill_greedily(k, k->plans);
    double cost = packing_recreate(k, k->best.cost, 1);
    k->plans++;
    memset(k->rest, 0, p->class_count * sizeof *k->rest); /* left over from a plan that was given up */
    if (k->failed || !(cost < k->best.cost)) return;
    take_fresh(k, cost);
    k->best.cost = cost;
    k->stale = 0;
}

bool packing_complete(packing *k, const packing_bins *part)
{
    const packing_problem *p = k->p;
    double cost = 0;
    k->open_count = p->class_count;
    k->fresh_count = 0;
    for (uint32_t c = 0; c < p->class_count; c++) k->open[c] = c, k->rest[c] = p->counts[c], k->value[c] = p->worth[c];
    for (size_t i = 0; i < part->list.count; i++) {
        const packing_bin *b = &part->list.items[i];
        filled *n = packing_fresh_node(k);
        for (size_t e = 0; n != NULL && e < b->entries.count; e++) {
            if (!packing_node_put(k, n, b->entries.items[e].class_, b->entries.items[e].copies)) return false;
            k->rest[b->entries.items[e].class_] -= b->entries.items[e].copies;
        }
        if (n == NULL) return false;
        n->offer = packing_cheapest_for(k, n);
        cost += n->offer != UINT32_MAX ? p->prices[n->offer] : HUGE_VAL;
    }
    fill_greedily(k, 0);
    if (cost < k->best.cost) cost += packing_recreate(k, k->best.cost - cost, 1);
    memset(k->rest, 0, p->class_count * sizeof *k->rest);
    if (k->failed || !(cost < k->best.cost)) return !k->failed;
    take_fresh(k, cost);
    k->plans = GREEDY_PLANS; /* the search continues from this plan */
    k->best.cost = cost;
    k->stale = 0;
    return !k->failed;
}

/* A random delay until the first success, usually short. (Without a logarithm, whose results differ between C
 * libraries.) */
static double chance_delay(packing *k)
{
    uint64_t bits = chance_next(&k->random) | 1;
    double whole = 0;
    while ((bits & (UINT64_C(1) << 63)) == 0) bits <<= 1, whole++;
    return 0.69 * (whole + chance_part(&k->random));
}

/* Whether nearly all alternatives have been tried, which is possible if there are few nodes. */
static bool exhausted(const packing *k)
{
    return k->nodes.count <= FEW_NODES && k->stale > MOVES_A_NODE * k->nodes.count;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static bool allocate(packing *k)
{
    const packing_problem *p = k->p;
    size_t classes = p->class_count + (size_t)1;
    k->rest = arena_array(&k->data, classes, sizeof *k->rest);
    k->open = arena_array(&k->data, classes, sizeof *k->open);
    k->value = arena_array(&k->data, classes, sizeof *k->value);
    k->barred = arena_array(&k->data, k->class_words + 1, sizeof *k->barred);
    k->common = arena_array(&k->data, k->offer_words + 1, sizeof *k->common);
    return k->rest != NULL && k->open != NULL && k->value != NULL && k->barred != NULL && k->common != NULL &&
           packing_fill_init(k);
}

packing *packing_begin(karp_context *context, const packing_problem *p, const packing_bins *from)
{
    packing *k = mem_zalloc(context, sizeof *k);
    if (k == NULL) return NULL;
    k->context = context;
    k->p = p;
    k->offer_words = bits_words(p->offer_count);
    k->class_words = bits_words(p->class_count);
    k->random = UINT64_C(0x9e3779b97f4a7c15);
    k->cost = k->best.cost = HUGE_VAL;
    k->milestone = 1000;
    arena_init(&k->data, context);
    bool ok = allocate(k);
    if (ok && from != NULL && from->list.count > 0) {
        ok = take_bins(k, from);
        k->best_is_at_hand = ok;
        k->best.cost = k->cost;
    }
    if (ok) return k;
    packing_end(k);
    return NULL;
}

void packing_end(packing *k)
{
    if (k == NULL) return;
    clear_nodes(k);
    list_free(k->context, &k->nodes, sizeof(filled));
    for (size_t i = 0; i < k->fresh.count; i++) packing_node_free(k, &k->fresh.items[i]);
    list_free(k->context, &k->fresh, sizeof(filled));
    packing_bins_free(k->context, &k->best);
    arena_free(&k->data);
    mem_free(k->context, k, sizeof *k);
}

uint64_t packing_steps(const packing *k) { return k->work / WORK_A_STEP; }
const packing_bins *packing_best(const packing *k) { return &k->best; }

/* How much more expensive the plan may become: decreases until the milestone. */
static double slack_now(packing *k)
{
    uint64_t steps = packing_steps(k);
    double span = (double)(k->milestone - k->before), done = (double)(steps - k->before);
    double heat = k->best.cost * 0.003 / sqrt((double)k->nodes.count) * (1 - done / span);
    return heat > 0 ? heat * chance_delay(k) : 0;
}

/* Restarts from the best plan at the initial temperature, for twice as many steps. */
static bool next_milestone(packing *k)
{
    k->before = k->milestone;
    k->milestone *= 2;
    return k->best_is_at_hand || take_bins(k, &k->best);
}

bool packing_search(packing *k, uint64_t steps)
{
    uint32_t moves = 0;
    while (packing_steps(k) < steps && !k->failed && k->p->class_count > 0) {
        if (k->exact || (k->plans == 0 && (k->exact = packing_exact(k)))) break;
        if (k->plans < GREEDY_PLANS && packing_steps(k) >= greedy_start(k, k->plans)) {
            greedy_plan(k);
            continue;
        }
        if (k->nodes.count == 0 || exhausted(k)) break;
        while (packing_steps(k) >= k->milestone && !k->failed) (void)next_milestone(k);
        if (k->failed) break;
        packing_move(k, slack_now(k));
        k->work += 16;
        if (++moves % 64 == 0 && k->cost > k->best.cost * 1.01 && !take_bins(k, &k->best)) break;
    }
    if (!k->failed && k->best_is_at_hand && k->best.cost < HUGE_VAL) (void)packing_save_best(k);
    return !k->failed;
}

/* ---- menus ------------------------------------------------------------------------------------------------------- */

bool menu_problem(arena *a, const menu *m, packing_problem *out)
{
    uint32_t *counts = arena_array(a, m->class_count + (size_t)1, sizeof *counts);
    uint32_t *limits = arena_array(a, m->class_count + (size_t)1, sizeof *limits);
    double *prices = arena_array(a, m->offer_count + (size_t)1, sizeof *prices);
    if (counts == NULL || limits == NULL || prices == NULL) return false;
    for (uint32_t c = 0; c < m->class_count; c++) {
        counts[c] = m->classes[c].count;
        limits[c] = m->classes[c].limit;
    }
    for (uint32_t o = 0; o < m->offer_count; o++) prices[o] = m->offers[o].price;
    *out = (packing_problem){ .dims = m->dims,
                              .class_count = m->class_count,
                              .offer_count = m->offer_count,
                              .requests = m->requests,
                              .counts = counts,
                              .limits = limits,
                              .spaces = m->spaces,
                              .prices = prices,
                              .allowed = m->allowed,
                              .conflicts = m->conflicts };
    return packing_rate(a, out);
}

uint32_t menu_types(scheduler *s, const menu *m, uint32_t offer, const policy *p, uint32_t *known)
{
    const menu_offer *o = &m->offers[offer];
    if (known[offer] == 0) known[offer] = 1 + guide_types(s, o->template_, o->offering, p);
    return known[offer] - 1;
}
