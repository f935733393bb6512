/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <base/bits.h>
#include <base/hash.h>
#include <support/counted.h>
#include <support/random.h>

/* ---- the hash ---------------------------------------------------------------------------------------------------- */

/* Every length takes another path through the function; every bit of the text and of the seed must reach the result,
 * and about half of the result's bits. */
static void test_every_bit_counts(void **state)
{
    (void)state;
    unsigned char text[80];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (unsigned char)(i * 37);
    uint64_t seed = 42;
    for (size_t len = 0; len <= 70; len++) {
        uint64_t h = hash_bytes(text + 1, len, seed);
        assert_true(hash_bytes(text + 1, len, seed) == h);
        assert_true(hash_bytes(text + 1, len + 1, seed) != h);
        assert_true(hash_bytes(text + 1, len, seed + 1) != h);
        unsigned changed = 0;
        for (size_t bit = 0; bit < len * 8; bit++) {
            text[1 + bit / 8] ^= (unsigned char)(1u << bit % 8);
            uint64_t other = hash_bytes(text + 1, len, seed);
            text[1 + bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_true((uint32_t)other != (uint32_t)h);
            changed += (unsigned)__builtin_popcountll(other ^ h);
        }
        if (len > 0) assert_in_range(changed / (len * 8), 26, 38);
    }
}

/* Names as clusters have them spread over the low bits, which is what tables use. */
static void test_spread(void **state)
{
    (void)state;
    static unsigned buckets[4096];
    memset(buckets, 0, sizeof buckets);
    for (int i = 0; i < 40960; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "default/web-%d", i);
        buckets[hash_bytes(name, (size_t)len, 7) & 4095]++;
    }
    for (int i = 0; i < 4096; i++) assert_true(buckets[i] < 40);
    memset(buckets, 0, sizeof buckets);
    for (uint32_t i = 0; i < 40960; i++) buckets[hash_mix(pair_key(i / 100, i % 100)) & 4095]++;
    for (int i = 0; i < 4096; i++) assert_true(buckets[i] < 40);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static size_t name_of(uint32_t i, char text[32]) { return (size_t)snprintf(text, 32, "label-%u", i * 7919); }

static void test_strings(void **state)
{
    fixture *f = *state;
    strings s;
    strings_init(&s, f->context);
    assert_int_equal(strings_find(&s, "a", 1), NO_ID);
    char text[32];
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 20000; i++) {
            size_t len = name_of(i, text);
            assert_int_equal(strings_add(&s, text, len), i);
        }
    }
    assert_int_equal(s.count, 20000);
    for (uint32_t i = 0; i < 20000; i++) {
        size_t len = name_of(i, text);
        assert_int_equal(strings_find(&s, text, len), i);
        karp_str kept = strings_get(&s, i);
        assert_int_equal(kept.len, len);
        assert_string_equal(kept.ptr, text);
    }
    assert_int_equal(strings_find(&s, "label-", 6), NO_ID);

    /* Empty text, and text with zero bytes, are text like any other. */
    assert_int_equal(strings_find(&s, NULL, 0), NO_ID);
    uint32_t empty = strings_add(&s, NULL, 0);
    assert_int_equal(empty, 20000);
    assert_int_equal(strings_add(&s, "", 0), empty);
    assert_string_equal(strings_get(&s, empty).ptr, "");
    uint32_t zeroes = strings_add(&s, "\0\0", 2);
    assert_int_not_equal(zeroes, empty);
    assert_int_not_equal(strings_add(&s, "\0", 1), zeroes);
    assert_int_equal(strings_find(&s, "\0\0", 2), zeroes);
    strings_free(&s);
    assert_int_equal(strings_add(&s, "again", 5), 0);
    strings_free(&s);
}

/* Texts and lists whose hashes are the same, all 32 bits of them, under this seed: bytes decide. */
static void test_equal_hashes(void **state)
{
    (void)state;
    karp_context_options options;
    karp_context *context;
    karp_context_options_init(&options, sizeof options);
    options.hash_seed = 1;
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    strings s;
    words w;
    strings_init(&s, context);
    words_init(&w, context);
    assert_int_equal(strings_add(&s, "name-010876", 11), 0);
    assert_int_equal(strings_find(&s, "name-031507", 11), NO_ID);
    assert_int_equal(strings_add(&s, "name-031507", 11), 1);
    assert_int_equal(strings_add(&s, "name-010876", 11), 0);
    const uint32_t one[2] = { 7, 76605 }, other[2] = { 7, 227577 };
    assert_int_equal(words_add(&w, one, 2), 0);
    assert_int_equal(words_find(&w, other, 2), NO_ID);
    assert_int_equal(words_add(&w, other, 2), 1);
    assert_int_equal(words_add(&w, one, 2), 0);
    strings_free(&s);
    words_free(&w);
    karp_context_unref(context);
}

