/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agree < LIST: whether karp_find_blockers() and karp_explain_node() agree on every node of every case. A line of the
 * list names a case, then its documents, separated by spaces; "@" stands before a file of instance types.
 *
 * A node that stays for a reason of consolidation is in a row of that kind, and a row names no node without that
 * reason. And karp_lint_snapshot() does not say what nodes pods get, or how many stay pending, unless karp_provision()
 * decides so.
 */
#include <karp/blockers.h>
#include <karp/explain.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/library.h>
#include <karp/lint.h>
#include <karp/passes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool same(karp_str a, karp_str b) { return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0); }

/* 0 = the reason is none that a row is about. */
static uint32_t kind_of(uint32_t code)
{
    switch (code) {
    case KARP_REASON_PDB_MULTIPLE:
    case KARP_REASON_PDB_BLOCKED: return KARP_BLOCKER_PDB;
    case KARP_REASON_POD_DO_NOT_DISRUPT: return KARP_BLOCKER_POD_ANNOTATION;
    case KARP_REASON_NODE_DO_NOT_DISRUPT: return KARP_BLOCKER_NODE_ANNOTATION;
    case KARP_REASON_BUDGET: return KARP_BLOCKER_BUDGET;
    case KARP_REASON_NOT_CONSOLIDATABLE:
    case KARP_REASON_CONSOLIDATION_DISABLED: return KARP_BLOCKER_CONSOLIDATE_AFTER;
    case KARP_REASON_POLICY_WHEN_EMPTY:
    case KARP_REASON_BALANCED_SCORE: return KARP_BLOCKER_POLICY;
    case KARP_REASON_NOMINATED: return KARP_BLOCKER_NOMINATED;
    case KARP_REASON_SPOT_TO_SPOT_DISABLED: return KARP_BLOCKER_SPOT_TO_SPOT;
    case KARP_REASON_SEVERAL_NODES_NEEDED: return KARP_BLOCKER_SEVERAL_NODES;
    case KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES: return KARP_BLOCKER_SPOT_TYPES;
    case KARP_REASON_DELETING: return KARP_BLOCKER_DRAIN;
    case KARP_REASON_INSTANCE_TYPE_NOT_FOUND:
    case KARP_REASON_NO_CAPACITY_TYPE:
    case KARP_REASON_NO_ZONE: return KARP_BLOCKER_UNKNOWN_TYPE;
    case KARP_REASON_NO_NODE:
    case KARP_REASON_NOT_INITIALIZED: return KARP_BLOCKER_NOT_INITIALIZED;
    case KARP_REASON_NODEPOOL_NOT_FOUND: return KARP_BLOCKER_NO_NODE_POOL;
    default: return 0;
    }
}

static bool row_has(const karp_savings_blocker *row, karp_str node)
{
    for (size_t i = 0; i < row->node_count; i++) {
        if (same(row->nodes[i], node)) return true;
    }
    return false;
}

static bool some_row(const karp_blockers *found, uint32_t kind, karp_str node)
{
    for (size_t i = 0; i < karp_blockers_count(found); i++) {
        karp_savings_blocker row = { .size = sizeof row };
        if (karp_blockers_at(found, i, &row) == KARP_OK && row.kind == kind && row_has(&row, node)) return true;
    }
    return false;
}

/* Pending pods that need new nodes are behind every reason about a replacement; the explanation has one row for them.
 */
static bool blames_pending(const karp_blocker *b)
{
    return b->detail.len > 0 && strstr(b->detail.ptr, "as this one's replacement") != NULL;
}

static bool about_replacement(uint32_t kind)
{
    return kind == KARP_BLOCKER_SEVERAL_NODES || kind == KARP_BLOCKER_SPOT_TYPES || kind == KARP_BLOCKER_SPOT_TO_SPOT;
}

static bool explains(const karp_node_explanation *e, uint32_t kind)
{
    for (size_t i = 0; i < karp_node_explanation_blocker_count(e); i++) {
        karp_blocker b = { .size = sizeof b };
        if (karp_node_explanation_blocker(e, i, &b) == KARP_OK &&
            (kind_of(b.code) == kind || (about_replacement(kind) && blames_pending(&b))))
            return true;
    }
    return false;
}

static bool stays_for(const karp_node_explanation *e, uint32_t code)
{
    bool found = false;
    for (size_t i = 0; i < karp_node_explanation_blocker_count(e); i++) {
        karp_blocker b = { .size = sizeof b };
        found = found || (karp_node_explanation_blocker(e, i, &b) == KARP_OK && b.code == code);
    }
    return found;
}

