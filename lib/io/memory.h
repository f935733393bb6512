/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of libkarp-io, on karp_alloc() alone: an arena, text that grows, a table of names. A refused allocation is
 * NULL, false or a `failed` mark; nothing here fills an error. */
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <karp/io.h>

/* Many small pieces, freed together. Pieces are 16-byte aligned. */
typedef struct io_block io_block;
typedef struct io_arena {
    karp_context *context;
    io_block *blocks; /* newest first */
    char *next;
    char *end;
} io_arena;

void io_arena_init(io_arena *arena, karp_context *context);
void io_arena_free(io_arena *arena);
void io_arena_reset(io_arena *arena); /* empties it but keeps one block for the next use */
void *io_arena_alloc(io_arena *arena, size_t bytes);
void *io_arena_array(io_arena *arena, size_t count, size_t elem); /* checked product; cleared; never NULL for count 0 */
char *io_arena_string(io_arena *arena, const char *text, size_t length); /* NUL-terminated copy */

/* Text that grows. After a refused allocation `failed` is set and later calls do nothing. */
typedef struct io_text {
    karp_context *context;
    char *ptr; /* NUL-terminated once anything was added */
    size_t len, capacity;
    bool failed;
} io_text;

void io_text_init(io_text *text, karp_context *context);
void io_text_free(io_text *text);
void io_text_add(io_text *text, const char *ptr, size_t length);
void io_text_adds(io_text *text, const char *string);
void io_text_addc(io_text *text, char c);
void io_text_addu(io_text *text, uint64_t value);
void io_text_addi(io_text *text, int64_t value);

/* Names -> 32-bit values. Keys are copied. */
#define IO_NONE UINT32_MAX
typedef struct io_table_slot {
    const char *key;
    size_t length;
    uint64_t hash;
    uint32_t value;
} io_table_slot;
typedef struct io_table {
    io_arena *arena; /* where keys are kept */
    io_table_slot *slots;
    size_t slot_count, count;
    uint64_t seed;
} io_table;

void io_table_init(io_table *table, io_arena *arena);
void io_table_free(io_table *table);
bool io_table_put(io_table *table, karp_str key, uint32_t value); /* replaces; false = refused */
uint32_t io_table_get(const io_table *table, karp_str key); /* IO_NONE = not there */

/* Growable array: room for `need` elements of `elem` bytes. false = refused, array unchanged. */
bool io_grow(karp_context *context, void **data, size_t *capacity, size_t need, size_t elem);

karp_str io_str(const char *text);
bool io_str_is(karp_str a, const char *text);
bool io_str_equal(karp_str a, karp_str b);
int io_str_compare(karp_str a, karp_str b);
bool io_str_ends(karp_str a, const char *suffix);

/* Sorts pointers by `compare`, keeping the order of equals. false = no memory, array unchanged. */
bool io_sort(karp_context *context, const void **items, size_t count, int (*compare)(const void *a, const void *b));

#endif
