/* SPDX-License-Identifier: Apache-2.0 */
/* The text under construction of every writer. A refused allocation sets `failed`; later calls do nothing, so that
 * buffer_finish() is the one place that checks. */
#ifndef IO_WRITE_BUFFER_H
#define IO_WRITE_BUFFER_H

#include <base/str.h>

#include <karp/io.h>

typedef struct write_buffer {
    karp_context *context;
    char *block; /* a text_owner, then the text */
    size_t room; /* bytes for text, the NUL included */
    size_t length;
    size_t due; /* a length, at most room: who wants to stop is asked when it is reached */
    size_t most; /* bytes that may be written; 0 = any number */
    karp_status status; /* of the first failure of what is written, of which the error is filled */
    bool failed;
    bool full; /* … because there were to be more than `most` */
} write_buffer;

void buffer_init(write_buffer *b, karp_context *context);
void buffer_free(write_buffer *b);

void buffer_bytes(write_buffer *b, const char *bytes, size_t count);
void buffer_text(write_buffer *b, const char *text);
void buffer_str(write_buffer *b, karp_str text);
void buffer_char(write_buffer *b, char c);
void buffer_repeat(write_buffer *b, const char *text, size_t times);
/* The text so far, not NUL-terminated. */
const char *buffer_start(const write_buffer *b);
/* Takes back what was added after the buffer had this length. */
void buffer_cut(write_buffer *b, size_t length);
/* Takes the spaces at the end away. */
void buffer_trim(write_buffer *b);
void buffer_uint(write_buffer *b, uint64_t value);
void buffer_int(write_buffer *b, int64_t value);
/* The shortest decimal that reads back as the same double. */
void buffer_double(write_buffer *b, double value);

/* Hands the text over; the buffer is empty afterwards, also on failure. Errors: NOMEM, LIMIT, the buffer's status. */
karp_status buffer_finish(write_buffer *b, karp_text *out, karp_error *error);

/* Memory of the context that is given back by karp_free() with the same size; NULL when count × size is too much. */
void *array_alloc(karp_context *context, size_t count, size_t size);

/* Fills *error (NULL allowed) and returns status. */
karp_status write_fail(karp_error *error, karp_status status, const char *message);

/* A complete copy of what the caller gave (NULL: the defaults), whatever version it was compiled with. */
karp_status check_write_options(const karp_write_options *given, karp_write_options *copy, karp_error *error);

#endif
