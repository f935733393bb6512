/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a picture as HTML: rows of nodes, each a box as wide as its CPU, and a legend of the colours. */
#pragma once

#include "html.h"
#include "picture.h"

#define HTML_DOT " \xc2\xb7 "

/* Writes the CSS. It applies only inside ".karp", to light and dark screens, for widths from 390 pixels. */
void picture_html_style(write_buffer *b);

typedef struct picture_html {
    write_buffer *b;
    const picture *s;
    double widest; /* cores of the largest node */
    double least; /* cores of the smallest node */
} picture_html;

picture_html picture_html_begin(write_buffer *b, const picture *s);

/* The row's title ("Before"), its totals, its nodes, and a bar of its cost relative to the more expensive row's. */
void picture_html_row(const picture_html *p, const char *title, const picture_row *row, double cost, double highest);
void picture_html_keys(const picture_html *p);
/* A table of the cost of each owner's requests after the decision. Writes nothing if nothing has a price. */
void picture_html_shares(const picture_html *p);
/* "style="width:40%", without the last quotation mark. */
void picture_html_part(write_buffer *b, double fraction);
