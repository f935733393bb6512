/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search begins with a pass over all nodes, those with the highest saving per eviction first. Then it makes
 * moves. A move removes some nodes, restores some removed ones with their pods, and drops a few launches. The pods
 * that have no place then are placed again. A move that does not pay is undone from a log.
 */
#include <optimise/chance.h>
#include <optimise/repack_state.h>

#include <base/context.h>
#include <base/sort.h>
#include <math.h>

enum {
    MOST_TOGETHER = 6,
    FULL_SCAN = 64,
    SAMPLE = 24,
    MANY_NODES = 500,
    LEAST_EFFORT = 1000,
    EFFORT_A_NODE = 50,
    STARTS = 12,
    LEAST_LOOK = 1000000,
    LOOK_A_NODE = 20000
};

#define SPREAD                                                                                                         \
    0.01 /* weight of concentrating free space in few places: per squared worth, relative to the mean price of a node  \
          */
#define LEAST_COST 0.999 /* about the lowest cost of launches, relative to the worth of their pods */

/* ---- limits of work ---------------------------------------------------------------------------------------------- */

/* Full passes visit every node, regardless of the effort. With many kinds of pods that cannot share nodes this takes
 * long, so the work of all full passes of a search is limited. The effort limits everything after them. */
static void begin_looking(repack_search *q)
{
    uint64_t most = LEAST_LOOK + (uint64_t)LOOK_A_NODE * q->p->node_count,
             left = most > q->looked ? most - q->looked : 0;
    q->most_looked = repack_search_work(q) + left;
    packing_limit(q->packing, left);
}

static void end_looking(repack_search *q, uint64_t start)
{
    q->looked += repack_search_work(q) - start;
    packing_limit(q->packing, UINT64_MAX);
}

static bool stopped(const repack_search *q) { return q->failed || q->context->stop_noted; }
static bool looked_enough(const repack_search *q) { return stopped(q) || repack_search_work(q) >= q->most_looked; }

/* ---- placing ----------------------------------------------------------------------------------------------------- */

/* Places as many pods of the class there as are needed and fit. */
static void fill_place(repack_search *q, uint32_t place, uint32_t c)
{
    if (q->demand[c] <= 0) return;
    uint32_t want = q->demand[c] < UINT32_MAX ? (uint32_t)q->demand[c] : UINT32_MAX;
    uint32_t n = state_fits(q, place, c, want);
    if (n == 0) return;
    if (state_put(q, place, c, (int32_t)n)) q->demand[c] -= n;
}

/* Tries launches and nodes with free space, starting at a random position. */
static void fill_sample(repack_search *q, uint32_t c, uint32_t from, uint32_t to)
{
    uint32_t all = to - from;
    if (all == 0) return;
    uint32_t tries = all <= FULL_SCAN ? all : SAMPLE, at = chance_below(&q->random, all);
    for (uint32_t i = 0; i < tries && q->demand[c] > 0 && !q->failed; i++) {
        fill_place(q, from + at, c);
        at = at + 1 < all ? at + 1 : 0;
    }
}

/* Fills a node that stays with the pods that have the highest worth for their size. Each resource is weighted by the
 * amount that is still requested. */
static void fill_host(repack_search *q, uint32_t host)
{
    const packing_problem *l = &q->p->launches;
    const int64_t *left = q->places.items[host].free;
    double weight[64], total = 0;
    uint32_t dims = l->dims < 64 ? l->dims : 64, n = 0;
    for (uint32_t d = 0; d < dims; d++) {
        double requested = 0;
        for (uint32_t i = 0; i < q->open_count; i++) {
            uint32_t c = q->open[i];
            if (q->demand[c] > 0) requested += (double)q->demand[c] * (double)l->requests[(size_t)c * l->dims + d];
        }
        weight[d] = left[d] > 0 ? requested / (double)left[d] : 0;
        total += weight[d];
    }
    for (uint32_t d = 0; d < dims; d++) weight[d] = left[d] > 0 && total > 0 ? weight[d] / total / (double)left[d] : 0;
    for (uint32_t i = 0; i < q->open_count; i++) {
        uint32_t c = q->open[i];
        double size = 1e-12;
        if (q->demand[c] <= 0) continue;
        for (uint32_t d = 0; d < dims; d++) size += weight[d] * (double)l->requests[(size_t)c * l->dims + d];
        double ratio = l->worth[c] / size * (1 + 0.15 * chance_part(&q->random));
        uint32_t at = n++;
        for (; at > 0 && q->ratio[at - 1] < ratio; at--)
            q->ratio[at] = q->ratio[at - 1], q->rated[at] = q->rated[at - 1];
        q->ratio[at] = ratio;
        q->rated[at] = c;
    }
    q->work += q->open_count * (uint64_t)(dims + 4) + (uint64_t)n * n / 16;
    for (uint32_t i = 0; i < n && !q->failed; i++) fill_place(q, host, q->rated[i]);
}

