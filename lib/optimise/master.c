/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/master.h>

#include <base/bits.h>
#include <base/sort.h>
#include <math.h>

/* Most work for the pivots of one master problem. */
#define MOST_WORK (UINT64_C(1) << 32)
/* after so many rounds the dual prices are computed from scratch, because rounding errors accumulate */
#define ROUNDS_IN_A_ROW 8
#define ENOUGH (1 + 1e-7) /* a column enters if its worth is at least so many times its price */

/* The most copies by capacity and the limit of the class. */
static int64_t copies_by_size(const bound_problem *p, uint32_t row, uint32_t class_)
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

int64_t bound_copies(const bound_problem *p, uint32_t row, uint32_t class_)
{
    int64_t copies = copies_by_size(p, row, class_);
    if (row < p->offer_count || p->node_limits == NULL) return copies;
    int64_t most = p->node_limits[(size_t)(row - p->offer_count) * p->class_count + class_];
    return most < copies ? most : copies;
}

bool master_init(master *m, arena *a, const bound_problem *p)
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
    m->choice = arena_array(a, n + 1, sizeof *m->choice);
    if (m->sizes == NULL || m->prices == NULL || m->inverse == NULL || m->level == NULL || m->paid == NULL ||
        m->direction == NULL || m->y == NULL || m->tried == NULL || m->best == NULL || m->offers == NULL ||
        m->replaced_by == NULL || m->choice == NULL || !knapsack_alloc(&m->shared_arrays, a, p->dims, p->class_count)) {
        return false;
    }
    for (size_t i = 0; i < n * p->dims; i++) m->sizes[i] = (double)p->requests[i];
    for (uint32_t o = 0; o < p->offer_count; o++) m->prices[o] = (double)p->costs[o] / MONEY_UNIT;
    return true;
}

/* Whether the other offer can contain everything that the offer can, at no more cost. */
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

bool master_worked(const arena *a, const bound_problem *p, size_t rows)
{
    return mem_work(a->context, rows * (p->class_count + (size_t)p->dims));
}

bool master_choose_offers(master *m, arena *a)
{
    const bound_problem *p = m->problem;
    uint32_t *order = arena_array(a, p->offer_count + 1, sizeof *order);
    if (order == NULL) return false;
    for (uint32_t o = 0; o < p->offer_count; o++) order[o] = o;
    if (!sort_ids(a->context, order, p->offer_count, by_cost, p->costs)) return false;
    for (uint32_t i = 0; i < p->offer_count; i++) {
        uint32_t j = 0;
        if (i > 0 && offers_alike(p, order[i], order[i - 1])) { /* the same type in another zone */
            m->replaced_by[order[i]] = m->replaced_by[order[i - 1]];
            continue;
        }
        if (!mem_work(a->context, (m->offer_count + (size_t)1) * p->dims)) return false;
        while (j < m->offer_count && !replaced_by(p, order[i], m->offers[j])) j++;
        if (j == m->offer_count) m->offers[m->offer_count++] = order[i];
        m->replaced_by[order[i]] = j;
    }
    return true;
}

bool master_knapsack(master *m, arena *a, uint32_t row, knapsack *k)
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
        int64_t most = row < p->offer_count ? copies_by_size(p, row, c) : bound_copies(p, row, c);
        if (most == 0) continue;
        k->items[k->count] = c;
        k->most[k->count++] = most == COPIES_ANY ? HUGE_VAL : (double)most;
    }
    k->sizes = m->sizes;
    knapsack_share(k, &m->shared_arrays);
    return true;
}

/* The most classes in a content of the knapsack. A fractional content has the classes of its basis, and those with
 * all their copies on the node. */
static size_t longest_content(const knapsack *k, bool whole)
{
    size_t count = k->dims;
    for (uint32_t i = 0; i < k->count && !whole; i++) count += k->most[i] < HUGE_VAL;
    return whole || count > k->count ? k->count : count;
}

bool master_knapsacks(master *m, arena *a, uint32_t rounds, bool whole)
{
    m->column_capacity = m->offer_count * rounds;
    m->knapsacks = arena_array(a, m->offer_count + (size_t)1, sizeof *m->knapsacks);
    m->columns = arena_array(a, m->column_capacity + (size_t)1, sizeof *m->columns);
    if (m->knapsacks == NULL || m->columns == NULL) return false;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        if (!master_worked(a, m->problem, m->problem->dims) || !master_knapsack(m, a, m->offers[i], &m->knapsacks[i]))
            return false;
        m->round_entries += longest_content(&m->knapsacks[i], whole);
    }
    m->entry_capacity = m->round_entries * rounds;
    m->entries = arena_array(a, m->entry_capacity + 1, sizeof *m->entries);
    return m->entries != NULL;
}

