/* SPDX-License-Identifier: Apache-2.0 */
#include <explain/node_view.h>

#include <base/str.h>
#include <decision/decision.h>
#include <model/pdbs.h>

static bool copy_into(node_view *v, const void *from, size_t count, size_t bytes, void **out)
{
    void *copy = arena_array(&v->data, count + 1, bytes);
    if (copy == NULL) return false;
    if (count > 0) memcpy(copy, from, count * bytes);
    *out = copy;
    return true;
}

bool node_view_init(node_view *v, const karp_snapshot *snapshot, uint32_t node_number)
{
    memset(v, 0, sizeof *v);
    v->snapshot = snapshot;
    v->node = node_number;
    snapshot_borrow(&v->view, snapshot);
    arena_init(&v->data, snapshot->context);
    paged_init(&v->pods, snapshot->context, sizeof(pod));
    void *nodes, *pools, *claims, *objects, *budgets;
    const store *raw = &snapshot->raw;
    if (!copy_into(v, snapshot->nodes, snapshot->node_count, sizeof(state_node), &nodes) ||
        !copy_into(v, raw->pools.items, raw->pools.count, sizeof(node_pool), &pools) ||
        !copy_into(v, raw->claims.items, raw->claims.count, sizeof(node_claim), &claims) ||
        !copy_into(v, raw->nodes.items, raw->nodes.count, sizeof(struct node), &objects) ||
        !paged_continue(&v->pods, &raw->pods) ||
        !copy_into(v, raw->budgets.items, raw->budgets.count, sizeof(disruption_budget), &budgets)) {
        return false;
    }
    v->view.nodes = nodes;
    v->view.raw.pools.items = pools;
    v->view.raw.claims.items = claims;
    v->view.raw.nodes.items = objects;
    v->view.raw.pods = v->pods;
    v->view.raw.budgets.items = budgets;
    for (uint32_t i = 0; i < snapshot->node_count; i++)
        v->view.nodes[i].nominated = v->view.nodes[i].nominated || i != node_number;
    return true;
}

void node_view_free(node_view *v)
{
    arena_free(&v->data);
    paged_free(&v->pods);
}

uint32_t node_view_budget_of(const node_view *v, uint32_t pod_number)
{
    uint32_t first = NO_ID;
    pdb_walk walk = pdbs_of(&v->view, pod_at(&v->view.raw, pod_number));
    for (uint32_t i; (i = pdb_next(&walk)) != NO_ID;) first = i < first ? i : first; /* NO_ID is more than any */
    return first;
}

/* "db/db-0", or "db/db-0 (pdb db/db)" */
static bool names_pod(karp_str detail, karp_str pod_name)
{
    return equal_str(detail, pod_name) ||
           (detail.len > pod_name.len && str_has_prefix(detail, pod_name) && detail.ptr[pod_name.len] == ' ');
}

uint32_t node_view_pod_of(const karp_snapshot *s, uint32_t node_number, karp_str detail)
{
    const state_node *n = &s->nodes[node_number];
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        if (names_pod(detail, pod_name(s, n->all_pods[i]))) return n->all_pods[i];
    }
    return NO_ID;
}

void node_view_remove(node_view *v, uint32_t number)
{
    state_node *n = &v->view.nodes[number];
    v->view.raw.claims.items[n->claim].meta.labels = (label_list){ NULL, 0 };
    n->managed = false;
    n->marked = true; /* cannot receive pods */
    n->pool = n->pool_name = n->type = NO_ID;
}

/* ---- removing reasons -------------------------------------------------------------------------------------------- */

static void *room(node_view *v, size_t count, size_t bytes)
{
    void *memory = arena_array(&v->data, count, bytes);
    if (memory == NULL) v->refused = true;
    return memory;
}

static bool forget_annotation(node_view *v, object *shown)
{
    label_pair *kept = room(v, shown->annotations.count + (size_t)1, sizeof *kept);
    uint32_t count = 0;
    if (kept == NULL) return false;
    for (uint32_t i = 0; i < shown->annotations.count; i++) {
        if (shown->annotations.items[i].key != v->view.known.do_not_disrupt)
            kept[count++] = shown->annotations.items[i];
    }
    shown->annotations = (label_list){ kept, count };
    return true;
}

static bool free_budget(node_view *v, node_pool *p)
{
    static const char all[] = "2147483647";
    budget *one = room(v, 1, sizeof *one);
    if (one == NULL) return false;
    *one = (budget){ .nodes = { all, sizeof all - 1 }, .schedule = { "", 0 }, .duration = KARP_DURATION_UNSET };
    p->budgets = one;
    p->budget_count = 1;
    return true;
}

