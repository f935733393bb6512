/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of a pod about host names and ports, and what they mean for pods like it. */
#include <explain/explain_pod.h>

#include <model/selector.h>
#include <schedule/report.h>

static const char *only_existing(int32_t max_skew)
{
    return max_skew > 1 ? "; that bounds the difference: the number on a node may grow with the others, and only a "
                          "required pod anti-affinity bounds it, to one"
                        : "; kube-scheduler counts the nodes that exist, so that two such pods may share one: "
                          "only a required pod anti-affinity keeps them apart";
}

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

/* Pods like it that no rule keeps apart, all on the node of the launch: replicas that end together. */
static void shared_by_all(search *s, const karp_launch *l)
{
    const store *raw = &s->snapshot->raw;
    const shape *h = original_shape(s);
    size_t here = 0, all = 0;
    if (h->spread.count + h->required_anti.count + h->preferred_anti.count + raw->default_spread.count > 0) return;
    for (size_t i = 0; i < l->pod_count; i++) here += pod_at(raw, l->pods[i])->shape == s->shape;
    for (uint32_t i = 0; i < raw->pods.count && here > 1; i++)
        all += pod_at(raw, i)->shape == s->shape && !pod_over(pod_at(raw, i));
    if (here < 2 || all != here) return;
    strbuf b = strbuf_on(s->out->context);
    strbuf_putu(&b, "all ", all,
                " pods like it share the node: no topology spread and no pod anti-affinity keeps them apart");
    record_cause(s->out, KARP_PLACEMENT_APART, &b);
}

void apart_causes(search *s, const karp_launch *l)
{
    const shape *h = original_shape(s);
    shared_by_all(s, l);
    strbuf rule = strbuf_on(s->out->context);
    if (show_apart(s->snapshot, s->pod, &rule)) record_cause(s->out, KARP_PLACEMENT_APART, &rule);
    else strbuf_free(&rule);
    for (uint32_t i = 0; i < h->spread.count; i++) {
        const spread_constraint *c = &h->spread.items[i];
        if (c->schedule_anyway || !is_host(s, c->topology_key) || !selects_itself(s, c->label_selector)) continue;
        strbuf b = strbuf_on(s->out->context);
        strbuf_adds(&b, "its topology spread by kubernetes.io/hostname lets a node have at most ");
        strbuf_addi(&b, c->max_skew);
        strbuf_adds(&b, c->max_skew == 1 ? " such pod more than the node with the fewest, and a new node has none"
                                         : " such pods more than the node with the fewest, and a new node has none");
        if (s->out->evicted == NULL)
            strbuf_adds(&b, only_existing(c->max_skew)); /* else told of the node that it shares */
        record_cause(s->out, KARP_PLACEMENT_APART, &b);
    }
}

/* ---- running pods ------------------------------------------------------------------------------------------------ */

/* A pod other than this one that the selector selects on its node; NO_ID = there is none. */
static uint32_t partner_of(const karp_snapshot *s, uint32_t pod_number, const selector *selects)
{
    const pod *p = pod_at(&s->raw, pod_number);
    uint32_t number = state_node_named(s, name_of(s, p->node));
    for (uint32_t i = 0; number != NO_ID && i < s->nodes[number].pod_count; i++) {
        uint32_t which = s->nodes[number].pods[i];
        const pod *other = pod_at(&s->raw, which);
        if (which != pod_number && other->name_space == p->name_space && !pod_over(other) &&
            selector_selects(selects, store_pod_labels(&s->raw, other->labels)))
            return which;
    }
    return NO_ID;
}

void shared_node_cause(karp_pod_explanation *e, const karp_snapshot *s, uint32_t pod_number)
{
    const shape *h = &s->raw.shapes.items[pod_at(&s->raw, pod_number)->shape];
    for (uint32_t i = 0; i < h->spread.count && !e->refused; i++) {
        const spread_constraint *c = &h->spread.items[i];
        if (s->facts.normalized[c->topology_key] != s->known.hostname || c->label_selector == NULL ||
            !selector_valid(c->label_selector))
            continue;
        uint32_t partner = partner_of(s, pod_number, c->label_selector);
        if (partner == NO_ID) continue;
        strbuf b = strbuf_on(e->context);
        strbuf_put(&b, "it shares the node with ", pod_name(s, partner), "");
        if (c->schedule_anyway) {
            strbuf_adds(&b, ": its topology spread by kubernetes.io/hostname is a preference (ScheduleAnyway)");
        } else {
            strbuf_adds(&b, ", which its topology spread by kubernetes.io/hostname allows: a node may have ");
            strbuf_addi(&b, c->max_skew);
            strbuf_adds(&b, c->max_skew == 1 ? " such pod more" : " such pods more");
            strbuf_adds(&b, " than the node with the fewest");
            strbuf_adds(&b, only_existing(c->max_skew));
        }
        record_cause(e, KARP_PLACEMENT_APART, &b);
    }
}
