/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <base/sort.h>
#include <support/fault.h>
#include <support/random.h>

static fault faults;
static karp_context *context;

static int set_up(void **state)
{
    (void)state;
    memset(&faults, 0, sizeof faults);
    context = fault_context(&faults);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    karp_context_unref(context);
    return faults.live_blocks == 0 && faults.wrong_sizes == 0 ? 0 : -1;
}

/* The first byte is the key; `user` counts the calls. */
static int by_key(const void *a, const void *b, const void *user)
{
    assert_ptr_equal(user, &faults);
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* Elements of any size: key, then the position they started from in whatever bytes there are. */
static void check_elements(size_t count, size_t size, unsigned keys, uint64_t *seed)
{
    static unsigned char data[5000 * 24], before[5000 * 24];
    for (size_t i = 0; i < count; i++) {
        memset(data + i * size, 0, size);
        data[i * size] = (unsigned char)random_below(seed, keys);
        if (size >= 5) {
            uint32_t position = (uint32_t)i;
            memcpy(data + i * size + 1, &position, sizeof position);
        }
    }
    memcpy(before, data, count * size);
    assert_true(sort_stable(context, data, count, size, by_key, &faults));
    /* The one stable order: all elements of key 0 as they stood, then of key 1 … */
    size_t at = 0;
    for (unsigned key = 0; key < keys; key++) {
        for (size_t i = 0; i < count; i++) {
            if (before[i * size] != key) continue;
            assert_memory_equal(data + at * size, before + i * size, size);
            at++;
        }
    }
    assert_int_equal(at, count);
}

static void test_stable(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static const size_t sizes[] = { 1, 5, 8, 13, 24 };
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (size_t count = 0; count < 70; count++) check_elements(count, sizes[s], 1 + (unsigned)(count % 5), &seed);
        check_elements(5000, sizes[s], 200, &seed);
    }
    assert_true(sort_stable(context, NULL, 0, 8, by_key, &faults));
    assert_true(sort_stable(context, NULL, 9, 0, by_key, &faults)); /* nothing to tell apart */
}

static int compare_ids(uint32_t a, uint32_t b, const void *user)
{
    const uint32_t *keys = user;
    return (keys[a] > keys[b]) - (keys[a] < keys[b]);
}

static void test_ids(void **state)
{
    (void)state;
    static uint32_t ids[3000], keys[3000];
    uint64_t seed = 2;
    for (size_t count = 0; count <= 3000; count = count < 100 ? count + 1 : count + 1450) {
        for (uint32_t pattern = 0; pattern < 4; pattern++) {
            for (uint32_t i = 0; i < count; i++) {
                ids[i] = i;
                keys[i] = pattern == 0   ? (uint32_t)random_below(&seed, 10)
                          : pattern == 1 ? i
                          : pattern == 2 ? (uint32_t)count - i
                                         : (uint32_t)random_next(&seed);
            }
            assert_true(sort_ids(context, ids, count, compare_ids, keys));
            for (size_t i = 1; i < count; i++) {
                assert_true(keys[ids[i - 1]] <= keys[ids[i]]);
                if (keys[ids[i - 1]] == keys[ids[i]]) assert_true(ids[i - 1] < ids[i]);
            }
            static unsigned char seen[3000];
            memset(seen, 0, sizeof seen);
            for (size_t i = 0; i < count; i++) seen[ids[i]]++;
            for (size_t i = 0; i < count; i++) assert_int_equal(seen[i], 1);
        }
    }
}

/* Of 2^n elements in order, a merge sort that looks first needs fewer than 2 comparisons each. */
static size_t compared;

static int counting(uint32_t a, uint32_t b, const void *user)
{
    (void)user;
    compared++;
    return (a > b) - (a < b);
}

static void test_sorted_is_cheap(void **state)
{
    (void)state;
    static uint32_t ids[4096];
    for (uint32_t i = 0; i < 4096; i++) ids[i] = i;
    compared = 0;
    assert_true(sort_ids(context, ids, 4096, counting, NULL));
    assert_true(compared < 2 * 4096);
    assert_int_equal(ids[4095], 4095);
}

/* Texts with much in common: empty ones, zeros at the end, equal ones, and some longer than the words compared. */
typedef struct named {
    uint64_t number;
    char text[600];
    size_t length;
} named;
static named names[2000];

static uint64_t number_of(uint32_t id, const void *user) { return ((const named *)user)[id].number; }

static karp_str text_of(uint32_t id, const void *user)
{
    const named *n = (const named *)user + id;
    return (karp_str){ n->text, n->length };
}

static int compare_named(uint32_t a, uint32_t b, const void *user)
{
    const named *n = user;
    if (n[a].number != n[b].number) return n[a].number < n[b].number ? -1 : 1;
    return compare_str(text_of(a, user), text_of(b, user));
}

static void make_names(size_t count, uint64_t *seed)
{
    static const char letters[] = { 'a', 'b', '-', '\0', '\xff' };
    uint64_t numbers = 1 + random_below(seed, 3);
    uint64_t kinds = 1 + random_below(seed, sizeof letters);
    for (size_t i = 0; i < count; i++) {
        named *n = &names[i];
        n->number = random_below(seed, numbers) << 40;
        uint64_t other = random_below(seed, i + 1);
        if (other > 2) {
            memcpy(n->text, names[other - 1].text, sizeof n->text);
            n->length = random_below(seed, 30);
        } else {
            memset(n->text, 'x', sizeof n->text);
            uint64_t most = i % 10 ? 40 : sizeof n->text;
            n->length = random_below(seed, most);
        }
        for (size_t k = i % 5; k < n->length;) {
            n->text[k] = letters[random_below(seed, kinds)];
            k += 1 + random_below(seed, 9);
        }
    }
}

