/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot that was edited decides as one built afresh from the same objects, byte by byte, over rows of random
 * edits; and nothing it was made from changes, or has to stay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/builder.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/library.h>
#include <support/fault.h>
#include <support/random.h>

#include "things.h"

static karp_str str(const char *text) { return (karp_str){ text, strlen(text) }; }

/* ---- rows of edits ----------------------------------------------------------------------------------------------- */

/* What changes in rows of edits. */
typedef struct edits {
    unsigned from, to; /* things */
    unsigned most; /* changes in one edit */
    unsigned steps; /* edits in a row; 0 = 12 */
    bool bound; /* pods are mostly on nodes */
} edits;

static const edits all = { .to = THINGS, .most = 5 };

static unsigned some_variant(const edits *e, unsigned thing, uint64_t *seed)
{
    unsigned variant = (unsigned)random_below(seed, 999);
    return e->bound && thing < PODS && random_below(seed, 4) > 0 ? variant / 3 * 3
                                                                 : variant; /* every third is on a node */
}

/* One change of the builder and of the world: something goes, comes, or becomes another. */
static void change(world *w, karp_builder *b, const edits *e, uint64_t *seed)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    unsigned thing = e->from + (unsigned)random_below(seed, e->to - e->from), had = w->variants[thing];
    if (had > 0) must(remove_thing(b, thing, had - 1, &error), &error);
    w->variants[thing] = had > 0 && random_below(seed, 2) == 0 ? 0 : 1 + some_variant(e, thing, seed);
    if (w->variants[thing] > 0) must(add_thing(b, thing, w->variants[thing] - 1, &error), &error);
}

static karp_snapshot *edited(world *w, karp_snapshot *from, unsigned changes, const edits *e, uint64_t *seed)
{
    karp_builder *b = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    must(karp_snapshot_edit(from, &b, &error), &error);
    karp_snapshot_unref(from); /* it need not stay */
    for (unsigned i = 0; i < changes; i++) change(w, b, e, seed);
    must(karp_builder_finish(b, &snapshot, &error), &error);
    karp_builder_free(b);
    return snapshot;
}

static void assert_equal_counts(const karp_snapshot *a, const karp_snapshot *b)
{
    karp_snapshot_counts x = { .size = sizeof x }, y = { .size = sizeof y };
    karp_snapshot_get_counts(a, &x);
    karp_snapshot_get_counts(b, &y);
    assert_int_equal(x.pods, y.pods);
    assert_int_equal(x.pods_to_place, y.pods_to_place);
    assert_int_equal(x.nodes, y.nodes);
    assert_int_equal(x.node_pools, y.node_pools);
    assert_int_equal(x.instance_types, y.instance_types);
    assert_int_equal(x.offerings, y.offerings);
}

/* What the verifier has to say, which looks at nodes and their pods in its own way. */
static size_t findings(const karp_snapshot *snapshot)
{
    karp_decision *plan = NULL;
    karp_verification *verification = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    must(karp_provision(snapshot, NULL, &plan, &error), &error);
    must(karp_verify_decision(snapshot, plan, &verification, &error), &error);
    size_t count = karp_verification_count(verification);
    karp_verification_free(verification);
    karp_decision_unref(plan);
    return count;
}

/* How often something was launched. */
static size_t edit_rows(uint64_t first, uint64_t last, edits e)
{
    static world w;
    must(karp_context_new(NULL, &w.context, NULL), NULL);
    w.catalogue = make_catalogue(w.context);
    size_t launched = 0;
    for (uint64_t row = first; row <= last; row++) {
        uint64_t seed = row;
        for (unsigned i = 0; i < THINGS; i++)
            w.variants[i] = random_below(&seed, 4) > 0 ? 1 + (unsigned)random_below(&seed, 1000) : 0;
        karp_snapshot *snapshot = build_afresh(&w);
        for (unsigned step = 0; step < (e.steps > 0 ? e.steps : 12); step++) {
            snapshot = edited(&w, snapshot, (unsigned)random_below(&seed, e.most + 1), &e, &seed);
            karp_snapshot *afresh = build_afresh(&w);
            char *mine = decisions_on(&w, snapshot), *expected = decisions_on(&w, afresh);
            assert_string_equal(mine, expected);
            assert_equal_counts(snapshot, afresh);
            assert_int_equal(findings(snapshot), findings(afresh));
            launched += strstr(mine, "new-1") != NULL;
            free(mine);
            free(expected);
            karp_snapshot_unref(afresh);
        }
        karp_snapshot_unref(snapshot);
    }
    karp_catalogue_unref(w.catalogue);
    karp_context_unref(w.context);
    return launched;
}

static void edits_decide_as_builds(void **state)
{
    (void)state;
    assert_true(edit_rows(1, 8, all) > 50); /* the worlds ask for something */
}

