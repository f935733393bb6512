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
    uint32_t
        node_count; /* existing nodes, whose rows follow those of the offers: they cost nothing, and each is there once */
    const int64_t *requests; /* [class * dims], not negative */
    const int64_t *counts; /* pods of each class, not negative */
    const int64_t *bought; /* those of them that are likely to need a launch, which prices are made for; NULL = all */
    const int64_t *limits; /* copies on one node: at least 1, or COPIES_ANY */
    const int64_t *capacity; /* [row * dims]; a negative one is none */
    const int64_t *costs; /* by offer, rounded down; 0 … MONEY_MOST */
    const uint64_t *allowed; /* [row * bits_words(class_count)]: which classes may go there */
} bound_problem;

/* Contents of a node told apart by how many copies of a class they have. After such a case come those of at most so many copies, and
 * then those of more. Where they are not told apart, a case has shares: on every content from a least to a most number of copies of each class,
 * the shares and what each copy is worth above (or below) its part of them are at most the cost of the offer. */
typedef struct proof_case {
    uint32_t class_; /* UINT32_MAX: it has shares */
    int64_t copies;
} proof_case;

enum {
    CASES_DEEP = 64,
    CASES_DIMS = 64
}; /* that often contents are told apart after each other, and so many resources there are, at most */

/* What proves a bound: for each row that has shares, y_c <= sum of floor(shares[d] × r / a) + extra for every class that fits it.
 * What that spends, the sum of shares + most copies × extra, is at most the cost of an offer. An offer without shares of its own
 * is covered by one that holds whatever it holds and costs no more. Then no plan costs less than the sum of counts × y, less what
 * is spent on existing nodes. */
typedef struct bound_proof {
    int64_t *y; /* by class */
    uint32_t share_count; /* rows with shares … */
    uint32_t *of; /* … which these are, by share row */
    uint32_t *covered_by; /* the share row of each row */
    int64_t *shares; /* [share row * dims] */
    int64_t *extra; /* [share row * class_count]; only where a node holds a limited number of copies */
    uint32_t *first_case; /* [share row + 1]: its cases, which stand for its shares and extras; NULL = no row has any */
    proof_case *cases;
    int64_t *case_shares; /* [case * dims] */
} bound_proof;

/* The most copies of a class that one node of the row holds; 0 = none may go there. */
int64_t bound_copies(const bound_problem *p, uint32_t row, uint32_t class_);

/* The fluid bound: column generation over the continuous knapsacks of the offers, in doubles, and then a proof in integers.
 * It ends when what is found is within `tolerance` of the fluid optimum, or after `rounds` of pricing. The proof is in the arena.
 * Classes that fit no offer have the price 0. false = memory was refused, or the caller of the arena's context stops the work: it is
 * asked between two offers, two exchanges of the simplex and two rows of the proof. */
bool bound_fluid(arena *a, const bound_problem *p, double tolerance, uint32_t rounds, bound_proof *out);

/* The bound of whole pods (Gilmore and Gomory's): column generation over the best whole contents of the offers, from the prices of a proof on,
 * for about so many steps of work. *out has no y when nothing better came of it. false as above. */
bool bound_whole(arena *a, const bound_problem *p, const bound_proof *from, uint64_t steps, bound_proof *out);

/* What the master problem of that bound buys: so many nodes, in fractions, of each content. */
typedef struct bound_patterns {
    uint32_t count;
    uint32_t *offer; /* by pattern */
    double *nodes;
    uint32_t *copies; /* [pattern * class_count] */
    double *worth; /* by class: its price there */
} bound_patterns;

bool bound_find_patterns(arena *a, const bound_problem *p, const bound_proof *from, uint64_t steps,
                         bound_patterns *out);

#endif
