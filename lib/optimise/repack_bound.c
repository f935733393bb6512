/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lower bound on the cost of a cluster after a number of evictions. Prices y of pods are given
 * that no launch can beat (bound.h). A removed node contributes at least the worth Y of its pods. A node that stays
 * contributes its price minus V, the most that pods placed in its free space can be worth. With a price lambda on
 * evictions, each node can be considered separately:
 *
 *     sum over nodes of min(price − V, Y + lambda × evictions) − lambda × k
 *
 * This is a bound on every plan with k evictions, for every lambda ≥ 0, and for the prices y multiplied by any factor
 * up to 1.
 */
#include <optimise/repack.h>

#include <base/bits.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 200, MOST_MIXES = 24, PART_STEPS = 12, PRICE_STEPS = 40, MOST_SIGNS = 64, MOST_PAIRS = 1 << 23 };
#define TOLERANCE 0.002 /* relative to the fluid optimum */

/* For many nodes with many classes of pods: the worth of their free space, without a proof. */
typedef struct maker {
    repacking *r;
    relaxed question;
    bound_problem problem;
    bound_proof proof;
    double *worth; /* by class, in dollars */
    double *mixes; /* [mix * dims] */
    uint32_t mix_count;
    uint32_t *sign_of; /* by node row: its sign; rows of one sign accept the same classes */
    uint32_t signs[MOST_SIGNS], sign_count; /* the first row of each sign */
    double *factors; /* [sign * mixes]: the factor by which a mix must be multiplied to bear the price of each class */
} maker;

static double in_dollars(amount units) { return amount_double(units) / (MONEY_UNIT / 1e9); }

/* ---- the worth of free space ------------------------------------------------------------------------------------- */

