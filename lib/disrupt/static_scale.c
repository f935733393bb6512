/* SPDX-License-Identifier: Apache-2.0 */
/* Scales static pools to their replicas. */
#include <base/civil.h>
#include <disrupt/advice.h>

#include <base/sort.h>
#include <disrupt/budgets.h>
#include <schedule/movable.h>

static const int64_t recheck = INT64_C(60) * SECOND_NS, limited = INT64_C(30) * SECOND_NS;

/* Claims that can be deleted, in this order: not resolved, empty, then by cost; those with protected pods last. */
enum { UNRESOLVED, EMPTY, USED, PROTECTED };
struct victim {
    uint32_t claim, rank;
    double cost;
};

static int sooner(const void *x, const void *y, const void *user)
{
    const struct victim *a = x, *b = y;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    int order = a->rank > EMPTY ? (a->cost > b->cost) - (a->cost < b->cost) : 0;
    return order != 0 || a->rank == UNRESOLVED ? order
                                               : compare_str(claim_name(user, a->claim), claim_name(user, b->claim));
}

static struct victim judge(const karp_advice *a, cost_reading how, const state_node *n)
{
    const karp_snapshot *s = a->snapshot;
    const node_claim *c = &s->raw.claims.items[n->claim];
    struct victim v = { n->claim, EMPTY, 0.0 };
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        v.cost += eviction_cost(s, how, n->all_pods[i]);
        if (pod_active(p) && pod_do_not_disrupt(s, p, a->now)) v.rank = PROTECTED;
        else if (v.rank == EMPTY && !(p->flags & POD_OF_DAEMON_SET)) v.rank = USED;
    }
    v.cost *= lifetime_remaining(c->meta.creation, c->expire_after, a->now);
    return v;
}

static void scale_down(karp_advice *a, uint32_t pool, int64_t excess)
{
    const karp_snapshot *s = a->snapshot;
    struct victim *list = arena_array(&a->data, s->raw.claims.count + 1, sizeof *list);
    size_t n = 0;
    cost_reading how = costs_read(s, KARP_PROFILE_KARPENTER, peer_rules(KARP_PROFILE_KARPENTER, KARP_PEER_NEWEST));
    if (list == NULL) {
        a->failed = true;
        return;
    }
    for (uint32_t i = 0; i < s->raw.claims.count; i++) {
        const node_claim *c = &s->raw.claims.items[i];
        bool mine = pool_of_labels(s, c->meta.labels) == pool;
        if (mine && c->provider_id == 0 && c->meta.deletion == KARP_NO_TIME)
            list[n++] = (struct victim){ i, UNRESOLVED, 0.0 };
    }
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *node_ = &s->nodes[i];
        if (node_->managed && !node_->marked && node_->pool == pool) list[n++] = judge(a, how, node_);
    }
    if (!sort_stable(a->context, list, n, sizeof *list, sooner, s)) a->failed = true;
    for (size_t i = 0; i < n && (int64_t)i < excess; i++) {
        advise(a, (karp_action){ .kind = KARP_ACTION_DELETE_CLAIM,
                                 .object = claim_name(s, list[i].claim),
                                 .value = str("ScaleDown") });
    }
}

static void scale_up(karp_advice *a, uint32_t pool, pool_counters k)
{
    const karp_snapshot *s = a->snapshot;
    const node_pool *p = &s->raw.pools.items[pool];
    if (p->meta.deletion != KARP_NO_TIME || !condition_is_true(s, p->conditions, "Ready")) return;
    int64_t wanted = p->replicas - k.active, room = node_room(p, k);
    if (room < wanted) {
        wanted = room;
        advice_look_again(a, instant_after(a->now, limited));
    }
    if (wanted > 0)
        advise(a, (karp_action){
                      .kind = KARP_ACTION_CREATE_CLAIMS, .object = name_of(s, p->meta.name), .number = wanted });
}

karp_status karp_advise_static_pools(const karp_snapshot *snapshot, int64_t now, karp_advice **out, karp_error *error)
{
    karp_advice *a = NULL;
    karp_status status = advice_start(snapshot, now, out, &a, error);
    if (status != KARP_OK) return status;
    bool on = (snapshot->raw.settings.gates & KARP_GATE_STATIC_CAPACITY) != 0;
    for (uint32_t i = 0; i < snapshot->raw.pools.count && on && !a->failed; i++) {
        if (snapshot->raw.pools.items[i].replicas < 0) continue;
        pool_counters k = count_claims(snapshot, i);
        advice_look_again(a, instant_after(a->now, recheck));
        if (k.active < snapshot->raw.pools.items[i].replicas) scale_up(a, i, k);
        else if (k.active > snapshot->raw.pools.items[i].replicas)
            scale_down(a, i, k.active - snapshot->raw.pools.items[i].replicas);
    }
    return advice_finish(a, out, error);
}
