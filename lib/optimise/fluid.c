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
    uint32_t first, count, offer; /* its entries */
} column;

typedef struct entry {
    uint32_t class_;
    double copies;
} entry;

typedef struct master {
    const bound_problem *problem;
    knapsack knapsack;
    double *sizes, *prices; /* requests; $/h by offer */
    double *inverse, *level, *paid, *direction; /* of the basis: [class * class]; by row */
    double *y, *tried, *best; /* prices: of the basis, of this pricing, of the best bound */
    double bound, cost; /* the best bound so far; what the master pays */
    uint32_t *offers, offer_count; /* those that no other one replaces, cheapest first */
    column *columns; /* at most one of each offer */
    entry *entries;
    uint32_t column_count, entry_count;
} master;

int64_t bound_copies(const bound_problem *p, uint32_t offer, uint32_t class_)
{
    if (!bits_test(p->allowed + (size_t)offer * bits_words(p->class_count), class_)) return 0;
    const int64_t *request = p->requests + (size_t)class_ * p->dims;
    const int64_t *capacity = p->capacity + (size_t)offer * p->dims;
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
    *m = (master){ .problem = p };
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
    m->columns = arena_array(a, p->offer_count + 1, sizeof(column));
    m->entries = arena_array(a, (size_t)p->offer_count * n + 1, sizeof(entry));
    if (m->sizes == NULL || m->prices == NULL || m->inverse == NULL || m->level == NULL || m->paid == NULL ||
        m->direction == NULL || m->y == NULL || m->tried == NULL || m->best == NULL || m->offers == NULL ||
        m->columns == NULL || m->entries == NULL || !knapsack_init(&m->knapsack, a, p->dims, p->class_count)) {
        return false;
    }
    for (size_t i = 0; i < n * p->dims; i++) m->sizes[i] = (double)p->requests[i];
    for (uint32_t o = 0; o < p->offer_count; o++) m->prices[o] = (double)p->costs[o] / MONEY_UNIT;
    m->knapsack.sizes = m->sizes;
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

/* Only offers that are not replaced are priced. */
static bool choose_offers(master *m, arena *a)
{
    const bound_problem *p = m->problem;
    for (uint32_t o = 0; o < p->offer_count; o++) m->offers[o] = o;
    if (!sort_ids(a->context, m->offers, p->offer_count, by_cost, p->costs)) return false;
    for (uint32_t i = 0; i < p->offer_count; i++) {
        bool replaced = false;
        for (uint32_t j = 0; j < m->offer_count && !replaced; j++)
            replaced = replaced_by(p, m->offers[i], m->offers[j]);
        if (!replaced) m->offers[m->offer_count++] = m->offers[i];
    }
    return true;
}

/* How many copies of the class alone fill a node, fractions counted; 0 = none may go there. */
static double fills(const bound_problem *p, uint32_t offer, uint32_t class_)
{
    int64_t most = bound_copies(p, offer, class_);
    double copies = most == COPIES_ANY ? HUGE_VAL : (double)most;
    for (uint32_t d = 0; d < p->dims && most > 0; d++) {
        int64_t request = p->requests[(size_t)class_ * p->dims + d];
        if (request == 0) continue;
        double holds = (double)p->capacity[(size_t)offer * p->dims + d] / (double)request;
        if (holds < copies) copies = holds;
    }
    return copies;
}

/* The first basis: each class on nodes of its own. One that needs nothing, or fits nowhere, costs nothing. */
static void master_start(master *m)
{
    const bound_problem *p = m->problem;
    for (uint32_t c = 0; c < p->class_count; c++) {
        double least = HUGE_VAL, copies = 1;
        for (uint32_t o = 0; o < p->offer_count; o++) {
            double n = fills(p, o, c);
            if (!(n > 0)) continue;
            double each = n < HUGE_VAL ? m->prices[o] / n : 0;
            if (each < least) least = each, copies = n < HUGE_VAL ? n : 1, m->paid[c] = each * copies;
        }
        if (!(least < HUGE_VAL)) m->paid[c] = 0;
        m->inverse[(size_t)c * p->class_count + c] = 1 / copies;
        m->level[c] = (double)p->counts[c] / copies;
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

/* Sets the knapsack up for an offer, and solves it. */
static void fill_offer(master *m, uint32_t offer, const double *worth)
{
    const bound_problem *p = m->problem;
    knapsack *k = &m->knapsack;
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t capacity = p->capacity[(size_t)offer * p->dims + d];
        k->capacity[d] = capacity > 0 ? (double)capacity : 0;
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        int64_t most = bound_copies(p, offer, c);
        k->most[c] = most == COPIES_ANY ? HUGE_VAL : (double)most;
    }
    k->worth = worth;
    knapsack_solve(k);
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
static void keep_column(master *m, uint32_t offer)
{
    column c = { .first = m->entry_count, .offer = offer };
    for (uint32_t i = 0; i < m->problem->class_count; i++) {
        if (!(m->knapsack.copies[i] > 1e-12)) continue;
        m->entries[m->entry_count + c.count++] = (entry){ .class_ = i, .copies = m->knapsack.copies[i] };
    }
    if (!(worth_of(m, &c) > m->prices[offer] * (1 + 1e-7))) return;
    m->columns[m->column_count++] = c;
    m->entry_count += c.count;
}

/* Prices every offer with `tried`; takes the bound that follows when it is the best. */
static void price_offers(master *m)
{
    const bound_problem *p = m->problem;
    double most = 0, total = 0;
    m->column_count = m->entry_count = 0;
    for (uint32_t c = 0; c < p->class_count; c++) total += m->tried[c] * (double)p->counts[c];
    for (uint32_t i = 0; i < m->offer_count; i++) {
        uint32_t o = m->offers[i];
        fill_offer(m, o, m->tried);
        double ratio = m->prices[o] > 0 ? m->knapsack.value / m->prices[o] : m->knapsack.value > 0 ? HUGE_VAL : 0;
        if (ratio > most) most = ratio;
        keep_column(m, o);
    }
    if (!(most > 0) || !(total / most > m->bound)) return;
    m->bound = total / most;
    for (uint32_t c = 0; c < p->class_count; c++) m->best[c] = m->tried[c] / most;
}

/* The kept column that is worth most per dollar, taken out; false = none is worth its price. */
static bool best_column(master *m, column *out)
{
    uint32_t best = UINT32_MAX;
    double most = 1 + 1e-7;
    for (uint32_t i = 0; i < m->column_count; i++) {
        double price = m->prices[m->columns[i].offer], worth = worth_of(m, &m->columns[i]);
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
    double length = HUGE_VAL;
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
    for (uint32_t i = 0; i < n; i++) {
        if (i == row || fabs(m->direction[i]) <= 1e-12) continue;
        double left = m->level[i] - length * m->direction[i];
        m->level[i] = left > 0 ? left : 0;
        double *inverse = m->inverse + (size_t)i * n;
        for (uint32_t j = 0; j < n; j++) inverse[j] -= m->direction[i] * pivot[j];
    }
    m->level[row] = length;
    m->paid[row] = c == NULL ? 0 : m->prices[c->offer];
    return true;
}

/* Lets in what is kept until none of it is worth its price. */
static bool use_columns(master *m)
{
    const bound_problem *p = m->problem;
    for (uint64_t t = 0; t < 64 + 8 * (uint64_t)(p->class_count + p->offer_count); t++) {
        price_classes(m);
        uint32_t cheapest = UINT32_MAX;
        double least = -1e-9;
        for (uint32_t c = 0; c < p->class_count; c++) {
            if (m->y[c] < least) least = m->y[c], cheapest = c;
        }
        column next = { .offer = 0 };
        if (cheapest == UINT32_MAX && !best_column(m, &next)) return true;
        if (!enter(m, cheapest == UINT32_MAX ? &next : NULL, cheapest)) return false;
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

/* Takes from what was spent on an offer until it is within its cost. */
static void within_cost(const bound_problem *p, uint32_t offer, int64_t *shares, int64_t *extra)
{
    amount spent = amount_from(0), part;
    for (uint32_t d = 0; d < p->dims; d++) (void)amount_add(spent, amount_from(shares[d]), &spent);
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (extra[c] == 0) continue;
        if (!amount_mul(amount_from(extra[c]), (uint64_t)bound_copies(p, offer, c), &part)) continue;
        (void)amount_add(spent, part, &spent);
    }
    if (amount_cmp(spent, amount_from(p->costs[offer])) <= 0) return;
    for (uint32_t d = 0; d < p->dims; d++) shares[d] = portion(shares[d], p->costs[offer], spent);
    for (uint32_t c = 0; c < p->class_count; c++) extra[c] = portion(extra[c], p->costs[offer], spent);
}

/* Lowers the prices of the classes to what the offer bears. */
static void lower_prices(const bound_problem *p, uint32_t offer, const int64_t *shares, const int64_t *extra,
                         int64_t *y)
{
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (bound_copies(p, offer, c) == 0) continue;
        int64_t sum = extra[c];
        for (uint32_t d = 0; d < p->dims; d++) {
            int64_t request = p->requests[(size_t)c * p->dims + d];
            if (request == 0) continue;
            sum += portion(shares[d], request, amount_from(p->capacity[(size_t)offer * p->dims + d]));
        }
        if (y[c] < 0 || sum < y[c]) y[c] = sum;
    }
}

static bool prove(master *m, arena *a, bound_proof *out)
{
    const bound_problem *p = m->problem;
    out->y = arena_array(a, (size_t)p->class_count + 1, sizeof(int64_t));
    out->shares = arena_array(a, (size_t)p->offer_count * p->dims + 1, sizeof(int64_t));
    out->extra = arena_array(a, (size_t)p->offer_count * p->class_count + 1, sizeof(int64_t));
    if (out->y == NULL || out->shares == NULL || out->extra == NULL) return false;
    for (uint32_t c = 0; c < p->class_count; c++) out->y[c] = -1;
    for (uint32_t o = 0; o < p->offer_count; o++) {
        int64_t *shares = out->shares + (size_t)o * p->dims, *extra = out->extra + (size_t)o * p->class_count;
        fill_offer(m, o, m->best);
        for (uint32_t d = 0; d < p->dims; d++) shares[d] = money(m->knapsack.shares[d]);
        for (uint32_t c = 0; c < p->class_count; c++) {
            if (!(m->knapsack.most[c] > 0) || !(m->knapsack.most[c] < HUGE_VAL)) continue;
            double left = m->best[c];
            for (uint32_t d = 0; d < p->dims; d++) left -= m->knapsack.rate[d] * m->sizes[(size_t)c * p->dims + d];
            extra[c] = money(left);
        }
        within_cost(p, o, shares, extra);
        lower_prices(p, o, shares, extra, out->y);
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (out->y[c] < 0) out->y[c] = 0; /* it fits no offer */
    }
    return true;
}

bool bound_fluid(arena *a, const bound_problem *p, double tolerance, uint32_t rounds, bound_proof *out)
{
    master m;
    if (!master_init(&m, a, p) || !choose_offers(&m, a)) return false;
    master_start(&m);
    price_classes(&m);
    bool limited = true;
    for (uint32_t r = 0; r < rounds && limited; r++) {
        choose_prices(&m, r == 0 ? 1 : 0.5);
        price_offers(&m);
        if (m.column_count == 0 && r > 0) {
            choose_prices(&m, 1);
            price_offers(&m);
        }
        if (m.column_count == 0 || m.cost - m.bound <= tolerance * m.bound) break;
        limited = use_columns(&m);
    }
    return prove(&m, a, out);
}
