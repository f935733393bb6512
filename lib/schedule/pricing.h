/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of types under requirements (scheduling.md §10.4, deprovisioning.md §14). */
#ifndef SCHEDULE_PRICING_H
#define SCHEDULE_PRICING_H

#include <karp/objective.h>
#include <schedule/common.h>

/* What a node of that price costs whoever aims so: $/h. A factor of 0 is as 1. */
double cost_of_price(const karp_objective *aim, double price, bool is_spot);

/* The least price of an available offering of the type compatible with the set; false = none. *best receives it. */
bool cheapest_offering(scheduler *s, const type_table *t, uint32_t type, uint32_t set, uint32_t *best);
/* Types of `bits` by least price under the set, then by name; the array is in the arena. */
uint32_t *types_by_price(scheduler *s, const type_table *t, const uint64_t *fitting, uint32_t set, arena *a,
                         uint32_t *count);
/* How many capacity types the launchable offerings have under a set whose types were ordered by price; else all of the table. */
uint32_t capacity_types_offered(const scheduler *s, const type_table *t, uint32_t set);
/* Orders types likewise, in place; false = refused memory. */
bool order_by_price(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t set);
/* The least price of an offering of the type that the labels agree with, available or not; false = none. */
bool cheapest_of_labels(scheduler *s, const type_table *t, uint32_t type, label_list labels, double *price);

/* §14.2: the dearest offering that a launch could get; infinite = none is available. */
double worst_launch_price(scheduler *s, const type_table *t, uint32_t type, uint32_t set);
/* Keeps the types whose worst price is below the limit; returns how many. In place. */
uint32_t types_below(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t set, double limit);
/* §14.4: whether the types in order satisfy the set's minValues; *needed receives how many of them do already (0 = no minValues). */
bool min_values_needed(scheduler *s, const type_table *t, const uint32_t *types, uint32_t count, uint32_t set,
                       uint32_t *needed);

#endif
