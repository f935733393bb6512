/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A replay as a page: the costs of each policy, and curves of cost, nodes and pending pods one below the other, each
 * for all policies. One file without a script, for light and dark screens.
 */
#include <replay/replay.h>

#include <base/licence_words.h>
#include <io/html.h>
#include <io/write_notes.h>
#include <io/write_text.h>
#include <karp/peer.h>

#include <math.h>

enum { WIDTH = 960, HEIGHT = 190, LEFT = 56, RIGHT = 24, TOP = 10, BOTTOM = 22, COLOURS = 6, MOST_PIXELS = 900 };

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";

static const char style[] =
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
    ".b0{background:var(--c0)}.b1{background:var(--c1)}.b2{background:var(--c2)}.b3{background:var(--c3)}.b4{"
    "background:var(--c4)}"
    ".b5{background:var(--c5)}.d1{stroke-dasharray:6 3}"
    /* Overlapping curves: each leaves a third of those below it visible. */
    ".e1{stroke-dasharray:8 4}.e2{stroke-dasharray:4 8}.e3{stroke-dasharray:2 10}"
    /* On a phone each policy is a list with one figure a line. */
    "@media(max-width:600px){h1{overflow-wrap:anywhere}svg{overflow:visible;margin:12px 0 24px}"
    "svg text{font-size:24px}svg .x{transform:translateY(14px)}svg .m{display:none}"
    "table,tbody,tr,td{display:block}tr:first-child{display:none}tr{margin-bottom:14px}"
    "td{display:flex;justify-content:space-between;padding:3px 0}"
    "td::before{content:attr(data-l);color:var(--dim)}td:first-child{justify-content:flex-start;font-weight:600}}"
    "</style></head><body>\n";

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* `what`: the column's name, which small screens show beside the figure. */
static void begin_cell(write_buffer *b, const char *what)
{
    buffer_text(b, "<td data-l=\"");
    html_words(b, what);
    buffer_text(b, "\">");
}

static void money_cell(write_buffer *b, const char *what, double dollars)
{
    begin_cell(b, what);
    text_dollars(b, dollars, false);
    buffer_text(b, "</td>");
}

static void data_cell(write_buffer *b, const char *what, double value, const char *unit)
{
    begin_cell(b, what);
    html_number(b, value);
    buffer_text(b, unit);
    buffer_text(b, "</td>");
}

static void colour(write_buffer *b, const char *class, size_t policy)
{
    buffer_text(b, class);
    buffer_uint(b, policy % COLOURS);
}

static void write_table(const replay *r, write_buffer *b)
{
    buffer_text(
        b, "<table><tr><th>policy</th><th>cost</th><th>idle</th><th>node-hours</th><th>launches</th><th>evictions</th>"
           "<th>interruptions</th><th>pending p50</th><th>p99</th><th>max</th><th>cpu</th><th>memory</th></tr>\n");
    for (size_t i = 0; i < r->result_count; i++) {
        const replay_result *p = &r->results[i];
        buffer_text(b, "<tr><td><i class=\"k ");
        colour(b, "b", i);
        buffer_text(b, "\"></i>");
        html_text(b, p->policy);
        buffer_text(b, "</td>");
        money_cell(b, "cost", p->dollars);
        money_cell(b, "idle", p->idle_dollars);
        data_cell(b, "node-hours", p->node_hours, "");
        data_cell(b, "launches", (double)p->launches, "");
        data_cell(b, "evictions", (double)p->evictions, "");
        data_cell(b, "interruptions", (double)p->interruptions, "");
        data_cell(b, "pending p50", p->wait_p50, " s");
        data_cell(b, "pending p99", p->wait_p99, " s");
        data_cell(b, "pending at most", p->wait_most, " s");
        data_cell(b, "cpu requested", p->cpu_use * 100, "%");
        data_cell(b, "memory requested", p->memory_use * 100, "%");
        buffer_text(b, "</tr>\n");
    }
    buffer_text(b, "</table>\n");
    if (r->write.licences.len == 0) return;
    buffer_text(b, "<p>Without ");
    buffer_text(b, licence_words(r->write.licences));
    html_text(b, r->write.licences);
    buffer_text(b, ".</p>\n");
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

typedef double curve_value(const replay_point *point);

static double cost_of(const replay_point *point) { return point->cost_rate; }
static double nodes_of(const replay_point *point) { return point->nodes; }
static double pending_of(const replay_point *point) { return point->pending; }

/* 1, 2 or 5 times a power of ten, at least a quarter of the largest value. */
static double tick_of(double most)
{
    double tick = pow(10, floor(log10(most / 4)));
    if (tick * 4 < most) tick *= 2;
    if (tick * 4 < most) tick *= 2.5;
    if (tick * 4 < most) tick *= 2;
    return tick;
}

static void position(write_buffer *b, double value) { buffer_double(b, round(value * 10) / 10); }

static double across(const replay *r, int64_t at)
{
    double length = (double)(r->base.trace.ends - r->base.trace.begins);
    double part = length > 0 ? (double)(at - r->base.trace.begins) / length : 0;
    return (double)LEFT + part * (double)(WIDTH - LEFT - RIGHT);
}

static double down(double value, double top) { return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM); }

