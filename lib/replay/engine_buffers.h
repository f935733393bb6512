/* SPDX-License-Identifier: Apache-2.0 */
/* CapacityBuffers: their virtual pods are part of every decision, and never bound. */
#pragma once

#include <replay/common.h>

struct replay_buffers {
    io_table index; /* "namespace/name" of a virtual pod -> its number */
    int64_t (*requests)[RESOURCES_MOST]; /* by number */
    size_t count, capacity;
    int64_t deadline; /* when the next one gives up; KARP_NO_TIME = none does */
    int64_t looked; /* when deadlines were looked at last; 0 = never */
    uint64_t decided; /* number of changes of the cluster (disruption.changes) at the last decision */
};

/* Reads the virtual pods of the objects from a snapshot without other pods. Errors are in the engine. */
karp_status buffers_read(engine *e, const karp_snapshot *snapshot);
/* What a virtual pod requests; NULL = the decision's pod is none. */
const int64_t *buffer_requests(const engine *e, karp_str pod);
/* With the preview one-shot-buffers: counts the bound pods that have consumed a buffer that is not filled again, and
 * notes that a fill deadline is over. */
void buffers_consume(engine *e);
/* Whether there are buffers, and the cluster has changed since the last decision. */
bool buffers_wait(const engine *e);
void buffers_decided(engine *e);
/* Karpenter looks at its buffers every 30 s: schedules that decision, if it can differ from the last one. */
void buffers_open(engine *e);
void buffers_free(engine *e);
