/* SPDX-License-Identifier: Apache-2.0 */
/* Tables through Arrow's C interfaces: what consumers may do with the structs, in any order, and nothing is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <base/columns.h>
#include <base/sort.h>
#include <support/fault.h>

enum { ID, COUNT, PRICE, WORD, WORDS, COLUMNS };

static fault counted;
static karp_context *context;

static int set_up(void **state)
{
    (void)state;
    memset(&counted, 0, sizeof counted);
    context = fault_context(&counted);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    karp_context_unref(context);
    return counted.live_blocks == 0 && counted.live_bytes == 0 && counted.wrong_sizes == 0 ? 0 : -1;
}

/* Two rows of every kind of column. */
static karp_table *make_table(size_t rows)
{
    karp_table *t = table_new(context), *out = NULL;
    column *id = table_text(t, "id"), *count = table_uint32(t, "count"), *price = table_double(t, "price"),
           *word = table_words(t, "word");
    column *lists = table_list_words(t, "words");
    const karp_str both[] = { str("a"), str("b") };
    for (size_t i = 0; i < rows; i++) {
        column_text(id, str(i == 0 ? "first" : "2nd"));
        column_uint32(count, (uint32_t)i + 7);
        column_double(price, (double)i / 4);
        column_text(word, str("b"));
        column_texts(lists, both, i + 1);
    }
    assert_int_equal(table_finish(t, &out, NULL), KARP_OK);
    return out;
}

static void check_text(const struct ArrowArray *a, size_t row, const char *expected)
{
    const int32_t *offsets = a->buffers[1];
    const char *bytes = a->buffers[2];
    assert_int_equal(a->n_buffers, 3);
    assert_int_equal(offsets[row + 1] - offsets[row], strlen(expected));
    assert_memory_equal(bytes + offsets[row], expected, strlen(expected));
}

static void test_contents(void **state)
{
    (void)state;
    static const char *const formats[COLUMNS] = { "u", "I", "g", "I", "+l" }, *const names[COLUMNS] = { "id", "count",
                                                                                                        "price", "word",
                                                                                                        "words" };
    karp_table *t = make_table(2);
    struct ArrowSchema schema;
    struct ArrowArray array;
    assert_int_equal(karp_table_arrow(t, &schema, &array, NULL), KARP_OK);
    karp_table_free(t); /* what was handed out holds it */
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, COLUMNS);
    assert_int_equal(array.n_children, COLUMNS);
    assert_int_equal(array.length, 2);
    assert_int_equal(array.n_buffers, 1);
    assert_null(array.buffers[0]);
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_string_equal(schema.children[i]->format, formats[i]);
        assert_string_equal(schema.children[i]->name, names[i]);
        assert_int_equal(schema.children[i]->flags, 0);
        assert_int_equal(array.children[i]->length, 2);
        assert_int_equal(array.children[i]->null_count, 0);
        assert_null(array.children[i]->buffers[0]);
    }
    check_text(array.children[ID], 0, "first");
    check_text(array.children[ID], 1, "2nd");
    assert_int_equal(((const uint32_t *)array.children[COUNT]->buffers[1])[1], 8);
    assert_true(((const double *)array.children[PRICE]->buffers[1])[1] == 0.25);
    assert_string_equal(schema.children[WORD]->dictionary->format, "u");
    assert_int_equal(((const uint32_t *)array.children[WORD]->buffers[1])[1], 0);
    check_text(array.children[WORD]->dictionary, 0, "b");
    assert_string_equal(schema.children[WORDS]->children[0]->format, "I");
    assert_string_equal(schema.children[WORDS]->children[0]->dictionary->format, "u");
    assert_int_equal(((const int32_t *)array.children[WORDS]->buffers[1])[2], 3);
    assert_int_equal(array.children[WORDS]->children[0]->length, 3);
    assert_int_equal(array.children[WORDS]->children[0]->dictionary->length, 2);
    schema.release(&schema);
    array.release(&array);
    assert_null(schema.release);
    assert_null(array.release);
}

