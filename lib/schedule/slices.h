/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of pods sorted by name, as slices of the queue.
 *
 * Pods of equal age with numbered names are consecutive in the queue and already sorted by name. Such a part of the
 * queue is a stretch. The list of a claim with pods of one stretch is a slice of the snapshot's queue and needs no
 * memory of its own. The pods of several stretches are merged.
 */
#ifndef SCHEDULE_SLICES_H
#define SCHEDULE_SLICES_H

#include <schedule/report.h>

/* The pods of every claim, allocated in `a` unless they are a slice of the queue. Placements must be recorded in
 * runs. *out stays NULL when the stretches are too short to be worth it. false = out of memory. */
bool gather_slices(const scheduler *s, arena *a, pod_list **out);

#endif
