/* SPDX-License-Identifier: Apache-2.0 */
/* karp_lint_snapshot(): runs the rules and collects their findings. */
#include <explain/lint.h>

#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <decision/decision.h>
#include <model/label_rules.h>
#include <model/prepare.h>

typedef struct finding {
    enum lint_rule rule;
    const char *kind;
    karp_str object, field, text, remedy;
} finding;

struct karp_lint {
    karp_context *context;
    arena data;
    LIST_OF(finding) findings;
};

static const struct {
    const char *name, *summary;
    uint32_t severity;
} rules[LINT_RULES] = {
    [LINT_ANTI_AFFINITY_CANNOT_HOLD] = { "anti-affinity-cannot-hold", "a pod anti-affinity leaves pods pending",
                                         KARP_LINT_WARNING },
    [LINT_BUDGET_NEVER_ACTIVE] = { "budget-never-active", "the schedule of a disruption budget never fires",
                                   KARP_LINT_WARNING },
    [LINT_BUDGET_NEVER_ALLOWS] = { "budget-never-allows",
                                   "a disruption budget without a schedule never allows a disruption",
                                   KARP_LINT_WARNING },
    [LINT_BUDGET_NO_LIMIT] = { "budget-no-limit", "a NodePool's disruption budgets allow all its nodes at once",
                               KARP_LINT_INFO },
    [LINT_BUDGET_NO_REASON] = { "budget-no-reason", "a disruption budget has an empty list of reasons",
                                KARP_LINT_WARNING },
    [LINT_BUDGET_NOT_FOR_EXPIRY] = { "budget-not-for-expiry", "nodes expire although a disruption budget allows none",
                                     KARP_LINT_INFO },
    [LINT_BUDGET_REASON_UNLIMITED] = { "budget-reason-unlimited",
                                       "no disruption budget of a NodePool applies to some reason", KARP_LINT_WARNING },
    [LINT_CONSOLIDATION_NEVER_STARTS] = { "consolidation-never-starts",
                                          "pods come and go more often than consolidateAfter", KARP_LINT_WARNING },
    [LINT_COSTLY_PREFERENCE] = { "costly-preference", "a preferred anti-affinity has a node launched for each pod",
                                 KARP_LINT_INFO },
    [LINT_GROUP_KEY_UNKNOWN] = { "group-key-unknown", "nothing has the topology key of a group of pods",
                                 KARP_LINT_WARNING },
    [LINT_GROUP_NEVER_STARTS] = { "group-never-starts", "a group of pods has too little room for its minimum",
                                  KARP_LINT_WARNING },
    [LINT_GROUP_PRIORITY_DIFFERS] = { "group-priority-differs", "a pod differs in priority from its group",
                                      KARP_LINT_WARNING },
    [LINT_GROUP_TOO_SMALL] = { "group-too-small", "a group of pods has fewer pods than its minimum",
                               KARP_LINT_WARNING },
    [LINT_JOB_MAY_BE_DISRUPTED] = { "job-may-be-disrupted", "consolidation may evict pods of a Job", KARP_LINT_INFO },
    [LINT_LIMIT_BELOW_LAUNCH] = { "limit-below-launch", "a limit of a NodePool is below its smallest instance type",
                                  KARP_LINT_ERROR },
    [LINT_MAX_PODS_ABOVE_ADDRESSES] = { "max-pods-above-addresses",
                                        "the kubelet takes more pods than the instance type has addresses",
                                        KARP_LINT_INFO },
    [LINT_MEMORY_OVERCOMMIT] = { "memory-overcommit", "the limits of a node's pods come to more memory than it has",
                                 KARP_LINT_INFO },
    [LINT_MIN_VALUES_UNMET] = { "min-values-unmet", "minValues asks for more values than the instance types have",
                                KARP_LINT_ERROR },
    [LINT_NO_INSTANCE_TYPE] = { "no-instance-type", "no instance type meets a NodePool's requirements",
                                KARP_LINT_ERROR },
    [LINT_NO_REQUESTS] = { "no-requests", "pods request neither cpu nor memory", KARP_LINT_INFO },
    [LINT_NODE_CLASS_MISSING] = { "node-class-missing", "the node class of a NodePool is missing, or of another kind",
                                  KARP_LINT_ERROR },
    [LINT_NODES_LIMIT_EXCEEDED] = { "nodes-limit-exceeded", "one pass launches more nodes than limits.nodes allows",
                                    KARP_LINT_WARNING },
    [LINT_NOT_PLACED] = { "not-placed", "the plan leaves pods pending, and no other finding is about them",
                          KARP_LINT_WARNING },
    [LINT_OVERLAY_VOID] = { "overlay-void", "a NodeOverlay contradicts another one of equal weight",
                            KARP_LINT_WARNING },
    [LINT_PDB_NEVER_ALLOWS] = { "pdb-never-allows", "a PodDisruptionBudget never allows an eviction",
                                KARP_LINT_WARNING },
    [LINT_PDB_OVERLAP] = { "pdb-overlap", "two PodDisruptionBudgets cover one pod", KARP_LINT_WARNING },
    [LINT_PDB_SELECTS_NOTHING] = { "pdb-selects-nothing", "a PodDisruptionBudget selects no pod", KARP_LINT_INFO },
    [LINT_POD_LIMIT_BINDS] = { "pod-limit-binds", "nodes reach their pod limit long before cpu and memory",
                               KARP_LINT_INFO },
    [LINT_POOL_REFUSED] = { "pool-refused", "Karpenter's validation refuses a NodePool", KARP_LINT_ERROR },
    [LINT_POOL_SHADOWED] = { "pool-shadowed", "a NodePool with a higher weight takes every pod that another could",
                             KARP_LINT_WARNING },
    [LINT_RESERVATION_EXCLUDED] = { "reservation-excluded",
                                    "the capacity types of a NodePool exclude a free reservation", KARP_LINT_WARNING },
    [LINT_RESIZE_COUNTS] = { "resize-counts", "Karpenter and Kubernetes 1.37 count a pod's resize differently",
                             KARP_LINT_INFO },
    [LINT_SELECTOR_MISSES_ITSELF] = { "selector-misses-itself",
                                      "the selector of a topology spread constraint misses its own pods",
                                      KARP_LINT_WARNING },
    [LINT_SPREAD_CANNOT_HOLD] = { "spread-cannot-hold", "a topology spread constraint leaves pods pending",
                                  KARP_LINT_WARNING },
    [LINT_STRANDED_CAPACITY] = { "stranded-capacity", "the requests of a pod leave much of every instance type unused",
                                 KARP_LINT_INFO },
    [LINT_TINY_MEMORY] = { "tiny-memory", "pods request less than a mebibyte of memory", KARP_LINT_WARNING },
    [LINT_TOO_MANY_VOLUMES] = { "too-many-volumes", "a new node gets more volumes than most types attach",
                                KARP_LINT_WARNING },
    [LINT_UNDECLARED_TAINT] = { "undeclared-taint", "a node has a taint that its NodePool does not declare",
                                KARP_LINT_WARNING },
    [LINT_UNKNOWN_LABEL] = { "unknown-label", "a required label exists nowhere", KARP_LINT_WARNING },
    [LINT_UNKNOWN_TAINT] = { "unknown-taint", "no taint has the value that a pod tolerates", KARP_LINT_WARNING },
    [LINT_UNKNOWN_VALUE] = { "unknown-value", "a required value exists nowhere", KARP_LINT_WARNING },
};

