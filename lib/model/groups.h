/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of pods that start together, with their members (karp/groups.h). */
#pragma once

#include <model/snapshot.h>

/* A group of the input, or one that some pod names although the input lacks it. */
typedef struct member_group {
    uint32_t object; /* index in store.groups; NO_ID = not in the input */
    uint32_t name_space, name; /* text id, names id */
    uint32_t source; /* KARP_GROUP_* */
    bool composite;
    uint32_t parent; /* its composite group, in the index; NO_ID = none */
    const uint32_t *pods; /* members that have not finished, in the order of the queue */
    uint32_t pod_count;
    uint32_t gated; /* those of them that have scheduling gates, bound or not */
    uint32_t succeeded; /* members that have succeeded */
    uint32_t child_count; /* of a composite: number of groups that name it as their parent */
} member_group;

/* The place of a group in a queue. */
typedef struct group_turn {
    int32_t priority;
    uint32_t rank;
} group_turn;

struct group_index {
    member_group *items; /* sorted by namespace, name and source, composites last */
    uint32_t count;
    const uint32_t *of_pod; /* by pod: the group of a pod that has not finished, NO_ID = none */
    const group_turn *turns; /* by group, of the topmost ones; NULL = they have the places of their first pods */
};

/* The most composites above a group. Kubernetes allows 4; those that Kueue's topologies make are more. */
enum { MOST_COMPOSITES = 24 };

/* Whether a group of the input may be of the source. */
bool group_source_known(uint32_t source);

static inline const pod_group *group_object(const karp_snapshot *s, const member_group *g)
{
    return g->object == NO_ID ? NULL : &s->raw.groups.items[g->object];
}
