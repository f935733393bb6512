/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns prices that hold for whole contents into a proof in integers: the branches or labels by which each offer was
 * solved become its cases.
 */
#include <optimise/contents.h>

#include <math.h>
#include <model/store.h>
#include <string.h>

enum { NODE_BRANCHES = 64, LOOSE_BRANCHES = 512 }; /* most branches for an existing node */
#define ROUNDED 4e-12 /* largest rounding error of sums of doubles */
#define LOOSE 0.001 /* where the most that is known is so much more than what was found, it is looked for again */
#define LESS 0.9999 /* whole pods can use so much of what fractions can: then the fractions are enough */

/* A node that is worth less than it costs may be charged more than it is worth by a part of what it lacks. */
#define LOST_PART 0.02
#define LEAST_LOST 0.0025

/* The cases of all rows, in the order in which they are found. */
typedef struct prover {
    master *m;
    contents *x;
    arena *a; /* for the proof */
    bool charges; /* the charges of offers are wanted */
    uint64_t work, most_work; /* operations for the contents of offers */
    double *at_most; /* by offer: the most that a content is worth */
    LIST_OF(proof_case) cases;
    LIST_OF(int64_t) shares;
} prover;

static bool add_case(prover *w, uint32_t class_, int64_t copies, const double *shares)
{
    karp_context *context = w->a->context;
    proof_case *slot = list_push(context, &w->cases, sizeof *slot);
    if (slot == NULL) return false;
    *slot = (proof_case){ class_, copies };
    for (uint32_t d = 0; d < w->m->problem->dims; d++) {
        int64_t *share = list_push(context, &w->shares, sizeof *share);
        if (share == NULL) return false;
        *share = shares != NULL ? money_of(shares[d]) : 0;
    }
    return true;
}

/* Adds a leaf whose contents are looked at, with the prices of the labels. */
static bool add_contents(prover *w)
{
    const labels *x = &w->x->labels;
    const bound_problem *p = w->m->problem;
    const int64_t *capacity = p->capacity + (size_t)w->x->row * p->dims;
    double shares[CASES_DIMS];
    for (uint32_t v = 0; v < x->price_count; v++) {
        for (uint32_t d = 0; d < p->dims; d++)
            shares[d] = capacity[d] > 0 ? x->rates[(size_t)v * p->dims + d] * (double)capacity[d] : 0;
        if (!add_case(w, CASE_CONTENTS, v == 0 ? x->price_count : 0, shares)) return false;
    }
    return true;
}

/* Adds the branches of the row that was solved last. */
static bool add_cases(prover *w)
{
    if (w->x->by_labels) return add_contents(w);
    uint32_t next[CASES_DEEP + 2], count = 1;
    next[0] = 0;
    while (count > 0) {
        uint32_t number = next[--count];
        const branch *b = &w->x->branches[number];
        if (b->below == 0) {
            if (!add_case(w, CASE_LEAF, 0, w->x->shares + (size_t)number * w->m->problem->dims)) return false;
            continue;
        }
        if (!add_case(w, b->split, w->x->branches[b->below].high, NULL)) return false;
        next[count++] = b->below + 1;
        next[count++] = b->below;
    }
    return true;
}

/* Solves the row at the best prices. */
static bool solve_row(prover *w, uint32_t row, double enough, uint32_t branches)
{
    bool ok = contents_solve(w->x, row, w->m->best, enough, branches);
    w->work += w->x->steps;
    return ok;
}

/* The most that a content of the offer is worth, for its charge. That is not looked for more thoroughly than it
 * matters: the less it is worth for its price, the less exactly. */
static bool solve_charge(prover *w, uint32_t offer)
{
    static const uint32_t branches[] = { 1, CONTENTS_BRANCHES / 64, CONTENTS_BRANCHES };
    double price = w->m->prices[offer];
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        if (!solve_row(w, offer, 0, branches[i])) return false;
        double lost = 1 - w->x->at_most / price, enough = lost > LEAST_LOST ? lost * LOST_PART : LEAST_LOST * LOST_PART;
        if (w->x->value >= w->x->at_most * (1 - enough)) break;
    }
    return true;
}

/* The cases of every offer. *worst: the highest worth of a content per dollar. */
static bool solve_offers(prover *w, bound_proof *out, double *worst)
{
    const master *m = w->m;
    *worst = 0;
    for (uint32_t i = 0; i < m->offer_count && w->work <= w->most_work; i++) {
        double price = m->prices[m->offers[i]];
        out->first_case[i] = (uint32_t)w->cases.count;
        if (w->charges && price > 0 ? !solve_charge(w, m->offers[i])
                                    : !solve_row(w, m->offers[i], w->charges ? 0 : price, CONTENTS_BRANCHES))
            return false;
        w->at_most[i] = w->x->at_most;
        double ratio = price > 0 ? w->x->at_most / price : w->x->at_most > 0 ? HUGE_VAL : 0;
        if (ratio > *worst) *worst = ratio;
        if (!add_cases(w)) return false;
    }
    return true;
}

