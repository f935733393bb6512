/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses places for the pods of a step: free space, or launches. */
#include <optimise/repack_walk_state.h>

#include <base/bits.h>
#include <math.h>
#include <string.h>

/* ---- free space -------------------------------------------------------------------------------------------------- */

static bool conflict(const repack_walk *w, uint32_t a, uint32_t b)
{
    const packing_problem *l = &w->p->launches;
    return bits_test(l->conflicts + a * bits_words(l->class_count), b);
}

/* The node's own pods, if the host is a candidate that is not removed. */
static const repack_node *own_pods(const repack_walk *w, uint32_t place)
{
    uint32_t which = place < w->p->host_count ? w->p->node_of_host[place] : UINT32_MAX;
    return which == UINT32_MAX ? NULL : &w->p->nodes[which];
}

/* The part of `want` that the rules about sharing a node allow. */
static uint32_t rules_leave(const repack_walk *w, uint32_t place, uint32_t c, uint32_t want)
{
    const packing_problem *l = &w->p->launches;
    const repack_node *own = own_pods(w, place);
    bool alone = place < w->p->host_count && w->p->alone[c];
    uint32_t most = alone ? 1 : l->limits[c], here = 0;
    if (most == UINT32_MAX && l->conflicts == NULL) return want;
    for (size_t i = 0; i < w->now.puts.count; i++) {
        const put *x = &w->now.puts.items[i];
        if (x->place != place) continue;
        if (x->class_ == c) here += x->copies;
        if (l->conflicts != NULL && conflict(w, c, x->class_)) return 0;
    }
    for (uint32_t i = 0; own != NULL && i < own->entry_count; i++) {
        if (own->entries[i].class_ == c) here += own->entries[i].copies;
        if (l->conflicts != NULL && conflict(w, c, own->entries[i].class_)) return 0;
    }
    if (most == UINT32_MAX) return want;
    return here >= most ? 0 : want < most - here ? want : most - here;
}

static bool may_hold(const repack_walk *w, uint32_t place, uint32_t c)
{
    const repack_problem *p = w->p;
    const packing_problem *l = &p->launches;
    if (place >= p->host_count)
        return bits_test(l->allowed + c * bits_words(l->offer_count), w->now.bins.items[place - p->host_count]);
    uint32_t which = p->node_of_host[place];
    return (which == UINT32_MAX || !w->chosen[which]) &&
           bits_test(p->host_allowed + c * bits_words(p->host_count), place);
}

static uint32_t fits(repack_walk *w, uint32_t place, uint32_t c, uint32_t want)
{
    const packing_problem *l = &w->p->launches;
    const int64_t *r = l->requests + (size_t)c * l->dims, *free_ = w->free + (size_t)place * l->dims;
    w->work += 4;
    for (uint32_t d = 0; d < l->dims && want > 0; d++) {
        if (r[d] * (int64_t)want > free_[d]) want = r[d] > free_[d] ? 0 : (uint32_t)(free_[d] / r[d]);
    }
    return want > 0 && may_hold(w, place, c) ? rules_leave(w, place, c, want) : 0;
}

/* ---- changes that can be undone ---------------------------------------------------------------------------------- */

bool walk_put(repack_walk *w, uint32_t place, uint32_t c, uint32_t copies)
{
    const packing_problem *l = &w->p->launches;
    put *slot = list_push(w->context, &w->now.puts, sizeof *slot);
    if (slot == NULL) return !(w->failed = true);
    *slot = (put){ place, c, copies };
    for (uint32_t d = 0; d < l->dims; d++)
        w->free[(size_t)place * l->dims + d] -= l->requests[(size_t)c * l->dims + d] * (int64_t)copies;
    return true;
}

bool walk_launch(repack_walk *w, uint32_t offer, uint32_t *place)
{
    const packing_problem *l = &w->p->launches;
    if (w->p->host_count + w->now.bins.count >= w->free_places) return false;
    uint32_t *slot = list_push(w->context, &w->now.bins, sizeof *slot);
    if (slot == NULL) return !(w->failed = true);
    *slot = offer;
    *place = w->p->host_count + (uint32_t)w->now.bins.count - 1;
    memcpy(w->free + (size_t)*place * l->dims, l->spaces + (size_t)offer * l->dims, l->dims * sizeof *w->free);
    return true;
}

