/* SPDX-License-Identifier: Apache-2.0 */
/* karp_fit(): the rules of fit.h one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <support/random.h>

#include "fit_asking.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define AMOUNT(resource, quantity)                                                                                     \
    {                                                                                                                  \
        .name = T(resource), .text = T(quantity)                                                                       \
    }

static const karp_resource cpu1[] = { AMOUNT("cpu", "1") }, cpu2[] = { AMOUNT("cpu", "2") },
                           cpu4[] = { AMOUNT("cpu", "4") }, cpu8[] = { AMOUNT("cpu", "8") },
                           cpu16_gpu[] = { AMOUNT("CPU", "16"), AMOUNT("GPU", "1") };

/* ---- the rules --------------------------------------------------------------------------------------------------- */

static void many_equal_demands(void **state)
{
    fit_world *w = *state;
    const karp_fit_type types[] = {
        { .name = T("g5.8xlarge"), .resources = cpu16_gpu, .resource_count = 2, .price = 2.448 }
    };
    const karp_fit_demand demands[] = { { .requests = cpu16_gpu, .request_count = 2, .count = 9838, .group = 1 } };
    fit_ask(w, types, 1, NULL, 0, demands, 1);
    karp_fitting *f = fit_made(w);
    assert_string_equal(fit_words(f), "new0x9838:0*1");
    assert_true(karp_fitting_launches(f, 0) == 9838);
    assert_true(karp_fitting_launches(f, 1) == 0);
    assert_true(karp_fitting_cost(f) == 2.448 * 9838);
    karp_fitting_free(f);
}

static void cheapest_per_copy(void **state)
{
    fit_world *w = *state;
    karp_fit_type types[] = {
        { .resources = cpu2, .resource_count = 1, .price = 2 },
        { .resources = cpu8, .resource_count = 1, .price = 7 },
    };
    karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 10 } };
    fit_ask(w, types, COUNT(types), NULL, 0, demands, 1);
    assert_fit(w, "new1x1:0*8 new0x1:0*2"); /* 7/8 a copy, then for two 1 and not 3.5 */
    types[1].price = 8;
    assert_fit(w, "new1x1:0*8 new0x1:0*2"); /* equal: the one that takes more */
    types[1].price = 9;
    assert_fit(w, "new0x5:0*2");
    types[0].max_nodes = 3;
    assert_fit(w, "new0x3:0*2 new1x1:0*4");
    types[1].max_nodes = 1;
    demands[0].count = 20;
    assert_fit(w, "new0x3:0*2 new1x1:0*8 | left 0*6 FULL");
    types[0].resources = cpu8;
    types[0].price = 9;
    types[0].max_nodes = 0;
    demands[0].count = 8;
    assert_fit(w, "new0x1:0*8"); /* equal in everything: the first */
}

static void nodes_first(void **state)
{
    fit_world *w = *state;
    const karp_fit_node nodes[] = {
        { .free = cpu2, .free_count = 1, .count = 3 },
        { .free = cpu1, .free_count = 1 },
    };
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1, .min_nodes = 1 } };
    karp_fit_demand demands[] = {
        { .requests = cpu1, .request_count = 1, .count = 3 },
        { .requests = cpu2, .request_count = 1, .count = 1 },
    };
    fit_ask(w, types, 1, nodes, 2, demands, 2);
    assert_fit(w, "0x1:1*1 0x1:0*2 0x1:0*1 new0x1:"); /* the larger demand goes first */
    demands[0].count = 12;
    assert_fit(w, "0x1:1*1 0x2:0*2 1x1:0*1 new0x1:0*4 new0x1:0*3");
    demands[0].priority = 1;
    assert_fit(w, "0x3:0*2 1x1:0*1 new0x1:0*4 new0x1:0*1,1*1");
}

static void spread_out(void **state)
{
    fit_world *w = *state;
    const karp_fit_node nodes[] = { { .free = cpu4, .free_count = 1, .count = 2 } };
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1 } };
    karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 5, .max_per_node = 1 } };
    fit_ask(w, types, 1, nodes, 1, demands, 1);
    assert_fit(w, "0x2:0*1 new0x3:0*1");
    demands[0].max_per_node = 2;
    assert_fit(w, "0x2:0*2 new0x1:0*1");
    demands[0].request_count = 0; /* takes nothing: only the number on one node counts */
    assert_fit(w, "0x2:0*2 new0x1:0*1");
    demands[0].max_per_node = 0;
    assert_fit(w, "0x1:0*5");
}

