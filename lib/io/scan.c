/* SPDX-License-Identifier: Apache-2.0 */
#include <io/scan.h>

#include <json/bytes.h>
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

static uint32_t cursor_column(const io_cursor *cursor)
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
        if (ch == '\n') new_line(c);
        else if (ch != ' ' && ch != '\t' && ch != '\r') return;
    }
}

/* Moves from the opening quote past the closing one. */
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

/* The classes of bytes outside of strings, for finding the end of a container. */
enum { NOTHING, OPENS, CLOSES, QUOTES, ENDS_LINE };

static const uint8_t meaning[256] = {
    ['{'] = OPENS, ['['] = OPENS, ['}'] = CLOSES, [']'] = CLOSES, ['"'] = QUOTES, ['\n'] = ENDS_LINE
};

/* The state of a scan to the end of a container. */
typedef struct skipping {
    io_cursor *cursor;
    uint32_t depth;
    size_t due; /* the position at which to check for cancellation next */
    size_t by_bytes; /* positions before this are scanned byte by byte */
} skipping;

/* Skips whole blocks in which the container neither ends nor is nested too deeply. Stops at a byte outside of strings.
 * The following bytes are scanned one by one. */
static io_scan skip_blocks(skipping *s)
{
    io_cursor *c = s->cursor;
    uint64_t in_string = 0; /* all bits set: the block begins inside a string */
    size_t at = c->pos, string_at = at;
    for (; c->end - at >= 64; at += 64) {
        if (at >= s->due) {
            if (!mem_work(c->context, at - s->due + ASK_EVERY)) return IO_SCAN_STOPPED;
            s->due = at + ASK_EVERY;
        }
        json_block b = block_read(c->text + at);
        if (b.slashes) break;
        uint64_t inside = inside_strings(b.quotes) ^ in_string;
        unsigned opens = count_bits(b.opens & ~inside), closes = count_bits(b.closes & ~inside);
        if (closes >= s->depth || opens > c->max_nesting - s->depth) break;
        s->depth += opens - closes;
        for (uint64_t lines = b.lines & ~inside; lines; lines &= lines - 1) {
            c->pos = at + first_bit(lines);
            new_line(c);
        }
        if (inside >> 63 && b.quotes) string_at = at + last_bit(b.quotes);
        in_string = (uint64_t)0 - (inside >> 63);
    }
    c->pos = in_string ? string_at : at;
    s->by_bytes = at + 64;
    return IO_SCAN_OK;
}

static io_scan skip_container(io_cursor *c)
{
    skipping s = { c, 0, c->pos + ASK_EVERY, c->pos + 1 };
    io_scan result = IO_SCAN_OK;
    for (;; c->pos++) {
        if (BLOCKS_AT_HAND && c->pos >= s.by_bytes && c->end - c->pos >= 64) result = skip_blocks(&s);
        if (result != IO_SCAN_OK) return result;
        const char *at = c->text + c->pos, *end = c->text + c->end;
        while (at < end && meaning[(unsigned char)*at] == NOTHING) at++;
        c->pos = (size_t)(at - c->text);
        if (at == end) return IO_SCAN_SYNTAX;
        if (c->pos >= s.due) {
            if (!mem_work(c->context, c->pos - s.due + ASK_EVERY)) return IO_SCAN_STOPPED;
            s.due = c->pos + ASK_EVERY;
        }
        switch (meaning[(unsigned char)*at]) {
        case QUOTES:
            result = skip_string(c);
            c->pos--;
            break;
        case OPENS:
            if (++s.depth > c->max_nesting) return IO_SCAN_DEEP;
            break;
        case CLOSES:
            if (--s.depth > 0) break;
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

/* ---- positions of objects and their fields in documents ---------------------------------------------------------- */

io_place io_place_of(karp_str document, const io_cursor *json)
{
    return (io_place){ .document = document,
                       .line = json->line,
                       .column = cursor_column(json),
                       .offset = json->pos,
                       .text = io_cursor_text(json) };
}

size_t io_step_length(const io_step *step) { return step->index ? step->index : strlen(step->name); }

static void move_in_text(io_place *place, uint32_t at)
{
    uint32_t line, column;
    tree_position(place->text, at, &line, &column);
    place->column = line == 1 ? place->column + column - 1 : column;
    place->line += line - 1;
    place->offset += at;
    place->text.ptr += at;
    place->text.len -= at;
}

void io_place_refine(io_place *place, const tree *root, const io_step *path, size_t depth)
{
    uint32_t at = TREE_NOWHERE, base = 0;
    for (size_t i = 0; root; i++) {
        if (root->at != TREE_NOWHERE) at = base + root->at;
        if (root->repeated) base = at;
        if (i == depth) break;
        root = path[i].name ? tree_find(root, path[i].name, io_step_length(&path[i])) : tree_item(root, path[i].index);
    }
    if (at == TREE_NOWHERE) return;
    if (place->text.ptr && at < place->text.len) {
        move_in_text(place, at);
    } else if (place->marks && at < place->marks->count) {
        place->line = place->marks->list[at].line;
        place->column = place->marks->list[at].column;
        place->offset = KARP_NO_OFFSET;
    }
}

void io_shift_positions(tree *value, size_t by)
{
    value->at = value->at + by < TREE_NOWHERE ? (uint32_t)(value->at + by) : TREE_NOWHERE;
    for (size_t i = 0; i < tree_count(value); i++)
        io_shift_positions(tree_is(value, TREE_LIST) ? tree_item(value, i) : tree_member_at(value, i)->value, by);
}

const char *io_place_text(const io_place *place, char into[IO_PLACE_TEXT])
{
    str_shorten(into, 300, place->document);
    if (place->line > 0) str_append(into, IO_PLACE_TEXT, ":%lu", (unsigned long)place->line);
    return into;
}

void io_error_place(karp_error *error, const io_place *place)
{
    error_set_place(error, place->document, place->line, place->column, place->offset);
}
