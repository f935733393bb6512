/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduling simulation of a disruption: the cluster without the candidates. */
#pragma once

#include <disrupt/pass.h>
#include <schedule/result.h>

enum { SIMULATED, SIMULATION_STOPPED, SIMULATION_NO_POOLS };

typedef struct simulation {
    uint32_t outcome; /* the members below are valid for SIMULATED only */
    scheduler *s; /* the finished run */
    karp_options options;
    arena data;
    round_result result;
    karp_status status; /* status of a simulation run in advance */
    uint32_t candidate; /* likewise: its candidate */
    uint32_t *removed, *extra; /* state nodes to leave out, pods to reschedule */
    uint32_t removed_count, extra_count;
    run_options how;
} simulation;

/* Variants of a simulation. */
typedef struct simulation_kind {
    bool shield; /* nodes under consolidateAfter are closed to rescheduled pods */
    bool all_pods; /* every reschedulable pod moves, regardless of PodDisruptionBudgets */
    bool strict; /* reservations defer (K15-10) */
    reservation_credit credit; /* slots returned to one reservation */
} simulation_kind;

/* Runs a simulation for candidates (indices in p->candidates, in the order of the command). `consolidation`: nodes
 * under consolidateAfter are closed to rescheduled pods. Status: OK, NOMEM; the caller owns *out. */
karp_status simulate(pass *p, const uint32_t *candidates, uint32_t count, bool consolidation, simulation **out,
                     karp_error *error);
karp_status simulate_as(pass *p, const uint32_t *candidates, uint32_t count, const simulation_kind *kind,
                        simulation **out, karp_error *error);
void simulation_free(pass *p, simulation *m);
/* Whether the candidates certainly stay, decided without a simulation, where only commands are needed: their pods fit
 * neither on the other nodes nor on a new node that costs less than `limit`. Status: OK, NOMEM. */
karp_status simulation_in_vain(pass *p, const uint32_t *candidates, uint32_t count, double limit, bool *vain,
                               karp_error *error);

/* Simulations in advance, on the caller's threads, for candidates that are tried one by one. Their results are the same
 * as in turn. */
/* Whether there are threads, and no limit or cancellation of the work. */
bool may_simulate_ahead(const pass *p);
karp_status simulate_ahead(pass *p, const uint32_t *candidates, uint32_t count, karp_error *error);
void forget_simulations_ahead(pass *p); /* discards those whose turn did not come */

/* Frees the schedulers kept for later simulations. */
void simulations_end(pass *p);

/* Records that the method cannot be evaluated because no NodePool could launch a node. */
void no_usable_pools(pass *p);