static void selectors(void **state)
{
    fit_world *w = *state;
    const karp_label a[] = { { T("zone"), T("a") } }, b[] = { { T("zone"), T("b") } };
    const karp_str values[] = { T("b"), T("c") };
    karp_requirement in[] = { { .key = T("zone"), .op = KARP_OP_IN, .values = values, .value_count = 2 } };
    karp_selector picks = { .expressions = in, .expression_count = 1 };
    const karp_fit_type types[] = {
        { .resources = cpu4, .resource_count = 1, .price = 1, .labels = a, .label_count = 1 },
        { .resources = cpu2, .resource_count = 1, .price = 5, .labels = b, .label_count = 1 },
    };
    karp_fit_demand demands[] = { { .requests = cpu2, .request_count = 1, .count = 2, .selector = &picks } };
    fit_ask(w, types, 2, NULL, 0, demands, 1);
    assert_fit(w, "new1x2:0*1");
    in[0].op = KARP_OP_NOT_IN;
    assert_fit(w, "new0x1:0*2");
    in[0].op = KARP_OP_DOES_NOT_EXIST;
    in[0].value_count = 0;
    assert_fit(w, "left 0*2 SELECTOR!");
    picks = (karp_selector){ .match_labels = b, .match_label_count = 1 };
    assert_fit(w, "new1x2:0*1");
    demands[0].requests = cpu4; /* fits a type, but none with the label */
    assert_fit(w, "left 0*2 TOO_LARGE!");
}

static void groups_whole_or_not(void **state)
{
    fit_world *w = *state;
    const karp_fit_node nodes[] = { { .free = cpu2, .free_count = 1, .count = 2 } };
    karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1, .max_nodes = 2 } };
    karp_fit_demand demands[] = {
        { .requests = cpu4, .request_count = 1, .count = 3, .group = 7 }, /* one more than there can be */
        { .requests = cpu1, .request_count = 1, .count = 2, .group = 7 },
        { .requests = cpu2, .request_count = 1, .count = 3 },
        { .requests = cpu1, .request_count = 1, .count = 3, .group = 8 },
    };
    fit_ask(w, types, 1, nodes, 1, demands, COUNT(demands));
    assert_fit(w, "0x2:2*1 new0x1:2*1,3*2 new0x1:3*1 | left 0*3 FULL, 1*2 GROUP");
    demands[0].count = 2;
    assert_fit(w, "0x1:1*2 0x1:2*1 new0x2:0*1 | left 2*2 FULL, 3*3 FULL");
    demands[0].count = 1;
    demands[0].requests = cpu8;
    assert_fit(w, "0x2:2*1 new0x1:2*1,3*2 new0x1:3*1 | left 0*1 TOO_LARGE!, 1*2 GROUP!");
    types[0].min_nodes = 2; /* what was launched in any case stays */
    assert_fit(w, "0x2:2*1 new0x1:2*1,3*2 new0x1:3*1 | left 0*1 TOO_LARGE!, 1*2 GROUP!");
}

/* A group that fails leaves no trace: the answer for the others is the same as without it. */
static void groups_leave_no_trace(void **state)
{
    fit_world *w = *state;
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1, .max_nodes = 4 } };
    const karp_fit_demand with[] = {
        { .requests = cpu1, .request_count = 1, .count = 5 },
        { .requests = cpu2, .request_count = 1, .count = 9, .group = 1, .priority = 1 },
        { .requests = cpu1, .request_count = 1, .count = 3, .group = 2, .priority = -1 },
    };
    fit_ask(w, types, 1, NULL, 0, with, 3);
    assert_fit(w, "new0x1:0*4 new0x1:0*1,2*3 | left 1*9 FULL");
    fit_ask(w, types, 1, NULL, 0, NULL, 0);
    assert_fit(w, "");
}

static void nothing_to_choose_from(void **state)
{
    fit_world *w = *state;
    const karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 1 },
                                        { .count = 2 },
                                        { .requests = cpu1, .request_count = 1 } };
    fit_ask(w, NULL, 0, NULL, 0, demands, 3);
    assert_fit(w, "left 0*1 SELECTOR!, 1*2 SELECTOR!");
}

/* ---- exactness and limits ---------------------------------------------------------------------------------------- */

