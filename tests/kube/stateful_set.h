/* SPDX-License-Identifier: Apache-2.0 */
/* Which pods of a StatefulSet are created and deleted, in which order: one look of its controller. */
#ifndef KUBE_STATEFUL_SET_H
#define KUBE_STATEFUL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KUBE_LEAVES, KUBE_CREATES, KUBE_DELETES };

/* The pod of an ordinal, or its place. */
typedef struct kube_member {
    int32_t ordinal;
    bool there;
    bool ready, available; /* available: ready for minReadySeconds */
    bool terminating, ended; /* ended: failed or succeeded */
    uint32_t revision; /* of its template */
    uint32_t act; /* not read: KUBE_CREATES (of `revision`), KUBE_DELETES or KUBE_LEAVES */
} kube_member;

typedef struct kube_stateful {
    int32_t replicas, start; /* start: spec.ordinals */
    int32_t partition;
    int32_t unavailable; /* maxUnavailable in pods, where its feature gate is on; 0 = one after another */
    bool parallel; /* podManagementPolicy Parallel */
    bool on_delete; /* updateStrategy OnDelete */
    uint32_t current, update; /* revisions: before the update, and of the present template */
} kube_stateful;

/* Sets what happens to the members, which are sorted by ordinal: all that there should be, and others that exist. When
 * nothing happens any more and all members have the new revision, it becomes the current one. false = nothing. */
bool kube_stateful_look(kube_stateful *s, kube_member *members, size_t count);

#endif
