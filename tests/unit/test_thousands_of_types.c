/* SPDX-License-Identifier: Apache-2.0 */
/* Thousands of instance types. */
#include "deciding.h"

#include <stdio.h>
#include <stdlib.h>

#include <support/fault.h>

/* So many types that what names a set of them is too long for the stack: sets that differ in their last words alone are
 * two. */
static void test_thousands(void **state)
{
    (void)state;
    enum { TYPES = 8300, ROOM = TYPES * 200 };
    static const int wanted[] = { 4000, 8131, 8250, 8299 };
    static fault f;
    char *types = malloc(ROOM), pods[2000];
    size_t n = 1, used = 0;
    assert_non_null(types);
    types[0] = '[';
    for (int i = 0; i < TYPES; i++) {
        n += (size_t)snprintf(types + n, ROOM - n,
                              "%s{\"name\":\"t%04d\",\"labels\":{\"node.kubernetes.io/"
                              "instance-type\":[\"t%04d\"]},\"capacity\":{\"cpu\":\"4\",\"pods\":\"9\"},"
                              "\"offerings\":[{\"zone\":\"z\",\"capacityType\":\"on-demand\",\"price\":1}]}",
                              i > 0 ? "," : "", i, i);
    }
    snprintf(types + n, ROOM - n, "]");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        used += (size_t)snprintf(
            pods + used, sizeof pods - used,
            POD("p%zu", "", "nodeSelector: {node.kubernetes.io/instance-type: t%04d}, " REQUESTS("cpu: 1")), i,
            wanted[i]);
    }
    memset(&f, 0, sizeof f);
    deciding d = decide_in(fault_context(&f), types, CASES "world.yaml", pods, NULL);
    karp_decision *decision = decide(&d, NULL);
    assert_int_equal(karp_decision_launch_count(decision), sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char name[16];
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(decision, i, &l), KARP_OK);
        snprintf(name, sizeof name, "t%04d", wanted[i]);
        assert_int_equal(l.instance_type_count, 1);
        assert_string_equal(l.instance_types[0].ptr, name);
    }
    karp_decision_unref(decision);
    deciding_free(&d);
    free(types);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_thousands) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
