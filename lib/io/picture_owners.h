/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the workload of a pod in a snapshot, under the name that users know: the Deployment, not its ReplicaSet. */
#ifndef IO_PICTURE_OWNERS_H
#define IO_PICTURE_OWNERS_H

#include <base/strbuf.h>
#include <karp/columns.h>

/* Columns of KARP_TABLE_SNAPSHOT_PODS, borrowed from the table. */
typedef struct picture_owners {
    karp_column space, kind, name;
} picture_owners;

karp_status picture_owners_open(picture_owners *o, karp_table *pods);

/* Whether the pod belongs to a DaemonSet or is a static pod of a node. */
bool picture_of_daemon(const picture_owners *o, size_t pod);

/* "namespace/workload", in `room` or borrowed from `pod_name` ("namespace/name"). Out of memory is recorded only in
 * `room`. */
karp_str picture_workload_of(const picture_owners *o, size_t pod, karp_str pod_name, strbuf *room);

#endif
