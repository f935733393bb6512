/* SPDX-License-Identifier: Apache-2.0 */
/* Text and JSON of the answers that the program makes itself. */
#ifndef CLI_WRITER_H
#define CLI_WRITER_H

#include "cli.h"

enum { HOURS_A_MONTH = 730 };

typedef struct cli_writer {
    const cli_options *options;
    cli_text *out;
    bool json, markdown, html;
    bool refused; /* no memory */
    bool differs;
    size_t rows; /* of the list at hand */
} cli_writer;

void cli_put(cli_writer *w, const char *bytes, size_t length);
void cli_put_text(cli_writer *w, const char *text);
void cli_put_format(cli_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3))); /* short */
void cli_put_quoted(cli_writer *w, const char *text, size_t length); /* as JSON */
/* What a file says, for people: control characters as '?', cut where it is long, and nothing that markdown or
 * HTML reads; there, characters that are not seen are U+FFFD. */
void cli_put_shown(cli_writer *w, const char *text, size_t length);
/* To a billionth, so that sums do not show what a double cannot hold. */
void cli_put_number(cli_writer *w, double value);
/* "$5,955.41", with a sign "+$5,955.41": money as every text has it. */
enum { MONEY_TEXT = 48 };
void money_text(double dollars, bool sign, char text[MONEY_TEXT]);

#endif
