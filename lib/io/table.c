/* SPDX-License-Identifier: Apache-2.0 */
#include <io/table.h>

void io_table_init(io_table *table, karp_context *context)
{
    *table = (io_table){ .values = NULL };
    strings_init(&table->names, context);
}

void io_table_free(io_table *table)
{
    mem_free(table->names.context, table->values, table->capacity * sizeof *table->values);
    table->values = NULL;
    table->capacity = 0;
    strings_free(&table->names);
}

uint32_t *io_table_at(io_table *table, karp_str key)
{
    size_t before = table->names.count;
    uint32_t id = strings_add(&table->names, key.ptr ? key.ptr : "", key.len);
    if (id == NO_ID || !grow(table->names.context, (void **)&table->values, &table->capacity, table->names.count,
                             sizeof *table->values))
        return NULL;
    if (id >= before) table->values[id] = IO_NONE;
    return &table->values[id];
}

uint32_t io_table_count(io_table *table, karp_str key)
{
    uint32_t *count = io_table_at(table, key);
    if (count) *count = *count == IO_NONE ? 1 : *count + 1;
    return count ? *count : 0;
}

bool io_table_put(io_table *table, karp_str key, uint32_t value)
{
    uint32_t *place = io_table_at(table, key);
    if (place) *place = value;
    return place != NULL;
}

uint32_t io_table_get(const io_table *table, karp_str key)
{
    uint32_t id = strings_find(&table->names, key.ptr ? key.ptr : "", key.len);
    return id == NO_ID || id >= table->capacity ? IO_NONE : table->values[id];
}