void master_start(master *m, bool whole)
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
            if (whole) copies = floor(copies + 1e-9);
            double each = copies < HUGE_VAL ? m->prices[m->offers[i]] / copies : 0;
            if (!(each < m->level[c])) continue;
            m->level[c] = each;
            m->y[c] = copies < HUGE_VAL ? copies : 1;
            if (m->content != NULL) m->bought[c] = i;
        }
    }
    master_price_choices(m, m->level);
    for (uint32_t c = 0; c < p->class_count; c++) {
        m->paid[c] = m->level[c] < HUGE_VAL ? m->level[c] * m->y[c] : 0;
        m->inverse[(size_t)c * p->class_count + c] = 1 / m->y[c];
        m->level[c] = (double)m->counts[c] / m->y[c];
        if (m->content != NULL) m->content[(size_t)c * p->class_count + c] = m->y[c];
    }
}

/* What one pod of the choice costs in a domain. */
static double choice_worth(const relaxed_choice *x, uint32_t domain, const double *y)
{
    double sum = 0;
    for (uint32_t n = 0; n < x->member_count; n++)
        sum += (double)x->copies[n] * y[x->classes[(size_t)domain * x->member_count + n]];
    return sum / (double)x->pods;
}

void master_price_choices(const master *m, double *y)
{
    for (uint32_t i = 0; i < m->problem->choice_count; i++) {
        const relaxed_choice *x = &m->problem->choices[i];
        double least = HUGE_VAL;
        for (uint32_t d = 0; d < x->domain_count; d++) {
            double worth = choice_worth(x, d, y);
            if (worth < least) least = worth;
        }
        if (x->domain_count > 0) y[x->class_] = least;
    }
}

static double master_worth_of(const master *m, const column *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const entry *e = &m->entries[c->first + i];
        sum += m->y[e->class_] * e->copies;
    }
    return sum;
}

void master_drop_columns(master *m)
{
    if (m->column_count + m->offer_count <= m->column_capacity &&
        m->entry_count + m->round_entries <= m->entry_capacity)
        return;
    m->column_count = 0;
    m->entry_count = 0;
}

static void keep(master *m, uint32_t place, const uint32_t *classes, const double *copies, uint32_t count, double least)
{
    column c = { .first = m->entry_count, .offer = place };
    if (m->column_count == m->column_capacity || m->entry_count + count > m->entry_capacity) return;
    for (uint32_t i = 0; i < count; i++) {
        if (!(copies[i] > 1e-12)) continue;
        m->entries[m->entry_count + c.count++] = (entry){ .class_ = classes[i], .copies = copies[i] };
    }
    if (!(master_worth_of(m, &c) > least)) return;
    m->columns[m->column_count++] = c;
    m->entry_count += c.count;
}

void master_keep(master *m, uint32_t place, const uint32_t *classes, const double *copies, uint32_t count)
{
    keep(m, place, classes, copies, count, m->prices[m->offers[place]] * ENOUGH);
}

void master_keep_known(master *m, uint32_t place, const uint32_t *classes, const double *copies, uint32_t count)
{
    keep(m, place, classes, copies, count, 0);
}

/* The worth of a column per dollar. */
static double ratio_of(const master *m, const column *c)
{
    double price = m->prices[m->offers[c->offer]], worth = master_worth_of(m, c);
    return price > 0 ? worth / price : worth > 1e-9 ? HUGE_VAL : 0;
}

/* Moves columns that are worth their price to the front. */
static void find_near(master *m)
{
    m->near = 0;
    for (uint32_t i = 0; i < m->column_count; i++) {
        column c = m->columns[i];
        if (!(ratio_of(m, &c) > ENOUGH)) continue;
        m->columns[i] = m->columns[m->near];
        m->columns[m->near++] = c;
    }
}

/* Removes and returns the kept column with the highest worth per dollar, of those in front; false = none is worth its
 * price. */
