/* SPDX-License-Identifier: Apache-2.0 */
/* What a decision says about groups of pods. */
#include <schedule/gangs.h>

#include <schedule/gang_why.h>
#include <schedule/scheduler.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Whether anything of the group is placed in this round, so that the decision has a row for it. */
static bool takes_part(const gang_count *n) { return n->to_place > 0; }

/* What the round decided on the group; NULL = it places pods one by one. */
static const gang_result *result_of(const scheduler *s, const member_group *g)
{
    return s->gangs == NULL ? NULL : &s->gangs->results[g - s->snapshot->groups->items];
}

/* What the group is lacking after the round. */
static uint32_t outcome(const scheduler *s, const member_group *g, const gang_count *n)
{
    if (result_of(s, g) != NULL) return result_of(s, g)->reason;
    uint32_t reason = gang_refusal(s, g, n);
    if (reason != KARP_REASON_NONE) return reason;
    return n->placed + n->bound + n->succeeded < n->least ? KARP_REASON_GROUP_MINIMUM : KARP_REASON_NONE;
}

static void add_tries_of(const scheduler *s, const member_group *g, strbuf *b)
{
    const gang_result *r = result_of(s, g);
    const pod_group *o = group_object(s->snapshot, g);
    if (r->try_count > 0) {
        gang_add_tries(r, b);
        return;
    }
    strbuf_adds(b, "no node is in a domain of ");
    if (o != NULL) strbuf_addstr(b, text_of(s->snapshot, o->topology_key));
    strbuf_adds(b, " that its pods can use");
}

static void add_few(const scheduler *s, const member_group *g, const gang_count *n, strbuf *b)
{
    const pod_group *o = group_object(s->snapshot, g);
    const gang_result *r = result_of(s, g);
    bool groups = g->composite && n->members < n->least, below = g->composite && !groups;
    strbuf_addu(b, groups               ? n->members
                   : below && r != NULL ? r->before.counted + r->before.succeeded
                                        : n->counted + n->succeeded);
    strbuf_adds(b, groups ? " groups name it, and its minimum is " : " pods count, and its minimum is ");
    strbuf_addu(b, below && o != NULL ? (uint32_t)o->min_pods : n->least);
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
        if (g->composite && result_of(s, g) != NULL) n = &result_of(s, g)->before;
        strbuf_addu(b, n->members - n->counted);
        strbuf_adds(b, n->members - n->counted == 1
                           ? " of its pods has a scheduling gate, which holds back all of them"
                           : " of its pods have scheduling gates, which hold back all of them");
        return;
    case KARP_REASON_GROUP_INCOMPLETE: add_few(s, g, n, b); return;
    case KARP_REASON_GROUP_PRIORITY: strbuf_adds(b, "the priority of some pod is not that of the group"); return;
    case KARP_REASON_GROUP_DOMAINS:
        strbuf_adds(b, "its bound pods are not in one domain of ");
        if (o != NULL) strbuf_addstr(b, text_of(s->snapshot, o->topology_key));
        return;
    case KARP_REASON_GROUP_REFUSED:
        if (o != NULL) strbuf_addstr(b, text_of(s->snapshot, o->refused));
        return;
    case KARP_REASON_GROUP_MINIMUM:
        if (result_of(s, g) != NULL) {
            add_tries_of(s, g, b);
            return;
        }
        strbuf_addu(b, n->placed + n->bound + n->succeeded);
        strbuf_putu(b, " pods fit, and its minimum is ", n->least, "");
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
    strbuf_addname(b, text_of(s->snapshot, g->name_space), name_of(s->snapshot, g->name));
    if (!strbuf_move(b, &d->data, &row->name)) return false;
    add_detail(s, g, n, code, b);
    if (!strbuf_move(b, &d->data, &row->detail)) return false;
    row->domain = (karp_str){ "", 0 };
    if (result_of(s, g) != NULL && result_of(s, g)->now.started && row->topology_key.len > 0) {
        strbuf_addstr(b, result_of(s, g)->now.domain_name);
        return strbuf_move(b, &d->data, &row->domain);
    }
    return true;
}

/* ---- composites -------------------------------------------------------------------------------------------------- */

/* Counts, for each composite, the groups below it: members, those that run, and those that start now. */
static bool count_children(scheduler *s, gang_count *of, uint8_t *part)
{
    const struct group_index *all = s->snapshot->groups;
    for (uint32_t i = 0; i < all->count; i++) {
        gang_count n = gang_counts(s, &all->items[i]);
        if (!all->items[i].composite) of[i] = n;
        if (all->items[i].composite || !takes_part(&n)) continue;
        for (uint32_t above = i, depth = 0; above != NO_ID && depth <= MOST_COMPOSITES;
             depth++, above = all->items[above].parent)
            part[above] = 1;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const member_group *g = &all->items[i];
        const gang_result *r = result_of(s, g);
        if (g->composite) {
            const pod_group *o = group_object(s->snapshot, g);
            of[i].members = g->child_count;
            of[i].least = o == NULL ? 1 : (uint32_t)o->min_count;
        }
        if (g->parent == NO_ID || r == NULL) continue;
        bool runs = !g->composite && of[i].bound + of[i].succeeded >= of[i].least;
        of[g->parent].bound += runs;
        of[g->parent].placed += !runs && r->now.started;
    }
    return !s->failed;
}

/* ---- notes on decisions that know no groups ---------------------------------------------------------------------- */

enum { MOST_NOTES = 10 };

static bool warn(karp_decision *d, strbuf *b)
{
    bool ok = !b->failed && decision_warn(d, b->ptr, b->len);
    strbuf_clear(b);
    return ok;
}

