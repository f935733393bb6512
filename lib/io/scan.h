/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the beginning and end of JSON values, so that a large document is parsed one element at a time. Only nesting
 * and the ends of strings are checked here. The values are parsed, and so checked, afterwards. Also: where objects and
 * their fields are in documents.
 */
#pragma once

#include <io/table.h>
#include <json/tree.h>

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

/* ---- positions of objects and their fields in documents ---------------------------------------------------------- */

/* One step of a field path: a member's name, or (name NULL) an element's index. */
typedef struct io_step {
    const char *name;
    size_t index; /* for a name: its length, 0 = it is NUL-terminated */
} io_step;

/* Positions of the nodes of a YAML document: a node's `at` is an index here. */
typedef struct io_mark {
    uint32_t line, column;
} io_mark;

typedef struct io_marks {
    io_mark *list;
    size_t count, capacity;
} io_marks;

/* The position of an object. */
typedef struct io_place {
    karp_str document;
    uint32_t line, column; /* of its first byte; 0 = unknown */
    uint64_t offset;
    karp_str text; /* its text while it is in memory, which the nodes' `at` is relative to; else ptr NULL */
    const io_marks *marks; /* the same for YAML */
} io_place;

/* The position of the value at the cursor. */
io_place io_place_of(karp_str document, const io_cursor *json);

/* The same position without text and marks: parts of the object cannot be found. */
static inline io_place io_place_whole(const io_place *place)
{
    return (
        io_place){ .document = place->document, .line = place->line, .column = place->column, .offset = place->offset };
}

/* Moves line, column and offset of `place` to the field at `path` of `root`, or as close to it as is known. */
void io_place_refine(io_place *place, const tree *root, const io_step *path, size_t depth);

/* Adds to the position of every node: positions relative to a part become positions relative to the whole. */
void io_shift_positions(tree *value, size_t by);

/* The length of a step's name. */
size_t io_step_length(const io_step *step);

/* "FILE:LINE" for messages, or the name alone of a document without lines. */
enum { IO_PLACE_TEXT = 320 };
const char *io_place_text(const io_place *place, char into[IO_PLACE_TEXT]);

void io_error_place(karp_error *error, const io_place *place);
