/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices to begin with where a problem has several classes of the same pods: those that have to be in a zone, or of
 * which a node can have few. If they are one class that may be wherever one of them may, every plan is still a plan. So
 * prices of that smaller problem hold for the larger one, and are found in a part of the time.
 *
 * What they lack is that places differ. The fluid prices of the larger problem know that, but not that pods are whole.
 * So the search continues near fluid prices that are raised as the merged ones were, and from the contents that were
 * found, for each place that has their offer.
 */
#include <optimise/whole.h>

#include <base/bits.h>
#include <string.h>

/* The larger problem has more classes by at least one in so many merged ones: in one of few classes it saves less. */
enum { MORE_PARTS = 9, FEW_MORE_PARTS = 3, FEW_CLASSES = 100 };
enum { STEPS_A_CLASS = 4000 }; /* most steps for a merged class where places differ */
enum { FIRST_PART = 8 }; /* then prices are lowered first when the work has grown by this part */
enum { FLUID_ROUNDS = 400 };
#define FLUID_TOLERANCE 0.001
#define DIFFER 1.003 /* fluid bounds that differ by more show that places do */
#define CAP 1.005 /* caps relative to the raised prices */

typedef struct merging {
    whole *w;
    arena *a; /* until the larger problem is solved */
    bound_problem problem;
    class_kinds *kinds;
    double *fluid; /* by kind: its fluid price */
    double *before; /* by class: its fluid price */
    whole small;
} merging;

static bool in_row(const bound_problem *p, uint32_t row, uint32_t class_)
{
    return bits_test(p->allowed + (size_t)row * bits_words(p->class_count), class_);
}

/* ---- the merged problem ------------------------------------------------------------------------------------------ */

/* Whether rules allow both classes on the same rows. */
static bool same_rows(const bound_problem *p, uint32_t x, uint32_t y)
{
    uint32_t row = 0;
    while (row < p->offer_count && in_row(p, row, x) == in_row(p, row, y)) row++;
    return row == p->offer_count;
}

static bool one_kind(const bound_problem *p, uint32_t x, uint32_t y)
{
    size_t bytes = p->dims * sizeof *p->requests;
    if (memcmp(p->requests + (size_t)x * p->dims, p->requests + (size_t)y * p->dims, bytes) != 0) return false;
    return p->samples[x] == p->samples[y] || same_rows(p, x, y);
}

/* Classes of zones follow those of the same pods that may be anywhere, so they come first among the members. */
static bool find_kinds(merging *k)
{
    const bound_problem *p = k->w->m.problem;
    uint32_t n = p->class_count, at = 0;
    class_kinds *x = k->kinds = arena_array(k->a, 1, sizeof *x);
    uint32_t *first_of = arena_array(k->a, n + (size_t)1, sizeof *first_of);
    if (x == NULL || first_of == NULL) return false;
    x->of = arena_array(k->a, n + (size_t)1, sizeof *x->of);
    x->members = arena_array(k->a, n + (size_t)1, sizeof *x->members);
    x->first = arena_array(k->a, n + (size_t)2, sizeof *x->first);
    x->copies = arena_array(k->a, n + (size_t)1, sizeof *x->copies);
    x->content = arena_array(k->a, n + (size_t)1, sizeof *x->content);
    if (x->of == NULL || x->members == NULL || x->first == NULL || x->copies == NULL || x->content == NULL)
        return false;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t of = 0;
        if (!mem_work(k->a->context, p->offer_count + (size_t)n)) return false;
        while (of < x->count && !one_kind(p, first_of[of], c)) of++;
        x->of[c] = of;
        if (of == x->count) first_of[x->count++] = c;
    }
    for (uint32_t q = 0; q < x->count; q++) {
        x->first[q] = at;
        for (uint32_t c = n; c-- > 0;) {
            if (x->of[c] == q) x->members[at++] = c;
        }
    }
    x->first[x->count] = at;
    k->small.first_of = first_of;
    return true;
}

static int64_t add_limits(int64_t x, int64_t y) { return x > COPIES_ANY - y ? COPIES_ANY : x + y; }

