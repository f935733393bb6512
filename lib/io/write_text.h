/* SPDX-License-Identifier: Apache-2.0 */
/* Plain text for people: columns, bars, money, wrapped lines, colours. */
#ifndef IO_WRITE_TEXT_H
#define IO_WRITE_TEXT_H

#include "write_buffer.h"

#include <io/money.h>

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

/* Columns a text takes on the screen. */
size_t text_columns(karp_str text);

/* A text from the input: control characters become '?', so that a name cannot move the cursor. */
void text_clean(write_buffer *b, karp_str text);

/* The text, then spaces up to `columns` (none when it is longer). */
void text_left(write_buffer *b, karp_str text, size_t columns);
void text_right(write_buffer *b, karp_str text, size_t columns);

void text_style_begin(const text_out *t, text_style style);
void text_style_end(const text_out *t, text_style style);
void text_styled(const text_out *t, text_style style, const char *text);
/* A name from the input at the beginning of an answer about it. */
void text_subject(const text_out *t, karp_str name);

/* "█████░░░" of `cells` cells. */
void text_bar(write_buffer *b, double fraction, size_t cells);
/* "96%", in at least so many columns. */
void text_percent(write_buffer *b, double fraction, size_t width);
/* Rounded to `most` decimals, of which zeros at the end go until `least` are left. */
void text_fixed(write_buffer *b, double value, uint32_t least, uint32_t most);
/* "0.154", "0.0484", "12.000": at least three decimals, at most four. */
void text_money(write_buffer *b, double value);

/* "$5,955.41", with `sign` "+$5,955.41": a sum of money, to the cent. */
void text_dollars(write_buffer *b, double value, bool sign);
/* The same of a price per hour, for a month: "+$5,955.41/month (730 h)". */
void text_per_month(write_buffer *b, double per_hour, bool sign);

/* What a plan for the least cost costs beside Karpenter's, and how much less any plan could cost; false = it is another plan. */
bool text_saving(write_buffer *b, const karp_decision *decision);

/* Lines of text that continue at an indent. */
typedef struct text_flow {
    const text_out *t;
    size_t indent;
    size_t column;
    size_t lines_left; /* that may still be begun */
    bool wrapped; /* the last piece began a line */
} text_flow;

void flow_begin(text_flow *flow, const text_out *t, size_t indent, size_t column, size_t most_lines);
/* Whether a piece of so many columns has room; begins a new line when it needs one. */
bool flow_room(text_flow *flow, size_t columns);
/* The words of a text, wrapped; false = cut at the last line, with "…". */
bool flow_words(text_flow *flow, karp_str text);

/* What the pods of a workload have in common: "web/web" of "web/web-4"; the name itself where it has no such end. */
karp_str text_workload(karp_str pod);

/* "web/web-{0..4} web/api-1": names in their order, wrapped, at most `most_lines` lines. */
karp_status text_pods(text_flow *flow, karp_context *context, const karp_decision *decision, const uint32_t *pods,
                      size_t count, karp_error *error);

#endif
