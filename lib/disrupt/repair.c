/* SPDX-License-Identifier: Apache-2.0 */
/* Unhealthy nodes are replaced forcibly, unless too many are unhealthy at once. */
#include <base/civil.h>
#include <disrupt/advice.h>

static const int64_t retry = INT64_C(300) * SECOND_NS;

/* The provider's repair policies. */
struct policies {
    const karp_repair_policy *items;
    size_t count;
};

static const condition *matching(const karp_snapshot *s, condition_list list, const karp_repair_policy *p)
{
    uint32_t type = strings_find(&s->raw.text, p->condition.ptr, p->condition.len);
    const condition *c = type == NO_ID ? NULL : condition_find(list, type);
    return c != NULL && equal_str(text_of(s, c->status), p->status) ? c : NULL;
}

static bool unhealthy(const karp_snapshot *s, const node *n, const struct policies *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (matching(s, n->conditions, &p->items[i]) != NULL) return true;
    }
    return false;
}

/* The earliest end of a policy's toleration; KARP_NO_TIME = no policy applies. */
static int64_t repair_time(const karp_snapshot *s, const node *n, const struct policies *p)
{
    int64_t first = KARP_NO_TIME;
    for (size_t i = 0; i < p->count; i++) {
        const condition *c = matching(s, n->conditions, &p->items[i]);
        if (c == NULL || c->since == KARP_NO_TIME) continue;
        int64_t end = instant_after(c->since, p->items[i].toleration);
        if (first == KARP_NO_TIME || end < first) first = end;
    }
    return first;
}

/* Whether more than a fifth, rounded up, of the nodes with the claim's pool label are unhealthy; without a label, of
 * all nodes. */
static bool too_many(const karp_snapshot *s, uint32_t pool_label, const struct policies *p)
{
    uint64_t all = 0, broken = 0;
    for (size_t i = 0; i < s->raw.nodes.count; i++) {
        const node *n = &s->raw.nodes.items[i];
        if (pool_label != NO_ID && label_get(n->meta.labels, s->known.node_pool) != pool_label) continue;
        all++;
        broken += unhealthy(s, n, p);
    }
    return broken > (all + 4) / 5;
}

static void look(karp_advice *a, const state_node *n, const struct policies *p)
{
    const karp_snapshot *s = a->snapshot;
    if (n->claim == NO_ID || n->node == NO_ID) return;
    const node_claim *c = &s->raw.claims.items[n->claim];
    const node *own = &s->raw.nodes.items[n->node];
    int64_t end = c->meta.deletion != KARP_NO_TIME ? KARP_NO_TIME : repair_time(s, own, p);
    if (end == KARP_NO_TIME) return;
    if (a->now < end) {
        advice_look_again(a, end);
    } else if (too_many(s, label_get(c->meta.labels, s->known.node_pool), p)) {
        advise(a, (karp_action){ .kind = KARP_ACTION_BLOCKED,
                                 .object = name_of(s, own->meta.name),
                                 .value = str("TooManyUnhealthy") });
        advice_look_again(a, instant_after(a->now, retry));
    } else {
        advise_termination_now(a, n->claim);
        advise(a, (karp_action){
                      .kind = KARP_ACTION_DELETE_CLAIM, .object = claim_name(s, n->claim), .value = str("Unhealthy") });
    }
}

karp_status karp_advise_repair(const karp_snapshot *snapshot, int64_t now, const karp_repair_policy *policies,
                               size_t policy_count, karp_advice **out, karp_error *error)
{
    karp_advice *a = NULL;
    karp_status status = advice_start(snapshot, now, out, &a, error);
    if (status != KARP_OK) return status;
    const struct policies p = { policies, policies != NULL ? policy_count : 0 };
    bool on = (snapshot->raw.settings.gates & KARP_GATE_NODE_REPAIR) != 0;
    for (uint32_t i = 0; i < snapshot->node_count && on; i++) look(a, &snapshot->nodes[i], &p);
    return advice_finish(a, out, error);
}
