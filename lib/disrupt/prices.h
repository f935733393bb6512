/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes cost, and what a launch may cost (deprovisioning.md §14). */
#ifndef DISRUPT_PRICES_H
#define DISRUPT_PRICES_H

#include <schedule/solve.h>

/* §14.1: the first offering of that type in the labels' zone and capacity type; 0 = unknown. `reservations`: one of the
 * labels' reservation, if there is any, comes before it (without D-Q10). */
double labels_price(const karp_snapshot *w, uint32_t pool, label_list labels, bool reservations);

/* §14.2: the dearest offering that a launch could get; infinite = none is available. */
double worst_launch_price(scheduler *s, const type_table *t, uint32_t type, uint32_t set);
/* Keeps the types whose worst price is below the limit; returns how many. In place. */
uint32_t types_below(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t set, double limit);
/* §14.4: whether the types in order satisfy the set's minValues; *needed receives how many of them do already (0 = no minValues). */
bool min_values_needed(scheduler *s, const type_table *t, const uint32_t *types, uint32_t count, uint32_t set,
                       uint32_t *needed);

#endif
