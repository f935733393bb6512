/* SPDX-License-Identifier: Apache-2.0 */
#include "write_buffer.h"
#include "write_notes.h"

#include <karp/library.h>
#include "write_text.h"

/* The target of karp_text.owner. The text may outlive the caller's reference to the context, so it has a reference of
 * its own. */
typedef struct text_owner {
    karp_context *context;
    char *ptr;
    size_t bytes;
} text_owner;

void buffer_init(write_buffer *b, karp_context *context) { *b = (write_buffer){ .text.context = context }; }

void buffer_begin(write_buffer *b, karp_context *context, const karp_write_options *options)
{
    buffer_init(b, context);
    b->sink = options->values;
}

void buffer_free(write_buffer *b)
{
    if (b->root != NULL) b->sink->drop(b->sink->user, b->root);
    strbuf_free(&b->text);
    buffer_init(b, b->text.context);
}

void buffer_repeat(write_buffer *b, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++) buffer_text(b, text);
}

karp_str buffer_content(const write_buffer *b)
{
    return b->text.ptr == NULL || b->text.failed ? str("") : (karp_str){ b->text.ptr, b->text.len };
}

void buffer_cut(write_buffer *b, size_t length)
{
    if (!b->text.failed && length < b->text.len) b->text.len = length;
}

void buffer_trim(write_buffer *b)
{
    while (b->text.len > 0 && b->text.ptr[b->text.len - 1] == ' ') b->text.len--;
}

void buffer_count(write_buffer *b, uint64_t count, const char *what)
{
    buffer_uint(b, count);
    buffer_char(b, ' ');
    buffer_text(b, what);
    if (count != 1) buffer_char(b, 's');
}

void buffer_double(write_buffer *b, double value)
{
    char text[KARP_VALUE_TEXT];
    karp_double_format(value, text);
    buffer_text(b, text);
}

karp_status buffer_finish(write_buffer *b, karp_text *out, karp_error *error)
{
    karp_status status = b->status;
    if (status != KARP_OK) {
        buffer_free(b);
        return status;
    }
    if (b->sink != NULL && b->root != NULL && !b->text.failed) {
        b->sink->take(b->sink->user, b->root);
        b->root = NULL;
        buffer_free(b);
        if (out != NULL) *out = (karp_text){ .ptr = NULL };
        return KARP_OK;
    }
    strbuf_add(&b->text, "", 0); /* an empty text has a NUL as well */
    text_owner *owner = b->text.failed ? NULL : karp_alloc(b->text.context, sizeof(*owner));
    if (owner == NULL) {
        buffer_free(b);
        return fail_nomem(error);
    }
    *owner = (text_owner){ karp_context_ref(b->text.context), b->text.ptr, b->text.capacity };
    b->text.ptr[b->text.len] = '\0';
    *out = (karp_text){ .ptr = b->text.ptr, .len = b->text.len, .owner = owner };
    buffer_init(b, b->text.context);
    return KARP_OK;
}

void karp_text_free(karp_text *text)
{
    if (text == NULL) return;
    text_owner *owner = text->owner;
    if (owner != NULL) {
        karp_context *context = owner->context;
        karp_free(context, owner->ptr, owner->bytes);
        karp_free(context, owner, sizeof(*owner));
        karp_context_unref(context);
    }
    *text = (karp_text){ 0 };
}

void *array_alloc(karp_context *context, size_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size) return NULL;
    return karp_alloc(context, count == 0 ? size : count * size);
}

void karp_write_options_init(karp_write_options *options, size_t size)
{
    const karp_write_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

static karp_status check_sink(const karp_write_options *options, karp_error *error)
{
    karp_value_sink sink;
    karp_status status = struct_check(options->values, sizeof sink, SIZE_THROUGH(karp_value_sink, drop), &sink,
                                      "karp_value_sink", error);
    if (status != KARP_OK) return status;
    if (!sink.make || !sink.add || !sink.take || !sink.drop)
        return fail(error, KARP_E_INVALID, "karp_value_sink: a function is NULL");
    if (options->format == KARP_FORMAT_JSON) return KARP_OK;
    return fail(error, KARP_E_UNSUPPORTED, "only JSON is handed over as values");
}

karp_status check_write_options(const karp_write_options *given, karp_write_options *copy, karp_error *error)
{
    *copy = (karp_write_options){ .size = sizeof(*copy), .width = 100 };
    if (given == NULL) return KARP_OK;
    karp_status status = struct_check(given, sizeof(*copy), SIZE_THROUGH(karp_write_options, warning_count), copy,
                                      "karp_write_options", error);
    if (status == KARP_OK)
        status = STRUCT_CHECK_TEXTS("karp_write_options", error, &copy->digest, &copy->title, &copy->catalogue,
                                    &copy->licences);
    if (status == KARP_OK && copy->values != NULL) status = check_sink(copy, error);
    if (status != KARP_OK) return status;
    if (copy->width == 0) copy->width = 100;
    return KARP_OK;
}

/* ---- the beginning and end of every karp_write_…() --------------------------------------------------------------- */

karp_status write_begin(write_call *call, const karp_write_options *given, const void *of, const char *what,
                        uint32_t formats)
{
    karp_status status = check_write_options(given, &call->options, call->error);
    if (status != KARP_OK) return status;
    if (of == NULL || call->context == NULL || (call->out == NULL && call->options.values == NULL))
        return fail(call->error, KARP_E_INVALID, "a context, %s and a place for the text are needed", what);
    if (call->options.format >= 32 || (formats >> call->options.format & 1) == 0)
        return fail(call->error, KARP_E_UNSUPPORTED, "this document is not written in that format");
    buffer_begin(&call->buffer, call->context, &call->options);
    call->job = (write_job){ call->context, NULL, NULL, &call->options, &call->buffer, call->error };
    return KARP_OK;
}

karp_status write_end(write_call *call)
{
    if (call->options.format == KARP_FORMAT_TEXT || call->options.format == KARP_FORMAT_MARKDOWN)
        put_incomplete(&call->buffer, &call->options);
    if (call->options.format == KARP_FORMAT_TEXT) text_fold_buffer(&call->buffer, call->options.width);
    karp_status status = buffer_finish(&call->buffer, call->out, call->error);
    return karp_context_refusal(call->context, status, call->error);
}