/* Continued from nothing, a table begins; what was never begun may be freed. */
static void test_nothing_there(void **state)
{
    fixture *f = *state;
    strings from, to, none = { .context = NULL };
    words words_from, words_to, no_words = { .context = NULL };
    map64 m, no_map = { .context = NULL };
    strings_init(&from, f->context);
    strings_init(&to, f->context);
    assert_true(strings_continue(&to, &from));
    assert_int_equal(strings_add(&to, "", 0), 0);
    assert_int_equal(strings_add(&to, "", 0), 0);
    assert_int_equal(to.count, 1);
    words_init(&words_from, f->context);
    words_init(&words_to, f->context);
    assert_true(words_continue(&words_to, &words_from));
    assert_int_equal(words_add(&words_to, NULL, 0), 0);
    map64_init(&m, f->context);
    assert_int_equal(map64_get(&m, 1), NO_ID);
    map64_clear(&m);
    strings_free(&none);
    words_free(&no_words);
    map64_free(&no_map);
    strings_free(&from);
    strings_free(&to);
    words_free(&words_from);
    words_free(&words_to);
    map64_free(&m);
}

/* A settled table and those that continue it have their arrays in common until one of them gets something more; the
 * first stays what it was. When settling was refused they have their own. */
static void test_continued(void **state)
{
    fixture *f = *state;
    words from, to;
    for (size_t refused = 0; refused < 3; refused++) {
        words_init(&from, f->context);
        for (uint32_t i = 0; i < 20; i++) assert_int_equal(words_add(&from, &i, 1), i);
        fault_arm(&f->fault, refused, false);
        assert_int_equal(words_settle(&from), refused == 0);
        fault_arm(&f->fault, 0, false);
        words_init(&to, f->context);
        assert_true(words_continue(&to, &from));
        assert_int_equal(to.entries == from.entries, refused == 0);
        assert_int_equal(to.slots == from.slots, refused == 0);
        for (uint32_t i = 0; i < 20; i++) assert_int_equal(words_add(&to, &i, 1), i); /* which it has */
        assert_int_equal(to.entries == from.entries, refused == 0);
        for (uint32_t i = 20; i < 40; i++) assert_int_equal(words_add(&to, &i, 1), i);
        assert_true(to.entries != from.entries && to.slots != from.slots);
        for (uint32_t i = 0; i < 40; i++) assert_int_equal(words_find(&from, &i, 1), i < 20 ? i : NO_ID);
        assert_int_equal(words_add(&from, (const uint32_t[]){ 77 }, 1), 20); /* be it settled, or half */
        for (uint32_t i = 0; i < 20; i++) assert_int_equal(words_find(&from, &i, 1), i);
        for (uint32_t i = 0; i < 40; i++) assert_int_equal(words_find(&to, &i, 1), i);
        words_free(&to);
        words_free(&from);
    }
}

/* What nobody else holds any more is written to where it is. */
static void test_alone_again(void **state)
{
    fixture *f = *state;
    words from, to;
    words_init(&from, f->context);
    for (uint32_t i = 0; i < 20; i++) assert_int_equal(words_add(&from, &i, 1), i);
    assert_true(words_settle(&from));
    words_init(&to, f->context);
    assert_true(words_continue(&to, &from));
    const struct words_entry *entries = to.entries;
    fault_arm(&f->fault, 1, true);
    assert_int_equal(words_add(&to, (const uint32_t[]){ 77 }, 1), NO_ID); /* no memory for arrays of its own */
    fault_arm(&f->fault, 0, false);
    arena kept = from.data; /* what is in the table stays; the table goes */
    arena_init(&from.data, f->context);
    words_free(&from);
    assert_int_equal(words_add(&to, (const uint32_t[]){ 77 }, 1), 20);
    assert_ptr_equal(to.entries, entries);
    words_free(&to);
    arena_free(&kept);
}

