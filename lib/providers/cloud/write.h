/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a table of one region's facts, and describes how to get facts with a cloud's own tools. */
#pragma once

#include <providers/cloud/table.h>

typedef struct cloud_writer {
    strbuf out;
    bool first; /* no cell of the row has been written yet */
    size_t rows;
    char bad[64]; /* a text that the format cannot represent; "" = none */
} cloud_writer;

/* Writes the header of a table. `sources` ends with a newline, or is empty. Bit 0 of `zones` is the zone `first`. */
void cloud_write_begin(cloud_writer *w, karp_context *context, const cloud_format *format, karp_str as_of,
                       karp_str sources, karp_str region, uint32_t zones, char first);
/* Starts a cell. A row consists of cells and a final cloud_write_row(). The content of a cell may be continued in
 * `out`. */
void cloud_write_cell(cloud_writer *w, karp_str text);
void cloud_write_whole(cloud_writer *w, int64_t value); /* <= 0 = an empty cell */
void cloud_write_number(cloud_writer *w, double value);
void cloud_write_decimal(cloud_writer *w, double value); /* within a cell */
void cloud_write_letters(cloud_writer *w, uint32_t bits, char first); /* within a cell: bit 0 = the first letter */
char cloud_letter_of(int bit, char first); /* after z come capital letters */
void cloud_write_price(cloud_writer *w, double price); /* within a cell; negative = unknown */
/* Within a cell: a text that must not contain these letters, nor those that no cell may contain. */
void cloud_write_text(cloud_writer *w, karp_str text, const char *without);
void cloud_write_row(cloud_writer *w);
/* Ends the table and returns it in the host's memory. Frees the writer. */
uint32_t cloud_write_end(cloud_writer *w, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem);

/* ---- sources of facts -------------------------------------------------------------------------------------------- */

typedef struct cloud_kind {
    const char *kind, *file;
    const char *command; /* @ is replaced by the region; "" = none */
    const char *what;
    const char *missing; /* message if there are no such facts; likewise */
    bool optional;
} cloud_kind;

/* Fills in region, kinds and the dates of the facts in use, and the built-in facts if the format has a table of them;
 * bit i of `missing` = no facts of kind i. */
uint32_t cloud_describe(const karp_provider_memory *memory, const cloud_format *format, const cloud_kind *kinds,
                        size_t count, uint32_t missing, karp_str region, karp_str as_of, karp_provider_facts_info *info,
                        karp_provider_problem *problem);

/* The sources of the facts after facts of a kind were loaded. */
karp_str cloud_sources(scratch *s, karp_str before, karp_str kind);
