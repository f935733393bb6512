/* SPDX-License-Identifier: Apache-2.0 */
/*
 * karp_find_blockers() and karp_explain_node() name the same reasons for each node. Budgets are left out: one that
 * allows some disruptions keeps no node by itself. So are nodes that a pass disrupts, and reasons of drift and of
 * several nodes at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

static karp_snapshot *snapshot_of(karp_context *context, const char *path)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
    if (karp_reader_add_path(reader, path, NULL) == KARP_OK) (void)karp_reader_finish(reader, &snapshot, NULL);
    karp_reader_free(reader);
    return snapshot;
}

/* ---- reasons ----------------------------------------------------------------------------------------------------- */

static uint32_t kind_of_reason(uint32_t code)
{
    switch (code) {
    case KARP_REASON_PDB_MULTIPLE:
    case KARP_REASON_PDB_BLOCKED: return KARP_BLOCKER_PDB;
    case KARP_REASON_POD_DO_NOT_DISRUPT: return KARP_BLOCKER_POD_ANNOTATION;
    case KARP_REASON_NODE_DO_NOT_DISRUPT: return KARP_BLOCKER_NODE_ANNOTATION;
    case KARP_REASON_NOT_CONSOLIDATABLE:
    case KARP_REASON_CONSOLIDATION_DISABLED: return KARP_BLOCKER_CONSOLIDATE_AFTER;
    case KARP_REASON_POLICY_WHEN_EMPTY:
    case KARP_REASON_BALANCED_SCORE: return KARP_BLOCKER_POLICY;
    case KARP_REASON_NOMINATED: return KARP_BLOCKER_NOMINATED;
    case KARP_REASON_SPOT_TO_SPOT_DISABLED: return KARP_BLOCKER_SPOT_TO_SPOT;
    case KARP_REASON_INSTANCE_TYPE_NOT_FOUND:
    case KARP_REASON_NO_CAPACITY_TYPE:
    case KARP_REASON_NO_ZONE: return KARP_BLOCKER_UNKNOWN_TYPE;
    case KARP_REASON_NO_NODE:
    case KARP_REASON_NOT_INITIALIZED: return KARP_BLOCKER_NOT_INITIALIZED;
    case KARP_REASON_NODEPOOL_NOT_FOUND: return KARP_BLOCKER_NO_NODE_POOL;
    default: return 0;
    }
}

/* `own`: of consolidating the node by itself. `all`: of any method, as a reason that two methods share is shown once.
 */
static void explained_kinds(const karp_node_explanation *e, uint32_t *own, uint32_t *all)
{
    *own = *all = 0;
    for (size_t i = 0; i < karp_node_explanation_blocker_count(e); i++) {
        karp_blocker b = { .size = sizeof b };
        assert_int_equal(karp_node_explanation_blocker(e, i, &b), KARP_OK);
        bool alone = b.method == KARP_METHOD_SINGLE_NODE || b.method == KARP_METHOD_EMPTINESS;
        *all |= 1u << kind_of_reason(b.code);
        bool hidden = kind_of_reason(b.code) == KARP_BLOCKER_NOT_INITIALIZED; /* its NodePool may be static */
        if (alone && !hidden) *own |= 1u << kind_of_reason(b.code);
    }
    *own &= ~1u;
    *all &= ~1u;
}

static bool lists(const karp_str *names, size_t count, karp_str wanted)
{
    bool some = false;
    for (size_t i = 0; i < count; i++)
        some = some || (names[i].len == wanted.len && memcmp(names[i].ptr, wanted.ptr, wanted.len) == 0);
    return some;
}

static uint32_t listed_kinds(const karp_blockers *found, karp_str node)
{
    static const uint32_t others = 1u << KARP_BLOCKER_BUDGET | 1u << KARP_BLOCKER_LIMITS | 1u << KARP_BLOCKER_TOPOLOGY |
                                   1u << KARP_BLOCKER_SEVERAL_NODES | 1u << KARP_BLOCKER_SPOT_TYPES;
    uint32_t kinds = 0;
    for (size_t i = 0; i < karp_blockers_count(found); i++) {
        karp_savings_blocker row = { .size = sizeof row };
        assert_int_equal(karp_blockers_at(found, i, &row), KARP_OK);
        if (lists(row.nodes, row.node_count, node)) kinds |= 1u << row.kind;
    }
    return kinds & ~others;
}

