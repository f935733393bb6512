/* SPDX-License-Identifier: Apache-2.0 */
/* Lower bound on the cost of plans that place the same pods as a finished round (spec cost.md §4). */
#ifndef OPTIMISE_ROUND_BOUND_H
#define OPTIMISE_ROUND_BOUND_H

#include <base/amount.h>
#include <karp/objective.h>
#include <optimise/bound.h>
#include <schedule/relaxed.h>

typedef struct round_bound {
    relaxed question;
    bound_problem problem;
    bound_proof proof;
    double node_cost, spot_factor;
    bool ignores_preferences;
    int64_t value; /* in 10^-12 $/h; at least 0 */
} round_bound;

int64_t money_of(double dollars); /* in 10^-12 $/h, rounded down: 0 … MONEY_MOST */
/* Makes the problem without a proof. Costs include the additional cost of a node. The lists are allocated in `a`.
 * false = out of memory. */
bool round_problem(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, round_bound *out);
/* Limits the copies of a class on a node to the number of its pods. A bound without this limit is also valid with it.
 * In fractions it improves little and takes longer. false = out of memory. */
bool round_problem_limits(arena *a, round_bound *out);
/* Makes the problem and a checked proof: the fluid bound first, then the bound for whole pods with a part of the
 * objective's effort. An invalid proof counts as the bound 0. false = out of memory, or stopped through the context
 * of `a`. */
bool round_bound_find(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, round_bound *out);

#endif
