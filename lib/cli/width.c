/* SPDX-License-Identifier: Apache-2.0 */
/* Determines the width of text, and prints text within that width. */
#define _DEFAULT_SOURCE /* struct winsize */

#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PLAIN = 100, LEAST = 40, MOST_OF_TERMINAL = 400 };

/* 0 = not a terminal, or its width is unknown. */
static uint32_t columns_of_terminal(void)
{
#if defined(TIOCGWINSZ)
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
#endif
    return 0; /* WASI has no terminals */
}

uint32_t columns_of_output(void)
{
    const char *given = getenv("COLUMNS");
    uint64_t columns = 0;
    if (given == NULL || !parse_count(given, &columns) || columns == 0) {
        columns = columns_of_terminal();
    }
    if (columns == 0) {
        return PLAIN;
    }
    return columns < LEAST ? LEAST : columns > MOST_OF_TERMINAL ? MOST_OF_TERMINAL : (uint32_t)columns;
}

bool print_folded(const cli_options *options, karp_str text)
{
    karp_text folded = { 0 };
    karp_error error;
    if (options->format != KARP_FORMAT_TEXT) {
        return print_output(text);
    }
    karp_error_init(&error, sizeof(error));
    if (karp_text_fold(options->context, text, options->width, &folded, &error) != KARP_OK) {
        print_error(&error);
        return false;
    }
    return print_text(&folded);
}

/* ---- help text, printed without allocations ---------------------------------------------------------------------- */

void print_words(FILE *out, const char *text, size_t at, size_t indent)
{
    size_t column = at, width = columns_of_output();
    bool first = true;
    for (const char *end; *text != '\0'; text = end + (*end != '\0')) {
        end = text + strcspn(text, " \n");
        int length = (int)(end - text);
        if (length == 0) {
            continue;
        }
        if (!first && column + 1 + (size_t)length > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", length, text);
        column += (size_t)length + (first ? 0 : 1);
        first = false;
        if (*end == '\n' && end[1] != '\0' &&
            (end[1] == '\n' || strchr(".:", end[-1]) != NULL)) { /* the line ends here */
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
    }
    fputc('\n', out);
}
