/* SPDX-License-Identifier: Apache-2.0 */
/* Pages with charts: one file without a script, for light and dark screens, from 390 pixels on. */
#pragma once

#include "html.h"

enum { CHART_COLOURS = 6 };

/* Writes the page until its title, and from there to the body. */
void chart_page_begin(write_buffer *b);
void chart_page_style(write_buffer *b);
/* Cells of a table, with the column's name, which small screens show beside the figure. */
void chart_money_cell(write_buffer *b, const char *what, double dollars);
void chart_data_cell(write_buffer *b, const char *what, double value, const char *unit);
/* A class of a colour: "b0" a background, "s0" a line, "f0" an area. */
void chart_colour(write_buffer *b, const char *class, size_t number);

/* Values from `left` to `right` and 0 to `top`, in pixels of the picture. */
typedef struct chart {
    write_buffer *b;
    double left, right, top;
} chart;

/* "40", "1.5k", "2M" */
void chart_number(write_buffer *b, double value);
/* 1, 2 or 5 times a power of ten, at least a quarter of `most`. */
double chart_step(double most);
/* Begins a picture with its title and the levels from 0 to `most`, "" or "$" before their values. */
chart chart_begin(write_buffer *b, const char *title, double left, double right, double most, const char *unit);
double chart_across(const chart *c, double value);
double chart_down(const chart *c, double value);
/* Writes SVG, with a double for each '#': pixels, to a tenth. */
void chart_draw(write_buffer *b, const char *svg, ...);
/* Text below the picture at the value; small screens leave out a minor one. */
void chart_mark(const chart *c, double value, karp_str text, bool minor);
void chart_end(const chart *c);
