/* SPDX-License-Identifier: Apache-2.0 */
/* Pod classification for a drain (deprovisioning.md §3, the part that only drains need). Pure functions. */
#ifndef DISRUPT_POD_CLASS_H
#define DISRUPT_POD_CLASS_H

#include <model/snapshot.h>

/* Whether the pod's deletion is overdue by a minute. */
bool pod_stuck(const pod *p, int64_t now);
/* Whether a drain waits for the pod while it is not terminal: the pod can be drained and is not stuck. */
bool pod_drainable(const karp_snapshot *s, const pod *p, int64_t now);

#endif
