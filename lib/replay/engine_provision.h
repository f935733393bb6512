/* SPDX-License-Identifier: Apache-2.0 */
/* Pending pods, and the replicas of static pools. */
#pragma once

#include <replay/common.h>

struct replay_provisioning {
    int64_t batch_first, batch_due; /* KARP_NO_TIME = no batching window is open */
    int64_t static_due; /* next run of the static pools' controllers; KARP_NO_TIME = not needed */
    bool bind_complex; /* pods that the engine cannot judge may have room now */
};

void batch_open(engine *e); /* some pod is pending */
void provision(engine *e);
/* Pending pods that a decision made now has no node for. */
uint32_t provision_unplaced(engine *e);
void static_open(engine *e); /* something happened to a static pool or its nodes, if any */
void static_pools(engine *e); /* scales static pools to their replicas */
/* Launches the replacement for a drifted node of a static pool that is already marked; `own` is the command's launch,
 * `amounts` the requests of its pods. REPLAY_NONE = none is launched. */
uint32_t static_replacement(engine *e, const karp_launch *own, const int64_t amounts[RESOURCES_MOST]);
void provision_bind(engine *e); /* binds pods that the engine cannot judge to the nodes of karp_provision() */
