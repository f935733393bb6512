/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that fail: their kubelets are silent, for some time or for good. The controllers of Kubernetes then taint them,
 * and delete the pods that do not tolerate it (kube/node_health.h). Also other NoExecute taints, which pods may
 * tolerate for some seconds.
 */
#pragma once

#include <io/table.h>
#include <kube/node_health.h>
#include <replay/common.h>

struct replay_node;

typedef struct replay_failed {
    uint32_t node;
    int64_t returns_at; /* INT64_MAX = never */
    kube_watched_node watched;
} replay_failed;

/* A pod that is deleted at that time, unless the taints of its node go before. */
typedef struct replay_timer {
    uint32_t pod, life;
    int64_t at;
} replay_timer;

/* A pod of a StatefulSet that was deleted on a node that is silent: it is made anew when the old one is gone. */
typedef struct replay_stuck {
    uint32_t pod, life, node;
    int64_t at; /* when the old one is gone; INT64_MAX = not while the node stays as it is */
} replay_stuck;

struct replay_health {
    replay_failed *failed;
    size_t failed_count, failed_capacity;
    replay_timer *timers;
    size_t timer_count, timer_capacity;
    replay_stuck *stuck;
    size_t stuck_count, stuck_capacity;
    io_table zone_index; /* by name */
    kube_watched_zone *zones;
    size_t zone_count, zone_capacity;
    int64_t looked; /* the controller's last look */
    bool changed; /* nodes have come or gone since */
    int64_t due; /* when something happens next; INT64_MAX = never */
};

void health_begin(engine *e);
void health_free(engine *e);
/* The node fails now, for so long; KARP_DURATION_UNSET = for good. */
void health_fail(engine *e, uint32_t node, int64_t lasts);
/* What is due now. false = nothing was. */
bool health_go_on(engine *e);
void health_node_changed(engine *e, uint32_t node); /* it has become ready, or is gone */
void health_bound(engine *e, uint32_t pod); /* to a node with NoExecute taints */
/* A pod is deleted. On a silent node its object stays, unless it has no grace period. Returns whether its controller
 * waits until that is gone. */
bool health_keeps(engine *e, uint32_t pod);
void health_hold(engine *e, uint32_t pod, uint32_t node); /* its controller waits */
/* Whether a replay cannot be saved now. */
bool health_any(const engine *e);
