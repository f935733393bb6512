/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lower bounds on the cost of a plan: a price for each class of pods such that no node serves pods for less than the
 * sum of their prices.
 *
 * Money is counted in integers of 10^-12 $/h here, so that anybody can check a certificate with integer arithmetic.
 * The price of a node is distributed over its resources: shares[d] is the price of all of resource d. A pod that
 * requests r of the node's a is charged shares[d] × r / a, rounded down.
 */
#pragma once

#include <karp/certificate.h>

#include <base/amount.h>
#include <base/memory.h>
#include <schedule/relaxed_choice.h>

#define MONEY_UNIT 1000000000000.0 /* units per $/h */
#define MONEY_MOST INT64_C(1000000000000000000) /* most that one node may cost: a million $/h */
#define COPIES_ANY INT64_MAX

int64_t money_of(double dollars); /* rounded down: 0 … MONEY_MOST */

/* Classes of pods, and the offers that can be bought for them. The caller owns the arrays. */
typedef struct bound_problem {
    uint32_t dims, class_count, offer_count;
    /* existing nodes: they cost nothing, and each exists once; their rows follow those of the offers */
    uint32_t node_count;
    const int64_t *requests; /* [class * dims], not negative */
    const int64_t *counts; /* number of pods in each class, not negative */
    /* how many of these pods probably need a launch: prices are optimised for them; NULL = all */
    const int64_t *bought;
    const int64_t *limits; /* most copies on one node: at least 1, or COPIES_ANY */
    const int64_t *capacity; /* [row * dims]; a negative amount counts as none */
    const int64_t *costs; /* by offer, rounded down; 0 … MONEY_MOST */
    const uint64_t *allowed; /* [row * bits_words(class_count)]: classes that can be placed on the row */
    const relaxed_choice *choices; /* groups of pods that are in one domain each: which one is a choice */
    uint32_t choice_count;
    const uint32_t *samples; /* by class: classes with the same number are the same pods in other places; NULL = none */
    const int64_t *node_limits; /* [node * class_count]: most copies on an existing node, too; NULL = `limits` alone */
    const bool *removable; /* by existing node: not every plan has it; NULL = every plan has all of them */
} bound_problem;

/* Case distinction over the contents of a node, by the number of copies of one class. An inner case is followed by
 * the cases for at most so many copies, and then by those for more. A leaf has shares. For all contents in the leaf's
 * range of copies, the shares, plus the amounts by which copies are worth more than they are charged (minus those by
 * which they are worth less), are at most the cost of the offer. Or the leaf says only that no whole content in its
 * range is worth more than the offer costs. The checker then looks at all of them (certificate_contents.c). Several
 * cases with shares, which save work there, make up such a leaf. */
typedef struct proof_case {
    uint32_t class_; /* CASE_LEAF = a leaf, with shares; CASE_CONTENTS = shares of a leaf that is looked at */
    int64_t copies; /* with CASE_CONTENTS: the number of cases of the leaf, 1 … CASE_PRICES; 0 = not its first */
} proof_case;

#define CASE_LEAF UINT32_MAX
#define CASE_CONTENTS (UINT32_MAX - 1)

enum { CASES_DEEP = 64, CASES_DIMS = 64, CASE_PRICES = 4 }; /* most nested cases; resources; shares of a leaf */

/* The charge of a row with cases is the sum of its shares, which say nothing else: no content is worth more. Of an
 * offer it is at most the cost; if the shares are 0, it is the cost.
 */

/* Proof of a bound. For each row with shares, and every class that fits the row, y_c <= sum of floor(shares[d] × r /
 * a) + extra. The charge of a row is the sum of its shares and of most copies × extra. For an offer it is at most the
 * offer's cost. An offer without shares of its own is covered by another row that can contain the same pods and costs
 * no more. The y of a choice's class × its pods <= sum of copies × y in every domain. Then no plan costs less than the
 * sum of counts × y, minus the charges of existing nodes. */
typedef struct bound_proof {
    int64_t *y; /* price by class */
    uint32_t share_count; /* number of rows with shares */
    uint32_t *of; /* by share row: the row */
    uint32_t *covered_by; /* by row: the share row that covers it */
    int64_t *shares; /* [share row * dims] */
    int64_t *extra; /* [share row * class_count]; not 0 only where the number of copies on a node is limited */
    uint32_t *first_case; /* [share row + 1]: its cases, which replace its shares and extras; NULL = no row has cases */
    proof_case *cases;
    int64_t *case_shares; /* [case * dims] */
} bound_proof;

