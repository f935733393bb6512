/* SPDX-License-Identifier: Apache-2.0 */
/* Pods: preferences that cost a node each, anti-affinity that cannot hold, requests that say nothing, and pods that two
 * PodDisruptionBudgets cover. */
#include <explain/lint.h>

#include <base/bits.h>
#include <model/selector.h>
#include <schedule/movable.h>
#include <schedule/report.h>

/* Whether the term is about pods of the group itself. */
static bool is_about_itself(const linting *l, const lint_group *g, const pod_term *t)
{
    const store *raw = &l->snapshot->raw;
    const pod *p = pod_at(raw, g->pod);
    if (t->label_selector == NULL || t->namespace_selector != NULL || t->namespace_count > 0) return false;
    return selector_valid(t->label_selector) && selector_selects(t->label_selector, store_pod_labels(raw, p->labels));
}

static const double hours_a_month = 730;

/* ---- anti-affinity ----------------------------------------------------------------------------------------------- */

static void add_monthly(strbuf *b, double per_hour)
{
    strbuf_addc(b, '$');
    strbuf_addu(b, (uint64_t)(per_hour * hours_a_month + 0.5));
}

/* Adds ": the plan costs $841 a month, and $140 without preferences". false = it costs no more, so there is no finding.
 * If nothing is pending, no plan shows it. */
static bool add_cost(linting *l)
{
    const karp_decision *with = l->snapshot->pending_count > 0 ? lint_plan(l) : NULL;
    const karp_decision *without = with != NULL ? lint_plan_without_preferences(l) : NULL;
    if (without == NULL) return !l->refused;
    if (!(with->cost_after > without->cost_after)) {
        strbuf_clear(&l->field);
        strbuf_clear(&l->text);
        return false;
    }
    strbuf_adds(&l->text, ": the plan costs ");
    add_monthly(&l->text, with->cost_after);
    strbuf_adds(&l->text, " a month, and ");
    add_monthly(&l->text, without->cost_after);
    strbuf_adds(&l->text, " without preferences");
    return true;
}

static void check_preferred(linting *l, const lint_group *g)
{
    for (uint32_t i = 0; i < g->shape->preferred_anti.count; i++) {
        const pod_term *t = &g->shape->preferred_anti.items[i];
        if (l->snapshot->facts.normalized[t->topology_key] != l->snapshot->known.hostname) continue;
        if (g->count < 2 || !is_about_itself(l, g, t) || lint_left_pending(l, g, NULL) > 0) continue;
        strbuf_putu(&l->field, "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[", i,
                    "]");
        strbuf_adds(&l->text, "Karpenter keeps preferences where it can, so each of ");
        strbuf_plural(&l->text, g->count, " pod", " pods");
        strbuf_adds(&l->text, " gets a node without another one of them");
        if (!add_cost(l)) return;
        strbuf_adds(&l->remedy, "use topologySpreadConstraints, or Karpenter's PREFERENCE_POLICY=Ignore");
        lint_note(l, LINT_COSTLY_PREFERENCE, "Pod", pod_name(l->snapshot, g->pod));
        return;
    }
}

static uint32_t count_values(linting *l, uint32_t key)
{
    const karp_snapshot *s = l->snapshot;
    uint32_t count = lint_mark_nodes(l, key, l->seen);
    for (uint32_t p = 0; p < s->raw.pools.count; p++) {
        if (l->pool_sets[p] != NO_ID && s->raw.pools.items[p].replicas < 0)
            count += lint_mark_values(l, p, key, NO_ID, l->seen);
    }
    return count;
}

static void show_values_of_key(linting *l, uint32_t key, uint32_t domains)
{
    karp_str meant = topology_key_meant(text_of(l->snapshot, key));
    if (domains == 0) strbuf_adds(&l->text, "no node, NodePool or instance type has the label ");
    strbuf_addstr(&l->text, text_of(l->snapshot, key));
    if (domains == 0) {
        strbuf_adds(&l->remedy, "use ");
        strbuf_addstr(&l->remedy,
                      meant.len > 0 ? meant : str("kubernetes.io/hostname, or another label that nodes have"));
        return;
    }
    strbuf_putu(&l->text, " has ", domains, "");
    strbuf_adds(&l->text, domains == 1 ? " value, for one pod" : " values, for one pod each");
    strbuf_adds(&l->remedy, "use kubernetes.io/hostname, a spread constraint, or fewer replicas");
}

