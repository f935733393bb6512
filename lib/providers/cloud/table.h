/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of a cloud's facts and prices, built in or from facts files: one row for each type, one cell for each region.
 * docs/providers.md describes the format. Texts of rows refer to the table.
 */
#pragma once

#include <json/tree.h>
#include <providers/scratch.h>

enum { CLOUD_CELLS_MOST = 18, CLOUD_NAMED_MOST = 32, CLOUD_REGION_MOST = 40 };

/* The differences between the tables of the clouds. */
typedef struct cloud_format {
    const char *cloud; /* "gcp" */
    size_t cells; /* number of cells before those of the regions */
    karp_str (*built_in)(void); /* the built-in table in this format; NULL = none */
    const char *usual_region; /* default region, which is built in */
    bool zones_named; /* has lines of zones */
} cloud_format;

/* A line "zone REGION:LETTER ID NAME". */
typedef struct cloud_zone {
    char letter;
    karp_str id; /* "" = not stated */
    karp_str name; /* of a zone whose name is not the region's with a letter; "" = it is */
} cloud_zone;

typedef struct cloud_table {
    const cloud_format *format;
    karp_str rest; /* not yet read */
    uint32_t line;
    karp_str as_of; /* dates of the facts and of the prices */
    karp_str sources; /* the lines with their sources */
    karp_str regions; /* "us-central1:abcf us-east1:bcd" */
    size_t region_count, region; /* region: index of the region being read */
    karp_str zones; /* letters of this region's zones */
    cloud_zone named[CLOUD_NAMED_MOST]; /* of this region */
    size_t named_count;
    size_t rows;
    karp_str previous; /* the name in the previous row */
} cloud_table;

typedef struct cloud_row {
    karp_str cells[CLOUD_CELLS_MOST]; /* the first one is the name */
    karp_str offer; /* the region's cell; "" = the region lacks the type */
} cloud_row;

/* Reads the header of a table. Errors: INVALID, with the line; NOT_FOUND: the table does not contain the region. */
karp_status cloud_table_open(cloud_table *t, const cloud_format *format, karp_str text, karp_str region,
                             karp_error *error);
/* Reads a row; *more = there was one. Also checks the last line. */
karp_status cloud_table_next(cloud_table *t, cloud_row *row, bool *more, karp_error *error);
/* Reports INVALID in the line that was read last. */
karp_status cloud_table_bad(const cloud_table *t, const cloud_row *row, const char *field, karp_error *error,
                            const char *message);

/* Finds an element by name. The elements' first member is their name, a karp_str. NULL = not found. */
void *cloud_find(void *list, size_t count, size_t elem, karp_str name);

/* Reads the built-in table's header, and lists the names of its regions, "a, b, c", truncated to `room`. */
void cloud_built_in(const cloud_format *format, cloud_table *t, char *regions, size_t room);
/* NOT_FOUND: the region is unknown. */
uint32_t cloud_not_built_in(const cloud_format *format, karp_str region, karp_provider_problem *problem);

/* Parses a whole number of at most `most`; false = invalid. */
bool cloud_whole(karp_str text, int64_t most, int64_t *out);
/* Parses a decimal like .0902, 3 or 1e-7 to the nearest double; false = invalid or negative. */
bool cloud_decimal(karp_str text, double *out);
/* A letter that represents a flag. */
typedef struct cloud_letter {
    char letter;
    uint32_t flag;
} cloud_letter;
bool cloud_flags(karp_str text, const cloud_letter *letters, size_t count, uint32_t *out); /* adds flags to *out */
/* A price in a cell: "" = unknown, represented by a negative value. */
bool cloud_price(karp_str text, double *out);

/* ---- prices from other sources ----------------------------------------------------------------------------------- */

/* The price in a member of an object; false = not a price. */
bool cloud_price_of(const tree *value, double *out);
