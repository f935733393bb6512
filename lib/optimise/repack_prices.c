/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of pods for the bound on plans with a given number of evictions. The fluid bound (bound.h) maximises the
 * total worth of all pods. Here the prices come from the cheapest cluster in fractions, consisting of launches and
 * nodes that stay:
 *
 *   minimise the cost of launches and of nodes that stay
 *   subject to:
 *     every class is served, by contents of launches and of nodes; a node contains its own pods and pods that are moved
 * to it a node stays at most once at most the given number of pods is moved
 *
 * Contents are added as columns when they improve the solution (column generation). The prices that are tried lie
 * between those of the linear program, which oscillate, and the best ones so far. They find new contents, and become
 * the best if they prove a better bound.
 */
#include <optimise/repack.h>

#include <optimise/linear.h>
#include <optimise/master.h>
#include <string.h>

enum { ROUNDS = 60, MOST_NUMBERS = 1 << 16, MOST_ROWS = 700 };
#define MOST_WORK (UINT64_C(1) << 31) /* for pivots */
#define TOO_DEAR 1.3 /* factor of the initial prices */
#define PAYS 1e-9 /* $/h: smallest gain of a column */
#define TINY 1e-12 /* fewer copies than this count as none */
#define NEW_PART 0.5 /* fraction of the linear program's prices in those that are tried */
#define NEAR 0.0005 /* ends when the linear program's cost and the bound differ by less than this fraction */

typedef struct priced_node { /* a node that can contain pods */
    uint32_t evictions;
    double price; /* 0 = it stays in any case */
    size_t first; /* index in prices.classes of its own pods' classes */
    uint32_t count;
    bool takes; /* pods can be moved to it */
    knapsack space;
} priced_node;

typedef struct prices {
    repacking *r;
    const bound_problem *p;
    uint64_t evictions;
    double value; /* bound with the best prices so far */
    bool tuned; /* the best prices are not those of the fluid bound */
    arena scratch;
    master offers; /* knapsacks of the offers */
    priced_node *places;
    uint32_t place_count;
    uint32_t *classes; /* classes of the places' pods */
    linear program; /* rows: classes, places, evictions */
    double *tried; /* by class, $/h */
    uint32_t found; /* number of columns found in this round */
} prices;

/* ---- the cluster in numbers -------------------------------------------------------------------------------------- */

/* The nodes that can be removed, in the order of the bound, followed by those that only receive pods. */
static bool fill_places(prices *k)
{
    const repacking *r = k->r;
    const struct repack_bound *b = &r->bound;
    uint32_t *place_of = arena_array(&k->scratch, r->seen->node_count + (size_t)1, sizeof *place_of);
    size_t pods = 0;
    for (uint32_t i = 0; i < b->count; i++) pods += b->nodes[i].evictions;
    k->places = arena_array(&k->scratch, b->count + (size_t)k->p->node_count + 1, sizeof *k->places);
    k->classes = arena_array(&k->scratch, pods + 1, sizeof *k->classes);
    if (place_of == NULL || k->places == NULL || k->classes == NULL) return false;
    memset(place_of, 0xff, r->seen->node_count * sizeof *place_of);
    pods = 0;
    for (uint32_t i = 0; i < r->p.found.eligible_count && k->place_count < b->count; i++) {
        const candidate *c = &r->p.found.candidates[r->p.found.eligible[i]];
        if (!b->removable[c->node]) continue;
        priced_node *at = &k->places[k->place_count];
        at->price = b->nodes[k->place_count].price;
        at->first = pods;
        at->count = at->evictions = c->moving_count;
        place_of[c->node] = k->place_count++;
        for (uint32_t m = 0; m < c->moving_count; m++) k->classes[pods++] = b->facts.question.class_of[c->moving[m]];
    }
    for (uint32_t i = 0; i < k->p->node_count; i++) {
        uint32_t at = place_of[b->facts.question.nodes[i]];
        if (at == UINT32_MAX) at = k->place_count++;
        k->places[at].takes = true;
        if (!master_knapsack(&k->offers, &k->scratch, k->p->offer_count + i, &k->places[at].space)) return false;
    }
    return true;
}