static bool best_near(master *m, column *out)
{
    uint32_t best = UINT32_MAX;
    double most = ENOUGH;
    for (uint32_t i = 0; i < m->near; i++) {
        double ratio = ratio_of(m, &m->columns[i]);
        if (ratio > most) most = ratio, best = i;
    }
    if (best == UINT32_MAX) return false;
    *out = m->columns[best];
    m->columns[best] = m->columns[--m->near];
    m->columns[m->near] = m->columns[--m->column_count];
    return true;
}

static bool best_column(master *m, column *out)
{
    if (best_near(m, out)) return true;
    find_near(m);
    return best_near(m, out);
}

/* The pair whose prices are most out of line: that of the class that can take the other's place is higher. */
static bool worst_pair(const master *m, entry *e, entrant *out)
{
    double most = 1e-9;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        uint32_t small = m->pairs[2 * (size_t)i], large = m->pairs[2 * (size_t)i + 1];
        if (!(m->y[small] - m->y[large] > most)) continue;
        most = m->y[small] - m->y[large];
        out->count = 2;
        out->swapped = small;
        e[0] = (entry){ small, 1 };
        e[1] = (entry){ large, -1 };
    }
    return out->count > 0;
}

/* The choice whose price is most above that of one of its domains. */
static bool worst_choice(const master *m, entrant *out)
{
    double most = 1e-9;
    for (uint32_t i = 0; i < m->problem->choice_count; i++) {
        const relaxed_choice *x = &m->problem->choices[i];
        for (uint32_t d = 0; d < x->domain_count; d++) {
            double above = m->y[x->class_] - choice_worth(x, d, m->y);
            if (!(above > most)) continue;
            most = above;
            m->choice[0] = (entry){ x->class_, 1 };
            for (uint32_t n = 0; n < x->member_count; n++)
                m->choice[n + 1] = (entry){ x->classes[(size_t)d * x->member_count + n],
                                            -(double)x->copies[n] / (double)x->pods };
            out->entries = m->choice;
            out->count = x->member_count + 1;
        }
    }
    return out->count > 0;
}

/* The class whose price is most out of line: below 0, or else above its cap, or else above that of another. */
static bool worst_price(const master *m, entry *e, entrant *out)
{
    double most = 1e-9;
    *out = (entrant){ .entries = e, .offer = UINT32_MAX, .served = UINT32_MAX, .swapped = UINT32_MAX };
    for (uint32_t c = 0; c < m->problem->class_count; c++) {
        if (!(-m->y[c] > most)) continue;
        most = -m->y[c];
        out->count = 1;
        *e = (entry){ c, -1 };
    }
    if (out->count > 0) return true;
    for (uint32_t c = 0; m->caps != NULL && c < m->problem->class_count; c++) {
        if (!(m->y[c] - m->caps[c] > most)) continue;
        most = m->y[c] - m->caps[c];
        out->count = 1;
        out->served = c;
        out->price = m->caps[c];
        *e = (entry){ c, 1 };
    }
    return out->count > 0 || worst_choice(m, out) || worst_pair(m, e, out);
}

bool master_use_columns(master *m, const arena *a, bool *limited)
{
    const bound_problem *p = m->problem;
    uint64_t squared = (uint64_t)p->class_count * p->class_count;
    m->near = 0;
    for (uint64_t t = 0; t < 64 + 8 * (uint64_t)(p->class_count + p->offer_count); t++) {
        entrant next;
        entry some[2];
        column best = { .offer = 0 };
        if (!master_worked(a, p, p->class_count)) return false;
        m->work += squared;
        /* with thousands of different classes, the bound is that of the prices so far */
        *limited = m->work <= MOST_WORK;
        if (!*limited) return true;
        if (!worst_price(m, some, &next)) {
            if (!best_column(m, &best)) break;
            next = (entrant){ .entries = m->entries + best.first,
                              .count = best.count,
                              .offer = best.offer,
                              .served = UINT32_MAX,
                              .swapped = UINT32_MAX,
                              .price = m->prices[m->offers[best.offer]] };
        }
        *limited = master_enter(m, &next);
        if (!*limited) return true;
    }
    if (m->rounds++ % ROUNDS_IN_A_ROW == 0) master_price_classes(m);
    else master_sum_cost(m);
    return true;
}

void master_choose_prices(master *m, double weight)
{
    for (uint32_t c = 0; c < m->problem->class_count; c++) {
        double y = m->y[c] > 0 ? m->y[c] : 0;
        m->tried[c] = weight * y + (1 - weight) * m->best[c];
    }
    master_price_choices(m, m->tried);
}
