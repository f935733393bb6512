/* SPDX-License-Identifier: Apache-2.0 */
#include "write_buffer.h"

#include <string.h>

#include <karp/library.h>
#include "reader.h"
#include "write_text.h"

/* The target of karp_text.owner. The text may outlive the caller's reference to the context, so it has a reference of
 * its own. */
typedef struct text_owner {
    karp_context *context;
    size_t bytes;
} text_owner;

void buffer_init(write_buffer *b, karp_context *context) { *b = (write_buffer){ .context = context }; }

void buffer_free(write_buffer *b)
{
    if (b->block != NULL) {
        karp_free(b->context, b->block, sizeof(text_owner) + b->capacity);
    }
    buffer_init(b, b->context);
}

enum { POLL_EVERY = 1 << 14 };

static bool move_text(write_buffer *b, size_t more)
{
    size_t limit = SIZE_MAX / 4;
    if (more > limit || b->length > limit) return false;
    size_t capacity = b->capacity == 0 ? 1024 : b->capacity;
    while (capacity - 1 < b->length + more) {
        capacity *= 2;
    }
    char *block = karp_alloc(b->context, sizeof(text_owner) + capacity);
    if (block == NULL) return false;
    if (b->block != NULL) {
        memcpy(block + sizeof(text_owner), b->block + sizeof(text_owner), b->length);
        karp_free(b->context, b->block, sizeof(text_owner) + b->capacity);
    }
    b->block = block;
    b->capacity = capacity;
    return true;
}

static bool make_room(write_buffer *b, size_t more)
{
    if (b->failed) return false;
    if (b->due > b->length && more < b->due - b->length) return true;
    bool has = b->capacity > b->length && more < b->capacity - b->length;
    b->full = b->most != 0 && (more > b->most || b->length > b->most - more);
    if (b->full) {
        b->failed = true;
        return false;
    }
    if (has ? karp_context_work(b->context, POLL_EVERY) == 0 : !move_text(b, more)) {
        b->failed = true;
        return false;
    }
    size_t left = b->capacity - b->length - more;
    b->due = left < POLL_EVERY ? b->capacity : b->length + more + POLL_EVERY;
    return true;
}

void buffer_bytes(write_buffer *b, const char *bytes, size_t count)
{
    if (count == 0 || !make_room(b, count)) {
        return;
    }
    memcpy(b->block + sizeof(text_owner) + b->length, bytes, count);
    b->length += count;
}

void buffer_text(write_buffer *b, const char *text) { buffer_bytes(b, text, strlen(text)); }

void buffer_str(write_buffer *b, karp_str text) { buffer_bytes(b, text.ptr, text.len); }

void buffer_char(write_buffer *b, char c) { buffer_bytes(b, &c, 1); }

void buffer_repeat(write_buffer *b, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        buffer_text(b, text);
    }
}

const char *buffer_start(const write_buffer *b) { return b->block == NULL ? "" : b->block + sizeof(text_owner); }

void buffer_cut(write_buffer *b, size_t length)
{
    if (!b->failed && length < b->length) {
        b->length = length;
    }
}

void buffer_trim(write_buffer *b)
{
    while (b->length > 0 && b->block[sizeof(text_owner) + b->length - 1] == ' ') {
        b->length--;
    }
}

void buffer_uint(write_buffer *b, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    buffer_bytes(b, digits + at, sizeof(digits) - at);
}

void buffer_int(write_buffer *b, int64_t value)
{
    if (value < 0) {
        buffer_char(b, '-');
    }
    buffer_uint(b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
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
    if (!b->failed) {
        make_room(b, 1);
    }
    if (b->failed) {
        buffer_free(b);
        return fail_nomem(error);
    }
    text_owner owner = { .context = karp_context_ref(b->context), .bytes = sizeof(text_owner) + b->capacity };
    memcpy(b->block, &owner, sizeof(owner));
    out->owner = b->block;
    out->ptr = b->block + sizeof(text_owner);
    out->len = b->length;
    out->ptr[out->len] = '\0';
    buffer_init(b, b->context);
    return KARP_OK;
}

void karp_text_free(karp_text *text)
{
    if (text == NULL) {
        return;
    }
    if (text->owner != NULL) {
        text_owner owner;
        memcpy(&owner, text->owner, sizeof(owner));
        karp_free(owner.context, text->owner, owner.bytes);
        karp_context_free(owner.context);
    }
    *text = (karp_text){ 0 };
}

void *array_alloc(karp_context *context, size_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    return karp_alloc(context, count == 0 ? size : count * size);
}

void karp_write_options_init(karp_write_options *options, size_t size)
{
    const karp_write_options fresh = { 0 };
    struct_start(options, size, &fresh, sizeof fresh);
}

karp_status check_write_options(const karp_write_options *given, karp_write_options *copy, karp_error *error)
{
    *copy = (karp_write_options){ .size = sizeof(*copy), .width = 100 };
    if (given == NULL) {
        return KARP_OK;
    }
    karp_status status = struct_check(given, sizeof(*copy), SIZE_THROUGH(karp_write_options, warning_count), copy,
                                      "karp_write_options", error);
    if (status != KARP_OK) return status;
    if (copy->width == 0) {
        copy->width = 100;
    }
    return KARP_OK;
}

/* ---- the beginning and end of every karp_write_…() --------------------------------------------------------------- */

karp_status write_begin(write_call *call, const karp_write_options *given, bool complete, const char *needed,
                        uint32_t formats)
{
    karp_status status = check_write_options(given, &call->options, call->error);
    if (status != KARP_OK) {
        return status;
    }
    if (!complete || call->context == NULL || call->out == NULL) {
        return fail(call->error, KARP_E_INVALID, "%s", needed);
    }
    if (call->options.format >= 32 || (formats >> call->options.format & 1) == 0) {
        return fail(call->error, KARP_E_UNSUPPORTED, "this document is not written in that format");
    }
    buffer_init(&call->buffer, call->context);
    return KARP_OK;
}

karp_status write_end(write_call *call)
{
    if (call->options.format == KARP_FORMAT_TEXT) text_fold_buffer(&call->buffer, call->options.width);
    karp_status status = buffer_finish(&call->buffer, call->out, call->error);
    return karp_context_refusal(call->context, status, call->error);
}
