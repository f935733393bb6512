/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search among sets of nodes: a few nodes of the best plan are exchanged for cheaper ones, and then all pods are
 * packed onto the nodes that there are. It finds what ruin and recreate hardly does: few large nodes, nearly all of
 * whose capacity is used.
 */
#pragma once

#include <optimise/packing.h>

typedef struct fleet fleet;

/* NULL = out of memory. */
fleet *fleet_begin(karp_context *context, const packing_problem *p);
void fleet_end(fleet *f);
/* From now on it begins with this plan, if it is cheaper. false = out of memory. */
bool fleet_start(fleet *f, const packing_bins *from);
/* Continues until `steps` steps have been done in total. false = out of memory. */
bool fleet_search(fleet *f, uint64_t steps);
/* Packs all pods onto these nodes, if they are cheaper and it succeeds. It begins with the contents. false = out of
 * memory. */
bool fleet_try(fleet *f, const packing_contents *nodes);
uint64_t fleet_steps(const fleet *f);
/* The cheapest plan so far; infinite cost = none that is cheaper than those it started from. */
const packing_bins *fleet_best(const fleet *f);