static bool lift_of_pod(node_view *v, uint32_t code, uint32_t pod_number)
{
    if (code == KARP_REASON_POD_DO_NOT_DISRUPT) {
        pod *p = paged_own(&v->pods, pod_number);
        if (p != NULL) p->marks = 0; /* its annotations are removed */
        v->refused = p == NULL;
        return p != NULL;
    }
    pdb_walk walk = pdbs_of(&v->view, pod_at(&v->view.raw, pod_number));
    for (uint32_t b; (b = pdb_next(&walk)) != NO_ID;) v->view.raw.budgets.items[b].selects = NULL;
    return true;
}

/* Reasons that are about a NodeClaim or NodePool are reported only for nodes that have one. */
static node_claim *own_claim(node_view *v) { return &v->view.raw.claims.items[v->view.nodes[v->node].claim]; }
static node_pool *own_pool(node_view *v) { return &v->view.raw.pools.items[v->view.nodes[v->node].pool]; }

bool node_view_lift(node_view *v, uint32_t code, uint32_t pod_number)
{
    state_node *n = &v->view.nodes[v->node];
    switch (code) {
    case KARP_REASON_NOMINATED: n->nominated = false; return true;
    case KARP_REASON_NODE_DO_NOT_DISRUPT:
        return forget_annotation(v, &v->view.raw.nodes.items[n->node].meta) &&
               forget_annotation(v, &own_claim(v)->meta);
    case KARP_REASON_POD_DO_NOT_DISRUPT:
    case KARP_REASON_PDB_MULTIPLE:
    case KARP_REASON_PDB_BLOCKED: return lift_of_pod(v, code, pod_number);
    case KARP_REASON_CONSOLIDATION_DISABLED: own_pool(v)->consolidate_after = 0; return true;
    case KARP_REASON_POLICY_WHEN_EMPTY:
    case KARP_REASON_BALANCED_SCORE: own_pool(v)->policy = KARP_WHEN_EMPTY_OR_UNDERUTILIZED; return true;
    case KARP_REASON_NOT_CONSOLIDATABLE: n->consolidatable = true; return true;
    case KARP_REASON_BUDGET: return free_budget(v, own_pool(v));
    case KARP_REASON_SPOT_TO_SPOT_DISABLED: v->view.raw.settings.gates |= KARP_GATE_SPOT_TO_SPOT; return true;
    default: return false;
    }
}

void node_view_lift_wait(node_view *v)
{
    own_pool(v)->consolidate_after = 0;
    for (uint32_t i = 0; i < v->view.node_count; i++) {
        state_node *n = &v->view.nodes[i];
        n->consolidatable = n->consolidatable || n->pool == v->view.nodes[v->node].pool;
    }
}

/* ---- the whole cluster ------------------------------------------------------------------------------------------- */

void node_view_lift_limits(node_view *v)
{
    for (size_t i = 0; i < v->view.raw.pools.count; i++) v->view.raw.pools.items[i].limits = (resource_list){ NULL, 0 };
}

bool node_view_lift_topology(node_view *v)
{
    const store *raw = &v->snapshot->raw;
    shape *shapes = arena_copy(&v->data, raw->shapes.items, raw->shapes.count * sizeof *shapes);
    if (shapes == NULL && raw->shapes.count > 0) return false;
    for (size_t i = 0; i < raw->shapes.count; i++) {
        shapes[i].spread.count = 0;
        shapes[i].required_affinity.count = shapes[i].preferred_affinity.count = 0;
        shapes[i].required_anti.count = shapes[i].preferred_anti.count = 0;
    }
    v->view.raw.shapes.items = shapes;
    v->view.raw.default_spread.count = 0;
    return true;
}

bool node_view_some_limits(const karp_snapshot *s)
{
    bool some = false;
    for (size_t i = 0; i < s->raw.pools.count; i++) some = some || s->raw.pools.items[i].limits.count > 0;
    return some;
}

bool node_view_some_topology(const karp_snapshot *s)
{
    bool some = s->raw.default_spread.count > 0;
    for (size_t i = 0; i < s->raw.shapes.count && !some; i++) {
        const shape *h = &s->raw.shapes.items[i];
        some = h->spread.count + h->required_affinity.count + h->required_anti.count > 0 ||
               h->preferred_affinity.count + h->preferred_anti.count > 0;
    }
    return some;
}

void node_view_remove_commands(node_view *v, const karp_decision *d)
{
    for (size_t i = 0; i < d->commands.count; i++) {
        for (size_t k = 0; k < d->commands.items[i].node_count; k++)
            node_view_remove(v, state_node_named(v->snapshot, d->commands.items[i].nodes[k]));
    }
}
