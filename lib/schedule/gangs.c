/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/gangs.h>

#include <karp/groups.h>

#include <schedule/scheduler.h>

/* The members of a group in a round. */
typedef struct gang_count {
    uint32_t members; /* that have not finished */
    uint32_t counted; /* those that count for the minimum: not behind a gate */
    uint32_t succeeded; /* finished members that count */
    uint32_t bound; /* members that have a node and stay there */
    uint32_t to_place; /* members that the round places */
    uint32_t placed; /* those of them that are placed */
    uint32_t least; /* the minimum */
} gang_count;

/* ---- members ----------------------------------------------------------------------------------------------------- */

static bool is_gated(const karp_snapshot *w, uint32_t pod_number)
{
    return store_marks(&w->raw, pod_at(&w->raw, pod_number))->gated && w->pod_node[pod_number] == NO_ID;
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

static gang_count gang_counts(scheduler *s, const member_group *g)
{
    gang_count n = { .members = g->pod_count, .least = minimum(s, g) };
    n.succeeded = g->source == KARP_GROUP_VOLCANO ? g->succeeded : 0;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        uint32_t p = g->pods[i];
        bool there = stays(s, p), placing = !there && exclusion(&s->pods, p) != 0;
        n.counted += !is_gated(s->snapshot, p);
        n.bound += there;
        n.to_place += placing;
        n.placed += placing && placement_get(s, p).where != PLACE_NONE;
    }
    return n;
}

/* ---- what keeps a group from starting ---------------------------------------------------------------------------- */

/* kube-scheduler schedules nothing of a group whose pods differ from it in priority. */
static bool priorities_differ(const scheduler *s, const member_group *g, int32_t its)
{
    const karp_snapshot *w = s->snapshot;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        const shape *h = shape_of(w, w->pod_class[g->pods[i]]);
        if ((h->has_priority ? h->priority : 0) != its) return true;
    }
    return false;
}

/* Whether the nodes of its bound members have one value of the topology key. */
static bool bound_together(const scheduler *s, const member_group *g, uint32_t key)
{
    const karp_snapshot *w = s->snapshot;
    uint32_t found = NO_ID;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        if (!stays(s, g->pods[i])) continue;
        uint32_t value = label_get(w->raw.nodes.items[w->pod_node[g->pods[i]]].meta.labels, key);
        if (value == NO_ID || value == NO_TEXT || (found != NO_ID && found != value)) return false;
        found = value;
    }
    return true;
}

