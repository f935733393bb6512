/* SPDX-License-Identifier: Apache-2.0 */
/* What can still be added to a partial content: the bound of the search and that of the check of proofs are never below
 * the best completion, and are it where both resources are counted exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <optimise/certificate.h>
#include <optimise/completions.h>

enum { ITEMS = 5, FIELDS = 3, BITS = 12 };

/* Classes with two or three resources, the first of which has few units. */
typedef struct world {
    uint32_t fields, items[ITEMS];
    uint64_t full[FIELDS], requests[ITEMS][FIELDS], load[ITEMS];
    int64_t rates[FIELDS], worth[ITEMS], most[ITEMS];
} world;

static uint64_t random_state;

static uint64_t next(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

static uint64_t load_of(const uint64_t *units)
{
    return units[0] | units[1] << (BITS + 1) | units[2] << 2 * (BITS + 1);
}

static void make(world *w, uint64_t seed, uint32_t fields, uint64_t large)
{
    random_state = seed;
    *w = (world){ .fields = fields, .full = { 1 + next(4), large / 2 + next(large / 2), large / 2 + next(large / 2) } };
    for (uint32_t f = 1; f < fields; f++) w->rates[f] = (int64_t)next(4);
    for (uint32_t i = 0; i < ITEMS; i++) {
        w->items[i] = ITEMS - 1 - i;
        for (uint32_t f = 0; f < fields; f++) w->requests[i][f] = f == 0 ? next(2) : next(w->full[f] / 2 + 2);
        w->load[i] = load_of(w->requests[i]);
        w->worth[i] = (int64_t)next(1000);
        w->most[i] = (int64_t)next(4);
    }
}

/* The most that copies of the items from this one on are worth in what is left. */
static int64_t best(const world *w, uint32_t from, const uint64_t *left)
{
    if (from == ITEMS) return 0;
    uint32_t c = w->items[from];
    int64_t most = 0;
    for (uint64_t n = 0; n <= (uint64_t)w->most[c]; n++) {
        uint64_t rest[FIELDS] = { 0 };
        bool fits = true;
        for (uint32_t f = 0; f < w->fields; f++) {
            fits = fits && w->requests[c][f] * n <= left[f];
            if (fits) rest[f] = left[f] - w->requests[c][f] * n;
        }
        int64_t worth = fits ? w->worth[c] * (int64_t)n + best(w, from + 1, rest) : 0;
        if (worth > most) most = worth;
    }
    return most;
}

typedef struct both {
    completions search;
    rest_tables check;
    load_form form;
} both;

static void prepare(const world *w, arena *a, both *b)
{
    rest_form form = { .count = w->fields };
    double worth[ITEMS];
    b->form.count = w->fields;
    for (uint32_t f = 0; f < w->fields; f++) {
        b->form.at[f] = form.at[f] = f * (BITS + 1);
        b->form.bits[f] = form.bits[f] = BITS;
        b->form.full[f] = form.full[f] = w->full[f];
        b->form.rates[f] = (double)w->rates[f];
        form.rates[f] = w->rates[f];
    }
    for (uint32_t i = 0; i < ITEMS; i++) worth[i] = (double)w->worth[i];
    const completion_classes classes = { w->items, ITEMS, w->load, worth, w->most };
    const rest_classes same = { w->items, ITEMS, w->load, w->worth, w->most };
    assert_true(completions_init(&b->search, a, ITEMS));
    completions_make(&b->search, &b->form, &classes, 2048);
    assert_true(rest_make(a, &b->check, &form, &same));
}

/* Compares both bounds with the best completions of random loads; returns how often they are the same. */
static uint32_t compare(const world *w, const both *b)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < 20; i++) {
        uint64_t used[FIELDS] = { 0 }, left[FIELDS] = { 0 };
        uint32_t from = (uint32_t)next(ITEMS + 1);
        for (uint32_t f = 0; f < w->fields; f++) used[f] = next(w->full[f] + 1), left[f] = w->full[f] - used[f];
        int64_t most = best(w, from, left), by_check = rest_worth(&b->check, from, load_of(used));
        double by_search = completions_worth(&b->search, from, load_of(used));
        assert_true(by_check >= most);
        assert_true(by_search >= (double)most - 1e-6);
        same += by_check == most && by_search <= (double)most + 1e-6;
    }
    return same;
}

static void never_below_the_best(void **state)
{
    (void)state;
    karp_context *context = NULL;
    uint32_t known = 0, same = 0, worlds = 300;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (uint64_t seed = 1; seed <= worlds; seed++) {
        world w;
        both b = { .form = { .count = 0 } };
        arena a;
        arena_init(&a, context);
        make(&w, seed, seed % 3 == 0 ? 2 : 3, seed % 2 == 0 ? 100 : 4000);
        prepare(&w, &a, &b);
        if (b.search.table_count > 0) {
            known++;
            assert_int_equal(b.check.table_count, b.search.table_count);
            uint32_t exact = compare(&w, &b);
            if (w.fields == 2 && w.full[1] < 100) assert_int_equal(exact, 20);
            same += exact;
        }
        arena_free(&a);
    }
    assert_true(known > worlds / 2);
    assert_true(same > known * 4 && same < known * 20);
    karp_context_unref(context);
}

/* Sums that could overflow give no bound by tables in the check. */
static void worth_beyond_numbers(void **state)
{
    (void)state;
    karp_context *context = NULL;
    world w;
    both b = { .form = { .count = 0 } };
    arena a;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    arena_init(&a, context);
    make(&w, 1, 2, 100);
    w.rates[1] = 1;
    w.worth[0] = INT64_MAX / 2, w.most[0] = 3;
    prepare(&w, &a, &b);
    assert_int_equal(b.check.table_count, 0);
    assert_true(rest_worth(&b.check, 0, 0) == INT64_MAX);
    arena_free(&a);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_below_the_best),
        cmocka_unit_test(worth_beyond_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
