/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of objects as trees, before a snapshot is made of them. */
#ifndef REPLAY_OBJECTS_H
#define REPLAY_OBJECTS_H

#include <io/reader.h>
#include <replay/trace.h>

/* What karp_reader.take is set to: puts every object, those of Lists each for itself, into the list `user` (a tree). */
karp_status replay_take(karp_reader *reader, tree *root, const io_place *place, void *user);

/* Puts the objects of a Snapshot in its place; `head` becomes the Snapshot with what decisions read beside objects (catalogues, settings,
 * labels), and stays as it is when there is none. Errors: DUPLICATE, NOMEM. */
karp_status replay_open_snapshots(trees *t, tree *objects, tree **head, karp_error *error);

/* How long a node of the NodePool or Provisioner has to be left alone before it may be consolidated. */
int64_t replay_window(const tree *pool);

/* The shape of the pods that a workload (Deployment, StatefulSet, ReplicaSet) makes; NO_ID = no memory. */
uint32_t replay_workload_shape(trace *t, trees *memory, const tree *workload, karp_str namespace_);

/* The Pod, without a name, that a workload of this kind makes of a template. */
tree *replay_template_pod(trees *memory, karp_str kind, karp_str name, const tree *template_, karp_str namespace_);
/* What decisions read of a Pod, without a name, node and status, so that pods of one owner are alike. */
tree *replay_lean_pod(trees *memory, const tree *object);

/* Pods and workloads leave the list: their pods are created when the trace begins. Errors: INVALID, UNSUPPORTED, NOMEM. */
karp_status replay_pods_of_objects(trace *t, trees *memory, tree *objects, karp_error *error);

#endif
