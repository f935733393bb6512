/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/master.h>

#include <math.h>

int64_t money_of(double dollars)
{
    double units = floor(dollars * MONEY_UNIT);
    return !(units > 0) ? 0 : units < (double)MONEY_MOST ? (int64_t)units : MONEY_MOST;
}

/* floor(a × by / of) for non-negative numbers, of > 0; INT64_MAX on overflow. */
static int64_t portion(int64_t a, int64_t by, amount of)
{
    amount product, quotient;
    uint64_t rest;
    int64_t out;
    if (of.hi != 0 || !amount_mul(amount_from(a), (uint64_t)by, &product)) return 0;
    amount_divide(product, of.lo, &quotient, &rest);
    return amount_scale(quotient, amount_from(1), &out) ? out : INT64_MAX;
}

/* The charge of a row; false = overflow. */
static bool spent_on(const bound_problem *p, uint32_t row, const int64_t *shares, const int64_t *extra, amount *out)
{
    amount part;
    bool ok = true;
    *out = amount_from(0);
    for (uint32_t d = 0; d < p->dims; d++) ok = ok && amount_add(*out, amount_from(shares[d]), out);
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (extra[c] == 0) continue;
        ok = ok && amount_mul(amount_from(extra[c]), (uint64_t)bound_copies(p, row, c), &part) &&
             amount_add(*out, part, out);
    }
    return ok;
}

/* Reduces the charge of an offer until it is within its cost. */
static void within_cost(const bound_problem *p, uint32_t offer, int64_t *shares, int64_t *extra)
{
    amount spent;
    bool known = spent_on(p, offer, shares, extra, &spent);
    if (known && amount_cmp(spent, amount_from(p->costs[offer])) <= 0) return;
    for (uint32_t d = 0; d < p->dims; d++) shares[d] = known ? portion(shares[d], p->costs[offer], spent) : 0;
    for (uint32_t c = 0; c < p->class_count; c++) extra[c] = known ? portion(extra[c], p->costs[offer], spent) : 0;
}

int64_t prove_paid(const bound_problem *p, uint32_t row, const int64_t *shares, uint32_t class_)
{
    int64_t sum = 0;
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t request = p->requests[(size_t)class_ * p->dims + d];
        if (request == 0 || shares[d] == 0) continue;
        int64_t part = portion(shares[d], request, amount_from(p->capacity[(size_t)row * p->dims + d]));
        sum = part > INT64_MAX - sum ? INT64_MAX : sum + part;
    }
    return sum;
}

/* Reads shares and extras of a row from the knapsack; returns the number of pivots. */
static uint32_t read_knapsack(const master *m, knapsack *k, int64_t *shares, int64_t *extra)
{
    k->worth = m->best;
    uint32_t steps = knapsack_solve(k);
    for (uint32_t d = 0; d < k->dims; d++) shares[k->dim_of[d]] = money_of(k->shares[d]);
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->most[i] < HUGE_VAL) extra[k->items[i]] = money_of(knapsack_surplus(k, i));
    }
    return steps;
}

/* The price of a pod of the choice in a domain, rounded down. */
static int64_t choice_price(const relaxed_choice *x, uint32_t domain, const int64_t *y)
{
    amount sum = amount_from(0), part;
    uint64_t rest;
    int64_t out;
    bool ok = true;
    for (uint32_t n = 0; n < x->member_count; n++)
        ok = ok &&
             amount_mul(amount_from(y[x->classes[(size_t)domain * x->member_count + n]]), (uint64_t)x->copies[n],
                        &part) &&
             amount_add(sum, part, &sum);
    amount_divide(sum, (uint64_t)x->pods, &sum, &rest);
    return ok && amount_scale(sum, amount_from(1), &out) ? out : 0;
}

void prove_choices(const bound_problem *p, int64_t *y)
{
    for (uint32_t i = 0; i < p->choice_count; i++) {
        const relaxed_choice *x = &p->choices[i];
        int64_t least = INT64_MAX;
        for (uint32_t d = 0; d < x->domain_count; d++) {
            int64_t price = choice_price(x, d, y);
            if (price < least) least = price;
        }
        if (x->domain_count > 0) y[x->class_] = least;
    }
}

bool prove_offers(master *m, const arena *a, bound_proof *out)
{
    const bound_problem *p = m->problem;
    for (uint32_t c = 0; c < p->class_count; c++) out->y[c] = -1;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        uint32_t o = m->offers[i];
        int64_t *shares = out->shares + (size_t)i * p->dims, *extra = out->extra + (size_t)i * p->class_count;
        const knapsack *k = &m->knapsacks[i];
        uint32_t steps = read_knapsack(m, &m->knapsacks[i], shares, extra);
        if (!master_worked(a, p, (steps + (size_t)1) * p->dims)) return false;
        within_cost(p, o, shares, extra);
        for (uint32_t n = 0; n < k->count; n++) {
            uint32_t c = k->items[n];
            int64_t paid = prove_paid(p, o, shares, c);
            int64_t sum = extra[c] > INT64_MAX - paid ? INT64_MAX : extra[c] + paid;
            if (out->y[c] < 0 || sum < out->y[c]) out->y[c] = sum;
        }
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (out->y[c] < 0) out->y[c] = 0; /* it fits no offer */
    }
    prove_choices(p, out->y);
    return true;
}

bool prove_nodes(master *m, arena *a, bound_proof *out)
{
    const bound_problem *p = m->problem;
    for (uint32_t c = 0; c < p->class_count; c++) m->best[c] = (double)out->y[c] / MONEY_UNIT;
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t row = p->offer_count + i, at = m->offer_count + i;
        out->covered_by[row] = at;
        if (proof_has_cases(out, at)) continue;
        int64_t *shares = out->shares + (size_t)at * p->dims, *extra = out->extra + (size_t)at * p->class_count;
        knapsack k;
        arena_mark mark = arena_get_mark(a);
        if (!master_knapsack(m, a, row, &k)) return false;
        uint32_t steps = read_knapsack(m, &k, shares, extra);
        if (!master_worked(a, p, (steps + (size_t)1) * p->dims)) return false;
        for (uint32_t n = 0; n < k.count; n++) {
            uint32_t c = k.items[n];
            int64_t paid = prove_paid(p, row, shares, c);
            extra[c] = out->y[c] > paid ? out->y[c] - paid : 0;
        }
        arena_release(a, mark);
        out->of[at] = row;
    }
    return true;
}

bool prove_begin(const master *m, arena *a, bound_proof *out)
{
    const bound_problem *p = m->problem;
    size_t rows = m->offer_count + (size_t)p->node_count;
    *out = (bound_proof){ .share_count = (uint32_t)rows };
    out->y = arena_array(a, (size_t)p->class_count + 1, sizeof(int64_t));
    out->of = arena_array(a, rows + 1, sizeof(uint32_t));
    out->covered_by = arena_array(a, p->offer_count + (size_t)p->node_count + 1, sizeof(uint32_t));
    out->shares = arena_array(a, rows * p->dims + 1, sizeof(int64_t));
    out->extra = arena_array(a, rows * p->class_count + 1, sizeof(int64_t));
    if (out->y == NULL || out->of == NULL || out->covered_by == NULL || out->shares == NULL || out->extra == NULL)
        return false;
    for (uint32_t i = 0; i < m->offer_count; i++) out->of[i] = m->offers[i];
    for (uint32_t o = 0; o < p->offer_count; o++) out->covered_by[o] = m->replaced_by[o];
    return true;
}