/* Whether the method removes the node. */
static bool goes(const karp_snapshot *snapshot, uint32_t method, karp_str node)
{
    karp_disrupt_options options;
    karp_decision *d = NULL;
    bool some = false;
    karp_disrupt_options_init(&options, sizeof options);
    options.method = method;
    assert_int_equal(karp_disrupt(snapshot, &options, &d, NULL), KARP_OK);
    for (size_t i = 0; i < karp_decision_command_count(d); i++) {
        karp_command command = { .size = sizeof command };
        assert_int_equal(karp_decision_command(d, i, &command), KARP_OK);
        some = some || lists(command.nodes, command.node_count, node);
    }
    karp_decision_unref(d);
    return some;
}

/* Whether some pass of consolidation removes the node, which then needs no reason to stay. */
static bool goes_now(const karp_snapshot *snapshot, karp_str node)
{
    return goes(snapshot, KARP_METHOD_EMPTINESS, node) || goes(snapshot, KARP_METHOD_MULTI_NODE, node) ||
           goes(snapshot, KARP_METHOD_SINGLE_NODE, node);
}

/* ---- agreement --------------------------------------------------------------------------------------------------- */

/* Returns the number of nodes that were compared. */
static size_t compare_nodes(const karp_snapshot *snapshot, const char *path)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    karp_blockers *found = NULL;
    karp_decision *pass = NULL;
    size_t compared = 0;
    if (karp_find_blockers(snapshot, &options, &found, NULL) != KARP_OK) return 0;
    assert_int_equal(karp_disrupt(snapshot, &options, &pass, NULL), KARP_OK);
    for (size_t i = 0; i < karp_decision_node_count(pass); i++) {
        karp_node_use node = { .size = sizeof node };
        karp_node_explanation *e = NULL;
        assert_int_equal(karp_decision_node(pass, i, &node), KARP_OK);
        if (karp_explain_node(snapshot, &options, node.node, &e, NULL) != KARP_OK) continue;
        uint32_t own, all, listed = listed_kinds(found, node.node);
        explained_kinds(e, &own, &all);
        if (karp_node_explanation_drift(e).len > 0) all = UINT32_MAX; /* drift has reasons of its own */
        bool stays = karp_node_explanation_disrupted(e) == 0;
        if (stays && ((own & ~listed) | (listed & ~all)) != 0 && !goes_now(snapshot, node.node)) {
            print_error("%s: node %.*s: explained %#x, of all methods %#x, listed %#x\n", path, (int)node.node.len,
                        node.node.ptr, own, all, listed);
            fail();
        }
        compared += stays;
        karp_node_explanation_free(e);
    }
    karp_decision_unref(pass);
    karp_blockers_free(found);
    return compared;
}

static size_t compare_folder(const char *folder, const char *ending, size_t every)
{
    struct dirent **entries = NULL;
    karp_context *context = NULL;
    size_t compared = 0, seen = 0;
    int count = scandir(folder, &entries, NULL, alphasort);
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (int i = 0; i < count; i++) {
        char path[1024];
        bool wanted = strstr(entries[i]->d_name, ending) != NULL && seen++ % every == 0;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        karp_snapshot *snapshot = wanted ? snapshot_of(context, path) : NULL;
        if (snapshot != NULL) compared += compare_nodes(snapshot, path);
        karp_snapshot_unref(snapshot);
        free(entries[i]);
    }
    free(entries);
    karp_context_unref(context);
    return compared;
}

/* Worlds of the conformance cases, with few instance types. */
static void own_cases(void **state)
{
    (void)state;
    assert_true(compare_folder("tests/data/blockers", ".snapshot.json", 1) > 5);
}

static char cases[1024];

/* All of them with KARP_ALL_CASES. */
static void conformance_cases(void **state)
{
    (void)state;
    assert_true(compare_folder(cases, ".snapshot.json", getenv("KARP_ALL_CASES") != NULL ? 1 : 12) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(own_cases), cmocka_unit_test(conformance_cases) };
    const struct CMUnitTest own[] = { cmocka_unit_test(own_cases) };
    const char *shared = getenv("KARP_SHARED");
    (void)snprintf(cases, sizeof cases, "%s/conformance/cases", shared == NULL ? "" : shared);
    DIR *there = opendir(cases);
    if (there == NULL) return cmocka_run_group_tests(own, NULL, NULL);
    (void)closedir(there);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
