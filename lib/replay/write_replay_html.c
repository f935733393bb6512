/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A replay as a page: the costs of each policy, and curves of cost, nodes and pending pods one below the other, each
 * for all policies.
 */
#include <replay/replay.h>

#include <base/licence_words.h>
#include <io/chart.h>
#include <io/write_notes.h>
#include <karp/peer.h>

#include <math.h>

enum { MOST_PIXELS = 900 };

static void write_table(const replay *r, write_buffer *b)
{
    buffer_text(
        b, "<table><tr><th>policy</th><th>cost</th><th>idle</th><th>node-hours</th><th>launches</th><th>evictions</th>"
           "<th>interruptions</th><th>pending p50</th><th>p99</th><th>max</th><th>cpu</th><th>memory</th></tr>\n");
    for (size_t i = 0; i < r->result_count; i++) {
        const replay_result *p = &r->results[i];
        buffer_text(b, "<tr><td><i class=\"k ");
        chart_colour(b, "b", i);
        buffer_text(b, "\"></i>");
        html_text(b, p->policy);
        buffer_text(b, "</td>");
        chart_money_cell(b, "cost", p->dollars);
        chart_money_cell(b, "idle", p->idle_dollars);
        chart_data_cell(b, "node-hours", p->node_hours, "");
        chart_data_cell(b, "launches", (double)p->launches, "");
        chart_data_cell(b, "evictions", (double)p->evictions, "");
        chart_data_cell(b, "interruptions", (double)p->interruptions, "");
        chart_data_cell(b, "pending p50", p->wait_p50, " s");
        chart_data_cell(b, "pending p99", p->wait_p99, " s");
        chart_data_cell(b, "pending at most", p->wait_most, " s");
        chart_data_cell(b, "cpu requested", p->cpu_use * 100, "%");
        chart_data_cell(b, "memory requested", p->memory_use * 100, "%");
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
static void write_curve(const replay *r, size_t policy, curve_value *value, const chart *c)
{
    write_buffer *b = c->b;
    const replay_result *p = &r->results[policy];
    size_t together = p->point_count / MOST_PIXELS + 1;
    buffer_text(b, "<path class=\"l ");
    chart_colour(b, "s", policy);
    if (policy >= CHART_COLOURS) buffer_text(b, " d1");
    size_t below = curves_below(r, policy, value);
    if (below > 0) {
        buffer_between_u(b, " e", below < 3 ? below : 3, "");
    }
    buffer_text(b, "\" d=\"");
    for (size_t i = 0; i < p->point_count; i += together) {
        double most = 0;
        for (size_t k = i; k < i + together && k < p->point_count; k++) most = fmax(most, value(&p->points[k]));
        chart_draw(b, i ? "L# #" : "M# #", chart_across(c, (double)p->points[i].at), chart_down(c, most));
    }
    buffer_text(b, "\"/>\n");
}

/* Labels of the time axis: days, or fractions of one. */
static void write_times(const replay *r, const chart *c)
{
    static const int64_t steps[] = { 300, 900, 3600, 10800, 21600, 43200, 86400, 604800, 2592000 };
    int64_t begins = r->base.trace.begins / SECOND, ends = r->base.trace.ends / SECOND, step = steps[0];
    char text[KARP_VALUE_TEXT];
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && (ends - begins) / step > 9; i++) step = steps[i];
    if ((ends - begins) / step > 1000) return;
    bool every_other = false;
    for (int64_t at = (begins / step + (begins % step != 0)) * step; at <= ends; at += step) {
        karp_time_format(at * SECOND, text);
        chart_mark(c, (double)(at * SECOND), (karp_str){ text + (step < 86400 ? 11 : 5), 5 }, every_other);
        every_other = !every_other;
    }
}

static void write_chart(const replay *r, const char *title, const char *unit, curve_value *value, write_buffer *b)
{
    double most = 0;
    for (size_t i = 0; i < r->result_count; i++) {
        for (size_t k = 0; k < r->results[i].point_count; k++) most = fmax(most, value(&r->results[i].points[k]));
    }
    const chart c = chart_begin(b, title, (double)r->base.trace.begins, (double)r->base.trace.ends, most, unit);
    write_times(r, &c);
    for (size_t i = 0; i < r->result_count; i++) write_curve(r, i, value, &c);
    chart_end(&c);
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
    chart_page_begin(out);
    write_name(r, verb, out);
    chart_page_style(out);
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
    buffer_between_u(out, ", ", r->pods, " pods</p>\n");
    write_table(r, out);
    write_chart(r, "cost per hour", "$", cost_of, out);
    write_chart(r, "nodes", "", nodes_of, out);
    write_chart(r, "pending pods", "", pending_of, out);
    write_notes(r, out);
    buffer_text(out, "</body></html>\n");
}
