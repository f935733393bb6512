/* SPDX-License-Identifier: Apache-2.0 */
#include "chart.h"

#include "write_text.h"

#include <math.h>
#include <stdarg.h>

enum { WIDTH = 960, HEIGHT = 190, LEFT = 56, RIGHT = 24, TOP = 10, BOTTOM = 22 };

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";

static const char page_style[] =
    "</title>\n<style>"
    ":root{color-scheme:light "
    "dark;--ink:#1c2530;--dim:#5b6673;--page:#fff;--line:#d9dee4;--c0:#2a78d6;--c1:#d9661f;--c2:#1a9a6a;"
    "--c3:#9a3fb0;--c4:#c23b4e;--c5:#7a6a10}"
    "@media "
    "(prefers-color-scheme:dark){:root{--ink:#e4e9ef;--dim:#9aa6b3;--page:#14181d;--line:#343c46;--c0:#6aa9f4;--c1:#"
    "f2985c;"
    "--c2:#4fc99a;--c3:#cd86de;--c4:#f07f8e;--c5:#cbbb4e}}"
    "body{font:14px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu "
    "Sans',sans-serif;color:var(--ink);background:var(--page);"
    "margin:24px auto;max-width:980px;padding:0 12px}"
    "h1{font-size:19px;margin:0}h2{font-size:14px;margin:22px 0 4px}p{color:var(--dim);margin:2px 0 14px}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:3px 14px 3px 0;text-align:right;"
    "border-bottom:1px solid "
    "var(--line)}th{color:var(--dim);font-weight:500}td:first-child,th:first-child{text-align:left}"
    "svg{display:block;width:100%;height:auto}svg "
    "text{fill:var(--dim);font-size:11px}.g{stroke:var(--line);stroke-width:1}"
    ".l{fill:none;stroke-width:1.6;stroke-linejoin:round;vector-effect:non-scaling-stroke}"
    ".k{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px}"
    ".s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}.s5{"
    "stroke:var(--c5)}"
    ".w{text-align:left}.p{r:4px}.q{r:7px}.f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--dim);opacity:.4}.f3{"
    "fill:var(--c2)}"
    ".b0{background:var(--c0)}.b1{background:var(--c1)}.b2{background:var(--c2)}.b3{background:var(--c3)}.b4{"
    "background:var(--c4)}"
    ".b5{background:var(--c5)}.d1{stroke-dasharray:6 3}"
    /* Overlapping curves: each leaves a third of those below it visible. */
    ".e1{stroke-dasharray:8 4}.e2{stroke-dasharray:4 8}.e3{stroke-dasharray:2 10}"
    /* On a phone each policy is a list with one figure a line. */
    "@media(max-width:600px){h1{overflow-wrap:anywhere}svg{overflow:visible;margin:12px 0 24px}"
    "svg text{font-size:24px}.p{r:9px}.q{r:14px}.w{text-align:right}svg .x{transform:translateY(14px)}svg "
    ".m{display:none}"
    "table,tbody,tr,td{display:block}tr:first-child{display:none}tr{margin-bottom:14px}"
    "td{display:flex;justify-content:space-between;padding:3px 0}"
    "td::before{content:attr(data-l);color:var(--dim)}td:first-child{justify-content:flex-start;font-weight:600}}"
    "</style></head><body>\n";

void chart_page_begin(write_buffer *b) { buffer_text(b, page_head); }
void chart_page_style(write_buffer *b) { buffer_text(b, page_style); }

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void begin_cell(write_buffer *b, const char *what)
{
    buffer_text(b, "<td data-l=\"");
    html_words(b, what);
    buffer_text(b, "\">");
}

void chart_money_cell(write_buffer *b, const char *what, double dollars)
{
    begin_cell(b, what);
    text_dollars(b, dollars, false);
    buffer_text(b, "</td>");
}

void chart_data_cell(write_buffer *b, const char *what, double value, const char *unit)
{
    begin_cell(b, what);
    html_number(b, value);
    buffer_text(b, unit);
    buffer_text(b, "</td>");
}

void chart_colour(write_buffer *b, const char *class, size_t number)
{
    buffer_text(b, class);
    buffer_uint(b, number % CHART_COLOURS);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

double chart_step(double most)
{
    double tick = pow(10, floor(log10(most / 4)));
    if (tick * 4 < most) tick *= 2;
    if (tick * 4 < most) tick *= 2.5;
    if (tick * 4 < most) tick *= 2;
    return tick;
}

void chart_number(write_buffer *b, double value)
{
    bool millions = value >= 1e6, thousands = value >= 1e3 && !millions;
    html_number(b, millions ? value / 1e6 : thousands ? value / 1e3 : value);
    buffer_text(b, millions ? "M" : thousands ? "k" : "");
}

void chart_draw(write_buffer *b, const char *svg, ...)
{
    va_list pixels;
    va_start(pixels, svg);
    for (; *svg != '\0'; svg++) {
        if (*svg == '#') buffer_double(b, round(va_arg(pixels, double) * 10) / 10);
        else buffer_char(b, *svg);
    }
    va_end(pixels);
}

double chart_across(const chart *c, double value)
{
    double part = c->right > c->left ? (value - c->left) / (c->right - c->left) : 0;
    return (double)LEFT + part * (double)(WIDTH - LEFT - RIGHT);
}

double chart_down(const chart *c, double value) { return HEIGHT - BOTTOM - value / c->top * (HEIGHT - TOP - BOTTOM); }

static void levels(const chart *c, double tick, const char *unit)
{
    for (int i = 0; i * tick <= c->top * 1.0001 && i <= 10; i++) {
        double y = chart_down(c, i * tick);
        chart_draw(
            c->b,
            "<line class=\"g\" x1=\"56\" x2=\"936\" y1=\"#\" y2=\"#\"/><text text-anchor=\"end\" x=\"50\" y=\"#\">", y,
            y, y + 4);
        buffer_text(c->b, unit);
        chart_number(c->b, i * tick);
        buffer_text(c->b, "</text>\n");
    }
}

chart chart_begin(write_buffer *b, const char *title, double left, double right, double most, const char *unit)
{
    double tick = chart_step(most > 0 ? most : 1);
    const chart c = { b, left, right, ceil((most > 0 ? most : 1) / tick - 1e-9) * tick };
    buffer_text(b, "<h2>");
    html_words(b, title);
    buffer_text(b, "</h2>\n<svg viewBox=\"0 0 960 190\" role=\"img\" aria-label=\"");
    html_words(b, title);
    buffer_text(b, "\">\n");
    levels(&c, tick, unit);
    return c;
}

void chart_mark(const chart *c, double value, karp_str text, bool minor)
{
    chart_draw(c->b,
               minor ? "<text class=\"x m\" text-anchor=\"middle\" x=\"#\" y=\"184\">"
                     : "<text class=\"x\" text-anchor=\"middle\" x=\"#\" y=\"184\">",
               chart_across(c, value));
    html_text(c->b, text);
    buffer_text(c->b, "</text>\n");
}

void chart_end(const chart *c) { buffer_text(c->b, "</svg>\n"); }
