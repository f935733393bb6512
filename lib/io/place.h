/* SPDX-License-Identifier: Apache-2.0 */
/* Where the objects of documents stand, and the fields in them. */
#ifndef IO_PLACE_H
#define IO_PLACE_H

#include <io/scan.h>
#include <json/tree.h>

/* One step of a field path: a member's name, or (name NULL) an element's index. */
typedef struct io_step {
    const char *name;
    size_t index; /* of a name: its length, 0 = it ends with a NUL */
} io_step;

/* Where the nodes of a YAML document stood: a node's `at` is an index here. */
typedef struct io_mark {
    uint32_t line, column;
} io_mark;

typedef struct io_marks {
    io_mark *list;
    size_t count, capacity;
} io_marks;

/* Where an object stands. */
typedef struct io_place {
    karp_str document;
    uint32_t line, column; /* of its first byte; 0 = unknown */
    uint64_t offset;
    karp_str text; /* its text, while that is at hand: what the nodes' `at` counts in; else ptr NULL */
    bool lasts; /* the text is at hand until the reader is freed */
    const io_marks *marks; /* likewise of YAML */
} io_place;

/* Of the value that the cursor is at. */
io_place io_place_of(karp_str document, const io_cursor *json);

/* Moves line, column and offset of `place` to the field at `path` of `root`, as near as it can be told. */
void io_place_refine(io_place *place, const tree *root, const io_step *path, size_t depth);

/* The length of a step's name. */
size_t io_step_length(const io_step *step);

void io_error_place(karp_error *error, const io_place *place);

#endif
