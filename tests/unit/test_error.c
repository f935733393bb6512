/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#undef fail /* cmocka's macro; the library has a function of that name */
#include <base/error.h>
#include <base/sort.h>

#include <karp/library.h>

static void test_fill(void **state)
{
    (void)state;
    karp_error e;
    memset(&e, 0xff, sizeof e);
    karp_error_init(&e, sizeof e);
    assert_int_equal(e.size, sizeof e);
    assert_int_equal(e.status, 0);
    e.line = 7;
    assert_int_equal(fail(&e, KARP_E_INVALID, "%s is %d", "it", 3), KARP_E_INVALID);
    assert_int_equal(e.size, sizeof e);
    assert_int_equal(e.status, KARP_E_INVALID);
    assert_string_equal(e.message, "it is 3");
    assert_string_equal(e.object, "");
    assert_int_equal(e.line, 0);
    assert_true(e.byte_offset == KARP_NO_OFFSET);

    error_set_object(&e, "Pod", str("default"), str("web-0"));
    error_set_field(&e, "spec.containers[%d].name", 2);
    assert_string_equal(e.object, "Pod default/web-0");
    assert_string_equal(e.field, "spec.containers[2].name");
    error_set_object(&e, NULL, str("a"), str("b"));
    assert_string_equal(e.object, "Pod default/web-0");
    error_set_object(&e, "NodePool", str(""), str("general"));
    assert_string_equal(e.object, "NodePool general");
    error_set_object(&e, "Pod", str("a"), str("b"));
    assert_string_equal(e.object, "Pod a/b");
    error_set_object(&e, "Node", str(""), str("n"));
    assert_string_equal(e.object, "Node n");
    error_set_object(&e, "Snapshot", str(NULL), str(NULL));
    assert_string_equal(e.object, "Snapshot");

    assert_int_equal(fail_nomem(&e), KARP_E_NOMEM);
    assert_int_equal(e.status, KARP_E_NOMEM);
    assert_string_equal(e.object, "");
}

static void test_no_error_wanted(void **state)
{
    (void)state;
    assert_int_equal(fail(NULL, KARP_E_RANGE, "x"), KARP_E_RANGE);
    assert_int_equal(fail_nomem(NULL), KARP_E_NOMEM);
    error_set_object(NULL, "Pod", str("a"), str("b"));
    error_set_field(NULL, "x");
    karp_error_init(NULL, sizeof(karp_error));
}

/* A caller of a later version has a larger struct, one that forgot the size a zeroed one. */
static void test_sizes(void **state)
{
    (void)state;
    struct {
        karp_error e;
        uint64_t newer;
    } wide;
    karp_error_init(&wide.e, sizeof wide);
    assert_int_equal(wide.e.size, sizeof wide);
    assert_int_equal(wide.newer, 0);
    wide.newer = 5;
    (void)fail(&wide.e, KARP_E_STATE, "text");
    assert_int_equal(wide.newer, 5);
    assert_string_equal(wide.e.message, "text");
    wide.e.size = 0;
    (void)fail(&wide.e, KARP_E_LIMIT, "other");
    assert_string_equal(wide.e.message, "other");
    assert_int_equal(wide.newer, 5);
    /* A smaller struct gets what it has room for, wherever the error comes from. */
    struct {
        size_t size;
        karp_status status;
        unsigned char after[sizeof(karp_error)];
    } narrow;
    for (size_t size = sizeof narrow.size; size < sizeof(karp_error); size += sizeof narrow.size) {
        memset(&narrow, 0x5a, sizeof narrow);
        narrow.size = size;
        karp_error *error = (karp_error *)(void *)&narrow;
        (void)fail(error, KARP_E_STATE, "text");
        error_set_object(error, "Pod", str("a"), str("b"));
        error_set_field(error, "spec");
        error_set_place(error, str("file"), 1, 2, 3);
        assert_int_equal(narrow.size, size);
        if (size > sizeof narrow.size) assert_int_equal(narrow.status, KARP_E_STATE);
        for (size_t i = size; i < sizeof narrow; i++) assert_int_equal(((unsigned char *)&narrow)[i], 0x5a);
    }
    /* Too small for even the size: only what is there is cleared. */
    memset(&wide, 0x5a, sizeof wide);
    karp_error_init(&wide.e, sizeof wide.e.size - 1);
    unsigned char bytes[sizeof wide.e.size] = { 0 };
    bytes[sizeof bytes - 1] = 0x5a;
    assert_memory_equal(&wide, bytes, sizeof bytes);
}