static bool make_problem(merging *k)
{
    const bound_problem *p = k->w->m.problem;
    const class_kinds *x = k->kinds;
    size_t n = x->count + (size_t)1, width = bits_words(x->count);
    int64_t *requests = arena_array(k->a, n * p->dims, sizeof *requests);
    int64_t *counts = arena_array(k->a, n, sizeof *counts), *limits = arena_array(k->a, n, sizeof *limits);
    uint64_t *allowed = arena_array(k->a, p->offer_count * width + 1, sizeof *allowed);
    k->fluid = arena_array(k->a, n, sizeof *k->fluid);
    k->before = arena_copy(k->a, k->w->m.best, (p->class_count + (size_t)1) * sizeof *k->before);
    if (requests == NULL || counts == NULL || limits == NULL || allowed == NULL || k->fluid == NULL ||
        k->before == NULL)
        return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        uint32_t of = x->of[c];
        memcpy(requests + (size_t)of * p->dims, p->requests + (size_t)c * p->dims, p->dims * sizeof *requests);
        counts[of] += k->w->m.counts[c];
        limits[of] = add_limits(limits[of], p->limits[c]);
        for (uint32_t row = 0; row < p->offer_count; row++) {
            if (in_row(p, row, c)) bits_set(allowed + row * width, of);
        }
    }
    k->problem = (bound_problem){ .dims = p->dims,
                                  .class_count = x->count,
                                  .offer_count = p->offer_count,
                                  .requests = requests,
                                  .counts = counts,
                                  .limits = limits,
                                  .capacity = p->capacity,
                                  .costs = p->costs,
                                  .allowed = allowed };
    return true;
}

/* Finds prices of the merged problem, after its fluid prices. */
static bool solve_merged(merging *k)
{
    whole *w = k->w, *x = &k->small;
    const uint32_t n = k->kinds->count, *first_of = x->first_of;
    bound_proof from;
    if (!bound_fluid(k->a, &k->problem, FLUID_TOLERANCE, FLUID_ROUNDS, &from)) return false;
    for (uint32_t q = 0; q < n; q++) k->fluid[q] = (double)from.y[q] / MONEY_UNIT;
    if (!whole_init(x, w->a, &k->problem, &from, 0)) return false;
    x->first_of = first_of;
    x->trail = w->trail;
    x->trail_classes = w->m.problem->class_count;
    x->wants_bound = x->merged = true;
    x->places_differ = w->m.bound > x->m.bound * DIFFER;
    x->most_work = (uint64_t)n * STEPS_A_CLASS * CONTENTS_A_STEP;
    if (!x->places_differ || x->most_work > w->most_work) x->most_work = w->most_work;
    bool ok = whole_generate(x);
    w->work += x->work;
    w->passed = x->passed;
    return ok;
}

/* ---- what the larger problem gets of it -------------------------------------------------------------------------- */

/* Groups offers by capacity. */
static bool group_offers(merging *k)
{
    const master *m = &k->w->m;
    const bound_problem *p = m->problem;
    class_kinds *x = k->kinds;
    const size_t n = m->offer_count + (size_t)2;
    uint32_t groups = 0, at = 0;
    x->alike = arena_array(k->a, n, sizeof *x->alike);
    x->first_alike = arena_array(k->a, n, sizeof *x->first_alike);
    x->group = arena_array(k->a, n, sizeof *x->group);
    if (x->alike == NULL || x->first_alike == NULL || x->group == NULL) return false;
    for (uint32_t i = 0; i < m->offer_count; i++) x->group[i] = UINT32_MAX;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        if (x->group[i] != UINT32_MAX) continue;
        if (!master_worked(k->a, p, 1)) return false;
        x->first_alike[groups] = at;
        for (uint32_t j = i; j < m->offer_count; j++) {
            if (!same_capacity(p, m->offers[i], m->offers[j])) continue;
            x->group[j] = groups;
            x->alike[at++] = j;
        }
        x->first_alike[++groups] = at;
    }
    return true;
}

/* The class of this kind that is worth most, of those that the offer may have and that are not in the content yet. */
static uint32_t best_member(const whole *w, uint32_t kind, uint32_t offer)
{
    const class_kinds *x = w->kinds;
    uint32_t best = UINT32_MAX;
    for (uint32_t n = x->first[kind]; n < x->first[kind + 1]; n++) {
        uint32_t c = x->members[n];
        if (x->content[c] > 0 || !in_row(w->m.problem, offer, c)) continue;
        if (best == UINT32_MAX || w->m.y[c] > w->m.y[best]) best = c;
    }
    return best;
}

/* Makes a content of the offer from numbers of copies by kind, and returns what it is worth. */
static double fill_offer(const whole *w, uint32_t offer)
{
    const class_kinds *x = w->kinds;
    double worth = 0;
    memset(x->content, 0, w->m.problem->class_count * sizeof *x->content);
    for (uint32_t q = 0; q < x->count; q++) {
        double left = x->copies[q];
        while (left > 0) {
            uint32_t c = best_member(w, q, offer);
            double most = c != UINT32_MAX ? (double)bound_copies(w->m.problem, offer, c) : 0;
            if (!(most > 0)) break;
            x->content[c] = most < left ? most : left;
            worth += x->content[c] * w->m.y[c];
            left -= x->content[c];
        }
    }
    return worth;
}

