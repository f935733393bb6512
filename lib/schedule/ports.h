/* SPDX-License-Identifier: Apache-2.0 */
/* Host ports in use on a node or claim (scheduling.md §9). */
#ifndef SCHEDULE_PORTS_H
#define SCHEDULE_PORTS_H

#include <schedule/claims.h>

typedef struct port_use {
    host_port port;
    uint32_t pod; /* a pod never conflicts with what is recorded under its name; NO_ID = no pod's name */
} port_use;

/* Whether daemons on the types of the group hold the pod's ports on the claim. A pod that is there has taken the place of
 * what was recorded under its name. */
bool ports_clash_daemons(scheduler *s, const daemon_group *g, const claim *c, uint32_t pod, host_port_list ports);
/* Whether the pod's ports are taken by other pods. */
bool ports_clash(const port_use *uses, uint32_t count, uint32_t pod, host_port_list ports);
bool ports_take(scheduler *s, port_use **uses, uint32_t *count, uint32_t *capacity, uint32_t pod, host_port_list ports);

#endif
