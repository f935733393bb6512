/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where JSON values begin and end, so that a large document is parsed one element at a time. It checks nothing
 * but nesting and where strings end: what it cuts out is parsed, and checked, afterwards. */
#ifndef IO_SCAN_H
#define IO_SCAN_H

#include <io/table.h>

/* A place in a text; lines are counted on the way. */
typedef struct io_cursor {
    const char *text;
    size_t end; /* where the text, or the part of it that is looked at, ends */
    size_t pos;
    size_t line_start;
    uint32_t line; /* 1-based */
    uint32_t max_nesting;
    karp_context *context; /* whose caller may want to stop; not held */
} io_cursor;

typedef enum io_scan { IO_SCAN_OK, IO_SCAN_END, IO_SCAN_SYNTAX, IO_SCAN_DEEP, IO_SCAN_STOPPED } io_scan;

void io_cursor_init(io_cursor *cursor, karp_str text, karp_context *context);
uint32_t io_cursor_column(const io_cursor *cursor);
void io_skip_space(io_cursor *cursor);

/* One value: from the cursor, which is at its first byte, to behind it. `value` starts as the cursor did and ends where
 * the value ends. */
io_scan io_scan_value(io_cursor *cursor, io_cursor *value);

/* Behind an opening bracket or a value of a container that `close` ends: to the next value (OK), or behind the closing
 * bracket (END). */
io_scan io_scan_next(io_cursor *cursor, bool *first, char close);
/* Moves the cursor on, counting lines. */
void io_cursor_skip(io_cursor *cursor, size_t bytes);

/* Walks the members of an object: before the first call the cursor is at '{'. END = behind '}'. `key` is the raw text
 * between the quotes. Escapes in it are left: no member that is looked for has any. */
io_scan io_scan_member(io_cursor *cursor, bool *first, karp_str *key, io_cursor *value);

/* Walks the elements of an array likewise. */
io_scan io_scan_element(io_cursor *cursor, bool *first, io_cursor *value);

/* The text of a value that was cut out. */
karp_str io_cursor_text(const io_cursor *value);

#endif
