/* SPDX-License-Identifier: Apache-2.0 */
/* What every karp_write_…() does first and last: complete options, an empty text; the text handed over or freed. */
#ifndef IO_WRITE_CALL_H
#define IO_WRITE_CALL_H

#include "write_buffer.h"

typedef struct write_call {
    karp_context *context;
    karp_text *out;
    karp_error *error;
    karp_write_options options; /* complete, from write_begin() on */
    write_buffer buffer;
} write_call;

/* `formats` has the bit 1 << KARP_FORMAT_… of each format the document has; `needed` is what is said when `complete` is
 * false or the call lacks a context or a place for the text. Errors: ABI_SIZE, ABI_NEW, INVALID, UNSUPPORTED. */
karp_status write_begin(write_call *call, const karp_write_options *given, bool complete, const char *needed,
                        uint32_t formats);

/* Hands the text over when `status` is KARP_OK, and gives its memory back otherwise. Returns what became of the call. */
karp_status write_end(write_call *call, karp_status status);

#endif