#if SIZE_MAX > UINT32_MAX
/* Lengths have 32 bits. What is longer is refused before it is read. */
static void test_too_long(void **state)
{
    fixture *f = *state;
    const size_t too_long = (size_t)UINT32_MAX + 1;
    strings s;
    words w;
    const uint32_t word = 1;
    strings_init(&s, f->context);
    words_init(&w, f->context);
    assert_int_equal(strings_add(&s, "x", too_long), NO_ID);
    assert_int_equal(words_add(&w, &word, too_long), NO_ID);
    assert_int_equal(s.count + w.count, 0);
    assert_int_equal(strings_add(&s, "x", 1), 0);
    assert_int_equal(words_add(&w, &word, 1), 0);
    assert_int_equal(strings_find(&s, "x", too_long), NO_ID);
    assert_int_equal(words_find(&w, &word, too_long), NO_ID);
    strings_free(&s);
    words_free(&w);
}
#endif

/* ---- floods ------------------------------------------------------------------------------------------------------ */

enum { FLOOD = 500, SAME_BITS = 4095 };

/* How far texts stand from where their hashes point, all together. */
static size_t displaced(const strings *s)
{
    size_t sum = 0;
    for (size_t i = 0; i < s->slot_count; i++) {
        if (s->slots[i] != 0)
            sum += (i - s->entries[(s->slots[i] & (s->slot_count - 1)) - 1].hash) & (s->slot_count - 1);
    }
    return sum;
}

/* FLOOD numbers; as texts they fall into one place of a table with that seed. */
static void work_out(uint64_t seed, uint32_t numbers[FLOOD])
{
    char text[24];
    for (uint32_t i = 0, n = 0; n < FLOOD; i++) {
        int length = snprintf(text, sizeof text, "pod-%u", i);
        if ((hash_bytes(text, (size_t)length, seed) & SAME_BITS) == 77) numbers[n++] = i;
    }
}

/* Texts that were worked out to collide under one context's seed do so there, and are like any others in another
 * context. */
static void test_floods(void **state)
{
    (void)state;
    uint32_t numbers[FLOOD];
    for (uint64_t seed = 1; seed <= 3; seed++) {
        karp_context_options options;
        karp_context *context;
        karp_context_options_init(&options, sizeof options);
        options.hash_seed = seed;
        assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
        strings s;
        strings_init(&s, context);
        if (seed == 1) work_out(s.seed, numbers);
        for (size_t i = 0; i < FLOOD; i++) {
            char text[24];
            int length = snprintf(text, sizeof text, "pod-%u", numbers[i]);
            assert_int_equal(strings_add(&s, text, (size_t)length), i);
        }
        if (seed == 1) assert_int_equal(displaced(&s), FLOOD * (FLOOD - 1) / 2);
        else assert_true(displaced(&s) < 2 * FLOOD);
        strings_free(&s);
        karp_context_unref(context);
    }
}

/* Pairs of numbers likewise. */
static void test_floods_of_pairs(void **state)
{
    (void)state;
    uint64_t keys[FLOOD];
    for (uint64_t seed = 1; seed <= 3; seed++) {
        karp_context_options options;
        karp_context *context;
        karp_context_options_init(&options, sizeof options);
        options.hash_seed = seed;
        assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
        map64 m;
        map64_init(&m, context);
        for (uint64_t key = 0, n = 0; seed == 1 && n < FLOOD; key++) {
            if ((hash_mix(key ^ m.seed) & SAME_BITS) == 77) keys[n++] = key;
        }
        size_t sum = 0;
        for (uint32_t i = 0; i < FLOOD; i++) assert_true(map64_put(&m, keys[i], i));
        for (size_t i = 0; i < m.slot_count; i++) {
            if (m.slots[i].used) sum += (i - (size_t)hash_mix(m.slots[i].key ^ m.seed)) & (m.slot_count - 1);
        }
        if (seed == 1) assert_int_equal(sum, FLOOD * (FLOOD - 1) / 2);
        else assert_true(sum < 2 * FLOOD);
        map64_free(&m);
        karp_context_unref(context);
    }
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static size_t array_of(uint32_t i, uint32_t data[4])
{
    data[0] = i / 4;
    data[1] = 0;
    data[2] = i % 4;
    data[3] = 5;
    return i % 4 == 0 ? 1 : i % 4 == 1 ? 2 : i % 4 == 2 ? 3 : 4;
}

static void test_words(void **state)
{
    fixture *f = *state;
    words w;
    words_init(&w, f->context);
    uint32_t data[4] = { 0, 0, 0, 0 };
    assert_int_equal(words_find(&w, data, 1), NO_ID);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 8000; i++) {
            size_t count = array_of(i, data);
            assert_int_equal(words_add(&w, data, count), i);
        }
    }
    for (uint32_t i = 0; i < 8000; i++) {
        size_t count = array_of(i, data);
        assert_int_equal(words_find(&w, data, count), i);
        assert_int_equal(w.entries[i].count, count);
        assert_memory_equal(w.entries[i].ptr, data, count * sizeof data[0]);
    }
    assert_int_equal(words_find(&w, NULL, 0), NO_ID);
    uint32_t empty = words_add(&w, NULL, 0);
    assert_int_equal(empty, 8000);
    assert_int_equal(words_find(&w, data, 0), empty);
    words_free(&w);
    assert_int_equal(words_add(&w, data, 2), 0);
    words_free(&w);
}