/* The same, starting with those of a sample whose free space suits the class best. */
static void fill_suited(repack_search *q, uint32_t c, uint32_t all)
{
    uint32_t tries = all <= FULL_SCAN || q->suits ? all : SAMPLE;
    while (q->demand[c] > 0 && all > 0 && !q->failed) {
        uint32_t at = chance_below(&q->random, all), best = UINT32_MAX;
        double least = HUGE_VAL;
        for (uint32_t i = 0; i < tries; i++) {
            if (state_fits(q, at, c, 1) > 0) {
                double lost = state_lost(q, at, c) + 1e-6 * chance_part(&q->random);
                if (lost < least) best = at, least = lost;
            }
            at = at + 1 < all ? at + 1 : 0;
        }
        if (best == UINT32_MAX) return;
        fill_place(q, best, c);
    }
}

/* Tries the nodes that are least likely to be removed first. A node without space for the class is skipped until a
 * pass starts again, unless the current move has changed it. */
static void fill_in_order(repack_search *q, uint32_t c)
{
    const repack_problem *p = q->p;
    uint32_t at = q->first_open[c];
    bool full = true;
    for (; at < p->host_count && q->demand[c] > 0 && !q->failed; at++) {
        uint32_t host = q->host_order[at];
        int64_t before = q->demand[c];
        bool untouched = q->touched[host] != q->move;
        fill_place(q, host, c);
        full = full && untouched && q->demand[c] == before;
        if (full) q->first_open[c] = at + 1;
    }
}

static int by_worth(const void *a, const void *b, const void *user)
{
    const double *worth = user;
    double x = worth[*(const uint32_t *)a], y = worth[*(const uint32_t *)b];
    return x > y ? -1 : x < y;
}

/* Sorts the classes that have a demand by approximate size, the largest first. */
static bool order_open(repack_search *q)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < q->open_count; i++) {
        uint32_t c = q->open[i];
        q->is_open[c] = q->demand[c] != 0;
        if (q->demand[c] == 0) continue;
        q->value[c] = q->p->launches.worth[c] * (1 + 0.3 * chance_part(&q->random));
        q->open[n++] = c;
    }
    q->open_count = n;
    return sort_stable(q->context, q->open, n, sizeof *q->open, by_worth, q->value);
}

/* Buys new nodes for the remaining demand; infinite = more than `most`, or impossible. Launches seldom cost less than
 * their pods are worth, so most moves end here without searching offers. */
static double buy(repack_search *q, double most)
{
    uint32_t n = 0;
    double worth = 0;
    for (uint32_t i = 0; i < q->open_count; i++) {
        uint32_t c = q->open[i];
        if (q->demand[c] <= 0) continue;
        q->wanted[n++] = (packing_entry){ c, (uint32_t)q->demand[c] };
        worth += q->p->launches.worth[c] * (double)q->demand[c];
    }
    if (n == 0) return 0;
    if (worth * LEAST_COST > most) return HUGE_VAL;
    double cost = packing_buy(q->packing, q->wanted, n, most);
    if (!(cost < HUGE_VAL)) return HUGE_VAL;
    for (uint32_t i = 0; i < packing_bought_count(q->packing) && !q->failed; i++) {
        const packing_entry *entries;
        uint32_t count, offer = packing_bought(q->packing, i, &entries, &count), place;
        if (!state_new_bin(q, offer, &place)) return HUGE_VAL;
        for (uint32_t e = 0; e < count; e++) {
            if (!state_put(q, place, entries[e].class_, (int32_t)entries[e].copies)) return HUGE_VAL;
            q->demand[entries[e].class_] -= entries[e].copies;
        }
    }
    return cost;
}

