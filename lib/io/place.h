/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of objects and their fields in documents. */
#ifndef IO_PLACE_H
#define IO_PLACE_H

#include <io/scan.h>
#include <json/tree.h>

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
    bool lasts; /* the text stays in memory until the reader is freed */
    const io_marks *marks; /* the same for YAML */
} io_place;

/* The position of the value at the cursor. */
io_place io_place_of(karp_str document, const io_cursor *json);

/* Moves line, column and offset of `place` to the field at `path` of `root`, or as close to it as is known. */
void io_place_refine(io_place *place, const tree *root, const io_step *path, size_t depth);

/* Adds to the position of every node: positions relative to a part become positions relative to the whole. */
void io_shift_positions(tree *value, size_t by);

/* The length of a step's name. */
size_t io_step_length(const io_step *step);

void io_error_place(karp_error *error, const io_place *place);

#endif
