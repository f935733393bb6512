/* SPDX-License-Identifier: Apache-2.0 */
/* The worth of a pod of each class: its price in the fluid problem (bound.h). */
#include <optimise/packing.h>

#include <base/bits.h>
#include <math.h>
#include <optimise/bound.h>
#include <string.h>

enum {
    FLUID_ROUNDS = 400,
    FEW_ROUNDS = 20,
    FLUID_CLASSES = 300,
    PATTERN_CLASSES = 500,
    FEW_CLASSES = 100,
    MOST_CLASSES = 1000,
    MOST_FLUID_WORK = 4000000
};
#define FLUID_TOLERANCE 0.001
#define LEAST_WORTH 1e-6 /* for a pod that only uses leftover capacity */

/* Classes with about the same proportions and the same offers are grouped for the fluid problem, whose work grows
 * with the square of their number. */
typedef struct groups {
    uint32_t *of; /* by class */
    uint32_t *first; /* by group: the class that represents it */
    uint32_t count;
    double *total; /* by resource: total of all pods */
} groups;

/* The power of 1.5 that is closest to the ratio. (Without a logarithm, whose results differ between C libraries.) */
static int power_of(double ratio)
{
    int power = 0;
    for (; ratio > 1.25 && power < 20; power++) ratio /= 1.5;
    for (; ratio < 0.8 && power > -20; power--) ratio *= 1.5;
    return power;
}

static double share_of(const packing_problem *p, const groups *g, uint32_t c, uint32_t d)
{
    double request = (double)p->requests[(size_t)c * p->dims + d];
    return g->total[d] > 0 ? request / g->total[d] : 0;
}

static bool alike(const packing_problem *p, const groups *g, uint32_t x, uint32_t y, bool whatever_size)
{
    size_t words_ = bits_words(p->offer_count);
    if ((p->limits[x] == UINT32_MAX) != (p->limits[y] == UINT32_MAX)) return false;
    if (memcmp(p->allowed + x * words_, p->allowed + y * words_, words_ * sizeof *p->allowed) != 0) return false;
    double a = share_of(p, g, x, 0), b = share_of(p, g, y, 0);
    for (uint32_t d = 0; d < p->dims; d++) {
        double q = share_of(p, g, x, d), s = share_of(p, g, y, d);
        if ((q > 0) != (s > 0)) return false;
        if (q > 0 && a > 0 && b > 0 && power_of(q / a) != power_of(s / b)) return false;
        if (!whatever_size && q != s) return false;
    }
    if (whatever_size) return true;
    if (p->limits[x] != p->limits[y]) return false;
    return p->limits[x] >= p->counts[x] || p->counts[x] == p->counts[y]; /* so that they need equally many nodes */
}

static bool find_groups(arena *a, const packing_problem *p, bool whatever_size, groups *g)
{
    g->of = arena_array(a, p->class_count + (size_t)1, sizeof *g->of);
    g->first = arena_array(a, p->class_count + (size_t)1, sizeof *g->first);
    g->total = arena_array(a, p->dims + (size_t)1, sizeof *g->total);
    if (g->of == NULL || g->first == NULL || g->total == NULL) return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        for (uint32_t d = 0; d < p->dims; d++)
            g->total[d] += (double)p->requests[(size_t)c * p->dims + d] * p->counts[c];
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        uint32_t n = 0;
        while (n < g->count && !alike(p, g, g->first[n], c, whatever_size)) n++;
        g->of[c] = n;
        if (n == g->count) g->first[g->count++] = c;
    }
    return true;
}

