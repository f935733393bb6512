/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How cheap a cluster can be at most after so many evictions (spec cost.md §6, R-5). With prices y of pods that no launch beats
 * (bound.h), a node that goes costs what its pods are worth, and one that stays what it costs, less what the pods are worth that its free
 * space could take. A price on evictions makes the choice one of each node alone:
 *
 *     sum over nodes of min(price − V, Y + lambda × evictions) − lambda × k
 *
 * bounds every plan with k evictions, for every lambda ≥ 0 and for the prices y multiplied by any part of 1.
 */
#include <optimise/repack.h>

#include <base/bits.h>
#include <base/error.h>
#include <math.h>
#include <optimise/bound.h>
#include <schedule/relaxed.h>
#include <string.h>

enum { ROUNDS = 200, MOST_MIXES = 24, PART_STEPS = 12, PRICE_STEPS = 40, MOST_SIGNS = 64 };
#define TOLERANCE 0.002 /* of the fluid optimum */

typedef struct maker {
    repacking *r;
    relaxed question;
    bound_problem problem;
    bound_proof proof;
    double *worth; /* by class, $ */
    double *mixes; /* [mix * dims] */
    uint32_t mix_count;
    uint32_t *sign_of; /* by node row: rows that take the same classes … */
    uint32_t signs[MOST_SIGNS], sign_count; /* … and the first row of each */
    double *factors; /* [sign * mixes]: by what a mix has to be multiplied to pay for each class */
} maker;

static int64_t money_of(double dollars)
{
    double units = floor(dollars * MONEY_UNIT);
    return !(units > 0) ? 0 : units < (double)MONEY_MOST ? (int64_t)units : MONEY_MOST;
}

/* What launches cost at least for the pods that move: the prices y. */
static bool price_pods(maker *k)
{
    arena *a = &k->r->data;
    relaxed *q = &k->question;
    int64_t *costs = arena_array(a, q->offer_count + (size_t)1, sizeof *costs);
    k->worth = arena_array(a, q->class_count + (size_t)1, sizeof *k->worth);
    if (costs == NULL || k->worth == NULL) return false;
    for (uint32_t o = 0; o < q->offer_count; o++) costs[o] = money_of(q->offers[o].price + k->r->objective.node_cost);
    k->problem = (bound_problem){ .dims = q->dims,
                                  .class_count = q->class_count,
                                  .offer_count = q->offer_count,
                                  .requests = q->requests,
                                  .counts = q->counts,
                                  .limits = q->limits,
                                  .capacity = q->capacity,
                                  .costs = costs,
                                  .allowed = q->allowed };
    if (!bound_fluid(a, &k->problem, TOLERANCE, ROUNDS, &k->proof)) return false;
    for (uint32_t c = 0; c < q->class_count; c++) k->worth[c] = (double)k->proof.y[c] / MONEY_UNIT;
    return true;
}

/* ---- what free space is worth --------------------------------------------------------------------------------------------- */

/* Each resource alone, and as launches pay for them. */
static bool find_mixes(maker *k)
{
    uint32_t dims = k->question.dims, rows = k->proof.share_count;
    k->mixes = arena_array(&k->r->data, (dims + (size_t)MOST_MIXES) * dims + 1, sizeof *k->mixes);
    if (k->mixes == NULL) return false;
    for (uint32_t d = 0; d < dims; d++) k->mixes[(size_t)k->mix_count++ * dims + d] = 1;
    uint32_t step = rows / MOST_MIXES + 1;
    for (uint32_t i = 0; i < rows; i += step) {
        double *mix = k->mixes + (size_t)k->mix_count * dims;
        const int64_t *room = k->problem.capacity + (size_t)k->proof.of[i] * dims;
        bool some = false;
        for (uint32_t d = 0; d < dims; d++) {
            double share = (double)k->proof.shares[(size_t)i * dims + d];
            mix[d] = room[d] > 0 ? share / (double)room[d] : 0;
            some = some || mix[d] > 0;
        }
        k->mix_count += some;
    }
    return true;
}

static double factor_of(const maker *k, const uint64_t *classes, const double *mix)
{
    uint32_t dims = k->question.dims;
    double factor = 0;
    for (size_t c = bits_next(classes, k->question.class_count, 0); c < k->question.class_count;
         c = bits_next(classes, k->question.class_count, c + 1)) {
        double paid = 0;
        if (!(k->worth[c] > 0)) continue;
        for (uint32_t d = 0; d < dims; d++) paid += mix[d] * (double)k->question.requests[c * dims + d];
        if (!(paid > 0)) return HUGE_VAL;
        if (k->worth[c] / paid > factor) factor = k->worth[c] / paid;
    }
    return factor;
}

static void fill_factors(const maker *k, const uint64_t *classes, double *out)
{
    for (uint32_t m = 0; m < k->mix_count; m++) out[m] = factor_of(k, classes, k->mixes + (size_t)m * k->question.dims);
}

/* The most that pods could be worth which come to the node. */
static double value_of_space(const maker *k, const double *factors, const int64_t *left)
{
    double best = HUGE_VAL;
    for (uint32_t m = 0; m < k->mix_count; m++) {
        const double *mix = k->mixes + (size_t)m * k->question.dims;
        double paid = 0;
        for (uint32_t d = 0; d < k->question.dims; d++) paid += left[d] > 0 ? mix[d] * (double)left[d] : 0;
        if (factors[m] < HUGE_VAL && factors[m] * paid < best) best = factors[m] * paid;
    }
    return best * (1 + 1e-9);
}

