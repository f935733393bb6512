/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a karp_table: add columns, fill them row by row, then finish the table. A failed allocation, or a column
 * too large for its offsets, is recorded in the table. Later calls then do nothing, so that checking the result of
 * table_finish() is enough.
 */
#pragma once

#include <base/hash.h>
#include <karp/columns.h>

typedef struct column column;

/* NULL = out of memory; then every call on it does nothing, and table_finish() returns the error. */
karp_table *table_new(karp_context *context);

/* A new column; NULL after a failure. */
column *table_text(karp_table *t, const char *name);
column *table_words(karp_table *t, const char *name); /* dictionary-encoded */
column *table_uint32(karp_table *t, const char *name);
column *table_int64(karp_table *t, const char *name);
column *table_double(karp_table *t, const char *name);
/* A column of lists. Each row has any number of values and ends with column_end(). */
column *table_list_words(karp_table *t, const char *name);
column *table_list_uint32(karp_table *t, const char *name);

/* Append a value. The function must match the column's type. */
void column_uint32(column *c, uint32_t value);
void column_int64(column *c, int64_t value);
void column_double(column *c, double value);
void column_text(column *c, karp_str value); /* for TEXT and DICTIONARY */
/* Ends a row of a list column. */
void column_end(column *c);
/* Append a complete row of a list column. */
void column_texts(column *c, const karp_str *texts, size_t count);
void column_uint32s(column *c, const uint32_t *values, size_t count);

/* Moves the table to *out, or frees it and returns NOMEM, LIMIT or INTERNAL (columns of different lengths). List
 * elements after the last column_end() are an error of the caller. */
karp_status table_finish(karp_table *t, karp_table **out, karp_error *error);

/* Adds a reference to a finished table. karp_table_free() drops it. */
karp_table *table_ref(karp_table *t);
karp_context *table_context(const karp_table *t);

/* A column of doubles for each resource, named "requests.cpu" and so on, in the order of the names. First mention
 * every resource, then make the columns. amount_columns_find() returns the id of a column. */
typedef struct amount_columns {
    karp_table *table;
    strings names;
    column **columns; /* by id in `names` */
    size_t count;
} amount_columns;

void amount_columns_begin(amount_columns *a, karp_table *t);
void amount_columns_mention(amount_columns *a, karp_str resource);
void amount_columns_make(amount_columns *a, const char *prefix);
uint32_t amount_columns_find(const amount_columns *a, karp_str resource); /* NO_ID = not mentioned */
/* Appends a row: values[i] goes to the column with id i. */
void amount_columns_row(const amount_columns *a, const double *values);
void amount_columns_end(amount_columns *a);