static void test_texts(void **state)
{
    (void)state;
    static uint32_t ids[2000], wanted[2000];
    uint64_t seed = 5;
    const text_order order = { number_of, text_of, names };
    for (size_t round = 0; round < 400; round++) {
        size_t count = round < 300 ? round % 60 : (size_t)random_below(&seed, 2001);
        make_names(count, &seed);
        for (uint32_t i = 0; i < count; i++) ids[i] = wanted[i] = i;
        assert_true(sort_ids(context, wanted, count, compare_named, names));
        assert_true(sort_ids_by_texts(context, ids, count, &order));
        assert_memory_equal(ids, wanted, count * sizeof *ids);
        assert_true(sort_ids_by_texts(context, ids, count, &order)); /* in order already */
        assert_memory_equal(ids, wanted, count * sizeof *ids);
    }
    make_names(2000, &seed);
    for (size_t nth = 1; nth <= 2; nth++) {
        for (uint32_t i = 0; i < 2000; i++) ids[i] = 1999 - i;
        fault_arm(&faults, nth, true);
        assert_false(sort_ids_by_texts(context, ids, 2000, &order));
    }
}

static void test_refused(void **state)
{
    (void)state;
    unsigned char bytes[2000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(255 - i % 251);
    fault_arm(&faults, 1, true);
    assert_false(sort_stable(context, bytes, sizeof bytes, 1, by_key, &faults));
    for (size_t i = 0; i < sizeof bytes; i++) assert_int_equal(bytes[i], 255 - i % 251);
    assert_true(sort_stable(context, bytes, 3, 1, by_key, &faults)); /* a few sort without memory */
    assert_true(bytes[0] <= bytes[1] && bytes[1] <= bytes[2]);

    uint32_t few[64], many[200], keys[200];
    for (uint32_t i = 0; i < 200; i++) {
        keys[i] = 200 - i;
        many[i] = i;
        if (i < 64) few[i] = i;
    }
    assert_true(sort_ids(context, few, 64, compare_ids, keys)); /* a few sort without memory */
    assert_int_equal(few[0], 63);
    assert_false(sort_ids(context, many, 200, compare_ids, keys));
    for (uint32_t i = 0; i < 200; i++) assert_int_equal(many[i], i);
    fault_arm(&faults, 0, false);
    assert_true(sort_ids(context, many, 200, compare_ids, keys));
    assert_int_equal(many[0], 199);
}

static int sign(int a) { return (a > 0) - (a < 0); }

static void test_text_order(void **state)
{
    (void)state;
    static const char *const rising[] = { "", "A", "a", "a0", "aa", "ab", "b", "\x7f", "\x80", "\xc3\xa4" };
    const int count = (int)(sizeof rising / sizeof rising[0]);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            assert_int_equal(sign(compare_str(str(rising[i]), str(rising[j]))), (i > j) - (i < j));
            assert_int_equal(equal_str(str(rising[i]), str(rising[j])), i == j);
        }
    }
    karp_str none = { NULL, 0 };
    assert_true(equal_str(none, str("")));
    assert_int_equal(compare_str(none, str("")), 0);
    assert_int_equal(str(NULL).len, 0);
    karp_str zeroes = { "\0a", 2 };
    assert_false(equal_str(zeroes, none));
    assert_true(compare_str(zeroes, str("a")) < 0);
}

/* Few different numbers, many, of the upper bytes alone: as a stable sort has them. */
static int by_their_number(uint32_t a, uint32_t b, const void *user)
{
    const uint64_t *numbers = user;
    return (numbers[a] > numbers[b]) - (numbers[a] < numbers[b]);
}

static void test_ids_by_numbers(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (size_t round = 0; round < 200; round++) {
        uint32_t ids[1000], expected[1000];
        uint64_t of[1000], numbers[1000];
        size_t count = (size_t)random_below(&seed, 1000);
        for (size_t i = 0; i < count; i++) {
            of[i] = random_width(&seed) << (round % 3 == 0 ? 40 : 0);
            if (round % 4 == 0) of[i] %= 3;
        }
        for (size_t i = 0; i < count; i++) ids[i] = expected[i] = (uint32_t)((i * 7) % count);
        if (count % 7 == 0) continue; /* these would not be all of them */
        for (size_t i = 0; i < count; i++) numbers[i] = of[ids[i]];
        assert_true(sort_ids(context, expected, count, by_their_number, of));
        assert_true(sort_ids_by_numbers(context, ids, numbers, count));
        for (size_t i = 0; i < count; i++) assert_int_equal(ids[i], expected[i]);
        for (size_t i = 0; i < count; i++) assert_true(numbers[i] == of[ids[i]]);
    }
    uint32_t two[2] = { 0, 1 };
    uint64_t numbers[2] = { 2, 1 };
    fault_arm(&faults, 1, true);
    assert_false(sort_ids_by_numbers(context, two, numbers, 2));
    assert_int_equal(two[0], 0);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_stable),          WITH_CONTEXT(test_ids),
        WITH_CONTEXT(test_sorted_is_cheap), WITH_CONTEXT(test_refused),
        WITH_CONTEXT(test_ids_by_numbers),  WITH_CONTEXT(test_texts),
        cmocka_unit_test(test_text_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
