/* SPDX-License-Identifier: Apache-2.0 */
/* The basis of the master problem: its initial columns, and how another column enters it. */
#include <optimise/master.h>

#include <base/bits.h>
#include <math.h>
#include <string.h>

enum { PIVOTS_IN_A_ROW = 128 }; /* after so many the basis is inverted again, because rounding errors accumulate */
#define LEAST_PIVOT 1e-7
#define SAME 1e-9 /* lengths of a step that differ by less are equal */

bool master_keep_contents(master *m, arena *a)
{
    size_t n = m->problem->class_count;
    m->content = arena_array(a, n * n + 1, sizeof *m->content);
    m->factors = arena_array(a, n * n + 1, sizeof *m->factors);
    m->result = arena_array(a, n * n + 1, sizeof *m->result);
    m->bought = arena_array(a, n + 1, sizeof *m->bought);
    m->served = arena_array(a, n + 1, sizeof *m->served);
    m->swapped = arena_array(a, n + 1, sizeof *m->swapped);
    if (m->content == NULL || m->factors == NULL || m->result == NULL || m->bought == NULL || m->served == NULL ||
        m->swapped == NULL)
        return false;
    for (size_t i = 0; i < n; i++) m->bought[i] = m->served[i] = m->swapped[i] = UINT32_MAX;
    return true;
}

void master_cap_at(master *m, const double *prices, double factor)
{
    for (uint32_t c = 0; c < m->problem->class_count; c++) m->caps[c] = m->paid[c] = m->y[c] = prices[c] * factor;
}

bool master_start_capped(master *m, arena *a, double factor)
{
    size_t n = m->problem->class_count;
    m->caps = arena_array(a, n + 1, sizeof *m->caps);
    if (m->caps == NULL) return false;
    master_cap_at(m, m->best, factor);
    for (size_t c = 0; c < n; c++) {
        m->served[c] = (uint32_t)c;
        m->inverse[c * n + c] = m->content[c * n + c] = 1;
        m->level[c] = (double)m->counts[c];
    }
    return true;
}

/* Without pairs a swap costs as much as the cap of its class, so that it hinders no price. */
static void price_swaps(master *m)
{
    for (uint32_t i = 0; m->pair_count == 0 && i < m->problem->class_count; i++) {
        if (m->swapped[i] != UINT32_MAX) m->paid[i] = m->caps[m->swapped[i]];
    }
}

bool master_raise_caps(master *m, double factor)
{
    uint32_t n = m->problem->class_count;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (m->served[i] == UINT32_MAX || !(m->level[i] > SAME) || !(m->caps[m->served[i]] > 0)) continue;
        m->caps[m->served[i]] *= factor;
        any = true;
    }
    for (uint32_t i = 0; any && i < n; i++) {
        if (m->served[i] != UINT32_MAX) m->paid[i] = m->caps[m->served[i]];
    }
    if (any) price_swaps(m);
    if (any) master_price_classes(m);
    return any;
}

double master_alone(const master *m, uint32_t class_)
{
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        int64_t copies = bound_copies(m->problem, m->offers[i], class_);
        double each = copies > 0 ? m->prices[m->offers[i]] / (double)copies : HUGE_VAL;
        if (each < least) least = each;
    }
    return least;
}

__attribute__((cold)) void master_lift_caps(master *m, double part)
{
    for (uint32_t c = 0; c < m->problem->class_count; c++) {
        double least = part * master_alone(m, c);
        if (least < HUGE_VAL && least > m->caps[c]) m->caps[c] = m->paid[c] = least;
    }
    master_price_classes(m);
}

/* Whether rules allow the pods of the class x on every offer on which they allow those of the class y. */
static bool allowed_like(const master *m, uint32_t x, uint32_t y)
{
    size_t words = bits_words(m->problem->class_count);
    for (uint32_t i = 0; i < m->offer_count; i++) {
        const uint64_t *allowed = m->problem->allowed + m->offers[i] * words;
        if (bits_test(allowed, y) && !bits_test(allowed, x)) return false;
    }
    return true;
}

