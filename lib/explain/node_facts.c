/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to a node whatever a disruption pass decides: it expires; and what does not: limits remove none. */
#include <explain/node_causes.h>

#include <disrupt/advice.h>
#include <explain/explain_pod.h>
#include <explain/market.h>
#include <karp/values.h>
#include <schedule/movable.h>

/* How long before its end an expiration is told. */
static const int64_t soon = INT64_C(24) * 3600 * 1000000000;

int64_t node_expires(const karp_snapshot *s, uint32_t node_number)
{
    uint32_t claim = s->nodes[node_number].claim;
    return claim == NO_ID ? KARP_NO_TIME : claim_expires(&s->raw.claims.items[claim]);
}

static bool some_pod_moves(const karp_snapshot *s, uint32_t node_number)
{
    const state_node *n = &s->nodes[node_number];
    bool some = false;
    for (uint32_t i = 0; i < n->all_pod_count && !some; i++) some = pod_reschedulable(pod_at(&s->raw, n->all_pods[i]));
    return some;
}

void show_expiry(strbuf *b, const karp_snapshot *s, uint32_t node_number, int64_t now)
{
    int64_t end = node_expires(s, node_number);
    if (end == KARP_NO_TIME || (end > now && now < end - soon)) return;
    const node_claim *claim = &s->raw.claims.items[s->nodes[node_number].claim];
    char text[KARP_VALUE_TEXT];
    karp_duration_format(claim->expire_after, text);
    strbuf_put(b, "its expireAfter of ", str_short_duration(str(text)), "");
    karp_time_format(end, text);
    strbuf_adds(b, end <= now ? " was over at " : " is over at ");
    strbuf_adds(b, text);
    strbuf_adds(b, end <= now ? ": Karpenter deletes the node" : ": Karpenter then deletes the node");
    strbuf_adds(b, ", whatever disruption budgets of the NodePool allow");
    if (!some_pod_moves(s, node_number)) return;
    strbuf_adds(b, ", and launches nodes for its pods after the "
                   "deletion has begun, while the node drains; pods that must not be evicted (PodDisruptionBudgets, "
                   "karpenter.sh/do-not-disrupt) hold the drain ");
    bool ends = claim->termination_grace_period > 0 && claim->termination_grace_period != KARP_DURATION_NEVER;
    if (ends) karp_duration_format(claim->termination_grace_period, text);
    strbuf_adds(b, ends ? "until its terminationGracePeriod is over: "
                        : "without an end: it has no terminationGracePeriod");
    if (ends) strbuf_addstr(b, str_short_duration(str(text)));
}

static const node_pool *pool_or_none(const karp_snapshot *s, uint32_t node_number)
{
    uint32_t pool = s->nodes[node_number].pool;
    return pool == NO_ID ? NULL : &s->raw.pools.items[pool];
}

void show_latest_image(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    const node_pool *p = pool_or_none(s, node_number);
    for (size_t i = 0; p != NULL && i < s->raw.node_classes.count; i++) {
        const node_class *c = &s->raw.node_classes.items[i];
        if (c->group != p->class_group || c->kind != p->class_kind || !str_contains(c->document, str("@latest\"")) ||
            !equal_str(name_of(s, c->meta.name), text_of(s, p->class_name)))
            continue;
        strbuf_put(b, "", text_of(s, c->kind), " ");
        strbuf_put(b, "", name_of(s, c->meta.name),
                   " selects an alias that ends in @latest, which follows every release: all its nodes drift with "
                   "each; a version in the alias stops that");
    }
}

void show_policy(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    const node_pool *p = pool_or_none(s, node_number);
    if (p == NULL || p->policy != KARP_WHEN_EMPTY) return;
    strbuf_put(b, "consolidationPolicy WhenEmpty of NodePool ", name_of(s, p->meta.name),
               " does not hold it: drift replaces nodes with pods, too");
}

void show_default_budget(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    const node_pool *p = pool_or_none(s, node_number);
    if (p == NULL || p->budget_count != 1 || !str_is(p->budgets[0].nodes, "10%") || p->budgets[0].has_reasons ||
        budget_scheduled(&p->budgets[0]))
        return;
    strbuf_put(b, "NodePool ", name_of(s, p->meta.name),
               " has the budget that is Karpenter's default, 10% of its nodes "
               "at a time, rounded up; spec.disruption.budgets sets another, "
               "such as nodes: \"1\" for one by one");
}

void show_over_limit(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    uint32_t pool = s->nodes[node_number].pool;
    resource_list limits = pool == NO_ID ? (resource_list){ NULL, 0 } : s->raw.pools.items[pool].limits;
    for (uint32_t i = 0; i < limits.count; i++) {
        amount used = limit_used(s, pool, &limits.items[i]);
        if (amount_cmp(used, limits.items[i].value) <= 0) continue;
        strbuf_put(b, "NodePool ", name_of(s, s->raw.pools.items[pool].meta.name), " uses more than its limit (");
        strbuf_put(b, "", strings_get(&s->raw.resources, limits.items[i].resource), ": limit ");
        add_quantity(b, limits.items[i].value, limits.items[i].binary);
        strbuf_adds(b, ", in use ");
        add_quantity(b, used, limits.items[i].binary);
        strbuf_adds(b, "): limits only stop launches, and no node goes because of them");
        return;
    }
}
