/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many nodes of each offer a plan has is a whole number. Every proof with charges is an inequality for these
 * numbers: the charges of the nodes are at least what all pods are worth. The cheapest whole numbers that satisfy all
 * of them cost no more than any plan. They are found by branch and bound (branch.c). Where they cannot hold the pods,
 * even in fractions, there are prices that say so, which become another inequality (branch_cuts.c).
 */
#pragma once

#include <optimise/linear.h>
#include <optimise/whole.h>

#define WHOLE_NODES 1e-6 /* tolerance for treating a number of nodes as whole */

/* The numbers of nodes of a part of the tree: those of its parent, with fewer or more of one offer. */
typedef struct counts_box {
    uint32_t parent, place, deep; /* place: index of the offer in the master problem */
    int64_t low, high;
    uint32_t below; /* the box with fewer; that with more follows. 0 = not divided */
    double least; /* what its nodes cost at least */
    uint32_t seen, split; /* the proofs when it was solved; the place to divide it by, UINT32_MAX = none */
    double part; /* its nodes of that place */
    tree_weight *weights; /* by which they do; those of a box above it until it is solved */
    uint32_t weight_count;
} counts_box;

typedef struct branching {
    whole *w;
    bound_tree *tree; /* its proofs are the inequalities */
    double *needed, *worth; /* by proof; [proof * offers]: what pods are worth; what a node is charged */
    counts_box *boxes;
    uint32_t box_count, reserved, *heap, heap_count;
    int64_t *low, *high; /* by place: the box that is looked at */
    double *nodes, *rounded, *whole_nodes; /* by place: the nodes that the linear program buys; whole ones */
    bool *was_bought, *is_limited; /* by place: it was bought once; its limit was reached once */
    double upper; /* whole nodes that can hold the pods in fractions cost so much */
    uint64_t most_work;
    bool failed; /* out of memory, or stopped */
} branching;

/* Adds the proof, which has charges. false = it does not fit, or there are too many. */
bool branch_add(branching *b, const bound_proof *proof);
enum branch_answer {
    BRANCH_CUT, /* a proof was added */
    BRANCH_FITS, /* the pods fit, in fractions */
    BRANCH_UNKNOWN
};

/* Looks for prices at which these whole nodes are worth less than all pods, and adds a proof. false = out of memory, or
 * stopped. */
bool branch_cut(branching *b, double *nodes, enum branch_answer *answer);
/* Makes the tree of the proofs that are known and of those that it finds, with the work that prices left. false = out
 * of memory, or stopped. */
bool branch_grow(whole *w, bound_charges *charges);
