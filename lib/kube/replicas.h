/* SPDX-License-Identifier: Apache-2.0 */
/* Which pods a ReplicaSet deletes when it has too many. */
#pragma once

#include <karp/objects.h>
#include <stdbool.h>

typedef struct kube_replica {
    uint32_t number; /* the caller's, not read */
    bool assigned, ready; /* assigned: to a node */
    uint32_t phase; /* KARP_PHASE_* */
    int32_t cost; /* kube_deletion_cost() */
    uint32_t rank; /* how many active pods of the ReplicaSet's owner are on its node */
    uint32_t restarts, sidecar_restarts; /* of the container with the most */
    int64_t ready_since, created; /* instants; KARP_NO_TIME = not stated */
    karp_str uid;
    int64_t ready_age, age; /* set by kube_sort_replicas() */
} kube_replica;

/* The cost that an annotation controller.kubernetes.io/pod-deletion-cost states; 0 if it is none. */
int32_t kube_deletion_cost(karp_str text);
/* Puts those that are deleted first at the front; equal ones keep their order. false = out of memory. */
bool kube_sort_replicas(karp_context *context, kube_replica *list, size_t count, int64_t now);