/* Takes pods for a restored node from any places with pods of their class. */
static void take_missing(repack_search *q, uint32_t c)
{
    uint32_t all = (uint32_t)q->places.count, at = all > 0 ? chance_below(&q->random, all) : 0;
    bool bins_first = true;
    for (uint32_t turn = 0; turn < 2 && q->demand[c] < 0; turn++, bins_first = false) {
        for (uint32_t i = 0; i < all && q->demand[c] < 0 && !q->failed; i++) {
            at = at + 1 < all ? at + 1 : 0;
            if ((at >= q->p->host_count) != bins_first) continue;
            int64_t here = state_copies(q, at, c);
            if (here == 0) continue;
            if (here > -q->demand[c]) here = -q->demand[c];
            if (state_put(q, at, c, -(int32_t)here)) q->demand[c] += here;
            if (bins_first) state_note_shrunk(q, at);
        }
    }
}

/* Replaces launches that lost pods by smaller ones. */
static void shrink(repack_search *q)
{
    for (size_t i = 0; i < q->shrunk.count && !q->failed; i++) state_resize(q, q->shrunk.items[i]);
    q->shrunk.count = 0;
}

/* Satisfies all demands. false = impossible, or too expensive. */
static bool settle(repack_search *q, double most, bool greedy)
{
    for (uint32_t i = 0; i < q->open_count; i++) {
        if (q->demand[q->open[i]] < 0) take_missing(q, q->open[i]);
    }
    if (!order_open(q)) return mem_refused(&q->failed);
    uint32_t hosts = q->p->host_count;
    bool bins = greedy || (chance_next(&q->random) >> 62) != 0,
         existing = greedy || (chance_next(&q->random) >> 61) != 0;
    bool suited = q->rate != NULL && !greedy && (chance_next(&q->random) >> 63) != 0;
    for (uint32_t i = 0; i < q->open_count; i++) {
        if (q->demand[q->open[i]] < 0) return false;
    }
    for (uint32_t i = 0; i < q->ruined_count && !q->failed; i++) fill_host(q, q->ruined[i]);
    for (uint32_t i = 0; i < q->open_count; i++) {
        uint32_t c = q->open[i];
        if (q->demand[c] < 0) return false;
        if (existing && greedy && q->suits) fill_suited(q, c, hosts);
        else if (existing && greedy) fill_in_order(q, c);
        else if (existing && suited) fill_suited(q, c, hosts);
        else if (existing) fill_sample(q, c, 0, hosts);
        if (bins) fill_sample(q, c, hosts, (uint32_t)q->places.count);
    }
    shrink(q);
    return !q->failed && buy(q, most - (q->cost - q->began.cost)) < HUGE_VAL && !q->failed;
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

static double objective(const repack_search *q, double cost, uint64_t evictions)
{
    return cost + q->p->per_eviction * (double)evictions;
}

static void begin_move(repack_search *q)
{
    for (uint32_t i = 0; i < q->open_count; i++) q->demand[q->open[i]] = 0, q->is_open[q->open[i]] = false;
    q->open_count = 0;
    q->shrunk.count = 0;
    q->ruined_count = 0;
    q->log.count = 0;
    q->move++;
    q->began.cost = q->cost;
    q->began.spread = q->spread;
    q->began.evictions = q->evictions;
}

/* Ends the move. It is kept if the objective improves, or worsens by at most `slack`. */
static bool end_move(repack_search *q, bool settled, double slack)
{
    double gain = objective(q, q->began.cost, q->began.evictions) - objective(q, q->cost, q->evictions);
    if (q->mean_price > 0) gain += SPREAD / q->mean_price * (q->spread - q->began.spread);
    bool stays = settled && !q->failed && q->evictions <= q->most && gain > -slack &&
                 (gain > 1e-12 || slack > 0 || q->evictions < q->began.evictions);
    if (stays) state_commit(q);
    else state_undo(q);
    return stays && !q->failed;
}

/* The most that this move may spend on launches, beyond the price of removed nodes. */
static double most_cost(const repack_search *q, double slack)
{
    double more = q->p->per_eviction * ((double)q->evictions - (double)q->began.evictions);
    return slack - more + 1e-9;
}

static bool remove_one(repack_search *q, uint32_t which)
{
    begin_move(q);
    if (q->evictions + q->p->nodes[which].evictions > q->most || !state_remove(q, which)) {
        state_undo(q);
        return false;
    }
    return end_move(q, settle(q, most_cost(q, 0), true), 0);
}

/* The saving per eviction if the node's pods cost the fraction q->part of their worth: 0 where others have space for
 * them, 1 where each needs a launch. */
static double ratio_of(const repack_search *q, uint32_t which)
{
    const repack_node *n = &q->p->nodes[which];
    double space = q->space != NULL && n->host != UINT32_MAX && q->counts_space ? q->space[n->host] : 0;
    return n->evictions == 0 ? HUGE_VAL : (n->price - q->part * (q->worth[which] + space)) / n->evictions;
}

/* The best of three random nodes by saving per eviction. */
static uint32_t choose_kept(repack_search *q)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t t = 0; t < 3 && q->kept_count > 0; t++) {
        uint32_t which = q->list[chance_below(&q->random, q->kept_count)];
        if (best == UINT32_MAX || ratio_of(q, which) > ratio_of(q, best)) best = which;
    }
    return best;
}

