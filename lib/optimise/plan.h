/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <schedule/options.h>
#include <schedule/solve.h>

/* What provision_view() decides with the objective COST. */
karp_status provision_for_cost(const karp_snapshot *seen, const karp_options *options, const karp_objective *objective,
                               const round_changes *changes, karp_decision **out, karp_error *error);
/* The cheapest plan for the pods that move, of which no decision is made: the scheduler, which is the caller's, then
 * has its round. *cost: of its launches; HUGE_VAL = there is none. Status: OK (also if it was stopped), NOMEM,
 * CANCELED. */
karp_status plan_anew(scheduler *s, const karp_snapshot *seen, const run_options *how, const karp_objective *objective,
                      const round_changes *changes, double *cost, karp_error *error);
