/* SPDX-License-Identifier: Apache-2.0 */
/* What an edited snapshot has in common with the one before: all that was not made from what changed. (That it decides
 * as one built afresh: tests/property/test_edits.c.) */
#include "deciding.h"

#include <model/snapshot.h>
#include <support/editing.h>

static deciding some_nodes(void)
{
    return decide_on(NULL, CASES "world.yaml", NODE("n1", "", "4", "") NODE("n2", "", "4", "") NODE("n3", "", "4", ""),
                     BOUND("b1", "", "n1", REQUESTS("cpu: 1")) BOUND("b2", "", "n2", REQUESTS("cpu: 1"))
                         BOUND("b3", "", "n3", REQUESTS("cpu: 1")),
                     POD("w", "", REQUESTS("cpu: 2")), NULL);
}

static int64_t free_cpu(const karp_snapshot *s, uint32_t n) { return s->nodes[n].available[RESOURCE_CPU]; }

/* A pod on n2 changes: nothing of n1 and n3 is made anew, nor are types. */
static void test_one_node(void **state)
{
    (void)state;
    deciding d = some_nodes();
    const karp_snapshot *before = d.snapshot;
    karp_snapshot *after = edited_pod(d.snapshot, "b2", "n2", "3");
    assert_ptr_equal(after->tables, before->tables);
    assert_ptr_equal(after->node_sets, before->node_sets);
    assert_ptr_equal(after->pod_node, before->pod_node); /* all are where they were */
    assert_ptr_equal(after->raw.nodes.items, before->raw.nodes.items);
    for (uint32_t n = 0; n < 3; n += 2) {
        assert_ptr_equal(after->nodes[n].available, before->nodes[n].available);
        assert_ptr_equal(after->nodes[n].all_pods, before->nodes[n].all_pods);
    }
    assert_int_equal(free_cpu(before, 1) - free_cpu(after, 1),
                     2 * (free_cpu(before, 1) / 3)); /* 3 of 4 were left, then 1 */
    karp_snapshot *last = edited_pod(after, "b2", NULL, "");
    assert_int_equal(last->nodes[1].pod_count, 0);
    assert_ptr_equal(last->tables, before->tables);
    assert_ptr_equal(last->nodes[0].available, before->nodes[0].available);
    karp_snapshot_unref(last);
    karp_snapshot_unref(after);
    deciding_free(&d);
}

/* A Node becomes another, goes and comes: the others stay as they are, and so do the types. */
static void test_nodes(void **state)
{
    (void)state;
    deciding d = some_nodes();
    const karp_snapshot *before = d.snapshot;
    karp_snapshot *wider = edited_node(before, "n2", "8");
    assert_ptr_equal(wider->tables, before->tables);
    assert_int_equal(wider->raw.nodes.count, 3);
    assert_int_equal(wider->nodes[1].pod_count, 1);
    assert_int_equal(free_cpu(wider, 1), free_cpu(before, 1) / 3 * 7);
    assert_ptr_equal(wider->nodes[0].available, before->nodes[0].available);
    karp_snapshot *fewer = edited_node(wider, "n1", NULL); /* n3 takes its place, and keeps its pod */
    assert_ptr_equal(fewer->tables, before->tables);
    assert_int_equal(fewer->node_count, 2);
    assert_int_equal(fewer->orphan_pods, 1);
    assert_int_equal(fewer->nodes[0].node, 1);
    assert_int_equal(fewer->nodes[1].node, 0);
    assert_int_equal(fewer->nodes[1].pod_count, 1);
    assert_int_equal(fewer->pod_node[fewer->nodes[1].pods[0]], 0);
    karp_snapshot *other = edited_node(wider, "n0", "2");
    assert_ptr_equal(other->tables, before->tables);
    assert_int_equal(other->node_count, 4);
    assert_int_equal(other->nodes[0].pod_count, 0);
    assert_ptr_equal(other->nodes[2].available, wider->nodes[1].available);
    karp_snapshot *again = edited_node(fewer, "n1", "4"); /* gets an orphan pod, so all is built again */
    assert_ptr_not_equal(again->tables, before->tables);
    assert_int_equal(again->orphan_pods, 0);
    assert_int_equal(again->nodes[0].pod_count, 1);
    karp_snapshot_unref(again);
    karp_snapshot_unref(other);
    karp_snapshot_unref(fewer);
    karp_snapshot_unref(wider);
    deciding_free(&d);
}

/* Orphan pods are counted as they appear and disappear. */
static void test_orphan_pods(void **state)
{
    (void)state;
    deciding d = some_nodes();
    karp_snapshot *lost = edited_pod(d.snapshot, "b1", "elsewhere", "1");
    assert_int_equal(lost->orphan_pods, 1);
    assert_int_equal(lost->nodes[0].pod_count, 0);
    assert_ptr_equal(lost->tables, d.snapshot->tables);
    karp_snapshot *back = edited_pod(lost, "b1", "n3", "1");
    assert_int_equal(back->orphan_pods, 0);
    assert_int_equal(back->nodes[2].pod_count, 2);
    karp_snapshot_unref(back);
    karp_snapshot_unref(lost);
    deciding_free(&d);
}

/* The memory of replaced nodes is limited: from time to time live data is compacted, and nothing is built again. */
static void test_gathered(void **state)
{
    (void)state;
    enum { EDITS = 400 };
    deciding d = some_nodes();
    const type_table *tables = d.snapshot->tables;
    unsigned gathered = 0;
    for (unsigned i = 0; i < EDITS; i++) {
        karp_snapshot *after = edited_pod(d.snapshot, "b2", "n2", i % 2 ? "1" : "2");
        gathered += after->nodes[0].available != d.snapshot->nodes[0].available;
        assert_ptr_equal(after->tables, tables);
        assert_int_equal(after->nodes[0].pod_count, 1);
        assert_int_equal(free_cpu(after, 0), free_cpu(d.snapshot, 0));
        karp_snapshot_unref(d.snapshot);
        d.snapshot = after;
    }
    assert_in_range(gathered, EDITS / 128, EDITS / 32); /* of three nodes */
    deciding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_node), cmocka_unit_test(test_nodes),
                                        cmocka_unit_test(test_orphan_pods), cmocka_unit_test(test_gathered) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
