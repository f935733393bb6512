/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of pods by name, for runs in whose order of scheduling names ascend as well, over stretches: pods that are as old as
 * one another and numbered. A claim with one such stretch has no list of its own, but a slice of the snapshot's queue; several
 * are merged.
 */
#ifndef SCHEDULE_SLICES_H
#define SCHEDULE_SLICES_H

#include <schedule/report.h>

/* The pods of every claim, in `a` where they are no slice of the queue; the round is in runs. *out stays NULL when the
 * stretches are too short to be worth it. false = out of memory. */
bool gather_slices(const scheduler *s, arena *a, pod_list **out);

#endif