static void check_required(linting *l, const lint_group *g)
{
    for (uint32_t i = 0; i < g->shape->required_anti.count; i++) {
        const pod_term *t = &g->shape->required_anti.items[i];
        uint32_t key = l->snapshot->facts.normalized[t->topology_key];
        if (key == l->snapshot->known.hostname || !is_about_itself(l, g, t)) continue;
        for (size_t w = 0; w < bits_words(l->snapshot->facts.count); w++) l->seen[w] = 0;
        uint32_t domains = count_values(l, key);
        uint32_t left = domains >= g->count ? 0 : lint_left_pending(l, g, NULL);
        if (left == 0) continue;
        strbuf_putu(&l->field, "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[", i, "]");
        show_values_of_key(l, key, domains);
        lint_add_left(l, left, g);
        lint_note(l, LINT_ANTI_AFFINITY_CANNOT_HOLD, "Pod", pod_name(l->snapshot, g->pod));
        return;
    }
}

static void check_amounts(linting *l, const lint_group *g)
{
    const resource_list *r = &g->shape->requests;
    const resource_amount *memory = resource_list_find(*r, RESOURCE_MEMORY),
                          *cpu = resource_list_find(*r, RESOURCE_CPU);
    bool no_cpu = cpu == NULL || amount_sign(cpu->value) == 0, none = memory == NULL || amount_sign(memory->value) == 0;
    if (none && no_cpu) {
        strbuf_adds(&l->field, "spec.containers[*].resources.requests");
        strbuf_adds(&l->text, "neither cpu nor memory is requested: Karpenter counts such pods as free");
        if (lint_left_pending(l, g, NULL) == 0) {
            strbuf_adds(&l->text, ", so ");
            strbuf_plural(&l->text, g->count, " pod", " pods");
            strbuf_adds(&l->text, " may share the smallest node");
        }
        strbuf_adds(&l->remedy, "request what the pods use");
        lint_note(l, LINT_NO_REQUESTS, "Pod", pod_name(l->snapshot, g->pod));
    } else if (!none && amount_cmp(memory->value, amount_whole(1 << 20)) < 0) {
        strbuf_adds(&l->field, "spec.containers[*].resources.requests.memory");
        strbuf_adds(&l->text, "less than 1Mi of memory is requested: m is a thousandth of a byte, not a mebibyte");
        strbuf_adds(&l->remedy, "write Mi");
        lint_note(l, LINT_TINY_MEMORY, "Pod", pod_name(l->snapshot, g->pod));
    }
}

/* A constraint without a selector counts no pod. */
static void check_selector(linting *l, const lint_group *g)
{
    const store *raw = &l->snapshot->raw;
    for (uint32_t i = 0; i < g->shape->spread.count; i++) {
        const spread_constraint *c = &g->shape->spread.items[i];
        label_list labels = store_pod_labels(raw, pod_at(raw, g->pod)->labels);
        if (c->label_selector != NULL &&
            (!selector_valid(c->label_selector) || selector_selects(c->label_selector, labels)))
            continue;
        strbuf_putu(&l->field, "spec.topologySpreadConstraints[", i, "].labelSelector");
        strbuf_adds(&l->text, c->label_selector == NULL
                                  ? "there is no selector, so the constraint counts no pod and spreads nothing"
                                  : "it does not select the pod itself, so the constraint does not spread such pods");
        strbuf_adds(&l->remedy, "select the labels of the pod template");
        lint_note(l, LINT_SELECTOR_MISSES_ITSELF, "Pod", pod_name(l->snapshot, g->pod));
    }
}

/* ---- Jobs -------------------------------------------------------------------------------------------------------- */

static bool is_protected(const karp_snapshot *s, const pod *p)
{
    return store_marks(&s->raw, p)->do_not_disrupt != NO_ID;
}

