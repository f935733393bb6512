/* SPDX-License-Identifier: Apache-2.0 */
/* Units in which every amount of an input is a 64-bit integer: per resource the largest that divides all of them. */
#ifndef MODEL_SCALE_H
#define MODEL_SCALE_H

#include <model/snapshot.h>

/* Takes the amounts of a list into account; both arrays are by resource and start as zeroes. */
void units_take(amount *units, amount *largest, resource_list list);

/* Whether every amount of the list is a number of units that units_check() allows, in columns that the vectors of s have for it. */
bool units_count_requests(const karp_snapshot *s, resource_list list);
bool units_count_provided(const karp_snapshot *s, resource_list list); /* of a node or NodeClaim */
/* Fills in units of resources that have no amount. RANGE: the amounts of one differ too much; its name is told. */
karp_status units_check(amount *units, const amount *largest, const strings *names, karp_error *error);

#endif
