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
 *
 * Pods that are spread over zones have other prices in each zone (relaxed_domains.c). With maxSkew 1, moved pods are
 * placed in a zone with the fewest. So if all are moved in the end, in whatever order, all zones have their least
 * number of them and at most one more, and of m pods that stay, only m of these places have no moved pod. If those are
 * not in their own zones, they stay where more run than may be there in the end: than the least number and one, if no
 * more zones have so many than may have, and otherwise than the least number. So a pod that stays is worth the part of
 * the dearest place by which more run in its zone, and otherwise the place there. With a larger maxSkew, an order of
 * moves can leave a zone with fewer.
 */
#include <optimise/repack.h>

#include <math.h>
#include <optimise/master.h>
#include <string.h>

enum {
    MOST_SKEW = 1,
    ROUNDS = 200,
    MOST_MIXES = 24,
    PART_STEPS = 12,
    PRICE_STEPS = 40,
    MOST_SIGNS = 64,
    MOST_PAIRS = 1 << 23
};
#define TOLERANCE 0.002 /* relative to the fluid optimum */

static double in_dollars(amount units) { return amount_double(units) / (MONEY_UNIT / 1e9); }

/* For many nodes with many classes of pods: the worth of their free space, without a proof. */
static bool value_spaces(arena *a, const bound_problem *p, const bound_proof *proof, amount *values)
{
    master m;
    knapsack k;
    if (!master_init(&m, a, p)) return false;
    for (uint32_t c = 0; c < p->class_count; c++) m.best[c] = (double)proof->y[c] / MONEY_UNIT;
    for (uint32_t i = 0; i < p->node_count; i++) {
        arena_mark mark = arena_get_mark(a);
        if (!master_knapsack(&m, a, p->offer_count + i, &k)) return false;
        k.worth = m.best;
        uint32_t steps = knapsack_solve(&k);
        if (!master_worked(a, p, (steps + (size_t)1) * p->dims)) return false;
        values[i] = amount_from(money_of(k.value * (1 + 1e-9)) + 1);
        arena_release(a, mark);
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
    if (evictions == r->counted_for && b == &r->bound && !repack_counts_raise(r->context, b, &point)) r->refused = true;
    if (r->tree_value > point.value && b == &r->bound)
        point = (karp_certificate_point){ .evictions = evictions,
                                          .part = KARP_CERTIFICATE_WHOLE,
                                          .value = r->tree_value };
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

uint32_t repack_class_at(const repacking *r, uint32_t pod_number, uint32_t node_number)
{
    const relaxed *q = &r->bound.facts.question;
    uint32_t class_number = q->class_of[pod_number];
    return class_number == UINT32_MAX ? class_number
                                      : relaxed_class_in(q, class_number, r->seen->nodes[node_number].zone);
}

/* Adds the node as one that can be removed; false = some pod of it cannot be placed anywhere. */
static bool add_node(repacking *r, const candidate *c, const int64_t *worth, const int64_t *dearest)
{
    struct bound_node *n = &r->bound.nodes[r->bound.count];
    amount less = amount_from(0); /* than their dearest places */
    *n = (struct bound_node){ .node = c->node, .evictions = c->moving_count, .worth_units = amount_from(0) };
    for (uint32_t i = 0; i < c->moving_count; i++) {
        uint32_t class_number = repack_class_at(r, c->moving[i], c->node);
        if (class_number == UINT32_MAX) return false;
        (void)amount_add(n->worth_units, amount_from(worth[class_number]), &n->worth_units); /* each < 2^60 */
        (void)amount_add(less, amount_from(dearest[class_number] - worth[class_number]), &less);
    }
    (void)amount_sub(r->bound.fixed_space, less, &r->bound.fixed_space);
    n->worth = in_dollars(n->worth_units) * (1 - 1e-9);
    r->bound.count++;
    return true;
}

int64_t repack_node_cost(const repacking *r, uint32_t index)
{
    return money_of(node_price(r->seen, &r->seen->nodes[index]) + r->objective.node_cost);
}

/* Between the two numbers, which is not less, by so many millionths, rounded up. */
static int64_t between(int64_t low, int64_t high, uint32_t millionths)
{
    amount part;
    uint64_t rest;
    int64_t more = 0;
    (void)amount_mul(amount_from(high - low), millionths, &part); /* < 2^80 */
    amount_divide(part, 1000000, &part, &rest);
    (void)amount_scale(part, amount_from(1), &more);
    return low + more + (rest > 0);
}

void repack_value_staying(const relaxed *q, const int64_t *y, int64_t *worth, int64_t *dearest)
{
    for (uint32_t c = 0; c < q->class_count; c++) worth[c] = dearest[c] = y[c];
    for (uint32_t c = 0; q->parts != NULL && c < q->class_count; c++) {
        uint32_t first = q->parts[c], end = first;
        if (first == UINT32_MAX) continue;
        int64_t free = q->counts[c] > 0 ? y[c] : 0, top = free; /* of places anywhere, if there are any */
        for (; end < q->class_count && q->samples[end] == q->samples[c]; end++) top = y[end] > top ? y[end] : top;
        for (uint32_t k = first; k < end; k++)
            dearest[k] = top, worth[k] = between(y[k] > free ? y[k] : free, top, q->surplus[k]);
        for (uint32_t k = first; k > 0 && q->samples[k - 1] == q->samples[c] && k - 1 != c; k--) dearest[k - 1] = top;
        dearest[c] = worth[c] = top;
    }
}

/* What all places are worth less than so many pods that stay counts as used space. */
static bool add_places(struct repack_bound *b, const int64_t *dearest)
{
    const bound_problem *p = &b->facts.problem;
    bool ok = true;
    for (uint32_t c = 0; c < p->class_count && ok; c++) {
        amount part;
        ok = amount_mul(amount_from(dearest[c] - b->facts.proof.y[c]), (uint64_t)p->counts[c], &part) &&
             amount_add(b->fixed_space, part, &b->fixed_space);
    }
    return ok;
}

bool repack_bound_fill(repacking *r, const amount *spaces)
{
    struct repack_bound *b = &r->bound;
    int64_t *worth = arena_array(&r->data, 2 * (size_t)b->facts.problem.class_count + 1, sizeof *worth);
    int64_t *dearest = worth != NULL ? worth + b->facts.problem.class_count : NULL;
    if (worth == NULL) return false;
    *b = (struct repack_bound){ .exact = b->exact, .facts = b->facts };
    repack_value_staying(&b->facts.question, b->facts.proof.y, worth, dearest);
    if (!add_places(b, dearest)) return true;
    b->removable = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *b->removable);
    b->nodes = arena_array(&r->data, r->p.found.eligible_count + (size_t)1, sizeof *b->nodes);
    if (b->removable == NULL || b->nodes == NULL) return false;
    for (uint32_t i = 0; i < r->p.found.eligible_count; i++) {
        const candidate *c = &r->p.found.candidates[r->p.found.eligible[i]];
        struct bound_node *n = &b->nodes[b->count];
        if (!add_node(r, c, worth, dearest)) continue;
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
    if (!round_problem(r->s, &r->data, r->steps, &r->objective, &(const bound_parts){ .most_skew = MOST_SKEW }, f))
        return false;
    f->problem.bought = NULL; /* all movable pods */
    uint64_t pairs = f->problem.node_count * (uint64_t)f->problem.class_count;
    r->bound.exact = pairs <= MOST_PAIRS;
    return true;
}

/* How many pods of each kind the node has that removing it would move; false = it stays in any case. */
static bool count_own(const repacking *r, const candidate *c, const uint32_t *kinds, int64_t *own)
{
    memset(own, 0, r->bound.facts.problem.class_count * sizeof *own);
    for (uint32_t i = 0; i < c->moving_count; i++) {
        uint32_t class_number = r->bound.facts.question.class_of[c->moving[i]];
        if (class_number == UINT32_MAX) return false;
        own[kinds[class_number]]++;
    }
    return true;
}

static int64_t beside(int64_t own, int64_t all) { return all > own ? all - own : 0; }

/* Where no more pods of a spread constraint run than may be there in the end, its own keep their places. */
static void limit_in_zone(const repacking *r, uint32_t node_number, const uint32_t *kinds, const int64_t *own,
                          int64_t *most)
{
    const relaxed *q = &r->bound.facts.question;
    for (uint32_t c = 0; q->parts != NULL && c < q->class_count; c++) {
        uint32_t at = relaxed_class_in(q, c, r->seen->nodes[node_number].zone);
        if (q->parts[c] == UINT32_MAX || at == c || q->surplus[at] > 0) continue;
        int64_t places = q->counts[c] + (q->most != NULL ? q->most[at] : q->counts[at]);
        int64_t left = beside(own[kinds[c]], places);
        if (left < most[at]) most[at] = left;
        if (left < most[c]) most[c] = left;
    }
}

bool repack_bound_limits(repacking *r)
{
    round_bound *f = &r->bound.facts;
    const relaxed *q = &f->question;
    uint32_t n = q->class_count, *at = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *at);
    uint32_t *kinds = arena_array(&r->data, n + (size_t)1, sizeof *kinds);
    int64_t *most = arena_array(&r->data, q->node_count * (size_t)n + 1, sizeof *most);
    int64_t *all = arena_array(&r->data, 2 * (size_t)n + 1, sizeof *all), *own = all != NULL ? all + n : NULL;
    bool *removable = arena_array(&r->data, q->node_count + (size_t)1, sizeof *removable);
    if (removable == NULL || at == NULL || kinds == NULL || most == NULL || all == NULL ||
        !round_problem_limits(&r->data, f))
        return false;
    for (uint32_t i = 0; i < q->node_count; i++) at[q->nodes[i]] = i + 1;
    for (uint32_t c = 0; c < n; c++) {
        while (q->samples[kinds[c]] != q->samples[c]) kinds[c]++;
        all[kinds[c]] += q->counts[c];
    }
    for (size_t i = 0; i < q->node_count * (size_t)n; i++) most[i] = INT64_MAX;
    for (uint32_t i = 0; i < r->p.found.eligible_count; i++) {
        const candidate *x = &r->p.found.candidates[r->p.found.eligible[i]];
        if (at[x->node] == 0 || !count_own(r, x, kinds, own)) continue;
        int64_t *of = most + (size_t)(at[x->node] - 1) * n;
        removable[at[x->node] - 1] = true;
        for (uint32_t c = 0; c < n; c++) of[c] = beside(own[kinds[c]], all[kinds[c]]);
        limit_in_zone(r, x->node, kinds, own, of);
    }
    f->problem.node_limits = most;
    f->problem.removable = removable;
    return true;
}

amount *repack_bound_spaces(repacking *r, const amount *spent)
{
    const relaxed *q = &r->bound.facts.question;
    amount *spaces = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *spaces);
    for (uint32_t i = 0; spaces != NULL && i < q->node_count; i++) spaces[q->nodes[i]] = spent[i];
    return spaces;
}