/* The fluid problem of the groups. A pod of a group has the average requests of its classes. false = out of memory. */
__attribute__((cold)) static bool fluid_problem(arena *a, const packing_problem *p, const groups *g, bound_problem *b)
{
    size_t words_ = bits_words(g->count);
    int64_t *requests = arena_array(a, (size_t)g->count * p->dims + 1, sizeof *requests);
    int64_t *counts = arena_array(a, g->count + (size_t)1, sizeof *counts);
    int64_t *limits = arena_array(a, g->count + (size_t)1, sizeof *limits);
    int64_t *costs = arena_array(a, p->offer_count + (size_t)1, sizeof *costs);
    uint64_t *allowed = arena_array(a, p->offer_count * words_ + 1, sizeof *allowed);
    double *sums = arena_array(a, (size_t)g->count * p->dims + 1, sizeof *sums);
    if (requests == NULL || counts == NULL || limits == NULL || costs == NULL || allowed == NULL || sums == NULL)
        return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        uint32_t n = g->of[c];
        counts[n] += p->counts[c];
        limits[n] = p->limits[c] == UINT32_MAX ? COPIES_ANY : limits[n] + p->limits[c];
        for (uint32_t d = 0; d < p->dims; d++)
            sums[(size_t)n * p->dims + d] += (double)p->requests[(size_t)c * p->dims + d] * p->counts[c];
    }
    for (uint32_t n = 0; n < g->count; n++) {
        for (uint32_t d = 0; d < p->dims; d++) {
            double each = counts[n] > 0 ? sums[(size_t)n * p->dims + d] / (double)counts[n]
                                        : (double)p->requests[(size_t)g->first[n] * p->dims + d];
            requests[(size_t)n * p->dims + d] = each > 0 && each < 1 ? 1 : (int64_t)each;
        }
        for (size_t o = 0; o < p->offer_count; o++) {
            if (bits_test(p->allowed + g->first[n] * bits_words(p->offer_count), o)) bits_set(allowed + o * words_, n);
        }
    }
    for (uint32_t o = 0; o < p->offer_count; o++) costs[o] = money_of(p->prices[o]);
    *b = (bound_problem){ .dims = p->dims,
                          .class_count = g->count,
                          .offer_count = p->offer_count,
                          .requests = requests,
                          .counts = counts,
                          .limits = limits,
                          .capacity = p->spaces,
                          .costs = costs,
                          .allowed = allowed };
    return true;
}

/* The size of a pod relative to the total requests. */
static double size_of(const packing_problem *p, const groups *g, const int64_t *requests)
{
    double size = 0;
    for (uint32_t d = 0; d < p->dims; d++) size += g->total[d] > 0 ? (double)requests[d] / g->total[d] : 0;
    return size;
}

/* Distributes the price of each group to its classes, in proportion to their requests. */
static void share_worth(const packing_problem *p, const groups *g, const bound_problem *b, const double *of_group,
                        double *worth)
{
    for (uint32_t c = 0; c < p->class_count; c++) {
        double whole = size_of(p, g, b->requests + (size_t)g->of[c] * p->dims);
        double part = whole > 0 ? size_of(p, g, p->requests + (size_t)c * p->dims) / whole : 1;
        worth[c] = of_group[g->of[c]] * part;
        if (!(worth[c] > LEAST_WORTH)) worth[c] = LEAST_WORTH;
    }
}

static bool fluid_worth(arena *a, const packing_problem *p, groups *g, bound_problem *b, bound_proof *proof,
                        double *worth)
{
    uint32_t rounds = g->count <= FLUID_CLASSES ? FLUID_ROUNDS : FEW_ROUNDS;
    double *of_group = arena_array(a, g->count + (size_t)1, sizeof *of_group);
    if (of_group == NULL || !fluid_problem(a, p, g, b) || !bound_fluid(a, b, FLUID_TOLERANCE, rounds, proof))
        return false;
    for (uint32_t n = 0; n < g->count; n++) of_group[n] = (double)proof->y[n] / MONEY_UNIT;
    share_worth(p, g, b, of_group, worth);
    return true;
}

/* Ratings of the offers from the proof: the highest worth of contents relative to the price, and the share of each
 * resource in it. */
