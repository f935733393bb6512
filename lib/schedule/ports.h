/* SPDX-License-Identifier: Apache-2.0 */
/* Host ports in use on a node or claim (scheduling.md §9). */
#ifndef SCHEDULE_PORTS_H
#define SCHEDULE_PORTS_H

#include <schedule/scheduler.h>

typedef struct port_use {
    host_port port;
    uint32_t pod; /* a pod never conflicts with itself */
} port_use;

bool ports_clash_lists(host_port_list x, host_port_list y);
/* Whether the pod's ports are taken by other pods. */
bool ports_clash(const port_use *uses, uint32_t count, uint32_t pod, host_port_list ports);
bool ports_take(scheduler *s, port_use **uses, uint32_t *count, uint32_t *capacity, uint32_t pod, host_port_list ports);

#endif
