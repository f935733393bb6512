/* SPDX-License-Identifier: Apache-2.0 */
/* Existing nodes: pass 1 of placing a pod. */
#pragma once

#include <schedule/common.h>

/* An existing node as a target of placements. */
typedef struct host {
    uint32_t node; /* state node */
    uint32_t number; /* host number, as used by groups about host names */
    uint32_t set;
    int64_t *left; /* free capacity */
    bool negative; /* some entry was negative from the start: with S-Q24 it receives no pods */
    bool shielded; /* protected by consolidateAfter in a simulation */
    uint32_t received; /* pods placed by this round */
    bool touched; /* it has received pods, so its state is restored after the round */
    int64_t *saved; /* `left` before the round */
    /* whether the ports and volumes of bound pods have been loaded, which happens on first use */
    bool ports_loaded, volumes_loaded;
    struct port_use *ports; /* see ports.h */
    uint32_t port_count, port_capacity, ports_bound; /* ports_bound: how many of them belong to bound pods */
    struct node_volumes *volumes; /* see volumes.h; NULL = the node has no limits, or they are not loaded yet */
} host;

/* The latest changes of nodes in rounds that place groups, in a ring: host << 1, + 1 if it got back what it had before.
 * Classes and domains find out from it what they have to look at again. */
enum { CHANGES_KEPT = 4096 };
struct host_changes {
    uint32_t *ring; /* NULL = there were none */
    uint64_t count; /* of all rounds */
};

struct hosts {
    host *items;
    uint32_t count;
    bool loaded; /* ports or volumes of some host */
    /* [host * dims]: free capacity of each host; for hosts that received pods, the current one */
    const int64_t *before;
    struct host_changes changes;
    uint32_t *of_node; /* state node -> host, NO_ID = not available in any round */
    uint64_t *offered; /* bits of hosts that are not removed in this round */
    uint64_t *shielded; /* bits of hosts protected by consolidateAfter; NULL = none */
    uint64_t *marked_nodes; /* by store node: it is being deleted */
    /* by names id: names of state nodes that are being deleted; NULL unless nodes are shielded */
    uint64_t *marked_names;
};

/* Creates the hosts of active nodes: initialized ones first, then by name. */
bool hosts_init(scheduler *s);
/* The taints of a node that count for scheduling. A node that is being rebooted is expected to return (K15-9). */
taint_list taints_of_node(const scheduler *s, const state_node *n);
/* Reserves capacity for daemons. Call after the templates are set up, because of Q-1. */
bool hosts_reserve(scheduler *s);
void hosts_free(scheduler *s);

/* Records a change of the node. false = out of memory. */
bool hosts_changed(scheduler *s, uint32_t host_index, bool restored);
/* Places the pod on the first node that accepts it. */
bool hosts_place(scheduler *s, uint32_t pod_number, uint32_t view_number);
/* Whether a node is left that has not rejected the view's pods for the rest of the round. */
bool hosts_remain(scheduler *s, uint32_t view_number);
/* Places the pod on this node, if the node accepts it. */
bool hosts_place_on(scheduler *s, uint32_t host_index, uint32_t pod_number, uint32_t view_number);
/* What nodes answer to pods of a view while nothing has been placed yet, in the scheduler's arena. NULL = out of
 * memory. The view's pods must use no host ports, host names, volumes or devices, and no topology group may count them.
 */
struct host_answers *host_answers_new(scheduler *s, uint32_t view_number);
/* The next node from this one on that accepts a pod; NO_ID = none. `everywhere`: shielded ones, too. *narrows receives
 * whether the pod would narrow the node's requirements. */
uint32_t hosts_next_open(scheduler *s, uint32_t view_number, struct host_answers *answers, bool everywhere,
                         uint32_t from, bool *narrows);
/* Whether the pod may be placed on nodes protected by consolidateAfter. */
bool hosts_exempt(const scheduler *s, uint32_t pod_number);
/* Whether the node is there in this round: not one of those that it removes. */
bool host_stays(const scheduler *s, uint32_t host_index);
/* The reason why the node rejects the pod; KARP_REASON_NONE if it would accept it. Changes nothing. */
uint32_t host_refusal(scheduler *s, uint32_t host_index, uint32_t pod_number, uint32_t view_number);
