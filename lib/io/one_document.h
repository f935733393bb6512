/* SPDX-License-Identifier: Apache-2.0 */
/* Reads documents that this library also writes, with one JSON value each: a Plan, a DisruptionMemory, a Command. */
#pragma once

#include <io/decode.h>

/* The common beginning of every such document. It is the first member of the struct for each kind. */
typedef struct io_document {
    karp_context *context; /* one reference */
    arena arena;
    trees trees; /* the strings of what was decoded */
    size_t bytes; /* size of the struct */
} io_document;

typedef struct io_document_kind {
    const char *what; /* in errors: "a plan" */
    size_t bytes; /* size of the struct */
    size_t value; /* offset of the decoded value in it */
    void (*decode)(io_decoder *d, const tree *root, void *value);
} io_document_kind;

/* Parses the text's single value and decodes it into a new struct. `out` points to the pointer that is set to it. As in
 * the public functions, NULL for the context, name, text or `out` is INVALID. Errors: SYNTAX, INVALID, LIMIT, RANGE,
 * NOMEM. */
karp_status io_document_read(karp_context *context, const io_document_kind *kind, karp_str name, karp_str text,
                             void *out, karp_error *error);
/* Likewise from a file. Also: IO. */
karp_status io_document_read_file(karp_context *context, const io_document_kind *kind, const char *path, void *out,
                                  karp_error *error);
/* The decoder's status; a failure goes to the error, with the line of the field in the document, whose text begins with
 * the root. */
karp_status io_decoded(const io_decoder *d, const tree *root, karp_str name, karp_str text, karp_error *error);
/* Frees the struct and its contents. NULL is allowed. */
void io_document_free(io_document *document);
