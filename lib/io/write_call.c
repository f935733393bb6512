/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/library.h>
#include "write_call.h"
#include "write_width.h"

karp_status write_begin(write_call *call, const karp_write_options *given, bool complete, const char *needed,
                        uint32_t formats)
{
    karp_status status = check_write_options(given, &call->options, call->error);
    if (status != KARP_OK) {
        return status;
    }
    if (!complete || call->context == NULL || call->out == NULL) {
        return write_fail(call->error, KARP_E_INVALID, needed);
    }
    if (call->options.format >= 32 || (formats >> call->options.format & 1) == 0) {
        return write_fail(call->error, KARP_E_UNSUPPORTED, "this document is not written in that format");
    }
    buffer_init(&call->buffer, call->context);
    return KARP_OK;
}

karp_status write_end(write_call *call, karp_status status)
{
    if (status != KARP_OK) {
        buffer_free(&call->buffer);
        return karp_context_refusal(call->context, status, call->error);
    }
    if (call->options.format == KARP_FORMAT_TEXT) text_fold_buffer(&call->buffer, call->options.width);
    status = buffer_finish(&call->buffer, call->out, call->error);
    return karp_context_refusal(call->context, status, call->error);
}
