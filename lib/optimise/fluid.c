/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fluid bound by column generation. The master problem buys fractions of node contents ("columns") so that every class is
 * served; its prices y are tried on every offer by the continuous knapsack, whose best content is a new column. Any y becomes a
 * bound when it is divided by the most that an offer's content is worth per dollar (Farley), so there is one at every round.
 */
#include <optimise/bound.h>

#include <base/amount.h>
#include <base/bits.h>
#include <base/sort.h>
#include <math.h>
#include <optimise/knapsack.h>
#include <string.h>

typedef struct column {
    uint32_t first, count, offer; /* its entries; a place in `offers` */
} column;

typedef struct entry {
    uint32_t class_;
    double copies;
} entry;

typedef struct master {
    const bound_problem *problem;
    const int64_t *counts; /* what is to be served */
    knapsack *knapsacks; /* by place in `offers` */
    double *sizes, *prices; /* requests; $/h by offer */
    double *inverse, *level, *paid, *direction; /* of the basis: [class * class]; by row */
    double *y, *tried, *best; /* prices: of the basis, of this pricing, of the best bound */
    double bound, cost; /* the best bound so far; what the master pays */
    uint32_t *offers, offer_count; /* those that no other one replaces, cheapest first */
    uint32_t *replaced_by; /* by offer: the place of the one that does, or its own */
    double *copies; /* scratch of the knapsacks */
    column *columns; /* at most one of each offer */
    entry *entries;
    uint32_t column_count, entry_count;
} master;

int64_t bound_copies(const bound_problem *p, uint32_t row, uint32_t class_)
{
    if (!bits_test(p->allowed + (size_t)row * bits_words(p->class_count), class_)) return 0;
    const int64_t *request = p->requests + (size_t)class_ * p->dims;
    const int64_t *capacity = p->capacity + (size_t)row * p->dims;
    int64_t copies = p->limits[class_];
    for (uint32_t d = 0; d < p->dims && copies > 0; d++) {
        if (request[d] == 0) continue;
        int64_t holds = capacity[d] < 0 ? 0 : capacity[d] / request[d];
        if (holds < copies) copies = holds;
    }
    return copies;
}

static bool master_init(master *m, arena *a, const bound_problem *p)
{
    size_t n = p->class_count;
    *m = (master){ .problem = p, .counts = p->bought != NULL ? p->bought : p->counts };
    m->sizes = arena_array(a, n * p->dims + 1, sizeof(double));
    m->prices = arena_array(a, p->offer_count + 1, sizeof(double));
    m->inverse = arena_array(a, n * n + 1, sizeof(double));
    m->level = arena_array(a, n + 1, sizeof(double));
    m->paid = arena_array(a, n + 1, sizeof(double));
    m->direction = arena_array(a, n + 1, sizeof(double));
    m->y = arena_array(a, n + 1, sizeof(double));
    m->tried = arena_array(a, n + 1, sizeof(double));
    m->best = arena_array(a, n + 1, sizeof(double));
    m->offers = arena_array(a, p->offer_count + 1, sizeof(uint32_t));
    m->replaced_by = arena_array(a, p->offer_count + 1, sizeof(uint32_t));
    m->copies = arena_array(a, n + 1, sizeof(double));
    if (m->sizes == NULL || m->prices == NULL || m->inverse == NULL || m->level == NULL || m->paid == NULL ||
        m->direction == NULL || m->y == NULL || m->tried == NULL || m->best == NULL || m->offers == NULL ||
        m->replaced_by == NULL || m->copies == NULL) {
        return false;
    }
    for (size_t i = 0; i < n * p->dims; i++) m->sizes[i] = (double)p->requests[i];
    for (uint32_t o = 0; o < p->offer_count; o++) m->prices[o] = (double)p->costs[o] / MONEY_UNIT;
    return true;
}

/* Whether what the offer holds, another one that costs no more holds, too. */
static bool replaced_by(const bound_problem *p, uint32_t offer, uint32_t other)
{
    for (uint32_t d = 0; d < p->dims; d++) {
        if (p->capacity[(size_t)other * p->dims + d] < p->capacity[(size_t)offer * p->dims + d]) return false;
    }
    size_t words = bits_words(p->class_count);
    for (size_t w = 0; w < words; w++) {
        if (p->allowed[offer * words + w] & ~p->allowed[other * words + w]) return false;
    }
    return true;
}