/* One line of whole characters, whatever the input holds. */
static void test_message_is_one_line(void **state)
{
    (void)state;
    karp_error e;
    karp_error_init(&e, sizeof e);
    (void)fail(&e, KARP_E_INVALID, "a\nb\tc\x7f%c", 1);
    assert_string_equal(e.message, "a b c  ");

    static const char *const characters[] = { "a", "\xc3\xa4", "\xe0\xa4\x85", "\xe2\x82\xac", "\xf0\x90\x8d\x88" };
    for (size_t kind = 0; kind < 5; kind++) {
        size_t width = strlen(characters[kind]);
        for (size_t shift = 0; shift < 4; shift++) {
            char text[600];
            memset(text, 'x', shift);
            size_t len = shift;
            while (len + width < sizeof text) {
                memcpy(text + len, characters[kind], width);
                len += width;
            }
            text[len] = '\0';
            (void)fail(&e, KARP_E_INVALID, "%s", text);
            size_t shown = strlen(e.message);
            assert_true(shown <= 255 && shown > 255 - width);
            assert_int_equal((shown - shift) % width, 0);
            assert_memory_equal(e.message, text, shown);
        }
    }
    /* Around the room there is. */
    for (int len = 250; len < 260; len++) {
        (void)fail(&e, KARP_E_INVALID, "%*s\xc3\xa4", len, "");
        assert_int_equal(strlen(e.message), len <= 253 ? len + 2 : len < 255 ? len : 255);
    }
    /* Cut text that is no UTF-8 stays as it is: there is no first byte of a character to go back to. */
    char rest[300];
    memset(rest, '\x80', sizeof rest - 1);
    rest[sizeof rest - 1] = '\0';
    (void)fail(&e, KARP_E_INVALID, "%s", rest);
    assert_int_equal(strlen(e.message), 255);
    rest[0] = 'x';
    (void)fail(&e, KARP_E_INVALID, "%s", rest);
    assert_int_equal(strlen(e.message), 255);
    karp_str endless = { e.message, SIZE_MAX / 2 };
    memset(e.message, 'n', sizeof e.message - 1);
    error_set_object(&e, "Pod", str("ns"), endless);
    assert_int_equal(strlen(e.object), sizeof e.object - 1);
    error_set_field(&e, "%s", e.message);
    assert_int_equal(strlen(e.field), sizeof e.field - 1);
}

typedef struct first {
    size_t size;
    uint64_t a;
} first;

typedef struct second {
    size_t size;
    uint64_t a, b;
} second;

static void test_struct_check(void **state)
{
    (void)state;
    second got, given = { sizeof(second), 1, 2 };
    karp_error e;
    karp_error_init(&e, sizeof e);

    /* The library knows more than the caller: the rest is zero. */
    memset(&got, 0xff, sizeof got);
    given.size = sizeof(first);
    assert_int_equal(struct_check(&given, sizeof got, sizeof(first), &got, "thing", &e), KARP_OK);
    assert_true(got.size == sizeof got && got.a == 1 && got.b == 0);
    assert_int_equal(struct_check(NULL, sizeof got, sizeof(first), &got, "thing", &e), KARP_OK);
    assert_true(got.size == sizeof got && got.a == 0 && got.b == 0);

    /* The caller knows more: only zero is understood. */
    first little = { 0, 9 };
    given.size = sizeof given;
    assert_int_equal(struct_check(&given, sizeof little, sizeof little, &little, "thing", &e), KARP_E_ABI_NEW);
    assert_non_null(strstr(e.message, "thing"));
    assert_int_equal(little.a, 9);
    given.b = 0;
    assert_int_equal(struct_check(&given, sizeof little, sizeof little, &little, "thing", &e), KARP_OK);
    assert_true(little.size == sizeof little && little.a == 1);

    given.size = sizeof(first) - 1;
    assert_int_equal(struct_check(&given, sizeof got, sizeof(first), &got, "thing", &e), KARP_E_ABI_SIZE);
    given.size = 4097;
    assert_int_equal(struct_check(&given, sizeof got, sizeof(first), &got, "thing", &e), KARP_E_ABI_SIZE);
}

static void test_struct_give(void **state)
{
    (void)state;
    second value = { 0, 1, 2 }, out = { sizeof(first), 8, 9 };
    assert_int_equal(struct_give(&out, &value, sizeof value, sizeof(first)), KARP_OK);
    assert_true(out.size == sizeof(first) && out.a == 1 && out.b == 9);
    out.size = sizeof out;
    assert_int_equal(struct_give(&out, &value, sizeof value, sizeof(first)), KARP_OK);
    assert_true(out.size == sizeof out && out.a == 1 && out.b == 2);
    first small = { 0, 4 };
    assert_int_equal(struct_give(&out, &small, sizeof small, sizeof small), KARP_OK);
    assert_true(out.size == sizeof out && out.a == 4 && out.b == 0);
    out.size = sizeof(first) - 1;
    out.a = 8;
    assert_int_equal(struct_give(&out, &value, sizeof value, sizeof(first)), KARP_E_ABI_SIZE);
    out.size = 0;
    assert_int_equal(struct_give(&out, &value, sizeof value, sizeof(first)), KARP_E_ABI_SIZE);
    assert_int_equal(out.a, 8);
}

static void test_names(void **state)
{
    (void)state;
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%d.%d.%d%s", KARP_VERSION_MAJOR, KARP_VERSION_MINOR, KARP_VERSION_PATCH,
                   KARP_VERSION_STAGE);
    assert_string_equal(karp_version(), expected);
    assert_int_equal(karp_version_number(), KARP_VERSION_NUMBER);
    assert_string_equal(karp_status_name(KARP_OK), "KARP_OK");
    assert_string_equal(karp_status_name(KARP_E_NOMEM), "KARP_E_NOMEM");
    assert_string_equal(karp_status_name(KARP_E_UNSUPPORTED), "KARP_E_UNSUPPORTED");
    /* -1 … -16 have names of their own. */
    for (karp_status s = -16; s < 0; s++) {
        assert_memory_equal(karp_status_name(s), "KARP_E_", 7);
        assert_string_not_equal(karp_status_name(s), karp_status_name(s + 1));
    }
    assert_string_equal(karp_status_name(1), "unknown status");
    assert_string_equal(karp_status_name(-17), "unknown status");
    assert_string_equal(karp_status_name(INT32_MIN), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill),         cmocka_unit_test(test_no_error_wanted),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_message_is_one_line),
        cmocka_unit_test(test_struct_check), cmocka_unit_test(test_struct_give),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
