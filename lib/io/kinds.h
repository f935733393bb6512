/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of objects in the input. */
#pragma once

#include <io/table.h>

typedef enum io_kind {
    IO_KIND_UNKNOWN = 0,
    IO_KIND_POD,
    IO_KIND_NODE,
    IO_KIND_NODE_CLAIM,
    IO_KIND_NODE_POOL,
    IO_KIND_NODE_OVERLAY,
    IO_KIND_NODE_CLASS,
    IO_KIND_DAEMON_SET,
    IO_KIND_CLAIM,
    IO_KIND_VOLUME,
    IO_KIND_STORAGE_CLASS,
    IO_KIND_CSI_NODE,
    IO_KIND_BUDGET,
    IO_KIND_PRIORITY_CLASS,
    IO_KIND_NAMESPACE,
    IO_KIND_SERVICE,
    IO_KIND_REPLICATION_CONTROLLER,
    IO_KIND_REPLICA_SET,
    IO_KIND_STATEFUL_SET,
    IO_KIND_DEPLOYMENT,
    IO_KIND_JOB,
    IO_KIND_POD_TEMPLATE,
    IO_KIND_CAPACITY_BUFFER,
    IO_KIND_POD_GROUP, /* of Kubernetes, as is the next one */
    IO_KIND_COMPOSITE_POD_GROUP,
    IO_KIND_WORKLOAD, /* a template of groups: it changes no placement */
    IO_KIND_MEMBER_GROUP, /* the PodGroups of other schedulers */
    IO_KIND_RESOURCE_CLAIM,
    IO_KIND_RESOURCE_CLAIM_TEMPLATE,
    IO_KIND_RESOURCE_SLICE,
    IO_KIND_DEVICE_CLASS,
    IO_KIND_PROVISIONER,
    IO_KIND_NODE_TEMPLATE,
    IO_KIND_PRICES,
    IO_KIND_AUTOSCALER,
    IO_KIND_SCALED_OBJECT,
    IO_KIND_VERTICAL_AUTOSCALER,
    IO_KIND_LIMIT_RANGE,
    IO_KIND_QUOTA, /* ResourceQuota */
    IO_KIND_REFERRED, /* other objects use its templates */
    IO_KIND_OPERATED, /* an operator creates its pods: pod_kinds.c */
    IO_KIND_POD_MAKER /* not read, but creates pods: pod_makers.c */
} io_kind;

typedef struct io_kind_info {
    const char *group;
    const char *name;
    io_kind kind;
    bool namespaced;
    const char *version, *old_version; /* the known versions; old_version may be NULL, and for node classes both are */
} io_kind_info;

/* Whether it is a kind of Kubernetes itself whose controller creates a number of pods. */
static inline bool io_is_workload(io_kind kind)
{
    return kind == IO_KIND_DEPLOYMENT || kind == IO_KIND_REPLICA_SET || kind == IO_KIND_STATEFUL_SET ||
           kind == IO_KIND_REPLICATION_CONTROLLER || kind == IO_KIND_JOB;
}

/* Looks up `kind` in the group of `api_version`. Never NULL: unknown kinds have their own entry. */
const io_kind_info *io_kind_find(karp_str api_version, karp_str kind);
/* The entry for kinds that are not read, but create pods. */
extern const io_kind_info io_kind_pod_maker;
/* Entry `index` of the table of kinds; NULL beyond the last. */
const io_kind_info *io_kind_at(size_t index);
