/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that are being resized in place. Karpenter counts their requests as Kubernetes did up to 1.36. A kube-scheduler
 * from 1.37 on may count less (or more), and bind a pod to another node than Karpenter expects.
 */
#include <explain/explain_pod.h>
#include <explain/lint.h>
#include <explain/node_causes.h>

#include <model/quantity.h>

/* ---- what differs ------------------------------------------------------------------------------------------------ */

static void add_amount(strbuf *b, resource_list list, const resource_amount *like)
{
    char text[QUANTITY_TEXT];
    quantity q = { .value = resource_list_get(list, like->resource), .binary = like->binary };
    strbuf_add(b, text, quantity_format(q, text));
}

/* Each resource that counts differently, once: those of which one list has more, then the others. */
static void add_differences(strbuf *b, const karp_snapshot *s, const resource_list one, const resource_list other,
                            bool more_in_one, const char *between, bool *first)
{
    const resource_list of = more_in_one ? one : other;
    for (uint32_t i = 0; i < of.count; i++) {
        const resource_amount *r = &of.items[i];
        int order = amount_cmp(resource_list_get(one, r->resource), resource_list_get(other, r->resource));
        if (order == 0 || (order > 0) != more_in_one) continue;
        if (!*first) strbuf_adds(b, ", ");
        *first = false;
        strbuf_put(b, "", strings_get(&s->raw.resources, r->resource), " ");
        add_amount(b, one, r);
        strbuf_adds(b, between);
        add_amount(b, other, r);
    }
}

/* "cpu 3, not 2" for each resource of which the lists have other amounts. */
static void all_differences(strbuf *b, const karp_snapshot *s, resource_list one, resource_list other,
                            const char *between)
{
    bool first = true;
    add_differences(b, s, one, other, true, between, &first);
    add_differences(b, s, one, other, false, between, &first);
}

static void both_differences(strbuf *b, const karp_snapshot *s, const shape *h)
{
    all_differences(b, s, h->requests, beside_of(h).newer, ", not ");
}

void show_predicted(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    const state_node *n = &s->nodes[node_number];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->pods[i]);
        const shape *h = &s->raw.shapes.items[p->shape];
        const resource_list predicted = beside_of(h).predicted;
        if (predicted.count == 0 || (p->flags & POD_OF_DAEMON_SET) || count++ >= MOST_NAMED) continue;
        strbuf_adds(b, count == 1 ? "simulations place " : "; ");
        strbuf_put(b, "", pod_name(s, n->pods[i]), " with ");
        all_differences(b, s, predicted, h->requests, " instead of ");
    }
    if (count > 0) show_more(b, count, MOST_NAMED, "; and ", " more");
    if (count > 0) strbuf_adds(b, ", as VerticalPodAutoscalers set it when pods are created again");
}

/* ---- karp lint --------------------------------------------------------------------------------------------------- */

static void check_resize(linting *l, const lint_group *g)
{
    if (beside_of(g->shape).newer.count == 0) return;
    strbuf_adds(&l->field, "status.containerStatuses");
    strbuf_adds(&l->text, "while the pod is resized in place, Karpenter counts ");
    both_differences(&l->text, l->snapshot, g->shape);
    strbuf_adds(&l->text, " as kube-scheduler does from Kubernetes 1.37 on: the two may disagree about which pods fit "
                          "on its node");
    strbuf_adds(&l->remedy, "karp explain pod says it of a pending pod");
    lint_note(l, LINT_RESIZE_COUNTS, "Pod", pod_name(l->snapshot, g->pod));
}

void lint_resizes(linting *l) { lint_each_group(l, ALIKE_IN_ALL, check_resize); }

/* ---- karp explain ------------------------------------------------------------------------------------------------ */

/* "web-1 on the node is being resized, and Karpenter counts cpu 3, not 2" */
static void add_cause(strbuf *b, const karp_snapshot *s, karp_str node_name)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *n = &s->nodes[i];
        if (!equal_str(name_of(s, n->name), node_name)) continue;
        for (uint32_t k = 0; k < n->pod_count; k++) {
            const shape *h = &s->raw.shapes.items[pod_at(&s->raw, n->pods[k])->shape];
            if (beside_of(h).newer.count == 0) continue;
            strbuf_put(b, "; ", pod_name(s, n->pods[k]), " on it is being resized, and Karpenter counts ");
            both_differences(b, s, h);
            return;
        }
    }
}

void compare_resizes(search *s, const karp_remedy *now)
{
    karp_remedy then = { .size = sizeof then };
    bool any = false;
    if (!overlay_resizes(&s->changed, &any)) s->status = KARP_E_NOMEM;
    bool placed = any && s->status == KARP_OK && search_outcome(s, &then);
    overlay_view_reset(&s->changed);
    if (!any || s->status != KARP_OK || equal_str(then.node, now->node)) return;
    strbuf b = strbuf_on(s->snapshot->context);
    if (then.node.len > 0) {
        strbuf_put(&b, "kube-scheduler may bind the pod to node ", then.node, " from Kubernetes 1.37 on");
        add_cause(&b, s->snapshot, then.node);
        if (now->node_pool.len > 0) strbuf_adds(&b, ": the node is then launched in vain");
    } else {
        strbuf_put(&b, "from Kubernetes 1.37 on, kube-scheduler may find no room for the pod on node ", now->node, "");
        add_cause(&b, s->snapshot, now->node);
        if (!placed) strbuf_adds(&b, ": the pod stays pending");
    }
    const char *text = b.failed ? NULL : arena_string(&s->out->data, b.ptr, b.len);
    if (text == NULL) s->status = KARP_E_NOMEM;
    else s->out->resize = (karp_str){ text, b.len };
    strbuf_free(&b);
}
