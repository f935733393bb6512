/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bound for whole pods. Fractions of pods make the fluid bound low where few pods fill a node, or where a node
 * can have only one of each kind. Here columns are whole contents. The highest worth of an offer's content is
 * computed by labels or by branch and bound (contents.h). Their number is limited, so the result may only be an upper
 * bound, which suffices for Farley's bound.
 *
 * The master problem starts with prices above those of the fluid bound, which are the caps. They are raised where they
 * are reached. So its prices are never far from the optimal ones, which saves most of the rounds.
 */
#include <optimise/branch.h>

#include <base/sort.h>
#include <math.h>
#include <string.h>

enum { COLUMN_ROUNDS = 32, WORK_A_BRANCH = 4096 };
/* every so many rounds the prices are close to the best, with this weight of the master's, which raises the bound
 * early: also where classes were merged because places differ, as prices are near the best ones there */
enum { DAMPED = 4, DAMPED_NEAR = 2 };
#define DAMPED_PART 0.25
#define DAMPED_NEAR_PART 0.1
/* the part of the gap below which it does not matter what contents are worth more than they cost */
#define SLACK 0.02
enum { LOWERED_CLASSES = 80, LOWERED_ROUNDS = 4 }; /* least for lowering prices */
#define LOWERED_PART 0.4 /* the first weight of the master's prices for it, and the least */
#define LEAST_LOWERED_PART 0.1
#define LOWERED_NEXT 1.15 /* after so many times the work it is tried again */
enum { PIVOT_PARTS = 32 }; /* numbers of the basis that a pivot changes in one unit of work */
#define LEAST_WORK ((uint64_t)FIRST_KEPT * CONTENTS_A_STEP) /* for a proof with charges */
#define LEAST_NODES 1e-6 /* fractions of nodes or pods that are smaller count as none */
#define CAP 1.1 /* the first caps, relative to the prices of the fluid bound */
#define LEAST_CAP                                                                                                      \
    0.5 /* the same where prices of a similar problem are known, relative to those on nodes of their own */
#define CAPS_RISE 1.3 /* most factor by which caps are raised */
#define CLOSE 1e-5 /* a gap between the master and the bound, relative to the bound, at which caps are raised */
#define MERGED_CLOSE 1e-3 /* a gap at which the prices of merged classes are good enough */
#define KINDS_CLOSE 2e-3 /* the gap at which caps that come from them are raised */

/* The work of so many steps; two such sums have no overflow. */
static uint64_t work_of(uint64_t steps)
{
    const uint64_t most = UINT64_MAX / 2 / CONTENTS_A_STEP;
    return (steps < most ? steps : most) * CONTENTS_A_STEP;
}

bool whole_init(whole *w, arena *a, const bound_problem *p, const bound_proof *from, uint64_t steps)
{
    *w = (whole){ .a = a, .rise = CAP, .thorough = true, .most_work = work_of(steps) };
    master *m = &w->m;
    arena *s = &w->scratch;
    arena_init(s, a->context);
    if (!master_init(m, s, p) || !master_choose_offers(m, s) || !master_knapsacks(m, s, COLUMN_ROUNDS, true))
        return false;
    w->order = arena_array(s, m->offer_count + (size_t)1, sizeof *w->order);
    w->ratios = arena_array(s, m->offer_count + (size_t)1, sizeof *w->ratios);
    w->known = arena_array(s, p->class_count + (size_t)1, sizeof *w->known);
    w->classes = arena_array(s, p->class_count + (size_t)1, sizeof *w->classes);
    if (w->order == NULL || w->ratios == NULL || w->classes == NULL || w->known == NULL ||
        !contents_init(&w->contents, s, p, m->sizes, CONTENTS_BRANCHES))
        return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        w->classes[c] = c;
        m->best[c] = (double)from->y[c] / MONEY_UNIT;
        m->bound += m->best[c] * (double)m->counts[c];
    }
    if (!master_keep_contents(m, s) || !master_start_capped(m, s, CAP) || !master_find_pairs(m, s)) return false;
    w->work = (uint64_t)p->class_count * p->class_count;
    master_price_classes(m);
    return true;
}

/* ---- pricing ----------------------------------------------------------------------------------------------------- */

