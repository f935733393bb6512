/* SPDX-License-Identifier: Apache-2.0 */
/* An edit that takes pods away leaves no trace of them in what is known of those that wait. */
#include <support/building.h>

#include <karp/builder.h>
#include <karp/decision.h>
#include <karp/inspect.h>
#include <karp/schedule.h>
#include <stdio.h>

/* Pending pods; the fourth asks for a node of a name, which Karpenter refuses. */
static void add_pods(building *f, karp_builder *b, unsigned count)
{
    static const karp_label named[] = { { T("kubernetes.io/hostname"), T("n") } };
    static const karp_condition waits[] = {
        { .type = T("PodScheduled"), .status = T("False"), .reason = T("Unschedulable") }
    };
    for (unsigned i = 0; i < count; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "pod-%02u", i);
        karp_str text = { name, (size_t)length };
        karp_pod p = { .size = sizeof p, .meta = { .name = text, .uid = text }, .termination_grace_seconds = -1 };
        p.conditions = waits;
        p.condition_count = COUNT(waits);
        p.node_selector = named;
        p.node_selector_count = i == 3 ? COUNT(named) : 0;
        good(f, karp_builder_add_pod(b, &p, &f->error));
    }
}

static uint32_t code_of(const karp_decision *d, karp_str pod_name)
{
    for (size_t i = 0; i < karp_decision_ignored_count(d); i++) {
        karp_ignored row = { .size = sizeof row };
        assert_int_equal(karp_decision_ignored(d, i, &row), KARP_OK);
        karp_str name = karp_decision_pod_name(d, row.pod);
        if (equal_str(name, pod_name)) return row.code;
    }
    return KARP_REASON_NONE;
}

static void an_invalid_pod_stays_one(void **state)
{
    building *f = *state;
    karp_snapshot *before = NULL, *after = NULL;
    karp_builder *edit = NULL;
    karp_decision *d = NULL;
    enum { PODS = 66 }; /* the last one in the middle of a word */
    add_pods(f, f->b, PODS);
    good(f, karp_builder_finish(f->b, &before, &f->error));
    good(f, karp_snapshot_edit(before, &edit, &f->error));
    good(f, karp_builder_remove(edit, str("Pod"), str("default"), str("pod-65"), &f->error));
    good(f, karp_builder_finish(edit, &after, &f->error));
    good(f, karp_provision(after, NULL, &d, &f->error));
    assert_int_equal(karp_decision_ignored_count(d), PODS - 1);
    assert_int_equal(code_of(d, str("default/pod-03")), KARP_REASON_INVALID_SELECTOR);
    assert_int_equal(code_of(d, str("default/pod-04")), KARP_REASON_NO_NODEPOOLS);
    karp_decision_unref(d);
    karp_snapshot_unref(after);
    karp_builder_free(edit);
    karp_snapshot_unref(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(an_invalid_pod_stays_one, building_set_up,
                                                                        building_tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
