/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that stand one behind the other in the queue of their snapshot, and went the same way. */
#ifndef DECISION_POD_RUN_H
#define DECISION_POD_RUN_H

#include <stdint.h>

typedef struct pod_run {
    uint32_t first, count; /* places in snapshot.queue */
    uint32_t target; /* while scheduling a claim; in a decision a launch */
} pod_run;

#endif
