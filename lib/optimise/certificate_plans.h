/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that whole nodes for a few pods cost, by looking at all sets of nodes. What is still to be placed is a
 * state: so many pods of each class. Existing nodes are filled first. Every choice of domains is looked at. States are
 * visited in the order of the least that plans by way of them can cost: what was bought, and the prices of the pods
 * that are left, which a proof holds for. So the first state without pods is that of a cheapest plan.
 */
#pragma once

#include <optimise/bound.h>

#define PLANS_WORK (UINT64_C(1) << 28) /* how much work a check may take: parts of contents that are looked at */

/* Prices at which no content of an offer is worth more than the offer costs, and what the content of each existing node
 * is worth at most. */
typedef struct plans_prices {
    const int64_t *y, *spent; /* by class; by node, 0 … INT64_MAX / 4 in sum */
} plans_prices;

/* *least receives the least that nodes for all pods cost, or `enough` if that is less. PROOF_TOO_MUCH = it takes more
 * work, or there are pods that fit nowhere. *work counts down. */
enum proof_verdict plans_least(karp_context *context, const bound_problem *p, const plans_prices *prices,
                               int64_t enough, uint64_t *work, int64_t *least);