/* ---- 64-bit keys ------------------------------------------------------------------------------------------------- */

static void test_map(void **state)
{
    fixture *f = *state;
    map64 m;
    map64_init(&m, f->context);
    assert_int_equal(map64_get(&m, 0), NO_ID);
    uint64_t seed = 3;
    static uint64_t keys[20000];
    for (uint32_t i = 0; i < 20000; i++) {
        keys[i] = i < 3 ? (uint64_t)i - 1 : random_width(&seed) << 20 | i; /* all ones, zero, one, and any */
        assert_true(map64_put(&m, keys[i], i));
    }
    assert_int_equal(m.count, 20000);
    for (uint32_t i = 0; i < 20000; i++) {
        assert_int_equal(map64_get(&m, keys[i]), i);
        assert_true(map64_put(&m, keys[i], i + 1));
    }
    assert_int_equal(m.count, 20000);
    for (uint32_t i = 0; i < 20000; i++) assert_int_equal(map64_get(&m, keys[i]), i + 1);
    assert_int_equal(map64_get(&m, UINT64_C(1) << 63), NO_ID);
    size_t slots = m.slot_count;
    map64_clear(&m);
    assert_int_equal(m.slot_count, slots);
    assert_int_equal(map64_get(&m, keys[5]), NO_ID);
    assert_true(map64_put(&m, keys[5], 1));
    assert_int_equal(m.count, 1);
    map64_free(&m);
    map64_clear(&m);
    assert_int_equal(map64_get(&m, keys[5]), NO_ID);
    map64_free(&m);
}

/* ---- refused memory ---------------------------------------------------------------------------------------------- */

/* Runs `work` with the first request refused, then the second and so on until all are granted; once with only that one
 * refused and once with all after it. `work` returns how many of its steps were refused. */
static void for_each_refusal(fixture *f, size_t (*work)(fixture *f))
{
    for (int keep = 0; keep < 2; keep++) {
        size_t at = 1;
        for (;; at++) {
            size_t blocks = f->fault.live_blocks;
            fault_arm(&f->fault, at, keep != 0);
            size_t refused = work(f);
            assert_int_equal(f->fault.live_blocks, blocks);
            if (f->fault.refused == 0) break;
            assert_true(refused > 0);
        }
        assert_true(at > 10);
    }
    fault_arm(&f->fault, 0, false);
}

/* A refused addition changes nothing, and the next one starts as if it had not been. */
static size_t add_strings(fixture *f)
{
    strings s;
    strings_init(&s, f->context);
    size_t refused = 0;
    char text[32];
    for (uint32_t i = 0; i < 600; i++) {
        size_t len = name_of(i, text), count = s.count;
        uint32_t id = strings_add(&s, text, len);
        if (id == NO_ID) {
            refused++;
            assert_int_equal(s.count, count);
            assert_int_equal(strings_find(&s, text, len), NO_ID);
        } else {
            assert_int_equal(id, count);
            assert_int_equal(strings_find(&s, text, len), id);
        }
    }
    for (uint32_t id = 0; id < s.count; id++) {
        karp_str kept = strings_get(&s, id);
        assert_int_equal(strings_find(&s, kept.ptr, kept.len), id);
    }
    strings_free(&s);
    return refused;
}

