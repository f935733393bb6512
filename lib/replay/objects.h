/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of objects as trees, before they become a snapshot. */
#pragma once

#include <io/reader.h>
#include <replay/trace.h>

/* Appends an object, with a name if it has only generateName. A failure is recorded in the reader's trees. */
void replay_append(karp_reader *reader, tree *list, tree *object);
/* A value for karp_reader.take: appends every object, including each item of a List, to the list `user` (a tree). */
karp_status replay_take(karp_reader *reader, tree *root, const io_place *place, void *user);

/* Replaces a Snapshot by its objects. `head` receives the Snapshot with the other input of decisions (catalogues,
 * settings, labels), and remains unchanged if there is no Snapshot. Errors: DUPLICATE, NOMEM. */
karp_status replay_open_snapshots(trees *t, tree *objects, tree **head, karp_error *error);

/* Puts objects in the place of those of the same kind, namespace and name, or at the end. */
void replay_replace(trees *t, tree *objects, const tree *replaced);

/* Removes the status of a PodDisruptionBudget: a replay counts the pods itself, and a dump has its numbers. */
void replay_forget_status(trees *t, tree *object);

/* Whether it is a NodePool, or a Provisioner, as they were called before. */
bool replay_is_pool(const tree *object);

/* The time without pod events after which a node of the NodePool or Provisioner may be consolidated. */
int64_t replay_window(const tree *pool);

/* The shape of the pods of a Deployment, as its template says; NO_ID = out of memory. */
uint32_t replay_workload_shape(trace *t, trees *memory, const tree *workload, karp_str namespace_);

/* The ownerReferences of the pods of a workload; those of a Deployment belong to a ReplicaSet. */
tree *replay_owners(trees *memory, karp_str kind, karp_str name);
/* The Pod, without a name, that a workload of this kind creates from a template. */
tree *replay_template_pod(trees *memory, karp_str kind, karp_str name, const tree *template_, karp_str namespace_);
/* The members of a Pod that decisions read, without name, node and status, so that pods of the same owner are equal. */
tree *replay_lean_pod(trees *memory, const tree *object);
/* Whether its StatefulSet creates the pod only when those before it run. */
bool replay_is_held(const tree *pod);

/* Whether controllers or operators make pods of the object. */
bool replay_is_workload(const karp_reader *reader, const tree *object);
/* Removes the workloads from the list: a reader has made their pods. */
void replay_drop_workloads(const karp_reader *reader, trees *t, tree *objects);
/* Removes the pods whose "namespace/name" the table has. A failure is recorded in the trees. */
void replay_drop_pods(trees *t, tree *objects, const io_table *left_out);
/* Appends the pods and claims that the finished reader made for workloads, and their storage class if it is assumed.
 * They do not exist yet, so they have no creation time. The reader keeps documents. */
karp_status replay_add_made(const karp_reader *reader, trees *t, tree *objects, karp_error *error);

/* Removes pods from the list, and adds events that create them at the start of the trace. `dumped`: a replay dumped the
 * pods, and all of them go on as they were. Errors: INVALID, UNSUPPORTED, NOMEM. */
karp_status replay_pods_of_objects(trace *t, trees *memory, tree *objects, bool dumped, karp_error *error);
