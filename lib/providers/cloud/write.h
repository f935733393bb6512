/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a table of one region's facts, and telling how a cloud's own tools print them. */
#ifndef CLOUD_WRITE_H
#define CLOUD_WRITE_H

#include <providers/cloud/table.h>

typedef struct cloud_writer {
    strbuf out;
    bool first; /* no cell of the row is written yet */
    size_t rows;
    char bad[64]; /* a text that cannot stand in a table; "" = there is none */
} cloud_writer;

/* The head of a table. A text ends with its newline, or is empty. */
void cloud_write_begin(cloud_writer *w, karp_context *context, const cloud_format *format, karp_str as_of,
                       karp_str sources, karp_str region, karp_str zones);
/* A row is its cells and then cloud_write_row(). What follows within a cell is written to `out`. */
void cloud_write_cell(cloud_writer *w, karp_str text);
void cloud_write_whole(cloud_writer *w, int64_t value); /* <= 0 = an empty cell */
void cloud_write_number(cloud_writer *w, double value);
void cloud_write_decimal(cloud_writer *w, double value); /* within a cell */
void cloud_write_letters(cloud_writer *w, uint32_t bits, char first); /* within a cell: bit 0 = the first letter */
void cloud_write_price(cloud_writer *w, double price); /* within a cell; negative = not known */
/* Within a cell: a text that must have none of the letters beside those that no cell can have. */
void cloud_write_text(cloud_writer *w, karp_str text, const char *without);
void cloud_write_row(cloud_writer *w);
/* The end of the table, and the whole of it in memory of the host. Frees the writer. */
uint32_t cloud_write_end(cloud_writer *w, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem);

/* ---- how facts are had ------------------------------------------------------------------------- */

typedef struct cloud_kind {
    const char *kind, *file;
    const char *command; /* each @ is the region; "" = there is none */
    const char *what;
    const char *missing; /* why there are none, when there are none; likewise */
    bool optional;
} cloud_kind;

/* Fills region and kinds, and what is built in where the format has a table of it; bit i of `missing` = there is nothing of kind i. */
uint32_t cloud_facts_info(const karp_provider_memory *memory, const cloud_format *format, const cloud_kind *kinds,
                          size_t count, uint32_t missing, karp_str region, karp_provider_facts_info *info,
                          karp_provider_problem *problem);

/* What the facts are from once a kind of them was loaded. */
karp_str cloud_sources(scratch *s, karp_str before, karp_str kind);

#endif
