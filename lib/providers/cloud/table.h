/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a cloud's facts and prices, as they are built in and as facts files have them: one row a type, one cell a region.
 * docs/providers.md describes the format. Texts that are read point into the table. */
#ifndef CLOUD_TABLE_H
#define CLOUD_TABLE_H

#include <base/strbuf.h>
#include <json/tree.h>
#include <providers/fail.h>
#include <providers/scratch.h>

enum { CLOUD_CELLS_MOST = 18 };

/* What distinguishes the tables of one cloud. */
typedef struct cloud_format {
    const char *cloud; /* "gcp" */
    size_t cells; /* before those of the regions */
    karp_str (*built_in)(void); /* the table of the regions that are built in; NULL = it is none of these */
    const char *usual_region; /* one of them */
} cloud_format;

typedef struct cloud_table {
    const cloud_format *format;
    karp_str rest; /* not yet read */
    uint32_t line;
    karp_str as_of; /* dates of the facts and of the prices */
    karp_str sources; /* the lines that name them */
    karp_str regions; /* "us-central1:abcf us-east1:bcd" */
    size_t region_count, region; /* which of them is read */
    karp_str zones; /* letters of that region's */
    size_t rows;
    karp_str previous; /* the name in the row before */
} cloud_table;

typedef struct cloud_row {
    karp_str cells[CLOUD_CELLS_MOST]; /* the first one is the name */
    karp_str offer; /* the region's cell; "" = the region does not have the type */
} cloud_row;

/* Reads the head of a table. Errors: INVALID, with the line; NOT_FOUND: the region is not in it. */
karp_status cloud_table_open(cloud_table *t, const cloud_format *format, karp_str text, karp_str region,
                             karp_error *error);
/* Reads a row; *more = there was one. The last line is checked. */
karp_status cloud_table_next(cloud_table *t, cloud_row *row, bool *more, karp_error *error);
/* INVALID in the line that was read last. */
karp_status cloud_table_bad(const cloud_table *t, const cloud_row *row, const char *field, karp_error *error,
                            const char *message);

/* The list with room for one more element, maybe another one; NULL = no memory. */
void *cloud_grow(scratch *s, void *list, size_t count, size_t *room, size_t elem);

/* The element of a list by name, whose elements begin with a karp_str, their name; NULL = not there. */
void *cloud_find(void *list, size_t count, size_t elem, karp_str name);

/* The built-in table's head; the names of its regions, "a, b, c", cut to the room. */
void cloud_built_in(const cloud_format *format, cloud_table *t, char *regions, size_t room);
/* NOT_FOUND: nothing is known of the region. */
uint32_t cloud_not_built_in(const cloud_format *format, karp_str region, karp_provider_problem *problem);

/* The text up to a letter, which is skipped; all of it where there is none. */
karp_str cloud_until(karp_str *rest, char end);
/* A whole number of at most `most`; false = it is none. */
bool cloud_whole(karp_str text, int64_t most, int64_t *out);
/* A decimal like .0902, 3 or 1e-7; false = it is none, or negative. It is the nearest double. */
bool cloud_decimal(karp_str text, double *out);
/* Letters that each stand for a flag. */
typedef struct cloud_letter {
    char letter;
    uint32_t flag;
} cloud_letter;
bool cloud_flags(karp_str text, const cloud_letter *letters, size_t count, uint32_t *out); /* adds to *out */
/* A price in a cell: "" = unknown, which is negative. */
bool cloud_price(karp_str text, double *out);

/* ---- prices from elsewhere ------------------------------------------------------------------- */

/* The price that a member of an object states; false = it is no price. */
bool cloud_price_of(const tree *value, double *out);

#endif