static bool may_be_bought(const master *m, uint32_t class_)
{
    for (uint32_t i = 0; i < m->offer_count; i++) {
        if (bits_test(m->problem->allowed + m->offers[i] * bits_words(m->problem->class_count), class_)) return true;
    }
    return false;
}

static bool takes_place(const master *m, uint32_t x, uint32_t y)
{
    const bound_problem *p = m->problem;
    const int64_t *a = p->requests + (size_t)x * p->dims, *b = p->requests + (size_t)y * p->dims;
    bool less = false;
    for (uint32_t d = 0; d < p->dims; d++) {
        if (a[d] > b[d]) return false;
        less = less || a[d] < b[d];
    }
    return p->limits[x] >= p->counts[x] && (less || x < y) && allowed_like(m, x, y) && may_be_bought(m, y);
}

bool master_find_pairs(master *m, arena *a)
{
    size_t n = m->problem->class_count, words = bits_words(n);
    uint64_t *under = arena_array(a, words * n + 1, sizeof *under); /* by class: those that can take its place */
    uint64_t *between = arena_array(a, words + 1, sizeof *between);
    m->pairs = arena_array(a, 2 * n * n + 1, sizeof *m->pairs);
    if (under == NULL || between == NULL || m->pairs == NULL) return false;
    for (uint32_t y = 0; y < n; y++) {
        if (!master_worked(a, m->problem, n)) return false;
        for (uint32_t x = 0; x < n; x++) {
            if (x != y && takes_place(m, x, y)) bits_set(under + y * words, x);
        }
    }
    for (uint32_t y = 0; y < n; y++) {
        memset(between, 0, words * sizeof *between);
        for (uint32_t z = 0; z < n; z++) {
            if (bits_test(under + y * words, z)) bits_or(between, under + z * words, words);
        }
        for (uint32_t x = 0; x < n; x++) { /* of the others, the pairs follow from those of others */
            if (!bits_test(under + y * words, x) || bits_test(between, x)) continue;
            m->pairs[2 * (size_t)m->pair_count] = x;
            m->pairs[2 * (size_t)m->pair_count++ + 1] = y;
        }
    }
    return true;
}

bool master_drop_pairs(master *m)
{
    bool any = false;
    if (m->pair_count == 0) return false;
    m->pair_count = 0;
    for (uint32_t i = 0; i < m->problem->class_count; i++)
        any = any || (m->swapped[i] != UINT32_MAX && m->level[i] > SAME);
    price_swaps(m);
    master_price_classes(m);
    return any;
}

/* from[j] -= times × what[j]. Four at a time, so that compilers vectorize it. */
static void take(double *restrict from, const double *restrict what, double times, uint32_t count)
{
    uint32_t j = 0;
    for (; j + 4 <= count; j += 4) {
        from[j] -= times * what[j];
        from[j + 1] -= times * what[j + 1];
        from[j + 2] -= times * what[j + 2];
        from[j + 3] -= times * what[j + 3];
    }
    for (; j < count; j++) from[j] -= times * what[j];
}

void master_sum_cost(master *m)
{
    m->cost = 0;
    for (uint32_t i = 0; i < m->problem->class_count; i++) m->cost += m->paid[i] * m->level[i];
}

void master_price_classes(master *m)
{
    uint32_t n = m->problem->class_count;
    memset(m->y, 0, n * sizeof(double));
    for (uint32_t i = 0; i < n; i++) {
        if (m->paid[i] > 0) take(m->y, m->inverse + (size_t)i * n, -m->paid[i], n);
    }
    master_sum_cost(m);
}

