/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans that are made step by step, for budgets that let a step remove few nodes: cut from a plan, most steps would have to launch
 * what only later ones need, and do not pay. Here each step fills the space that is there by then, buys for itself, and has to pay;
 * which nodes go is what is searched. A fixed sequence of attempts, each of which changes the best one so far.
 */
#ifndef OPTIMISE_REPACK_WALK_H
#define OPTIMISE_REPACK_WALK_H

#include <optimise/repack_steps.h>

typedef struct repack_walk repack_walk;

/* All of these are borrowed. NULL = refused. */
repack_walk *repack_walk_begin(karp_context *context, const repack_problem *p, const repack_pods *pods,
                               const repack_limits *limits);
void repack_walk_end(repack_walk *w); /* NULL is allowed */
/* The node stays from now on; a best attempt that removes it is forgotten. */
void repack_walk_keep(repack_walk *w, uint32_t which);
/* Goes on from these steps when they save more and remove no node that stays. false = refused. */
bool repack_walk_take(repack_walk *w, const repack_steps *steps);
/* Goes on for so many steps of work, also from the nodes that this plan removes, with at most so many evictions. false = refused. */
bool repack_walk_run(repack_walk *w, const repack_plan *from, uint64_t most, uint64_t steps);
double repack_walk_saving(const repack_walk *w); /* $/h, of the best attempt; 0 = there is none */
uint64_t repack_walk_work(const repack_walk *w);
/* The best attempt. false = refused. */
bool repack_walk_steps(const repack_walk *w, repack_steps *out);

#endif
