/* SPDX-License-Identifier: Apache-2.0 */
/* Whether some nodes can go, at most one cheaper one taking their place (deprovisioning.md §13, §15, §16 step 4). */
#ifndef DISRUPT_CONSOLIDATE_H
#define DISRUPT_CONSOLIDATE_H

#include <disrupt/simulate.h>

typedef struct attempt {
    bool possible;
    command command; /* when possible; its simulation is the caller's */
    uint32_t outcome; /* of the simulation */
    uint32_t code; /* why it is not possible */
    karp_str detail; /* borrowed from the snapshot or the pass */
} attempt;

/* Candidates in the order of the command; the array must outlive it. With `filter_types` a replacement must not be of a
 * type that is removed (several nodes). Balanced pools are asked. Status: OK, NOMEM. */
karp_status consolidate(pass *p, const uint32_t *candidates, uint32_t count, bool filter_types, attempt *out,
                        karp_error *error);

/* §14.5 for a command whose replacements are settled. */
double command_savings(const pass *p, const command *c);

/* same_type.c: leaves only types that are cheaper than what is kept of their kind; false = none, or minValues broken. */
bool same_type_filter(const pass *p, const command *c, replacement *r);

#endif