static int by_cost(uint32_t a, uint32_t b, const void *user)
{
    const int64_t *costs = user;
    return (costs[a] > costs[b]) - (costs[a] < costs[b]);
}

/* Work on `rows` rows of a table of all classes and resources; false = to be ended, as if memory had been refused. */
static bool worked(const arena *a, const bound_problem *p, size_t rows)
{
    return mem_work(a->context, rows * (p->class_count + (size_t)p->dims));
}

/* Only offers that are not replaced are priced. */
static bool choose_offers(master *m, arena *a)
{
    const bound_problem *p = m->problem;
    uint32_t *order = arena_array(a, p->offer_count + 1, sizeof *order);
    if (order == NULL) return false;
    for (uint32_t o = 0; o < p->offer_count; o++) order[o] = o;
    if (!sort_ids(a->context, order, p->offer_count, by_cost, p->costs)) return false;
    for (uint32_t i = 0; i < p->offer_count; i++) {
        uint32_t j = 0;
        if (!mem_work(a->context, (m->offer_count + (size_t)1) * p->dims)) return false;
        while (j < m->offer_count && !replaced_by(p, order[i], m->offers[j])) j++;
        if (j == m->offer_count) m->offers[m->offer_count++] = order[i];
        m->replaced_by[order[i]] = j;
    }
    return true;
}

/* The knapsack of a row, in the resources that it has: what needs others does not come. */
static bool fill_knapsack(master *m, arena *a, uint32_t row, knapsack *k)
{
    const bound_problem *p = m->problem;
    const int64_t *capacity = p->capacity + (size_t)row * p->dims;
    uint32_t dims = 0;
    for (uint32_t d = 0; d < p->dims; d++) dims += capacity[d] > 0;
    if (!knapsack_init(k, a, dims, p->class_count)) return false;
    k->stride = p->dims;
    for (uint32_t d = 0, i = 0; d < p->dims; d++) {
        if (capacity[d] <= 0) continue;
        k->dim_of[i] = d;
        k->capacity[i++] = (double)capacity[d];
    }
    k->count = 0;
    for (uint32_t c = 0; c < p->class_count; c++) {
        int64_t most = bound_copies(p, row, c);
        if (most == 0) continue;
        k->items[k->count] = c;
        k->most[k->count++] = most == COPIES_ANY ? HUGE_VAL : (double)most;
    }
    k->sizes = m->sizes;
    k->copies = m->copies;
    return true;
}

static bool fill_knapsacks(master *m, arena *a)
{
    size_t entries = 0;
    m->knapsacks = arena_array(a, m->offer_count + (size_t)1, sizeof *m->knapsacks);
    m->columns = arena_array(a, m->offer_count + (size_t)1, sizeof *m->columns);
    if (m->knapsacks == NULL || m->columns == NULL) return false;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        if (!worked(a, m->problem, m->problem->dims) || !fill_knapsack(m, a, m->offers[i], &m->knapsacks[i]))
            return false;
        entries += m->knapsacks[i].count;
    }
    m->entries = arena_array(a, entries + 1, sizeof *m->entries);
    return m->entries != NULL;
}

/* The first basis: each class on nodes of its own. One that needs nothing, or fits nowhere, costs nothing. */
static void master_start(master *m)
{
    const bound_problem *p = m->problem;
    for (uint32_t c = 0; c < p->class_count; c++) m->level[c] = HUGE_VAL, m->y[c] = 1;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        const knapsack *k = &m->knapsacks[i];
        for (uint32_t n = 0; n < k->count; n++) {
            double copies = k->most[n];
            uint32_t c = k->items[n];
            for (uint32_t d = 0; d < k->dims; d++) {
                double request = m->sizes[(size_t)c * p->dims + k->dim_of[d]];
                if (request > 0 && k->capacity[d] / request < copies) copies = k->capacity[d] / request;
            }
            double each = copies < HUGE_VAL ? m->prices[m->offers[i]] / copies : 0;
            if (each < m->level[c]) m->level[c] = each, m->y[c] = copies < HUGE_VAL ? copies : 1;
        }
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        m->paid[c] = m->level[c] < HUGE_VAL ? m->level[c] * m->y[c] : 0;
        m->inverse[(size_t)c * p->class_count + c] = 1 / m->y[c];
        m->level[c] = (double)m->counts[c] / m->y[c];
    }
}

