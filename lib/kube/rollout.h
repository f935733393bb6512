/* SPDX-License-Identifier: Apache-2.0 */
/* How a Deployment moves from one ReplicaSet to another: what its controller does in one look. */
#pragma once

#include <json/tree.h>

/* A ReplicaSet: the Deployment's pods of one template. */
typedef struct kube_set {
    bool made; /* it exists */
    int32_t size; /* how many pods it should have */
    int32_t available; /* of those that it has and that do not terminate: ready for minReadySeconds */
    int32_t pods; /* that it still has, also those that terminate */
    int32_t desired, most; /* the Deployment's replicas when it was sized last, and these with the surge */
    int32_t share; /* not read: what it gets of a change of the replicas */
} kube_set;

typedef struct kube_deployment {
    int32_t replicas;
    int32_t surge, unavailable; /* kube_rollout_bounds() */
    bool recreate; /* strategy Recreate */
    bool paused;
    kube_set *sets; /* oldest first */
    size_t count;
    size_t newest; /* the one of the present template, which need not exist yet */
} kube_deployment;

/* An amount of spec.strategy.rollingUpdate. */
typedef struct kube_bound {
    bool percent;
    int32_t value;
} kube_bound;

/* What a Deployment's spec says of rollouts. */
typedef struct kube_strategy {
    kube_bound surge, unavailable;
    bool recreate, paused;
    int64_t min_ready; /* minReadySeconds, in nanoseconds */
} kube_strategy;

/* Amounts beyond these are refused: nobody has so many pods. */
enum { KUBE_PODS_MOST = 1000000, KUBE_PERCENT_MOST = 1000 };

/* Reads spec.strategy, spec.paused and spec.minReadySeconds. NULL = they are right; otherwise the wrong field. */
const char *kube_strategy_read(const tree *spec, kube_strategy *out);
/* Sets surge and unavailable of the replicas that it has now. */
void kube_rollout_bounds(kube_deployment *d, kube_bound surge, kube_bound unavailable);
/* One look of the controller, which changes sizes or makes the newest set. false = there is nothing to do. */
bool kube_rollout_look(kube_deployment *d);