/* What the API server or kube-scheduler of Kubernetes 1.38 refuses, and those of 1.37 do not. */
static const char *newer_refuses(const scheduler *s, const member_group *g)
{
    const struct group_index *all = s->snapshot->groups;
    const pod_group *o = group_object(s->snapshot, g);
    uint32_t number = (uint32_t)(g - all->items);
    if (g->source != KARP_GROUP_KUBERNETES || o == NULL) return NULL;
    if (o->disruption_all && !o->gang)
        return "its disruption mode is \"all\", and it is no gang: from Kubernetes 1.38 on the API server refuses it";
    for (uint32_t i = 0; i < all->count && g->composite; i++) {
        const pod_group *below = group_object(s->snapshot, &all->items[i]);
        if (all->items[i].parent != number || below == NULL) continue;
        if (o->gang && !below->gang)
            return "it is a gang, and a group below it is none: from Kubernetes 1.38 on kube-scheduler starts none of "
                   "its pods";
        if (o->disruption_all && !below->disruption_all)
            return "its disruption mode is \"all\", and that of a group below it is not: from Kubernetes 1.38 on "
                   "kube-scheduler starts none of its pods";
    }
    return NULL;
}

/* kube-scheduler tries one order and one node for each pod. */
static const char *peer_may_fail(const scheduler *s, const member_group *g, const gang_count *n)
{
    const pod_group *o = group_object(s->snapshot, g);
    if (g->source != KARP_GROUP_KUBERNETES || o == NULL || n->placed == 0) return NULL;
    if (g->composite && result_of(s, g)->now.ordered)
        return "these places depend on the order of its pods and on the nodes that they take. kube-scheduler places "
               "its "
               "groups and their pods one after another, and may not find them";
    if (g->composite) return NULL;
    if (result_of(s, g)->now.searched)
        return "these places were found by a search. kube-scheduler places its pods one after another, those of higher "
               "priority and older ones first, and may not find them";
    if (result_of(s, g)->now.ordered)
        return "these places depend on the order of its pods. kube-scheduler places them one after another, those of "
               "higher priority and older ones first, and may not find them";
    if (!o->gang && o->topology_key != NO_TEXT && n->bound == 0 && n->placed > 1)
        return "it is basic: kube-scheduler lets the pod that it sees first choose the domain for all of them";
    return NULL;
}

/* Notes that the cluster's own scheduler may not bind what the plan places. */
static bool warn_of_peer(scheduler *s, karp_decision *d, const member_group *g, const gang_count *n, strbuf *b)
{
    const char *const why[] = { peer_may_fail(s, g, n), n->placed > 0 ? newer_refuses(s, g) : NULL };
    for (size_t i = 0; i < 2; i++) {
        if (why[i] == NULL) continue;
        strbuf_adds(b, g->composite ? "CompositePodGroup " : "PodGroup ");
        strbuf_addname(b, text_of(s->snapshot, g->name_space), name_of(s->snapshot, g->name));
        strbuf_adds(b, ": ");
        strbuf_adds(b, why[i]);
        if (!warn(d, b)) return false;
    }
    return true;
}

/* Karpenter may launch nodes for a part of a gang. kube-scheduler binds none of its pods, so that they stay empty. */
static bool warn_of_row(karp_decision *d, const karp_group_outcome *row, strbuf *b)
{
    strbuf_adds(b, karp_group_source_name(row->source));
    if (row->source != KARP_GROUP_KUBERNETES) strbuf_adds(b, " group");
    strbuf_put(b, " ", row->name, "");
    strbuf_put(b, ": ", row->detail, "");
    strbuf_adds(b, row->placed > 0 ? ": none of its pods is bound, and nodes that are launched for them stay empty"
                                   : ": none of its pods is bound");
    return warn(d, b);
}

static bool warn_of_groups(karp_decision *d, strbuf *b)
{
    size_t stuck = 0;
    if (d->groups.count == 0) return true;
    strbuf_plural(b, d->groups.count, " group of pods: its pods are placed one by one",
                  " groups of pods: their pods are placed one by one");
    strbuf_adds(b, ", because Karpenter knows no groups");
    if (!warn(d, b)) return false;
    for (size_t i = 0; i < d->groups.count; i++) {
        if (d->groups.items[i].code == KARP_REASON_NONE) continue;
        if (stuck++ < MOST_NOTES && !warn_of_row(d, &d->groups.items[i], b)) return false;
    }
    if (stuck <= MOST_NOTES) return true;
    strbuf_putu(b, "", stuck - MOST_NOTES, " more groups cannot start either");
    return warn(d, b);
}

bool gangs_report(scheduler *s, karp_decision *d)
{
    const struct group_index *all = s->snapshot->groups;
    bool ok = true;
    if (all == NULL) return true;
    strbuf b = strbuf_on(s->context);
    gang_count *counts = arena_array(&s->data, all->count + (size_t)1, sizeof *counts);
    uint8_t *part = arena_array(&s->data, all->count + (size_t)1, 1);
    ok = counts != NULL && part != NULL && count_children(s, counts, part);
    for (uint32_t i = 0; i < all->count && ok; i++) {
        if (!part[i] || (all->items[i].composite && s->gangs == NULL)) continue;
        ok = add_row(s, d, &all->items[i], &counts[i], &b);
        if (ok && s->gangs != NULL) ok = warn_of_peer(s, d, &all->items[i], &counts[i], &b);
    }
    if (ok && d->profile == KARP_PROFILE_KARPENTER) ok = warn_of_groups(d, &b);
    strbuf_free(&b);
    return ok;
}