bool repack_bound_take(repacking *r, const bound_proof *proof, uint64_t evictions, double *value)
{
    const struct repack_bound before = r->bound;
    const round_bound *f = &r->bound.facts;
    amount all, *spaces, *spent = arena_array(&r->data, f->problem.node_count + (size_t)1, sizeof *spent);
    proof_fault fault;
    double part, price, now = 0;
    if (spent == NULL) return false;
    r->bound.facts.proof = *proof;
    if (proof_holds_for(r->data.context, &f->problem, proof, &all, spent, &fault)) {
        spaces = repack_bound_spaces(r, spent);
        if (spaces == NULL || !repack_bound_fill(r, spaces)) return false;
        if (r->bound.known) now = repack_bound_best(&r->bound, evictions, &part, &price);
    }
    if (now > *value) *value = now;
    else r->bound = before;
    return true;
}

/* What whole nodes prove with the present proof, with all prices of pods. false = out of memory. */
static bool whole_value(repacking *r, uint64_t evictions, int64_t *value)
{
    double part, price;
    (void)repack_bound_best(&r->bound, evictions, &part, &price);
    karp_certificate_point point = { .evictions = evictions,
                                     .part = (int64_t)(part * KARP_CERTIFICATE_WHOLE + 0.5),
                                     .eviction_price = money_of(price) };
    *value = 0;
    if (!repack_bound_proves(&r->bound, &point, &point.value)) return true;
    if (!repack_counts_raise(r->context, &r->bound, &point)) return false;
    *value = point.value;
    return true;
}