static uint32_t choose_removed(repack_search *q)
{
    uint32_t best = UINT32_MAX, removed = q->p->node_count - q->fixed_count - q->kept_count;
    for (uint32_t t = 0; t < 2 && removed > 0; t++) {
        uint32_t which = q->list[q->kept_count + chance_below(&q->random, removed)];
        if (best == UINT32_MAX || ratio_of(q, which) < ratio_of(q, best)) best = which;
    }
    return best;
}

static void ruin_bins(repack_search *q, uint32_t count)
{
    uint32_t hosts = q->p->host_count;
    for (uint32_t i = 0; i < count && q->places.count > hosts && !q->failed; i++)
        state_empty(q, hosts + chance_below(&q->random, (uint32_t)q->places.count - hosts));
}

static void ruin_hosts(repack_search *q, uint32_t count)
{
    uint32_t hosts = q->p->host_count;
    for (uint32_t i = 0; i < count && hosts > 0 && !q->failed; i++) {
        uint32_t host = chance_below(&q->random, hosts);
        if (q->host_removed[host]) continue;
        state_empty(q, host);
        if (q->ruined_count < hosts) q->ruined[q->ruined_count++] = host;
    }
}

/* One move of the search. */
static bool move(repack_search *q, double slack)
{
    uint32_t kind = chance_below(&q->random, 8), removing = 0, restoring = 0;
    q->part = 0.5 * chance_below(&q->random, 3);
    begin_move(q);
    if (kind < 3) removing = 1 + chance_below(&q->random, MOST_TOGETHER - 2);
    else if (kind < 4) restoring = 1 + chance_below(&q->random, 3);
    else if (kind < 7) {
        removing = 1 + chance_below(&q->random, 3);
        restoring = 1 + chance_below(&q->random, 3);
    }
    for (uint32_t i = 0; i < restoring && !q->failed; i++) {
        uint32_t which = choose_removed(q);
        if (which == UINT32_MAX) continue;
        state_restore(q, which);
        uint32_t host = q->p->nodes[which].host;
        if (host != UINT32_MAX && q->ruined_count < q->p->host_count) q->ruined[q->ruined_count++] = host;
    }
    for (uint32_t i = 0; i < removing && !q->failed; i++) {
        uint32_t which = choose_kept(q);
        if (which != UINT32_MAX && q->evictions + q->p->nodes[which].evictions <= q->most) (void)state_remove(q, which);
    }
    ruin_bins(q, removing + restoring == 0 ? 2 + chance_below(&q->random, 5) : chance_below(&q->random, 4));
    if (chance_next(&q->random) >> 63) ruin_hosts(q, 1 + chance_below(&q->random, 4));
    return end_move(q, !q->failed && settle(q, most_cost(q, slack), false), slack);
}

