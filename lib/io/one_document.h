/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that this library writes and reads again, one JSON value each: a Plan, a DisruptionMemory, a Command. */
#ifndef IO_ONE_DOCUMENT_H
#define IO_ONE_DOCUMENT_H

#include <io/decode.h>

typedef struct io_document {
    karp_context *context;
    io_arena arena;
    json_t *tree; /* owns the strings of what was decoded */
} io_document;

typedef void io_decode_fn(io_decoder *d, const json_t *root, void *out);

/* Parses the one value of the text and has it decoded into `out`; `what` is the kind's name, in errors ("a plan"). The
 * context gets a hold, which whoever frees what the document lies in gives up last. On failure nothing is held. Errors: SYNTAX, INVALID, LIMIT, RANGE, NOMEM. */
karp_status io_document_read(io_document *document, karp_context *context, const char *what, karp_str name, karp_str text, io_decode_fn *decode,
                             void *out, karp_error *error);
void io_document_free(io_document *document);

#endif
