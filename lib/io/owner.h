/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a pod's workload from its ownerReferences, up to the Deployment that owns its ReplicaSet. */
#pragma once

#include <io/reader.h>

typedef struct io_owner {
    /* "Deployment", "Job", "DaemonSet", "Node" …, a kind of pod_kinds.h, or "another's"; "" = none */
    const char *kind;
    karp_str name;
} io_owner;

/* The object's controller, from its metadata. */
io_owner io_controller(const tree *root);
/* The same, but for a ReplicaSet its Deployment or other owner, if the input or the names show it. Call it after
 * everything has been read. */
io_owner io_workload_of(const karp_reader *reader, const tree *pod);
/* The Deployment whose ReplicaSet has this name ("web" for "web-6d4f8b9c7"). "" = the name does not end with a hash. */
karp_str io_deployment_of_set(karp_str set);
/* The same for a ReplicaSet that controls this pod. The pod's labels may contain the hash. */
karp_str io_deployment_by_name(const tree *pod, karp_str set);
typedef struct io_top {
    karp_str kind, name; /* "" = none */
} io_top;
/* The controller of an object, and its controller's, as far as the input shows. */
io_top io_top_owner(const karp_reader *reader, const tree *root);
/* The object's namespace, "default" if none is stated. */
karp_str io_namespace(const tree *root);
/* Whether the pod has terminated, and so is not counted. */
bool io_pod_ended(const tree *pod);

/* Counts a pod of the input for its controller. false = out of memory. */
bool io_note_owned(karp_reader *reader, const tree *pod);
/* Called after everything has been read: counts pods of ReplicaSets for their Deployments too. Errors: NOMEM. */
karp_status io_settle_owned(karp_reader *reader);
/* The number of a Job's pods in the input that have succeeded. */
uint32_t io_succeeded(const karp_reader *reader, karp_str namespace_, karp_str name);
/* The number of the workload's pods in the input that have not ended. */
uint32_t io_owned(const karp_reader *reader, const char *kind, karp_str namespace_, karp_str name);
