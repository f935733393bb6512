/* SPDX-License-Identifier: Apache-2.0 */
/* What a snapshot keeps of its pools' types is what a scheduler finds without it, whatever the pools ask for. */
#include "deciding.h"

#include <base/bits.h>
#include <model/snapshot.h>
#include <schedule/scheduler.h>
#include <schedule/solve.h>

#include <karp/builder.h>

#define ASKS(what) ", requirements: [" what "]"
#define IN(key, values) "{key: " key ", operator: In, values: [" values "]}"
#define ZONE "topology.kubernetes.io/zone"
#define CAPACITY "karpenter.sh/capacity-type"

static scheduler *scheduler_of(const karp_snapshot *snapshot)
{
    static const karp_options options = { .size = sizeof options };
    const run_options how = { .options = &options };
    scheduler *s = NULL;
    assert_int_equal(scheduler_new(snapshot, &how, &s, NULL), KARP_OK);
    return s;
}

static void compare_template(const karp_snapshot *with, scheduler *s, uint32_t number)
{
    const template_ *t = &s->templates.items[number];
    const struct pool_template *kept = &with->pool_templates[t->pool];
    const uint64_t *variants = types_mask(s, t->table_number, t->set);
    uint64_t offered[64] = { 0 };
    assert_true(bits_words(t->table->offering_count) <= 64);
    assert_true(types_offered(s, t->table_number, t->set, offered));
    assert_int_equal(kept->table, t->table_number);
    assert_int_equal(kept->required.set, t->set);
    assert_memory_equal(kept->variants, variants, bits_words(t->table->variant_count) * sizeof *variants);
    assert_memory_equal(kept->offered, offered, bits_words(t->table->offering_count) * sizeof *offered);
}

static void compare(const deciding *d)
{
    karp_snapshot borrowed;
    assert_non_null(d->snapshot->pool_templates);
    snapshot_borrow(&borrowed, d->snapshot);
    assert_null(borrowed.pool_templates); /* its pools may be others */
    scheduler *s = scheduler_of(&borrowed), *with = scheduler_of(d->snapshot);
    assert_true(s->templates.count >= 5);
    assert_int_equal(with->templates.count, s->templates.count);
    for (uint32_t i = 0; i < s->templates.count; i++) {
        compare_template(d->snapshot, s, i);
        assert_int_equal(with->templates.items[i].set, s->templates.items[i].set);
        assert_int_equal(with->templates.items[i].host_possible, s->templates.items[i].host_possible);
    }
    scheduler_free(s);
    scheduler_free(with);
}

static void test_pools(void **state)
{
    (void)state;
    deciding d = decide_on(NULL,
                           POOL("any", "") POOL("zone", ASKS(IN(ZONE, "z1")))
                               POOL("zones", ASKS("{key: " ZONE ", operator: NotIn, values: [z1]}"))
                                   POOL("spot", ASKS(IN(CAPACITY, "spot")))
                                       POOL("both", ASKS(IN(CAPACITY, "spot, on-demand") ", " IN(ZONE, "z2, z3")))
                                           POOL("host", ASKS(IN("kubernetes.io/hostname", "h")))
                                               POOL("none", ASKS("{key: " ZONE ", operator: DoesNotExist}"))
                                                   POOL("own", ASKS("{key: team, operator: Exists}"))
                                                       POOL("arch", ASKS(IN("kubernetes.io/arch", "arm64"))),
                           NULL);
    compare(&d);
    deciding_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
