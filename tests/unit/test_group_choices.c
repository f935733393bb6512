/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that are alternatives: one of them starts, in their order, and the pods of the others need no place. */
#include "verifying.h"

#include <string.h>

#include <karp/admit.h>
#include <karp/builder.h>
#include <karp/explain.h>
#include <karp/groups.h>
#include <karp/karp.h>

static karp_str text(const char *words) { return (karp_str){ words, strlen(words) }; }

static void add_group(karp_builder *b, const char *name, const char *parent, int64_t creation, const char *refused)
{
    karp_pod_group g;
    karp_pod_group_init(&g, sizeof g);
    g.meta.name = text(name);
    g.meta.namespace_ = text("default");
    g.meta.creation = creation;
    g.source = KARP_GROUP_KUEUE;
    g.parent = text(parent);
    g.composite = g.one_of = parent[0] == '\0';
    g.min_count = g.composite ? 1 : 2;
    if (!g.composite) g.resource_flavor = text(name);
    g.refused = text(refused);
    assert_int_equal(karp_builder_add_pod_group(b, &g, NULL), KARP_OK);
}

static void add_pods(karp_builder *b, const char *group, const char *first, const char *second, const char *cpu)
{
    const karp_resource requests[] = { { .name = text("cpu"), .text = text(cpu) } };
    const karp_container container = { .name = text("c"), .requests = requests, .request_count = 1 };
    const karp_condition waits = { text("PodScheduled"), text("False"), text("Unschedulable"), KARP_NO_TIME };
    const char *const names[] = { first, second };
    for (size_t i = 0; i < 2; i++) {
        karp_pod pod = { .size = sizeof pod,
                         .meta.name = text(names[i]),
                         .meta.namespace_ = text("default"),
                         .containers = &container,
                         .container_count = 1,
                         .conditions = &waits,
                         .condition_count = 1,
                         .termination_grace_seconds = -1,
                         .phase = KARP_PHASE_PENDING,
                         .group_name = text(group),
                         .group_source = KARP_GROUP_KUEUE };
        assert_int_equal(karp_builder_add_pod(b, &pod, NULL), KARP_OK);
    }
}

typedef struct choosing {
    karp_context *context;
    karp_snapshot *snapshot;
} choosing;

/* "b" is tried before "a"; its pods request so much. */
static choosing begin(const char *cpu, const char *refused)
{
    choosing c = { NULL, NULL };
    karp_snapshot *empty = NULL;
    karp_builder *b = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(NULL, &c.context, NULL), KARP_OK);
    assert_int_equal(world_of(c.context, "world", BOTH POD("z", "1", ""), &empty, &error), KARP_OK);
    assert_int_equal(karp_snapshot_edit(empty, &b, NULL), KARP_OK);
    add_group(b, "w", "", 1, "");
    add_group(b, "a", "w", 2, "");
    add_group(b, "b", "w", 1, refused);
    add_pods(b, "a", "a-0", "a-1", "1");
    add_pods(b, "b", "b-0", "b-1", cpu);
    assert_int_equal(karp_builder_finish(b, &c.snapshot, &error), KARP_OK);
    karp_builder_free(b);
    karp_snapshot_unref(empty);
    return c;
}

static void end(choosing *c)
{
    karp_snapshot_unref(c->snapshot);
    karp_context_unref(c->context);
}

/* The first letters of the pods that the launches have, by name. */
static void launched(const karp_decision *d, char *out)
{
    size_t of[128] = { 0 }, n = 0;
    for (size_t i = 0; i < karp_decision_launch_count(d); i++) {
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(d, i, &l), KARP_OK);
        for (size_t k = 0; k < l.pod_count; k++)
            of[(unsigned char)karp_decision_pod_name(d, l.pods[k]).ptr[sizeof "default/" - 1]]++;
    }
    for (size_t c = 'a'; c <= 'z'; c++) {
        for (size_t k = 0; k < of[c]; k++) out[n++] = (char)c;
    }
    out[n] = '\0';
}

static void chooses(const char *cpu, const char *refused, const char *expected)
{
    choosing c = begin(cpu, refused);
    karp_options options;
    karp_decision *d = NULL;
    karp_verification *found = NULL;
    char pods[16];
    karp_options_init(&options, sizeof options);
    options.profile = KARP_PROFILE_KARP;
    assert_int_equal(karp_provision(c.snapshot, &options, &d, NULL), KARP_OK);
    launched(d, pods);
    assert_string_equal(pods, expected);
    assert_int_equal(karp_verify_decision(c.snapshot, d, &found, NULL), KARP_OK);
    assert_int_equal(karp_verification_count(found), 0);
    karp_verification_free(found);
    karp_decision_unref(d);
    end(&c);
}

static void the_first_that_starts(void **state)
{
    (void)state;
    chooses("1", "", "bbz"); /* the older one, whatever its name */
    chooses("1000", "", "aaz"); /* it fits nowhere */
    chooses("1", "not this one", "aaz"); /* it may not start */
}

static void spare_pods_are_not_unschedulable(void **state)
{
    (void)state;
    choosing c = begin("1", "");
    karp_admission *found = NULL;
    karp_admitted row = { .size = sizeof row };
    const karp_admit_options options = { .size = sizeof options, .flavours = KARP_FLAVOUR_RESOURCE_FLAVOR };
    assert_int_equal(karp_admit(c.snapshot, &options, &found, NULL), KARP_OK);
    assert_int_equal(karp_decision_unschedulable_count(karp_admission_decision(found)), 0);
    assert_int_equal(karp_admission_count(found), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(karp_admission_at(found, i, &row), KARP_OK);
        if (row.pods == 2) break;
    }
    assert_int_equal(row.pods, 2); /* not four */
    assert_int_equal(row.flavour_count, 2);
    karp_admission_free(found);
    end(&c);
}

static void both_are_one_too_many(void **state)
{
    (void)state;
    choosing c = begin("1", "");
    const karp_str pods[] = { text("default/a-0"), text("default/a-1"), text("default/b-0"), text("default/b-1"),
                              text("default/z") };
    karp_options options;
    karp_decision *d = NULL;
    karp_verification *found = NULL;
    size_t group = 0;
    karp_options_init(&options, sizeof options);
    options.profile = KARP_PROFILE_KARP;
    assert_int_equal(karp_provision(c.snapshot, &options, &d, NULL), KARP_OK);
    karp_launch l = { .size = sizeof l };
    assert_int_equal(karp_decision_launch(d, 0, &l), KARP_OK);
    karp_plan_launch launch = { .id = l.id,
                                .node_pool = l.node_pool,
                                .requirements = l.requirements,
                                .requirement_count = l.requirement_count,
                                .instance_types = l.instance_types,
                                .instance_type_count = l.instance_type_count,
                                .pods = pods,
                                .pod_count = 5 };
    const karp_plan plan = {
        .size = sizeof plan, .profile = KARP_PROFILE_KARP, .launches = &launch, .launch_count = 1
    };
    assert_int_equal(karp_verify(c.snapshot, &plan, &found, NULL), KARP_OK);
    for (size_t i = 0; i < karp_verification_count(found); i++) {
        karp_finding f = { .size = sizeof f };
        assert_int_equal(karp_verification_at(found, i, &f), KARP_OK);
        group += f.code == KARP_FINDING_GROUP;
    }
    assert_true(group >= 1);
    karp_verification_free(found);
    karp_decision_unref(d);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_starts),
        cmocka_unit_test(spare_pods_are_not_unschedulable),
        cmocka_unit_test(both_are_one_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
