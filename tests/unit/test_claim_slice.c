/* SPDX-License-Identifier: Apache-2.0 */
/* The order of open claims, against a plain array that is sorted with Go's sort after every step. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <reference/go_sort.h>
#include <schedule/scheduler.h>
#include <support/fault.h>
#include <support/random.h>

enum { MOST = 400 };

struct entry {
    uint32_t claim, pods;
};

static int by_pods(const void *a, const void *b)
{
    uint32_t x = ((const struct entry *)a)->pods, y = ((const struct entry *)b)->pods;
    return (x > y) - (x < y);
}

static void check(const scheduler *s, const struct entry *plain, uint32_t count)
{
    uint32_t number = s->claims.slice.first, before = NO_ID;
    for (uint32_t i = 0; i < count; i++) {
        const claim *c = &s->claims.list.items[number];
        assert_int_equal(number, plain[i].claim);
        assert_int_equal(c->pods, plain[i].pods);
        assert_int_equal(c->before, before);
        if (i > 0 && plain[i].pods == plain[i - 1].pods) assert_true(c->stamp > s->claims.list.items[before].stamp);
        before = number;
        number = c->after;
    }
    assert_int_equal(number, NO_ID);
}

/* Claims receive pods at random places: often at the start, as when they are filled, and sometimes the same one again.
 */
static uint32_t choose(uint64_t *seed, uint32_t count)
{
    uint64_t kind = random_below(seed, 4);
    uint64_t most = kind == 0 ? 1 : kind == 1 ? count / 4 + 1 : count;
    return (uint32_t)random_below(seed, most);
}

static void run(scheduler *s, uint64_t seed)
{
    struct entry plain[MOST];
    uint32_t count = 0, most = 10 + (uint32_t)random_below(&seed, MOST - 10),
             opens = 2 + (uint32_t)random_below(&seed, 12);
    s->claims.list.count = 0;
    s->claims.front_stamp = s->claims.back_stamp = 0;
    slice_clear(s);
    for (int step = 0; step < 3000; step++) {
        if (count == 0 || (count < most && random_below(&seed, opens) == 0)) {
            claim *slot = list_push(s->context, &s->claims.list, sizeof *slot);
            assert_non_null(slot);
            *slot = (claim){ .pods = 1 };
            plain[count] = (struct entry){ count, 1 };
            count++;
            (void)slice_sort_opened(s, count - 1);
        } else {
            uint32_t place_of = choose(&seed, count), number = plain[place_of].claim;
            plain[place_of].pods++;
            s->claims.list.items[number].pods++;
            (void)slice_sort_grown(s, number);
        }
        assert_false(s->failed);
        ref_go_sort(plain, count, sizeof *plain, by_pods);
        check(s, plain, count);
    }
}

static void test_random(void **state)
{
    (void)state;
    static scheduler s;
    fault faults;
    memset(&faults, 0, sizeof faults);
    memset(&s, 0, sizeof s);
    s.context = fault_context(&faults);
    assert_non_null(s.context);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        arena_init(&s.round.data, s.context);
        run(&s, seed);
        arena_free(&s.round.data);
    }
    list_free(s.context, &s.claims.list, sizeof(claim));
    karp_context_unref(s.context);
    assert_int_equal(faults.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