/* The initial basis: every pod is launched for at a price that is too high, no node stays, and evictions beyond the
 * limit have a price. */
static bool start_program(prices *k)
{
    const struct repack_bound *b = &k->r->bound;
    uint32_t classes = k->p->class_count, last = classes + k->place_count;
    double *need = arena_array(&k->scratch, classes + (size_t)1, sizeof *need), staying = -(double)k->evictions;
    if (need == NULL || !linear_init(&k->program, &k->scratch, last + 1)) return false;
    for (uint32_t i = 0; i < k->place_count; i++) {
        const priced_node *at = &k->places[i];
        for (uint32_t n = 0; n < at->count; n++) need[k->classes[at->first + n]]++;
        linear_start_left_over(&k->program, classes + i, -1);
        staying += at->evictions;
    }
    for (uint32_t c = 0; c < classes; c++)
        linear_start(&k->program, c, need[c], TOO_DEAR * (double)b->facts.proof.y[c] / MONEY_UNIT);
    if (staying > 0) linear_start(&k->program, last, staying, TOO_DEAR * b->dearest);
    else linear_start_left_over(&k->program, last, staying);
    return true;
}

static bool prices_init(prices *k, repacking *r, uint64_t evictions)
{
    double part, price;
    *k = (prices){ .r = r, .p = &r->bound.facts.problem, .evictions = evictions };
    k->value = repack_bound_best(&r->bound, evictions, &part, &price);
    arena_init(&k->scratch, r->data.context);
    k->tried = arena_array(&k->scratch, k->p->class_count + (size_t)1, sizeof *k->tried);
    return k->tried != NULL && master_init(&k->offers, &k->scratch, k->p) &&
           master_choose_offers(&k->offers, &k->scratch) && master_knapsacks(&k->offers, &k->scratch, 1, false) &&
           fill_places(k);
}

/* ---- contents ---------------------------------------------------------------------------------------------------- */

/* Solves the knapsack at the prices that are tried, and returns the worth of the content at the linear program's
 * prices. */
static double solve_content(prices *k, knapsack *space)
{
    double worth = 0;
    space->worth = k->tried;
    (void)knapsack_solve(space);
    for (uint32_t i = 0; i < space->count; i++) {
        if (space->copies[i] > TINY) worth += k->program.y[space->items[i]] * space->copies[i];
    }
    return worth;
}

static bool add_content(prices *k, const knapsack *space)
{
    for (uint32_t i = 0; i < space->count; i++) {
        if (space->copies[i] > TINY && !linear_entry_add(&k->program, space->items[i], space->copies[i])) return false;
    }
    return true;
}

static bool price_offers(prices *k)
{
    for (uint32_t i = 0; i < k->offers.offer_count; i++) {
        knapsack *space = &k->offers.knapsacks[i];
        double price = k->offers.prices[k->offers.offers[i]];
        if (!master_worked(&k->scratch, k->p, k->p->dims)) return false;
        if (!(solve_content(k, space) > price + PAYS)) continue;
        if (!linear_column_add(&k->program, price) || !add_content(k, space)) return false;
        k->found++;
    }
    return true;
}

static bool price_place(prices *k, uint32_t number)
{
    priced_node *at = &k->places[number];
    uint32_t row = k->p->class_count + number, last = k->p->class_count + k->place_count;
    const double *y = k->program.y;
    double worth = at->takes ? solve_content(k, &at->space) : 0;
    worth += y[last] * at->evictions - y[row];
    for (uint32_t n = 0; n < at->count; n++) worth += y[k->classes[at->first + n]];
    if (!(worth > at->price + PAYS)) return true;
    k->found++;
    bool ok = linear_column_add(&k->program, at->price) && linear_entry_add(&k->program, row, -1) &&
              linear_entry_add(&k->program, last, at->evictions);
    for (uint32_t n = 0; ok && n < at->count; n++) ok = linear_entry_add(&k->program, k->classes[at->first + n], 1);
    return ok && (!at->takes || add_content(k, &at->space));
}

