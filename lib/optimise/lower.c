/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes prices valid that are too high. Dividing all of them by what the worst content is worth (Farley) costs as much
 * of the bound, whichever pods the content has. Here the price of one class in it is lowered: that of which there are
 * the fewest pods. What is lowered makes no other content worth more, so the offers are visited once.
 */
#include <optimise/whole.h>

#include <math.h>
#include <string.h>

enum { MOST_BRANCHES = 512, STEPS_A_CLASS = 1000 };
/* what contents may be worth more than they cost, relative to the gap, and its limits */
#define LEFT_PART 0.08
#define LEAST_LEFT 2e-5
#define MOST_LEFT 1e-3
#define LEAST_PRICE 1e-12

typedef struct lowering {
    whole *w;
    double total; /* what all pods are worth */
    double enough; /* what contents may be worth per dollar */
    double worst; /* the most that one is worth per dollar, as far as it is known */
    uint64_t end; /* work at which it is in vain */
} lowering;

static bool in_vain(const lowering *k) { return k->w->work >= k->end || !(k->total > k->w->m.bound * k->worst); }

/* Lowers the prices of classes of the content by so much that it is worth less by `excess`, such that all pods lose
 * least. */
static void lower(lowering *k, const double *copies, double excess)
{
    master *m = &k->w->m;
    while (excess > 0) {
        uint32_t best = UINT32_MAX;
        double least = HUGE_VAL;
        for (uint32_t c = 0; c < m->problem->class_count; c++) {
            if (!(copies[c] > 0) || !(m->tried[c] > 0)) continue;
            double loss = (double)m->counts[c] / copies[c];
            if (loss < least) least = loss, best = c;
        }
        if (best == UINT32_MAX) return;
        double by = excess / copies[best];
        if (by > m->tried[best] - LEAST_PRICE) by = m->tried[best];
        m->tried[best] -= by;
        excess -= by * copies[best] * (1 + LEAST_PRICE) + LEAST_PRICE;
        k->total -= by * (double)m->counts[best];
    }
}

/* Lowers prices for the contents that were found. */
static void lower_found(lowering *k, uint32_t place, double price)
{
    whole *w = k->w;
    contents *x = &w->contents;
    uint32_t count = 0;
    do {
        double worth = 0;
        for (uint32_t c = 0; c < w->m.problem->class_count; c++) worth += w->m.tried[c] * x->copies[c];
        if (!(worth > price * k->enough)) continue;
        master_drop_columns(&w->m);
        whole_keep(w, place, x->copies, true);
        lower(k, x->copies, worth - price);
    } while (++count < CONTENTS_KEPT && contents_next(x));
}

/* Lowers prices for the best fractional content: where whole contents are too many to look at. false = it is not worth
 * more than the offer. */
static bool lower_fractions(lowering *k, uint32_t place, double price)
{
    whole *w = k->w;
    knapsack *x = &w->m.knapsacks[place];
    x->worth = w->m.tried;
    uint32_t steps = knapsack_solve(x);
    w->work += (steps + (size_t)1) * (x->count + x->dims);
    memset(w->known, 0, w->m.problem->class_count * sizeof *w->known);
    for (uint32_t i = 0; i < x->count; i++) w->known[x->items[i]] = x->copies[i];
    if (!(x->value > price)) return false;
    lower(k, w->known, x->value - price);
    return true;
}

/* Lowers prices until no content of the offer is worth more. */
static bool lower_offer(lowering *k, uint32_t place)
{
    whole *w = k->w;
    double price = w->m.prices[w->m.offers[place]], enough = price * k->enough;
    uint32_t branches = FEW_BRANCHES, most = whole_branches(w) < MOST_BRANCHES ? whole_branches(w) : MOST_BRANCHES;
    while (!in_vain(k)) {
        if (!whole_solve(w, place, w->m.tried, enough, branches)) return false;
        if (w->contents.at_most <= enough) return true;
        if (w->contents.value > enough) lower_found(k, place, price);
        else if (branches < most) branches = most;
        else if (!lower_fractions(k, place, price)) break;
    }
    if (w->contents.at_most > price * k->worst) k->worst = price > 0 ? w->contents.at_most / price : HUGE_VAL;
    return true;
}

static double sum_prices(const master *m)
{
    double sum = 0;
    for (uint32_t c = 0; c < m->problem->class_count; c++) sum += m->tried[c] * (double)m->counts[c];
    return sum;
}

__attribute__((cold)) bool whole_lower(whole *w)
{
    master *m = &w->m;
    const uint32_t classes = m->problem->class_count;
    uint64_t most = w->merged ? 0 : (uint64_t)classes * STEPS_A_CLASS * CONTENTS_A_STEP;
    double left = m->bound > 0 ? LEFT_PART * (m->cost / m->bound - 1) : MOST_LEFT;
    lowering k = { .w = w, .total = sum_prices(m), .worst = 1, .end = w->work + (w->work > most ? w->work : most) };
    k.enough = 1 + (left < LEAST_LEFT ? LEAST_LEFT : left > MOST_LEFT ? MOST_LEFT : left);
    if (k.end > w->most_work) k.end = w->most_work;
    if (!whole_fractions(w)) return false;
    for (uint32_t n = 0; n < m->offer_count && w->ratios[w->order[n]] > k.enough; n++) {
        k.worst = k.enough;
        if (in_vain(&k)) return true;
        if (!lower_offer(&k, w->order[n])) return false;
    }
    if (in_vain(&k)) return true;
    master_price_choices(m, m->tried);
    double bound = sum_prices(m) / k.worst;
    if (!(bound > m->bound * (1 + WHOLE_TOLERANCE))) return true;
    m->bound = bound;
    for (uint32_t c = 0; c < classes; c++) m->best[c] = m->tried[c] / k.worst;
    return true;
}
