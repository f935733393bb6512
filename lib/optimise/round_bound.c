/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/round_bound.h>

#include <math.h>
#include <optimise/certificate.h>
#include <schedule/pricing.h>

enum { ROUNDS = 400, FEW_CLASSES = 50, LEAST_EFFORT = 5000, EFFORT_PART = 4, MOST_EFFORT = 10000000 };
#define TOLERANCE 0.001 /* relative to the fluid optimum */
#define FEW_TOLERANCE 0.00001 /* the same for few classes, for which it is fast */

/* Steps of work for the bound of a plan, beyond the fluid bound. */
static uint64_t round_bound_effort(const karp_objective *objective)
{
    return objective->effort / EFFORT_PART < MOST_EFFORT ? LEAST_EFFORT + objective->effort / EFFORT_PART : MOST_EFFORT;
}

int64_t money_of(double dollars)
{
    double units = floor(dollars * MONEY_UNIT);
    return !(units > 0) ? 0 : units < (double)MONEY_MOST ? (int64_t)units : MONEY_MOST;
}

bool round_problem(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, round_bound *out)
{
    relaxed *r = &out->question;
    out->node_cost = aim->node_cost;
    out->ignores_preferences = (aim->flags & KARP_COST_IGNORE_PREFERENCES) != 0;
    out->spot_factor = aim->spot_factor > 0 ? aim->spot_factor : 1;
    if (!relaxed_make(s, a, steps, out->ignores_preferences, r)) return false;
    int64_t *costs = arena_array(a, r->offer_count + (size_t)1, sizeof *costs);
    if (costs == NULL) return false;
    for (uint32_t o = 0; o < r->offer_count; o++)
        costs[o] = money_of(cost_of_price(aim, r->offers[o].price, r->offers[o].spot));
    out->problem = (bound_problem){ .dims = r->dims,
                                    .class_count = r->class_count,
                                    .offer_count = r->offer_count,
                                    .node_count = r->node_count,
                                    .requests = r->requests,
                                    .counts = r->counts,
                                    .bought = r->bought,
                                    .limits = r->limits,
                                    .capacity = r->capacity,
                                    .costs = costs,
                                    .allowed = r->allowed };
    return true;
}

bool round_problem_limits(arena *a, round_bound *out)
{
    const relaxed *r = &out->question;
    int64_t *limits = arena_array(a, r->class_count + (size_t)1, sizeof *limits);
    for (uint32_t c = 0; limits != NULL && c < r->class_count; c++) {
        int64_t all = r->counts[c] > 0 ? r->counts[c] : 1;
        limits[c] = r->limits[c] < all ? r->limits[c] : all;
    }
    out->problem.limits = limits;
    return limits != NULL;
}

/* The bound that the proof proves; 0 = none. */
static int64_t value_of(const bound_problem *p, const bound_proof *proof)
{
    amount value;
    proof_fault fault;
    int64_t out;
    if (!proof_holds(p, proof, &value, &fault) || amount_sign(value) <= 0) return 0;
    return amount_scale(value, amount_from(1), &out) ? out : INT64_MAX;
}

bool round_bound_find(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, round_bound *out)
{
    bound_proof whole;
    if (!round_problem(s, a, steps, aim, out)) return false;
    double tolerance = out->problem.class_count <= FEW_CLASSES ? FEW_TOLERANCE : TOLERANCE;
    if (!bound_fluid(a, &out->problem, tolerance, ROUNDS, &out->proof)) return false;
    if (!round_problem_limits(a, out)) return false;
    out->value = value_of(&out->problem, &out->proof);
    /* Starts with the least effort and doubles it, so that more effort includes all that less effort tried and its
     * bound is no lower. */
    bound_proof fluid = out->proof;
    for (uint64_t effort = LEAST_EFFORT; effort <= round_bound_effort(aim); effort *= 2) {
        arena_mark mark = arena_get_mark(a);
        if (!bound_whole(a, &out->problem, &fluid, effort, &whole)) return false;
        int64_t value = whole.y != NULL ? value_of(&out->problem, &whole) : 0;
        if (value <= out->value) {
            arena_release(a, mark);
            continue;
        }
        out->proof = whole;
        out->value = value;
    }
    return true;
}