static void exact_amounts(void **state)
{
    fit_world *w = *state;
    const karp_resource one[] = { AMOUNT("cpu", "1") }, tenth[] = { AMOUNT("cpu", "0.1") },
                        nano[] = { AMOUNT("cpu", "1n") };
    const karp_resource huge[] = { AMOUNT("cpu", "9e20") };
    const karp_fit_type types[] = { { .resources = one, .resource_count = 1 } };
    karp_fit_demand demands[] = { { .requests = tenth, .request_count = 1, .count = 20 },
                                  { .requests = nano, .request_count = 1, .count = 1 } };
    fit_ask(w, types, 1, NULL, 0, demands, 2);
    assert_fit(w, "new0x2:0*10 new0x1:1*1"); /* ten tenths are one, to the last nano */
    demands[1].requests = huge;
    karp_fitting *f = NULL;
    assert_int_equal(karp_fit(w->context, &w->request, &f, &w->error), KARP_E_RANGE);
    assert_non_null(strstr(w->error.message, "amounts of cpu"));
    demands[1] = (karp_fit_demand){ .requests = tenth, .request_count = 1, .count = UINT64_MAX - 5 };
    assert_int_equal(karp_fit(w->context, &w->request, &f, &w->error), KARP_E_RANGE);
    demands[1].count = (uint64_t)INT64_MAX - 20;
    fit_ask(w, types, 1, NULL, 0, demands, 2);
    f = fit_made(w);
    assert_true(karp_fitting_launches(f, 0) == ((uint64_t)INT64_MAX + 9) / 10);
    karp_fitting_free(f);
}

static void refused(fit_world *w, karp_status status, const char *object, const char *field)
{
    karp_fitting *f = NULL;
    karp_error_init(&w->error, sizeof w->error);
    assert_int_equal(karp_fit(w->context, &w->request, &f, &w->error), status);
    assert_string_equal(w->error.object, object);
    assert_string_equal(w->error.field, field);
    assert_true(w->error.message[0] != '\0');
    assert_null(f);
}

static void bad_requests(void **state)
{
    fit_world *w = *state;
    const karp_resource negative[] = { AMOUNT("cpu", "-1") }, odd[] = { AMOUNT("cpu", "one") },
                        twice[] = { AMOUNT("cpu", "1"), AMOUNT("cpu", "1") };
    const karp_requirement gt[] = { { .key = T("zone"), .op = KARP_OP_GT } };
    const karp_selector greater = { .expressions = gt, .expression_count = 1 };
    karp_fit_type types[] = { { .name = T("big"), .resources = cpu4, .resource_count = 1, .price = 1 } };
    karp_fit_node nodes[] = { { .name = T("n"), .free = cpu1, .free_count = 1 } };
    karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 1 } };
    fit_ask(w, types, 1, nodes, 1, demands, 1);
    types[0].price = -1;
    refused(w, KARP_E_INVALID, "Type big", "types[0].price");
    types[0].price = 1;
    types[0].price *= 1e308;
    types[0].price *= 1e308;
    refused(w, KARP_E_INVALID, "Type big", "types[0].price");
    types[0].price = 1e308;
    demands[0].count = 1000;
    demands[0].max_per_node = 1;
    refused(w, KARP_E_RANGE, "", ""); /* the sum of prices */
    types[0].price = 1;
    types[0].min_nodes = 2;
    types[0].max_nodes = 1;
    refused(w, KARP_E_INVALID, "Type big", "types[0].min_nodes");
    types[0].max_nodes = 0;
    types[0].min_nodes = UINT64_MAX;
    refused(w, KARP_E_RANGE, "", "");
    types[0].min_nodes = 0;
    types[0].resources = odd;
    refused(w, KARP_E_INVALID, "Type big", "types[0].resources[\"cpu\"]");
    types[0].resources = NULL;
    refused(w, KARP_E_INVALID, "Type big", "types[0].resources");
    types[0].resources = cpu4;
    nodes[0].free = negative;
    refused(w, KARP_E_INVALID, "Node n", "nodes[0].free[\"cpu\"]");
    nodes[0].free = cpu1;
    nodes[0].count = UINT64_MAX;
    refused(w, KARP_E_RANGE, "", "");
    nodes[0].count = 0;
    demands[0].requests = twice;
    demands[0].request_count = 2;
    refused(w, KARP_E_INVALID, "", "demands[0].requests[\"cpu\"]");
    demands[0].request_count = 1;
    demands[0].selector = &greater;
    refused(w, KARP_E_INVALID, "", "demands[0].selector.matchExpressions");
    demands[0].selector = NULL;
    w->request.demands = NULL;
    refused(w, KARP_E_INVALID, "", "demands");
    w->request.demands = demands;
    w->request.type_count = 100001;
    refused(w, KARP_E_LIMIT, "", "");
    w->request.type_count = 1;
    w->request.size = 8;
    refused(w, KARP_E_ABI_SIZE, "", "");
    assert_int_equal(karp_fit(w->context, NULL, NULL, &w->error), KARP_E_INVALID);
}

static int32_t stop_at_once(void *user)
{
    ++*(int *)user;
    return 1;
}

