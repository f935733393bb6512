/* SPDX-License-Identifier: Apache-2.0 */
/* Why pods of a node that stays have no place elsewhere, and which of their preferences count. */
#include <explain/node_causes.h>

#include <base/str.h>
#include <karp/explain.h>
#include <schedule/movable.h>
#include <schedule/report.h>

karp_str refusal_text(const karp_pool_refusal *r)
{
    bool filtered = r->code > KARP_REASON_MIN_VALUES && r->code <= KARP_REASON_TUPLE;
    karp_str text = r->detail;
    if (!filtered) return text.len > 0 ? text : str(karp_reason_text(r->code));
    while (text.len > 0 && !str_starts(text, "none has ") && !str_starts(text, "none is ")) text.ptr++, text.len--;
    if (text.len == 0) return str(karp_reason_text(r->code));
    for (size_t i = 0; i < text.len; i++) {
        if (str_starts((karp_str){ text.ptr + i, text.len - i }, ", resources {")) text.len = i;
    }
    return text;
}

void show_unplaced(strbuf *b, const karp_unschedulable *row)
{
    if (row->topology_count > 0) {
        strbuf_addstr(b, row->topologies[0].key);
        strbuf_put(b, ": ", row->topologies[0].cause, "");
        return;
    }
    for (size_t i = 0; i < row->pool_count && i < MOST_NAMED; i++) {
        strbuf_adds(b, i == 0 ? "NodePool " : "; NodePool ");
        strbuf_addstr(b, row->pools[i].node_pool);
        strbuf_put(b, ": ", refusal_text(&row->pools[i]), "");
    }
    show_more(b, row->pool_count, MOST_NAMED, " more NodePool", " more NodePools");
    if (row->pool_count == 0) strbuf_adds(b, karp_reason_text(row->code));
}

/* The kind of the pods' first preference, and the key that it is about; NULL = they have none. */
static const char *preference_of(const shape *h, uint32_t *key, int32_t *max_skew)
{
    *key = NO_ID;
    *max_skew = 0;
    for (uint32_t i = 0; i < h->spread.count; i++) {
        if (!h->spread.items[i].schedule_anyway) continue;
        *key = h->spread.items[i].topology_key;
        *max_skew = h->spread.items[i].max_skew;
        return "topology spread (ScheduleAnyway) by ";
    }
    if (h->preferred_anti.count > 0) *key = h->preferred_anti.items[0].topology_key;
    else if (h->preferred_affinity.count > 0) *key = h->preferred_affinity.items[0].topology_key;
    if (*key != NO_ID) return h->preferred_anti.count > 0 ? "pod anti-affinity by " : "pod affinity by ";
    return h->preferred.count > 0 ? "node affinity" : NULL;
}

bool show_preference(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    const state_node *n = &s->nodes[node_number];
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        uint32_t key;
        int32_t max_skew;
        const char *kind = pod_reschedulable(p) ? preference_of(&s->raw.shapes.items[p->shape], &key, &max_skew) : NULL;
        if (kind == NULL) continue;
        if (b == NULL) return true;
        strbuf_put(b, "", pod_name(s, n->all_pods[i]), " prefers a ");
        strbuf_adds(b, kind);
        if (key != NO_ID) strbuf_addstr(b, text_of(s, key));
        if (max_skew > 0) strbuf_putu(b, " with maxSkew ", (uint64_t)max_skew, "");
        return true;
    }
    return false;
}

void show_ending(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    const state_node *n = &s->nodes[node_number];
    uint32_t first = NO_ID;
    size_t count = 0;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        if (p->deletion == KARP_NO_TIME || store_marks(&s->raw, p)->do_not_disrupt == NO_ID) continue;
        first = count++ == 0 ? n->all_pods[i] : first;
    }
    if (count == 0) return;
    strbuf_addstr(b, pod_name(s, first));
    show_more(b, count, 1, " more", " more");
    strbuf_adds(b, count == 1 ? " is" : " are");
    strbuf_adds(b,
                " being deleted: karpenter.sh/do-not-disrupt of such a pod no longer holds the node, whose drain waits "
                "until the pod has ended");
}