/* The number of earlier policies whose curve coincides with this one at most points. */
static size_t curves_below(const replay *r, size_t policy, curve_value *value)
{
    const replay_result *p = &r->results[policy];
    size_t below = 0;
    for (size_t i = 0; i < policy; i++) {
        const replay_result *other = &r->results[i];
        size_t equal = 0;
        for (size_t k = 0; k < p->point_count && k < other->point_count; k++)
            equal += fabs(value(&p->points[k]) - value(&other->points[k])) < 1e-9;
        below += equal > p->point_count / 2;
    }
    return below;
}

/* Of the points within one pixel, the highest is drawn. */
static void write_curve(const replay *r, size_t policy, curve_value *value, double top, write_buffer *b)
{
    const replay_result *p = &r->results[policy];
    size_t together = p->point_count / MOST_PIXELS + 1;
    buffer_text(b, "<path class=\"l ");
    colour(b, "s", policy);
    if (policy >= COLOURS) buffer_text(b, " d1");
    size_t below = curves_below(r, policy, value);
    if (below > 0) {
        buffer_text(b, " e");
        buffer_uint(b, below < 3 ? below : 3);
    }
    buffer_text(b, "\" d=\"");
    for (size_t i = 0; i < p->point_count; i += together) {
        double most = 0;
        for (size_t k = i; k < i + together && k < p->point_count; k++) most = fmax(most, value(&p->points[k]));
        buffer_char(b, i ? 'L' : 'M');
        position(b, across(r, p->points[i].at));
        buffer_char(b, ' ');
        position(b, down(most, top));
    }
    buffer_text(b, "\"/>\n");
}

static void write_levels(double top, double tick, const char *unit, write_buffer *b)
{
    for (int i = 0; i * tick <= top * 1.0001 && i <= 10; i++) {
        buffer_text(b, "<line class=\"g\" x1=\"56\" x2=\"936\" y1=\"");
        position(b, down(i * tick, top));
        buffer_text(b, "\" y2=\"");
        position(b, down(i * tick, top));
        buffer_text(b, "\"/><text text-anchor=\"end\" x=\"50\" y=\"");
        position(b, down(i * tick, top) + 4);
        buffer_text(b, "\">");
        buffer_text(b, unit);
        html_number(b, i * tick);
        buffer_text(b, "</text>\n");
    }
}

