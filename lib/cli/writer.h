/* SPDX-License-Identifier: Apache-2.0 */
/* Writes text and JSON of the answers that the program itself creates. */
#pragma once

#include "cli.h"

#include <base/money.h>

typedef struct cli_writer {
    const cli_options *options;
    strbuf *out; /* if memory is refused, it has failed */
    bool markdown, html;
    bool differs;
    bool settled; /* the designs are one cluster before and after settling: nothing is pending in the second */
    size_t cell, first_cell, end_cell; /* of a table row: current cell; cells to write, end_cell 0 = all */
    size_t item; /* offset of its current item */
    const struct design *first, *second; /* the designs that are compared */
} cli_writer;

/* "karp diff · profile …", as a heading in text, a paragraph in Markdown or a line in HTML. */
void cli_put_made_by(cli_writer *w, const char *verb, const cli_options *options, const cli_input *input);
/* "Drift: 4 nodes drift, …", after the name of the side (NULL = there is one); nothing if none drifts. */
void cli_put_drift(cli_writer *w, const char *side, const karp_drift *drift);
/* The last line of text: that pods of the input (of a side, if it is named) are not planned. */
void cli_put_incomplete(cli_writer *w, const char *side, const cli_input *input);
/* The notes as a Markdown list, below a heading with the side's name, except those of the first side (NULL = none). */
void cli_list_notes(cli_writer *w, const cli_input *input, const char *side, const cli_input *first);
void cli_put(cli_writer *w, const char *bytes, size_t length);
void cli_put_text(cli_writer *w, const char *text);
void cli_put_format(cli_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3))); /* short */
size_t cli_columns(const char *text, size_t length); /* number of characters */
/* Writes words from column `at` on; further lines begin at `indent`. Lines do not exceed the width, except for a
 * longer word. */
void cli_put_words(cli_writer *w, size_t at, size_t indent, const char *text, size_t length);
/* Text from a file, for people: invisible characters become '?' (U+FFFD in HTML), Markdown or HTML syntax is escaped,
 * and of a text that is longer than 120 bytes the rest is left out. */
void cli_put_shown(cli_writer *w, const char *text, size_t length);