static void swap_rows(double *a, double *b, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++) {
        double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

/* Eliminates column c of the factors; false = the basis is nearly singular. */
static bool eliminate(master *m, uint32_t c)
{
    uint32_t n = m->problem->class_count, best = c;
    double *factors = m->factors + (size_t)c * n, *result = m->result + (size_t)c * n;
    for (uint32_t r = c + 1; r < n; r++) {
        if (fabs(m->factors[(size_t)r * n + c]) > fabs(m->factors[(size_t)best * n + c])) best = r;
    }
    double pivot = m->factors[(size_t)best * n + c];
    if (!(fabs(pivot) > 1e-11)) return false;
    if (best != c) {
        swap_rows(factors, m->factors + (size_t)best * n, n);
        swap_rows(result, m->result + (size_t)best * n, n);
    }
    for (uint32_t j = 0; j < n; j++) factors[j] /= pivot, result[j] /= pivot;
    for (uint32_t r = 0; r < n; r++) {
        double times = m->factors[(size_t)r * n + c];
        if (r == c || !(fabs(times) > 0)) continue;
        take(m->factors + (size_t)r * n, factors, times, n);
        take(m->result + (size_t)r * n, result, times, n);
    }
    return true;
}

/* Computes the inverse, the levels and the prices from the contents of the basis. */
static void invert(master *m)
{
    uint32_t n = m->problem->class_count;
    memset(m->result, 0, (size_t)n * n * sizeof *m->result);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) m->factors[(size_t)j * n + i] = m->content[(size_t)i * n + j];
        m->result[(size_t)i * n + i] = 1;
    }
    for (uint32_t c = 0; c < n; c++) {
        if (!eliminate(m, c)) return;
    }
    memcpy(m->inverse, m->result, (size_t)n * n * sizeof *m->inverse);
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < n; j++) sum += m->inverse[(size_t)i * n + j] * (double)m->counts[j];
        m->level[i] = sum > 0 ? sum : 0;
    }
    m->work += (uint64_t)n * n * n / 4;
    master_price_classes(m);
}

static void put_content(master *m, uint32_t row, const entrant *e)
{
    uint32_t n = m->problem->class_count;
    double *content = m->content + (size_t)row * n;
    memset(content, 0, n * sizeof *content);
    for (uint32_t j = 0; j < e->count; j++) content[e->entries[j].class_] += e->entries[j].copies;
    m->bought[row] = e->offer;
    m->served[row] = e->served;
    m->swapped[row] = e->swapped;
}

/* The row that leaves the basis; UINT32_MAX = the problem is unbounded. */
static uint32_t leaving(master *m, const entrant *e, double *length)
{
    uint32_t n = m->problem->class_count, row = UINT32_MAX;
    *length = HUGE_VAL;
    for (uint32_t i = 0; i < n; i++) {
        const double *inverse = m->inverse + (size_t)i * n;
        double sum = 0;
        for (uint32_t j = 0; j < e->count; j++) sum += inverse[e->entries[j].class_] * e->entries[j].copies;
        m->direction[i] = sum;
        if (!(sum > LEAST_PIVOT)) continue;
        double to = m->level[i] / sum;
        bool same = row != UINT32_MAX && fabs(to - *length) < SAME;
        if (same ? sum > m->direction[row] : to < *length) row = i;
        if (to < *length) *length = to;
    }
    return row;
}

bool master_enter(master *m, const entrant *e)
{
    uint32_t n = m->problem->class_count;
    double length, gain = e->price;
    for (uint32_t j = 0; j < e->count; j++) gain -= m->y[e->entries[j].class_] * e->entries[j].copies;
    uint32_t row = leaving(m, e, &length);
    if (row == UINT32_MAX) return false;
    double *pivot = m->inverse + (size_t)row * n;
    for (uint32_t j = 0; j < n; j++) pivot[j] /= m->direction[row];
    for (uint32_t j = 0; j < n; j++) m->y[j] += gain * pivot[j];
    for (uint32_t i = 0; i < n; i++) {
        if (i == row || fabs(m->direction[i]) <= 1e-12) continue;
        double left = m->level[i] - length * m->direction[i];
        m->level[i] = left > 0 ? left : 0;
        take(m->inverse + (size_t)i * n, pivot, m->direction[i], n);
    }
    m->level[row] = length;
    m->paid[row] = e->price;
    if (m->content == NULL) return true;
    put_content(m, row, e);
    if (++m->pivots % PIVOTS_IN_A_ROW == 0) invert(m);
    return true;
}
