/* SPDX-License-Identifier: Apache-2.0 */
/* Host ports in use on a node or claim. */
#pragma once

#include <schedule/claims.h>

typedef struct port_use {
    host_port port;
    uint32_t pod; /* a pod does not conflict with ports that are recorded for itself; NO_ID = not recorded for a pod */
} port_use;

/* Whether the pod's ports conflict with those of daemons that run on the group's types on the claim. A pod that is
 * already there has replaced what was recorded for it. */
bool ports_clash_daemons(scheduler *s, const daemon_group *g, const claim *c, uint32_t pod, host_port_list ports);
/* Whether the pod's ports are in use by other pods. */
bool ports_clash(const port_use *uses, uint32_t count, uint32_t pod, host_port_list ports);
bool ports_take(scheduler *s, port_use **uses, uint32_t *count, uint32_t *capacity, uint32_t pod, host_port_list ports);