static size_t add_words(fixture *f)
{
    words w;
    words_init(&w, f->context);
    size_t refused = 0;
    uint32_t data[4];
    for (uint32_t i = 0; i < 600; i++) {
        size_t len = array_of(i, data), count = w.count;
        uint32_t id = words_add(&w, data, len);
        if (id == NO_ID) {
            refused++;
            assert_int_equal(w.count, count);
            assert_int_equal(words_find(&w, data, len), NO_ID);
        } else {
            assert_int_equal(id, count);
        }
    }
    for (uint32_t id = 0; id < w.count; id++) {
        assert_int_equal(words_find(&w, w.entries[id].ptr, w.entries[id].count), id);
    }
    words_free(&w);
    return refused;
}

static size_t put_keys(fixture *f)
{
    map64 m;
    map64_init(&m, f->context);
    size_t refused = 0;
    for (uint32_t i = 0; i < 9000; i++) {
        size_t count = m.count;
        if (map64_put(&m, i, i + 1)) {
            assert_int_equal(map64_get(&m, i), i + 1);
        } else {
            refused++;
            assert_int_equal(m.count, count);
            assert_int_equal(map64_get(&m, i), NO_ID);
        }
    }
    map64_free(&m);
    return refused;
}

static void test_refusals(void **state)
{
    for_each_refusal(*state, add_strings);
    for_each_refusal(*state, add_words);
    for_each_refusal(*state, put_keys);
}

/* ---- bitsets ----------------------------------------------------------------------------------------------------- */

static void test_bits(void **state)
{
    (void)state;
    static const size_t widths[] = { 0, 1, 2, 63, 64, 65, 127, 128, 129, 500 };
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        size_t width = widths[w], words_of = bits_words(width);
        uint64_t a[8], b[8];
        assert_int_equal(words_of, (width + 63) / 64);
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        bits_fill(a, width);
        assert_int_equal(bits_count(a, 8), width);
        assert_int_equal(bits_any(a, words_of), width > 0);
        assert_int_equal(bits_next(a, width, width), width);
        for (size_t i = 0; i < width; i++) {
            assert_true(bits_test(a, i));
            assert_int_equal(bits_next(a, width, i), i);
            if (i % 3 == 0) bits_set(b, i);
        }
        for (size_t i = 0, seen = 0; i <= width; i++) {
            if (i == width) assert_int_equal(bits_count(b, words_of), seen);
            else if (bits_test(b, i)) seen++;
            size_t expected = (i + 2) / 3 * 3;
            assert_int_equal(bits_next(b, width, i), expected < width ? expected : width);
        }
        assert_int_equal(bits_equal(a, b, words_of), width <= 1);
        bits_and_not(a, b, words_of);
        for (size_t i = 0; i < width; i++) assert_int_equal(bits_test(a, i), i % 3 != 0);
        bits_or(a, b, words_of);
        assert_int_equal(bits_count(a, words_of), width);
        bits_and(a, b, words_of);
        assert_true(bits_equal(a, b, words_of));
        for (size_t i = 0; i < width; i += 3) bits_clear(a, i);
        assert_false(bits_any(a, words_of));
        assert_int_equal(bits_next(a, width, 0), width);
    }
    for (size_t bit = 0; bit < 192; bit++) {
        uint64_t one[3] = { 0, 0, 0 }, other[3] = { 0, 0, 0 };
        bits_set(one, bit);
        assert_true(bits_any(one, 3));
        assert_false(bits_equal(one, other, 3));
        assert_int_equal(bits_count(one, 3), 1);
        assert_int_equal(bits_next(one, 192, 0), bit);
        bits_or(other, one, 3);
        assert_true(bits_equal(one, other, 3));
        bits_and_not(other, one, 3);
        assert_false(bits_any(other, 3));
        bits_and(one, other, 3);
        assert_false(bits_any(one, 3));
    }
    uint64_t dirty = UINT64_MAX;
    bits_fill(&dirty, 3);
    assert_int_equal(dirty, 7);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit_counts),
        cmocka_unit_test(test_spread),
        WITH_CONTEXT(test_strings),
        WITH_CONTEXT(test_words),
        WITH_CONTEXT(test_map),
        WITH_CONTEXT(test_refusals),
        cmocka_unit_test(test_equal_hashes),
        WITH_CONTEXT(test_nothing_there),
        WITH_CONTEXT(test_continued),
        WITH_CONTEXT(test_alone_again),
#if SIZE_MAX > UINT32_MAX
        WITH_CONTEXT(test_too_long),
#endif
        cmocka_unit_test(test_floods),
        cmocka_unit_test(test_floods_of_pairs),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
