/* SPDX-License-Identifier: Apache-2.0 */
/* The bound on what plans cost that place the same pods as a finished round (spec cost.md §4). */
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
    int64_t value; /* in 10^-12 $/h; 0 at least */
} round_bound;

int64_t money_of(double dollars); /* in 10^-12 $/h, rounded down: 0 … MONEY_MOST */
/* The problem alone; what a node costs beside its price is in it. The lists lie in `a`. false = refused. */
bool round_problem(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, round_bound *out);
/* Besides: a node holds no more pods of a class than there are. What holds without it holds with it; fractions make little of it, and
 * take longer with it. false = refused. */
bool round_problem_limits(arena *a, round_bound *out);
/* The problem, and a proof that was checked, for which fractions and then a part of the objective's effort are tried; a proof that does
 * not hold counts as 0. false = refused, or stopped as the context of `a` is. */
bool round_bound_find(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, round_bound *out);

#endif