/* Mixes of resource prices: each resource alone, and the proportions that launches pay. */
static bool find_mixes(maker *k)
{
    uint32_t dims = k->question.dims, rows = k->proof.share_count;
    k->mixes = arena_array(&k->r->data, (dims + (size_t)MOST_MIXES) * dims + 1, sizeof *k->mixes);
    if (k->mixes == NULL) return false;
    for (uint32_t d = 0; d < dims; d++) k->mixes[(size_t)k->mix_count++ * dims + d] = 1;
    uint32_t step = rows / MOST_MIXES + 1;
    for (uint32_t i = 0; i < rows; i += step) {
        double *mix = k->mixes + (size_t)k->mix_count * dims;
        const int64_t *space = k->problem.capacity + (size_t)k->proof.of[i] * dims;
        bool some = false;
        for (uint32_t d = 0; d < dims; d++) {
            double share = (double)k->proof.shares[(size_t)i * dims + d];
            mix[d] = space[d] > 0 ? share / (double)space[d] : 0;
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

/* An upper bound on the worth of pods placed on the node. */
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

/* By node: an upper bound on the worth of its free space. */
static bool value_spaces(maker *k, amount *values)
{
    size_t words_ = bits_words(k->question.class_count);
    const bound_problem *p = &k->problem;
    k->worth = arena_array(&k->r->data, p->class_count + (size_t)1, sizeof *k->worth);
    if (k->worth == NULL || !find_mixes(k)) return false;
    for (uint32_t c = 0; c < p->class_count; c++) k->worth[c] = (double)k->proof.y[c] / MONEY_UNIT;
    k->factors = arena_array(&k->r->data, (MOST_SIGNS + (size_t)1) * k->mix_count + 1, sizeof *k->factors);
    if (k->factors == NULL) return false;
    for (uint32_t i = 0; i < k->question.node_count; i++) {
        uint32_t row = k->question.offer_count + i, sign = sign_of(k, row);
        double *factors = k->factors + (size_t)sign * k->mix_count;
        if (sign == MOST_SIGNS) fill_factors(k, k->question.allowed + row * words_, factors);
        double value = value_of_space(k, factors, k->question.capacity + (size_t)row * k->question.dims);
        values[i] = amount_from(money_of(value) + 1);
    }
    return true;
}

/* ---- the bound --------------------------------------------------------------------------------------------------- */

/* The bound for one factor of y and the best price of an eviction. */
static double with_part(const struct repack_bound *b, double part, uint64_t evictions, double *price)
{
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
        if (sum > best) best = sum, *price = lambda;
        if (turn == 0 && moved <= (double)evictions) break;
        if (turn == 0) continue;
        if (moved > (double)evictions) low = lambda;
        else high = lambda;
    }
    return best;
}

/* The bound that the prices prove, in integers. */
static bool add_part(amount a, int64_t by, amount *sum)
{
    amount product;
    return amount_mul(a, (uint64_t)by, &product) && amount_add(*sum, product, sum);
}

static bool take_part(amount a, int64_t by, amount *sum)
{
    amount product;
    return amount_mul(a, (uint64_t)by, &product) && amount_sub(*sum, product, sum);
}

bool repack_bound_proves(const struct repack_bound *b, const karp_certificate_point *point, int64_t *value)
{
    amount sum = amount_from(0), quotient;
    bool ok = point->evictions <= INT64_MAX && add_part(b->fixed_units, KARP_CERTIFICATE_WHOLE, &sum) &&
              take_part(b->fixed_space, point->part, &sum);
    for (uint32_t i = 0; ok && i < b->count; i++) {
        const struct bound_node *n = &b->nodes[i];
        amount stays = amount_from(0), goes = amount_from(0), evicted;
        ok = amount_mul(amount_from(point->eviction_price), n->evictions, &evicted) &&
             add_part(amount_from(n->cost), KARP_CERTIFICATE_WHOLE, &stays) &&
             take_part(n->space_units, point->part, &stays) && add_part(n->worth_units, point->part, &goes) &&
             add_part(evicted, KARP_CERTIFICATE_WHOLE, &goes) && amount_add(sum, amount_min(stays, goes), &sum);
    }
    amount allowed;
    ok = ok && amount_mul(amount_from(point->eviction_price), point->evictions, &allowed) &&
         take_part(allowed, KARP_CERTIFICATE_WHOLE, &sum);
    *value = 0;
    if (!ok) return false;
    if (amount_sign(sum) <= 0) return true;
    uint64_t rest;
    amount_divide(sum, KARP_CERTIFICATE_WHOLE, &quotient, &rest);
    if (!amount_scale(quotient, amount_from(1), value)) *value = INT64_MAX;
    return true;
}

static double exact_bound(repacking *r, const struct repack_bound *b, uint64_t evictions, double part, double price)
{
    karp_certificate_point point = { .evictions = evictions,
                                     .part = (int64_t)(part * KARP_CERTIFICATE_WHOLE + 0.5),
                                     .eviction_price = money_of(price) };
    if (!repack_bound_proves(b, &point, &point.value)) return 0;
    bool listed = r->options.certificate && b == &r->bound;
    karp_certificate_point *slot = listed ? list_push(r->context, &r->proven, sizeof *slot) : NULL;
    if (slot != NULL) *slot = point;
    else if (listed) r->refused = true;
    return (double)point.value / MONEY_UNIT;
}

double repack_bound_best(const struct repack_bound *b, uint64_t evictions, double *best_part, double *best_price)
{
    double low = 0, high = 1, best = 0, at_x = 0, price = 0;
    *best_part = *best_price = 0;
    for (uint32_t turn = 0; turn <= 2 * PART_STEPS; turn++) { /* the bound is concave in the factor */
        double x = low + (high - low) / 3, y = high - (high - low) / 3;
        double part = turn == 0 ? 1 : turn % 2 != 0 ? x : y;
        double value = with_part(b, part, evictions, &price);
        if (value > best) best = value, *best_part = part, *best_price = price;
        if (turn == 0 || turn % 2 != 0) {
            at_x = value;
            continue;
        }
        if (at_x < value) low = x;
        else high = y;
    }
    return best;
}

double repack_bound_at(repacking *r, uint64_t evictions)
{
    const struct repack_bound *b = evictions > r->tuned_for ? &r->untuned : &r->bound;
    if (!b->known) return 0;
    double part, price, best = repack_bound_best(b, evictions, &part, &price);
    if (b->exact) return exact_bound(r, b, evictions, part, price);
    return best > 0 ? best * (1 - 1e-9) : 0;
}

/* Adds the node as one that can be removed; false = some pod of it cannot be placed anywhere. */
static bool add_node(repacking *r, const candidate *c)
{
    struct bound_node *n = &r->bound.nodes[r->bound.count];
    const round_bound *f = &r->bound.facts;
    *n = (struct bound_node){ .node = c->node, .evictions = c->moving_count, .worth_units = amount_from(0) };
    for (uint32_t i = 0; i < c->moving_count; i++) {
        uint32_t class_number = f->question.class_of[c->moving[i]];
        if (class_number == UINT32_MAX) return false;
        (void)amount_add(n->worth_units, amount_from(f->proof.y[class_number]), &n->worth_units); /* each < 2^60 */
    }
    n->worth = in_dollars(n->worth_units) * (1 - 1e-9);
    r->bound.count++;
    return true;
}

int64_t repack_node_cost(const repacking *r, uint32_t index)
{
    return money_of(node_price(r->seen, &r->seen->nodes[index]) + r->objective.node_cost);
}

bool repack_bound_fill(repacking *r, const amount *spaces)
{
    struct repack_bound *b = &r->bound;
    *b = (struct repack_bound){ .exact = b->exact, .facts = b->facts };
    b->removable = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *b->removable);
    b->nodes = arena_array(&r->data, r->p.found.eligible_count + (size_t)1, sizeof *b->nodes);
    if (b->removable == NULL || b->nodes == NULL) return false;
    for (uint32_t i = 0; i < r->p.found.eligible_count; i++) {
        const candidate *c = &r->p.found.candidates[r->p.found.eligible[i]];
        struct bound_node *n = &b->nodes[b->count];
        if (!add_node(r, c)) continue;
        b->removable[c->node] = true;
        n->cost = repack_node_cost(r, c->node);
        n->price = (double)n->cost / MONEY_UNIT;
        n->space_units = spaces[c->node];
        n->space = in_dollars(n->space_units);
        if (n->evictions > 0 && n->price / n->evictions > b->dearest) b->dearest = n->price / n->evictions;
    }
    for (uint32_t i = 0; i < r->seen->node_count; i++) {
        if (b->removable[i]) continue;
        if (!amount_add(b->fixed_units, amount_from(repack_node_cost(r, i)), &b->fixed_units) ||
            !amount_add(b->fixed_space, spaces[i], &b->fixed_space))
            return true;
    }
    b->fixed = in_dollars(b->fixed_units);
    b->fixed_value = in_dollars(b->fixed_space);
    b->known = true;
    return true;
}

bool repack_bound_facts(repacking *r)
{
    round_bound *f = &r->bound.facts;
    if (!round_problem(r->s, &r->data, r->steps, &r->objective, &(const bound_parts){ .zones = false }, f))
        return false;
    f->problem.bought = NULL; /* all movable pods */
    uint64_t pairs = f->problem.node_count * (uint64_t)f->problem.class_count;
    r->bound.exact = pairs <= MOST_PAIRS;
    return true;
}

amount *repack_bound_spaces(repacking *r, const amount *spent)
{
    const relaxed *q = &r->bound.facts.question;
    amount *spaces = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *spaces);
    for (uint32_t i = 0; spaces != NULL && i < q->node_count; i++) spaces[q->nodes[i]] = spent[i];
    return spaces;
}

bool repack_bound_make(repacking *r)
{
    round_bound *f = &r->bound.facts;
    if (!repack_bound_facts(r)) return false;
    bound_problem p = f->problem;
    if (!r->bound.exact) p.node_count = 0;
    amount value, *spent = arena_array(&r->data, f->question.node_count + (size_t)1, sizeof *spent), *spaces;
    proof_fault fault;
    if (spent == NULL || !bound_fluid(&r->data, &p, TOLERANCE, ROUNDS, &f->proof)) return false;
    if (r->bound.exact) {
        if (!proof_holds_for(r->data.context, &p, &f->proof, &value, spent, &fault)) return true;
    } else {
        maker k = { .r = r, .question = f->question, .problem = p, .proof = f->proof };
        if (!value_spaces(&k, spent)) return false;
    }
    spaces = repack_bound_spaces(r, spent);
    return spaces != NULL && repack_bound_fill(r, spaces);
}
