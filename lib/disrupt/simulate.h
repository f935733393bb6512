/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduling run inside a disruption (deprovisioning.md §9): the cluster without the candidates. */
#ifndef DISRUPT_SIMULATE_H
#define DISRUPT_SIMULATE_H

#include <disrupt/pass.h>
#include <schedule/result.h>

enum { SIMULATED, SIMULATION_STOPPED, SIMULATION_NO_POOLS };

typedef struct simulation {
    uint32_t outcome; /* what follows is valid for SIMULATED only */
    scheduler *s; /* the finished run */
    karp_options options;
    arena data;
    round_result result;
    karp_status status; /* of one made ahead */
    uint32_t candidate; /* likewise: whom it is for */
    uint32_t *removed, *extra; /* state nodes without which it runs, pods that move */
    uint32_t removed_count, extra_count;
    run_options how;
} simulation;

/* How a simulation is run. */
typedef struct simulation_kind {
    bool shield; /* nodes under consolidateAfter are closed to pods that move */
    bool all_pods; /* every reschedulable pod moves, whatever budgets say */
    bool strict; /* reservations defer (K15-10) … */
    reservation_credit credit; /* … and this one has slots back */
} simulation_kind;

/* Runs it for candidates (indices in p->candidates, in the order of the command). `consolidation`: nodes under
 * consolidateAfter are closed to pods that move. Status: OK, NOMEM; *out is the caller's. */
karp_status simulate(pass *p, const uint32_t *candidates, uint32_t count, bool consolidation, simulation **out,
                     karp_error *error);
karp_status simulate_as(pass *p, const uint32_t *candidates, uint32_t count, const simulation_kind *kind,
                        simulation **out, karp_error *error);
void simulation_free(pass *p, simulation *m);
/* Whether it is certain without one that the candidates stay, where only commands are asked for: neither do their pods fit on the
 * other nodes, nor on one that costs less than `limit`. Status: OK, NOMEM. */
karp_status simulation_in_vain(pass *p, const uint32_t *candidates, uint32_t count, double limit, bool *vain,
                               karp_error *error);

/* Ahead of their turn, and as they would be then: simulations of candidates that go one by one, on threads that are lent. */
/* Whether threads are lent, and nobody counts or stops the work. */
bool may_simulate_ahead(const pass *p);
karp_status simulate_ahead(pass *p, const uint32_t *candidates, uint32_t count, karp_error *error);
void forget_simulations_ahead(pass *p); /* those whose turn did not come */

/* Frees the schedulers that were kept for later simulations. */
void simulations_end(pass *p);

/* The method cannot be evaluated: no NodePool could start a node. */
void no_usable_pools(pass *p);

#endif
