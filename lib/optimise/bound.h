/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How cheap a plan can be at most: a price per class of pods that no node can beat (spec cost.md §4).
 *
 * Money is whole numbers of 10^-12 $/h here, so that a certificate is data that anybody can check with integers. The price of
 * a node is spread over its resources: shares[d] is what all of resource d costs, so a pod that takes r of the node's a pays
 * shares[d] × r / a, rounded down.
 */
#ifndef OPTIMISE_BOUND_H
#define OPTIMISE_BOUND_H

#include <base/memory.h>

#define MONEY_UNIT 1000000000000.0 /* of 1 $/h */
#define MONEY_MOST INT64_C(1000000000000000000) /* what one node may cost: a million $/h */
#define COPIES_ANY INT64_MAX

/* Classes of pods against what may be bought. The arrays are the caller's. */
typedef struct bound_problem {
    uint32_t dims, class_count, offer_count;
    const int64_t *requests; /* [class * dims], not negative */
    const int64_t *counts; /* pods of each class, not negative */
    const int64_t *limits; /* copies on one node: at least 1, or COPIES_ANY */
    const int64_t *capacity; /* [offer * dims]; a negative one is none */
    const int64_t *costs; /* by offer, rounded down; 0 … MONEY_MOST */
    const uint64_t *allowed; /* [offer * bits_words(class_count)]: which classes may go there */
} bound_problem;

/* What proves a bound: y_c <= sum of floor(shares[d] × r / a) + extra for every class that fits the offer, and
 * the sum of shares + most copies × extra <= cost for every offer. Then no plan costs less than sum of counts × y. */
typedef struct bound_proof {
    int64_t *y; /* by class */
    int64_t *shares; /* [offer * dims] */
    int64_t *extra; /* [offer * class_count]; only where a node holds a limited number of copies */
} bound_proof;

/* The most copies of a class that one node of the offer holds; 0 = none may go there. */
int64_t bound_copies(const bound_problem *p, uint32_t offer, uint32_t class_);

/* The fluid bound: column generation over the continuous knapsacks of the offers, in doubles, and then a proof in integers.
 * It ends when what is found is within `tolerance` of the fluid optimum, or after `rounds` of pricing. The proof is in the arena.
 * Classes that fit no offer have the price 0. false = refused. */
bool bound_fluid(arena *a, const bound_problem *p, double tolerance, uint32_t rounds, bound_proof *out);

#endif
