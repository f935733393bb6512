/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the results of karp_verify(). */
#include "write_json.h"
#include "write_text.h"

static karp_status as_json(write_buffer *b, const karp_verification *found, const karp_write_options *options)
{
    json_out json, *j = &json;
    json_init(j, b, options->compact != 0);
    json_open_object(j);
    json_key(j, "errors");
    json_open_array(j);
    for (size_t i = 0; i < karp_verification_count(found); i++) {
        karp_finding row = { .size = sizeof(row) };
        karp_status status = karp_verification_finding(found, i, &row);
        if (status != KARP_OK) {
            return status;
        }
        json_open_object(j);
        json_member_text(j, "code", karp_finding_name(row.code));
        json_member_str(j, "object", row.object);
        json_member_str(j, "detail", row.detail);
        json_end(j);
    }
    json_end(j);
    json_close(j);
    return KARP_OK;
}

static karp_status as_text(write_buffer *b, const karp_verification *found, const karp_write_options *options)
{
    text_out text = { b, options->width, options->color != 0 };
    const text_out *t = &text;
    size_t count = karp_verification_count(found);
    for (size_t i = 0; i < count; i++) {
        karp_finding row = { .size = sizeof(row) };
        karp_status status = karp_verification_finding(found, i, &row);
        if (status != KARP_OK) {
            return status;
        }
        text_style_begin(t, STYLE_ALERT);
        buffer_text(b, karp_finding_name(row.code));
        text_style_end(t, STYLE_ALERT);
        buffer_text(b, "  ");
        text_clean(b, row.object);
        buffer_text(b, ": ");
        text_clean(b, row.detail);
        buffer_char(b, '\n');
    }
    buffer_uint(b, count);
    buffer_text(b, count == 1 ? " error.\n" : " errors.\n");
    return KARP_OK;
}

karp_status karp_write_verification(karp_context *context, const karp_verification *verification,
                                    const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, verification != NULL,
                                     "a context, a verification and a place for the text are needed",
                                     1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT);
    if (status != KARP_OK) {
        return status;
    }
    bool json = call.options.format == KARP_FORMAT_JSON;
    status = (json ? as_json : as_text)(&call.buffer, verification, &call.options);
    return write_end(&call, status == KARP_OK ? KARP_OK : fail(error, status, "a finding cannot be read"));
}