const char *karp_lint_severity_name(uint32_t severity)
{
    static const char *const names[] = { "info", "warning", "error" };
    return severity <= KARP_LINT_ERROR ? names[severity] : "unknown";
}

#define FIRST_RULE_SIZE SIZE_THROUGH(karp_lint_rule, reserved)
#define FIRST_FINDING_SIZE SIZE_THROUGH(karp_lint_finding, remedy)

karp_status karp_lint_rule_at(size_t index, karp_lint_rule *out)
{
    if (index >= LINT_RULES) return KARP_E_NOT_FOUND;
    karp_lint_rule rule = { sizeof rule, rules[index].name, rules[index].summary, rules[index].severity, 0 };
    return struct_give(out, &rule, sizeof rule, FIRST_RULE_SIZE);
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static karp_str keep(linting *l, karp_str text)
{
    char *copy = arena_alloc(&l->out->data, text.len + 1);
    if (copy == NULL) {
        l->refused = true;
        return str("");
    }
    if (text.len > 0) memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (karp_str){ copy, text.len };
}

static karp_str take(linting *l, strbuf *from)
{
    if (from->failed) l->refused = true;
    karp_str copy = keep(l, (karp_str){ from->ptr, from->failed ? 0 : from->len });
    strbuf_clear(from);
    return copy;
}

void lint_note(linting *l, enum lint_rule rule, const char *kind, karp_str named)
{
    finding *f = list_push(l->out->context, &l->out->findings, sizeof *f);
    if (f == NULL) {
        l->refused = true;
        return;
    }
    *f = (finding){ rule, kind, keep(l, named), take(l, &l->field), take(l, &l->text), take(l, &l->remedy) };
}

static int by_object(const void *a, const void *b)
{
    const finding *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);
    if (order == 0) order = compare_str(x->object, y->object);
    if (order == 0) order = (x->rule > y->rule) - (x->rule < y->rule);
    if (order == 0) order = compare_str(x->field, y->field);
    return order != 0 ? order : compare_str(x->text, y->text);
}

