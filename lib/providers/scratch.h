/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the providers: many small pieces of an arena, or of the host, freed together. After a refused allocation
 * `failed` is set and every result is NULL, so that builders check only once, at their end.
 */
#pragma once

#include <base/memory.h>
#include <providers/fail.h>

typedef struct scratch {
    karp_context *context; /* NULL = the host's memory */
    const karp_provider_memory *memory; /* gives the pieces instead of the arena, and owns them */
    arena pieces;
    bool failed;
} scratch;

void scratch_init(scratch *s, karp_context *context);
/* Uses the host's memory: nothing has to be freed. */
void scratch_init_on(scratch *s, const karp_provider_memory *memory);
void scratch_free(scratch *s);

/* Not zeroed. Aligned for pointers, numbers and structs of them. */
void *scratch_alloc(scratch *s, size_t bytes);
/* Zeroed; checks the product for overflow. */
void *scratch_array(scratch *s, size_t count, size_t elem);
/* arena_grow(), for memory that is not the host's. */
bool scratch_grow(scratch *s, void **list, size_t *capacity, size_t need, size_t elem);
/* NUL-terminated copies; {"",0} after a failure. */
karp_str scratch_text(scratch *s, karp_str text);
karp_str scratch_uint(scratch *s, uint64_t value);
karp_str scratch_uint_unit(scratch *s, uint64_t value, const char *unit);

/* A karp_str initializer from a literal. */
#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }

/* ---- memory of the host ------------------------------------------------------------------------------------------ */

/* *out is valid until the scratch is freed. */
void memory_of_scratch(scratch *s, karp_provider_memory *out);

/* Takes over a reference to a catalogue, also on failure, and keeps it as long as the memory lives. The memory must be
 * from karp_provider_memory_new(). */
karp_status memory_keep_catalogue(const karp_provider_memory *memory, karp_catalogue *catalogue, karp_error *error);