static void price_classes(master *m)
{
    uint32_t n = m->problem->class_count;
    memset(m->y, 0, n * sizeof(double));
    m->cost = 0;
    for (uint32_t i = 0; i < n; i++) {
        m->cost += m->paid[i] * m->level[i];
        const double *row = m->inverse + (size_t)i * n;
        for (uint32_t c = 0; c < n && m->paid[i] != 0; c++) m->y[c] += m->paid[i] * row[c];
    }
}

static double worth_of(const master *m, const column *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const entry *e = &m->entries[c->first + i];
        sum += m->y[e->class_] * e->copies;
    }
    return sum;
}

/* Keeps what the knapsack found when it is worth more than the node costs under the master's own prices. */
static void keep_column(master *m, uint32_t place)
{
    const knapsack *k = &m->knapsacks[place];
    column c = { .first = m->entry_count, .offer = place };
    for (uint32_t i = 0; i < k->count; i++) {
        if (!(k->copies[i] > 1e-12)) continue;
        m->entries[m->entry_count + c.count++] = (entry){ .class_ = k->items[i], .copies = k->copies[i] };
    }
    if (!(worth_of(m, &c) > m->prices[m->offers[place]] * (1 + 1e-7))) return;
    m->columns[m->column_count++] = c;
    m->entry_count += c.count;
}

/* Prices every offer with `tried`; takes the bound that follows when it is the best. false = stopped. */
static bool price_offers(master *m, const arena *a)
{
    const bound_problem *p = m->problem;
    double most = 0, total = 0;
    m->column_count = m->entry_count = 0;
    for (uint32_t c = 0; c < p->class_count; c++) total += m->tried[c] * (double)m->counts[c];
    for (uint32_t i = 0; i < m->offer_count; i++) {
        knapsack *k = &m->knapsacks[i];
        double price = m->prices[m->offers[i]];
        if (!worked(a, p, p->dims)) return false;
        k->worth = m->tried;
        double at_most = price > 0 && k->solved > 0 ? knapsack_at_most(k) / price : HUGE_VAL;
        if (at_most <= 1 ||
            at_most <= most) { /* whatever it holds is not worth its price, or no more than what was seen */
            if (at_most > most) most = at_most;
            continue;
        }
        uint32_t steps = knapsack_solve(k);
        if (!worked(a, p, (size_t)steps * p->dims)) return false;
        double ratio = price > 0 ? k->value / price : k->value > 0 ? HUGE_VAL : 0;
        if (ratio > most) most = ratio;
        keep_column(m, i);
    }
    if (!(most > 0) || !(total / most > m->bound)) return true;
    m->bound = total / most;
    for (uint32_t c = 0; c < p->class_count; c++) m->best[c] = m->tried[c] / most;
    return true;
}

/* The kept column that is worth most per dollar, taken out; false = none is worth its price. */
static bool best_column(master *m, column *out)
{
    uint32_t best = UINT32_MAX;
    double most = 1 + 1e-7;
    for (uint32_t i = 0; i < m->column_count; i++) {
        double price = m->prices[m->offers[m->columns[i].offer]], worth = worth_of(m, &m->columns[i]);
        double ratio = price > 0 ? worth / price : worth > 1e-9 ? HUGE_VAL : 0;
        if (ratio > most) most = ratio, best = i;
    }
    if (best == UINT32_MAX) return false;
    *out = m->columns[best];
    m->columns[best] = m->columns[--m->column_count];
    return true;
}

