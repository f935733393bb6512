/* SPDX-License-Identifier: Apache-2.0 */
/* Which workload a pod belongs to: what its ownerReferences say, up to the Deployment of its ReplicaSet. */
#ifndef IO_OWNER_H
#define IO_OWNER_H

#include <io/reader.h>

typedef struct io_owner {
    const char
        *kind; /* "Deployment", "ReplicaSet", "StatefulSet", "Job", "DaemonSet", "Node" or another's; "" = none */
    karp_str name;
} io_owner;

/* The object that controls this one, as its metadata says. */
io_owner io_controller(const tree *root);
/* The same, and of a ReplicaSet its Deployment where the input or the names tell it. Everything has been read. */
io_owner io_workload_of(const karp_reader *reader, const tree *pod);
/* The Deployment whose ReplicaSet has such a name ("web" of "web-6d4f8b9c7"); "" = the name has no such hash. */
karp_str io_deployment_of_set(karp_str set);
/* The same of one that controls this pod, whose labels may name the hash. */
karp_str io_deployment_by_name(const tree *pod, karp_str set);
/* "default" where none is stated. */
karp_str io_namespace(const tree *root);
/* Whether the pod has ended, and so counts for nobody. */
bool io_pod_ended(const tree *pod);

/* Counts a pod of the input for its controller. false = no memory. */
bool io_note_owned(karp_reader *reader, const tree *pod);
/* Once everything has been read: pods of ReplicaSets also count for the Deployments. Errors: NOMEM. */
karp_status io_settle_owned(karp_reader *reader);
/* How many pods of the input the workload has. */
uint32_t io_owned(const karp_reader *reader, const char *kind, karp_str namespace_, karp_str name);

#endif
