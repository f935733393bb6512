/* SPDX-License-Identifier: Apache-2.0 */
/* Names -> 32-bit values, on lib/base's strings. */
#pragma once

#include <base/error.h>
#include <base/hash.h>
#include <base/sort.h>
#include <base/strbuf.h>
#include <karp/io.h>

#define IO_NONE UINT32_MAX
typedef struct io_table {
    strings names;
    uint32_t *values; /* by the name's id */
    size_t capacity;
} io_table;

void io_table_init(io_table *table, karp_context *context);
void io_table_free(io_table *table); /* leaves an empty table */
bool io_table_put(io_table *table, karp_str key, uint32_t value); /* replaces a value; false = out of memory */
/* The key's value, which is IO_NONE for a new key. It may be set until the next key is added. NULL = out of memory. */
uint32_t *io_table_at(io_table *table, karp_str key);
uint32_t io_table_count(io_table *table, karp_str key); /* adds 1 to a value, which it returns; 0 = out of memory */
uint32_t io_table_get(const io_table *table, karp_str key); /* IO_NONE = not found */
