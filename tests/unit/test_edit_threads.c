/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads edit one snapshot, and what they made of it, each for itself: what they share is held by all, and
 * written by none. */
#include "deciding.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <support/editing.h>

#include <karp/library.h>

enum { THREADS = 4, TIMES = 12 };

typedef struct job {
    karp_snapshot *from; /* held */
    unsigned number;
    size_t failures;
} job;

/* How many pods a decision places. */
static size_t placed_on(const karp_snapshot *s)
{
    karp_decision *d = NULL;
    if (karp_provision(s, NULL, &d, NULL) != KARP_OK) return SIZE_MAX;
    size_t count = karp_decision_placement_count(d);
    karp_decision_unref(d);
    return count;
}

/* `next` instead of what was held; whether it is one. */
static bool go_on(job *j, karp_snapshot *next)
{
    if (next == NULL) return false;
    karp_snapshot_unref(j->from);
    j->from = next;
    return true;
}

static void *work(void *user)
{
    job *j = user;
    for (unsigned i = 0; i < TIMES; i++) {
        const char *cpu = i % 2 ? "3" : "1";
        char name[32];
        (void)snprintf(name, sizeof name, "own-%u", j->number);
        if (!go_on(j, edited_pod(j->from, "b2", "n2", cpu)) || !go_on(j, edited_pod(j->from, name, "n3", "100m")))
            j->failures++;
        if (!go_on(j, edited_node(j->from, "n1", cpu)) || !go_on(j, edited_node(j->from, name, "1"))) j->failures++;
        if (placed_on(j->from) == SIZE_MAX) j->failures++;
        if (!go_on(j, edited_node(j->from, name, NULL)) || !go_on(j, edited_pod(j->from, name, NULL, "1")))
            j->failures++;
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    deciding d = decide_on(NULL, CASES "world.yaml",
                           NODE("n1", "", "4", "") NODE("n2", "", "4", "") NODE("n3", "", "4", ""),
                           BOUND("b1", "", "n1", REQUESTS("cpu: 1")) BOUND("b2", "", "n2", REQUESTS("cpu: 1")),
                           POD("w", "", REQUESTS("cpu: 2")), NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        jobs[i] = (job){ .from = karp_snapshot_ref(d.snapshot), .number = i };
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    karp_snapshot_unref(d.snapshot); /* while they are at it */
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(jobs[i].failures, 0);
        assert_int_equal(placed_on(jobs[i].from), placed_on(jobs[0].from));
    }
    d.snapshot = NULL;
    for (unsigned i = 0; i < THREADS; i++) karp_snapshot_unref(jobs[i].from);
    deciding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
