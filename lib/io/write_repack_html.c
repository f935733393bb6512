/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a repack plan's page that a disruption's does not have: the cost curve, and each step with its nodes. */
#include "write_decision.h"

#include "html.h"
#include "write_text.h"

enum { MOST_STEPS = 24, MOST_BOXES = 16, WIDTH = 640, HEIGHT = 200, LEFT = 64, BOTTOM = 24 };

typedef struct repack_page {
    const write_job *job;
    write_buffer *b;
} repack_page;

static void raw(const repack_page *p, const char *text) { buffer_text(p->b, text); }

static void money(const repack_page *p, double value)
{
    raw(p, "$");
    text_money(p->b, value);
    raw(p, "/h");
}

/* ---- the curve --------------------------------------------------------------------------------------------------- */

typedef struct scale {
    double most_cost, most_evictions;
} scale;

static void point_at(const repack_page *p, const scale *s, double evictions, double cost)
{
    double x = s->most_evictions > 0 ? evictions / s->most_evictions : 0,
           y = s->most_cost > 0 ? cost / s->most_cost : 0;
    text_fixed(p->b, (double)LEFT + x * (double)(WIDTH - LEFT - 8), 0, 1);
    raw(p, ",");
    text_fixed(p->b, HEIGHT - BOTTOM - y * (HEIGHT - BOTTOM - 8), 0, 1);
    raw(p, " ");
}

static void write_line(const repack_page *p, const scale *s, size_t count, int of_bound, const char *style)
{
    raw(p, "<polyline fill=\"none\" ");
    raw(p, style);
    raw(p, " points=\"");
    for (size_t i = 0; i < count; i++) {
        karp_repack_point point;
        get_repack_point(p->job, i, &point);
        point_at(p, s, (double)point.evictions, of_bound ? point.bound : point.cost);
    }
    raw(p, "\"/>\n");
}

static void label(const repack_page *p, double x, double y, const char *anchor)
{
    raw(p, "<text font-size=\"11\" style=\"fill:var(--dim)\" text-anchor=\"");
    raw(p, anchor);
    raw(p, "\" x=\"");
    text_fixed(p->b, x, 0, 1);
    raw(p, "\" y=\"");
    text_fixed(p->b, y, 0, 1);
    raw(p, "\">");
}

static void write_curve(const repack_page *p)
{
    size_t count = karp_decision_repack_point_count(p->job->decision);
    karp_repack_point first, last;
    if (count < 2) return;
    get_repack_point(p->job, 0, &first);
    get_repack_point(p->job, count - 1, &last);
    scale s = { first.cost, (double)last.evictions };
    raw(p,
        "<div class=\"h\">Curve<span>$/h after so many evictions; no plan ends below the dashed line</span></div>\n");
    raw(p, "<svg style=\"width:640px;max-width:100%;height:auto\" viewBox=\"0 0 640 200\" role=\"img\" "
           "aria-label=\"cost by evictions\">\n"
           "<path d=\"M64 8V176H632\" fill=\"none\" style=\"stroke:var(--line)\"/>\n");
    write_line(p, &s, count, 1, "stroke=\"#8a94a3\" stroke-dasharray=\"4 4\"");
    write_line(p, &s, count, 0, "stroke=\"#2a78d6\" stroke-width=\"2\"");
    label(p, LEFT - 6, 18, "end");
    money(p, first.cost);
    raw(p, "</text>\n");
    label(p, LEFT - 6, HEIGHT - BOTTOM, "end");
    raw(p, "$0</text>\n");
    label(p, WIDTH - 8, HEIGHT - 6, "end");
    buffer_count(p->b, last.evictions, "eviction");
    raw(p, "</text>\n</svg>\n");
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void begin_box(const repack_page *p, const char *class, karp_str name)
{
    raw(p, "<div class=\"n ");
    raw(p, class);
    raw(p, "\"><b>");
    html_text(p->b, name);
    raw(p, "</b><span>");
}

static void more_boxes(const repack_page *p, size_t count)
{
    if (count > MOST_BOXES) {
        raw(p, "<div class=\"n\"><b>and ");
        buffer_uint(p->b, count - MOST_BOXES);
        raw(p, " more</b></div>\n");
    }
}

static void write_gone(const repack_page *p, const karp_command *command)
{
    for (size_t i = 0; i < command->node_count && i < MOST_BOXES; i++) {
        begin_box(p, "gone", command->nodes[i]);
        karp_node_use node;
        if (get_node_named(p->job, p->job->decision, command->nodes[i], &node) != SIZE_MAX) {
            html_text(p->b, node.instance_type);
            raw(p, " ");
            money(p, node.price);
        }
        raw(p, "</span></div>\n");
    }
    more_boxes(p, command->node_count);
}

static void write_come(const repack_page *p, const karp_command *command)
{
    for (size_t i = 0; i < command->launch_count && i < MOST_BOXES; i++) {
        karp_launch launch;
        get_launch(p->job, p->job->decision, command->launch_first + i, &launch);
        begin_box(p, "new", launch.id);
        html_text(p->b, launch.choice.instance_type);
        raw(p, " ");
        money(p, launch.choice.price);
        raw(p, ", ");
        buffer_count(p->b, launch.pod_count, "pod");
        raw(p, "</span></div>\n");
    }
    more_boxes(p, command->launch_count);
    for (size_t i = 0; i < command->placement_count && i < MOST_BOXES; i++) {
        karp_placement placement;
        get_placement(p->job, p->job->decision, command->placement_first + i, &placement);
        begin_box(p, "recv", placement.node);
        buffer_count(p->b, placement.pod_count, "pod");
        raw(p, "</span></div>\n");
    }
    more_boxes(p, command->placement_count);
}

static void write_step(const repack_page *p, size_t index)
{
    karp_command command;
    karp_repack_step step;
    get_command(p->job, p->job->decision, index, &command);
    get_repack_step(p->job, index, &step);
    raw(p, "<div class=\"h\">Step ");
    buffer_uint(p->b, index + 1);
    raw(p, "<span>saves ");
    money(p, step.saving);
    raw(p, " with ");
    buffer_count(p->b, step.evictions, "eviction");
    raw(p, ", then ");
    money(p, step.cost_after);
    raw(p, "</span></div>\n<div class=\"lane\">\n");
    write_gone(p, &command);
    write_come(p, &command);
    raw(p, "</div>\n");
}

void repack_picture(const write_job *job)
{
    repack_page p = { job, job->out };
    size_t steps = karp_decision_command_count(job->decision);
    write_curve(&p);
    for (size_t i = 0; i < steps && i < MOST_STEPS; i++) write_step(&p, i);
    if (steps > MOST_STEPS) {
        raw(&p, "<div class=\"s\">and ");
        buffer_count(p.b, steps - MOST_STEPS, "more step");
        raw(&p, ", in the text below</div>\n");
    }
}
