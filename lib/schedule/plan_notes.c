/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan for pending pods does not say: nodes that it counts on and that go at once, and pods of DaemonSets, which
 * it is not about. */
#include <base/strbuf.h>
#include <decision/decision.h>
#include <model/quantity.h>
#include <model/taints.h>
#include <schedule/movable.h>
#include <schedule/report.h>

static bool warn(karp_decision *d, strbuf *b)
{
    bool ok = !b->failed && decision_warn(d, b->ptr, b->len);
    strbuf_free(b);
    return ok;
}

bool expired_note(const karp_snapshot *s, karp_decision *d)
{
    size_t nodes = 0, pods = 0;
    karp_str first = { "", 0 };
    for (size_t i = 0; i < d->placements.count; i++) {
        const karp_placement *p = &d->placements.items[i];
        uint32_t number = state_node_named(s, p->node);
        if (p->pod_count == 0 || number == NO_ID || !node_expired(s, number, d->now)) continue;
        if (nodes++ == 0) first = p->node;
        pods += p->pod_count;
    }
    if (nodes == 0) return true;
    strbuf b = strbuf_on(d->context);
    strbuf_addstr(&b, first);
    if (nodes > 1) strbuf_adds(&b, " and ");
    if (nodes > 1) strbuf_addu(&b, nodes - 1);
    if (nodes > 1) strbuf_adds(&b, " more");
    strbuf_adds(&b, nodes == 1 ? " has expired, and Karpenter deletes it: "
                               : " have expired, and Karpenter deletes them: ");
    strbuf_plural(&b, pods, " pod that this plan puts there needs another node then",
                  " pods that this plan puts there need other nodes then");
    return warn(d, &b);
}

/* ---- DaemonSets -------------------------------------------------------------------------------------------------- */

/* Whether the node has a pod of this one's DaemonSet already. */
static bool has_pod_of(const karp_snapshot *s, const state_node *n, const pod *p)
{
    const pod_marks *marks = store_marks(&s->raw, p);
    for (uint32_t i = 0; i < n->pod_count; i++) {
        const pod *other = pod_at(&s->raw, n->pods[i]);
        const pod_marks *its = store_marks(&s->raw, other);
        if ((other->flags & POD_OF_DAEMON_SET) && other->name_space == p->name_space &&
            its->controller_name == marks->controller_name)
            return true;
    }
    return false;
}

/* Whether the node is one for pods of the shape, as far as taints and the node selector say. */
static bool is_for(const karp_snapshot *s, const state_node *n, const shape *h)
{
    bool fits = !n->marked && n->node != NO_ID && taints_tolerated(s, h->tolerations, n->taints);
    for (uint32_t i = 0; i < h->node_selector.count && fits; i++)
        fits = label_get(n->labels, h->node_selector.items[i].key) == h->node_selector.items[i].value;
    return fits;
}

/* The first resource of which the node has too little left for the shape; NO_ID = it has room. *free: what is left. */
static uint32_t lacking(const karp_snapshot *s, const state_node *n, const shape *h, amount *free)
{
    for (uint32_t i = 0; i < h->requests.count; i++) {
        uint32_t resource = h->requests.items[i].resource, column = s->column_of[resource];
        int64_t left = column == s->nowhere || n->available == NULL ? 0 : n->available[column];
        if (!amount_mul(s->units[resource], left > 0 ? (uint64_t)left : 0, free)) continue;
        if (amount_cmp(h->requests.items[i].value, *free) > 0) return i;
    }
    return NO_ID;
}

static void add_amount(strbuf *b, amount value, bool binary)
{
    char text[QUANTITY_TEXT];
    strbuf_add(b, text, quantity_format((quantity){ .value = value, .binary = binary }, text));
}

/* Whether a node lacks room for the pending pod of a DaemonSet, and has none of it yet: the first one, and what. */
static bool node_without_room(const karp_snapshot *s, const pod *p, uint32_t *on, uint32_t *which, amount *free)
{
    const shape *h = &s->raw.shapes.items[p->shape];
    if (!(p->flags & POD_OF_DAEMON_SET) || p->node != NO_ID || !pod_active(p)) return false;
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (!is_for(s, &s->nodes[n], h) || has_pod_of(s, &s->nodes[n], p)) continue;
        *which = lacking(s, &s->nodes[n], h, free);
        *on = n;
        if (*which != NO_ID) return true;
    }
    return false;
}

/* Says what node_without_room() has found. */
static void add_no_room(strbuf *b, const karp_snapshot *s, const pod *p, uint32_t on, uint32_t which, amount free)
{
    const resource_amount *asked = &s->raw.shapes.items[p->shape].requests.items[which];
    strbuf_put(b, "there is no room on ", name_of(s, s->nodes[on].name), ": it requests ");
    strbuf_put(b, "", strings_get(&s->raw.resources, asked->resource), " ");
    add_amount(b, asked->value, asked->binary);
    strbuf_adds(b, ", and other pods leave ");
    add_amount(b, free, asked->binary);
}

bool show_no_room(const karp_snapshot *s, uint32_t pod_number, strbuf *b)
{
    const pod *p = pod_at(&s->raw, pod_number);
    uint32_t on, which;
    amount free;
    if (!node_without_room(s, p, &on, &which, &free)) return false;
    add_no_room(b, s, p, on, which, free);
    return true;
}

bool daemons_note(const karp_snapshot *s, karp_decision *d)
{
    enum { MOST_LOOKED_AT = 100 }; /* each is compared with the nodes */
    uint64_t count = 0, looked = 0;
    uint32_t on, which;
    amount free;
    strbuf b = strbuf_on(d->context);
    for (uint32_t k = 0; k < s->raw.pods.count && s->node_count > 0 && looked < MOST_LOOKED_AT; k++) {
        uint32_t i = s->by_name[k];
        const pod *p = pod_at(&s->raw, i);
        if (!(p->flags & POD_OF_DAEMON_SET) || p->node != NO_ID) continue;
        looked++;
        if (!node_without_room(s, p, &on, &which, &free)) continue;
        if (count++ > 0) continue;
        strbuf_put(&b, "", pod_name(s, i), ": ");
        add_no_room(&b, s, p, on, which, free);
    }
    if (count == 0) return true;
    if (count > 1) strbuf_adds(&b, " (");
    if (looked == MOST_LOOKED_AT && count > 1) strbuf_adds(&b, "at least ");
    if (count > 1) strbuf_addu(&b, count - 1);
    if (count > 1) strbuf_adds(&b, count == 2 ? " more pod is like it)" : " more pods are like it)");
    strbuf_adds(&b,
                "; Karpenter launches no node for a DaemonSet's pod, and keeps no room for it once a node is there: a "
                "higher priority lets it preempt others");
    return warn(d, &b);
}
