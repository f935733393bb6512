/* SPDX-License-Identifier: Apache-2.0 */
/* Writes structs as JSON by the rows of their records. */
#pragma once

#include "write_decision.h"
#include "write_json.h"
#include <records/tables.h>

typedef struct encoder {
    json_out *json;
    const write_job *job; /* keeps the first failure */
    const karp_decision *decision; /* for names of pods, and for the launches of commands; NULL = there are none */
    uint32_t document; /* IN_…: only members of this document are written */
    bool kept; /* lists of strings stay in place until the document is finished, so that equal ones are copied */
} encoder;

/* Writes the members of the struct into the open object. */
void encode_members(const encoder *e, const record *r, const void *from);
/* A value: an object. */
void encode_object(const encoder *e, const record *r, const void *from);

/* The rest of a function that writes a caller's struct, which begins with its size, as a document of this kind. */
karp_status write_record(write_call *call, const char *kind, const record *r, const void *given, uint32_t document);

/* Rows that a function returns one by one. */
typedef struct encode_source {
    const record *record;
    size_t (*count)(const void *of);
    karp_status (*row)(const void *of, size_t index, void *out);
    bool flat; /* each row on one line */
} encode_source;

/* The functions of a source whose rows two public functions count and return; and the source. */
#define SOURCE_ROWS(name, count_of, row_of)                                                                            \
    static size_t name##_count(const void *of) { return count_of(of); }                                                \
    static karp_status name##_row(const void *of, size_t index, void *out) { return row_of(of, index, out); }
#define SOURCE(name, record_, flat_)                                                                                   \
    {                                                                                                                  \
        &(record_), name##_count, name##_row, flat_                                                                    \
    }

/* Of a decision. */
extern const encode_source source_launches, source_placements, source_unschedulable, source_ignored, source_commands,
    source_kept, source_candidates;

/* A value: row `index` of the source. */
void encode_row(const encoder *e, const encode_source *source, const void *of, size_t index);
/* A list of the rows first … first + count − 1, or of all. */
void encode_some(const encoder *e, const char *key, const encode_source *source, const void *of, size_t first,
                 size_t count);
void encode_all(const encoder *e, const char *key, const encode_source *source, const void *of);
