/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are being deleted, and that never go unless somebody acts. */
#include <base/strbuf.h>
#include <decision/decision.h>
#include <schedule/movable.h>

/* The first pod that holds the drain of the node without an end; NO_ID = there is none. */
static uint32_t holder_without_end(const karp_snapshot *s, const state_node *n, int64_t now)
{
    if (!n->marked || !n->managed || n->claim == NO_ID) return NO_ID;
    const node_claim *claim = &s->raw.claims.items[n->claim];
    bool ends = claim->termination_grace_period != KARP_DURATION_UNSET || claim->meta.deletion == KARP_NO_TIME;
    for (uint32_t i = 0; i < n->all_pod_count && !ends; i++) {
        if (pod_holds_drain(s, n->all_pods[i], now)) return n->all_pods[i];
    }
    return NO_ID;
}

static bool note(karp_decision *d, const karp_snapshot *s, uint32_t node_number, uint32_t pod_number, uint64_t count)
{
    strbuf b = strbuf_on(d->context);
    strbuf_addstr(&b, name_of(s, s->nodes[node_number].name));
    if (count > 1) strbuf_adds(&b, " (and ");
    if (count > 1) strbuf_addu(&b, count - 1);
    if (count > 1) strbuf_adds(&b, " more like it)");
    strbuf_put(&b, " is being deleted, but ", pod_name(s, pod_number), "");
    strbuf_adds(&b, " cannot be evicted and holds its drain without an end, as its NodeClaim has no "
                    "terminationGracePeriod: it costs until somebody acts");
    bool ok = !b.failed && decision_warn(d, b.ptr, b.len);
    strbuf_free(&b);
    return ok;
}

bool drains_note(const karp_snapshot *s, int64_t now, karp_decision *d)
{
    uint64_t count = 0;
    uint32_t first = NO_ID, first_pod = NO_ID;
    d->held = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t which = holder_without_end(s, &s->nodes[i], now);
        if (which == NO_ID) continue;
        d->held += node_price(s, &s->nodes[i]);
        if (count++ > 0) continue;
        first = i;
        first_pod = which;
    }
    return count == 0 || note(d, s, first, first_pod, count);
}
