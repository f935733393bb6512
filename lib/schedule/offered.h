/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULE_OFFERED_H
#define SCHEDULE_OFFERED_H

#include <schedule/common.h>

/* Finds out whether some NodePool has an offering that is compatible with the pod, available or not, and of a type that
 * is large enough for it. Limits, other pods and DaemonSets do not count. false = out of memory. */
bool scheduler_is_offered(scheduler *s, uint32_t pod_number, bool *offered);

#endif