/* A column (NULL: serving one pod less of the class) enters the basis; false = nothing limits it. */
static bool enter(master *m, const column *c, uint32_t class_)
{
    uint32_t n = m->problem->class_count, row = UINT32_MAX;
    double length = HUGE_VAL, gain = c == NULL ? m->y[class_] : m->prices[m->offers[c->offer]] - worth_of(m, c);
    for (uint32_t i = 0; i < n; i++) {
        const double *inverse = m->inverse + (size_t)i * n;
        double sum = c == NULL ? -inverse[class_] : 0;
        for (uint32_t j = 0; c != NULL && j < c->count; j++) {
            const entry *e = &m->entries[c->first + j];
            sum += inverse[e->class_] * e->copies;
        }
        m->direction[i] = sum;
        if (sum > 1e-9 && m->level[i] / sum < length - 1e-12) length = m->level[i] / sum, row = i;
    }
    if (row == UINT32_MAX) return false;
    double *pivot = m->inverse + (size_t)row * n;
    for (uint32_t j = 0; j < n; j++) pivot[j] /= m->direction[row];
    for (uint32_t j = 0; j < n; j++) m->y[j] += gain * pivot[j];
    for (uint32_t i = 0; i < n; i++) {
        if (i == row || fabs(m->direction[i]) <= 1e-12) continue;
        double left = m->level[i] - length * m->direction[i];
        m->level[i] = left > 0 ? left : 0;
        double *inverse = m->inverse + (size_t)i * n;
        for (uint32_t j = 0; j < n; j++) inverse[j] -= m->direction[i] * pivot[j];
    }
    m->level[row] = length;
    m->paid[row] = c == NULL ? 0 : m->prices[m->offers[c->offer]];
    return true;
}

/* Lets in what is kept until none of it is worth its price; *limited = the master still has an end. false = stopped. */
static bool use_columns(master *m, const arena *a, bool *limited)
{
    const bound_problem *p = m->problem;
    for (uint64_t t = 0; t < 64 + 8 * (uint64_t)(p->class_count + p->offer_count); t++) {
        uint32_t cheapest = UINT32_MAX;
        double least = -1e-9;
        if (!worked(a, p, p->class_count)) return false;
        for (uint32_t c = 0; c < p->class_count; c++) {
            if (m->y[c] < least) least = m->y[c], cheapest = c;
        }
        column next = { .offer = 0 };
        if (cheapest == UINT32_MAX && !best_column(m, &next)) break;
        *limited = enter(m, cheapest == UINT32_MAX ? &next : NULL, cheapest);
        if (!*limited) return true;
    }
    price_classes(m);
    return true;
}

/* Between the master's prices and those of the best bound, which keeps the prices from swinging; then the master's own. */
static void choose_prices(master *m, double weight)
{
    for (uint32_t c = 0; c < m->problem->class_count; c++) {
        double y = m->y[c] > 0 ? m->y[c] : 0;
        m->tried[c] = weight * y + (1 - weight) * m->best[c];
    }
}

/* ---- the proof ----------------------------------------------------------------------------------------------------- */

static int64_t money(double dollars)
{
    double units = floor(dollars * MONEY_UNIT);
    return !(units > 0) ? 0 : units < (double)MONEY_MOST ? (int64_t)units : MONEY_MOST;
}

/* floor(a × by / of) of numbers that are not negative, of > 0; the largest when it is larger than that. */
static int64_t portion(int64_t a, int64_t by, amount of)
{
    amount product, quotient;
    uint64_t rest;
    int64_t out;
    if (of.hi != 0 || !amount_mul(amount_from(a), (uint64_t)by, &product)) return 0;
    amount_divide(product, of.lo, &quotient, &rest);
    return amount_scale(quotient, amount_from(1), &out) ? out : INT64_MAX;
}

/* What is spent on a row; false = more than can be counted. */
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

/* Takes from what was spent on an offer until it is within its cost. */
static void within_cost(const bound_problem *p, uint32_t offer, int64_t *shares, int64_t *extra)
{
    amount spent;
    bool known = spent_on(p, offer, shares, extra, &spent);
    if (known && amount_cmp(spent, amount_from(p->costs[offer])) <= 0) return;
    for (uint32_t d = 0; d < p->dims; d++) shares[d] = known ? portion(shares[d], p->costs[offer], spent) : 0;
    for (uint32_t c = 0; c < p->class_count; c++) extra[c] = known ? portion(extra[c], p->costs[offer], spent) : 0;
}

/* What the row makes of the class's price. */
static int64_t paid_on(const bound_problem *p, uint32_t row, const int64_t *shares, uint32_t class_)
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

/* Shares and extras of a row as the knapsack has them; the steps that it took. */
static uint32_t read_knapsack(const master *m, knapsack *k, int64_t *shares, int64_t *extra)
{
    k->worth = m->best;
    k->solved = 0;
    uint32_t steps = knapsack_solve(k);
    for (uint32_t d = 0; d < k->dims; d++) shares[k->dim_of[d]] = money(k->shares[d]);
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->most[i] < HUGE_VAL) extra[k->items[i]] = money(knapsack_surplus(k, i));
    }
    return steps;
}

