/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the beginning and end of JSON values, so that a large document is parsed one element at a time. Only nesting
 * and the ends of strings are checked here. The values are parsed, and so checked, afterwards.
 */
#ifndef IO_SCAN_H
#define IO_SCAN_H

#include <io/table.h>

/* A position in a text, with its line. */
typedef struct io_cursor {
    const char *text;
    size_t end; /* end of the text, or of the part that is scanned */
    size_t pos;
    size_t line_start;
    uint32_t line; /* 1-based */
    uint32_t max_nesting;
    karp_context *context; /* for cancellation by the caller; not a reference */
} io_cursor;

typedef enum io_scan { IO_SCAN_OK, IO_SCAN_END, IO_SCAN_SYNTAX, IO_SCAN_DEEP, IO_SCAN_STOPPED } io_scan;

void io_cursor_init(io_cursor *cursor, karp_str text, karp_context *context);
uint32_t io_cursor_column(const io_cursor *cursor);
void io_skip_space(io_cursor *cursor);

/* Scans one value. The cursor is at its first byte and moves past it. `value` receives the value's beginning and
 * end. */
io_scan io_scan_value(io_cursor *cursor, io_cursor *value);

/* The cursor is after an opening bracket or after an element, in a container that ends with `close`. Moves to the next
 * element (OK), or past the closing bracket (END). */
io_scan io_scan_next(io_cursor *cursor, bool *first, char close);
/* Advances the cursor and counts lines. */
void io_cursor_skip(io_cursor *cursor, size_t bytes);

/* Iterates over the members of an object. Before the first call the cursor is at '{'. END = the cursor is past '}'.
 * `key` is the raw text between the quotes, with its escapes: no member that callers look for needs any. */
io_scan io_scan_member(io_cursor *cursor, bool *first, karp_str *key, io_cursor *value);

/* Iterates over the elements of an array in the same way. */
io_scan io_scan_element(io_cursor *cursor, bool *first, io_cursor *value);

/* The text of a scanned value. */
karp_str io_cursor_text(const io_cursor *value);

#endif
