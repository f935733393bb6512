/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the reservations that a static pool launches from are full (K15-10). */
#ifndef DISRUPT_STATIC_RESERVATIONS_H
#define DISRUPT_STATIC_RESERVATIONS_H

#include <disrupt/pass.h>

typedef struct pool_reservations {
    bool full; /* nothing else than full reservations is there for the pool */
    const uint32_t *offered; /* text ids of those that are available, when it is */
    uint32_t offered_count;
} pool_reservations;

/* Status: OK, NOMEM. */
karp_status static_reservations(pass *p, uint32_t pool, pool_reservations *out, karp_error *error);
/* Whether the candidate's node holds one of them. */
bool holds_reservation(const pass *p, const candidate *c, const pool_reservations *r);
/* The reservation that the candidate's node was launched from, NO_ID = none. */
uint32_t reservation_held(const pass *p, const candidate *c);
/* Whether the pool is ready and stays. */
bool pool_may_launch_later(const pass *p, uint32_t pool);

#endif
