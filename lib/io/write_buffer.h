/* SPDX-License-Identifier: Apache-2.0 */
/* The output buffer of every writer. Calls after a failure do nothing, so only buffer_finish() has to check. */
#pragma once

#include <base/error.h>
#include <base/strbuf.h>

#include <karp/io.h>

typedef struct write_buffer {
    strbuf text; /* with a sink: scratch for one name and one text */
    const karp_value_sink *sink; /* receives JSON as values; NULL = JSON is text */
    void *root; /* of the sink's tree, until it takes it */
    karp_status status; /* status of the first failure of a writer, which has filled in the error */
} write_buffer;

void buffer_init(write_buffer *b, karp_context *context);
static inline write_buffer buffer_on(karp_context *context) { return (write_buffer){ .text = strbuf_on(context) }; }
/* For a document that is written in the format of the options, which stay in place. */
void buffer_begin(write_buffer *b, karp_context *context, const karp_write_options *options);
void buffer_free(write_buffer *b);

static inline void buffer_bytes(write_buffer *b, const char *bytes, size_t count)
{
    strbuf_add(&b->text, bytes, count);
}
static inline void buffer_text(write_buffer *b, const char *text) { strbuf_adds(&b->text, text); }
static inline void buffer_str(write_buffer *b, karp_str text) { strbuf_addstr(&b->text, text); }
static inline void buffer_char(write_buffer *b, char c) { strbuf_addc(&b->text, c); }
static inline void buffer_uint(write_buffer *b, uint64_t value) { strbuf_addu(&b->text, value); }
static inline void buffer_int(write_buffer *b, int64_t value) { strbuf_addi(&b->text, value); }
static inline void buffer_between_u(write_buffer *b, const char *before, uint64_t value, const char *after)
{
    strbuf_putu(&b->text, before, value, after);
}
static inline void buffer_plural(write_buffer *b, uint64_t count, const char *one, const char *more)
{
    strbuf_plural(&b->text, count, one, more);
}
void buffer_repeat(write_buffer *b, const char *text, size_t times);
/* "1 pod", "2 pods" */
void buffer_count(write_buffer *b, uint64_t count, const char *what);
/* The shortest decimal that reads back as the same double. */
void buffer_double(write_buffer *b, double value);
/* The text so far; "" after a failure. */
karp_str buffer_content(const write_buffer *b);
/* Truncates the buffer to this length. */
void buffer_cut(write_buffer *b, size_t length);
/* Removes the spaces at the end. */
void buffer_trim(write_buffer *b);

/* Moves the text to the caller, or the tree to its sink; `out` may then be NULL. The buffer is empty afterwards, also
 * on failure. Errors: NOMEM, LIMIT, the buffer's status. */
karp_status buffer_finish(write_buffer *b, karp_text *out, karp_error *error);

/* Memory of the context, to be freed by karp_free() with the same size. NULL = out of memory, or count × size
 * overflows. */
void *array_alloc(karp_context *context, size_t count, size_t size);

/* Copies the caller's options (NULL: the defaults) to a complete struct, whatever version the caller was compiled
 * with. The sink is not copied. */
karp_status check_write_options(const karp_write_options *given, karp_write_options *copy, karp_error *error);

/* ---- the beginning and end of every karp_write_…() --------------------------------------------------------------- */

/* What the functions of a writer are given. The options are complete copies. */
typedef struct write_job {
    karp_context *context;
    const karp_decision *decision;
    const karp_decision *disruption; /* NULL = none */
    const karp_write_options *options;
    write_buffer *out;
    karp_error *error;
} write_job;

typedef struct write_call {
    karp_context *context;
    karp_text *out;
    karp_error *error;
    karp_write_options options; /* complete after write_begin(), as the job, whose decisions are NULL */
    write_buffer buffer;
    write_job job;
} write_call;

enum {
    WRITE_JSON = 1u << KARP_FORMAT_JSON,
    WRITE_HTML = 1u << KARP_FORMAT_HTML,
    WRITE_JSON_TEXT = WRITE_JSON | 1u << KARP_FORMAT_TEXT,
    WRITE_JSON_PEOPLE = WRITE_JSON_TEXT | 1u << KARP_FORMAT_MARKDOWN
};

/* `formats` has the bit 1 << KARP_FORMAT_… of each supported format. `of` is what is written, and `what` its name in
 * the message if it, a context or `out` is missing. Errors: ABI_SIZE, ABI_NEW, INVALID, UNSUPPORTED. */
karp_status write_begin(write_call *call, const karp_write_options *given, const void *of, const char *what,
                        uint32_t formats);

/* Returns the text, or the first failure. */
karp_status write_end(write_call *call);