bool repack_bound_take_whole(repacking *r, const bound_proof *proof, uint64_t evictions)
{
    const struct repack_bound before = r->bound;
    int64_t had, now;
    double least = -1;
    if (!whole_value(r, evictions, &had) || !repack_bound_take(r, proof, evictions, &least) ||
        !whole_value(r, evictions, &now))
        return false;
    if (now <= had) r->bound = before;
    return true;
}

/* The fluid bound, and then that for whole pods. */
static bool make_exact(repacking *r, const bound_proof *fluid)
{
    round_bound *f = &r->bound.facts;
    bound_proof whole;
    const uint64_t steps = round_bound_effort(r->objective.effort);
    bound_trail end = { .count = 1, .stops = &steps, .at = &r->bound_contents };
    bound_charges charges = { .tree_steps = r->objective.effort };
    double value = -1;
    if (!repack_bound_limits(r) || !repack_bound_take(r, fluid, UINT64_MAX, &value)) return false;
    if (!bound_whole(&r->data, &f->problem, fluid, steps, &end, r->wants_tree ? &charges : NULL, &whole)) return false;
    r->tree = charges.tree;
    return whole.y == NULL || repack_bound_take(r, &whole, UINT64_MAX, &value);
}

bool repack_bound_make(repacking *r)
{
    round_bound *f = &r->bound.facts;
    if (!repack_bound_facts(r)) return false;
    bound_problem p = f->problem;
    bound_proof fluid;
    if (!r->bound.exact) p.node_count = 0;
    if (!bound_fluid(&r->data, &p, TOLERANCE, ROUNDS, &fluid)) return false;
    if (r->bound.exact) return make_exact(r, &fluid);
    amount *spaces, *spent = arena_array(&r->data, f->question.node_count + (size_t)1, sizeof *spent);
    f->proof = fluid;
    if (spent == NULL || !value_spaces(&r->data, &f->problem, &fluid, spent)) return false;
    spaces = repack_bound_spaces(r, spent);
    return spaces != NULL && repack_bound_fill(r, spaces);
}
