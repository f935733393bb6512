/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a karp_table: columns are added, then filled row by row, then the table is finished. A refused allocation or a
 * column that grows beyond its offsets is remembered in the table; later calls do nothing, so that the one check of
 * table_finish() is enough.
 */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <base/hash.h>
#include <karp/columns.h>

typedef struct column column;

/* NULL = out of memory; then every call on it does nothing, and table_finish() says so. */
karp_table *table_new(karp_context *context);

/* A new column; NULL after a failure. */
column *table_text(karp_table *t, const char *name);
column *table_words(karp_table *t, const char *name); /* a dictionary */
column *table_uint32(karp_table *t, const char *name);
column *table_int64(karp_table *t, const char *name);
column *table_double(karp_table *t, const char *name);
/* A column of lists: a row ends with column_end(), and may have any number of values. */
column *table_list_words(karp_table *t, const char *name);
column *table_list_uint32(karp_table *t, const char *name);

/* The next value; the call has to be that of the column's type. */
void column_uint32(column *c, uint32_t value);
void column_int64(column *c, int64_t value);
void column_double(column *c, double value);
void column_text(column *c, karp_str value); /* TEXT and DICTIONARY */
/* Ends a row of a list. */
void column_end(column *c);
/* A whole row of a list. */
void column_texts(column *c, const karp_str *texts, size_t count);
void column_uint32s(column *c, const uint32_t *values, size_t count);

/*
 * Gives the table to *out, or frees it: NOMEM, LIMIT, INTERNAL (columns of different lengths). An element beyond the last
 * row is an error in the caller.
 */
karp_status table_finish(karp_table *t, karp_table **out, karp_error *error);

/* One more hold of a finished table, given up by karp_table_free(). */
karp_table *table_ref(karp_table *t);
karp_context *table_context(const karp_table *t);

/* A column of doubles per resource, named "requests.cpu" and so on, in the order of the names. First every name that will
 * occur is mentioned, then the columns are made, then found by what name_id() gives. */
typedef struct amount_columns {
    karp_table *table;
    strings names;
    column **columns; /* by id in names */
    size_t count;
} amount_columns;

void amount_columns_begin(amount_columns *a, karp_table *t);
void amount_columns_mention(amount_columns *a, karp_str resource);
void amount_columns_make(amount_columns *a, const char *prefix);
uint32_t amount_columns_find(const amount_columns *a, karp_str resource); /* NO_ID = not mentioned */
/* A row: values[i] to the column with id i. */
void amount_columns_row(const amount_columns *a, const double *values);
void amount_columns_end(amount_columns *a);

#endif