static uint32_t sign_of(maker *k, uint32_t row)
{
    size_t words_ = bits_words(k->question.class_count);
    for (uint32_t i = 0; i < k->sign_count; i++) {
        if (bits_equal(k->question.allowed + (size_t)k->signs[i] * words_, k->question.allowed + row * words_, words_))
            return i;
    }
    if (k->sign_count == MOST_SIGNS) return MOST_SIGNS;
    k->signs[k->sign_count] = row;
    fill_factors(k, k->question.allowed + row * words_, k->factors + (size_t)k->sign_count * k->mix_count);
    return k->sign_count++;
}

/* By state node: what its free space is worth at most. */
static bool value_spaces(maker *k, double *values)
{
    size_t words_ = bits_words(k->question.class_count);
    k->factors = arena_array(&k->r->data, (MOST_SIGNS + (size_t)1) * k->mix_count + 1, sizeof *k->factors);
    if (k->factors == NULL) return false;
    for (uint32_t i = 0; i < k->question.node_count; i++) {
        uint32_t row = k->question.offer_count + i, sign = sign_of(k, row);
        double *factors = k->factors + (size_t)sign * k->mix_count;
        if (sign == MOST_SIGNS) fill_factors(k, k->question.allowed + row * words_, factors);
        values[k->question.nodes[i]] = value_of_space(k, factors,
                                                      k->question.capacity + (size_t)row * k->question.dims);
    }
    return true;
}

/* ---- the bound ------------------------------------------------------------------------------------------------------------------ */

/* For one part of y and the best price of an eviction. */
static double with_part(const repacking *r, double part, uint64_t evictions)
{
    const struct repack_bound *b = &r->bound;
    double low = 0, high = b->dearest, best = -HUGE_VAL;
    for (uint32_t turn = 0; turn < PRICE_STEPS; turn++) {
        double lambda = turn == 0 ? 0 : (low + high) / 2, sum = b->fixed - part * b->fixed_value, moved = 0;
        for (uint32_t i = 0; i < b->count; i++) {
            const struct bound_node *n = &b->nodes[i];
            double stays = n->price - part * n->space, goes = part * n->worth + lambda * n->evictions;
            sum += stays < goes ? stays : goes;
            if (goes < stays) moved += n->evictions;
        }
        sum -= lambda * (double)evictions;
        if (sum > best) best = sum;
        if (turn == 0 && moved <= (double)evictions) break;
        if (turn == 0) continue;
        if (moved > (double)evictions) low = lambda;
        else high = lambda;
    }
    return best;
}

double repack_bound_at(const repacking *r, uint64_t evictions)
{
    if (!r->bound.known) return 0;
    double low = 0, high = 1, best = 0;
    for (uint32_t turn = 0; turn < PART_STEPS; turn++) { /* the bound is concave in the part */
        double x = low + (high - low) / 3, y = high - (high - low) / 3;
        double at_x = with_part(r, x, evictions), at_y = with_part(r, y, evictions);
        if (at_x > best) best = at_x;
        if (at_y > best) best = at_y;
        if (at_x < at_y) low = x;
        else high = y;
    }
    double whole = with_part(r, 1, evictions);
    if (whole > best) best = whole;
    return best > 0 ? best * (1 - 1e-9) : 0;
}

/* The node as one that may go; false = some pod of it has no place anywhere. */
static bool add_node(repacking *r, const maker *k, const candidate *c, double space)
{
    struct bound_node *n = &r->bound.nodes[r->bound.count];
    *n = (struct bound_node){ .price = node_price(r->seen, &r->seen->nodes[c->node]) + r->objective.node_cost,
                              .space = space,
                              .evictions = c->moving_count };
    for (uint32_t i = 0; i < c->moving_count; i++) {
        uint32_t class_number = k->question.class_of[c->moving[i]];
        if (class_number == UINT32_MAX) return false;
        n->worth += k->worth[class_number];
    }
    n->worth *= 1 - 1e-9;
    if (n->evictions > 0 && n->price / n->evictions > r->bound.dearest) r->bound.dearest = n->price / n->evictions;
    r->bound.count++;
    return true;
}

bool repack_bound_make(repacking *r)
{
    struct repack_bound *b = &r->bound;
    maker k = { .r = r };
    double *values = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *values);
    bool *may_go = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *may_go);
    b->nodes = arena_array(&r->data, r->p.eligible_count + (size_t)1, sizeof *b->nodes);
    if (values == NULL || may_go == NULL || b->nodes == NULL || !relaxed_make(r->s, &r->data, r->steps, &k.question) ||
        !price_pods(&k) || !find_mixes(&k) || !value_spaces(&k, values))
        return false;
    for (uint32_t i = 0; i < r->p.eligible_count; i++) {
        const candidate *c = &r->p.candidates[r->p.eligible[i]];
        may_go[c->node] = add_node(r, &k, c, values[c->node]);
    }
    for (uint32_t i = 0; i < r->seen->node_count; i++) {
        if (may_go[i]) continue;
        b->fixed += node_price(r->seen, &r->seen->nodes[i]) + r->objective.node_cost;
        b->fixed_value += values[i];
    }
    b->known = true;
    return true;
}
