/* SPDX-License-Identifier: Apache-2.0 */
/* The order of karp_fit()'s runs against a plain list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <schedule/fit.h>
#include <support/fault.h>
#include <support/random.h>

enum { MOST = 300, DIMS = 3, SIZE = 12 };

typedef struct plain {
    uint32_t order[MOST]; /* runs, front to back */
    int64_t room[MOST][DIMS];
    uint32_t count;
} plain;

static uint32_t place_of(const plain *p, uint32_t run)
{
    uint32_t at = 0;
    while (p->order[at] != run) at++;
    return at;
}

static void insert(plain *p, uint32_t at, const int64_t *room)
{
    memmove(p->order + at + 1, p->order + at, (p->count - at) * sizeof *p->order);
    p->order[at] = p->count;
    memcpy(p->room[p->count], room, sizeof p->room[0]);
    p->count++;
}

static uint32_t find(const plain *p, uint32_t run, const int64_t *need)
{
    for (uint32_t at = run == NO_ID ? 0 : place_of(p, run) + 1; at < p->count; at++) {
        bool has = true;
        for (int d = 0; d < DIMS; d++) has = has && p->room[p->order[at]][d] >= need[d];
        if (has) return p->order[at];
    }
    return NO_ID;
}

static void compare(fit_order *o, const plain *p, uint64_t *seed)
{
    uint32_t run = NO_ID;
    for (uint32_t at = 0; at < p->count; at++) {
        run = order_next(o, run);
        assert_int_equal(run, p->order[at]);
        assert_memory_equal(order_space(o, run), p->room[run], sizeof p->room[0]);
    }
    assert_int_equal(order_next(o, run), NO_ID);
    for (int i = 0; i < 4; i++) {
        int64_t need[DIMS];
        for (int d = 0; d < DIMS; d++) need[d] = (int64_t)random_below(seed, SIZE);
        uint32_t from = p->count == 0 || random_below(seed, 3) == 0 ? NO_ID : (uint32_t)random_below(seed, p->count);
        assert_int_equal(order_find(o, from, need), find(p, from, need));
    }
}

static void change(fit_order *o, plain *p, uint64_t *seed)
{
    int64_t some[DIMS];
    uint32_t run = p->count > 0 ? (uint32_t)random_below(seed, p->count) : NO_ID;
    uint64_t what = random_below(seed, 10);
    for (int d = 0; d < DIMS; d++) some[d] = (int64_t)random_below(seed, SIZE);
    if (run == NO_ID || (what < 2 && p->count < MOST)) {
        assert_true(order_append(o, some));
        insert(p, p->count, some);
    } else if (what < 5 && p->count < MOST) {
        assert_true(order_split(o, run));
        insert(p, place_of(p, run) + 1, p->room[run]);
    } else if (what < 7) {
        for (int d = 0; d < DIMS; d++) some[d] = some[d] < p->room[run][d] ? some[d] : p->room[run][d];
        order_take(o, run, some, 1);
        for (int d = 0; d < DIMS; d++) p->room[run][d] -= some[d];
    } else if (what < 8) {
        order_restore(o, run, some);
        memcpy(p->room[run], some, sizeof some);
    } else {
        uint32_t at = place_of(p, p->count - 1);
        order_drop(o);
        p->count--;
        memmove(p->order + at, p->order + at + 1, (p->count - at) * sizeof *p->order);
    }
}

static void random_changes(void **state)
{
    (void)state;
    fault counted = { 0 };
    karp_context *context = fault_context(&counted);
    static plain p;
    uint64_t seed = 17;
    for (int round = 0; round < 20; round++) {
        fit_order o;
        order_init(&o, context, DIMS);
        p.count = 0;
        for (int i = 0; i < 600; i++) {
            change(&o, &p, &seed);
            compare(&o, &p, &seed);
        }
        order_free(&o);
    }
    karp_context_unref(context);
    assert_int_equal(counted.live_blocks, 0);
}

/* What is full is not looked at. */
static void few_are_seen(void **state)
{
    (void)state;
    fault counted = { 0 };
    karp_context *context = fault_context(&counted);
    fit_order o;
    const int64_t full[DIMS] = { 5, 0, 5 }, free_[DIMS] = { 5, 1, 5 };
    order_init(&o, context, DIMS);
    for (int i = 0; i < 10000; i++) assert_true(order_append(&o, i == 7000 ? free_ : full));
    assert_int_equal(order_find(&o, NO_ID, free_), 7000);
    assert_int_equal(order_find(&o, 7000, free_), NO_ID);
    assert_in_range(o.seen, 1, 100);
    order_free(&o);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes),
        cmocka_unit_test(few_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
