/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot that is edited again and again: what is removed is gone, what stays is found under its name. (Random rows of edits:
 * tests/property/test_edits.c.) */
#include "deciding.h"

#include <karp/snapshot.h>

static karp_str text(const char *s) { return (karp_str){ s, strlen(s) }; }

/* Takes the snapshot, removes the objects "KIND NAME" in one edit, and gives back what is left. */
static void without(deciding *d, const char *kind, const char *first, const char *second)
{
    const char *const names[] = { first, second };
    karp_builder *b = NULL;
    karp_snapshot *next = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_snapshot_edit(d->snapshot, &b, &error), KARP_OK);
    for (size_t i = 0; i < 2 && names[i] != NULL; i++) {
        karp_str space = strcmp(kind, "Pod") == 0 ? text("default") : text("");
        assert_int_equal(karp_builder_remove(b, text(kind), space, text(names[i]), &error), KARP_OK);
        assert_int_equal(karp_builder_remove(b, text(kind), space, text(names[i]), &error), KARP_E_NOT_FOUND);
    }
    assert_int_equal(karp_builder_finish(b, &next, &error), KARP_OK);
    karp_builder_free(b);
    karp_snapshot_unref(d->snapshot);
    d->snapshot = next;
}

static void expect(const deciding *d, const char *words) { assert_string_equal(words_of(d, KARP_PROFILE_KARPENTER, 0), words); }

static void test_pods(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "world.yaml", POD("a", "", REQUESTS("cpu: 1")) POD("b", "", REQUESTS("cpu: 1")) POD("c", "", REQUESTS("cpu: 1")),
                           POD("d", "", REQUESTS("cpu: 1")) POD("e", "", REQUESTS("cpu: 1")), NULL);
    expect(&d, "default: a b c d e");
    without(&d, "Pod", "b", NULL);
    expect(&d, "default: a c d e");
    without(&d, "Pod", "e", "c"); /* both stand elsewhere now */
    expect(&d, "default: a d");
    without(&d, "Pod", "d", NULL);
    expect(&d, "default: a");
    without(&d, "Pod", "a", NULL);
    expect(&d, "");
    deciding_free(&d);
}

/* Everything of another kind stays as well: pods keep their nodes, nodes their pods. */
static void test_nodes(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "world.yaml", NODE("n1", "", "4", "") NODE("n2", "", "4", "") NODE("n3", "", "4", "") NODE("n4", "", "4", ""),
                           BOUND("b1", "", "n1", REQUESTS("cpu: 3")) BOUND("b2", "", "n2", REQUESTS("cpu: 3")) BOUND("b3", "", "n3", REQUESTS("cpu: 3")),
                           POD("w", "", REQUESTS("cpu: 2")), NULL);
    expect(&d, "n4 <- w");
    without(&d, "Node", "n1", "n4");
    expect(&d, "default: w");
    without(&d, "Pod", "b3", NULL);
    expect(&d, "n3 <- w");
    without(&d, "Node", "n3", NULL);
    expect(&d, "default: w");
    without(&d, "Pod", "b2", NULL);
    expect(&d, "n2 <- w");
    without(&d, "Node", "n2", NULL);
    expect(&d, "default: w");
    without(&d, "NodePool", "default", NULL);
    expect(&d, "?w NO_NODEPOOLS");
    karp_builder *b = NULL;
    assert_int_equal(karp_snapshot_edit(d.snapshot, &b, NULL), KARP_OK);
    assert_int_equal(karp_builder_remove(b, text("Node"), text(""), text("n2"), NULL), KARP_E_NOT_FOUND);
    assert_int_equal(karp_builder_remove(b, text("NodePool"), text(""), text("default"), NULL), KARP_E_NOT_FOUND);
    assert_int_equal(karp_builder_remove(b, text("Pod"), text("default"), text("w"), NULL), KARP_OK);
    karp_builder_free(b);
    deciding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_pods), cmocka_unit_test(test_nodes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