static void stopping(void **state)
{
    fit_world *w = *state;
    static karp_fit_demand demands[3000];
    static karp_resource amounts[3000];
    static char texts[3000][8];
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1 } };
    int asked = 0;
    for (int i = 0; i < 3000; i++) {
        int n = snprintf(texts[i], sizeof texts[i], "%dm", 1000 + i);
        amounts[i] = (karp_resource){ .name = T("cpu"), .text = { texts[i], (size_t)n } };
        demands[i] = (karp_fit_demand){ .requests = &amounts[i], .request_count = 1, .count = 1, .group = i % 7 == 0 };
    }
    fit_ask(w, types, 1, NULL, 0, demands, 3000);
    w->request.should_stop = stop_at_once;
    w->request.stop_user = &asked;
    refused(w, KARP_E_CANCELED, "", "");
    assert_int_equal(asked, 1);
    w->request.should_stop = NULL;
    karp_fitting_free(fit_made(w));
}

static int32_t count_polls(void *user)
{
    ++*(int *)user;
    return 0;
}

/* Each demand is told from the others, and nodes fill up: runs that are full are not looked at again. */
static void many_different_demands(void **state)
{
    enum { MANY = 20000 };
    fit_world *w = *state;
    static karp_fit_demand demands[MANY];
    static karp_resource amounts[MANY];
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1 } };
    const karp_fit_node nodes[] = { { .free = cpu4, .free_count = 1, .count = 5000 } };
    uint64_t seed = 3;
    int polls = 0;
    for (int i = 0; i < MANY; i++) {
        amounts[i] = (karp_resource){ .name = T("cpu"),
                                      .value = 1000000 + (int64_t)random_below(&seed, 1500000),
                                      .scale = -6 };
        demands[i] = (karp_fit_demand){
            .requests = &amounts[i], .request_count = 1, .count = 1, .group = i % 5 == 0 ? (uint32_t)i : 0
        };
    }
    fit_ask(w, types, 1, nodes, 1, demands, MANY);
    w->request.should_stop = count_polls;
    w->request.stop_user = &polls;
    karp_fitting *f = fit_made(w);
    assert_true(karp_fitting_left_count(f) == 0 && karp_fitting_launches(f, 0) > 1000);
    assert_in_range(polls, 10, MANY / 16); /* 64 steps a demand */
    karp_fitting_free(f);
    w->request.should_stop = NULL;
}

static void all_types_together(void **state)
{
    fit_world *w = *state;
    const karp_fit_type types[] = { { .resources = cpu4, .resource_count = 1, .price = 1, .min_nodes = 1 },
                                    { .resources = cpu1, .resource_count = 1, .price = 9 } };
    const karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 13, .max_per_node = 2 } };
    fit_ask(w, types, 2, NULL, 0, demands, 1);
    w->request.max_launches = 3;
    karp_fitting *f = fit_made(w);
    assert_int_equal(karp_fitting_launches(f, 0), 3);
    karp_fit_left l = { .size = sizeof l };
    assert_int_equal(karp_fitting_left(f, 0, &l), KARP_OK);
    assert_true(l.copies == 7 && l.reason == KARP_FIT_FULL && !l.permanent);
    karp_fitting_free(f);
    const karp_fit_type more[] = { { .resources = cpu4, .resource_count = 1, .min_nodes = 2 },
                                   { .resources = cpu1, .resource_count = 1, .min_nodes = 2 } };
    fit_ask(w, more, 2, NULL, 0, NULL, 0);
    refused(w, KARP_E_INVALID, "", "");
    w->request.max_launches = 4;
    karp_fitting_free(fit_made(w));
    w->request.max_launches = 0;
}

static void out_structs(void **state)
{
    fit_world *w = *state;
    const karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 1 } };
    fit_ask(w, NULL, 0, NULL, 0, demands, 1);
    karp_fitting *f = fit_made(w);
    karp_fit_load load = { .size = sizeof load };
    karp_fit_left left = { .size = 4 };
    assert_int_equal(karp_fitting_load(f, 0, &load), KARP_E_NOT_FOUND);
    assert_int_equal(karp_fitting_left(f, 0, &left), KARP_E_ABI_SIZE);
    assert_int_equal(karp_fitting_left(f, 1, &left), KARP_E_NOT_FOUND);
    assert_int_equal(karp_fitting_left(f, 0, NULL), KARP_E_INVALID);
    assert_int_equal(karp_fitting_load(f, 0, NULL), KARP_E_INVALID);
    assert_string_equal(karp_fit_reason_name(0), "");
    assert_string_equal(karp_fit_reason_name(5), "");
    karp_fitting_free(f);
    karp_fitting_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_equal_demands, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(cheapest_per_copy, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(nodes_first, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(spread_out, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(selectors, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(groups_whole_or_not, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(groups_leave_no_trace, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(nothing_to_choose_from, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(exact_amounts, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(bad_requests, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(stopping, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(many_different_demands, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(all_types_together, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(out_structs, fit_set_up, fit_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
