/* SPDX-License-Identifier: Apache-2.0 */
/* karp_decision_hash(): what it depends on, and what not. That the bytes are those of its page:
 * tests/examples/test_hash.py. */
#include "deciding.h"

#include <karp/disrupt.h>
#include <karp/inspect.h>
#include <decision/decision.h>

static karp_decision *d;
static char was[KARP_DIGEST_TEXT];

static void changes(const char *what)
{
    char now[KARP_DIGEST_TEXT];
    karp_decision_hash(d, now);
    if (strcmp(now, was) == 0) fail_msg("the hash does not see %s", what);
}

static void stays(const char *what)
{
    char now[KARP_DIGEST_TEXT];
    karp_decision_hash(d, now);
    if (strcmp(now, was) != 0) fail_msg("the hash sees %s", what);
}

/* A field set to something else, looked at, and set back. */
#define WITH(field, value, looked)                                                                                     \
    do {                                                                                                               \
        __typeof__(field) kept = (field);                                                                              \
        (field) = (value);                                                                                             \
        looked(#field);                                                                                                \
        (field) = kept;                                                                                                \
    } while (0)

static const karp_str other = { "other", 5 };

static void test_fields(void **state)
{
    (void)state;
    deciding w = decide_on("tests/data/fault/catalogue.json", "tests/data/fault/cluster.yaml", NULL);
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.peer_version = KARP_PEER_1_14; /* of which only the profile's name is not seen */
    d = decide(&w, &options);
    karp_decision_hash(d, was);
    WITH(d->peer_version, KARP_PEER_1_15, changes);
    assert_int_equal(strlen(was), 64);
    assert_int_equal(strspn(was, "0123456789abcdef"), 64);
    karp_launch *l = &d->launches.items[0];
    assert_true(d->launches.count > 0 && d->placements.count > 0 && d->unschedulable.count > 0 && d->ignored.count > 0);
    WITH(d->complete, false, changes);
    WITH(d->launches.count, d->launches.count - 1, changes);
    WITH(d->placements.count, d->placements.count - 1, changes);
    WITH(d->unschedulable.count, 0, changes);
    WITH(d->ignored.count, 0, changes);
    WITH(l->node_pool, other, changes);
    WITH(l->pod_count, l->pod_count - 1, changes);
    WITH(l->instance_type_count, l->instance_type_count - 1, changes);
    WITH(l->choice.instance_type, other, changes);
    WITH(l->choice.zone, other, changes);
    WITH(l->choice.capacity_type, other, changes);
    WITH(l->choice.price, 7, changes);
    WITH(l->requirement_count, l->requirement_count - 1, changes);
    WITH(d->placements.items[0].node, other, changes);
    WITH(d->placements.items[0].pod_count, d->placements.items[0].pod_count - 1, changes);
    WITH(d->unschedulable.items[0].code, 999, changes);
    WITH(d->unschedulable.items[0].pod, d->ignored.items[0].pod, changes);
    WITH(d->ignored.items[0].code, 999, changes);
    static uint32_t others[1000];
    assert_true(l->pod_count < 1000 && d->placements.items[0].pod_count < 1000);
    for (size_t i = 0; i < 1000; i++) others[i] = d->ignored.items[0].pod;
    WITH(l->pods, others, changes);
    WITH(d->placements.items[0].pods, others, changes);
    WITH(d->now, 12345, stays);
    WITH(d->profile, 1, stays);
    WITH(d->cost_before, 7, stays);
    WITH(d->unschedulable.items[0].message, other, stays);
    WITH(d->unschedulable.items[0].pool_count, 0, stays);
    WITH(d->ignored.items[0].message, other, stays);
    WITH(l->label_count, 0, stays);
    WITH(d->nodes.count, 0, stays);
    karp_command commands[1] = {
        { .size = sizeof commands[0], .method = KARP_METHOD_DRIFT, .nodes = &other, .node_count = 1 }
    };
    d->commands.items = commands;
    d->commands.count = 1;
    changes("a command");
    karp_decision_hash(d, was);
    WITH(commands[0].method, KARP_METHOD_EMPTINESS, changes);
    WITH(commands[0].replaces, 1, changes);
    WITH(commands[0].node_count, 0, changes);
    WITH(commands[0].launch_first, 1, changes);
    WITH(commands[0].launch_count, 1, changes);
    WITH(commands[0].placement_first, 1, changes);
    WITH(commands[0].placement_count, 1, changes);
    WITH(commands[0].savings, 1, stays);
    d->commands.items = NULL;
    d->commands.count = 0;
    karp_decision_unref(d);
    deciding_free(&w);
}

/* Explained or not, decided again or elsewhere: equal decisions have equal hashes. */
static void test_equal_decisions(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        deciding w = decide_on(NULL, CASES "world.yaml", CASES "spread/zones.yaml", NULL);
        for (uint32_t explain = KARP_EXPLAIN_SUMMARY; explain <= KARP_EXPLAIN_FULL; explain++) {
            karp_options options;
            karp_options_init(&options, sizeof options);
            options.explain = explain;
            d = decide(&w, &options);
            if (i == 0 && explain == 0) karp_decision_hash(d, was);
            stays("the level of explanation");
            karp_decision_unref(d);
        }
        deciding_free(&w);
    }
}

static void test_digest_init(void **state)
{
    (void)state;
    karp_digest a = { .size = 1 };
    karp_digest_init(NULL, sizeof a);
    karp_digest_init(&a, sizeof a - 1);
    assert_int_equal(a.size, 1); /* too small a struct is left alone */
    karp_digest_init(&a, sizeof a);
    assert_int_equal(a.size, sizeof a);
    assert_int_equal(a.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_equal_decisions),
        cmocka_unit_test(test_digest_init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