/* The cases of existing nodes, whose charges are kept as a share. */
static bool solve_nodes(prover *w, bound_proof *out, double factor)
{
    const bound_problem *p = w->m->problem;
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t row = p->offer_count + i, at = w->m->offer_count + i;
        out->first_case[at] = (uint32_t)w->cases.count;
        if (!solve_row(w, row, 0, NODE_BRANCHES)) return false;
        bool loose = w->charges && p->removable != NULL && w->x->value < w->x->at_most * (1 - LOOSE);
        if (loose && !solve_row(w, row, 0, LOOSE_BRANCHES)) return false;
        if (!(w->x->at_most < (p->removable != NULL ? 1 : LESS) * w->x->branches[0].at_most)) continue;
        out->of[at] = row;
        out->shares[(size_t)at * p->dims] = money_of(w->x->at_most * factor * (1 + ROUNDED)) + 1;
        if (!add_cases(w)) return false;
    }
    out->first_case[out->share_count] = (uint32_t)w->cases.count;
    return true;
}

/* A single case becomes a row as in the fluid proof, with shares and extras. */
static void plain_row(const bound_problem *p, bound_proof *out, uint32_t at)
{
    const int64_t *shares = out->case_shares + (size_t)out->first_case[at] * p->dims;
    memcpy(out->shares + (size_t)at * p->dims, shares, p->dims * sizeof *shares);
    for (uint32_t c = 0; c < p->class_count; c++) {
        if (bound_copies(p, out->of[at], c) == 0) continue;
        int64_t paid = prove_paid(p, out->of[at], shares, c);
        out->extra[(size_t)at * p->class_count + c] = out->y[c] > paid ? out->y[c] - paid : 0;
    }
}

/* Adds the cases to the proof, except for rows with a single leaf with shares. */
static bool take_cases(prover *w, bound_proof *out)
{
    const bound_problem *p = w->m->problem;
    uint32_t dims = p->dims, count = 0;
    out->cases = arena_copy(w->a, w->cases.items, w->cases.count * sizeof *out->cases);
    out->case_shares = arena_copy(w->a, w->shares.items, w->shares.count * sizeof *out->case_shares);
    if (out->cases == NULL || out->case_shares == NULL) return false;
    for (uint32_t i = 0; i < out->share_count; i++) {
        uint32_t first = out->first_case[i], cases = out->first_case[i + 1] - first;
        bool plain = cases == 1 && w->cases.items[first].class_ == CASE_LEAF;
        if (plain) plain_row(p, out, i);
        out->first_case[i] = count;
        if (cases == 0 || plain) continue;
        memmove(out->cases + count, out->cases + first, cases * sizeof *out->cases);
        memmove(out->case_shares + (size_t)count * dims, out->case_shares + (size_t)first * dims,
                (size_t)cases * dims * sizeof *out->case_shares);
        count += cases;
    }
    out->first_case[out->share_count] = count;
    return true;
}

/* Converts everything to integers, scaled to what the offers bear. The price of a pod is reduced by the rounding
 * losses of its charges. */
__attribute__((cold)) static bool prove(prover *w, bound_proof *out)
{
    master *m = w->m;
    const bound_problem *p = m->problem;
    double worst;
    if (!prove_begin(m, w->a, out)) return false;
    out->first_case = arena_array(w->a, out->share_count + (size_t)2, sizeof *out->first_case);
    w->at_most = arena_array(w->a, m->offer_count + (size_t)1, sizeof *w->at_most);
    if (out->first_case == NULL || w->at_most == NULL || !solve_offers(w, out, &worst)) return false;
    if (w->work > w->most_work) {
        out->y = NULL;
        return true;
    }
    double factor = worst > 0 ? (1 - ROUNDED) / worst : 0;
    for (uint32_t i = 0; w->charges && i < m->offer_count; i++)
        out->shares[(size_t)i * p->dims] = money_of(w->at_most[i] * factor * (1 + ROUNDED)) + 1;
    if (!solve_nodes(w, out, factor)) return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        int64_t y = money_of(m->best[c] * factor) - p->dims - 2;
        out->y[c] = y > 0 ? y : 0;
    }
    prove_choices(p, out->y);
    for (size_t i = 0; i < w->shares.count; i++) w->shares.items[i] = (int64_t)((double)w->shares.items[i] * factor);
    return take_cases(w, out) && prove_nodes(m, w->a, out);
}

/* Classes that fit no offer, or that a node can have any number of, get the price 0. */
static void drop_worthless(master *m)
{
    const bound_problem *p = m->problem;
    for (uint32_t c = 0; c < p->class_count; c++) {
        bool worth = false, any = false;
        for (uint32_t i = 0; i < m->offer_count; i++) {
            int64_t copies = bound_copies(p, m->offers[i], c);
            worth = worth || copies > 0;
            any = any || copies == COPIES_ANY;
        }
        if (!worth || any) m->best[c] = 0;
    }
    master_price_choices(m, m->best);
}

__attribute__((cold)) static bool prove_with(prover *w, bound_proof *out)
{
    drop_worthless(w->m);
    bool ok = prove(w, out);
    list_free(w->a->context, &w->cases, sizeof *w->cases.items);
    list_free(w->a->context, &w->shares, sizeof *w->shares.items);
    return ok;
}

bool prove_contents(master *m, contents *x, arena *a, bound_proof *out)
{
    return prove_with(&(prover){ .m = m, .x = x, .a = a, .most_work = UINT64_MAX }, out);
}

bool prove_charges(master *m, contents *x, uint64_t *work, arena *a, bound_proof *out)
{
    prover w = { .m = m, .x = x, .a = a, .charges = true, .most_work = *work };
    bool ok = prove_with(&w, out);
    *work -= w.work < *work ? w.work : *work;
    return ok;
}