/* A consumer takes a column out, releases the rest, and reads it then. */
static void test_moved(void **state)
{
    (void)state;
    karp_table *t = make_table(2);
    struct ArrowSchema schema, schema_of_words;
    struct ArrowArray array, moved;
    assert_int_equal(karp_table_arrow(t, &schema, &array, NULL), KARP_OK);
    moved = *array.children[WORDS];
    array.children[WORDS]->release = NULL;
    schema_of_words = *schema.children[WORDS];
    schema.children[WORDS]->release = NULL;
    array.release(&array);
    schema.release(&schema);
    karp_table_free(t);
    check_text(moved.children[0]->dictionary, 1, "b");
    assert_string_equal(schema_of_words.children[0]->name, "item");
    moved.release(&moved);
    schema_of_words.release(&schema_of_words);
}

/* A consumer takes the texts of a column for itself, or has done with them early. */
static void test_dictionary_apart(void **state)
{
    (void)state;
    karp_table *t = make_table(2);
    struct ArrowSchema schema, texts_schema;
    struct ArrowArray array, texts;
    assert_int_equal(karp_table_arrow(t, &schema, &array, NULL), KARP_OK);
    karp_table_free(t);
    texts = *array.children[WORD]->dictionary;
    array.children[WORD]->dictionary->release = NULL;
    texts_schema = *schema.children[WORD]->dictionary;
    schema.children[WORD]->dictionary->release = NULL;
    array.release(&array);
    schema.release(&schema);
    assert_string_equal(texts_schema.format, "u");
    check_text(&texts, 0, "b");
    texts.release(&texts);
    texts_schema.release(&texts_schema);
}

static void test_whole_numbers(void **state)
{
    (void)state;
    karp_table *t = table_new(context), *out = NULL;
    column *when = table_int64(t, "when");
    column_int64(when, INT64_MIN);
    assert_int_equal(table_finish(t, &out, NULL), KARP_OK);
    struct ArrowSchema schema;
    struct ArrowArray array;
    assert_int_equal(karp_table_arrow(out, &schema, &array, NULL), KARP_OK);
    karp_table_free(out);
    assert_string_equal(schema.children[0]->format, "l");
    assert_true(((const int64_t *)array.children[0]->buffers[1])[0] == INT64_MIN);
    array.release(&array);
    schema.release(&schema);
}

static void test_stream(void **state)
{
    (void)state;
    karp_table *t = make_table(0);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    assert_int_equal(karp_table_arrow_stream(t, &stream, NULL), KARP_OK);
    karp_table_free(t);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &array), 0);
    assert_non_null(array.release);
    assert_int_equal(array.length, 0);
    struct ArrowArray end;
    memset(&end, 0x55, sizeof end);
    assert_int_equal(stream.get_next(&stream, &end), 0);
    assert_null(end.release);
    stream.release(&stream);
    assert_null(stream.release);
    assert_int_equal(array.n_children, COLUMNS); /* outlives the stream */
    array.release(&array);
    schema.release(&schema);
}

static void test_refused(void **state)
{
    (void)state;
    karp_table *t = make_table(2);
    karp_error error;
    karp_error_init(&error, sizeof error);
    struct ArrowSchema schema = { .format = "untouched" };
    struct ArrowArray array = { .length = 99 };
    struct ArrowArrayStream stream;
    for (size_t at = 1; at <= 2; at++) {
        size_t live = counted.live_blocks;
        fault_arm(&counted, at, false);
        assert_int_equal(karp_table_arrow(t, &schema, &array, &error), KARP_E_NOMEM);
        fault_arm(&counted, 0, false);
        assert_int_equal(counted.live_blocks, live);
        assert_string_equal(schema.format, "untouched");
        assert_int_equal(array.length, 99);
    }
    fault_arm(&counted, 1, false);
    assert_int_equal(karp_table_arrow_stream(t, &stream, &error), KARP_E_NOMEM);
    fault_arm(&counted, 0, false);
    assert_int_equal(karp_table_arrow_stream(t, &stream, &error), KARP_OK);
    fault_arm(&counted, 1, true);
    assert_true(stream.get_schema(&stream, &schema) != 0);
    assert_true(stream.get_next(&stream, &array) != 0);
    assert_string_equal(stream.get_last_error(&stream), "out of memory");
    fault_arm(&counted, 0, false);
    assert_int_equal(stream.get_next(&stream, &array), 0); /* not lost */
    array.release(&array);
    stream.release(&stream);
    karp_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_contents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_moved, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_dictionary_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_whole_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stream, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
