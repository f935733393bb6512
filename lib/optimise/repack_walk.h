/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans that are built step by step, for budgets that let a step remove only few nodes. If a complete plan were
 * split, most steps would have to launch capacity that only later ones need, and would not pay. Here each step uses
 * the free space there is by then, chooses its own launches, and has to pay. The search is over the nodes to remove:
 * a fixed sequence of attempts, each a variation of the best one so far.
 */
#pragma once

#include <optimise/repack_steps.h>

typedef struct repack_walk repack_walk;

/* All arguments are borrowed. NULL = out of memory. */
repack_walk *repack_walk_begin(karp_context *context, const repack_problem *p, const repack_pods *pods,
                               const repack_limits *limits);
void repack_walk_end(repack_walk *w); /* NULL is allowed */
/* Excludes the node from removal from now on. Forgets the best attempt if that removes it. */
void repack_walk_keep(repack_walk *w, uint32_t which);
/* Continues from these steps if they save more and remove only nodes that can be removed. false = out of memory. */
bool repack_walk_take(repack_walk *w, const repack_steps *steps);
/* Continues for so many steps of work, with at most `most` evictions. Also starts from the nodes that the plan `from`
 * removes. false = out of memory. */
bool repack_walk_run(repack_walk *w, const repack_plan *from, uint64_t most, uint64_t steps);
double repack_walk_saving(const repack_walk *w); /* $/h, for the best attempt; 0 = there is none */
uint64_t repack_walk_work(const repack_walk *w);
/* Copies the best attempt. false = out of memory. */
bool repack_walk_steps(const repack_walk *w, repack_steps *out);
