/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of types under requirements. */
#pragma once

#include <karp/objective.h>
#include <schedule/common.h>

/* The cost of a node with this price under the objective, $/h. A factor of 0 counts as 1. */
double cost_of_price(const karp_objective *aim, double price, bool is_spot);

/* The lowest price of an available offering of the type that is compatible with the set. *best receives the price;
 * false = there is none. */
bool cheapest_offering(scheduler *s, const type_table *t, uint32_t type, uint32_t set, uint32_t *best);
/* The same without reservations that have no instance left for launches which hold none. */
bool cheapest_left(scheduler *s, const type_table *t, uint32_t type, uint32_t set, uint32_t *best);
/* The types of `fitting` by lowest price under the set, then by name. The array is allocated in the arena. */
uint32_t *types_by_price(scheduler *s, const type_table *t, const uint64_t *fitting, uint32_t set, arena *a,
                         uint32_t *count);
/* Bits of the offerings that a claim with these requirements could be launched as. NULL when `failed`. */
const uint64_t *offerings_offered(scheduler *s, const type_table *t, uint32_t set);
/* The number of capacity types of launchable offerings under a set whose types were sorted by price; for another set,
 * of the whole table. */
uint32_t capacity_types_offered(const scheduler *s, const type_table *t, uint32_t set);
/* Sorts types by the same order, in place. false = out of memory. */
bool order_by_price(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t set);
/* Sorts types as Karpenter does before it leaves some out: from the catalogue's order by lowest price, with Go's
 * sort.Slice, so that equally expensive ones among more than 12 change places. */
bool peer_order_by_price(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t set);
/* Puts the types that Karpenter keeps, if it keeps `most` of them, before the others. Both parts are in price order,
 * before the call and after it. */
bool cut_by_price(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t most, uint32_t set);
/* The lowest price of an offering of the type that the labels match, available or not. false = none. */
bool cheapest_of_labels(scheduler *s, const type_table *t, uint32_t type, label_list labels, double *price);

/* The highest price of an offering that a launch could get; infinity = none is available. */
double worst_launch_price(scheduler *s, const type_table *t, uint32_t type, uint32_t set);
/* Keeps the types whose worst launch price is below the limit, in place, and returns their number. */
uint32_t types_below(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t set, double limit);
/* Whether the types, in order, satisfy the set's minValues. *needed receives the length of the shortest prefix
 * that does (0 = no minValues). */
bool min_values_needed(scheduler *s, const type_table *t, const uint32_t *types, uint32_t count, uint32_t set,
                       uint32_t *needed);
