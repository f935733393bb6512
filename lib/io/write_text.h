/* SPDX-License-Identifier: Apache-2.0 */
/* Formats plain text for people: columns, bars, money, wrapped lines, colours. */
#pragma once

#include "write_buffer.h"

#include <base/money.h>

typedef enum text_style {
    STYLE_PLAIN,
    STYLE_HEADING,
    STYLE_ADD,
    STYLE_REMOVE,
    STYLE_CHANGE,
    STYLE_ALERT,
    STYLE_DIM
} text_style;

typedef struct text_out {
    write_buffer *out;
    size_t width;
    bool color;
} text_out;

/* The width of a text on the screen, in columns. */
size_t text_columns(karp_str text);

/* A text from the input. Control characters become '?', so that no name can move the cursor. */
void text_clean(write_buffer *b, karp_str text);
void text_between(write_buffer *b, const char *before, karp_str text, const char *after);
/* The same for Markdown: what it interprets is escaped. */
void text_markdown(write_buffer *b, karp_str text);

/* The text, padded with spaces to `columns`. A longer text is not cut. */
void text_left(write_buffer *b, karp_str text, size_t columns);
void text_right(write_buffer *b, karp_str text, size_t columns);

void text_style_begin(const text_out *t, text_style style);
void text_style_end(const text_out *t, text_style style);
void text_styled(const text_out *t, text_style style, const char *text);
/* A name from the input at the beginning of an answer about it. */
void text_subject(const text_out *t, karp_str name);

/* "█████░░░" of `cells` cells. */
void text_bar(write_buffer *b, double fraction, size_t cells);
/* "96%", padded to at least `width` columns. */
void text_percent(write_buffer *b, double fraction, size_t width);
/* Rounded to `most` decimals. Trailing zeros are removed, but `least` decimals are kept. */
void text_fixed(write_buffer *b, double value, uint32_t least, uint32_t most);
/* "0.154", "0.0484", "12.000": at least three decimals, at most four. */
void text_money(write_buffer *b, double value);
void text_between_money(write_buffer *b, const char *before, double value, const char *after);

/* A sum of money, to the cent: "$5,955.41", with `sign` "+$5,955.41". */
void text_dollars(write_buffer *b, double value, bool sign);
/* The same for a price per hour, converted to a month: "+$5,955.41/month (730 h)". */
void text_per_month(write_buffer *b, double per_hour, bool sign);

/* The cost of a least-cost plan compared with Karpenter's plan, and the lower bound of any plan's cost. false = it is
 * no least-cost plan. */
bool text_saving(write_buffer *b, const karp_decision *decision);

/* Wrapped text, whose lines after the first begin at an indent. */
typedef struct text_flow {
    const text_out *t;
    size_t indent;
    size_t column;
    size_t lines_left; /* number of lines that may still be started */
    bool wrapped; /* the last piece started a new line */
} text_flow;

void flow_begin(text_flow *flow, const text_out *t, size_t indent, size_t column, size_t most_lines);
/* Whether a piece of this width fits. Starts a new line if necessary. */
bool flow_fits(text_flow *flow, size_t columns);
/* Writes the words of a text, wrapped. false = cut at the last line, with "…". */
bool flow_words(text_flow *flow, karp_str text);
/* A line, or several, with the words of the buffer after a beginning of `indent` columns. Frees the buffer. */
void flow_line(const text_out *t, const char *begins, size_t indent, size_t most_lines, write_buffer *words);

/* The common part of the names of a workload's pods: "web/web" for "web/web-4"; the whole name if it has no such
 * suffix. */
karp_str text_workload(karp_str pod);

/* ---- width: longer lines are broken at spaces -------------------------------------------------------------------- */

enum { FOLD_USUAL = 100, FOLD_NEVER = 1000 }; /* FOLD_NEVER: from this width on nothing is broken (-o wide) */

/* The same for the text in the buffer. */
void text_fold_buffer(write_buffer *b, size_t width);

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

/* Writes a field. An apostrophe is put before a text that a spreadsheet would take for a formula. Invisible characters
 * become question marks. */
void csv_field(write_buffer *b, karp_str text);
