/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier called with structs: what it refuses, and texts at their edges. */
#include "verifying.h"

#include <stdio.h>
#include <string.h>

#include <karp/explain.h>

typedef struct asking {
    karp_context *context;
    karp_snapshot *snapshot;
    karp_error error;
} asking;

static int set_up(void **state)
{
    static asking a;
    memset(&a, 0, sizeof a);
    karp_error_init(&a.error, sizeof a.error);
    assert_int_equal(karp_context_new(NULL, &a.context, NULL), KARP_OK);
    assert_int_equal(world_of(a.context, "world", BOTH POD("a", "1", ""), &a.snapshot, &a.error), KARP_OK);
    *state = &a;
    return 0;
}

static int tear_down(void **state)
{
    asking *a = *state;
    karp_snapshot_unref(a->snapshot);
    karp_context_unref(a->context);
    return 0;
}

static karp_str text(const char *words) { return (karp_str){ words, strlen(words) }; }

static void refused(asking *a, karp_plan plan, karp_status expected, const char *message)
{
    karp_verification *found = NULL;
    assert_int_equal(karp_verify(a->snapshot, &plan, &found, &a->error), expected);
    assert_null(found);
    assert_string_equal(a->error.message, message);
}

/* The findings of a plan with one launch, as "CODE object" a line. */
static void finds(const asking *a, const karp_plan_launch *launch, const char *expected)
{
    karp_plan plan = { .size = sizeof plan, .launches = launch, .launch_count = 1 };
    karp_verification *found = NULL;
    char words[2000];
    size_t length = 0;
    assert_int_equal(karp_verify(a->snapshot, &plan, &found, NULL), KARP_OK);
    words[0] = '\0';
    for (size_t i = 0; i < karp_verification_count(found); i++) {
        karp_finding row = { .size = sizeof row };
        assert_int_equal(karp_verification_at(found, i, &row), KARP_OK);
        length += (size_t)snprintf(words + length, sizeof words - length, "%s %s\n", karp_finding_name(row.code),
                                   row.object.ptr);
    }
    assert_string_equal(words, expected);
    karp_verification_free(found);
}

static void test_nothing_given(void **state)
{
    asking *a = *state;
    karp_plan plan = { .size = sizeof plan };
    karp_verification *found = NULL;
    karp_decision *decision = NULL;
    assert_int_equal(karp_verify(NULL, &plan, &found, &a->error), KARP_E_INVALID);
    assert_int_equal(karp_verify(a->snapshot, NULL, &found, &a->error), KARP_E_INVALID);
    assert_int_equal(karp_verify(a->snapshot, &plan, NULL, &a->error), KARP_E_INVALID);
    assert_int_equal(karp_provision(a->snapshot, NULL, &decision, &a->error), KARP_OK);
    assert_int_equal(karp_verify_decision(NULL, decision, &found, &a->error), KARP_E_INVALID);
    assert_int_equal(karp_verify_decision(a->snapshot, NULL, &found, &a->error), KARP_E_INVALID);
    assert_int_equal(karp_verify_decision(a->snapshot, decision, &found, &a->error), KARP_OK);
    assert_int_equal(karp_verification_count(found), 0);
    karp_decision_unref(decision);
    karp_finding row = { .size = sizeof row };
    assert_int_equal(karp_verification_at(found, 0, NULL), KARP_E_INVALID);
    assert_int_equal(karp_verification_at(found, 0, &row), KARP_E_NOT_FOUND);
    karp_verification_free(found);
}

static void test_lists_without_elements(void **state)
{
    asking *a = *state;
    static const char of_plan[] = "a list of the plan has a length but no elements",
                      of_launch[] = "a list of launch 0 has a length but no elements";
    karp_plan_launch launch = { .pod_count = 1 };
    karp_plan_placement placement = { .pod_count = 1 };
    refused(a, (karp_plan){ .size = sizeof(karp_plan), .launch_count = 1 }, KARP_E_INVALID, of_plan);
    refused(a, (karp_plan){ .size = sizeof(karp_plan), .placement_count = 1 }, KARP_E_INVALID, of_plan);
    refused(a, (karp_plan){ .size = sizeof(karp_plan), .left_count = 1 }, KARP_E_INVALID, of_plan);
    refused(a, (karp_plan){ .size = sizeof(karp_plan), .launches = &launch, .launch_count = 1 }, KARP_E_INVALID,
            of_launch);
    launch = (karp_plan_launch){ .instance_type_count = 1 };
    refused(a, (karp_plan){ .size = sizeof(karp_plan), .launches = &launch, .launch_count = 1 }, KARP_E_INVALID,
            of_launch);
    launch = (karp_plan_launch){ .requirement_count = 1 };
    refused(a, (karp_plan){ .size = sizeof(karp_plan), .launches = &launch, .launch_count = 1 }, KARP_E_INVALID,
            of_launch);
    refused(a, (karp_plan){ .size = sizeof(karp_plan), .placements = &placement, .placement_count = 1 }, KARP_E_INVALID,
            "the pods of placement 0 have a number but no names");
    refused(a, (karp_plan){ .size = sizeof(karp_plan), .profile = KARP_PROFILE_KARP + 1 }, KARP_E_INVALID,
            "unknown profile 2");
}

