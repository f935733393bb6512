/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fluid bound: offers are priced by the continuous knapsack, whose best content is a new column (master.h).
 *
 * The knapsack of an offer also gives prices of its resources. From these follows a price for each class that the
 * offer bears if its resources cost exactly its price, whatever the worth of the classes was. The lowest such price
 * over all offers is one that every offer bears, and so a bound. This bound is better than dividing all prices by the
 * worst offer's ratio (Farley): only the prices of classes on that offer decrease, and others increase.
 */
#include <optimise/master.h>

#include <math.h>

enum { COLUMN_ROUNDS = 8 };
#define OWN_PART 0.18 /* weight of the master's prices in the prices that are tried */
#define NEW_PART 0.5 /* weight of the last round's prices in the mean of the master's, which oscillate */
#define FAR 0.97 /* offers whose contents are worth less than this fraction of the price are ignored */

typedef struct fluid {
    master m;
    /* [place * classes]: 1 / the charge of the class at the place's resource prices; 0 = not allowed there */
    double *per_paid;
    double *total; /* by place: price of all its resources, including what is paid above the shares */
    double *at_most; /* by place: highest worth of a content relative to the price, at the prices tried last */
    double *borne; /* by class: 1 / the price that all offers bear */
    double *mean, *before; /* by class: mean of the master's prices over rounds; prices tried before */
    uint32_t found; /* number of columns found by the last pricing */
} fluid;

static bool fluid_init(fluid *f, arena *a, const bound_problem *p)
{
    master *m = &f->m;
    size_t n = p->class_count + (size_t)1;
    *f = (fluid){ .found = 0 };
    if (!master_init(m, a, p) || !master_choose_offers(m, a) || !master_knapsacks(m, a, COLUMN_ROUNDS, false))
        return false;
    f->per_paid = arena_array(a, m->offer_count * n, sizeof *f->per_paid);
    f->total = arena_array(a, m->offer_count + (size_t)1, sizeof *f->total);
    f->at_most = arena_array(a, m->offer_count + (size_t)1, sizeof *f->at_most);
    f->borne = arena_array(a, n, sizeof *f->borne);
    f->mean = arena_array(a, n, sizeof *f->mean);
    f->before = arena_array(a, n, sizeof *f->before);
    for (uint32_t i = 0; f->at_most != NULL && i < m->offer_count; i++) f->at_most[i] = HUGE_VAL;
    return f->per_paid != NULL && f->total != NULL && f->at_most != NULL && f->borne != NULL && f->mean != NULL &&
           f->before != NULL;
}

/* ---- prices that offers bear ------------------------------------------------------------------------------------- */

/* Stores the resource prices found by the knapsack. If no class is worth anything, all resources get the same price. */
static void note_prices(fluid *f, uint32_t place)
{
    knapsack *k = &f->m.knapsacks[place];
    double *per_paid = f->per_paid + (size_t)place * f->m.problem->class_count;
    bool any = k->value > 0;
    f->total[place] = any ? k->value : k->dims;
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t c = k->items[i];
        double above = k->surplus[i], paid = k->worth[c] - above;
        if (above > 0 && k->most[i] < HUGE_VAL) paid = k->worth[c]; /* the difference is paid above the shares */
        if (!any) paid = 0;
        for (uint32_t d = 0; !any && d < k->dims; d++)
            paid += k->sizes[(size_t)c * k->stride + k->dim_of[d]] / k->capacity[d];
        per_paid[c] = paid > 0 ? 1 / paid : HUGE_VAL;
    }
}

static inline double larger(double a, double b) { return a > b ? a : b; } /* returns b if either is NaN */

/* The highest worth of a content of the place, as a fraction of its price: its resource prices times this suffice for
 * every class. (For 0 × infinity: a worthless class needs no price.) */
static double part_at_most(const fluid *f, uint32_t place)
{
    uint32_t n = f->m.problem->class_count, c = 0;
    const double *per_paid = f->per_paid + (size_t)place * n, *worth = f->m.tried;
    double price = f->m.prices[f->m.offers[place]], a = 0, b = 0;
    for (; c + 2 <= n; c += 2) {
        a = larger(worth[c] * per_paid[c], a);
        b = larger(worth[c + 1] * per_paid[c + 1], b);
    }
    if (c < n) a = larger(worth[c] * per_paid[c], a);
    a = larger(a, b) * f->total[place];
    return a > 0 ? a / price : 0;
}