/* Kinds whose rows are about a whole pass, and name nodes that go without them. */
static bool of_pass(uint32_t kind)
{
    return kind == KARP_BLOCKER_BUDGET || kind == KARP_BLOCKER_LIMITS || kind == KARP_BLOCKER_TOPOLOGY;
}

static size_t compare(const char *name, const karp_blockers *found, const karp_node_explanation *e, karp_str node)
{
    size_t wrong = 0;
    if (karp_node_explanation_disrupted(e) != 0) return 0;
    /* rows leave out nodes that consolidation never takes, and those that go whatever keeps them */
    bool never = stays_for(e, KARP_REASON_STATIC) || karp_node_explanation_expired(e) != 0;
    for (size_t i = 0; i < karp_node_explanation_blocker_count(e); i++) {
        karp_blocker b = { .size = sizeof b };
        if (karp_node_explanation_blocker(e, i, &b) != KARP_OK) return 1;
        bool consolidates = b.method == KARP_METHOD_SINGLE_NODE || b.method == KARP_METHOD_EMPTINESS;
        uint32_t kind = consolidates ? kind_of(b.code) : 0;
        bool stuck = kind != KARP_BLOCKER_DRAIN ||
                     (b.detail.len > 0 && strstr(b.detail.ptr, "its drain waits") != NULL);
        bool hidden = kind == KARP_BLOCKER_NOT_INITIALIZED; /* whether its NodePool is static is not seen then */
        if (kind == 0 || never || hidden || !stuck || some_row(found, kind, node)) continue;
        wrong++;
        printf("%s: %.*s stays for %s, and no row %s names it\n", name, (int)node.len, node.ptr,
               karp_reason_name(b.code), karp_blocker_kind_name(kind));
    }
    for (size_t i = 0; i < karp_blockers_count(found); i++) {
        karp_savings_blocker row = { .size = sizeof row };
        if (karp_blockers_at(found, i, &row) != KARP_OK) return 1;
        if (of_pass(row.kind) || !row_has(&row, node) || explains(e, row.kind)) continue;
        wrong++;
        printf("%s: the row %s names %.*s, which does not stay for that\n", name, karp_blocker_kind_name(row.kind),
               (int)node.len, node.ptr);
    }
    return wrong;
}

/* Whether a pass of consolidation takes the node as things are, though another command may come first. */
static bool goes_now(const karp_snapshot *s, karp_str node)
{
    static const uint32_t methods[] = { KARP_METHOD_EMPTINESS, KARP_METHOD_MULTI_NODE, KARP_METHOD_SINGLE_NODE };
    bool goes = false;
    for (size_t m = 0; m < 3; m++) {
        karp_disrupt_options options;
        karp_decision *d = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        karp_disrupt_options_init(&options, sizeof options);
        options.method = methods[m];
        if (karp_disrupt(s, &options, &d, &error) != KARP_OK) continue;
        for (size_t i = 0; i < karp_decision_command_count(d); i++) {
            karp_command c = { .size = sizeof c };
            (void)karp_decision_command(d, i, &c);
            for (size_t k = 0; k < c.node_count; k++) goes = goes || same(c.nodes[k], node);
        }
        karp_decision_unref(d);
    }
    return goes;
}

static size_t check_nodes(const char *name, const karp_snapshot *s, const karp_blockers *found, size_t *nodes)
{
    karp_decision *d = NULL;
    karp_error error;
    size_t wrong = 0;
    karp_error_init(&error, sizeof error);
    if (karp_disrupt(s, NULL, &d, &error) != KARP_OK) return 0;
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use use = { .size = sizeof use };
        karp_node_explanation *e = NULL;
        if (karp_decision_node(d, i, &use) != KARP_OK || karp_explain_node(s, NULL, use.node, &e, &error) != KARP_OK)
            continue;
        (*nodes)++;
        if (!goes_now(s, use.node)) wrong += compare(name, found, e, use.node);
        karp_node_explanation_free(e);
    }
    karp_decision_unref(d);
    return wrong;
}

/* ---- lint and plan ----------------------------------------------------------------------------------------------- */

static bool left(const karp_decision *plan, karp_str pod)
{
    bool found = false;
    for (size_t i = 0; i < karp_decision_unschedulable_count(plan); i++) {
        karp_unschedulable u = { .size = sizeof u };
        found = found ||
                (karp_decision_unschedulable(plan, i, &u) == KARP_OK && same(karp_decision_pod_name(plan, u.pod), pod));
    }
    return found;
}