static int by_ratio(uint32_t x, uint32_t y, const void *user)
{
    const double *ratios = user;
    if (ratios[x] < ratios[y] || ratios[x] > ratios[y]) return ratios[x] > ratios[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* Whether prices are near the best ones, as those of merged classes are, or places differ, so that they need not be. */
static bool near_best(const whole *w) { return w->merged || w->kinds != NULL; }

static double per_dollar(double worth, double price) { return price > 0 ? worth / price : worth > 0 ? HUGE_VAL : 0; }

bool whole_fractions(whole *w)
{
    master *m = &w->m;
    const bound_problem *p = m->problem;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        knapsack *k = &m->knapsacks[i];
        k->worth = m->tried;
        uint32_t steps = knapsack_solve(k);
        w->work += (steps + (size_t)1) * (k->count + k->dims);
        w->order[i] = i;
        w->ratios[i] = per_dollar(k->value, m->prices[m->offers[i]]);
        if (!master_worked(w->a, p, (steps + (size_t)1) * p->dims)) return false;
    }
    return sort_ids(w->a->context, w->order, m->offer_count, by_ratio, w->ratios);
}

uint32_t whole_branches(const whole *w)
{
    uint64_t branches = w->work / WORK_A_BRANCH;
    return branches < FEW_BRANCHES        ? FEW_BRANCHES
           : branches < CONTENTS_BRANCHES ? (uint32_t)branches
                                          : CONTENTS_BRANCHES;
}

bool whole_solve(whole *w, uint32_t place, const double *worth, double enough, uint32_t branches)
{
    const master *m = &w->m;
    bool ok = contents_solve(&w->contents, m->offers[place], worth, enough, branches);
    w->work += w->contents.steps;
    return ok;
}

void whole_keep(whole *w, uint32_t place, const double *copies, bool mirror)
{
    master_keep(&w->m, place, w->classes, copies, w->m.problem->class_count);
    if (w->kinds != NULL && mirror) merged_mirror(w, place, copies);
}

/* Keeps the best contents that were found as columns. */
static void keep_contents(whole *w, uint32_t place)
{
    contents *x = &w->contents;
    uint32_t count = 0;
    do whole_keep(w, place, x->copies, count < MIRRORED);
    while (++count < CONTENTS_KEPT && contents_next(x));
}

bool whole_price(whole *w, double *worst)
{
    master *m = &w->m;
    bool exact = m->problem->class_count >= LOWERED_CLASSES && w->thorough && near_best(w) && m->rounds > 0 &&
                 m->bound > 0 && m->cost > m->bound;
    double most = exact ? 1 + SLACK * (m->cost / m->bound - 1) : 0;
    if (!whole_fractions(w)) return false;
    const uint32_t thorough = w->thorough ? whole_branches(w) : FEW_BRANCHES;
    w->found = 0;
    for (uint32_t n = 0; n < m->offer_count; n++) {
        uint32_t i = w->order[n], few = w->wants_bound && w->work >= w->most_work ? FEW_BRANCHES : thorough;
        uint32_t branches = w->ratios[i] > most ? few : 1;
        double price = m->prices[m->offers[i]];
        if (w->ratios[i] <= most && w->ratios[i] <= 1) break;
        if (!whole_solve(w, i, m->tried, most * price, branches)) return false;
        double ratio = per_dollar(w->contents.at_most, price);
        if (branches > 1 && ratio > most) most = ratio;
        master_drop_columns(m);
        uint32_t had = m->column_count;
        keep_contents(w, i);
        w->found += m->column_count - had;
    }
    *worst = most;
    return true;
}

/* Prices the offers, and keeps the prices if they prove more. */
static bool price_offers(whole *w)
{
    master *m = &w->m;
    const bound_problem *p = m->problem;
    double most, total = 0;
    for (uint32_t c = 0; c < p->class_count; c++) total += m->tried[c] * (double)m->counts[c];
    if (!whole_price(w, &most)) return false;
    /* A gain that rounding could undo is none, so that more effort never lowers the bound. */
    if (!(most > 0) || !(total / most > m->bound * (1 + WHOLE_TOLERANCE))) return true;
    m->bound = total / most;
    for (uint32_t c = 0; c < p->class_count; c++) m->best[c] = m->tried[c] / most;
    return true;
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */

/* Replaces copies of a class in patterns by another class that takes its place, for so many pods in all. Returns how
 * many are left. */
static double swap_copies(bound_patterns *out, size_t classes, uint32_t small, uint32_t large, double pods)
{
    for (uint32_t i = 0, n = out->count; i < n && pods > LEAST_NODES; i++) {
        uint32_t *copies = out->copies + i * classes;
        double nodes = out->nodes[i], each = copies[large];
        if (!(each > 0) || !(nodes > LEAST_NODES)) continue;
        if (nodes > pods / each && out->count == PATTERNS_A_CLASS * (classes + 1)) return pods;
        if (nodes > pods / each) { /* the others stay as they are */
            memcpy(out->copies + out->count * classes, copies, classes * sizeof *copies);
            out->offer[out->count] = out->offer[i];
            out->nodes[out->count++] = nodes - pods / each;
            out->nodes[i] = nodes = pods / each;
        }
        copies[small] += copies[large];
        copies[large] = 0;
        pods -= nodes * each;
    }
    return pods;
}

/* Gives the pods that take the place of others their places. A pod may take the place of one that has taken another's,
 * so this is repeated. */
static void swap_all(whole *w, bound_patterns *out)
{
    master *m = &w->m;
    size_t classes = m->problem->class_count;
    bool any = true;
    for (uint32_t round = 0; any && round < classes; round++) {
        any = false;
        for (size_t i = 0; i < classes; i++) {
            const double *content = m->content + i * classes;
            uint32_t large = 0;
            if (m->swapped[i] == UINT32_MAX || !(m->level[i] > LEAST_NODES)) continue;
            while (large < classes && !(content[large] < 0)) large++;
            double left = large < classes ? swap_copies(out, classes, m->swapped[i], large, m->level[i]) : 0;
            any = any || left < m->level[i];
            m->level[i] = left;
        }
    }
}

/* The solution of the master problem as patterns. */
static bool list_patterns(whole *w, arena *a, bound_patterns *out)
{
    const master *m = &w->m;
    size_t classes = m->problem->class_count, n = PATTERNS_A_CLASS * (classes + 1);
    out->offer = arena_array(a, n, sizeof *out->offer);
    out->nodes = arena_array(a, n, sizeof *out->nodes);
    out->copies = arena_array(a, n * (classes + 1), sizeof *out->copies);
    out->worth = arena_copy(a, m->best, classes * sizeof *m->best);
    if (out->offer == NULL || out->nodes == NULL || out->copies == NULL || out->worth == NULL) return false;
    for (size_t i = 0; i < classes; i++) {
        if (m->bought[i] == UINT32_MAX || !(m->level[i] > LEAST_NODES)) continue;
        const double *content = m->content + i * classes;
        for (size_t c = 0; c < classes; c++) out->copies[out->count * classes + c] = (uint32_t)(content[c] + 0.5);
        out->offer[out->count] = m->offers[m->bought[i]];
        out->nodes[out->count++] = m->level[i];
    }
    memcpy(w->known, m->level, classes * sizeof *m->level);
    swap_all(w, out);
    memcpy(m->level, w->known, classes * sizeof *m->level);
    return true;
}

/* Copies the patterns for the trail. Those of merged classes are listed for each place that has such an offer. */
static bool copy_patterns(whole *w, const bound_patterns *from, bound_patterns *out)
{
    const bound_problem *p = w->m.problem;
    const size_t classes = p->class_count, wide = w->merged ? w->trail_classes : classes;
    size_t count = from->count;
    for (uint32_t i = 0; w->merged && i < from->count; i++) {
        for (uint32_t o = 0; o < p->offer_count; o++)
            count += o != from->offer[i] && same_capacity(p, o, from->offer[i]);
    }
    *out = (bound_patterns){ .offer = arena_array(w->a, count + 1, sizeof *out->offer),
                             .copies = arena_array(w->a, count * wide + 1, sizeof *out->copies) };
    if (out->offer == NULL || out->copies == NULL) return false;
    for (uint32_t i = 0; i < from->count; i++) {
        for (uint32_t o = 0; o < p->offer_count; o++) {
            if (o != from->offer[i] && !(w->merged && same_capacity(p, o, from->offer[i]))) continue;
            uint32_t *copies = out->copies + out->count * wide;
            for (size_t c = 0; c < classes; c++) copies[w->merged ? w->first_of[c] : c] = from->copies[i * classes + c];
            out->offer[out->count++] = o;
        }
    }
    return true;
}

/* Lists the solution for the stops that are passed. false = out of memory. */
static bool list_stops(whole *w, bool all)
{
    for (; w->trail != NULL && w->passed < w->trail->count; w->passed++) {
        if (!all && w->work < w->trail->stops[w->passed] * CONTENTS_A_STEP) return true;
        bound_patterns now = { .count = 0 }, *out = &w->trail->at[w->passed];
        arena_mark mark = arena_get_mark(&w->scratch);
        if (!list_patterns(w, &w->scratch, &now)) return false;
        if (!copy_patterns(w, &now, out)) return false;
        arena_release(&w->scratch, mark);
    }
    return true;
}

/* Keeps the best prices if a stop is passed, or at the end if they cannot become better. So more effort keeps the same
 * prices, and more. false = out of memory. */
__attribute__((cold)) static bool keep_prices(whole *w, bool all)
{
    size_t bytes = w->m.problem->class_count * sizeof *w->m.best;
    uint32_t n = w->kept_count;
    if (w->next_kept == 0 || (!all && w->work < w->next_kept * CONTENTS_A_STEP)) return true;
    while (w->next_kept * CONTENTS_A_STEP <= w->work) w->next_kept *= 10;
    if (n == MOST_KEPT || (n > 0 && memcmp(w->kept[n - 1], w->m.best, bytes) == 0)) return true;
    w->kept[n] = arena_copy(&w->scratch, w->m.best, bytes);
    w->kept_work[w->kept_count++] = w->work > LEAST_WORK ? w->work : LEAST_WORK;
    return w->kept[n] != NULL;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* Raises the caps that are reached; false = there are none. */
static bool raise_caps(whole *w)
{
    if (!master_raise_caps(&w->m, w->rise)) return false;
    w->rise = w->rise * w->rise < CAPS_RISE ? w->rise * w->rise : CAPS_RISE;
    return true;
}

/* Whether to go on: raises caps if the prices are nearly the best below them. */
static bool goes_on(whole *w)
{
    master *m = &w->m;
    if (m->cost - m->bound < (w->kinds != NULL ? KINDS_CLOSE : CLOSE) * m->bound) (void)raise_caps(w);
    /* known prices hold although some pods cost more than those whose places they can take */
    if (w->continues && m->cost < m->bound * (1 - CLOSE)) return w->work < w->most_work && master_drop_pairs(m);
    return w->work < w->most_work && m->cost - m->bound > (w->merged ? MERGED_CLOSE : WHOLE_TOLERANCE) * m->bound;
}

/* With many classes the bound follows the master's cost slowly, as there is always some content that is worth too much.
 * Then prices between the best and the master's are lowered until there is none. *raised: that raised the bound. */
static bool lower_prices(whole *w, bool *raised)
{
    master *m = &w->m;
    double before = m->bound;
    if (!(w->lowered_part > 0)) w->lowered_part = LOWERED_PART;
    master_choose_prices(m, w->lowered_part);
    if (!whole_lower(w)) return false;
    *raised = m->bound > before;
    w->lowered_part *= *raised ? 2 : 0.5;
    if (w->lowered_part > 1) w->lowered_part = 1;
    if (w->lowered_part < LEAST_LOWERED_PART) w->lowered_part = LEAST_LOWERED_PART;
    w->next_lowered = (uint64_t)((double)w->work * LOWERED_NEXT);
    w->found = 1; /* perhaps */
    return true;
}

/* One round: chooses prices, and prices the offers. *enough: merged classes have good prices now. */
static bool price_round(whole *w, bool *enough)
{
    master *m = &w->m;
    *enough = false;
    if (near_best(w) && w->work >= w->next_lowered && m->rounds >= LOWERED_ROUNDS &&
        m->problem->class_count >= LOWERED_CLASSES) {
        bool raised, ok = lower_prices(w, &raised);
        *enough = ok && raised && w->places_differ;
        return ok;
    }
    bool near = near_best(w), damped = w->wants_bound && m->rounds % (near ? DAMPED_NEAR : DAMPED) == 0;
    master_choose_prices(m, !damped ? 1 : near ? DAMPED_NEAR_PART : DAMPED_PART);
    w->thorough = damped || !w->wants_bound;
    if (!price_offers(w)) return false;
    if (w->found > 0 || !w->wants_bound) return true;
    master_choose_prices(m, 1);
    w->thorough = true;
    return price_offers(w);
}

/* Runs rounds until no column is found, then raises the caps, or else lets no class take the place of another. */
bool whole_generate(whole *w)
{
    master *m = &w->m;
    const uint32_t classes = m->problem->class_count;
    bool limited = true, enough = false;
    if (w->continues && !master_use_columns(m, w->a, &limited)) return false;
    master_choose_prices(m, w->continues ? 1 : 0);
    if (!price_offers(w)) return false;
    while (limited) {
        if (!list_stops(w, false) || !keep_prices(w, false)) return false;
        if (!goes_on(w)) break;
        uint32_t had = m->column_count, pivots = m->pivots;
        if (!master_use_columns(m, w->a, &limited)) return false;
        w->work += (uint64_t)(had + 1) * classes + (uint64_t)(m->pivots - pivots) * classes * classes / PIVOT_PARTS;
        if (!price_round(w, &enough)) return false;
        if (enough) break;
        if (w->found == 0 && !raise_caps(w) && !master_drop_pairs(m) && whole_branches(w) == CONTENTS_BRANCHES) break;
    }
    if (w->merged) return true;
    return list_stops(w, true) && (w->work >= w->most_work || keep_prices(w, true));
}

/* Makes a proof from the prices that were found, if they prove a better bound. */
static bool find_whole(whole *w, bound_proof *out)
{
    double before = w->m.bound;
    if (!merged_raise(w) || !whole_generate(w)) return false;
    w->contents.capacity = whole_branches(w); /* as many as the prices were found with */
    bool ok = !(w->m.bound > before) || prove_contents(&w->m, &w->contents, w->a, out);
    w->contents.capacity = CONTENTS_BRANCHES;
    return ok;
}

/* Proofs with charges from the prices that were kept. Each may take as long as the prices took. */
__attribute__((cold)) static bool prove_kept(whole *w, bound_charges *out)
{
    for (uint32_t i = 0; i < w->kept_count; i++) {
        bound_proof *proof = &out->proofs[out->count];
        memcpy(w->m.best, w->kept[i], w->m.problem->class_count * sizeof *w->m.best);
        if (!prove_charges(&w->m, &w->contents, &w->kept_work[i], w->a, proof)) return false;
        out->count += proof->y != NULL;
    }
    return true;
}

bool bound_whole(arena *a, const bound_problem *p, const bound_proof *from, uint64_t steps, bound_trail *trail,
                 bound_charges *charges, bound_proof *out)
{
    whole w;
    *out = (bound_proof){ .y = NULL };
    if (steps == 0 || p->class_count == 0 || p->offer_count == 0 || p->dims > CASES_DIMS) return true;
    bool ok = whole_init(&w, a, p, from, steps);
    w.trail = trail;
    w.wants_bound = true;
    w.next_kept = charges != NULL ? FIRST_KEPT : 0;
    if (charges != NULL) w.most_work += work_of(charges->tree_steps); /* what prices leave is for the tree */
    ok = ok && find_whole(&w, out) && prove_kept(&w, charges) &&
         (charges == NULL || charges->tree_steps == 0 || branch_grow(&w, charges));
    arena_free(&w.scratch);
    return ok;
}

/* Adds the known contents as columns. */
static void keep_known(whole *w, const bound_patterns *known)
{
    master *m = &w->m;
    uint32_t classes = m->problem->class_count;
    for (uint32_t i = 0; i < known->count; i++) {
        const uint32_t *copies = known->copies + (size_t)i * classes;
        for (uint32_t c = 0; c < classes; c++) w->known[c] = copies[c];
        (known->holds ? master_keep_known : master_keep)(m, m->replaced_by[known->offer[i]], w->classes, w->known,
                                                         classes);
    }
}

__attribute__((cold)) bool bound_find_patterns(arena *a, const bound_problem *p, const bound_proof *from,
                                               const bound_patterns *known, uint64_t steps, bound_patterns *out)
{
    whole w;
    *out = (bound_patterns){ .count = 0 };
    if (p->class_count == 0 || p->offer_count == 0) return true;
    bool ok = whole_init(&w, a, p, from, steps);
    w.continues = known != NULL && known->holds;
    if (ok && w.continues) master_lift_caps(&w.m, LEAST_CAP);
    if (ok && known != NULL) keep_known(&w, known);
    ok = ok && whole_generate(&w) && list_patterns(&w, a, out);
    arena_free(&w.scratch);
    return ok;
}