static bool rate_offers(arena *a, packing_problem *p, const bound_problem *b, const bound_proof *proof)
{
    double *promise = arena_array(a, p->offer_count + (size_t)1, sizeof *promise);
    double *shares = arena_array(a, (size_t)p->offer_count * p->dims + 1, sizeof *shares);
    if (promise == NULL || shares == NULL) return false;
    for (uint32_t o = 0; o < p->offer_count; o++) {
        uint32_t row = proof->covered_by[o];
        const int64_t *paid = proof->shares + (size_t)row * p->dims,
                      *extra = proof->extra + (size_t)row * b->class_count;
        double sum = 0, whole;
        for (uint32_t d = 0; d < p->dims; d++) sum += (double)paid[d];
        whole = sum;
        for (uint32_t c = 0; c < b->class_count; c++) {
            if (extra[c] > 0) whole += (double)extra[c] * (double)bound_copies(b, proof->of[row], c);
        }
        promise[o] = b->costs[o] > 0 && whole < (double)b->costs[o] ? whole / (double)b->costs[o] : 1;
        for (uint32_t d = 0; d < p->dims; d++)
            shares[(size_t)o * p->dims + d] = sum > 0 ? (double)paid[d] / sum : 1.0 / p->dims;
    }
    p->promise = promise;
    p->shares = shares;
    return true;
}

/* Whether exact prices would take too long: the work grows with the square of the number of classes. */
static bool too_many(const packing_problem *p)
{
    uint64_t squared = (uint64_t)p->class_count * p->class_count;
    return p->class_count > FEW_CLASSES && squared * p->offer_count > MOST_FLUID_WORK;
}

bool packing_rate(arena *a, packing_problem *p)
{
    groups g = { .count = 0 };
    bound_problem b;
    bound_proof proof;
    double *worth = arena_array(a, p->class_count + (size_t)1, sizeof *worth);
    if (worth == NULL || !find_groups(a, p, too_many(p), &g)) return false;
    p->worth = worth;
    return fluid_worth(a, p, &g, &b, &proof, worth) && rate_offers(a, p, &b, &proof);
}

/* Prices of the groups to begin with: those that are known to hold, or else those of the fluid bound. false = out of
 * memory. */
static bool first_prices(arena *a, const groups *g, const bound_problem *b, const packing_patterns *known,
                         bound_proof *out)
{
    if (known == NULL || !known->holds) {
        uint32_t rounds = g->count <= FLUID_CLASSES ? FLUID_ROUNDS : FEW_ROUNDS;
        return bound_fluid(a, b, FLUID_TOLERANCE, rounds, out);
    }
    *out = (bound_proof){ .y = arena_array(a, g->count + (size_t)1, sizeof *out->y) };
    for (uint32_t n = 0; n < g->count && out->y != NULL; n++) out->y[n] = money_of(known->worth[g->first[n]]);
    return out->y != NULL;
}

static uint32_t at_most(uint64_t copies, int64_t limit)
{
    return (int64_t)copies < limit ? (uint32_t)copies : (uint32_t)limit;
}

/* The known patterns for these groups. */
static void known_patterns(const packing_patterns *known, const groups *g, const int64_t *limits, bound_patterns *out)
{
    for (uint32_t i = 0; i < known->count; i++) {
        uint32_t *copies = out->copies + (size_t)out->count * g->count;
        out->offer[out->count++] = known->offer[i];
        for (uint32_t n = 0; n < g->count; n++)
            copies[n] = at_most(known->copies[(size_t)i * known->group_count + known->group_of[g->first[n]]],
                                limits[n]);
    }
}

/* The group with requests like those of the class that can use the offer; UINT32_MAX = none. */
static uint32_t group_on(const packing_problem *p, const groups *g, uint32_t class_, uint32_t offer)
{
    size_t bytes = p->dims * sizeof *p->requests, words_ = bits_words(p->offer_count);
    for (uint32_t n = 0; n < g->count; n++) {
        uint32_t c = g->first[n];
        if (bits_test(p->allowed + c * words_, offer) &&
            memcmp(p->requests + (size_t)c * p->dims, p->requests + (size_t)class_ * p->dims, bytes) == 0)
            return n;
    }
    return UINT32_MAX;
}

