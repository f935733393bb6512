/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that stay for their pods: what karp_find_blockers() sees without trying a pass for each of them. */
#include <explain/finder.h>

#include <base/bits.h>
#include <base/str.h>
#include <base/strbuf.h>
#include <decision/decision.h>
#include <schedule/movable.h>

/* Reasons that come before the pods, and that nothing lifts. */
static bool is_closed(uint32_t code)
{
    switch (code) {
    case KARP_REASON_IN_QUEUE:
    case KARP_REASON_NOT_MANAGED:
    case KARP_REASON_NO_NODE:
    case KARP_REASON_REBOOTING:
    case KARP_REASON_DELETING:
    case KARP_REASON_NOT_INITIALIZED:
    case KARP_REASON_NO_NODEPOOL_LABEL:
    case KARP_REASON_NODEPOOL_NOT_FOUND: return true;
    default: return false;
    }
}

bool is_static(const finder *f, uint32_t node_number)
{
    uint32_t pool = f->snapshot->nodes[node_number].pool;
    return pool != NO_ID && f->snapshot->raw.pools.items[pool].replicas >= 0;
}

/* Bits of the nodes whose pods do not matter; NULL = out of memory. */
static uint64_t *closed_nodes(const finder *f, const karp_decision *d)
{
    const karp_snapshot *s = f->snapshot;
    size_t width = s->node_count / 64 + (size_t)1;
    uint64_t *closed = arena_copy(&f->out->data, f->going_now, width * sizeof *closed);
    for (size_t i = 0; closed != NULL && i < d->kept.count; i++) {
        uint32_t number = is_closed(d->kept.items[i].code) ? state_node_named(s, d->kept.items[i].node) : NO_ID;
        if (number != NO_ID) bits_set(closed, number);
    }
    for (uint32_t n = 0; closed != NULL && n < s->node_count; n++) {
        if (s->nodes[n].claim == NO_ID || is_static(f, n)) bits_set(closed, n);
    }
    return closed;
}

/* Notes that the pod keeps its node, and takes the reason from the view. */
static bool hold(finder *f, node_view *v, uint32_t holder_number, lift one)
{
    if (holder_number == NO_ID) return false;
    one.holder = holder_number;
    bits_set(f->holders.items[holder_number].nodes, one.node);
    if (!add_lift(f, one) || !add_pod(f, &f->holders.items[holder_number], one.pod)) return false;
    v->node = one.node;
    return one.code != KARP_REASON_POD_DO_NOT_DISRUPT || node_view_lift(v, one.code, one.pod);
}

static bool annotated(finder *f, node_view *v, uint32_t node_number)
{
    const karp_snapshot *s = f->snapshot;
    const state_node *n = &s->nodes[node_number];
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        if (pod_disruptable(s, p, f->now)) continue;
        lift one = { .code = KARP_REASON_POD_DO_NOT_DISRUPT, .node = node_number, .pod = n->all_pods[i] };
        if (!hold(f, v, holder_of(f, KARP_BLOCKER_POD_ANNOTATION, text_of(s, p->name_space)), one)) return false;
    }
    return true;
}

karp_str pdb_name(finder *f, const disruption_budget *b)
{
    karp_str name;
    strbuf text = strbuf_on(f->out->context);
    strbuf_addname(&text, text_of(f->snapshot, b->meta.name_space), name_of(f->snapshot, b->meta.name));
    return strbuf_move(&text, &f->out->data, &name) ? name : (karp_str){ NULL, 0 };
}

/* The holder of a PodDisruptionBudget; `numbers` has those that there are, by budget. */
static uint32_t holder_of_budget(finder *f, uint32_t *numbers, uint32_t budget_number)
{
    if (numbers[budget_number] != NO_ID) return numbers[budget_number];
    karp_str name = pdb_name(f, &f->snapshot->raw.budgets.items[budget_number]);
    numbers[budget_number] = new_holder(f, KARP_BLOCKER_PDB, name);
    if (numbers[budget_number] != NO_ID) f->holders.items[numbers[budget_number]].budget = budget_number;
    return numbers[budget_number];
}

/* Kubernetes evicts no pod that several budgets cover: each of them keeps it. */
static bool hold_by_several(finder *f, node_view *v, uint32_t *numbers, lift one)
{
    bool ok = true;
    pdb_walk walk = pdbs_of(&v->view, pod_at(&v->view.raw, one.pod));
    for (uint32_t b; ok && (b = pdb_next(&walk)) != NO_ID;) ok = hold(f, v, holder_of_budget(f, numbers, b), one);
    bits_set(f->shared, one.node);
    return ok;
}