/* Sorts pointers, since findings are large, and then copies the findings in order. */
static bool order_findings(struct karp_lint *out)
{
    size_t n = out->findings.count;
    const void **order = arena_array(&out->data, n + 1, sizeof *order);
    finding *sorted = arena_array(&out->data, n + 1, sizeof *sorted);
    if (order == NULL || sorted == NULL) return false;
    for (size_t i = 0; i < n; i++) order[i] = &out->findings.items[i];
    if (!sort_pointers(out->context, order, n, by_object)) return false;
    for (size_t i = 0; i < n; i++) sorted[i] = *(const finding *)order[i];
    if (n > 0) memcpy(out->findings.items, sorted, n * sizeof *sorted);
    return true;
}

/* Counts pods that the plan leaves pending, unless a finding names the first one of their group. */
static void count_left(linting *l, const lint_group *g)
{
    uint32_t first, left = lint_left_pending(l, g, &first);
    for (size_t i = 0; i < l->out->findings.count && left > 0; i++) {
        const finding *f = &l->out->findings.items[i];
        bool told = rules[f->rule].severity != KARP_LINT_INFO && strcmp(f->kind, "Pod") == 0;
        if (told && equal_str(f->object, pod_name(l->snapshot, g->pod))) left = 0;
    }
    if (left > 0 && l->left == 0) l->first_left = first;
    l->left += left;
}

static bool waits_for_reservation(const linting *l)
{
    for (size_t i = 0; i < l->plan->unschedulable.count; i++) {
        const karp_unschedulable *row = &l->plan->unschedulable.items[i];
        if (row->pod == l->first_left) return row->code == KARP_REASON_RESERVED;
    }
    return false;
}

static void lint_not_placed(linting *l)
{
    if (!lint_has_nodes(l) || lint_plan(l) == NULL || l->plan->unschedulable.count == 0) return;
    lint_each_group(l, ALIKE_IN_RULES, count_left);
    if (l->left == 0) return;
    strbuf_putu(&l->text, "the plan leaves ", l->left, l->left == 1 ? " pod pending" : " pods pending");
    if (waits_for_reservation(l)) {
        strbuf_adds(&l->text, " in its first round, for which reservations have too few free instances");
        strbuf_adds(&l->remedy, "karp plan --settle says whether a later round places them");
    } else {
        strbuf_put(&l->remedy, "karp explain pod ", pod_name(l->snapshot, l->first_left),
                   " says why, and what would place it");
    }
    lint_note(l, LINT_NOT_PLACED, "Pod", pod_name(l->snapshot, l->first_left));
}

/* ---- functions for rules ----------------------------------------------------------------------------------------- */

bool lint_admits(linting *l, const type_table *table, uint32_t type, uint32_t set)
{
    const instance_type *t = &table->types[type];
    if (!set_agree(&l->algebra, t->set, set)) return false;
    for (uint32_t i = 0; i < t->offering_count; i++) {
        const offering *o = &table->offerings[t->offering_first + i];
        if (o->available && set_compatible(&l->algebra, set, o->set, true)) return true;
    }
    return false;
}

/* The requirements and labels of a NodePool's nodes, without those that validation rejects: these have a rule of
 * their own. */
static uint32_t set_of_pool(linting *l, uint32_t pool)
{
    const karp_snapshot *s = l->snapshot;
    const node_pool *p = &s->raw.pools.items[pool];
    const label_pair own[] = { { s->known.node_pool, s->pool_names[pool].name },
                               { s->pool_names[pool].class_label, p->class_name } };
    demand d = { EMPTY_SET, NO_ID };
    bool ok = demand_of_labels(&l->algebra, (label_list){ own, 2 }, &d);
    for (uint32_t i = 0; i < p->requirements.count && ok; i++) {
        const expression *e = &p->requirements.items[i];
        if (pool_requirement_wrong(s, e) == NULL)
            ok = demand_of_expressions(&l->algebra, (expression_list){ e, 1 }, &d);
    }
    for (uint32_t i = 0; i < p->template_labels.count && ok; i++) {
        const label_pair *label = &p->template_labels.items[i];
        if (pool_label_wrong(s, label) == NULL) ok = demand_of_labels(&l->algebra, (label_list){ label, 1 }, &d);
    }
    if (!ok) l->refused = true;
    return d.set;
}

static void know(linting *l, uint32_t key) { l->known_keys[key / 64] |= UINT64_C(1) << key % 64; }

bool lint_key_is_known(const linting *l, uint32_t key)
{
    key = l->snapshot->facts.normalized[key];
    return l->snapshot->facts.well_known[key] || ((l->known_keys[key / 64] >> key % 64) & 1) != 0;
}

