/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of the input objects. Each object and each nested object has a shape, which is a table of its fields. A
 * row of the table has a field's name, the kind of its value, and the struct member to fill. The tables are in
 * decode_*.c. Fields are decoded in the table's order, and only the first of several faults is reported. Each table is
 * used twice: io_decode() fills a struct from a tree, and fields.c notes the fields that a closed shape does not have.
 */
#ifndef IO_DECODE_FIELDS_H
#define IO_DECODE_FIELDS_H

#include <io/decode.h>
#include <stddef.h>
#include <io/kinds.h>

typedef enum io_field_kind {
    IO_NOTHING, /* not decoded; only the names of its fields are known */
    IO_TEXT, /* karp_str */
    IO_NEEDED, /* likewise; it is a failure if empty or absent */
    IO_NAME, /* likewise, except in a template */
    IO_TEXT_OR_NUMBER, /* karp_str: a string, or a number's text; only integers if `most` is 0 */
    IO_INT_OR_STRING, /* karp_int_or_string */
    IO_QUANTITY, /* karp_str: a quantity; for a number its text */
    IO_INT32, /* between `least` and `most`; so is IO_INT64 */
    IO_INT64,
    IO_FLAG, /* uint32_t: a boolean */
    IO_WORD, /* uint32_t: one of `words` */
    IO_TIME, /* int64_t */
    IO_DURATION, /* int64_t; so is IO_DURATION_OR_NEVER */
    IO_DURATION_OR_NEVER,
    IO_TEXTS, /* a pointer and a count; so are the following ones */
    IO_LABELS,
    IO_AMOUNTS,
    IO_MAP, /* an object whose members are each decoded by `member` */
    IO_LIST, /* an array of structs of the shape `inner` */
    IO_ARRAY, /* must be a list; its elements are not checked */
    IO_OBJECT, /* an object of the shape `inner`; fills members of the same struct or of an embedded one */
    IO_POINTER, /* a pointer to a struct of the shape `inner` */
    IO_CALL /* decoded by `call` */
} io_field_kind;

typedef struct io_words {
    const io_word *list;
    size_t count;
    bool any; /* other words become `other`; false: they are a failure */
    uint32_t other;
} io_words;

/* Decodes a field that is present and not null. `object` is the object that contains it. */
typedef void io_decode_call(io_decoder *d, const tree *object, const tree *value, void *into);

typedef struct io_shape io_shape;

typedef struct io_field {
    const char *name;
    uint32_t length; /* length of the name */
    uint8_t kind; /* IO_… */
    bool always; /* for IO_OBJECT: required fields in it are reported as missing even if the object is absent */
    uint16_t at; /* offset of the member in the struct; IO_NOWHERE = the value is only checked */
    uint16_t count; /* offset of the size_t that receives a list's length */
    uint16_t has; /* offset of a uint32_t that is set to 1 when the field is present; 0 = none */
    const char *missing; /* the message when the field is absent; NULL = it is optional */
    const io_shape *inner;
    union {
        io_decode_call *call;
        io_decode_member *member;
        const io_words *words;
    } by;
    int64_t least, most;
    size_t elem; /* for IO_MAP: size of an element */
} io_field;

enum { IO_NOWHERE = UINT16_MAX };

struct io_shape {
    const io_field *fields;
    size_t count;
    const char *known; /* names of further fields that exist but are not read, separated by spaces; NULL = none */
    bool closed; /* the list is complete: another name is a mistake */
    size_t size; /* size of the struct that is filled; 0 = the fields fill members of another struct */
    const void *absent; /* the struct's initial value; NULL = zeroes */
    void (*finish)(io_decoder *d, const tree *object, void *into); /* after all fields */
};

/* ---- rows: S is the struct, m its member ------------------------------------------------------------------------- */

#define IO_NAMED(text) .name = (text), .length = sizeof(text) - 1
#define IO_OFFSET(S, m, type)                                                                                          \
    (offsetof(S, m) + 0 * sizeof(_Generic(((S *)0)->m, type : 1))) /* the member must have this type */
#define IO_ROW(text, kind_, S, m, type) IO_NAMED(text), .kind = (kind_), .at = IO_OFFSET(S, m, type)
#define IO_CHECKED(text, kind_) IO_NAMED(text), .kind = (kind_), .at = IO_NOWHERE

