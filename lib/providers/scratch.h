/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the providers: many small pieces on karp_alloc(), freed together. A refused allocation sets `failed` and
 * yields NULL from then on, so that builders check once, at their end. */
#ifndef PROVIDERS_SCRATCH_H
#define PROVIDERS_SCRATCH_H

#include <stdbool.h>

#include <karp/provider.h>

typedef struct scratch_block scratch_block;
typedef struct scratch {
    karp_context *context;
    const karp_provider_memory *memory; /* where blocks come from instead, and stay; NULL = the context */
    scratch_block *blocks; /* newest first */
    char *next;
    char *end;
    bool failed;
} scratch;

void scratch_init(scratch *s, karp_context *context);
/* On memory of the host: there is nothing to free. */
void scratch_init_on(scratch *s, const karp_provider_memory *memory);
void scratch_free(scratch *s);

/* Not cleared. Aligned for anything. */
void *scratch_alloc(scratch *s, size_t bytes);
/* Cleared; the product is checked. */
void *scratch_array(scratch *s, size_t count, size_t elem);
/* NUL-terminated copies; {"",0} after a failure. */
karp_str scratch_text(scratch *s, karp_str text);
karp_str scratch_uint(scratch *s, uint64_t value);
karp_str scratch_uint_unit(scratch *s, uint64_t value, const char *unit);

/* A karp_str of a literal. */
#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }

#endif