void merged_mirror(whole *w, uint32_t place, const double *copies)
{
    const class_kinds *x = w->kinds;
    master *m = &w->m;
    memset(x->copies, 0, x->count * sizeof *x->copies);
    for (uint32_t c = 0; c < m->problem->class_count; c++) x->copies[x->of[c]] += copies[c];
    for (uint32_t i = x->first_alike[x->group[place]]; i < x->first_alike[x->group[place] + 1]; i++) {
        uint32_t other = x->alike[i];
        if (other == place || !(fill_offer(w, m->offers[other]) > m->prices[m->offers[other]])) continue;
        master_drop_columns(m);
        master_keep(m, other, w->classes, x->content, m->problem->class_count);
    }
}

/* Keeps a content of the merged problem for all offers of its capacity: once with pods that have to be there first, and
 * once with those that may be elsewhere. */
static void keep_merged(merging *k, uint32_t offer)
{
    whole *w = k->w;
    master *m = &w->m;
    const class_kinds *x = k->kinds;
    const bound_problem *p = m->problem;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        uint32_t o = m->offers[i];
        if (!same_capacity(p, o, offer)) continue;
        for (uint32_t way = 0; way < 2; way++) {
            memset(x->content, 0, p->class_count * sizeof *x->content);
            for (uint32_t q = 0; q < x->count; q++) {
                double left = x->copies[q];
                for (uint32_t n = x->first[q], end = x->first[q + 1]; n < end && left > 0; n++) {
                    uint32_t c = x->members[way == 0 ? n : x->first[q] + end - 1 - n];
                    double most = in_row(p, o, c) ? (double)bound_copies(p, o, c) : 0;
                    x->content[c] = most < left ? most : left;
                    left -= x->content[c];
                }
            }
            master_keep_known(m, i, w->classes, x->content, p->class_count);
        }
    }
}

static void keep_contents(merging *k)
{
    const master *m = &k->small.m;
    const uint32_t n = k->kinds->count;
    double *copies = k->kinds->copies;
    for (uint32_t i = 0; i < m->column_count; i++) {
        const column *x = &m->columns[i];
        memset(copies, 0, n * sizeof *copies);
        for (uint32_t e = 0; e < x->count; e++)
            copies[m->entries[x->first + e].class_] = m->entries[x->first + e].copies;
        keep_merged(k, m->offers[x->offer]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (m->bought[i] == UINT32_MAX) continue;
        for (uint32_t q = 0; q < n; q++) copies[q] = (double)(int64_t)(m->content[(size_t)i * n + q] + 0.5);
        keep_merged(k, m->offers[m->bought[i]]);
    }
}

/* Merged prices that prove more are the best so far. */
static void take_prices(merging *k)
{
    master *m = &k->w->m;
    if (!(k->small.m.bound > m->bound)) return;
    m->bound = k->small.m.bound;
    for (uint32_t c = 0; c < m->problem->class_count; c++) m->best[c] = k->small.m.best[k->kinds->of[c]];
    master_price_choices(m, m->best);
}

/* The caps become fluid prices, raised as those of the merged classes were. */
static void raise_caps(merging *k)
{
    whole *w = k->w;
    master *m = &w->m;
    for (uint32_t c = 0; c < m->problem->class_count; c++) {
        uint32_t of = k->kinds->of[c];
        double now = k->small.m.best[of];
        m->tried[c] = k->fluid[of] > 0 ? k->before[c] * (now / k->fluid[of]) : now;
    }
    master_price_choices(m, m->tried);
    for (uint32_t c = 0; c < m->problem->class_count; c++) {
        if (m->tried[c] < m->best[c]) m->tried[c] = m->best[c];
    }
    w->rise = CAP;
    master_cap_at(m, m->tried, CAP);
    master_price_classes(m);
}

static bool raise_prices(merging *k)
{
    whole *w = k->w;
    if (!make_problem(k) || !solve_merged(k)) return false;
    take_prices(k);
    if (w->work >= w->most_work) return true;
    if (!group_offers(k)) return false;
    keep_contents(k);
    raise_caps(k);
    w->kinds = k->kinds;
    w->lowered_part = 1;
    w->next_lowered = w->work + w->work / FIRST_PART;
    return true;
}

__attribute__((cold)) bool merged_raise(whole *w)
{
    const bound_problem *p = w->m.problem;
    merging k = { .w = w, .a = &w->scratch };
    if (p->samples == NULL) return true;
    if (!find_kinds(&k)) return false;
    const uint64_t parts = p->class_count < FEW_CLASSES ? FEW_MORE_PARTS : MORE_PARTS;
    if (k.kinds->count * (parts + 1) > p->class_count * parts) return true;
    bool ok = raise_prices(&k);
    arena_free(&k.small.scratch);
    return ok;
}
