/* SPDX-License-Identifier: Apache-2.0 */
/* Pass 1: nodes that exist (scheduling.md §12.4, §16.4, §18). */
#ifndef SCHEDULE_HOSTS_H
#define SCHEDULE_HOSTS_H

#include <schedule/scheduler.h>

/* The active nodes, initialised ones first, then by name. */
bool hosts_init(scheduler *s);
/* Daemon reserves; after the templates, because of Q-1. */
bool hosts_reserve(scheduler *s);
void hosts_free(scheduler *s);

/* Puts the pod on the first node that takes it. */
bool hosts_place(scheduler *s, uint32_t pod_number, uint32_t view_number);
/* Why the node refuses the pod, KARP_REASON_NONE if it would take it. Changes nothing. */
uint32_t host_refusal(scheduler *s, uint32_t host_index, uint32_t pod_number, uint32_t view_number);

#endif
