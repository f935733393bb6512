/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common beginning and end of every karp_write_…(): complete options and an empty text; then the text is returned
 * or freed.
 */
#ifndef IO_WRITE_CALL_H
#define IO_WRITE_CALL_H

#include "write_buffer.h"

typedef struct write_call {
    karp_context *context;
    karp_text *out;
    karp_error *error;
    karp_write_options options; /* complete after write_begin() */
    write_buffer buffer;
} write_call;

/* `formats` has the bit 1 << KARP_FORMAT_… of each supported format. `needed` is the error message if `complete` is
 * false, or if the call lacks a context or `out`. Errors: ABI_SIZE, ABI_NEW, INVALID, UNSUPPORTED. */
karp_status write_begin(write_call *call, const karp_write_options *given, bool complete, const char *needed,
                        uint32_t formats);

/* Returns the text if `status` is KARP_OK, and frees it otherwise. Returns the status of the call. */
karp_status write_end(write_call *call, karp_status status);

#endif
