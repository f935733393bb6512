/* SPDX-License-Identifier: Apache-2.0 */
/* The neutral tree that JSON and YAML are read into (jansson's values), where its nodes stood in the text, and its
 * canonical text. */
#ifndef IO_TREE_H
#define IO_TREE_H

#include <io/scan.h>
#include <jansson.h>

/* One step of a field path: a member's name, or (name NULL) an element's index. */
typedef struct io_step {
    const char *name;
    size_t index;
} io_step;

/* Where the nodes of a YAML document stood. Members whose value is shared (null, true, false) are kept by their name. */
typedef struct io_mark {
    const void *node;
    uint32_t line, column;
    uint64_t offset;
} io_mark;
typedef struct io_marks {
    io_mark *slots; /* open addressing by node */
    size_t slot_count, count;
} io_marks;

bool io_marks_add(karp_context *context, io_marks *marks, io_mark mark);
void io_marks_free(karp_context *context, io_marks *marks);

/* Where an object stands. */
typedef struct io_place {
    karp_str document;
    uint32_t line, column; /* of its first byte; 0 = unknown */
    uint64_t offset;
    const io_cursor *json; /* its text, while that is at hand */
    const io_marks *marks; /* the lines of its nodes, while they are at hand */
} io_place;

io_place io_place_of(karp_str document, const io_cursor *json);

/* Moves line, column and offset of `place` to the field at `path` of `root`, as near as it can be told. */
void io_place_refine(io_place *place, const json_t *root, const io_step *path, size_t depth);

/* Parses one JSON value (parse_json.c). A name that comes up again in an object has its last value. Integers are of 64
 * bits. NULL = *error is filled, its line and column counted in the whole document. */
json_t *io_parse(karp_context *context, const io_cursor *value, karp_str document, karp_error *error);

/* Appends canonical JSON: members by name, no space, numbers in their shortest form. Failure shows in out->failed. */
void io_write_json(io_text *out, const json_t *value);
void io_write_string(io_text *out, const char *ptr, size_t length);

/* Filling errors. `status` is returned. */
karp_status io_fail(karp_error *error, karp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* INVALID: what must be given is NULL. */
karp_status io_null(karp_error *error, const char *what);
karp_status io_nomem(karp_error *error);
void io_error_place(karp_error *error, const io_place *place);
/* Copies `text` into one of the error's arrays, shortened at a character's boundary. */
void io_error_text(char *into, size_t room, karp_str text);

/* Empty ones; NULL = no memory. (json_object() and json_array() are names of the writers in this library.) */
json_t *io_map(void);
json_t *io_list(void);
/* Building trees. Each takes over `value` whatever happens; false = no memory. */
bool io_set(json_t *object, const char *name, json_t *value);
bool io_append(json_t *array, json_t *value);
json_t *io_text_value(karp_str text); /* NULL = no memory */
/* The member of that name; NULL when absent or null. */
json_t *io_get(const json_t *object, const char *name);
karp_str io_get_text(const json_t *object, const char *name); /* "" when absent or no string */
/* The object in the member of that name, made when absent. NULL = no memory, or the member is no object. */
json_t *io_get_or_make(json_t *object, const char *name);

#endif