/* Labels of the time axis: days, or fractions of one. */
static void write_times(const replay *r, write_buffer *b)
{
    static const int64_t steps[] = { 300, 900, 3600, 10800, 21600, 43200, 86400, 604800, 2592000 };
    int64_t begins = r->base.trace.begins / SECOND, ends = r->base.trace.ends / SECOND, step = steps[0];
    char text[KARP_VALUE_TEXT];
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && (ends - begins) / step > 9; i++) step = steps[i];
    if ((ends - begins) / step > 1000) return;
    bool every_other = false; /* labels that are hidden on small screens */
    for (int64_t at = (begins / step + (begins % step != 0)) * step; at <= ends; at += step) {
        karp_time_format(at * SECOND, text);
        buffer_text(b, every_other ? "<text class=\"x m\" text-anchor=\"middle\" x=\""
                                   : "<text class=\"x\" text-anchor=\"middle\" x=\"");
        every_other = !every_other;
        position(b, across(r, at * SECOND));
        buffer_text(b, "\" y=\"184\">");
        if (step < 86400) buffer_bytes(b, text + 11, 5);
        else buffer_bytes(b, text + 5, 5);
        buffer_text(b, "</text>\n");
    }
}

static void write_chart(const replay *r, const char *title, const char *unit, curve_value *value, write_buffer *b)
{
    double most = 0;
    for (size_t i = 0; i < r->result_count; i++) {
        for (size_t k = 0; k < r->results[i].point_count; k++) most = fmax(most, value(&r->results[i].points[k]));
    }
    if (!(most > 0)) most = 1;
    double tick = tick_of(most), top = ceil(most / tick - 1e-9) * tick;
    buffer_text(b, "<h2>");
    html_words(b, title);
    buffer_text(b, "</h2>\n<svg viewBox=\"0 0 960 190\" role=\"img\" aria-label=\"");
    html_words(b, title);
    buffer_text(b, "\">\n");
    write_levels(top, tick, unit, b);
    write_times(r, b);
    for (size_t i = 0; i < r->result_count; i++) write_curve(r, i, value, top, b);
    buffer_text(b, "</svg>\n");
}

/* "karp replay · load.yaml" */
static void write_name(const replay *r, const char *verb, write_buffer *out)
{
    html_words(out, verb);
    if (r->write.title.len == 0) return;
    buffer_text(out, " \xc2\xb7 ");
    html_text(out, r->write.title);
}

static void write_notes(const replay *r, write_buffer *out)
{
    const karp_write_options options = { .warnings = r->base.notes, .warning_count = r->base.note_count };
    size_t problems = problem_count(&options);
    for (size_t i = 0; i < r->base.note_count; i++) {
        buffer_text(out, i < problems ? "<p><b>incomplete</b>: " : "<p>");
        html_text(out, i < problems ? problem_at(&options, i) : r->base.notes[i]);
        buffer_text(out, "</p>\n");
    }
}

void replay_write_html(const replay *r, const char *verb, write_buffer *out)
{
    char text[KARP_VALUE_TEXT];
    karp_str catalogue = replay_catalogue(r);
    buffer_text(out, head);
    write_name(r, verb, out);
    buffer_text(out, style);
    buffer_text(out, "<h1>");
    write_name(r, verb, out);
    buffer_text(out, "</h1>\n<p>Karpenter ");
    html_words(out, karp_peer_version_name(0));
    buffer_text(out, catalogue.len ? " \xc2\xb7 catalogue " : "");
    html_text(out, catalogue);
    buffer_text(out, " \xc2\xb7 ");
    karp_time_format(r->base.trace.begins, text);
    buffer_text(out, text);
    buffer_text(out, " to ");
    karp_time_format(r->base.trace.ends, text);
    buffer_text(out, text);
    buffer_text(out, ", ");
    buffer_uint(out, r->pods);
    buffer_text(out, " pods</p>\n");
    write_table(r, out);
    write_chart(r, "cost per hour", "$", cost_of, out);
    write_chart(r, "nodes", "", nodes_of, out);
    write_chart(r, "pending pods", "", pending_of, out);
    write_notes(r, out);
    buffer_text(out, "</body></html>\n");
}
