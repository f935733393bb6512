/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands for one node that must be removed at any cost: replaced, or terminated before its replacement is launched
 * (K15-10).
 */
#pragma once

#include <disrupt/pass.h>

struct departure; /* whole_groups.h */

/* Whether this feature gate permits terminating nodes first. */
bool terminate_first_on(const pass *p, uint32_t gate);

/* Finds room for the pods of the nodes, or, with `terminate_first` and a single node on a reservation, checks that
 * there is room once the node is gone. Adds the command, or records in `stays` why there is none. *done: the method has
 * ended. The candidates must outlive the method. Status: OK, NOMEM. */
karp_status move_pods_away(pass *p, const struct departure *d, bool terminate_first, bool *done, karp_error *error);

/* Commands for a node of a static pool: one launch of the pool's template as its replacement, or none yet. false = out
 * of memory. */
bool replace_static_node(pass *p, const uint32_t *number);
bool terminate_static_node(pass *p, const uint32_t *number, uint32_t why);

/* Whether the reservations that a static pool launches from are full. */
typedef struct pool_reservations {
    bool full; /* the pool has nothing but full reservations */
    const uint32_t *offered; /* text ids of the available reservations, if full */
    uint32_t offered_count;
} pool_reservations;

/* Status: OK, NOMEM. */
karp_status static_reservations(pass *p, uint32_t pool, pool_reservations *out, karp_error *error);
/* Whether the candidate's node uses one of these reservations. */
bool holds_reservation(const pass *p, const candidate *c, const pool_reservations *r);
/* Whether the pool is ready and not being deleted. */
bool pool_may_launch_later(const pass *p, uint32_t pool);
