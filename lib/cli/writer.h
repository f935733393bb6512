/* SPDX-License-Identifier: Apache-2.0 */
/* Text and JSON of the answers that the program makes itself. */
#ifndef CLI_WRITER_H
#define CLI_WRITER_H

#include "cli.h"

#define HOURS_A_MONTH 730.0

typedef struct cli_writer {
    const cli_options *options;
    cli_text *out;
    bool json, markdown, html;
    bool refused; /* no memory */
    bool differs;
    bool settled; /* designs are a cluster before and after: nothing is pending in the second */
    size_t cell, first_cell, end_cell; /* of a row of a table, and those that are written; end 0 = all */
    size_t rows; /* of the list at hand */
    size_t item; /* where its item at hand begins */
    const struct design *first, *second; /* whose differences those are */
} cli_writer;

/* "karp diff  ·  profile …", as a heading of text, a paragraph of markdown or a line of HTML. */
void cli_put_made_by(cli_writer *w, const char *verb, const cli_options *options, const cli_input *input);
void cli_put_engine(cli_writer *w); /* "engine": {"name": "libkarp", "version": "0.1.0"} */
void cli_put_notes(cli_writer *w, const cli_input *input); /* ", "warnings": […]" */
/* The notes as a list of markdown, below a heading that names the side, but for those of the first side (NULL = none). */
void cli_list_notes(cli_writer *w, const cli_input *input, const char *side, const cli_input *first);
void cli_put(cli_writer *w, const char *bytes, size_t length);
void cli_put_text(cli_writer *w, const char *text);
void cli_put_format(cli_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3))); /* short */
void cli_put_quoted(cli_writer *w, const char *text, size_t length); /* as JSON */
/* Words from column `at` on, further lines from `indent` on; none is beyond the width where a word does not force it. */
void cli_put_words(cli_writer *w, size_t at, size_t indent, const char *text, size_t length);
/* What a file says, for people: control characters as '?', cut where it is long, and nothing that markdown or
 * HTML reads; there, characters that are not seen are U+FFFD. */
void cli_put_shown(cli_writer *w, const char *text, size_t length);
/* To a billionth, so that sums do not show what a double cannot hold. */
void cli_put_number(cli_writer *w, double value);
/* "$5,955.41", with a sign "+$5,955.41": money as every text has it. */
enum { MONEY_TEXT = 48 };
void money_text(double dollars, bool sign, char text[MONEY_TEXT]);
/* "$0.096/h" or "$1,234.5678/h", with a sign "+$0.096/h": what costs so much an hour, likewise. */
void hourly_text(double dollars, bool sign, char text[MONEY_TEXT]);

#endif
