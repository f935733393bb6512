/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a RepackPlan: docs/formats.md. */
#include "write_plan_json.h"
#include "write_notes.h"
#include "write_rows.h"

#include <karp/repack.h>

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void step_as_json(json_out *j, const write_job *job, size_t index)
{
    karp_command command;
    karp_repack_step step;
    get_command(job, job->decision, index, &command);
    get_repack_step(job, index, &step);
    json_open_object(j);
    json_member_strings(j, "nodes", command.nodes, command.node_count);
    plan_launches(j, "launches", job, job->decision, command.launch_first, command.launch_count);
    plan_placements(j, job, job->decision, command.placement_first, command.placement_count);
    json_member_uint(j, "evictions", step.evictions);
    json_member_uint(j, "totalEvictions", step.total_evictions);
    json_member_money(j, "saving", step.saving);
    json_member_money(j, "totalSaving", step.total_saving);
    json_member_money(j, "costAfter", step.cost_after);
    json_end(j);
}

static void curve_as_json(json_out *j, const write_job *job)
{
    json_member_array(j, "curve");
    for (size_t i = 0; i < karp_decision_repack_point_count(job->decision); i++) {
        karp_repack_point point;
        get_repack_point(job, i, &point);
        json_flat_object(j);
        json_member_uint(j, "evictions", point.evictions);
        json_member_money(j, "cost", point.cost);
        json_member_money(j, "bound", point.bound);
        json_end(j);
    }
    json_end(j);
}

void repack_as_json(const write_job *job)
{
    karp_repack_cost cost;
    get_repack_cost(job, &cost);
    json_out json, *j = &json;
    plan_header(j, job, "RepackPlan");
    json_member_money(j, "costBefore", cost.before);
    json_member_money(j, "costAfter", cost.after);
    json_member_money(j, "bound", cost.bound);
    json_member_uint(j, "evictions", cost.evictions);
    json_member_uint(j, "pods", cost.pods);
    json_member_uint(j, "effort", cost.effort);
    json_member_uint(j, "work", cost.work);
    json_member_bool(j, "stopped", cost.stopped != 0);
    json_member_array(j, "steps");
    for (size_t i = 0; i < karp_decision_command_count(job->decision); i++) step_as_json(j, job, i);
    json_end(j);
    curve_as_json(j, job);
    plan_kept(j, job, job->decision);
    notes_as_json(j, job);
    json_close(j);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void money(write_buffer *b, double value)
{
    buffer_char(b, '$');
    text_money(b, value);
}

static void step_as_text(const text_out *t, const write_job *job, size_t index)
{
    karp_repack_step step;
    get_repack_step(job, index, &step);
    write_buffer *b = t->out;
    buffer_text(b, "\nStep ");
    buffer_uint(b, index + 1);
    buffer_text(b, ": saves ");
    money(b, step.saving);
    buffer_text(b, "/h with ");
    buffer_count(b, step.evictions, "eviction");
    buffer_text(b, ", then ");
    money(b, step.cost_after);
    buffer_text(b, "/h\n");
    rows_command(t, job, job->decision, index);
}

static void curve_as_text(const text_out *t, const write_job *job)
{
    size_t points = karp_decision_repack_point_count(job->decision);
    karp_repack_point first;
    if (points < 2) return;
    get_repack_point(job, 0, &first);
    section(t, "Curve");
    for (size_t i = 0; i < points; i++) {
        karp_repack_point point;
        get_repack_point(job, i, &point);
        buffer_text(t->out, "      ");
        text_bar(t->out, first.cost > 0 ? point.cost / first.cost : 0, 24);
        buffer_text(t->out, "  ");
        money(t->out, point.cost);
        buffer_text(t->out, "/h with ");
        buffer_count(t->out, point.evictions, "eviction");
        buffer_char(t->out, '\n');
    }
}

void repack_as_text(const write_job *job)
{
    text_out text = { job->out, job->options->width, job->options->color != 0 };
    const text_out *t = &text;
    karp_repack_cost cost;
    get_repack_cost(job, &cost);
    size_t steps = karp_decision_command_count(job->decision);
    header_line(t, job, "karp repack");
    totals_as_text(t, job);
    for (size_t i = 0; i < steps; i++) step_as_text(t, job, i);
    curve_as_text(t, job);
    if (karp_decision_kept_count(job->decision) > 0) {
        section(t, "Keep");
        rows_kept(t, job, job->decision);
    }
    notes_section(t, job);
    buffer_text(t->out, "\nPlan: ");
    buffer_count(t->out, steps, "step");
    buffer_text(t->out, ", ");
    buffer_count(t->out, cost.evictions, "eviction");
    buffer_text(t->out, " of ");
    buffer_count(t->out, cost.pods, "pod");
    if (cost.bound > 0) {
        buffer_text(t->out, "; no plan with so many evictions ends below ");
        money(t->out, cost.bound);
        buffer_text(t->out, "/h");
    }
    buffer_text(t->out, "\n");
    cost_line(t, cost.before, cost.after);
    buffer_char(t->out, '\n');
}