/* Why the group cannot start wherever its pods are placed; KARP_REASON_NONE = it may. */
static uint32_t gang_refusal(const scheduler *s, const member_group *g, const gang_count *n)
{
    const pod_group *o = group_object(s->snapshot, g);
    bool kubernetes = g->source == KARP_GROUP_KUBERNETES;
    if (o == NULL || (o->parent != NO_TEXT && g->parent == NO_ID)) return KARP_REASON_GROUP_MISSING;
    if (kubernetes && n->counted < n->members) return KARP_REASON_GROUP_GATED;
    if (n->counted + n->succeeded < n->least) return KARP_REASON_GROUP_INCOMPLETE;
    if (kubernetes && priorities_differ(s, g, o->has_priority ? o->priority : 0)) return KARP_REASON_GROUP_PRIORITY;
    if (o->topology_key != NO_TEXT && !bound_together(s, g, o->topology_key)) return KARP_REASON_GROUP_DOMAINS;
    return KARP_REASON_NONE;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* What the group is lacking after the round. */
static uint32_t outcome(const scheduler *s, const member_group *g, const gang_count *n)
{
    uint32_t reason = gang_refusal(s, g, n);
    if (reason != KARP_REASON_NONE) return reason;
    return n->placed + n->bound + n->succeeded < n->least ? KARP_REASON_GROUP_MINIMUM : KARP_REASON_NONE;
}

static void add_detail(const scheduler *s, const member_group *g, const gang_count *n, uint32_t code, strbuf *b)
{
    const pod_group *o = group_object(s->snapshot, g);
    switch (code) {
    case KARP_REASON_GROUP_MISSING:
        strbuf_adds(b, o == NULL ? "the input has no such group" : "the input lacks its CompositePodGroup ");
        if (o != NULL) strbuf_addstr(b, name_of(s->snapshot, o->parent));
        return;
    case KARP_REASON_GROUP_GATED:
        strbuf_addu(b, n->members - n->counted);
        strbuf_adds(b, n->members - n->counted == 1
                           ? " of its pods has a scheduling gate, which holds back all of them"
                           : " of its pods have scheduling gates, which hold back all of them");
        return;
    case KARP_REASON_GROUP_INCOMPLETE:
        strbuf_addu(b, n->counted + n->succeeded);
        strbuf_adds(b, " pods count, and its minimum is ");
        strbuf_addu(b, n->least);
        return;
    case KARP_REASON_GROUP_PRIORITY: strbuf_adds(b, "the priority of some pod is not that of the group"); return;
    case KARP_REASON_GROUP_DOMAINS:
        strbuf_adds(b, "its bound pods are not in one domain of ");
        if (o != NULL) strbuf_addstr(b, text_of(s->snapshot, o->topology_key));
        return;
    case KARP_REASON_GROUP_MINIMUM:
        strbuf_addu(b, n->placed + n->bound + n->succeeded);
        strbuf_adds(b, " pods fit, and its minimum is ");
        strbuf_addu(b, n->least);
        return;
    default: return;
    }
}

static bool add_row(scheduler *s, karp_decision *d, const member_group *g, const gang_count *n, strbuf *b)
{
    const pod_group *o = group_object(s->snapshot, g);
    uint32_t code = outcome(s, g, n);
    karp_group_outcome *row = list_push(d->context, &d->groups, sizeof *row);
    if (row == NULL) return false;
    *row = (karp_group_outcome){ .size = sizeof *row,
                                 .source = g->source,
                                 .composite = g->composite,
                                 .gang = o != NULL && o->gang,
                                 .code = code,
                                 .min_count = n->least,
                                 .member_count = n->members,
                                 .bound = n->bound,
                                 .placed = n->placed };
    row->topology_key = o == NULL ? (karp_str){ "", 0 } : text_of(s->snapshot, o->topology_key);
    row->domain = (karp_str){ "", 0 };
    strbuf_addname(b, text_of(s->snapshot, g->name_space), name_of(s->snapshot, g->name));
    if (!strbuf_move(b, &d->data, &row->name)) return false;
    add_detail(s, g, n, code, b);
    return strbuf_move(b, &d->data, &row->detail);
}

/* ---- notes on decisions that know no groups ---------------------------------------------------------------------- */

enum { MOST_NOTES = 10 };

static bool warn(karp_decision *d, strbuf *b)
{
    bool ok = !b->failed && decision_warn(d, b->ptr, b->len);
    strbuf_clear(b);
    return ok;
}

/* Karpenter may launch nodes for a part of a gang. kube-scheduler binds none of its pods, so that they stay empty. */
static bool warn_of_row(karp_decision *d, const karp_group_outcome *row, strbuf *b)
{
    strbuf_adds(b, karp_group_source_name(row->source));
    if (row->source != KARP_GROUP_KUBERNETES) strbuf_adds(b, " group");
    strbuf_addc(b, ' ');
    strbuf_addstr(b, row->name);
    strbuf_adds(b, ": ");
    strbuf_addstr(b, row->detail);
    strbuf_adds(b, row->placed > 0 ? ": none of its pods is bound, and nodes that are launched for them stay empty"
                                   : ": none of its pods is bound");
    return warn(d, b);
}

static bool warn_of_groups(karp_decision *d, strbuf *b)
{
    size_t stuck = 0;
    if (d->groups.count == 0) return true;
    strbuf_addu(b, d->groups.count);
    strbuf_adds(b, d->groups.count == 1 ? " group of pods: its pods are placed one by one"
                                        : " groups of pods: their pods are placed one by one");
    strbuf_adds(b, ", because Karpenter knows no groups");
    if (!warn(d, b)) return false;
    for (size_t i = 0; i < d->groups.count; i++) {
        if (d->groups.items[i].code == KARP_REASON_NONE) continue;
        if (stuck++ < MOST_NOTES && !warn_of_row(d, &d->groups.items[i], b)) return false;
    }
    if (stuck <= MOST_NOTES) return true;
    strbuf_addu(b, stuck - MOST_NOTES);
    strbuf_adds(b, " more groups cannot start either");
    return warn(d, b);
}

bool gangs_report(scheduler *s, karp_decision *d)
{
    const struct group_index *all = s->snapshot->groups;
    strbuf b;
    bool ok = true;
    if (all == NULL) return true;
    strbuf_init(&b, s->context);
    for (uint32_t i = 0; i < all->count && ok; i++) {
        if (all->items[i].composite) continue;
        gang_count n = gang_counts(s, &all->items[i]);
        if (n.to_place > 0) ok = add_row(s, d, &all->items[i], &n, &b);
    }
    if (ok && d->profile == KARP_PROFILE_KARPENTER) ok = warn_of_groups(d, &b);
    strbuf_free(&b);
    return ok;
}
