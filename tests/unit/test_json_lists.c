/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of strings that a document has several times. */
#include <io/write_json.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { KEPT = 20, KEPT_LISTS = 3 };

/* Three objects with lists; those of the first and the last are the same. */
static karp_text three_lists(karp_context *context, karp_str lists[2][KEPT], bool compact,
                             void write(json_out *, const karp_str *, size_t))
{
    write_buffer buffer;
    karp_text text = { 0 };
    json_out json;
    buffer_init(&buffer, context);
    json_init(&json, &buffer, compact);
    json_open_array(&json);
    for (size_t i = 0; i < KEPT_LISTS; i++) {
        json_open_object(&json);
        json_key(&json, i == 2 ? "longer name" : "names");
        write(&json, lists[i % 2], KEPT - i % 2);
        json_key(&json, "names");
        write(&json, lists[0], KEPT);
        json_key(&json, "names");
        write(&json, lists[0], KEPT - 1);
        json_key(&json, "after");
        json_flat_array(&json);
        for (size_t k = 0; k < KEPT; k++) json_str(&json, lists[1][k]);
        json_end(&json);
        json_end(&json);
    }
    json_close(&json);
    assert_int_equal(buffer_finish(&buffer, &text, NULL), KARP_OK);
    return text;
}

/* A list that is copied from where it was written before has the same text, with lines that end at the same places. */
static void test_lists_written_again(void **state)
{
    (void)state;
    karp_str lists[2][KEPT];
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (size_t k = 0; k < KEPT; k++) {
        lists[0][k] = str(k % 3 == 0 ? "m5.large" : k % 3 == 1 ? "c6id.metal" : "quote\"d\x7f\xc3\xa9");
        lists[1][k] = str(k % 2 == 0 ? "short" : "a-name-that-is-longer-than-eight\n");
    }
    for (int compact = 0; compact < 2; compact++) {
        karp_text plain = three_lists(context, lists, compact, json_strings),
                  kept = three_lists(context, lists, compact, json_kept_strings);
        assert_string_equal(kept.ptr, plain.ptr);
        karp_text_free(&kept);
        karp_text_free(&plain);
    }
    karp_context_unref(context);
}

enum { MANY_LISTS = (1 << JSON_COPY_BITS) + 44, FEW = 8 };

/* More lists than are remembered: of two with one place, each is written with its own text. */
static void test_more_lists_than_places(void **state)
{
    (void)state;
    static char names[MANY_LISTS][8];
    static karp_str lists[MANY_LISTS][FEW];
    karp_context *context = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (size_t i = 0; i < MANY_LISTS; i++) {
        snprintf(names[i], sizeof names[i], "n%03zu", i);
        for (size_t k = 0; k < FEW; k++) lists[i][k] = str(names[i]);
    }
    write_buffer kept, plain;
    json_out j, expected;
    buffer_init(&kept, context);
    buffer_init(&plain, context);
    json_init(&j, &kept, false);
    json_init(&expected, &plain, false);
    json_open_object(&j);
    json_open_object(&expected);
    for (size_t i = 0; i < 2 * MANY_LISTS; i++) {
        json_key(&j, "names");
        json_kept_strings(&j, lists[i / 2 * 7 % MANY_LISTS], FEW);
        json_member_strings(&expected, "names", lists[i / 2 * 7 % MANY_LISTS], FEW);
    }
    json_close(&j);
    json_close(&expected);
    assert_string_equal(kept.text.ptr, plain.text.ptr);
    buffer_free(&kept);
    buffer_free(&plain);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_written_again),
        cmocka_unit_test(test_more_lists_than_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