static bool covered(finder *f, node_view *v, uint32_t node_number, uint32_t *numbers)
{
    const state_node *n = &f->snapshot->nodes[node_number];
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        uint32_t first = NO_ID;
        enum pdb_answer answer = pod_pdb_check(&v->view, n->all_pods[i], f->now, PDB_ZERO_DISRUPTIONS, &first);
        if (answer == PDB_ALLOWED) continue;
        lift one = { .code = answer == PDB_SEVERAL ? KARP_REASON_PDB_MULTIPLE : KARP_REASON_PDB_BLOCKED,
                     .node = node_number,
                     .pod = n->all_pods[i] };
        if (answer == PDB_SEVERAL ? !hold_by_several(f, v, numbers, one)
                                  : !hold(f, v, holder_of_budget(f, numbers, first), one))
            return false;
    }
    return true;
}

bool hold_by_pods(finder *f, node_view *v, const karp_decision *d)
{
    const karp_snapshot *s = f->snapshot;
    size_t budgets = s->raw.budgets.count;
    uint64_t *closed = closed_nodes(f, d);
    uint32_t *numbers = arena_array(&f->out->data, budgets + 1, sizeof *numbers);
    bool ok = closed != NULL && numbers != NULL;
    for (size_t b = 0; ok && b < budgets; b++) numbers[b] = NO_ID;
    for (uint32_t n = 0; ok && n < s->node_count; n++) ok = bits_test(closed, n) || annotated(f, v, n);
    for (uint32_t n = 0; ok && n < s->node_count; n++) ok = bits_test(closed, n) || covered(f, v, n, numbers);
    for (size_t i = 0; ok && i < f->lifts.count; i++) {
        v->node = f->lifts.items[i].node;
        (void)node_view_lift(v, f->lifts.items[i].code, f->lifts.items[i].pod);
        ok = !v->refused;
    }
    return ok;
}

bool hold_by_drain(finder *f)
{
    const karp_snapshot *s = f->snapshot;
    for (uint32_t n = 0; n < s->node_count; n++) {
        const state_node *held = &s->nodes[n];
        uint32_t number = NO_ID;
        if (!held->marked || held->claim == NO_ID || !held->managed) continue;
        for (uint32_t i = 0; i < held->all_pod_count; i++) {
            uint32_t which = held->all_pods[i];
            if (!pod_holds_drain(s, which, f->now)) continue;
            karp_str pool = held->pool == NO_ID ? str("") : pool_name(s, held->pool);
            if (number == NO_ID) number = holder_of(f, KARP_BLOCKER_DRAIN, pool);
            if (number == NO_ID || !add_pod(f, &f->holders.items[number], which)) return false;
            bits_set(f->holders.items[number].nodes, n);
        }
    }
    return true;
}

/* ---- nodes that several things keep ------------------------------------------------------------------------------ */

/* Whether what it holds stays whatever happens to other nodes. */
static bool keeps_for_sure(const holder *h)
{
    return h->kind == KARP_BLOCKER_PDB || h->kind == KARP_BLOCKER_POD_ANNOTATION ||
           h->kind == KARP_BLOCKER_NODE_ANNOTATION || h->kind == KARP_BLOCKER_CONSOLIDATE_AFTER ||
           h->kind == KARP_BLOCKER_NOMINATED;
}

bool held_by_others(const finder *f, const holder *h)
{
    bool some = false;
    if (!keeps_for_sure(h)) return false;
    for (size_t n = bits_next(h->nodes, f->snapshot->node_count, 0); n < f->snapshot->node_count;
         n = bits_next(h->nodes, f->snapshot->node_count, n + 1)) {
        some = true;
        if (f->sure[n] < 2 || bits_test(f->shared, n)) return false;
    }
    return some;
}

bool count_holders(finder *f)
{
    f->sure = arena_array(&f->out->data, f->snapshot->node_count + (size_t)1, sizeof *f->sure);
    for (size_t k = 0; f->sure != NULL && k < f->holders.count; k++) {
        const holder *h = &f->holders.items[k];
        if (!keeps_for_sure(h)) continue;
        for (size_t n = bits_next(h->nodes, f->snapshot->node_count, 0); n < f->snapshot->node_count;
             n = bits_next(h->nodes, f->snapshot->node_count, n + 1))
            f->sure[n]++;
    }
    return f->sure != NULL;
}
