/* SPDX-License-Identifier: Apache-2.0 */
/* What pods mean for a drain (deprovisioning.md §3, the part that only drains ask for). Pure. */
#ifndef DISRUPT_POD_CLASS_H
#define DISRUPT_POD_CLASS_H

#include <model/snapshot.h>

/* Its deletion should have been over for a minute. */
bool pod_stuck(const pod *p, int64_t now);
/* A drain waits for it while it is not terminal: it leaves the node, and is not past its time. */
bool pod_drainable(const karp_snapshot *s, const pod *p, int64_t now);

#endif