/* ---- full passes ------------------------------------------------------------------------------------------------- */

static int by_ratio(uint32_t x, uint32_t y, const void *user)
{
    double a = ratio_of(user, x), b = ratio_of(user, y);
    return a > b ? -1 : a < b;
}

/* Sorts the nodes by saving, and the hosts by the probability of removal, the least likely first. */
static bool order_nodes(repack_search *q, double part)
{
    const repack_problem *p = q->p;
    q->part = part;
    q->next = 0;
    for (uint32_t i = 0; i < p->node_count; i++) q->by_ratio[i] = i;
    if (!sort_ids(q->context, q->by_ratio, p->node_count, by_ratio, q)) return false;
    uint32_t n = 0;
    for (uint32_t h = 0; h < p->host_count; h++) {
        if (p->node_of_host[h] == UINT32_MAX) q->host_order[n++] = h;
    }
    for (uint32_t i = p->node_count; i-- > 0;) {
        uint32_t host = p->nodes[q->by_ratio[i]].host;
        if (host != UINT32_MAX) q->host_order[n++] = host;
    }
    return true;
}

/* Tries to remove the nodes one by one, until the limit of evictions is reached. Returns whether some were removed.
 * With many nodes, a pass continues where the previous one ended, and so does a pass with a higher limit. */
static bool pass(repack_search *q, bool whole)
{
    bool some = false;
    if (whole) q->next = 0;
    if (q->next == 0) memset(q->first_open, 0, q->p->launches.class_count * sizeof *q->first_open);
    for (uint32_t i = q->next; i < q->p->node_count && !looked_enough(q); i++) {
        uint32_t which = q->by_ratio[i];
        bool fits = q->evictions + q->p->nodes[which].evictions <= q->most;
        if (fits || whole) q->next = i + 1;
        else break;
        if (fits && !q->gone[which] && !q->fixed[which] && remove_one(q, which)) some = true;
    }
    return some;
}

/* Removes the first nodes by cost per pod at once, as many as the limit allows, or only those that pay by this
 * measure. */
static void all_at_once(repack_search *q, bool paying)
{
    begin_move(q);
    for (uint32_t i = 0; i < q->p->node_count && !q->failed; i++) {
        uint32_t which = q->by_ratio[i];
        if (q->gone[which] || q->fixed[which] || q->evictions + q->p->nodes[which].evictions > q->most) continue;
        if (paying && !(ratio_of(q, which) > 0)) break;
        (void)state_remove(q, which);
    }
    for (uint32_t b = q->p->host_count; b < q->places.count && !q->failed; b++) state_empty(q, b);
    for (uint32_t h = 0; h < q->p->host_count && !q->failed; h++) state_empty(q, h);
    for (uint32_t h = 0; paying && h < q->p->host_count; h++) {
        if (!q->host_removed[q->host_order[h]]) q->ruined[q->ruined_count++] = q->host_order[h];
    }
    q->next = 0;
    memset(q->first_open, 0, q->p->launches.class_count * sizeof *q->first_open);
    (void)end_move(q, !q->failed && settle(q, most_cost(q, 0), true), 0);
}

static bool all_removed(repack_search *q, const packing_bins *bins, double saving, repack_plan *out)
{
    *out = (repack_plan){ .saving = saving };
    for (uint32_t i = 0; i < q->p->node_count; i++) {
        uint32_t *slot = q->fixed[i] ? NULL : list_push(q->context, &out->removed, sizeof *slot);
        if (!q->fixed[i] && slot == NULL) return false;
        if (slot != NULL) *slot = i;
    }
    for (size_t b = 0; b < bins->list.count; b++) {
        const packing_bin *from = &bins->list.items[b];
        if (!packing_copy_bin(q->context, &out->bins, from->offer, from->entries.items, from->entries.count))
            return false;
    }
    return true;
}

