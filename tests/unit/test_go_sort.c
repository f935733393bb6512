/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go's sort, held against Go 1.26: tests/data/golden/go_sort.txt has keys and the permutation that sort.Slice gave. The
 * last lists are made so that each pivot is as bad as possible, which ends in a heap sort.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/go_sort.h>
#include <reference/go_sort.h>
#include <support/random.h>

enum { MOST = 1024, LINE_ROOM = 8192 };

/* The numbers of "[1 2 3]" at or behind *at, which is moved behind them. */
static size_t numbers(char **at, uint32_t *out)
{
    size_t count = 0;
    *at = strchr(*at, '[');
    assert_non_null(*at);
    ++*at;
    while (**at != ']') {
        assert_true(count < MOST);
        out[count++] = (uint32_t)strtoul(*at, at, 10);
    }
    return count;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a >> 32, y = *(const uint64_t *)b >> 32;
    return (x > y) - (x < y);
}

static void test_golden(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/golden/go_sort.txt", "r");
    char line[LINE_ROOM];
    uint32_t keys[MOST], wanted[MOST];
    uint64_t slots[MOST], plain[MOST];
    int lists = 0;
    assert_non_null(file);
    for (; fgets(line, sizeof line, file) != NULL; lists++) {
        char *at = line;
        size_t count = numbers(&at, keys);
        assert_int_equal(numbers(&at, wanted), count);
        for (size_t i = 0; i < count; i++) plain[i] = slots[i] = (uint64_t)keys[i] << 32 | i;
        go_sort(slots, count);
        ref_go_sort(plain, count, sizeof *plain, by_key);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal((uint32_t)slots[i], wanted[i]);
            assert_int_equal(plain[i], slots[i]);
        }
    }
    (void)fclose(file);
    assert_int_equal(lists, 111);
}

static void test_many(void **state)
{
    (void)state;
    uint64_t seed = 20261129, slots[MOST], plain[MOST];
    for (int turn = 0; turn < 2000; turn++) {
        size_t count = random_below(&seed, MOST);
        uint64_t keys = 1 + random_below(&seed, 30), kind = random_below(&seed, 4);
        for (size_t i = 0; i < count; i++) {
            uint64_t key = kind == 0   ? random_below(&seed, keys)
                           : kind == 1 ? i / keys
                           : kind == 2 ? (count - i) / keys
                                       : i % keys;
            plain[i] = slots[i] = key << 32 | i;
        }
        if (count > 0 && kind == 1) {
            plain[count / 2] += UINT64_C(1) << 32;
            slots[count / 2] = plain[count / 2];
        }
        go_sort(slots, count);
        ref_go_sort(plain, count, sizeof *plain, by_key);
        assert_memory_equal(slots, plain, count * sizeof *plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
