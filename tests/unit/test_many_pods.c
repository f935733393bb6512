/* SPDX-License-Identifier: Apache-2.0 */
/* Many equal pods: the caller is asked whether to go on, and steps are counted, however many are placed at a time. */
#include <support/disrupting.h>

#include <karp/schedule.h>

enum { PODS = 2000 };

static int32_t answer(void *user) { return *(int32_t *)user; }

static void many(cluster *c)
{
    cluster_begin(c, 4, "");
    add_pool(c, "pool", "", "");
    for (int i = 0; i < PODS; i++) {
        add(c,
            ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\",\"namespace\":\"default\"},"
            "\"spec\":{\"containers\":[{\"name\":\"m\",\"resources\":{\"requests\":{\"cpu\":\"%s\"}}}]},"
            "\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
            "\"reason\":\"Unschedulable\"}]}}",
            i, i % 2 == 0 ? "1" : "2");
    }
    cluster_ready(c);
}

static karp_status ask(cluster *c, int32_t stops, uint64_t steps)
{
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.max_steps = steps;
    if (stops >= 0) {
        options.should_stop = answer;
        options.stop_user = &stops;
    }
    karp_decision_unref(c->decision);
    c->decision = NULL;
    return karp_provision(c->snapshot, &options, &c->decision, &c->error);
}

static void test_stops(void **state)
{
    cluster *c = *state;
    many(c);
    assert_int_equal(ask(c, 0, 0), KARP_OK);
    assert_int_equal(karp_decision_unschedulable_count(c->decision), 0);
    assert_int_equal(ask(c, 1, 0), KARP_E_CANCELED);
    assert_int_equal(ask(c, 2, 0), KARP_E_CANCELED);
    /* Every pod is a step at least, and not a million. */
    assert_int_equal(ask(c, -1, PODS / 2), KARP_E_CANCELED);
    assert_int_equal(ask(c, -1, 1000000), KARP_OK);
    assert_int_equal(karp_decision_unschedulable_count(c->decision), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(test_stops, cluster_set_up,
                                                                        cluster_tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
