/* SPDX-License-Identifier: Apache-2.0 */
/* Existing nodes: pass 1 of placing a pod (scheduling.md §12.4, §16.4, §18). */
#ifndef SCHEDULE_HOSTS_H
#define SCHEDULE_HOSTS_H

#include <schedule/common.h>

/* An existing node, as a target (§16.4, §18). */
typedef struct host {
    uint32_t node; /* state node */
    uint32_t number; /* host number, as host groups count it */
    uint32_t set;
    int64_t *left; /* remaining */
    bool negative; /* some entry was below zero from the start: it takes nothing */
    bool shielded; /* under consolidateAfter, for a simulation */
    uint32_t received; /* pods placed by this round */
    bool touched; /* it has received pods, so the round's end has to restore it */
    int64_t *saved; /* what `left` was before */
    bool ports_loaded, volumes_loaded; /* bound pods' ports and volumes are read when first asked for */
    struct port_use *ports; /* see ports.h */
    uint32_t port_count, port_capacity, ports_bound; /* ports_bound: those of bound pods */
    struct node_volumes *volumes; /* see volumes.h; NULL = the node has no limits, or they are not loaded */
} host;

struct hosts {
    host *items;
    uint32_t count;
    const int64_t *before; /* [host * dims]: what each has left; of those that have received pods, now */
    uint32_t *of_node; /* state node -> host, NO_ID = not offered in any round */
    uint64_t *offered; /* hosts that are not removed in this round */
    uint64_t *shielded; /* hosts under consolidateAfter; NULL = none is */
    uint64_t *marked_nodes; /* by store node: being deleted */
    uint64_t *
        marked_names; /* by names id: what state nodes that are being deleted are called; NULL unless nodes are shielded */
};

/* The active nodes, initialised ones first, then by name. */
bool hosts_init(scheduler *s);
/* The taints of a node that count for scheduling; a node that is being rebooted comes back (K15-9). */
taint_list taints_of_node(const scheduler *s, const state_node *n);
/* Daemon reserves; after the templates, because of Q-1. */
bool hosts_reserve(scheduler *s);
void hosts_free(scheduler *s);

/* Places the pod on the first node that takes it. */
bool hosts_place(scheduler *s, uint32_t pod_number, uint32_t view_number);
/* Places it on this one, if the node takes it. */
bool hosts_place_on(scheduler *s, uint32_t host_index, uint32_t pod_number, uint32_t view_number);
/* The nodes that take a pod when nothing has been placed yet, shielded ones among them; *narrows is set when one of them would have
 * other requirements then. The view's pods ask for no host ports, host names, volumes or devices, and no group of topology counts
 * them. Returns how many. */
uint32_t hosts_open_to(scheduler *s, uint32_t view_number, uint32_t *out, bool *narrows);
/* Whether the pod may go to nodes under consolidateAfter. */
bool hosts_exempt(const scheduler *s, uint32_t pod_number);
/* Why the node does not take the pod; KARP_REASON_NONE if it would. Changes nothing. */
uint32_t host_refusal(scheduler *s, uint32_t host_index, uint32_t pod_number, uint32_t view_number);

#endif
