/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: checked allocations, growable arrays, arenas. libkarp-io has the first functions from io/allocate.c, on
 * karp_alloc() and karp_free(), as it does not know what a context is made of. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <karp/base.h>

/* karp_context is reference-counted inside: every object takes a reference, so contexts may be freed first. */
karp_context *context_ref(karp_context *context);
void context_unref(karp_context *context);

/* NULL = out of memory. bytes == 0 yields a non-NULL pointer of one byte. mem_alloc does not clear, mem_zalloc does. */
void *mem_alloc(karp_context *context, size_t bytes);
void *mem_zalloc(karp_context *context, size_t bytes);
void *mem_realloc(karp_context *context, void *ptr, size_t old_bytes, size_t new_bytes);
void mem_free(karp_context *context, void *ptr, size_t bytes); /* ptr may be NULL */

/* In loops that may be long and ask for no memory: `units` of about a byte that is read, compared or written are done. false = the caller
 * wants to stop, which ends the call as a refused allocation does. */
bool mem_work(karp_context *context, size_t units);

/* false on overflow */
bool size_add(size_t a, size_t b, size_t *out);
bool size_mul(size_t a, size_t b, size_t *out);

/* Makes room for `need` elements in a growable array of `elem` bytes each, doubling. *data and *capacity are the
 * array's own fields. false = out of memory, array unchanged. Free with mem_free(context, data, capacity * elem). */
bool grow(karp_context *context, void **data, size_t *capacity, size_t need, size_t elem);

/* An arena: many small pieces, freed together. Pieces are 16-byte aligned (strings are not aligned) and not
 * cleared. */
typedef struct arena_block arena_block;
typedef struct arena {
    karp_context *context; /* not held: the owner of the arena holds it */
    arena_block *blocks; /* newest first */
    char *next;
    char *end;
    arena_block *spare; /* one released block, kept for the next need */
    size_t total; /* bytes taken from the allocator, the spare included */
} arena;

typedef struct arena_mark {
    arena_block *block;
    char *next;
} arena_mark;

void arena_init(arena *a, karp_context *context);
void arena_free(arena *a); /* the arena is empty again and may be used */
void *arena_alloc(arena *a, size_t bytes); /* NULL = out of memory */
void *arena_alloc_aligned(arena *a, size_t bytes, size_t align); /* align: a power of two, at most 16 */
void *arena_zalloc(arena *a, size_t bytes);
void *arena_array(arena *a, size_t count, size_t elem); /* checked product; cleared */
void *arena_copy(arena *a, const void *data, size_t bytes);
char *arena_string(arena *a, const char *text, size_t length); /* NUL-terminated copy */
arena_mark arena_get_mark(const arena *a);
void arena_release(arena *a, arena_mark mark); /* frees everything allocated after the mark */

#endif