/* Lowers the prices of the classes to what the offers bear. */
static bool prove_offers(master *m, const arena *a, bound_proof *out)
{
    const bound_problem *p = m->problem;
    for (uint32_t c = 0; c < p->class_count; c++) out->y[c] = -1;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        uint32_t o = m->offers[i];
        int64_t *shares = out->shares + (size_t)i * p->dims, *extra = out->extra + (size_t)i * p->class_count;
        const knapsack *k = &m->knapsacks[i];
        out->of[i] = o;
        uint32_t steps = read_knapsack(m, &m->knapsacks[i], shares, extra);
        if (!worked(a, p, (steps + (size_t)1) * p->dims)) return false;
        within_cost(p, o, shares, extra);
        for (uint32_t n = 0; n < k->count; n++) {
            uint32_t c = k->items[n];
            int64_t paid = paid_on(p, o, shares, c);
            int64_t sum = extra[c] > INT64_MAX - paid ? INT64_MAX : extra[c] + paid;
            if (out->y[c] < 0 || sum < out->y[c]) out->y[c] = sum;
        }
    }
    for (uint32_t o = 0; o < p->offer_count; o++) out->covered_by[o] = m->replaced_by[o];
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (out->y[c] < 0) out->y[c] = 0; /* it fits no offer */
    }
    return true;
}

/* An existing node bears the prices that the offers have left: what lacks is extra. */
static bool prove_nodes(master *m, arena *a, bound_proof *out)
{
    const bound_problem *p = m->problem;
    for (uint32_t c = 0; c < p->class_count; c++) m->best[c] = (double)out->y[c] / MONEY_UNIT;
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t row = p->offer_count + i, at = m->offer_count + i;
        int64_t *shares = out->shares + (size_t)at * p->dims, *extra = out->extra + (size_t)at * p->class_count;
        knapsack k;
        arena_mark mark = arena_get_mark(a);
        if (!fill_knapsack(m, a, row, &k)) return false;
        uint32_t steps = read_knapsack(m, &k, shares, extra);
        if (!worked(a, p, (steps + (size_t)1) * p->dims)) return false;
        for (uint32_t n = 0; n < k.count; n++) {
            uint32_t c = k.items[n];
            int64_t paid = paid_on(p, row, shares, c);
            extra[c] = out->y[c] > paid ? out->y[c] - paid : 0;
        }
        arena_release(a, mark);
        out->of[at] = row;
        out->covered_by[row] = at;
    }
    return true;
}

static bool prove(master *m, arena *a, bound_proof *out)
{
    const bound_problem *p = m->problem;
    size_t rows = m->offer_count + (size_t)p->node_count;
    out->share_count = (uint32_t)rows;
    out->y = arena_array(a, (size_t)p->class_count + 1, sizeof(int64_t));
    out->of = arena_array(a, rows + 1, sizeof(uint32_t));
    out->covered_by = arena_array(a, p->offer_count + (size_t)p->node_count + 1, sizeof(uint32_t));
    out->shares = arena_array(a, rows * p->dims + 1, sizeof(int64_t));
    out->extra = arena_array(a, rows * p->class_count + 1, sizeof(int64_t));
    if (out->y == NULL || out->of == NULL || out->covered_by == NULL || out->shares == NULL || out->extra == NULL)
        return false;
    return prove_offers(m, a, out) && prove_nodes(m, a, out);
}

bool bound_fluid(arena *a, const bound_problem *p, double tolerance, uint32_t rounds, bound_proof *out)
{
    master m;
    if (!master_init(&m, a, p) || !choose_offers(&m, a) || !fill_knapsacks(&m, a)) return false;
    master_start(&m);
    price_classes(&m);
    bool limited = true;
    for (uint32_t r = 0; r < rounds && limited; r++) {
        choose_prices(&m, r == 0 ? 1 : 0.25);
        if (!price_offers(&m, a)) return false;
        if (m.column_count == 0 && r > 0) {
            choose_prices(&m, 1);
            if (!price_offers(&m, a)) return false;
        }
        if (m.column_count == 0 || m.cost - m.bound <= tolerance * m.bound) break;
        if (!use_columns(&m, a, &limited)) return false;
    }
    return prove(&m, a, out);
}
