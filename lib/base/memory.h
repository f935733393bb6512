/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: checked allocations, growable arrays, arenas, and memory with several owners. The first functions are in
 * allocate.c. libkarp-io and the program have them from allocate_outside.c, with karp_alloc() and karp_free(), because
 * they cannot access a context's members.
 */
#pragma once

#include <stdbool.h>
#include <karp/base.h>

/* karp_context is reference-counted internally: every object has a reference, so that a caller may free the context
 * first. */
karp_context *context_ref(karp_context *context);
void context_unref(karp_context *context);

/* NULL = out of memory. bytes == 0 returns a valid pointer to one byte. mem_zalloc clears the memory, mem_alloc does
 * not. */
void *mem_alloc(karp_context *context, size_t bytes);
void *mem_zalloc(karp_context *context, size_t bytes);
void *mem_realloc(karp_context *context, void *ptr, size_t old_bytes, size_t new_bytes);
void mem_free(karp_context *context, void *ptr, size_t bytes); /* ptr may be NULL */

/* A refused allocation: notes that the work has failed. The caller returns the result, which says so to its caller. */
static inline bool mem_refused(bool *failed)
{
    *failed = true;
    return false;
}
static inline void *mem_refused_null(bool *failed) { return mem_refused(failed) ? failed : NULL; }

/* For loops that may be long and allocate nothing: reports `units` of work, each about a byte read, compared or
 * written. false = the caller wants to stop; end the call as after a failed allocation. */
bool mem_work(karp_context *context, size_t units);

/* false = overflow */
bool size_add(size_t a, size_t b, size_t *out);
bool size_mul(size_t a, size_t b, size_t *out);

/* Makes room for `need` elements of `elem` bytes in a growable array, at least doubling it. *data and *capacity are
 * the array's members. false = out of memory, array unchanged. Free it with mem_free(context, data, capacity * elem).
 */
bool grow(karp_context *context, void **data, size_t *capacity, size_t need, size_t elem);

/* An arena: many small allocations that are freed together. They are aligned to 16 bytes, except strings, and not
 * cleared. */
typedef struct arena_block arena_block;
typedef struct arena {
    karp_context *context; /* not a reference: the owner of the arena has one */
    arena_block *blocks; /* newest first */
    char *next;
    char *end;
    arena_block *spare; /* a released block that is kept for reuse */
    size_t total; /* bytes allocated, including the spare block */
} arena;

typedef struct arena_mark {
    arena_block *block;
    char *next;
} arena_mark;

void arena_init(arena *a, karp_context *context);
static inline arena arena_on(karp_context *context) { return (arena){ .context = context }; }
void arena_free(arena *a); /* the arena is empty afterwards and can be reused */
void *arena_alloc(arena *a, size_t bytes); /* NULL = out of memory */
void *arena_alloc_aligned(arena *a, size_t bytes, size_t align); /* align: a power of two, at most 16 */
void *arena_zalloc(arena *a, size_t bytes);
void *arena_array(arena *a, size_t count, size_t elem); /* checks the product for overflow; cleared */
void *arena_items(arena *a, size_t count, size_t elem); /* not cleared: write each item that is handed on */
/* grow() for an array in an arena. The previous array stays in the arena too. */
bool arena_grow(arena *a, void **data, size_t *capacity, size_t need, size_t elem);
void *arena_copy(arena *a, const void *data, size_t bytes);
char *arena_string(arena *a, const char *text, size_t length); /* NUL-terminated copy */
arena_mark arena_get_mark(const arena *a);
void arena_release(arena *a, arena_mark mark); /* frees everything allocated after the mark */

/* Reference-counted blocks that several owners read and nobody writes to. The last owner frees the block, and owners
 * may be in different threads. */
/* A new block with one reference, not cleared. Fill it before sharing it. The context must outlive it. NULL = out of
 * memory. */
void *block_new(karp_context *context, size_t count, size_t element_bytes);
/* A new block with a copy of the elements, and space for one more. */
void *block_copy(karp_context *context, const void *from, size_t count, size_t element_bytes);
void *block_ref(void *block); /* NULL is allowed */
void block_unref(void *block); /* likewise */
bool block_shared(void *block); /* whether it has several owners */

/* The same for an array that had a single owner. An owner that wants to write gets a copy, or the array itself if it is
 * the only owner. */
typedef struct shared_array shared_array;

/* Takes ownership of memory from the context's allocator and returns one reference. The context must outlive it. NULL
 * = out of memory: the memory still belongs to the caller. */
shared_array *shared_array_new(karp_context *context, void *memory, size_t bytes);
shared_array *shared_array_ref(shared_array *j); /* NULL is allowed */
void shared_array_unref(shared_array *j); /* likewise; the last one frees the memory */
uint32_t shared_array_owners(const shared_array *j);
/* Exchanges the reference for memory that the caller alone owns, with the same first `used` bytes. NULL = out of
 * memory, nothing changed. */
void *shared_array_take(shared_array *j, size_t used);

/* ---- what public functions make ---------------------------------------------------------------------------------- */

/* The first members of a struct that the caller frees: its context, one reference, and memory that goes with it. */
typedef struct made_head {
    karp_context *context;
    arena data;
} made_head;

void *made_new(karp_context *context, size_t bytes); /* otherwise zeroed; NULL = out of memory */
void made_free(void *made, size_t bytes);
