/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of equal pods that change a claim by nothing but its amounts: they are placed by counting, with the answers of one
 * after the other.
 *
 * The pod of a run goes to the claim with the fewest pods, and takes it to the front of those with one more. So a run goes
 * over the claims in sweeps: first those that the sweep before has reached, the last first, then those that have had as many
 * all along; whoever has no room left drops out for good.
 */
#ifndef SCHEDULE_CLAIM_RUNS_H
#define SCHEDULE_CLAIM_RUNS_H

#include <schedule/views.h>

/* Whether runs of the view may be placed so; of a pod of it that went on a claim all nodes have refused the next. */
bool claims_countable(scheduler *s, const view *v);
/* Places as many of `pods`, more of the view's run, as it can; how many that were. The one before them went on a claim. `first`:
 * where they stand in the queue. */
uint32_t claims_fill(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t view_number);

#endif