bool repack_search_may_all_go(const repack_search *q)
{
    uint64_t evictions = 0;
    for (uint32_t i = 0; i < q->p->node_count; i++) evictions += q->fixed[i] ? 0 : q->p->nodes[i].evictions;
    return evictions <= q->most && evictions > 0;
}

bool repack_search_everything(repack_search *q, uint64_t steps)
{
    packing_problem whole = q->p->launches;
    uint32_t *counts = arena_array(&q->data, whole.class_count + (size_t)1, sizeof *counts);
    double price = 0;
    uint64_t evictions = 0;
    if (counts == NULL) return false;
    for (uint32_t i = 0; i < q->p->node_count; i++) {
        const repack_node *n = &q->p->nodes[i];
        if (q->fixed[i]) continue;
        price += n->price;
        evictions += n->evictions;
        for (uint32_t e = 0; e < n->entry_count; e++) counts[n->entries[e].class_] += n->entries[e].copies;
    }
    if (evictions > q->most || evictions == 0) return true;
    whole.counts = counts;
    packing *k = packing_begin(q->context, &whole, NULL);
    repack_plan found = { .saving = 0 };
    bool ok = k != NULL && packing_search(k, steps);
    if (ok) q->work += packing_steps(k) * WORK_A_STEP;
    if (ok && objective(q, packing_best(k)->cost - price, evictions) < q->best_objective) {
        ok = (!q->best_at_hand || state_save(q, &q->best)) &&
             all_removed(q, packing_best(k), price - packing_best(k)->cost, &found) && state_take(q, &found);
    }
    packing_end(k);
    repack_plan_free(q->context, &found);
    return ok;
}

/* Restores a node, whatever is saved by that. */
static void restore(repack_search *q, uint32_t which)
{
    uint64_t most = q->most;
    begin_move(q);
    q->most = UINT64_MAX;
    state_restore(q, which);
    (void)end_move(q, settle(q, HUGE_VAL, true), HUGE_VAL);
    q->most = most;
}

/* Restores nodes until the number of moved pods is within the limit. */
static void come_back(repack_search *q)
{
    for (uint32_t i = q->p->node_count; i-- > 0 && q->evictions > q->most && !q->failed;) {
        uint32_t which = q->by_ratio[i];
        if (q->gone[which] && q->p->nodes[which].evictions > 0) restore(q, which);
    }
}

static void everything_back(repack_search *q)
{
    begin_move(q);
    for (uint32_t i = 0; i < q->p->node_count && !q->failed; i++) {
        if (q->gone[i]) state_restore(q, i);
    }
    uint64_t most = q->most;
    q->most = UINT64_MAX;
    (void)end_move(q, !q->failed && settle(q, HUGE_VAL, true), HUGE_VAL);
    q->most = most;
}

/* Returns to the best plan if the current one has become too expensive. */
static bool go_back(repack_search *q) { return q->best_at_hand || state_take(q, &q->best); }

static void note_best(repack_search *q)
{
    double now = objective(q, q->cost, q->evictions);
    if (q->evictions > q->most || !(now < q->best_objective - 1e-12)) return;
    q->best_objective = now;
    q->best_at_hand = true;
}

/* Starts without removed nodes, with one rule after the other: the order in which nodes are removed, whether the
 * worth of their free space counts in it, and whether pods are moved to space that suits them. Ends at the best plan
 * of all. */
static bool try_starts(repack_search *q)
{
    static const repack_plan nothing = { .saving = 0 };
    for (uint32_t i = 0; i < STARTS && !looked_enough(q); i++) {
        if (q->best_at_hand && !state_save(q, &q->best)) return false;
        if (!state_take(q, &nothing)) return false;
        q->best_at_hand = false;
        q->evictions = 0;
        q->counts_space = i % 6 >= 3;
        q->suits = i >= 6 && q->rate != NULL;
        if (!order_nodes(q, 0.5 * (i % 3))) return false;
        (void)pass(q, true);
        note_best(q);
        all_at_once(q, true);
        (void)pass(q, true);
        note_best(q);
    }
    q->counts_space = true;
    q->suits = false;
    return !q->failed && go_back(q);
}

