/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a RepackPlan: docs/formats.md. */
#include "write_licences.h"
#include "write_plan_json.h"
#include "write_notes.h"
#include "write_rows.h"

#include <karp/repack.h>
#include <records/rows.h>

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static const record record_repack_cost = {
    SIZED(karp_repack_cost, reserved),
    OPEN({ MONEY("costBefore", karp_repack_cost, before) }, { MONEY("costAfter", karp_repack_cost, after) },
         { MONEY("bound", karp_repack_cost, bound) }, { UINT64("evictions", karp_repack_cost, evictions) },
         { UINT64("pods", karp_repack_cost, pods) }, { UINT64("effort", karp_repack_cost, effort) },
         { UINT64("work", karp_repack_cost, work) }, { FLAG("stopped", karp_repack_cost, stopped) })
};

static const record record_repack_step = {
    SIZED(karp_repack_step, total_evictions),
    OPEN({ UINT64("evictions", karp_repack_step, evictions) },
         { UINT64("totalEvictions", karp_repack_step, total_evictions) }, { MONEY("saving", karp_repack_step, saving) },
         { MONEY("totalSaving", karp_repack_step, total_saving) }, { MONEY("costAfter", karp_repack_step, cost_after) })
};

static const record record_repack_point = { SIZED(karp_repack_point, bound),
                                            OPEN({ UINT64("evictions", karp_repack_point, evictions) },
                                                 { MONEY("cost", karp_repack_point, cost) },
                                                 { MONEY("bound", karp_repack_point, bound) }) };
SOURCE_ROWS(points, karp_decision_repack_point_count, karp_decision_repack_point)
static const encode_source source_points = SOURCE(points, record_repack_point, true);

static void step_as_json(const encoder *e, size_t index)
{
    const write_job *job = e->job;
    karp_command command;
    karp_repack_step step;
    get_command(job, job->decision, index, &command);
    get_repack_step(job, index, &step);
    json_open_object(e->json);
    json_member_strings(e->json, "nodes", command.nodes, command.node_count);
    encode_some(e, "launches", &source_launches, job->decision, command.launch_first, command.launch_count);
    encode_some(e, "placements", &source_placements, job->decision, command.placement_first, command.placement_count);
    encode_members(e, &record_repack_step, &step);
    json_end(e->json);
}

void repack_as_json(const write_job *job)
{
    karp_repack_cost cost;
    get_repack_cost(job, &cost);
    json_out json, *j = &json;
    encoder e = plan_header(j, job, "RepackPlan");
    encode_members(&e, &record_repack_cost, &cost);
    licences_as_json(j, job->options);
    json_member_array(j, "steps");
    for (size_t i = 0; i < karp_decision_command_count(job->decision); i++) step_as_json(&e, i);
    json_end(j);
    encode_all(&e, "curve", &source_points, job->decision);
    encode_all(&e, "kept", &source_kept, job->decision);
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
    buffer_between_u(b, "\nStep ", index + 1, ": saves ");
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
    const text_out *t = &(text_out){ job->out, job->options->width, job->options->color != 0 };
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
    cost_line(t, "Cost", cost.before, cost.after);
    buffer_char(t->out, '\n');
    licences_line(t->out, job->options, false);
}
