/* SPDX-License-Identifier: Apache-2.0 */
/* Costs and other figures, as sums over time. */
#pragma once

#include <replay/result.h>

struct replay_meter {
    replay_result result;
    int64_t metered; /* the end of the time already integrated */
    double cost_rate; /* of all running nodes */
    int64_t cpu_asked, cpu_had, memory_asked, memory_had; /* of ready nodes */
    double sums[4]; /* integrals of these four over time */
    double *waits; /* waiting time of every started pod, in seconds */
    size_t wait_count, wait_capacity;
    int64_t next_point, step;
    size_t running, nodes_running, nodes_starting;
};

void meter_to(engine *e, int64_t at);
void meter_node(engine *e, uint32_t node); /* before any change on the node */
void meter_ended(engine *e, uint32_t node); /* the node has ended */
void meter_wait(engine *e, int64_t nanoseconds);
void meter_end(engine *e);
