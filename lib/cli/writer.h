/* SPDX-License-Identifier: Apache-2.0 */
/* Writes text and JSON of the answers that the program itself creates. */
#ifndef CLI_WRITER_H
#define CLI_WRITER_H

#include "cli.h"

#include <base/money.h>

typedef struct cli_writer {
    const cli_options *options;
    strbuf *out; /* if memory is refused, it has failed */
    bool json, markdown, html;
    bool differs;
    bool settled; /* the designs are one cluster before and after settling: nothing is pending in the second */
    size_t cell, first_cell, end_cell; /* of a table row: current cell; cells to write, end_cell 0 = all */
    size_t rows; /* rows of the current list */
    size_t item; /* offset of its current item */
    const struct design *first, *second; /* the designs that are compared */
    const struct diff_list *list; /* the differences of two decisions */
} cli_writer;

/* "karp diff · profile …", as a heading in text, a paragraph in Markdown or a line in HTML. */
void cli_put_made_by(cli_writer *w, const char *verb, const cli_options *options, const cli_input *input);
void cli_put_engine(cli_writer *w); /* "engine": {"name": "libkarp", "version": "1.0.0"} */
/* ", "warnings": […]", and before it "problems", if there are any */
void cli_put_notes(cli_writer *w, const cli_input *input);
/* ', "withoutLicences": "Windows"', if the costs lack any. */
/* "Drift: 4 nodes drift, …", after the name of the side (NULL = there is one); nothing if none drifts. */
void cli_put_drift(cli_writer *w, const char *side, const karp_drift *drift);
/* ', "driftCourse": {…}', likewise. */
void cli_put_drift_json(cli_writer *w, const karp_drift *drift);
void cli_put_licences(cli_writer *w, const cli_input *input);
/* The last line of text: that pods of the input (of a side, if it is named) are not planned. */
void cli_put_incomplete(cli_writer *w, const char *side, const cli_input *input);
/* The notes as a Markdown list, below a heading with the side's name, except those of the first side (NULL = none). */
void cli_list_notes(cli_writer *w, const cli_input *input, const char *side, const cli_input *first);
void cli_put(cli_writer *w, const char *bytes, size_t length);
void cli_put_text(cli_writer *w, const char *text);
void cli_put_format(cli_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3))); /* short */
void cli_put_quoted(cli_writer *w, const char *text, size_t length); /* as a JSON string */
size_t cli_columns(const char *text, size_t length); /* number of characters */
/* Writes words from column `at` on; further lines begin at `indent`. Lines do not exceed the width, except for a
 * longer word. */
void cli_put_words(cli_writer *w, size_t at, size_t indent, const char *text, size_t length);
/* Text from a file, for people: invisible characters become '?' (U+FFFD in HTML), Markdown or HTML syntax is escaped,
 * and of a text that is longer than `most` bytes the rest is left out. */
void cli_put_at_most(cli_writer *w, const char *text, size_t length, size_t most);
/* The same with at most 120 bytes. */
void cli_put_shown(cli_writer *w, const char *text, size_t length);
/* Rounded to a billionth, so that sums show no rounding errors. */
void cli_put_number(cli_writer *w, double value);

#endif