void walk_take_back(repack_walk *w, size_t puts, size_t bins)
{
    const packing_problem *l = &w->p->launches;
    while (w->now.puts.count > puts) {
        const put *x = &w->now.puts.items[--w->now.puts.count];
        for (uint32_t d = 0; d < l->dims; d++)
            w->free[(size_t)x->place * l->dims + d] += l->requests[(size_t)x->class_ * l->dims + d] *
                                                       (int64_t)x->copies;
    }
    w->now.bins.count = bins;
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* Best fit: fills the place that will have the least free space. */
static bool fill(repack_walk *w, uint32_t c, uint32_t from, uint32_t to)
{
    const packing_problem *l = &w->p->launches;
    while (w->demand[c] > 0) {
        uint32_t best = UINT32_MAX, copies = 0;
        double least = HUGE_VAL;
        for (uint32_t place = from; place < to; place++) {
            uint32_t n = fits(w, place, c, w->demand[c]);
            if (n == 0) continue;
            double left = 0;
            for (uint32_t d = 0; d < l->dims; d++)
                left += w->scale[d] * (double)(w->free[(size_t)place * l->dims + d] -
                                               l->requests[(size_t)c * l->dims + d] * (int64_t)n);
            if (left < least) best = place, least = left, copies = n;
        }
        if (best == UINT32_MAX) return true;
        if (!walk_put(w, best, c, copies)) return false;
        w->demand[c] -= copies;
    }
    return true;
}

/* Buys one node for all of them, with spare capacity for later steps; infinite = there is none, or it would cost more
 * than `most`. */
static double buy_larger(repack_walk *w, uint32_t count, double most)
{
    const packing_problem *l = &w->p->launches;
    size_t puts = w->now.puts.count, bins = w->now.bins.count;
    uint32_t place;
    memset(w->used, 0, l->dims * sizeof *w->used);
    for (uint32_t i = 0; i < count; i++) {
        const packing_entry *x = &w->wanted[i];
        for (uint32_t d = 0; d < l->dims; d++)
            w->used[d] += l->requests[(size_t)x->class_ * l->dims + d] * (int64_t)x->copies;
    }
    for (uint32_t d = 0; d < l->dims; d++) w->used[d] = (int64_t)((double)w->used[d] * w->larger);
    uint32_t offer = packing_offer_for(w->packing, w->wanted, count, w->used);
    if (offer == UINT32_MAX || l->prices[offer] >= most || !walk_launch(w, offer, &place)) return HUGE_VAL;
    for (uint32_t i = 0; i < count; i++) {
        const packing_entry *x = &w->wanted[i];
        if (rules_leave(w, place, x->class_, x->copies) == x->copies && walk_put(w, place, x->class_, x->copies))
            continue;
        walk_take_back(w, puts, bins);
        return HUGE_VAL;
    }
    return l->prices[offer];
}

/* Buys new nodes for pods without a place; infinite = more than `most`. */
static double buy(repack_walk *w, double most, double *worth)
{
    const packing_problem *l = &w->p->launches;
    uint32_t n = 0;
    *worth = 0;
    for (uint32_t c = 0; c < l->class_count; c++) {
        if (w->demand[c] == 0) continue;
        w->wanted[n++] = (packing_entry){ c, w->demand[c] };
        *worth += l->worth[c] * w->demand[c];
        w->demand[c] = 0;
    }
    if (n == 0) return 0;
    double one = w->larger > 1 ? buy_larger(w, n, most) : HUGE_VAL;
    if (one < HUGE_VAL) return one;
    double cost = packing_buy(w->packing, w->wanted, n, most);
    for (uint32_t i = 0; cost < HUGE_VAL && i < packing_bought_count(w->packing); i++) {
        const packing_entry *entries;
        uint32_t count, offer = packing_bought(w->packing, i, &entries, &count), place;
        if (!walk_launch(w, offer, &place)) return HUGE_VAL;
        for (uint32_t e = 0; e < count; e++) {
            if (!walk_put(w, place, entries[e].class_, entries[e].copies)) return HUGE_VAL;
        }
    }
    return cost;
}

double walk_try(repack_walk *w, const uint32_t *nodes, uint32_t count, double *saving)
{
    const packing_problem *l = &w->p->launches;
    double price = 0, own = 0, bought_worth;
    uint64_t evictions = 0;
    for (uint32_t i = 0; i < count; i++) {
        const repack_node *n = &w->p->nodes[nodes[i]];
        price += n->price;
        evictions += n->evictions;
        for (uint32_t e = 0; e < n->entry_count; e++) {
            w->demand[n->entries[e].class_] += n->entries[e].copies;
            own += l->worth[n->entries[e].class_] * n->entries[e].copies;
        }
    }
    uint32_t hosts = w->p->host_count, all = hosts + (uint32_t)w->now.bins.count;
    bool fine = true;
    for (uint32_t k = 0; k < l->class_count && fine; k++) {
        uint32_t c = w->rank[k];
        if (w->demand[c] == 0) continue;
        if (w->bins_first) fine = fill(w, c, hosts, all) && fill(w, c, 0, hosts);
        else fine = fill(w, c, 0, all);
    }
    double cost = buy(w, price * 2, &bought_worth);
    *saving = price - cost;
    if (!fine || !(cost < HUGE_VAL)) return -HUGE_VAL;
    double spare = cost > bought_worth ? cost - bought_worth : 0;
    double value = *saving - w->part * (own - bought_worth) + w->part * spare;
    return w->per_pod ? value / (double)(evictions > 0 ? evictions : 1) : value;
}

/* ---- steps of the best attempt ----------------------------------------------------------------------------------- */

static bool give_bins(const repack_walk *w, repack_steps *out)
{
    uint32_t hosts = w->p->host_count;
    for (size_t b = 0; b < w->best.bins.count; b++) {
        if (packing_add_bin(w->context, &out->bins, w->best.bins.items[b]) == NULL) return false;
    }
    for (size_t i = 0; i < w->best.puts.count; i++) {
        const put *x = &w->best.puts.items[i];
        if (x->place < hosts) continue;
        packing_bin *bin = &out->bins.list.items[x->place - hosts];
        size_t e = 0;
        while (e < bin->entries.count && bin->entries.items[e].class_ != x->class_) e++;
        if (e < bin->entries.count) bin->entries.items[e].copies += x->copies;
        else if (!packing_add_entry(w->context, bin, x->class_, x->copies)) return false;
    }
    return true;
}

/* Assigns each pod of the step's nodes to a place of its class that is not full. */
static void give_pods(const repack_walk *w, size_t number, uint32_t *left, repack_steps *out)
{
    const leg *x = &w->best.legs.items[number];
    const put *puts = w->best.puts.items + x->first_put;
    for (uint32_t i = 0; i < x->puts; i++) left[i] = puts[i].copies;
    for (uint32_t n = 0; n < x->nodes; n++) {
        uint32_t which = w->best.order.items[x->first_node + n];
        for (uint32_t k = 0; k < w->pods->counts[which]; k++) {
            uint32_t pod_number = w->pods->pods[which][k], i = 0;
            while (i < x->puts && (left[i] == 0 || puts[i].class_ != w->pods->class_of[pod_number])) i++;
            if (i == x->puts) continue; /* never true: the step has a place for each */
            left[i]--;
            bool host = puts[i].place < w->p->host_count;
            out->host_of[pod_number] = host ? puts[i].place : UINT32_MAX;
            out->bin_of[pod_number] = host ? UINT32_MAX : puts[i].place - w->p->host_count;
            out->stage_of[pod_number] = (uint32_t)number;
        }
    }
}

static bool give_stages(const repack_walk *w, repack_steps *out)
{
    for (size_t i = 0; i < w->best.legs.count; i++) {
        const leg *x = &w->best.legs.items[i];
        repack_stage *stage = list_push(w->context, &out->stages, sizeof *stage);
        if (stage == NULL) return false;
        *stage = (repack_stage){ x->first_node, x->nodes, x->evictions, x->saving };
        for (uint32_t b = 0; b < x->bins; b++) out->stage_of_bin[x->first_bin + b] = (uint32_t)i;
    }
    for (size_t i = 0; i < w->best.order.count; i++) {
        uint32_t *slot = list_push(w->context, &out->order, sizeof *slot);
        if (slot == NULL) return false;
        *slot = w->best.order.items[i];
    }
    return true;
}

bool repack_walk_steps(const repack_walk *w, repack_steps *out)
{
    *out = (repack_steps){ .stages = { .count = 0 } };
    arena_init(&out->data, w->context);
    uint32_t *left = arena_array(&out->data, w->best.puts.count + 1, sizeof *left);
    bool ok = left != NULL && repack_steps_alloc(out, w->pods->all, w->best.bins.count);
    ok = ok && give_bins(w, out) && give_stages(w, out);
    for (size_t i = 0; ok && i < w->best.legs.count; i++) give_pods(w, i, left, out);
    if (!ok) repack_steps_free(w->context, out);
    return ok;
}
