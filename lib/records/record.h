/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table per record: a row for each member of a struct, with the name of its field in documents and the kind of its
 * value. The same rows read documents (io/decode_fields.h), write them (io/encode.h), copy structs (copy.h), and make
 * the columns of tables (decision/columns.c) and the state of replays (replay/state_rows.h). rows.h has the macros for
 * rows. Tables that libkarp itself needs are in this folder, those of input objects in io/decode_*.c, and those of
 * other documents beside their writers.
 */
#pragma once

#include <stdbool.h>
#include <string.h>
#include <karp/base.h>

struct io_decoder;
struct tree;

typedef enum field_kind {
    FIELD_NOTHING, /* not decoded; only the names of its fields are known */
    FIELD_TEXT, /* karp_str */
    FIELD_NEEDED, /* likewise; it is a failure if empty or absent */
    FIELD_NAME, /* likewise, except in a template */
    FIELD_TEXT_OR_NUMBER, /* karp_str: a string, or a number's text; only integers if `more` is 0 */
    FIELD_INT_OR_STRING, /* karp_int_or_string */
    FIELD_QUANTITY, /* karp_str: a quantity; for a number its text */
    FIELD_INT32, /* within the `range`; so is FIELD_INT64 */
    FIELD_INT64,
    FIELD_FLAG, /* uint32_t: a boolean; of a number of flags the bit `more`, unless that is 0 */
    FIELD_WORD, /* uint32_t: one of `words`; likewise */
    FIELD_TIME, /* int64_t */
    FIELD_DURATION, /* int64_t; so is FIELD_DURATION_OR_NEVER */
    FIELD_DURATION_OR_NEVER,
    FIELD_TEXTS, /* a pointer and a count; so are the following ones */
    FIELD_LABELS,
    FIELD_AMOUNTS,
    FIELD_MAP, /* an object whose members are each decoded by `member` */
    FIELD_LIST, /* an array of structs of the record `inner` */
    FIELD_ARRAY, /* must be a list; its elements are not checked */
    FIELD_OBJECT, /* an object of the record `inner`; fills members of the same struct or of an embedded one */
    FIELD_POINTER, /* a pointer to a struct of the record `inner` */
    FIELD_CALL, /* decoded by `call` */

    /* Of results. */
    FIELD_SHARED, /* a pointer to a struct of the record `inner`, whose fields stand in the same object */
    FIELD_NAMED, /* uint32_t: a number that `names` has a name for */
    FIELD_BOOL, /* bool */
    FIELD_UINT32,
    FIELD_UINT64,
    FIELD_SIZE, /* size_t */
    FIELD_SOME, /* int64_t: a number; INT64_MIN = none */
    FIELD_REAL, /* double: a number; null if it is not finite */
    FIELD_MONEY, /* double: a sum of prices as a number, without rounding errors below a billionth of a dollar */
    FIELD_PRICE, /* double: the shortest decimal as a string */
    FIELD_SUM, /* double: as FIELD_PRICE, but rounded as FIELD_MONEY */
    FIELD_LEAST, /* uint32_t: minValues of a requirement */
    FIELD_NODE_LABELS, /* of a launch: the labels that its node will have; read as the labels of its choice */
    FIELD_POD, /* uint32_t: a pod's index; its name */
    FIELD_PODS, /* a pointer to uint32_t and a count */
    FIELD_LAUNCHES, /* size_t: the first of the decision's launches, and a count; likewise FIELD_PLACEMENTS */
    FIELD_PLACEMENTS,
    FIELD_DIGEST, /* uint64_t: 16 hexadecimal digits */
    FIELD_JSON, /* karp_str: a value as JSON, written as it is; null if it is empty */
    FIELD_CONSTANT /* no member: `text` */
} field_kind;

/* Documents that have different members of one record. A row that names none is part of each. */
enum {
    IN_PLAN = 1, /* Plan, DisruptionPlan, RepackPlan, explanations */
    IN_COMMAND = 2, /* Command, and what a step of a command copies */
    IN_STATE = 4, /* the state of a replay */
    IN_EXPLANATION = 8, /* of one node: it does not repeat the node's name */
    IN_TABLE = 16, /* no document: the row is only a column of a table, of this name */
    IN_COMPARISON = 32 /* Comparison, Settlement: prices are numbers */
};