/* Finds new columns. `part` is the fraction of the linear program's prices in those that are tried. */
static bool find_columns(prices *k, double part)
{
    const int64_t *best = k->r->bound.facts.proof.y;
    for (uint32_t c = 0; c < k->p->class_count; c++) {
        double y = k->program.y[c] > 0 ? k->program.y[c] : 0;
        k->tried[c] = part * y + (1 - part) * (double)best[c] / MONEY_UNIT;
    }
    k->found = 0;
    if (!price_offers(k)) return false;
    for (uint32_t i = 0; i < k->place_count; i++) {
        if (!master_worked(&k->scratch, k->p, k->p->dims) || !price_place(k, i)) return false;
    }
    return true;
}

/* ---- trying prices ----------------------------------------------------------------------------------------------- */

/* Adopts the prices that were tried if they prove a better bound. */
static bool try_prices(prices *k)
{
    repacking *r = k->r;
    struct repack_bound before = r->bound;
    arena_mark mark = arena_get_mark(&r->data);
    bound_proof *proof = &r->bound.facts.proof;
    amount value, *spaces, *spent = arena_array(&r->data, k->p->node_count + (size_t)1, sizeof *spent);
    proof_fault fault;
    double part, price, now = 0;
    memcpy(k->offers.best, k->tried, k->p->class_count * sizeof *k->tried);
    if (spent == NULL || !prove_begin(&k->offers, &r->data, proof) || !prove_offers(&k->offers, &r->data, proof) ||
        !prove_nodes(&k->offers, &r->data, proof))
        return false;
    if (proof_holds_for(r->data.context, k->p, proof, &value, spent, &fault)) {
        spaces = repack_bound_spaces(r, spent);
        if (spaces == NULL || !repack_bound_fill(r, spaces)) return false;
        if (r->bound.known) now = repack_bound_best(&r->bound, k->evictions, &part, &price);
    }
    if (now > k->value) {
        k->value = now;
        k->tuned = true;
        return true;
    }
    r->bound = before;
    arena_release(&r->data, mark);
    return true;
}

static bool find_prices(prices *k)
{
    if (!start_program(k)) return false;
    uint64_t most = MOST_WORK / ((uint64_t)k->program.rows * k->program.rows);
    for (uint32_t i = 0; i < ROUNDS && k->program.exchanges < most && !repack_must_stop(k->r); i++) {
        if (!linear_solve(&k->program, most)) return false;
        if (!find_columns(k, i == 0 ? 0 : NEW_PART)) return false;
        if (i > 0 && !try_prices(k)) return false;
        if (k->found == 0 && (!find_columns(k, 1) || !try_prices(k))) return false;
        if (k->found == 0 || k->program.cost + k->r->bound.fixed - k->value <= NEAR * k->value) return true;
    }
    return true;
}

bool repack_prices_for(repacking *r, uint64_t evictions)
{
    const struct repack_bound *b = &r->bound;
    const bound_problem *p = &b->facts.problem;
    prices k;
    if (r->tuned_for == evictions && evictions > 0) return true;
    if (!b->known || !b->exact || b->count == 0) return true;
    if (p->node_count * (uint64_t)p->class_count > MOST_NUMBERS) return true;
    bool ok = prices_init(&k, r, evictions) && (p->class_count + k.place_count >= MOST_ROWS || find_prices(&k));
    if (k.tuned) r->tuned_for = evictions;
    linear_free(&k.program);
    arena_free(&k.scratch);
    return ok;
}