/* Whether a pod of the group may join the others. */
static bool may_join(const packing_problem *p, const groups *g, const uint32_t *copies, uint32_t group)
{
    size_t words_ = bits_words(p->class_count);
    for (uint32_t n = 0; p->conflicts != NULL && n < g->count; n++) {
        if (copies[n] > 0 && bits_test(p->conflicts + g->first[group] * words_, g->first[n])) return false;
    }
    return true;
}

/* Adds contents of another problem, without the pods that these groups do not have or that rules of theirs exclude. */
static void other_contents(const packing_problem *p, const packing_contents *x, const groups *g, const int64_t *limits,
                           bound_patterns *out)
{
    for (uint32_t i = 0; i < x->count; i++) {
        uint32_t *copies = out->copies + (size_t)out->count * g->count;
        if (x->offer[i] == UINT32_MAX) continue;
        for (uint32_t k = 0; k < x->kind_count; k++) {
            uint32_t n = x->copies[(size_t)i * x->kind_count + k];
            if (n == 0 || x->class_of[k] == UINT32_MAX) continue;
            uint32_t group = group_on(p, g, x->class_of[k], x->offer[i]);
            if (group == UINT32_MAX || !may_join(p, g, copies, group)) continue;
            copies[group] = at_most((uint64_t)copies[group] + n, limits[group]);
        }
        out->offer[out->count++] = x->offer[i];
    }
}

/* Patterns for these groups to begin with. false = out of memory. */
static bool first_patterns(arena *a, const packing_problem *p, const packing_patterns *known,
                           const packing_contents *others, const groups *g, const int64_t *limits, bound_patterns *out)
{
    size_t count = (known != NULL ? known->count : 0) + (others != NULL ? others->count : 0);
    *out = (bound_patterns){ .count = 0 };
    out->offer = arena_array(a, count + 1, sizeof *out->offer);
    out->copies = arena_array(a, count * g->count + 1, sizeof *out->copies);
    if (out->offer == NULL || out->copies == NULL) return false;
    if (known != NULL) known_patterns(known, g, limits, out);
    if (others != NULL) other_contents(p, others, g, limits, out);
    return true;
}

__attribute__((cold)) bool packing_find_patterns(arena *a, const packing_problem *p, const packing_patterns *known,
                                                 const packing_contents *others, uint64_t steps, packing_patterns *out)
{
    groups g = { .count = 0 };
    bound_problem b;
    bound_proof proof;
    bound_patterns found, begin;
    *out = (packing_patterns){ .count = 0 };
    if (p->class_count > MOST_CLASSES || p->dims > CASES_DIMS) return true;
    if (!find_groups(a, p, false, &g)) return false;
    if (g.count > PATTERN_CLASSES) return true;
    double *worth = arena_array(a, p->class_count + (size_t)1, sizeof *worth);
    int64_t *limits = arena_array(a, g.count + (size_t)1, sizeof *limits);
    if (worth == NULL || limits == NULL || !fluid_problem(a, p, &g, &b) || !first_prices(a, &g, &b, known, &proof))
        return false;
    for (uint32_t n = 0; n < g.count; n++) limits[n] = b.limits[n] < b.counts[n] ? b.limits[n] : b.counts[n];
    b.limits = limits;
    if (!first_patterns(a, p, known, others, &g, limits, &begin)) return false;
    begin.holds = known != NULL && known->holds;
    if (!bound_find_patterns(a, &b, &proof, &begin, steps, &found)) return false;
    if (found.count == 0) return true;
    share_worth(p, &g, &b, found.worth, worth);
    *out = (packing_patterns){ found.count, g.count, g.of, found.offer, found.nodes, found.copies, worth, false };
    return true;
}