bool repack_search_run(repack_search *q, uint64_t most, uint64_t steps, bool last)
{
    uint64_t start = repack_search_work(q), moves = 0, stale = 0;
    q->most = most;
    if (!q->begun && !order_nodes(q, 0)) return false;
    q->begun = true;
    if (!go_back(q)) return false;
    come_back(q);
    if (q->evictions > most) everything_back(q);
    q->best_objective = HUGE_VAL;
    note_best(q);
    bool many = q->p->node_count > MANY_NODES;
    q->runs++;
    begin_looking(q);
    for (uint32_t turn = 0; turn < (many || !last ? 1 : 3) && !looked_enough(q); turn++) {
        if (!many && !order_nodes(q, 0.5 * (double)((turn + q->runs) % 3))) return false;
        if (!pass(q, !many || last)) break;
        note_best(q);
    }
    note_best(q);
    for (uint32_t i = 0; i < 3 && last && (!many || i == 0) && !looked_enough(q); i++) {
        if (!many && !order_nodes(q, 0.5 * i)) return false;
        all_at_once(q, false);
        note_best(q);
    }
    if (last && !many && !try_starts(q)) return false;
    end_looking(q, start);
    uint64_t patience = 4000 + 400 * (uint64_t)q->p->node_count;
    while (!stopped(q) && q->p->node_count > q->fixed_count && stale < patience) {
        uint64_t done = repack_search_work(q) - start;
        if (done >= steps) break;
        double heat = (1 - (double)done / (double)steps) * q->mean_price * 0.08;
        double slack = q->p->node_count <= 1000 && (chance_next(&q->random) >> 62) == 0 ? heat * chance_part(&q->random)
                                                                                        : 0;
        if (slack > 0 && q->best_at_hand && !state_save(q, &q->best)) break;
        double before = q->best_objective;
        if (move(q, slack) && slack > 0) q->best_at_hand = false;
        note_best(q);
        stale = q->best_objective < before ? 0 : stale + 1;
        q->work += 16;
        if (++moves % 512 == 0 && !go_back(q)) break;
    }
    return !q->failed && (!q->best_at_hand || state_save(q, &q->best));
}

bool repack_search_take(repack_search *q, const repack_plan *plan)
{
    if (!state_take(q, plan)) return false;
    q->best_objective = objective(q, q->cost, q->evictions);
    return state_save(q, &q->best);
}

uint64_t repack_search_work(const repack_search *q) { return q->work / WORK_A_STEP + packing_steps(q->packing); }

double repack_search_saving(const repack_search *q) { return q->best.saving; }

bool repack_search_plan(const repack_search *q, repack_plan *out) { return state_copy_plan(q->context, &q->best, out); }

bool repack_search_keep(repack_search *q, uint32_t which)
{
    if (!go_back(q)) return false;
    if (q->gone[which]) {
        restore(q, which);
        if (q->gone[which]) everything_back(q);
    }
    if (q->failed || q->gone[which]) return false;
    state_fix(q, which);
    q->best_at_hand = true;
    return state_save(q, &q->best);
}

uint64_t repack_next_effort(uint32_t nodes, uint64_t effort)
{
    uint64_t power = 1;
    while (effort / power >= 10) power *= 10;
    if (nodes > MANY_NODES) return 10 * power;
    return effort / power < 2 ? 2 * power : effort / power < 5 ? 5 * power : 10 * power;
}

uint64_t repack_first_effort(uint32_t nodes)
{
    uint64_t effort = LEAST_EFFORT;
    if (nodes > MANY_NODES) return LEAST_EFFORT * 100;
    while (repack_next_effort(nodes, effort) <= nodes * (uint64_t)EFFORT_A_NODE)
        effort = repack_next_effort(nodes, effort);
    return effort;
}