/* When nothing but pods changes, most of a snapshot is taken over. */
static void edits_of_pods_decide_as_builds(void **state)
{
    (void)state;
    assert_true(edit_rows(101, 112, (edits){ .to = PODS, .most = 2 }) > 50);
    assert_true(edit_rows(201, 206, (edits){ .to = PODS, .most = 25 }) > 20);
}

/* Then nodes are taken over with what their pods leave of them: in long rows, so that they are made anew in between. */
static void edits_of_pods_on_nodes_decide_as_builds(void **state)
{
    (void)state;
    assert_true(edit_rows(301, 304, (edits){ .to = PODS, .most = 3, .steps = 60, .bound = true }) > 50);
    assert_true(edit_rows(401, 403, (edits){ .to = PODS, .most = 14, .steps = 20, .bound = true }) > 20);
}

static void edits_of_nodes_and_others_decide_as_builds(void **state)
{
    (void)state;
    assert_true(edit_rows(501, 510, (edits){ .from = PODS, .to = PODS + 2 * NODES, .most = 2, .steps = 40 }) > 50);
    assert_true(
        edit_rows(701, 704, (edits){ .from = PODS + 2 * NODES, .to = THINGS - BUDGETS, .most = 2, .steps = 25 }) > 50);
    assert_true(edit_rows(801, 803, (edits){ .from = THINGS - 1, .to = THINGS, .most = 2 }) >
                20); /* budgets are named in the order of the input */
    assert_true(edit_rows(601, 606,
                          (edits){ .from = PODS - 20, .to = PODS + 2 * NODES, .most = 3, .steps = 25, .bound = true }) >
                50);
}

/* The snapshot that was edited stays what it was, with the other freed and without. */
static void the_edited_one_stays(void **state)
{
    static world w;
    (void)state;
    must(karp_context_new(NULL, &w.context, NULL), NULL);
    w.catalogue = make_catalogue(w.context);
    for (unsigned i = 0; i < THINGS; i++) w.variants[i] = 1 + i * 37 % 1000;
    uint64_t seed = 5;
    karp_snapshot *first = build_afresh(&w);
    char *before = decisions_on(&w, first);
    karp_snapshot *second = edited(&w, karp_snapshot_ref(first), 10, &all, &seed);
    char *after = decisions_on(&w, first);
    assert_string_equal(before, after);
    free(after);
    karp_snapshot_unref(second);
    after = decisions_on(&w, first);
    assert_string_equal(before, after);
    free(after);
    free(before);
    karp_snapshot_unref(first);
    karp_catalogue_unref(w.catalogue);
    karp_context_unref(w.context);
}

