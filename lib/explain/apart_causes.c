/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of a pod about host names and ports: they give equal pods nodes of their own, however much room there is. */
#include <explain/explain_pod.h>

#include <model/selector.h>

static bool selects_itself(const search *s, const selector *selects)
{
    const store *raw = &s->snapshot->raw;
    return selects != NULL && selector_valid(selects) &&
           selector_selects(selects, store_pod_labels(raw, pod_at(raw, s->pod)->labels));
}

static bool is_host(const search *s, uint32_t key)
{
    return s->snapshot->facts.normalized[key] == s->snapshot->known.hostname;
}

static void record(search *s, const char *text)
{
    strbuf b;
    strbuf_init(&b, s->out->context);
    strbuf_adds(&b, text);
    record_cause(s->out, KARP_PLACEMENT_APART, &b);
}

static void host_ports(search *s, const shape *h)
{
    strbuf b;
    if (h->ports.count == 0) return;
    strbuf_init(&b, s->out->context);
    strbuf_adds(&b, "one pod like it for each node: host port ");
    strbuf_addi(&b, h->ports.items[0].port);
    strbuf_adds(&b, " is free once on a node");
    record_cause(s->out, KARP_PLACEMENT_APART, &b);
}

void apart_causes(search *s)
{
    const shape *h = original_shape(s);
    bool apart = false;
    for (uint32_t i = 0; i < h->required_anti.count && !apart; i++) {
        const pod_term *t = &h->required_anti.items[i];
        apart = is_host(s, t->topology_key) && selects_itself(s, t->label_selector);
    }
    if (apart)
        record(
            s,
            "one pod like it for each node: its required pod anti-affinity by kubernetes.io/hostname selects itself");
    for (uint32_t i = 0; i < h->spread.count; i++) {
        const spread_constraint *c = &h->spread.items[i];
        strbuf b;
        if (c->schedule_anyway || !is_host(s, c->topology_key) || !selects_itself(s, c->label_selector)) continue;
        strbuf_init(&b, s->out->context);
        strbuf_adds(&b, "its topology spread by kubernetes.io/hostname lets a node have at most ");
        strbuf_addi(&b, c->max_skew);
        strbuf_adds(&b, c->max_skew == 1 ? " such pod more than the node with the fewest, and a new node has none"
                                         : " such pods more than the node with the fewest, and a new node has none");
        record_cause(s->out, KARP_PLACEMENT_APART, &b);
    }
    host_ports(s, h);
    if (s->out->refused) s->status = KARP_E_NOMEM;
}