static inline bool proof_has_cases(const bound_proof *proof, uint32_t at)
{
    return proof->first_case != NULL && proof->first_case[at] < proof->first_case[at + 1];
}

/* The most copies of a class on one node of the row; 0 = the class cannot be placed there. */
int64_t bound_copies(const bound_problem *p, uint32_t row, uint32_t class_);

/* Rounds the capacity of each row down to what pods can fill: a multiple of the common divisor of their requests. The
 * new capacity is allocated in the arena. false = out of memory, or stopped. */
bool bound_use_whole_units(arena *a, bound_problem *p);

/* Computes the fluid bound: column generation in doubles over the continuous knapsacks of the offers, and then a
 * proof in integers. Ends when the bound is within `tolerance` of the fluid optimum, or after `rounds` of pricing.
 * The proof is allocated in the arena. Classes that fit no offer get the price 0. false = out of memory, or stopped
 * by the caller of the arena's context, which is checked between two offers, two pivots of the simplex and two rows
 * of the proof. */
bool bound_fluid(arena *a, const bound_problem *p, double tolerance, uint32_t rounds, bound_proof *out);

enum { PATTERNS_A_CLASS = 4 }; /* most patterns, relative to the number of classes + 1 */

/* The solution of a master problem: how many nodes of each content it buys, in fractions. */
typedef struct bound_patterns {
    uint32_t count;
    uint32_t *offer; /* by pattern */
    double *nodes;
    uint32_t *copies; /* [pattern * class_count] */
    double *worth; /* by class: its price in the master problem */
    bool holds; /* they are of a problem with the same classes and more pods */
} bound_patterns;

/* Whole nodes that can hold all pods in fractions. */
typedef struct bound_fleet {
    uint64_t steps; /* when they were found */
    uint32_t count, *offer; /* by node */
    uint32_t *copies; /* [node * class_count]: what is on nodes whose contents are whole */
} bound_fleet;

enum { MOST_FLEETS = 32 };

/* The solutions of the master problem after so many steps, without numbers of nodes and worth. */
typedef struct bound_trail {
    uint32_t count;
    const uint64_t *stops; /* steps, ascending */
    bound_patterns *at; /* by stop */
    bound_fleet fleets[MOST_FLEETS]; /* from the tree, each cheaper than those before it */
    uint32_t fleet_count;
} bound_trail;

enum {
    MOST_KEPT = 6, /* most proofs with charges */
    COUNTS_PODS = 2000 /* most pods for which they are made: sums of the costs of whole nodes are looked at */
};

/* A part of the inequality of a proof, in parts of KARP_CERTIFICATE_PARTS. */
typedef struct tree_weight {
    uint32_t proof;
    int64_t weight;
} tree_weight;

enum { TREE_PROOFS = 64, TREE_DEEP = 256 }; /* most proofs of a tree; most inner nodes above a leaf */

/* A tree over how many nodes of each offer there are. An inner node is followed by the tree of plans with at most
 * `copies` nodes of the offer of a share row, and of those that it covers, and then by that of plans with more. A leaf
 * has weights: the sum of the inequalities of the proofs, by these, shows what its nodes cost at least. */
typedef struct tree_node {
    uint32_t row; /* a share row; KARP_CERTIFICATE_LEAF = a leaf */
    int64_t copies;
    const tree_weight *weights;
    uint32_t weight_count;
} tree_node;

typedef struct bound_tree {
    bound_proof *proofs; /* they have the same rows */
    uint32_t proof_count, node_count;
    tree_node *nodes; /* NULL = there is no tree */
} bound_tree;

/* Proofs that say for each offer the most that its contents are worth, as counts_least() needs it. */
typedef struct bound_charges {
    bound_proof proofs[MOST_KEPT];
    uint32_t count;
    uint64_t tree_steps; /* steps for a tree; 0 = none is wanted */
    bound_tree tree;
} bound_charges;

/* Computes the bound for whole pods (Gilmore and Gomory): column generation over the best whole contents of the
 * offers. It starts from the prices of the proof `from` and takes about `steps` steps of work. *out has no y when it
 * finds no better bound. `trail` receives solutions, which do not depend on later steps, and `charges` proofs from the
 * prices at certain steps; NULL = not wanted. false as above. */
bool bound_whole(arena *a, const bound_problem *p, const bound_proof *from, uint64_t steps, bound_trail *trail,
                 bound_charges *charges, bound_proof *out);