static void what_is_not_there_cannot_go(void **state)
{
    static world w;
    (void)state;
    karp_builder *b = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    must(karp_context_new(NULL, &w.context, NULL), NULL);
    must(karp_builder_new(w.context, &b, &error), &error);
    must(add_pod(b, 1, 1, &error), &error);
    assert_int_equal(karp_builder_remove(b, str("Pod"), str("default"), str("pod-2"), &error), KARP_E_NOT_FOUND);
    assert_string_equal(error.object, "Pod default/pod-2");
    assert_int_equal(karp_builder_remove(b, str("Pod"), str("elsewhere"), str("pod-1"), &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_builder_remove(b, str("Node"), str(""), str("pod-1"), &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_builder_remove(b, str("Cloud"), str(""), str("pod-1"), &error), KARP_E_NOT_FOUND);
    assert_int_equal(karp_builder_remove(NULL, str("Pod"), str(""), str("pod-1"), &error), KARP_E_INVALID);
    assert_int_equal(add_pod(b, 1, 1, &error), KARP_E_DUPLICATE);
    must(karp_builder_remove(b, str("Pod"), str(""), str("pod-1"), &error), &error);
    assert_int_equal(karp_builder_remove(b, str("Pod"), str(""), str("pod-1"), &error), KARP_E_NOT_FOUND);
    must(add_pod(b, 1, 1, &error), &error);
    karp_snapshot *snapshot = NULL;
    must(karp_builder_finish(b, &snapshot, &error), &error);
    karp_snapshot_counts counts = { .size = sizeof counts };
    karp_snapshot_get_counts(snapshot, &counts);
    assert_int_equal(counts.pods, 1);
    assert_int_equal(karp_snapshot_edit(NULL, &b, &error), KARP_E_INVALID);
    karp_snapshot_unref(snapshot);
    karp_builder_free(b);
    karp_context_unref(w.context);
}

/* ---- refused memory ---------------------------------------------------------------------------------------------- */

/* A class goes with its last pod, others come with texts that nobody had. */
static karp_status edit_pods(karp_snapshot *from, karp_snapshot **out)
{
    karp_builder *b = NULL;
    karp_status status = karp_snapshot_edit(from, &b, NULL);
    if (status == KARP_OK) status = remove_thing(b, 3, 4, NULL);
    if (status == KARP_OK) status = remove_thing(b, 7, 1, NULL);
    if (status == KARP_OK) status = remove_thing(b, 0, 4, NULL);
    if (status == KARP_OK) status = add_pod(b, 3, 10, NULL);
    if (status == KARP_OK) status = add_pod(b, 0, 20, NULL);
    if (status == KARP_OK) status = karp_builder_finish(b, out, NULL);
    karp_builder_free(b);
    return status;
}

/* One comes to a node, one goes from one, one is over, a daemon's is the newest. */
static karp_status edit_pods_on_nodes(karp_snapshot *from, karp_snapshot **out)
{
    karp_builder *b = NULL;
    karp_status status = karp_snapshot_edit(from, &b, NULL);
    if (status == KARP_OK) status = remove_thing(b, 3, 4, NULL);
    if (status == KARP_OK) status = remove_thing(b, 5, 3, NULL);
    if (status == KARP_OK) status = add_pod(b, 3, 12, NULL);
    if (status == KARP_OK) status = add_pod(b, 241, 45, NULL);
    if (status == KARP_OK) status = karp_builder_finish(b, out, NULL);
    karp_builder_free(b);
    return status;
}

/* A node becomes another, one goes with its claim while pods run there, one comes that was not there. */
static karp_status edit_nodes(karp_snapshot *from, karp_snapshot **out)
{
    karp_builder *b = NULL;
    karp_status status = karp_snapshot_edit(from, &b, NULL);
    if (status == KARP_OK) status = remove_thing(b, PODS, 4, NULL);
    if (status == KARP_OK) status = add_node(b, 0, 24, false, NULL);
    if (status == KARP_OK) status = remove_thing(b, PODS + 3, 4, NULL);
    if (status == KARP_OK) status = remove_thing(b, PODS + NODES + 3, 4, NULL);
    if (status == KARP_OK) status = add_node(b, NODES, 11, false, NULL);
    if (status == KARP_OK) status = karp_builder_finish(b, out, NULL);
    karp_builder_free(b);
    return status;
}

static karp_status edit_once(karp_snapshot *from, karp_snapshot **out)
{
    karp_builder *b = NULL;
    karp_status status = karp_snapshot_edit(from, &b, NULL);
    if (status == KARP_OK) status = remove_thing(b, 3, 4, NULL);
    if (status == KARP_OK) status = remove_thing(b, PODS, 4, NULL);
    if (status == KARP_OK) status = add_pod(b, 3, 1, NULL);
    if (status == KARP_OK) status = add_node(b, 0, 3, false, NULL);
    if (status == KARP_OK) status = karp_builder_finish(b, out, NULL);
    karp_builder_free(b);
    return status;
}

static void refuse(karp_status (*edit)(karp_snapshot *from, karp_snapshot **out), size_t least)
{
    static fault f;
    static world w;
    memset(&f, 0, sizeof f);
    w.context = fault_context(&f);
    w.catalogue = make_catalogue(w.context);
    for (unsigned i = 0; i < THINGS; i++) w.variants[i] = 5;
    w.variants[7] = 2;
    w.variants[5] = 4;
    karp_snapshot *from = build_afresh(&w);
    size_t blocks = f.live_blocks, at = 1;
    for (;; at++) {
        karp_snapshot *to = NULL;
        fault_arm(&f, at, at % 2 == 0);
        karp_status status = edit(from, &to);
        size_t refused = f.refused;
        fault_arm(&f, 0, false);
        karp_snapshot_unref(to);
        assert_int_equal(f.live_blocks, blocks);
        if (refused == 0) {
            assert_int_equal(status, KARP_OK);
            break;
        }
        if (to == NULL) assert_int_equal(status, KARP_E_NOMEM);
    }
    assert_true(at > least);
    karp_snapshot_unref(from);
    karp_catalogue_unref(w.catalogue);
    karp_context_unref(w.context);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

static void memory_may_be_refused(void **state)
{
    (void)state;
    refuse(edit_once, 50);
    refuse(edit_pods, 40);
    refuse(edit_pods_on_nodes, 30);
    refuse(edit_nodes, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_decide_as_builds),
        cmocka_unit_test(edits_of_pods_decide_as_builds),
        cmocka_unit_test(edits_of_pods_on_nodes_decide_as_builds),
        cmocka_unit_test(edits_of_nodes_and_others_decide_as_builds),
        cmocka_unit_test(the_edited_one_stays),
        cmocka_unit_test(what_is_not_there_cannot_go),
        cmocka_unit_test(memory_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
