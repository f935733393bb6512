/* SPDX-License-Identifier: Apache-2.0 */
/* What the formats of a catalogue share. */
#pragma once

#include "kept.h"
#include "write_buffer.h"

typedef struct catalogue_job {
    karp_context *context;
    const karp_catalogue *catalogue;
    const uint32_t *order; /* indices of types, sorted by name */
    size_t count;
    const karp_write_options *options;
    write_buffer *out;
    karp_error *error;
} catalogue_job;

void catalogue_as_text(const catalogue_job *job);

/* Writes the catalogue as compact JSON, type by type, so that it is never in memory as a whole. */
karp_status write_catalogue_pieces(karp_context *context, const karp_catalogue *catalogue, const io_text_sink *sink,
                                   karp_error *error);

/* The first value of an In requirement; "" when there is none. */
karp_str requirement_value(const karp_requirement *list, size_t count, const char *key);
