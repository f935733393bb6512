/* SPDX-License-Identifier: Apache-2.0 */
/* One snapshot, many threads: every one of them decides the same, byte for byte. */
#include "deciding.h"

#include <pthread.h>

enum { THREADS = 8, TIMES = 5 };

typedef struct job {
    const deciding *d;
    uint32_t profile;
    karp_text plan;
    int differences;
} job;

static karp_text plan_of_profile(const deciding *d, uint32_t profile)
{
    karp_options options;
    karp_write_options format;
    karp_text plan = { NULL, 0, NULL };
    karp_decision *decision = NULL;
    karp_options_init(&options, sizeof options);
    karp_write_options_init(&format, sizeof format);
    options.profile = profile;
    options.explain = KARP_EXPLAIN_FULL;
    if (karp_provision(d->snapshot, &options, &decision, NULL) == KARP_OK) {
        (void)karp_write_plan(d->context, decision, NULL, &format, &plan, NULL);
    }
    karp_decision_unref(decision);
    return plan;
}

static void *work(void *user)
{
    job *j = user;
    for (int i = 0; i < TIMES; i++) {
        karp_text plan = plan_of_profile(j->d, j->profile);
        j->differences += plan.ptr == NULL || plan.len != j->plan.len || memcmp(plan.ptr, j->plan.ptr, plan.len) != 0;
        karp_text_free(&plan);
    }
    return NULL;
}

static void test_threads_agree(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    deciding d = decide_on(NULL, CASES "world.yaml", CASES "spread/zones.yaml", CASES "spread/who-counts.yaml",
                           CASES "affinity/namespaces.yaml", CASES "volumes/zones.yaml", CASES "daemons/no-type.yaml",
                           CASES "relaxation/or-terms-in-order.yaml", CASES "labels/operators-on-undefined-keys.yaml",
                           NULL);
    karp_text plans[2] = { plan_of_profile(&d, KARP_PROFILE_KARPENTER), plan_of_profile(&d, KARP_PROFILE_KARP) };
    assert_non_null(plans[0].ptr);
    assert_non_null(plans[1].ptr);
    for (size_t i = 0; i < THREADS; i++) {
        jobs[i] = (job){ .d = &d, .profile = (uint32_t)(i % 2), .plan = plans[i % 2] };
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(jobs[i].differences, 0);
    }
    karp_text_free(&plans[0]);
    karp_text_free(&plans[1]);
    deciding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
