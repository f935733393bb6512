/* SPDX-License-Identifier: Apache-2.0 */
/* Reading texts in tests: one call, and what came of it to look at. */
#ifndef UNIT_IO_READING_H
#define UNIT_IO_READING_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>

typedef struct reading {
    karp_status status;
    karp_error error;
    json_t *dump; /* of a reading that went well */
    karp_snapshot_counts counts;
    size_t warning_count;
    char warnings[4096]; /* one a line */
    char digest[65];
    uint32_t method;
} reading;

/* Reads texts (NULL ends them), each under the name given before it, and finishes. The catalogue is an empty one. */
reading read_texts(const karp_reader_options *options, const char *name, const char *text, ...);
/* One text of the name "input". */
reading read_text(const char *text);
reading read_strictly(const char *text);
/* Also what the API server refuses. */
reading read_leniently(const char *text);
void reading_free(reading *r);

/* The reading went well, or the test fails with its error. */
void assert_read(const reading *r);
/* It failed with that status at that line (0 = any) and field ("" = none; NULL = any). */
void assert_refused(const reading *r, karp_status status, uint32_t line, const char *field);

/* The object of that kind and name in the dump; NULL = not there. `space` NULL for kinds without namespace. */
const json_t *object_of(const reading *r, const char *kind, const char *space, const char *name);
size_t object_count(const reading *r, const char *kind);
/* The value at a path of members and indices, "spec/containers/0/name"; NULL = not there. */
const json_t *at(const json_t *object, const char *path);
/* As text; "" = not there or no text. */
const char *text_at(const json_t *object, const char *path);
/* As an integer; −999 = not there or no integer. */
long number_at(const json_t *object, const char *path);

#endif
