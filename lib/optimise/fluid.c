/* SPDX-License-Identifier: Apache-2.0 */
/* The fluid bound: offers are priced by the continuous knapsack, whose best content is a new column (master.h). */
#include <optimise/prove.h>

#include <math.h>

/* Prices every offer with `tried`; takes the bound that follows when it is the best. false = stopped. */
static bool price_offers(master *m, const arena *a)
{
    const bound_problem *p = m->problem;
    double most = 0, total = 0;
    m->column_count = 0;
    m->entry_count = 0;
    for (uint32_t c = 0; c < p->class_count; c++) total += m->tried[c] * (double)m->counts[c];
    for (uint32_t i = 0; i < m->offer_count; i++) {
        knapsack *k = &m->knapsacks[i];
        double price = m->prices[m->offers[i]];
        if (!master_worked(a, p, p->dims)) return false;
        k->worth = m->tried;
        double at_most = price > 0 && k->solved > 0 ? knapsack_at_most(k) / price : HUGE_VAL;
        if (at_most <= 1 ||
            at_most <= most) { /* whatever it holds is not worth its price, or no more than what was seen */
            if (at_most > most) most = at_most;
            continue;
        }
        uint32_t steps = knapsack_solve(k);
        if (!master_worked(a, p, (size_t)steps * p->dims)) return false;
        double ratio = price > 0 ? k->value / price : k->value > 0 ? HUGE_VAL : 0;
        if (ratio > most) most = ratio;
        master_keep(m, i, k->items, k->copies, k->count);
    }
    if (!(most > 0) || !(total / most > m->bound)) return true;
    m->bound = total / most;
    for (uint32_t c = 0; c < p->class_count; c++) m->best[c] = m->tried[c] / most;
    return true;
}

static bool find_fluid(arena *scratch, arena *a, const bound_problem *p, double tolerance, uint32_t rounds,
                       bound_proof *out)
{
    master m;
    if (!master_init(&m, scratch, p) || !master_choose_offers(&m, scratch) || !master_knapsacks(&m, scratch, 1))
        return false;
    master_start(&m, false);
    master_price_classes(&m);
    bool limited = true;
    for (uint32_t r = 0; r < rounds && limited; r++) {
        master_choose_prices(&m, r == 0 ? 1 : 0.25);
        if (!price_offers(&m, a)) return false;
        if (m.column_count == 0 && r > 0) {
            master_choose_prices(&m, 1);
            if (!price_offers(&m, a)) return false;
        }
        if (m.column_count == 0 || m.cost - m.bound <= tolerance * m.bound) break;
        if (!master_use_columns(&m, a, &limited)) return false;
    }
    return prove_begin(&m, a, out) && prove_offers(&m, a, out) && prove_nodes(&m, a, out);
}

bool bound_fluid(arena *a, const bound_problem *p, double tolerance, uint32_t rounds, bound_proof *out)
{
    arena scratch;
    arena_init(&scratch, a->context);
    bool ok = find_fluid(&scratch, a, p, tolerance, rounds, out);
    arena_free(&scratch);
    return ok;
}
