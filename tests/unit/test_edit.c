/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot that is edited again and again: what is removed is gone, what stays is found under its name. (Random rows
 * of edits: tests/property/test_edits.c.) */
#include "deciding.h"

#include <karp/builder.h>
#include <karp/snapshot.h>

#include "edited_world.h"

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

static void expect(const deciding *d, const char *decided)
{
    assert_string_equal(words_of(d, KARP_PROFILE_KARPENTER, 0), decided);
}

static void test_pods(void **state)
{
    (void)state;
    deciding d = decide_on(NULL, CASES "world.yaml",
                           POD("a", "", REQUESTS("cpu: 1")) POD("b", "", REQUESTS("cpu: 1"))
                               POD("c", "", REQUESTS("cpu: 1")),
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
    deciding d = decide_on(NULL, CASES "world.yaml",
                           NODE("n1", "", "4", "") NODE("n2", "", "4", "") NODE("n3", "", "4", "")
                               NODE("n4", "", "4", ""),
                           BOUND("b1", "", "n1", REQUESTS("cpu: 3")) BOUND("b2", "", "n2", REQUESTS("cpu: 3"))
                               BOUND("b3", "", "n3", REQUESTS("cpu: 3")),
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

/* ---- what counts against the limits of a context ----------------------------------------------------------------- */

static karp_context *limited(uint64_t pods, uint64_t types)
{
    karp_context_options options;
    karp_context *context = NULL;
    karp_context_options_init(&options, sizeof options);
    options.max_pods = pods;
    options.max_instance_types = types;
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    return context;
}

static karp_status put_pod(karp_builder *b, const char *name)
{
    const karp_pod p = { .size = sizeof p, .meta = { .name = text(name) }, .termination_grace_seconds = -1 };
    return karp_builder_add_pod(b, &p, NULL);
}

/* Pods that were taken out make room for others. */
static void test_most_pods(void **state)
{
    (void)state;
    karp_context *context = limited(3, 10);
    karp_builder *b = NULL;
    karp_snapshot *s = NULL;
    static const char *const names[] = { "a", "b", "c" }, *const others[] = { "d", "e" };
    assert_int_equal(karp_builder_new(context, &b, NULL), KARP_OK);
    for (size_t i = 0; i < 3; i++) assert_int_equal(put_pod(b, names[i]), KARP_OK);
    assert_int_equal(put_pod(b, "d"), KARP_E_LIMIT);
    assert_int_equal(karp_builder_finish(b, &s, NULL), KARP_OK);
    karp_builder_free(b);
    assert_int_equal(karp_snapshot_edit(s, &b, NULL), KARP_OK);
    assert_int_equal(put_pod(b, "d"), KARP_E_LIMIT);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(karp_builder_remove(b, text("Pod"), text(""), text(names[i]), NULL), KARP_OK);
    for (size_t i = 0; i < 2; i++) assert_int_equal(put_pod(b, others[i]), KARP_OK);
    assert_int_equal(put_pod(b, "f"), KARP_E_LIMIT);
    karp_builder_free(b);
    karp_snapshot_unref(s);
    karp_context_unref(context);
}

/* A catalogue that several pools use counts once, in a snapshot that is edited as well. */
static void test_most_types(void **state)
{
    (void)state;
    static const karp_str pools[] = { { "x", 1 }, { "y", 1 } };
    karp_context *context = limited(10, 4);
    karp_builder *b = NULL;
    karp_snapshot *s = NULL;
    karp_catalogue *first = edited_world_types(context, "one", "two"),
                   *second = edited_world_types(context, "three", "four");
    karp_catalogue *third = edited_world_types(context, "five", "six");
    assert_int_equal(karp_builder_new(context, &b, NULL), KARP_OK);
    for (size_t i = 0; i < 2; i++) assert_int_equal(karp_builder_add_catalogue(b, first, &pools[i], 1, NULL), KARP_OK);
    assert_int_equal(karp_builder_finish(b, &s, NULL), KARP_OK);
    karp_builder_free(b);
    assert_int_equal(karp_snapshot_edit(s, &b, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_catalogue(b, first, NULL, 0, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_catalogue(b, second, pools, 2, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_catalogue(b, third, NULL, 0, NULL), KARP_E_LIMIT);
    karp_snapshot_unref(s);
    assert_int_equal(karp_builder_finish(b, &s, NULL), KARP_OK);
    karp_builder_free(b);
    assert_int_equal(karp_snapshot_edit(s, &b, NULL), KARP_OK); /* of two catalogues */
    assert_int_equal(karp_builder_add_catalogue(b, second, NULL, 0, NULL), KARP_OK);
    assert_int_equal(karp_builder_add_catalogue(b, third, NULL, 0, NULL), KARP_E_LIMIT);
    karp_builder_free(b);
    karp_snapshot_unref(s);
    karp_catalogue_unref(first);
    karp_catalogue_unref(second);
    karp_catalogue_unref(third);
    karp_context_unref(context);
}

/* ---- names of kinds ---------------------------------------------------------------------------------------------- */

/* Node classes go by "GROUP/KIND", of which either may be empty; services and the like by their kinds. */
static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *group, *kind, *both;
    } classes[] = {
        { "g.x", "Class", "g.x/Class" }, { "", "Class", "/Class" }, { "g.x", "", "g.x/" }, { "", "", "/" }
    };
    static const char *const unknown[] = { "",
                                           "Class",
                                           "g.x",
                                           "g.y/Class",
                                           "g.x/Clas",
                                           "Deployment",
                                           "a kind with a name that is much longer than any kind has ever had" };
    static const char *const services[] = { "Service", "ReplicationController", "ReplicaSet", "StatefulSet" };
    karp_context *context = limited(10, 10);
    karp_builder *b = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_builder_new(context, &b, NULL), KARP_OK);
    for (size_t i = 0; i < 4; i++) {
        const karp_node_class c = { .size = sizeof c,
                                    .meta = { .name = text("n") },
                                    .group = text(classes[i].group),
                                    .kind = text(classes[i].kind) };
        assert_int_equal(karp_builder_add_node_class(b, &c, &error), KARP_OK);
    }
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(karp_builder_remove(b, text(unknown[i]), text(""), text("n"), &error), KARP_E_NOT_FOUND);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(karp_builder_remove(b, text(classes[i].both), text(""), text("other"), &error),
                         KARP_E_NOT_FOUND);
        assert_int_equal(karp_builder_remove(b, text(classes[i].both), text(""), text("n"), &error), KARP_OK);
        assert_int_equal(karp_builder_remove(b, text(classes[i].both), text(""), text("n"), &error), KARP_E_NOT_FOUND);
        const karp_selecting s = { .size = sizeof s, .meta = { .name = text("n") }, .kind = (uint32_t)i };
        assert_int_equal(karp_builder_remove(b, text(services[i]), text("nowhere"), text("n"), &error),
                         KARP_E_NOT_FOUND);
        assert_int_equal(karp_builder_remove(b, text(services[i]), text(""), text("n"), &error), KARP_E_NOT_FOUND);
        assert_int_equal(karp_builder_add_selecting(b, &s, &error), KARP_OK);
        assert_int_equal(karp_builder_remove(b, text(services[i]), (karp_str){ NULL, 0 }, text("n"), &error), KARP_OK);
    }
    karp_builder_free(b);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_pods), cmocka_unit_test(test_nodes),
                                        cmocka_unit_test(test_most_pods), cmocka_unit_test(test_most_types),
                                        cmocka_unit_test(test_kinds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