/* The largest factor by which a price has risen since the last round. */
static double find_rise(fluid *f)
{
    double rise = 1;
    for (uint32_t c = 0; c < f->m.problem->class_count; c++) {
        if (f->m.tried[c] > rise * f->before[c]) rise = f->m.tried[c] / f->before[c];
        f->before[c] = f->m.tried[c];
    }
    return rise;
}

/* Computes the bound of the prices that all offers bear, and adopts it if it is the best. Offers that are far from
 * limiting the prices that were tried do not limit 1 / FAR of them either. */
static void bear(fluid *f)
{
    master *m = &f->m;
    uint32_t n = m->problem->class_count;
    double *borne = f->borne, bound = 0;
    for (uint32_t c = 0; c < n; c++) borne[c] = m->tried[c] > 0 ? FAR / m->tried[c] : 0;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        const double *per_paid = f->per_paid + (size_t)i * n;
        double part = f->total[i] / m->prices[m->offers[i]];
        if (f->at_most[i] <= FAR) continue;
        for (uint32_t c = 0; c < n; c++) borne[c] = larger(part * per_paid[c], borne[c]);
    }
    for (uint32_t c = 0; c < n; c++) borne[c] = m->tried[c] > 0 ? 1 / borne[c] : 0;
    master_price_choices(m, borne);
    for (uint32_t c = 0; c < n; c++) bound += borne[c] * (double)m->counts[c];
    if (!(bound > m->bound)) return;
    m->bound = bound;
    for (uint32_t c = 0; c < n; c++) m->best[c] = borne[c];
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* Prices every offer with `tried`. false = stopped. */
static bool price_offers(fluid *f, const arena *a)
{
    master *m = &f->m;
    const bound_problem *p = m->problem;
    master_drop_columns(m);
    uint32_t had = m->column_count;
    double rise = find_rise(f);
    for (uint32_t i = 0; i < m->offer_count; i++) {
        knapsack *k = &m->knapsacks[i];
        f->at_most[i] *= rise;
        if (f->at_most[i] <= FAR) continue;
        if (!master_worked(a, p, p->dims)) return false;
        if (k->solved > 0) f->at_most[i] = part_at_most(f, i);
        if (f->at_most[i] <= 1) continue; /* no content is worth its price */
        k->worth = m->tried;
        uint32_t steps = knapsack_solve(k);
        if (!master_worked(a, p, (size_t)steps * p->dims)) return false;
        note_prices(f, i);
        master_keep(m, i, k->items, k->copies, k->count);
    }
    f->found = m->column_count - had;
    bear(f);
    return true;
}

/* Interpolates between the best prices and the master's mean, or uses only the latter. */
static void choose_prices(fluid *f, double new_part, double own_part)
{
    master *m = &f->m;
    for (uint32_t c = 0; c < m->problem->class_count; c++) {
        double y = m->y[c] > 0 ? m->y[c] : 0;
        f->mean[c] = new_part * y + (1 - new_part) * f->mean[c];
        m->tried[c] = own_part * f->mean[c] + (1 - own_part) * m->best[c];
    }
    master_price_choices(m, m->tried);
}

static bool find_fluid(fluid *f, arena *a, double tolerance, uint32_t rounds, bound_proof *out)
{
    master *m = &f->m;
    bool limited = true;
    master_start(m, false);
    master_price_classes(m);
    for (uint32_t r = 0; r < rounds && limited; r++) {
        choose_prices(f, r == 0 ? 1 : NEW_PART, r == 0 ? 1 : OWN_PART);
        if (!price_offers(f, a)) return false;
        if (f->found == 0 && r > 0) {
            choose_prices(f, 1, 1);
            if (!price_offers(f, a)) return false;
        }
        if (f->found == 0 || m->cost - m->bound <= tolerance * m->bound) break;
        if (!master_use_columns(m, a, &limited)) return false;
    }
    return prove_begin(m, a, out) && prove_offers(m, a, out) && prove_nodes(m, a, out);
}

bool bound_fluid(arena *a, const bound_problem *p, double tolerance, uint32_t rounds, bound_proof *out)
{
    fluid f;
    arena scratch = arena_on(a->context);
    bool ok = fluid_init(&f, &scratch, p) && find_fluid(&f, a, tolerance, rounds, out);
    arena_free(&scratch);
    return ok;
}