/* Whether the finding promises its pods a node. */
static bool promises(const karp_lint_finding *f)
{
    return strcmp(f->rule, "stranded-capacity") == 0 || strcmp(f->rule, "pod-limit-binds") == 0 ||
           strcmp(f->rule, "costly-preference") == 0 || strstr(f->text.ptr, "may share the smallest node") != NULL;
}

/* false = it says that the plan leaves more pods pending than the plan does, or more than there are, or names one that
 * the plan places. */
static bool counts_right(const karp_lint_finding *f, const karp_decision *plan)
{
    static const char words[] = "the plan leaves ";
    const char *at = strstr(f->text.ptr, words);
    unsigned long pending = 0, of = 0;
    if (at == NULL) return true;
    int numbers = sscanf(at + strlen(words), "%lu of %lu", &pending, &of);
    bool all = strcmp(f->rule, "not-placed") == 0; /* of all workloads; the object is one of the pods */
    return pending > 0 && pending <= karp_decision_unschedulable_count(plan) &&
           (all ? numbers == 1 && left(plan, f->object) : numbers == 2 && pending <= of);
}

static size_t check_lint(const char *name, const karp_snapshot *s, size_t *findings)
{
    karp_lint *lint = NULL;
    karp_decision *plan = NULL;
    karp_error error;
    size_t wrong = 0;
    karp_error_init(&error, sizeof error);
    if (karp_provision(s, NULL, &plan, &error) == KARP_OK && karp_lint_snapshot(s, &lint, &error) == KARP_OK) {
        for (size_t i = 0; i < karp_lint_count(lint); i++) {
            karp_lint_finding f = { .size = sizeof f };
            (void)karp_lint_at(lint, i, &f);
            (*findings)++;
            if (counts_right(&f, plan) && !(promises(&f) && left(plan, f.object))) continue;
            wrong++;
            printf("%s: lint and plan disagree: %.*s: %s: %.*s\n", name, (int)f.object.len, f.object.ptr, f.rule,
                   (int)f.text.len, f.text.ptr);
        }
    }
    karp_lint_free(lint);
    karp_decision_unref(plan);
    return wrong;
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static karp_status add_types(karp_context *context, karp_reader *reader, const char *path, karp_error *error)
{
    karp_catalogue *types = NULL;
    karp_status status = karp_catalogue_read_file(context, path, &types, error);
    if (status == KARP_OK) status = karp_reader_add_catalogue(reader, types, error);
    karp_catalogue_unref(types);
    return status;
}

/* One case: its name, and the paths of its documents. */
static size_t check_case(karp_context *context, char *line, size_t *cases, size_t *nodes, size_t *findings)
{
    karp_reader *reader = NULL;
    karp_snapshot *s = NULL;
    karp_blockers *found = NULL;
    karp_error error;
    size_t wrong = 0;
    char *rest = NULL, *name = strtok_r(line, " \n", &rest);
    if (name == NULL) return 0;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_reader_new(context, NULL, &reader, &error);
    for (char *path; status == KARP_OK && (path = strtok_r(NULL, " \n", &rest)) != NULL;)
        status = path[0] == '@' ? add_types(context, reader, path + 1, &error)
                                : karp_reader_add_path(reader, path, &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &s, &error);
    if (status == KARP_OK) status = karp_find_blockers(s, NULL, &found, &error);
    if (status == KARP_OK) {
        (*cases)++;
        wrong = check_nodes(name, s, found, nodes) + check_lint(name, s, findings);
    } else {
        printf("%s: %s\n", name, error.message); /* cases of what is refused have no nodes to compare */
    }
    karp_blockers_free(found);
    karp_snapshot_unref(s);
    karp_reader_free(reader);
    return wrong;
}

int main(void)
{
    static char line[10000];
    karp_context *context = NULL;
    karp_error error;
    size_t wrong = 0, cases = 0, nodes = 0, findings = 0;
    karp_error_init(&error, sizeof error);
    if (karp_context_new(NULL, &context, &error) != KARP_OK) return 1;
    while (fgets(line, sizeof line, stdin) != NULL) wrong += check_case(context, line, &cases, &nodes, &findings);
    karp_context_unref(context);
    printf("%zu cases, %zu nodes, %zu findings, %zu disagreements\n", cases, nodes, findings, wrong);
    return wrong > 0;
}
