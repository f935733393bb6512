/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of options as CSV: a line with the names of the columns, in any order, then the rows. Lines that begin with #
 * are comments. */
#pragma once

#include <replay/replay.h>

enum { CELL_COLUMNS = 8 };

typedef struct cell_table {
    replay *r;
    karp_str name, text; /* of the document; what is left of it */
    strbuf file; /* the text, if it was read from a file */
    const char *const *columns; /* their names */
    const char *wanted; /* what is said of a table without them */
    size_t column_count, needed; /* needed: the first ones have to be there */
    size_t order[CELL_COLUMNS], cell_count; /* columns of the cells of a row */
    uint32_t line;
    karp_str comment; /* the first one before the names, which may say the date; "" = none */
} cell_table;

/* Reads the document up to its first row; the table's columns are set. Close it in any case. */
karp_status cell_table_open(cell_table *t, replay *r, const karp_replay_document *document);
/* The next row, by column, "" where it is not there. false = there is none, or a failure. */
bool cell_table_next(cell_table *t, karp_str *cells, karp_status *status);
karp_status cell_table_wrong(cell_table *t, const char *message); /* about the row */
void cell_table_close(cell_table *t);
