/* SPDX-License-Identifier: Apache-2.0 */
/* Linear programs whose columns come one after the other: the answer is the optimum, which its own dual prices prove.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <optimise/linear.h>

enum { ROWS = 12, WORLDS = 200, BATCHES = 5, BATCH = 20, EXCHANGES = 5000 };
#define DEAR 100.0
#define NEAR 1e-6

static uint64_t random_state;

static uint64_t next(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

static karp_context *new_context(void)
{
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    return context;
}

/* Half of the rows ask for something, the others limit it. */
static void start(linear *l, arena *a, double *need)
{
    assert_true(linear_init(l, a, ROWS));
    for (uint32_t r = 0; r < ROWS; r++) {
        need[r] = r % 2 == 0 ? (double)next(10) : -1 - (double)next(5);
        if (need[r] >= 0) linear_start(l, r, need[r], DEAR);
        else linear_start_left_over(l, r, need[r]);
    }
}

static void add_columns(linear *l)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        assert_true(linear_column_add(l, 1 + (double)next(1000) / 100));
        for (uint32_t r = 0; r < ROWS; r++) {
            if (next(3) == 0) assert_true(linear_entry_add(l, r, (r % 2 == 0 ? 1 : -1) * (1 + (double)next(40) / 10)));
        }
    }
}

/* No column pays at the prices, no price is negative, and what the rows need costs as much at them as the basis does.
 */
static void check_optimum(const linear *l, const double *need)
{
    double sum = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        assert_true(l->y[r] >= -NEAR);
        assert_true(l->level[r] >= 0);
        sum += l->y[r] * need[r];
    }
    for (uint32_t i = 0; i < l->columns.count; i++) {
        const linear_column *c = &l->columns.items[i];
        double worth = 0;
        for (uint32_t j = 0; j < c->count; j++) {
            const linear_entry *e = &l->entries.items[c->first + j];
            worth += l->y[e->row] * e->amount;
        }
        assert_true(worth <= c->price + NEAR);
    }
    assert_true(fabs(sum - l->cost) <= NEAR * (1 + fabs(l->cost)));
}

static void test_optimum(void **state)
{
    (void)state;
    karp_context *context = new_context();
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        random_state = seed;
        double need[ROWS], cost = HUGE_VAL;
        linear l;
        arena a;
        arena_init(&a, context);
        start(&l, &a, need);
        for (uint32_t b = 0; b < BATCHES; b++) {
            add_columns(&l);
            assert_true(linear_solve(&l, EXCHANGES) && l.exchanges < EXCHANGES);
            check_optimum(&l, need);
            assert_true(l.cost <= cost + NEAR); /* more columns cost no more */
            cost = l.cost;
        }
        linear_free(&l);
        arena_free(&a);
    }
    karp_context_unref(context);
}

/* 3 pods, of which a node of 2 pods for $1 may be there once: one more is launched for at $0.80. Without the limit two
 * nodes would do. */
static void test_limit(void **state)
{
    (void)state;
    karp_context *context = new_context();
    linear l;
    arena a;
    arena_init(&a, context);
    assert_true(linear_init(&l, &a, 2));
    linear_start(&l, 0, 3, DEAR);
    linear_start_left_over(&l, 1, -1);
    assert_true(linear_column_add(&l, 1) && linear_entry_add(&l, 0, 2) && linear_entry_add(&l, 1, -1));
    assert_true(linear_column_add(&l, 0.8) && linear_entry_add(&l, 0, 1));
    assert_true(linear_solve(&l, EXCHANGES));
    assert_true(fabs(l.cost - 1.8) < NEAR && fabs(l.y[0] - 0.8) < NEAR && fabs(l.y[1] - 0.6) < NEAR);
    linear_free(&l);
    arena_free(&a);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_optimum), cmocka_unit_test(test_limit) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
