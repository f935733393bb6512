/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/round_bound.h>

#include <math.h>
#include <optimise/certificate.h>

enum { ROUNDS = 400 };
#define TOLERANCE 0.001 /* of the fluid optimum */

int64_t money_of(double dollars)
{
    double units = floor(dollars * MONEY_UNIT);
    return !(units > 0) ? 0 : units < (double)MONEY_MOST ? (int64_t)units : MONEY_MOST;
}

bool round_problem(scheduler *s, arena *a, const uint16_t *steps, double node_cost, round_bound *out)
{
    relaxed *r = &out->question;
    out->node_cost = node_cost;
    if (!relaxed_make(s, a, steps, r)) return false;
    int64_t *costs = arena_array(a, r->offer_count + (size_t)1, sizeof *costs);
    if (costs == NULL) return false;
    for (uint32_t o = 0; o < r->offer_count; o++) costs[o] = money_of(r->offers[o].price + node_cost);
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

bool round_bound_find(scheduler *s, arena *a, const uint16_t *steps, double node_cost, round_bound *out)
{
    amount value;
    proof_fault fault;
    if (!round_problem(s, a, steps, node_cost, out)) return false;
    if (!bound_fluid(a, &out->problem, TOLERANCE, ROUNDS, &out->proof)) return false;
    out->value = 0;
    if (!proof_holds(&out->problem, &out->proof, &value, &fault) || amount_sign(value) <= 0) return true;
    if (!amount_scale(value, amount_from(1), &out->value)) out->value = INT64_MAX;
    return true;
}