/* Such a solution alone. `known` has contents to begin with, which need not be good for this problem; NULL = none. */
bool bound_find_patterns(arena *a, const bound_problem *p, const bound_proof *from, const bound_patterns *known,
                         uint64_t steps, bound_patterns *out);

/* ---- certificate.c: checks a proof in exact arithmetic; shares no code with the search for proofs ---------------- */

typedef struct proof_fault {
    enum proof_verdict {
        PROOF_HOLDS,
        PROOF_NEGATIVE,
        PROOF_CLASS_TOO_DEAR,
        PROOF_GROUP_TOO_DEAR, /* a group has a higher price than its pods in one of its domains */
        PROOF_OFFER_TOO_CHEAP,
        PROOF_NOT_COVERED, /* a row without shares whose covering row does not cover it */
        PROOF_OVERFLOW,
        PROOF_TOO_MUCH, /* too many contents to look at */
        PROOF_NO_MEMORY /* or the caller of the context stopped */
    } kind;
    uint32_t offer, class_; /* row and class of the violated inequality, if it has them */
} proof_fault;

/* Whether every inequality holds. *value receives the proven bound, in 10^-12 $/h. */
bool proof_holds(karp_context *context, const bound_problem *p, const bound_proof *proof, amount *value,
                 proof_fault *fault);
/* The same, and also the charge of each existing node's row, which is the most that pods placed there can be worth. */
bool proof_holds_for(karp_context *context, const bound_problem *p, const bound_proof *proof, amount *value,
                     amount *spent, proof_fault *fault);

/* The most that a content of this share row is worth, in a proof that holds. false = overflow. */
bool proof_charge(const bound_problem *p, const bound_proof *proof, uint32_t at, amount *out);

/* certificate_counts.c: the least that so many nodes cost as are worth `needed` in sum, by what the rows of a proof are
 * charged. *least receives that, or `enough` if it is not less. PROOF_TOO_MUCH = it takes more work. */
enum proof_verdict counts_least(karp_context *context, const bound_problem *p, const bound_proof *proof, int64_t needed,
                                int64_t enough, int64_t *least);

/* A node that is there or not: what it costs, and what it is worth. Both are sums of at most a quarter of the range. */
typedef struct counts_item {
    int64_t cost, worth;
} counts_item;
/* The same, where these nodes may be among those that cost the least. Their costs may be negative. */
enum proof_verdict counts_least_with(karp_context *context, const bound_problem *p, const bound_proof *proof,
                                     const counts_item *nodes, uint32_t node_count, int64_t needed, int64_t enough,
                                     int64_t *least);

/* What whole nodes cost beside such nodes, which are worth `needed` in sum: `saved` more than counts_least_with() says.
 */
typedef struct counts_nodes {
    const counts_item *items;
    uint32_t count;
    int64_t needed, saved;
} counts_nodes;
/* Raises *value to the least that whole nodes cost. The limit below which sums of costs are looked at begins with
 * 1 / `part` more than the value, and rises until there is one. false = out of memory, or stopped. */
bool counts_raise(karp_context *context, const bound_problem *p, const bound_proof *proof, const counts_nodes *nodes,
                  int64_t part, int64_t *value);

/* certificate_tree.c: the least that nodes cost by the tree, whose proofs hold. *least receives that, or `enough` if it
 * is not less. */
enum proof_verdict tree_least(karp_context *context, const bound_problem *p, const bound_tree *tree, int64_t enough,
                              int64_t *least);

/* Existing nodes of a plan that may have them or not, by each proof of a tree. */
typedef struct tree_items {
    int64_t *needed; /* by proof: what all nodes are worth */
    counts_item *nodes; /* [proof * count]; costs are not negative, and the same for each proof */
    uint32_t count;
} tree_items;
/* The same with such nodes. */
enum proof_verdict tree_least_with(karp_context *context, const bound_problem *p, const bound_tree *tree,
                                   const tree_items *items, int64_t enough, int64_t *least);

/* usable.c: whether two offers, or rows, have the same capacity. */
bool same_capacity(const bound_problem *p, uint32_t x, uint32_t y);
/* The same, and for the same classes. */
bool offers_alike(const bound_problem *p, uint32_t x, uint32_t y);
/* The greatest common divisor of two numbers that are not negative; 0 and x have x. */
int64_t common_divisor(int64_t a, int64_t b);