#define TEXT(text, S, m) IO_ROW(text, IO_TEXT, S, m, karp_str)
#define NEEDED(text, S, m) IO_ROW(text, IO_NEEDED, S, m, karp_str), .missing = "is missing"
#define NAME(text, S, m) IO_ROW(text, IO_NAME, S, m, karp_str), .missing = "is missing"
#define TEXT_OR_INTEGER(text, S, m) IO_ROW(text, IO_TEXT_OR_NUMBER, S, m, karp_str)
#define TEXT_OR_NUMBER(text, S, m) IO_ROW(text, IO_TEXT_OR_NUMBER, S, m, karp_str), .most = 1
#define INT_OR_STRING(text, S, m) IO_ROW(text, IO_INT_OR_STRING, S, m, karp_int_or_string)
#define QUANTITY(text, S, m) IO_ROW(text, IO_QUANTITY, S, m, karp_str)
#define FLAG(text, S, m) IO_ROW(text, IO_FLAG, S, m, uint32_t)
#define TIME(text, S, m) IO_ROW(text, IO_TIME, S, m, int64_t)
#define DURATION(text, S, m) IO_ROW(text, IO_DURATION, S, m, int64_t)
#define DURATION_OR_NEVER(text, S, m) IO_ROW(text, IO_DURATION_OR_NEVER, S, m, int64_t)
#define NUMBER32(text, S, m, from, to) IO_ROW(text, IO_INT32, S, m, int32_t), .least = (from), .most = (to)
#define NUMBER64(text, S, m, from, to) IO_ROW(text, IO_INT64, S, m, int64_t), .least = (from), .most = (to)
#define INT32(text, S, m) NUMBER32(text, S, m, INT32_MIN, INT32_MAX)
#define INT64(text, S, m) NUMBER64(text, S, m, INT64_MIN, INT64_MAX)
#define WORD(text, S, m, words_) IO_ROW(text, IO_WORD, S, m, uint32_t), .by.words = &(words_)
#define COUNTED(text, kind_, S, m, n, type) IO_ROW(text, kind_, S, m, const type *), .count = IO_OFFSET(S, n, size_t)
#define TEXTS(text, S, m, n) COUNTED(text, IO_TEXTS, S, m, n, karp_str)
#define LABELS(text, S, m, n) COUNTED(text, IO_LABELS, S, m, n, karp_label)
#define AMOUNTS(text, S, m, n) COUNTED(text, IO_AMOUNTS, S, m, n, karp_resource)
#define LIST(text, S, m, n, shape)                                                                                     \
    IO_NAMED(text), .kind = IO_LIST, .at = offsetof(S, m), .count = IO_OFFSET(S, n, size_t), .inner = &(shape)
#define MAP(text, S, m, n, type, function)                                                                             \
    COUNTED(text, IO_MAP, S, m, n, type), .elem = sizeof(type), .by.member = (function)
#define POINTER(text, S, m, shape) IO_NAMED(text), .kind = IO_POINTER, .at = offsetof(S, m), .inner = &(shape)
#define STRUCT(text, S, m, shape) IO_NAMED(text), .kind = IO_OBJECT, .at = offsetof(S, m), .inner = &(shape)
#define OBJECT(text, shape) IO_NAMED(text), .kind = IO_OBJECT, .inner = &(shape)
#define CALL(text, function) IO_NAMED(text), .kind = IO_CALL, .by.call = (function)
#define HAS(S, m) .has = IO_OFFSET(S, m, uint32_t) /* added to a row: the member is set if the field is present */

/* The parts of a shape: the struct's size or its initial value, and the rows. */
#define OF(S) .size = sizeof(S)
#define LIKE(empty) .size = sizeof(empty), .absent = &(empty)
#define OPEN(...)                                                                                                      \
    .fields = (const io_field[]){ __VA_ARGS__ }, .count = sizeof((const io_field[]){ __VA_ARGS__ }) / sizeof(io_field)
#define CLOSED(...) .closed = true, OPEN(__VA_ARGS__)
#define WORDS(name) .list = name##_list, .count = sizeof name##_list / sizeof name##_list[0]

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

/* Fills the whole struct. `object` may be NULL, which is an object without members. */
void io_decode(io_decoder *d, const io_shape *shape, const tree *object, void *into);
/* Fills only the members whose fields are present and leaves the others unchanged. */
void io_decode_members(io_decoder *d, const io_shape *shape, const tree *object, void *into);
/* Decodes a list of structs of the shape; NULL and 0 when it is absent. */
const void *io_list(io_decoder *d, const tree *object, const char *name, const io_shape *shape, size_t *count);
/* Fills the structs from `array`, which may be NULL. */
void io_fill_list(io_decoder *d, const char *name, const tree *array, const io_shape *shape, void *list);
/* The next name in the shape's `known` list. *at starts at 0 and is advanced. "" = there are no more. */
karp_str io_shape_known(const io_shape *shape, size_t *at);
/* Whether the shape has this member. *inner receives the shape of the member's value, if `inner` is not NULL. */
bool io_shape_knows(const io_shape *shape, const tree_member *member, const io_shape **inner);

/* ---- shared shapes, and the shapes of whole objects -------------------------------------------------------------- */

extern const io_shape io_meta_shape, io_namespaced_meta_shape, io_pool_template_meta_shape; /* decode_common.c */
extern const io_shape io_shared_meta_shape, io_own_meta_shape; /* the two parts of io_namespaced_meta_shape */
extern const io_shape io_selector_shape, io_node_term_shape;
extern const io_shape io_pool_requirement_shape, io_taint_shape, io_condition_shape, io_node_class_ref_shape;
extern const io_shape io_spread_shape;
extern const io_shape io_pod_shape, io_template_shape; /* decode_pod.c */
extern const io_shape io_node_shape, io_node_claim_shape, io_node_pool_shape,
    io_node_overlay_shape; /* decode_objects.c */
extern const io_shape io_workload_shape, io_claim_shape, io_volume_shape, io_storage_class_shape; /* likewise */
extern const io_shape io_csi_node_shape, io_budget_shape, io_namespace_shape, io_capacity_buffer_shape;

/* The initial values of structs. */
#define META_ABSENT                                                                                                    \
    {                                                                                                                  \
        .creation = KARP_NO_TIME, .deletion = KARP_NO_TIME                                                             \
    }
#define POD_ABSENT                                                                                                     \
    {                                                                                                                  \
        .size = sizeof(karp_pod), .meta = META_ABSENT, .termination_grace_seconds = -1, .start_time = KARP_NO_TIME     \
    }

/* ---- decode_devices.c: dynamic resource allocation (DRA) --------------------------------------------------------- */

extern const io_shape io_resource_claim_shape, io_resource_slice_shape, io_device_class_shape;
/* Decodes the entry's `dynamicResources`, if present. */
void io_decode_type_devices(io_decoder *d, const tree *entry, karp_instance_type *type);

#endif
