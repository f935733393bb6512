/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes and prices really have, against what NodePools and NodeOverlays declare. */
#include <explain/lint.h>
#include <explain/node_causes.h>

#include <base/duration.h>
#include <karp/values.h>
#include <schedule/report.h>

/* ---- taints ------------------------------------------------------------------------------------------------------ */

static void check_taint(linting *l, const node_pool *p, const struct node *n, const taint *t)
{
    const karp_snapshot *s = l->snapshot;
    if (taint_declared(s, p, t)) return;
    strbuf_put(&l->field, "spec.taints[", text_of(s, t->key), "]");
    strbuf_put(&l->text, "NodePool ", name_of(s, p->meta.name), "");
    strbuf_adds(&l->text,
                " does not declare it: Karpenter takes it for lasting and launches another node for the same pods");
    strbuf_adds(&l->remedy, "add it to spec.template.spec.startupTaints if something removes it, else to taints");
    lint_note(l, LINT_UNDECLARED_TAINT, "Node", name_of(s, n->meta.name));
}

static void check_taints(linting *l)
{
    const karp_snapshot *s = l->snapshot;
    for (uint32_t i = 0; i < s->node_count && !l->refused; i++) {
        const state_node *n = &s->nodes[i];
        if (!n->managed || n->node == NO_ID || n->pool == NO_ID || n->marked) continue;
        const struct node *shown = &s->raw.nodes.items[n->node];
        for (uint32_t k = 0; k < shown->taints.count; k++)
            check_taint(l, &s->raw.pools.items[n->pool], shown, &shown->taints.items[k]);
        if (!mem_work(s->context, 16)) l->refused = true;
    }
}

static void check_reservations(linting *l, uint32_t pool)
{
    if (l->pool_sets[pool] == NO_ID || !lint_table(l, pool)->has_reservations) return;
    const offering *o = reservation_excluded(&l->algebra, l->snapshot, lint_table(l, pool), l->pool_sets[pool]);
    if (o == NULL) return;
    strbuf_adds(&l->field, "spec.template.spec.requirements[karpenter.sh/capacity-type]");
    strbuf_adds(&l->text, "the node class has ");
    strbuf_addi(&l->text, o->reservation_capacity);
    strbuf_adds(&l->text, o->reservation_capacity == 1 ? " free instance of " : " free instances of ");
    strbuf_put(&l->text, "", text_of(l->snapshot, lint_table(l, pool)->types[o->type].name),
               " in a capacity reservation, which the pool's capacity types exclude");
    strbuf_adds(&l->remedy, "add reserved to its values");
    lint_note(l, LINT_RESERVATION_EXCLUDED, "NodePool", pool_name(l->snapshot, pool));
}

static void check_overlays(linting *l)
{
    const store *raw = &l->snapshot->raw;
    for (size_t i = 0; i < raw->overlays.count && !l->refused; i++) {
        const overlay *o = &raw->overlays.items[i];
        if (!o->is_void) continue;
        strbuf_adds(&l->field, "spec.weight");
        strbuf_adds(&l->text,
                    "nothing of it applies: for some instance type it contradicts another NodeOverlay of weight ");
        strbuf_addi(&l->text, o->weight);
        for (size_t k = 0; k < raw->overlays.count; k++) {
            const overlay *other = &raw->overlays.items[k];
            if (other->is_void || other->weight != o->weight) continue;
            strbuf_put(&l->text, ", such as ", name_of(l->snapshot, other->meta.name), "");
            break;
        }
        strbuf_adds(&l->remedy, "give them different weights");
        lint_note(l, LINT_OVERLAY_VOID, "NodeOverlay", name_of(l->snapshot, o->meta.name));
    }
}

/* ---- consolidateAfter -------------------------------------------------------------------------------------------- */

static bool is_younger(int64_t instant, int64_t length, int64_t now)
{
    return instant != KARP_NO_TIME && instant_after(instant, length) > now;
}

/* Whether a pod came to the node, or left it, within consolidateAfter. The node itself is older. */
static bool is_kept_waiting(const karp_snapshot *s, const state_node *n, int64_t after)
{
    const node_claim *claim = &s->raw.claims.items[n->claim];
    return claim->meta.creation != KARP_NO_TIME && !is_younger(claim->meta.creation, after, s->raw.now) &&
           is_younger(claim->last_pod_event, after, s->raw.now);
}

/* The newest pod on the node, of those created within consolidateAfter; NO_ID = none. */
static uint32_t newest_pod(const karp_snapshot *s, const state_node *n, int64_t after)
{
    uint32_t newest = NO_ID;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        if ((p->flags & POD_OF_DAEMON_SET) != 0 || !is_younger(p->creation, after, s->raw.now)) continue;
        if (newest == NO_ID || p->creation > pod_at(&s->raw, newest)->creation) newest = n->all_pods[i];
    }
    return newest;
}

/* What a pool's nodes show. Pods may come to one node by chance: it takes a pod of a Job, or all nodes of several. */
typedef struct restarts {
    uint32_t nodes, waiting, pod;
    bool of_job;
} restarts;

static restarts find_restarts(linting *l, uint32_t pool, int64_t after)
{
    const karp_snapshot *s = l->snapshot;
    restarts found = { .pod = NO_ID };
    for (uint32_t i = 0; i < s->node_count && !l->refused; i++) {
        const state_node *n = &s->nodes[i];
        if (n->pool != pool || n->claim == NO_ID || n->marked) continue;
        found.nodes++;
        uint32_t newest = is_kept_waiting(s, n, after) ? newest_pod(s, n, after) : NO_ID;
        if (newest == NO_ID) continue;
        bool of_job = (pod_at(&s->raw, newest)->flags & POD_OF_JOB) != 0;
        found.waiting++;
        if (found.pod == NO_ID || (of_job && !found.of_job)) found.pod = newest;
        found.of_job = found.of_job || of_job;
        if (!mem_work(s->context, n->all_pod_count + (size_t)1)) l->refused = true;
    }
    return found;
}

static void check_restarts(linting *l, uint32_t pool)
{
    int64_t after = l->snapshot->raw.pools.items[pool].consolidate_after;
    char length[KARP_VALUE_TEXT];
    if (after <= 0 || after == KARP_DURATION_NEVER) return;
    restarts found = find_restarts(l, pool, after);
    if (found.waiting == 0 || !(found.of_job || (found.nodes > 1 && found.waiting == found.nodes))) return;
    karp_duration_format(after, length);
    strbuf_adds(&l->field, "spec.disruption.consolidateAfter");
    strbuf_putu(&l->text, "to ", found.waiting, " of ");
    strbuf_addu(&l->text, found.nodes);
    strbuf_adds(&l->text, found.nodes == 1 ? " node" : " nodes");
    strbuf_put(&l->text, " a pod, such as ", pod_name(l->snapshot, found.pod), ", came within the last ");
    strbuf_adds(&l->text, length);
    strbuf_adds(&l->text, ": each pod that comes or goes starts the wait anew, so these nodes are not consolidated");
    strbuf_adds(&l->remedy, "make it shorter than the time between such pods, or give them a NodePool of their own");
    lint_note(l, LINT_CONSOLIDATION_NEVER_STARTS, "NodePool", pool_name(l->snapshot, pool));
}

void lint_nodes(linting *l)
{
    check_taints(l);
    for (uint32_t p = 0; p < l->snapshot->raw.pools.count && !l->refused; p++) check_restarts(l, p);
    for (uint32_t p = 0; p < l->snapshot->raw.pools.count && !l->refused; p++) check_reservations(l, p);
    check_overlays(l);
}
