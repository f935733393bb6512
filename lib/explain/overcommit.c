/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes whose pods may use more memory than there is: pods are placed by their requests, whatever their limits are. */
#include <explain/market.h>
#include <explain/node_causes.h>

#include <base/str.h>
#include <schedule/movable.h>

/* What the pods may use of memory. *above: one of them may use more than it requests. */
static amount most_used(const karp_snapshot *s, const uint32_t *pods, size_t count, bool *above)
{
    amount sum = amount_from(0), more;
    for (size_t i = 0; i < count; i++) {
        const shape *h = &s->raw.shapes.items[pod_at(&s->raw, pods[i])->shape];
        amount asked = resource_list_get(h->requests, RESOURCE_MEMORY);
        amount limit = resource_list_get(beside_of(h).limits, RESOURCE_MEMORY);
        if (pod_over(pod_at(&s->raw, pods[i]))) continue;
        *above = *above || amount_cmp(limit, asked) > 0;
        if (amount_add(sum, amount_max(limit, asked), &more)) sum = more;
    }
    return sum;
}

static void show(strbuf *b, size_t count, amount most, amount has)
{
    strbuf_putu(b, "the limits of its ", count, "");
    strbuf_adds(b, count == 1 ? " pod come to " : " pods come to ");
    show_amount(b, most, true);
    strbuf_adds(b, " memory, of ");
    show_amount(b, has, true);
    strbuf_adds(b,
                " that it has for pods: Karpenter and kube-scheduler place pods by their requests alone, so that pods "
                "which use more than they request may be evicted or killed (OOM)");
}

bool show_overcommit(strbuf *b, const karp_snapshot *s, const uint32_t *pods, size_t count, amount has)
{
    bool above = false;
    amount most = most_used(s, pods, count, &above);
    if (!above || amount_cmp(most, has) <= 0) return false;
    show(b, count, most, has);
    return true;
}

bool show_overcommit_of_node(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    const state_node *n = &s->nodes[node_number];
    return show_overcommit(b, s, n->pods, n->pod_count, resource_list_get(n->allocatable, RESOURCE_MEMORY));
}
