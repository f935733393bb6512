/* SPDX-License-Identifier: Apache-2.0 */
/* Where values of JSON text end: the scanner, which takes 64 bytes at a time, beside one that takes each. */
#include <io/scan.h> /* before cmocka, which has a macro of the name fail */
#include <json/bytes.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <support/counted.h>
#include <support/random.h>

/* As io_scan_value() of a container. */
static io_scan plain_scan(io_cursor *c)
{
    uint32_t depth = 0;
    for (; c->pos < c->end; c->pos++) {
        char ch = c->text[c->pos];
        if (ch == '\n') {
            c->line++;
            c->line_start = c->pos + 1;
        } else if (ch == '"') {
            size_t quote = c->pos;
            for (c->pos++; c->pos < c->end && c->text[c->pos] != '"'; c->pos++) c->pos += c->text[c->pos] == '\\';
            if (c->pos < c->end) continue;
            c->pos = quote;
            return IO_SCAN_SYNTAX;
        } else if (ch == '{' || ch == '[') {
            if (++depth > c->max_nesting) return IO_SCAN_DEEP;
        } else if (ch == '}' || ch == ']') {
            if (--depth > 0) continue;
            c->pos++;
            return IO_SCAN_OK;
        }
    }
    return IO_SCAN_SYNTAX;
}

/* What there is much of in documents, and what is difficult in them; mostly long runs of one kind. */
static void make_text(uint64_t *r, char *text, size_t length)
{
    static const char *const kinds[] = { "ab:, 1", "{}[]", "\"", "\\\"", "\n ", "{[", "}]", "a\"{}\n" };
    text[0] = '{';
    for (size_t i = 1; i < length;) {
        const char *kind = kinds[random_below(r, sizeof kinds / sizeof kinds[0])];
        size_t run = 1 + random_below(r, random_below(r, 4) == 0 ? 150 : 6);
        for (; run > 0 && i < length; run--) text[i++] = kind[random_below(r, strlen(kind))];
    }
}

static void test_like_byte_by_byte(void **state)
{
    const fixture *f = *state;
    char text[700];
    size_t ends[4] = { 0 };
    for (uint64_t seed = 0; seed < 60000; seed++) {
        uint64_t r = seed;
        size_t length = 1 + random_below(&r, sizeof text);
        make_text(&r, text, length);
        io_cursor fast, value;
        io_cursor_init(&fast, (karp_str){ text, length }, f->context);
        fast.max_nesting = seed % 2 ? 4 + (uint32_t)random_below(&r, 40) : 1000;
        io_cursor plain = fast;
        io_scan expected = plain_scan(&plain), found = io_scan_value(&fast, &value);
        ends[expected]++;
        assert_int_equal(found, expected);
        assert_int_equal(fast.line, plain.line);
        assert_int_equal(fast.line_start, plain.line_start);
        assert_int_equal(fast.pos, plain.pos);
    }
    /* Each end comes up. */
    assert_true(ends[IO_SCAN_OK] > 1000 && ends[IO_SCAN_SYNTAX] > 1000 && ends[IO_SCAN_DEEP] > 1000);
}

static size_t plain_until(const char *bytes, size_t most)
{
    size_t n = 0;
    while (n < most && bytes[n] >= ' ' && (unsigned char)bytes[n] < 0x80 && bytes[n] != '"' && bytes[n] != '\\') n++;
    return n;
}

static void test_plain_bytes(void **state)
{
    (void)state;
    char bytes[16];
    for (uint64_t seed = 0; seed < 20000; seed++) {
        uint64_t r = seed;
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)('#' + random_below(&r, 40));
        size_t any = random_below(&r, 16), special = random_below(&r, 16);
        bytes[any] = (char)random_below(&r, 256);
        bytes[special] = "\"\\\x1f \x7f\x80!#"[seed % 8];
        assert_int_equal(plain_bytes(bytes), plain_until(bytes, PLAIN_AT_ONCE));
        assert_int_equal(plain_of_eight(bytes), plain_until(bytes, 8));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_like_byte_by_byte, set_up, tear_down),
        cmocka_unit_test(test_plain_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
