/* SPDX-License-Identifier: Apache-2.0 */
#include <base/strbuf.h>

#include <string.h>

void strbuf_init(strbuf *b, karp_context *context)
{
    memset(b, 0, sizeof *b);
    b->context = context;
}

void strbuf_free(strbuf *b)
{
    mem_free(b->context, b->ptr, b->capacity);
    strbuf_init(b, b->context);
}

void strbuf_clear(strbuf *b)
{
    b->len = 0;
    b->failed = false;
    if (b->ptr) b->ptr[0] = '\0';
}

bool strbuf_move(strbuf *b, arena *a, karp_str *out)
{
    const char *copy = b->failed ? NULL : arena_string(a, b->len > 0 ? b->ptr : "", b->len);
    *out = (karp_str){ copy, b->len };
    strbuf_free(b);
    return copy != NULL;
}

enum { POLL_EVERY = 1 << 14 };

static bool make_room(strbuf *b, size_t need)
{
    b->full = b->most != 0 && need - 1 > b->most;
    if (b->full) return false;
    bool ok = need > b->capacity ? grow(b->context, (void **)&b->ptr, &b->capacity, need, 1)
                                 : mem_work(b->context, POLL_EVERY);
    if (!ok) return false;
    b->due = b->capacity - need < POLL_EVERY ? b->capacity : need + POLL_EVERY;
    return true;
}

bool strbuf_reach(strbuf *b, size_t length)
{
    size_t need = 0;
    b->failed = b->failed || !size_add(b->len, length, &need) || !size_add(need, 1, &need) ||
                (need > b->due && !make_room(b, need));
    return !b->failed;
}

void strbuf_expect(strbuf *b, size_t length)
{
    size_t need = 0;
    if (b->failed || !size_add(b->len, length, &need) || (b->most != 0 && need > b->most)) return;
    (void)grow(b->context, (void **)&b->ptr, &b->capacity, need, 1);
}

void strbuf_add(strbuf *b, const char *text, size_t length)
{
    char *space = strbuf_space(b, length);
    if (space != NULL && length > 0) memcpy(space, text, length);
}

void strbuf_adds(strbuf *b, const char *text) { strbuf_add(b, text, strlen(text)); }

void strbuf_addstr(strbuf *b, karp_str text) { strbuf_add(b, text.ptr, text.len); }

void strbuf_put(strbuf *b, const char *before, karp_str text, const char *after)
{
    strbuf_adds(b, before);
    strbuf_addstr(b, text);
    strbuf_adds(b, after);
}

void strbuf_addname(strbuf *b, karp_str namespace_, karp_str name)
{
    strbuf_addstr(b, namespace_);
    strbuf_addc(b, '/');
    strbuf_addstr(b, name);
}

size_t write_digits(char out[20], uint64_t value)
{
    size_t count = 1;
    for (uint64_t left = value; left >= 10; left /= 10) count++;
    for (size_t at = count; at > 0; value /= 10) out[--at] = (char)('0' + value % 10);
    return count;
}

void strbuf_addu(strbuf *b, uint64_t value)
{
    char digits[20];
    strbuf_add(b, digits, write_digits(digits, value));
}

void strbuf_plural(strbuf *b, uint64_t count, const char *one, const char *more)
{
    strbuf_putu(b, "", count, count == 1 ? one : more);
}

void strbuf_addi(strbuf *b, int64_t value)
{
    if (value < 0) strbuf_addc(b, '-');
    strbuf_addu(b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void strbuf_putu(strbuf *b, const char *before, uint64_t number, const char *after)
{
    strbuf_adds(b, before);
    strbuf_addu(b, number);
    strbuf_adds(b, after);
}
