/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/gangs.h>

#include <schedule/scheduler.h>

/* ---- members ----------------------------------------------------------------------------------------------------- */

static bool is_gated(const karp_snapshot *s, uint32_t pod_number)
{
    return store_marks(&s->raw, pod_at(&s->raw, pod_number))->gated && s->pod_node[pod_number] == NO_ID;
}

/* Whether the member stays on its node. */
static bool stays(const scheduler *s, uint32_t pod_number)
{
    return s->snapshot->pod_node[pod_number] != NO_ID && exclusion(&s->pods, pod_number) == 0;
}

static uint32_t minimum(const scheduler *s, const member_group *g)
{
    const pod_group *o = group_object(s->snapshot, g);
    return o == NULL || !o->gang ? 1 : (uint32_t)o->min_count;
}

gang_count gang_counts(scheduler *s, const member_group *g)
{
    gang_count n = { .members = g->pod_count, .least = minimum(s, g) };
    n.succeeded = g->source == KARP_GROUP_VOLCANO ? g->succeeded : 0;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        uint32_t p = g->pods[i];
        bool there = stays(s, p), placing = !there && exclusion(&s->pods, p) != 0;
        n.counted += g->gated == 0 || !is_gated(s->snapshot, p);
        n.bound += there;
        n.to_place += placing;
        n.placed += placing && placement_get(s, p).where != PLACE_NONE;
    }
    return n;
}

/* ---- what keeps a group from starting ---------------------------------------------------------------------------- */

/* kube-scheduler schedules nothing of a group whose pods differ from it in priority. */
bool gang_priorities_differ(const scheduler *s, const member_group *g)
{
    const karp_snapshot *snapshot = s->snapshot;
    const pod_group *o = group_object(snapshot, g);
    int32_t its = o != NULL && o->has_priority ? o->priority : 0;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        const shape *h = shape_of(snapshot, snapshot->pod_class[g->pods[i]]);
        if ((h->has_priority ? h->priority : 0) != its) return true;
    }
    return false;
}

/* The value of the topology key on the nodes of its bound members: NO_ID = no member is bound. *one is false when they
 * have two values, or a node lacks the label. */
uint32_t gang_bound_domain(const scheduler *s, const member_group *g, uint32_t key, bool *one)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint32_t found = NO_ID;
    *one = true;
    for (uint32_t i = 0; i < g->pod_count && *one; i++) {
        if (!stays(s, g->pods[i])) continue;
        uint32_t value = label_get(snapshot->raw.nodes.items[snapshot->pod_node[g->pods[i]]].meta.labels, key);
        *one = value != NO_ID && value != NO_TEXT && (found == NO_ID || found == value);
        found = value;
    }
    return found;
}

/* Why the group cannot start wherever its pods are placed; KARP_REASON_NONE = it may. */
uint32_t gang_refusal(const scheduler *s, const member_group *g, const gang_count *n)
{
    const pod_group *o = group_object(s->snapshot, g);
    bool one = true, kubernetes = g->source == KARP_GROUP_KUBERNETES;
    if (o == NULL || (o->parent != NO_TEXT && g->parent == NO_ID)) return KARP_REASON_GROUP_MISSING;
    if (kubernetes && n->counted < n->members) return KARP_REASON_GROUP_GATED;
    if (n->counted + n->succeeded < n->least) return KARP_REASON_GROUP_INCOMPLETE;
    if (kubernetes && gang_priorities_differ(s, g)) return KARP_REASON_GROUP_PRIORITY;
    if (o->topology_key != NO_TEXT) (void)gang_bound_domain(s, g, o->topology_key, &one);
    return one ? KARP_REASON_NONE : KARP_REASON_GROUP_DOMAINS;
}

uint32_t gang_refusal_composite(const scheduler *s, const member_group *g, const gang_count *n)
{
    const pod_group *o = group_object(s->snapshot, g);
    if (o == NULL || (o->parent != NO_TEXT && g->parent == NO_ID)) return KARP_REASON_GROUP_MISSING;
    /* A tree is one entry of kube-scheduler's queue. */
    if (g->source == KARP_GROUP_KUBERNETES && n->counted < n->members) return KARP_REASON_GROUP_GATED;
    bool few = g->child_count < (uint32_t)o->min_count || n->counted + n->succeeded < (uint32_t)o->min_pods;
    return few ? KARP_REASON_GROUP_INCOMPLETE : KARP_REASON_NONE;
}
