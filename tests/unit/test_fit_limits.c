/* SPDX-License-Identifier: Apache-2.0 */
/* karp_fit(): arguments that are not there, requests that are too long, nodes that do not suit, and stopping anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/base.h>

#include "fit_asking.h"

#define AMOUNT(resource, quantity)                                                                                     \
    {                                                                                                                  \
        .name = T(resource), .text = T(quantity)                                                                       \
    }

static const karp_resource cpu1[] = { AMOUNT("cpu", "1") }, cpu2[] = { AMOUNT("cpu", "2") },
                           cpu3[] = { AMOUNT("cpu", "3") };

static void missing_arguments(void **state)
{
    fit_world *w = *state;
    karp_fitting *f = NULL;
    assert_int_equal(karp_fit(NULL, &w->request, &f, &w->error), KARP_E_INVALID);
    assert_int_equal(karp_fit(w->context, NULL, &f, &w->error), KARP_E_INVALID);
    assert_int_equal(karp_fit(w->context, &w->request, NULL, &w->error), KARP_E_INVALID);
    assert_null(f);
    karp_fit_request fresh;
    memset(&fresh, 7, sizeof fresh);
    karp_fit_request_init(NULL, sizeof fresh);
    karp_fit_request_init(&fresh, sizeof fresh.size - 1);
    assert_true(fresh.demand_count != 0); /* left as it is */
    karp_fit_request_init(&fresh, sizeof fresh.size);
    assert_true(fresh.size == sizeof fresh.size && fresh.demand_count != 0);
    karp_fit_request_init(&fresh, sizeof fresh);
    assert_true(fresh.size == sizeof fresh && fresh.demand_count == 0);
}

/* In a context that allows so many types, nodes and demands. */
static karp_status asked_within(uint64_t limit, const karp_fit_request *request)
{
    karp_context_options options;
    karp_context *context = NULL;
    karp_fitting *f = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_context_options_init(&options, sizeof options);
    options.max_instance_types = options.max_nodes = options.max_pods = limit;
    assert_int_equal(karp_context_new(&options, &context, &error), KARP_OK);
    karp_status status = karp_fit(context, request, &f, &error);
    karp_fitting_free(f);
    karp_context_unref(context);
    return status;
}

/* As many types, nodes and demands as the context allows, and one more. */
static void limits_of_the_context(void **state)
{
    (void)state;
    const karp_fit_type types[] = { { .resources = cpu2, .resource_count = 1 },
                                    { .resources = cpu2, .resource_count = 1 } };
    const karp_fit_node nodes[] = { { .free = cpu2, .free_count = 1 }, { .free = cpu2, .free_count = 1 } };
    const karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 1 },
                                        { .requests = cpu1, .request_count = 1, .count = 1 } };
    for (int which = 0; which < 8; which++) {
        karp_fit_request request;
        karp_fit_request_init(&request, sizeof request);
        request.types = types;
        request.nodes = nodes;
        request.demands = demands;
        request.type_count = which & 1 ? 2 : 1;
        request.node_count = which & 2 ? 2 : 1;
        request.demand_count = which & 4 ? 2 : 1;
        assert_int_equal(asked_within(1, &request), which == 0 ? KARP_OK : KARP_E_LIMIT);
    }
}

/* Lists that no memory holds are refused before they are looked at, whatever the context allows. */
static void endless_lists(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        karp_fit_request request;
        karp_fit_request_init(&request, sizeof request);
        *(which == 0   ? &request.type_count
          : which == 1 ? &request.node_count
                       : &request.demand_count) = (size_t)(1 << 30) + 1;
        assert_int_equal(asked_within(UINT64_MAX, &request), KARP_E_LIMIT);
    }
}

/* Nodes that have room and are not what is asked for are passed by. */
static void unsuitable_nodes(void **state)
{
    fit_world *w = *state;
    static const karp_label in_a = { T("zone"), T("a") }, in_b = { T("zone"), T("b") };
    const karp_selector to_b = { .match_labels = &in_b, .match_label_count = 1 };
    const karp_fit_node nodes[] = {
        { .free = cpu3, .free_count = 1, .labels = &in_a, .label_count = 1 },
        { .free = cpu2, .free_count = 1, .labels = &in_b, .label_count = 1 },
        { .free = cpu3, .free_count = 1, .labels = &in_a, .label_count = 1 },
        { .free = cpu3, .free_count = 1, .labels = &in_b, .label_count = 1 },
    };
    const karp_fit_demand demands[] = { { .requests = cpu1, .request_count = 1, .count = 9, .selector = &to_b } };
    fit_ask(w, NULL, 0, nodes, 4, demands, 1);
    assert_fit(w, "1x1:0*2 3x1:0*3 | left 0*4 FULL");
}

typedef struct stopper {
    int left, told;
} stopper;

static int32_t stop_at(void *user)
{
    stopper *s = user;
    s->told = s->told || s->left-- == 0;
    return s->told;
}

/* Whoever is told to stop does, before a node is looked for and before one is launched. */
static void stopped_anywhere(void **state)
{
    fit_world *w = *state;
    enum { MANY = 1300 };
    static karp_fit_demand demands[MANY];
    const karp_fit_type types[] = { { .resources = cpu1, .resource_count = 1, .price = 1, .max_nodes = 1 },
                                    { .resources = cpu1, .resource_count = 1, .price = 2 } };
    for (int i = 0; i < MANY; i++) demands[i] = (karp_fit_demand){ .requests = cpu1, .request_count = 1, .count = 1 };
    for (int more = 0; more < 2; more++) { /* two types for one demand: the rest is looked at a step later */
        demands[0].count = more ? 2 : 1;
        fit_ask(w, types, 2, NULL, 0, demands, MANY);
        int polls = 0;
        for (stopper s = { .told = 1 }; s.told; polls++) {
            karp_fitting *f = NULL;
            s = (stopper){ .left = polls };
            w->request.should_stop = stop_at;
            w->request.stop_user = &s;
            karp_status status = karp_fit(w->context, &w->request, &f, &w->error);
            assert_int_equal(status, s.told ? KARP_E_CANCELED : KARP_OK);
            karp_fitting_free(f);
        }
        assert_true(polls > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(missing_arguments, fit_set_up, fit_tear_down),
        cmocka_unit_test(limits_of_the_context),
        cmocka_unit_test(endless_lists),
        cmocka_unit_test_setup_teardown(unsuitable_nodes, fit_set_up, fit_tear_down),
        cmocka_unit_test_setup_teardown(stopped_anywhere, fit_set_up, fit_tear_down),
    };
    return cmocka_run_group_tests_name("fit_limits", tests, NULL, NULL);
}
