/* SPDX-License-Identifier: Apache-2.0 */
/* Breaks lines that are longer than the width at spaces. */
#include "write_width.h"

#include <string.h>

enum { MARK_MOST = 3, HANG = 2 };

static size_t escape_length(const char *at, const char *end)
{
    const char *p = at;
    if (p + 1 >= end || p[0] != '\033' || p[1] != '[') return 0;
    while (p < end && *p != 'm') p++;
    return p < end ? (size_t)(p - at) + 1 : 0;
}

/* Moves over a colour sequence, which has no width, or over a byte. true = the byte takes a column. */
static bool step(const char **at, const char *end)
{
    size_t escape = escape_length(*at, end);
    bool takes = escape == 0 && ((unsigned char)**at & 0xc0) != 0x80;
    *at += escape > 0 ? escape : 1;
    return takes;
}

static bool is_wider(const char *line, const char *end, size_t width)
{
    size_t columns = 0;
    while (line < end && columns <= width) columns += step(&line, end);
    return columns > width;
}

/* Skips spaces, and colour sequences between them. */
static size_t skip_spaces(const char **at, const char *end)
{
    size_t columns = 0;
    while (*at < end && (**at == ' ' || escape_length(*at, end) > 0)) columns += step(at, end);
    return columns;
}

/* The indent of continuation lines: after a mark ("+", "->", "!") or a first word with a colon ("Cost:"), otherwise
 * slightly more than the line itself. At most half of the width. */
static size_t hang_of(const char *line, const char *end, size_t width)
{
    size_t lead = skip_spaces(&line, end), column = lead;
    bool mark = true;
    char last = '\0';
    while (line < end && *line != ' ') {
        char c = *line;
        if (step(&line, end)) {
            mark = mark && strchr("+-~!*>/", c) != NULL;
            last = c;
            column++;
        }
    }
    bool titled = (mark && column - lead <= MARK_MOST) || (lead == 0 && last == ':');
    size_t hang = titled ? column + skip_spaces(&line, end) : lead + HANG;
    return hang > width / 2 ? width / 2 : hang;
}

/* Finds the spaces at which to break a line that begins at column `at`: the last ones within the width, preferably
 * those between columns of a table. If there are none, the first ones beyond the width. false = there are no
 * spaces. */
static bool find_break(const char *line, const char *end, size_t at, size_t width, const char **from, const char **to)
{
    const char *best = NULL, *p = line;
    size_t column = at + skip_spaces(&p, end);
    bool table = false;
    while (p < end && (best == NULL || column <= width)) {
        if (*p != ' ') {
            column += step(&p, end);
            continue;
        }
        bool gap = p + 1 < end && p[1] == ' ';
        if (best == NULL || (column <= width && (gap || !table))) {
            best = p;
            table = gap && column - at >= (width - at) / 2;
        }
        column += skip_spaces(&p, end);
    }
    *from = *to = best;
    if (best != NULL) (void)skip_spaces(to, end);
    return best != NULL && *to < end;
}

static void fold_line(write_buffer *out, const char *line, const char *end, size_t width)
{
    size_t at = 0, hang = 0;
    const char *from, *to;
    while (is_wider(line, end, width - at) && find_break(line, end, at, width, &from, &to)) {
        hang = at == 0 ? hang_of(line, end, width) : hang;
        buffer_bytes(out, line, (size_t)(from - line));
        for (const char *p = from; p < to; p++) {
            size_t escape = escape_length(p, to);
            if (escape > 0) buffer_bytes(out, p, escape);
        }
        buffer_char(out, '\n');
        buffer_repeat(out, " ", hang);
        line = to;
        at = hang;
    }
    buffer_bytes(out, line, (size_t)(end - line));
}

bool text_is_wider(karp_str text, size_t width)
{
    const char *end = text.ptr + text.len;
    for (const char *line = text.ptr; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop == NULL ? end : stop;
        if ((size_t)(stop - line) > width && is_wider(line, stop, width)) return true;
        line = stop + 1;
    }
    return false;
}

void text_fold(write_buffer *out, karp_str text, size_t width)
{
    const char *end = text.ptr + text.len;
    if (width >= FOLD_NEVER) {
        buffer_str(out, text);
        return;
    }
    for (const char *line = text.ptr; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        bool whole = stop != NULL;
        stop = whole ? stop : end;
        if ((size_t)(stop - line) > width) fold_line(out, line, stop, width);
        else buffer_bytes(out, line, (size_t)(stop - line));
        if (whole) buffer_char(out, '\n');
        line = stop + 1;
    }
}

void text_fold_buffer(write_buffer *b, size_t width)
{
    karp_str text = { buffer_start(b), b->length };
    if (b->failed || b->status != KARP_OK || width >= FOLD_NEVER || text.len == 0 || !text_is_wider(text, width))
        return;
    write_buffer folded;
    buffer_init(&folded, b->context);
    text_fold(&folded, text, width);
    folded.failed = folded.failed || b->failed;
    buffer_free(b);
    *b = folded;
}

karp_status karp_text_fold(karp_context *context, karp_str text, uint32_t width, karp_text *out, karp_error *error)
{
    if (context == NULL || out == NULL || (text.ptr == NULL && text.len > 0))
        return write_fail(error, KARP_E_INVALID, "a context, a text and a place for the result are needed");
    write_buffer folded;
    buffer_init(&folded, context);
    text_fold(&folded, text.ptr == NULL ? (karp_str){ "", 0 } : text, width == 0 ? FOLD_USUAL : width);
    return buffer_finish(&folded, out, error);
}