static void test_sizes(void **state)
{
    asking *a = *state;
    karp_plan plan = { .size = offsetof(karp_plan, profile) };
    karp_verification *found = NULL;
    assert_int_equal(karp_verify(a->snapshot, &plan, &found, &a->error), KARP_E_ABI_SIZE);
    /* lengths that no memory has are refused before anything is read */
    karp_str value = text("x");
    karp_requirement endless = { .key = text("k"), .op = KARP_OP_IN, .values = &value, .value_count = UINT32_MAX };
    karp_str pod = text("default/a"), type = text("m");
    karp_plan_launch launch = { .id = text("new-1"),
                                .node_pool = text("default"),
                                .pods = &pod,
                                .pod_count = 1,
                                .instance_types = &type,
                                .instance_type_count = 1,
                                .requirements = &endless,
                                .requirement_count = 1 };
    plan = (karp_plan){ .size = sizeof plan, .launches = &launch, .launch_count = 1 };
    assert_int_equal(karp_verify(a->snapshot, &plan, &found, &a->error), KARP_E_NOMEM);
    launch.requirement_count = 0;
    launch.id.len = SIZE_MAX - 2;
    assert_int_equal(karp_verify(a->snapshot, &plan, &found, &a->error), KARP_E_NOMEM);
    assert_null(found);
}

static void test_names(void **state)
{
    const asking *a = *state;
    static const karp_str pods[] = { { "default/a", 9 }, { NULL, 0 },        { "a", 1 },
                                     { "nowhere/a", 9 }, { "default/b", 9 }, { "/", 1 } },
                          type = { "m", 1 };
    karp_plan_launch launch = {
        .node_pool = text("default"), .pods = pods, .pod_count = 1, .instance_types = &type, .instance_type_count = 1
    };
    finds(a, &launch, "");
    launch.pod_count = sizeof pods / sizeof *pods;
    finds(a, &launch,
          "POD_UNKNOWN pod \nPOD_UNKNOWN pod a\nPOD_UNKNOWN pod nowhere/a\nPOD_UNKNOWN pod default/b\nPOD_UNKNOWN pod "
          "/\n");
    launch = (karp_plan_launch){ .pods = pods, .pod_count = 1, .instance_types = &type, .instance_type_count = 1 };
    finds(a, &launch, "POOL_UNKNOWN launch \n"); /* nothing has a name */
    karp_requirement unnamed = {
        .key = text("team"), .op = KARP_OP_IN, .values = (karp_str[]){ { NULL, 0 } }, .value_count = 1
    };
    launch.id = text("new-1");
    launch.node_pool = text("default");
    launch.requirements = &unnamed;
    launch.requirement_count = 1;
    finds(a, &launch, "");
    karp_str nothing = { NULL, 0 };
    launch.instance_types = &nothing;
    finds(a, &launch, "TYPE_UNKNOWN launch new-1\n");
}

/* Long names are cut in the detail, never in the object. */
static void test_long_names(void **state)
{
    const asking *a = *state;
    static char id[700], pool[700], key[300], type[700];
    memset(id, 'i', sizeof id);
    memset(pool, 'p', sizeof pool);
    memset(key, 'k', sizeof key);
    memset(type, 't', sizeof type);
    karp_str pod = text("default/a"), listed = { type, sizeof type };
    karp_plan_launch launch = { .id = { id, sizeof id },
                                .node_pool = text("default"),
                                .pods = &pod,
                                .pod_count = 1,
                                .instance_types = &listed,
                                .instance_type_count = 1 };
    karp_plan plan = { .size = sizeof plan, .launches = &launch, .launch_count = 1 };
    karp_verification *found = NULL;
    karp_finding row = { .size = sizeof row };
    assert_int_equal(karp_verify(a->snapshot, &plan, &found, NULL), KARP_OK);
    assert_int_equal(karp_verification_count(found), 1);
    assert_int_equal(karp_verification_at(found, 0, &row), KARP_OK);
    assert_int_equal(row.object.len, strlen("launch ") + sizeof id);
    assert_int_equal(row.detail.len, strlen("instance type  is not among the pool's") + 200);
    assert_int_equal(row.detail.len, strlen(row.detail.ptr));
    karp_verification_free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_given), cmocka_unit_test(test_lists_without_elements),
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
