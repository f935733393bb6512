/* SPDX-License-Identifier: Apache-2.0 */
/* Preview drift-backoff: how long NodePools wait whose replacements of drifted nodes fail. */
#include <replay/engine.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <karp/library.h>
#include <karp/peer.h>

static engine e;
static karp_replay_options options;

static uint64_t rule_of_name(const char *name)
{
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        assert_int_equal(karp_peer_rule_at(i, &rule), KARP_OK);
        if (str_is(rule.name, name)) return UINT64_C(1) << i;
    }
    return 0;
}

static int begin(void **state)
{
    karp_replay_options_init(&options, sizeof options);
    e = (engine){ .options = &options, .now = 1000 * SECOND };
    if (karp_context_new(NULL, &e.context, NULL) != KARP_OK) return -1;
    strings_init(&e.texts, e.context);
    arena_init(&e.memory, e.context);
    e.decision.flip_rules = rule_of_name("drift-backoff");
    backoffs_begin(&e);
    (void)state;
    return 0;
}

static int end(void **state)
{
    karp_free(e.context, e.backoffs.list, e.backoffs.capacity * sizeof *e.backoffs.list);
    karp_free(e.context, e.backoffs.pools, e.backoffs.pool_capacity * sizeof *e.backoffs.pools);
    strings_free(&e.texts);
    arena_free(&e.memory);
    karp_context_unref(e.context);
    (void)state;
    return 0;
}

static size_t waiting(int64_t *next)
{
    const karp_str *pools;
    *next = KARP_NO_TIME;
    return backoffs_waiting(&e, &pools, next);
}

/* The pool fails when it may go on again: each window is between half of its length and all of it. */
static void test_windows(void **state)
{
    static const int64_t lengths[] = { 60, 120, 240, 480, 600, 600 };
    int64_t next = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        backoffs_note(&e, str("a"), false);
        assert_int_equal(waiting(&next), 1);
        assert_true(next - e.now >= lengths[i] * SECOND / 2 && next - e.now < lengths[i] * SECOND);
        const int64_t until = next;
        e.now += SECOND;
        backoffs_note(&e, str("a"), false); /* of the same window */
        assert_int_equal(waiting(&next), 1);
        assert_int_equal(next, until);
        e.now = until;
        assert_int_equal(waiting(&next), 0);
    }
    (void)state;
}

static void test_pools(void **state)
{
    int64_t next = 0;
    backoffs_note(&e, str("a"), true);
    assert_int_equal(waiting(&next), 0);
    backoffs_note(&e, str("a"), false);
    backoffs_note(&e, str("b"), false);
    assert_int_equal(waiting(&next), 2);
    backoffs_note(&e, str("a"), true);
    assert_int_equal(waiting(&next), 1);
    e.now = next;
    backoffs_note(&e, str("a"), false); /* from the beginning again */
    assert_int_equal(waiting(&next), 1);
    assert_true(next - e.now < 60 * SECOND);
    (void)state;
}

static void test_off(void **state)
{
    int64_t next = 0;
    e.decision.flip_rules = rule_of_name("split-claims");
    backoffs_begin(&e);
    backoffs_note(&e, str("a"), false);
    assert_int_equal(waiting(&next), 0);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_windows, begin, end),
        cmocka_unit_test_setup_teardown(test_pools, begin, end),
        cmocka_unit_test_setup_teardown(test_off, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
