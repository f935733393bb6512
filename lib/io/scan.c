/* SPDX-License-Identifier: Apache-2.0 */
#include <io/scan.h>

#include <string.h>

#include <karp/library.h>

void io_cursor_init(io_cursor *cursor, karp_str text, karp_context *context)
{
    memset(cursor, 0, sizeof *cursor);
    cursor->text = text.ptr;
    cursor->end = text.len;
    cursor->line = 1;
    cursor->max_nesting = karp_context_get_options(context)->max_nesting;
    cursor->context = context;
}

uint32_t io_cursor_column(const io_cursor *cursor)
{
    size_t column = cursor->pos - cursor->line_start + 1;
    return column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
}

static void new_line(io_cursor *c)
{
    if (c->line < UINT32_MAX) c->line++;
    c->line_start = c->pos + 1;
}

void io_cursor_skip(io_cursor *c, size_t bytes)
{
    size_t to = c->pos + bytes;
    for (const char *line; (line = memchr(c->text + c->pos, '\n', to - c->pos)) != NULL; c->pos++) {
        c->pos = (size_t)(line - c->text);
        new_line(c);
    }
    c->pos = to;
}

void io_skip_space(io_cursor *c)
{
    for (; c->pos < c->end; c->pos++) {
        char ch = c->text[c->pos];
        if (ch == '\n') {
            new_line(c);
        } else if (ch != ' ' && ch != '\t' && ch != '\r') {
            return;
        }
    }
}

/* From the opening quote to behind the closing one. */
static io_scan skip_string(io_cursor *c)
{
    size_t from = c->pos + 1;
    for (size_t at = from;;) {
        const char *quote = at < c->end ? memchr(c->text + at, '"', c->end - at) : NULL;
        if (!quote) return IO_SCAN_SYNTAX;
        size_t q = (size_t)(quote - c->text);
        size_t slashes = 0;
        while (q - slashes > at && c->text[q - slashes - 1] == '\\') slashes++;
        if (slashes % 2 == 0) {
            c->pos = q + 1;
            return IO_SCAN_OK;
        }
        at = q + 1;
    }
}

enum { ASK_EVERY = 1 << 14 };

/* What a byte outside of strings means to who looks for the end. */
enum { NOTHING, OPENS, CLOSES, QUOTES, ENDS_LINE };

static const uint8_t meaning[256] = {
    ['{'] = OPENS, ['['] = OPENS, ['}'] = CLOSES, [']'] = CLOSES, ['"'] = QUOTES, ['\n'] = ENDS_LINE
};

static io_scan skip_container(io_cursor *c)
{
    uint32_t depth = 0;
    size_t due = c->pos + ASK_EVERY;
    io_scan result = IO_SCAN_OK;
    for (const char *at = c->text + c->pos, *end = c->text + c->end;; at++) {
        while (at < end && meaning[(unsigned char)*at] == NOTHING) at++;
        c->pos = (size_t)(at - c->text);
        if (at == end) return IO_SCAN_SYNTAX;
        if (c->pos >= due) {
            if (!mem_work(c->context, c->pos - due + ASK_EVERY)) return IO_SCAN_STOPPED;
            due = c->pos + ASK_EVERY;
        }
        switch (meaning[(unsigned char)*at]) {
        case QUOTES:
            result = skip_string(c);
            if (result != IO_SCAN_OK) return result;
            at = c->text + c->pos - 1;
            break;
        case OPENS:
            if (++depth > c->max_nesting) return IO_SCAN_DEEP;
            break;
        case CLOSES:
            if (--depth > 0) break;
            c->pos++;
            return IO_SCAN_OK;
        default: new_line(c); break;
        }
    }
}

static io_scan skip_word(io_cursor *c)
{
    size_t from = c->pos;
    while (c->pos < c->end && !memchr(" \t\r\n,:{}[]\"", c->text[c->pos], 11)) c->pos++;
    return c->pos > from ? IO_SCAN_OK : IO_SCAN_SYNTAX;
}

io_scan io_scan_value(io_cursor *c, io_cursor *value)
{
    *value = *c;
    if (c->pos >= c->end) return IO_SCAN_SYNTAX;
    char ch = c->text[c->pos];
    io_scan result = ch == '{' || ch == '[' ? skip_container(c) : ch == '"' ? skip_string(c) : skip_word(c);
    value->end = c->pos;
    return result;
}

io_scan io_scan_next(io_cursor *c, bool *first, char close)
{
    if (*first) c->pos++;
    io_skip_space(c);
    if (c->pos >= c->end) return IO_SCAN_SYNTAX;
    char ch = c->text[c->pos];
    if (ch == close) {
        c->pos++;
        return IO_SCAN_END;
    }
    if (!*first) {
        if (ch != ',') return IO_SCAN_SYNTAX;
        c->pos++;
        io_skip_space(c);
    }
    *first = false;
    return IO_SCAN_OK;
}

io_scan io_scan_element(io_cursor *c, bool *first, io_cursor *value)
{
    io_scan result = io_scan_next(c, first, ']');
    return result == IO_SCAN_OK ? io_scan_value(c, value) : result;
}

io_scan io_scan_member(io_cursor *c, bool *first, karp_str *key, io_cursor *value)
{
    io_scan result = io_scan_next(c, first, '}');
    if (result != IO_SCAN_OK) return result;
    size_t from = c->pos + 1;
    if (c->pos >= c->end || c->text[c->pos] != '"') return IO_SCAN_SYNTAX;
    result = skip_string(c);
    if (result != IO_SCAN_OK) return result;
    *key = (karp_str){ c->text + from, c->pos - 1 - from };
    io_skip_space(c);
    if (c->pos >= c->end || c->text[c->pos] != ':') return IO_SCAN_SYNTAX;
    c->pos++;
    io_skip_space(c);
    return io_scan_value(c, value);
}

karp_str io_cursor_text(const io_cursor *value)
{
    if (value->text == NULL) return (karp_str){ NULL, 0 };
    return (karp_str){ value->text + value->pos, value->end - value->pos };
}
