/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units in which every amount of an input is a 64-bit integer: for each resource the largest unit that divides all of
 * its amounts.
 */
#ifndef MODEL_SCALE_H
#define MODEL_SCALE_H

#include <model/snapshot.h>

/* Includes the amounts of a list. Both arrays are by resource and initially zero. */
void units_take(amount *units, amount *largest, resource_list list);

/* Whether every amount of the list is an integer number of units within the range of units_check(), and its resources
 * have columns in the vectors of s. */
bool units_count_requests(const karp_snapshot *s, resource_list list);
bool units_count_provided(const karp_snapshot *s, resource_list list); /* for amounts of a node or NodeClaim */
/* Sets the units of resources without amounts. RANGE: the amounts of one resource differ too much; the error names
 * it. */
karp_status units_check(amount *units, const amount *largest, const strings *names, karp_error *error);

#endif
