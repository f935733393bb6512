/* SPDX-License-Identifier: Apache-2.0 */
/* Consecutive pods in the queue of their snapshot that have the same placement. */
#ifndef DECISION_POD_RUN_H
#define DECISION_POD_RUN_H

#include <stdint.h>

typedef struct pod_run {
    uint32_t first, count; /* positions in snapshot.queue */
    uint32_t target; /* while scheduling a NodeClaim; in a decision a launch */
} pod_run;

#endif