static void know_labels(linting *l, label_list labels)
{
    for (uint32_t i = 0; i < labels.count; i++) know(l, l->snapshot->facts.normalized[labels.items[i].key]);
}

static void know_all(linting *l)
{
    const karp_snapshot *s = l->snapshot;
    know(l, s->known.hostname);
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].type_key_count; i++) know(l, s->tables[t].type_keys[i]);
        for (uint32_t i = 0; i < s->tables[t].offering_key_count; i++) know(l, s->tables[t].offering_keys[i]);
    }
    for (size_t i = 0; i < s->raw.nodes.count; i++) know_labels(l, s->raw.nodes.items[i].meta.labels);
    for (size_t p = 0; p < s->raw.pools.count; p++) {
        know_labels(l, s->raw.pools.items[p].template_labels);
        know(l, s->pool_names[p].class_label);
        for (uint32_t i = 0; i < s->raw.pools.items[p].requirements.count; i++)
            know(l, s->facts.normalized[s->raw.pools.items[p].requirements.items[i].key]);
    }
}

static bool prepare(linting *l)
{
    const karp_snapshot *s = l->snapshot;
    size_t texts = s->facts.count / 64 + (size_t)1;
    l->pool_sets = arena_array(&l->out->data, s->raw.pools.count + 1, sizeof *l->pool_sets);
    l->known_keys = arena_array(&l->out->data, texts, sizeof *l->known_keys);
    l->values = arena_array(&l->out->data, texts, sizeof *l->values);
    l->seen = arena_array(&l->out->data, texts, sizeof *l->seen);
    l->values_of = NO_ID;
    if (l->pool_sets == NULL || l->known_keys == NULL || l->values == NULL || l->seen == NULL) return false;
    memset(l->known_keys, 0, texts * sizeof *l->known_keys);
    know_all(l);
    for (uint32_t p = 0; p < s->raw.pools.count; p++)
        l->pool_sets[p] = s->pool_table[p] == NO_ID ? NO_ID : set_of_pool(l, p);
    return !l->refused;
}

static bool look(linting *l)
{
    static void (*const all[])(linting *) = { lint_pools,       lint_labels_of_pools, lint_labels_of_pods,
                                              lint_tolerations, lint_budgets,         lint_pdbs,
                                              lint_spread,      lint_requests,        lint_nodes,
                                              lint_workloads,   lint_pdb_overlaps,    lint_pod_groups,
                                              lint_launches,    lint_resizes,         lint_not_placed };
    if (!prepare(l)) return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!mem_work(l->snapshot->context, 1)) return false;
        all[i](l);
    }
    return !l->refused && !l->algebra.failed && order_findings(l->out);
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

karp_status karp_lint_snapshot(const karp_snapshot *snapshot, karp_lint **out, karp_error *error)
{
    if (snapshot == NULL || out == NULL) return fail_null(error, "snapshot or out");
    karp_context *context = snapshot->context;
    linting l = { .snapshot = snapshot, .error = error, .out = made_new(context, sizeof *l.out) };
    if (l.out == NULL) return context_nomem(context, error);
    strbuf_init(&l.text, context);
    strbuf_init(&l.remedy, context);
    strbuf_init(&l.field, context);
    bool good = algebra_init(&l.algebra, context, &snapshot->facts, &snapshot->algebra) && look(&l);
    karp_decision_unref(l.plan);
    karp_decision_unref(l.plan_without_preferences);
    lint_drop_groups(&l);
    algebra_free(&l.algebra);
    strbuf_free(&l.text);
    strbuf_free(&l.remedy);
    strbuf_free(&l.field);
    if (!good) {
        karp_status status = l.unplanned;
        if (status == KARP_OK) status = context_nomem(context, error);
        karp_lint_free(l.out);
        return status;
    }
    *out = l.out;
    return KARP_OK;
}

void karp_lint_free(karp_lint *lint)
{
    if (lint == NULL) return;
    list_free(lint->context, &lint->findings, sizeof(finding));
    made_free(lint, sizeof *lint);
}

size_t karp_lint_count(const karp_lint *lint) { return lint == NULL ? 0 : lint->findings.count; }

karp_status karp_lint_at(const karp_lint *lint, size_t index, karp_lint_finding *out)
{
    if (lint == NULL || index >= lint->findings.count) return KARP_E_NOT_FOUND;
    const finding *f = &lint->findings.items[index];
    karp_lint_finding row = {
        sizeof row, rules[f->rule].name, rules[f->rule].severity, 0, str(f->kind), f->object, f->field, f->text,
        f->remedy
    };
    return struct_give(out, &row, sizeof row, FIRST_FINDING_SIZE);
}