/* The first NodePool by name that consolidates nodes with pods. */
static const node_pool *consolidating(const karp_snapshot *s)
{
    const node_pool *first = NULL;
    for (size_t i = 0; i < s->raw.pools.count; i++) {
        const node_pool *p = &s->raw.pools.items[i];
        if (p->policy == KARP_WHEN_EMPTY || p->replicas >= 0 || p->consolidate_after == KARP_DURATION_NEVER) continue;
        if (first == NULL || compare_str(name_of(s, p->meta.name), name_of(s, first->meta.name)) < 0) first = p;
    }
    return first;
}

static void check_job(linting *l, const lint_group *g)
{
    const karp_snapshot *s = l->snapshot;
    const pod *p = pod_at(&s->raw, g->pod);
    if ((p->flags & POD_OF_JOB) == 0 || is_protected(s, p) ||
        pod_pdb_check(s, g->pod, s->raw.now, PDB_FULLY_BLOCKING, NULL) != PDB_ALLOWED)
        return;
    const node_pool *pool = consolidating(s);
    if (pool == NULL) return;
    strbuf_adds(&l->field, "metadata.annotations");
    strbuf_put(&l->text, "NodePool ", name_of(s, pool->meta.name),
               " consolidates nodes with pods: a pod of this Job may be evicted, and then starts again");
    strbuf_adds(&l->remedy, "if the work must not be lost: karpenter.sh/do-not-disrupt: \"true\" in the pod template");
    lint_note(l, LINT_JOB_MAY_BE_DISRUPTED, "Pod", pod_name(s, g->pod));
}

static void check_pods(linting *l, const lint_group *g)
{
    check_preferred(l, g);
    check_amounts(l, g);
    check_selector(l, g);
    check_job(l, g);
    if (g->shape->required_anti.count > 0 && lint_has_nodes(l)) check_required(l, g);
    if (!mem_work(l->snapshot->context, 1024)) l->refused = true;
}

void lint_workloads(linting *l) { lint_each_group(l, ALIKE_IN_ALL, check_pods); }

/* ---- PodDisruptionBudgets ---------------------------------------------------------------------------------------- */

static void note_overlap(linting *l, const disruption_budget *a, const disruption_budget *b, uint32_t which)
{
    const karp_snapshot *s = l->snapshot;
    strbuf name = strbuf_on(s->context);
    strbuf_addname(&name, text_of(s, b->meta.name_space), name_of(s, b->meta.name));
    strbuf_adds(&l->field, "spec.selector");
    strbuf_put(&l->text, "PodDisruptionBudget ", name_of(s, a->meta.name), " covers pod ");
    strbuf_put(&l->text, "", pod_name(s, which),
               ", too: Kubernetes refuses to evict a pod with two budgets, so its node is never drained");
    strbuf_adds(&l->remedy, "let one budget cover each pod");
    lint_note(l, LINT_PDB_OVERLAP, "PodDisruptionBudget", (karp_str){ name.ptr, name.len });
    l->refused = l->refused || name.failed;
    strbuf_free(&name);
}

/* One finding for each budget that shares a pod with an earlier one. */
void lint_pdb_overlaps(linting *l)
{
    const karp_snapshot *s = l->snapshot;
    struct overlap {
        uint32_t with, pod; /* the first of the pod's budgets; the first such pod by name, plus 1; 0 = there is none */
    } *found = arena_array(&l->algebra.data, s->raw.budgets.count + 1, sizeof *found);
    l->refused = l->refused || found == NULL;
    for (size_t i = 0; s->raw.budgets.count > 1 && i < s->raw.pods.count && !l->refused; i++) {
        const pod *p = pod_at(&s->raw, s->by_name[i]);
        uint32_t first = NO_ID, number;
        if (!mem_work(s->context, 4)) l->refused = true;
        if (pod_over(p)) continue;
        for (pdb_walk walk = pdbs_of(s, p); (number = pdb_next(&walk)) != NO_ID;)
            first = number < first ? number : first;
        for (pdb_walk walk = pdbs_of(s, p); (number = pdb_next(&walk)) != NO_ID;) {
            if (number != first && found[number].pod == 0) found[number] = (struct overlap){ first, s->by_name[i] + 1 };
        }
    }
    const disruption_budget *budgets = s->raw.budgets.items;
    for (size_t b = 1; b < s->raw.budgets.count && !l->refused; b++) {
        if (found[b].pod != 0) note_overlap(l, &budgets[found[b].with], &budgets[b], found[b].pod - 1);
    }
}
