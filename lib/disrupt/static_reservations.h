/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the reservations that a static pool launches from are full (K15-10). */
#ifndef DISRUPT_STATIC_RESERVATIONS_H
#define DISRUPT_STATIC_RESERVATIONS_H

#include <disrupt/pass.h>

typedef struct pool_reservations {
    bool full; /* the pool has nothing but full reservations */
    const uint32_t *offered; /* text ids of the available reservations, if full */
    uint32_t offered_count;
} pool_reservations;

/* Status: OK, NOMEM. */
karp_status static_reservations(pass *p, uint32_t pool, pool_reservations *out, karp_error *error);
/* Whether the candidate's node uses one of these reservations. */
bool holds_reservation(const pass *p, const candidate *c, const pool_reservations *r);
/* The reservation from which the candidate's node was launched; NO_ID = none. */
uint32_t reservation_held(const pass *p, const candidate *c);
/* Whether the pool is ready and not being deleted. */
bool pool_may_launch_later(const pass *p, uint32_t pool);

#endif
