/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file jansson.h  Documents as json_t of jansson 2.14 or later (libkarp-jansson). They go in without being printed,
 * and decisions come out without being parsed. Trees are read during a call alone, and belong to the caller.
 */
#ifndef KARP_JANSSON_H
#define KARP_JANSSON_H

#include <jansson.h>
#include <karp/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * karp_reader_add() of a document: one object, List or Snapshot. It is read as if it were printed and parsed, but reals
 * are the shortest decimals that are the same number: json_dumps() prints 0.1 as 0.10000000000000001, which is more
 * than 100m of CPU. What the reader keeps is copied. A tree that contains itself is refused. Errors: as
 * karp_reader_add_values(). Since 1.0.
 */
KARP_API karp_status karp_reader_add_json(karp_reader *reader, karp_str name, const json_t *document,
                                          karp_error *error);
/** karp_reader_replace() of a document. Errors: as karp_reader_replace_values(). Since 1.0. */
KARP_API karp_status karp_reader_replace_json(karp_reader *reader, karp_str name, const json_t *document,
                                              karp_error *error);

/** What a writer writes, as a json_t. Since 1.0. */
typedef struct karp_json_document {
    size_t size;
    json_t *root; /**< after a call that has succeeded: the caller's reference; NULL before and after a failure.
                     Amounts and prices are text, as in the printed document; other numbers that may have a fraction
                     are reals */
    /** for karp_write_options.values, with format JSON; it is last, as it may grow, and its size says where it ends */
    karp_value_sink sink;
} karp_json_document;

/** Prepares @p document. It must stay in place while a writer uses it, and is for one document: to use it again, call
 * this again. Since 1.0. */
KARP_API void karp_json_document_init(karp_json_document *document, size_t size);

#ifdef __cplusplus
}
#endif
#endif