/* When a member is written. The reader takes it wherever it is. */
typedef enum field_show {
    SHOW_ALWAYS,
    SHOW_GIVEN, /* unless it is empty: "", 0, NULL, no elements; of an object, if its first member is empty */
    SHOW_POSITIVE, /* a number greater than 0 */
    SHOW_NOT_NEGATIVE,
    SHOW_AS_NULL, /* null if it is negative, or a text that is {NULL,0} */
    SHOW_IF, /* if the member `has` is not 0 */
    SHOW_IF_MORE, /* if it is greater than the member `has`, a size_t as well; it is only written */
    SHOW_UNLESS /* if the member `has` is 0, and it is not empty; it does not set that member when it is read */
} field_show;

typedef struct record_word {
    const char *word;
    uint32_t value;
} record_word;

typedef struct record_words {
    const record_word *list;
    size_t count;
    bool any; /* other words become `other`; false: they are a failure */
    uint32_t other;
} record_words;

/* Numbers whose names the library knows. */
typedef struct record_names {
    const char *(*name)(uint32_t number);
    uint32_t first, last;
    bool written_only; /* the name does not tell the number */
} record_names;

/* Decodes a field that is present and not null. `object` is the object that contains it. */
typedef void record_call(struct io_decoder *d, const struct tree *object, const struct tree *value, void *into);
/* Decodes a member of a FIELD_MAP. */
typedef void record_member(struct io_decoder *d, karp_str key, const struct tree *value, void *into);

typedef struct record record;

/* Bounds of a whole number. */
typedef struct record_range {
    int64_t least, most;
} record_range;

typedef struct record_field {
    const char *name;
    uint8_t length; /* length of the name */
    uint8_t kind; /* FIELD_… */
    uint8_t show; /* SHOW_… */
    bool always : 1; /* for FIELD_OBJECT: required fields in it are reported as missing even if the object is absent */
    bool flat : 1; /* written on one line; of a list: each element */
    bool needed : 1; /* it is a failure if the field is absent */
    bool column : 1; /* tables have a column of the field's name in snake case; of an object, for its members */
    bool words : 1; /* the column is a dictionary */
    uint16_t at; /* offset of the member in the struct; FIELD_NOWHERE = the value is only checked */
    uint16_t count; /* offset of the size_t that receives a list's length */
    uint16_t has; /* offset of a uint32_t that is set to 1 when the field is present; 0 = none */
    uint16_t in; /* IN_…; 0 = all */
    /* FIELD_MAP: size of an element; FIELD_TEXT_OR_NUMBER: 1 = also fractions; FIELD_FLAG and FIELD_WORD: the bit of a
     * number of flags, 0 = the whole number */
    uint16_t more;
    const record *inner;
    union {
        record_call *call;
        record_member *member;
        const record_words *words;
        const record_names *names;
        const record_range *range; /* of FIELD_INT32 and FIELD_INT64; NULL = all */
        const char *text;
    } by;
} record_field;

enum { FIELD_NOWHERE = UINT16_MAX };

struct record {
    const record_field *fields;
    size_t count;
    const char *known; /* names of further fields that exist but are not read, separated by spaces; NULL = none */
    bool closed; /* the list is complete: another name is a mistake */
    size_t size; /* size of the struct; 0 = the fields are members of another struct */
    size_t first; /* of a struct that begins with its size: the size of its first version; 0 = it does not */
    const char *type; /* the name of such a struct, for errors */
    const void *absent; /* the struct's initial value; NULL = zeroes */
    void (*finish)(struct io_decoder *d, const struct tree *object, void *into); /* after all fields */
    bool (*skip)(const void *element); /* of a list: whether the element is left out when it is written */
};

/* Whether the row is part of the document. */
static inline bool row_in(const record_field *f, uint32_t document) { return f->in == 0 || (f->in & document) != 0; }

/* The pointer at this offset, whatever it points to. */
static inline const void *record_pointer(const void *from, size_t at)
{
    const void *pointer;
    memcpy(&pointer, (const char *)from + at, sizeof pointer);
    return pointer;
}

/* The list in the row's member, and its length. */
static inline const void *record_list(const record_field *f, const void *from, size_t *count)
{
    memcpy(count, (const char *)from + f->count, sizeof *count);
    return record_pointer(from, f->at);
}

static inline void record_set_list(const record_field *f, void *into, const void *list, size_t count)
{
    memcpy((char *)into + f->at, &list, sizeof list);
    memcpy((char *)into + f->count, &count, sizeof count);
}
