/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Tuning documents (docs/formats.md, "Tuning"). */
#include <advise/tune.h>

#include <io/write_licences.h>
#include <io/write_notes.h>

karp_tune_design tune_design_at(const karp_tune *t, size_t index)
{
    karp_tune_design d = { .size = sizeof d };
    (void)karp_tune_get_design(t, index, &d);
    return d;
}

/* "axes": [{"nodePool": "", "name": "consolidateAfter", "now": "0s", "values": ["5m"]}] */
static void write_axes(json_out *j, const karp_tune *t)
{
    json_member_array(j, "axes");
    for (size_t a = 0; a < t->axis_count; a++) {
        const karp_tune_axis *axis = &t->axes[a].shown;
        json_flat_object(j);
        json_member_str(j, "nodePool", axis->pool);
        json_member_str(j, "name", axis->name);
        json_member_str(j, "now", axis->now);
        json_member_strings(j, "values", axis->values + 1, axis->value_count - 1);
        json_end(j);
    }
    json_end(j);
}

static void write_loads(json_out *j, const karp_tune *t)
{
    if (t->load_count == 0) return;
    json_member_flat_array(j, "loads");
    for (size_t i = 0; i < t->load_count; i++) json_double(j, t->factors[i]);
    json_end(j);
}

static void write_changes(json_out *j, const karp_tune *t, const karp_tune_design *d)
{
    json_member_array(j, "changes");
    for (size_t a = 0; a < t->axis_count; a++) {
        const karp_tune_axis *axis = &t->axes[a].shown;
        if (d->values[a] == 0) continue;
        json_flat_object(j);
        json_member_str(j, "nodePool", axis->pool);
        json_member_str(j, "name", axis->name);
        json_member_str(j, "value", axis->values[d->values[a]]);
        json_end(j);
    }
    json_end(j);
}

static void write_cost(json_out *j, const karp_tune *t, double cost)
{
    json_member_money(j, t->replay ? "dollars" : "perHour", cost);
}

static void write_figures(json_out *j, const karp_tune *t, const karp_tune_design *d)
{
    write_cost(j, t, d->cost);
    if (t->restart_loss > 0) json_member_money(j, "restartDollars", d->restarts);
    json_member_uint(j, t->replay ? "evictions" : "nodesRemoved", d->evictions);
    if (t->replay) json_member_double(j, "pendingSecondsP99", d->pending);
    if (t->replay) {
        json_member_double(j, "interruptions", d->exposure);
        json_member_double(j, "interruptionsPerHour", d->interruptions_per_hour);
    } else {
        json_member_money(j, "spotPerHour", d->exposure);
        json_member_double(j, "spotShare", d->spot_share);
    }
    json_member_uint(j, t->replay ? "nodesMost" : "nodes", d->nodes);
    json_member_uint(j, "podsLeft", d->left);
    if (d->unpriced > 0) json_member_uint(j, "nodesWithoutPrice", d->unpriced);
    json_member_bool(j, "onFront", d->on_front != 0);
    json_member_bool(j, "best", d->best != 0);
    json_member_bool(j, "leavesMore", d->leaves_more != 0);
    json_member_bool(j, "beyondCap", d->beyond_cap != 0);
}

/* *best: the number of the best design, or of the first. */
static void write_designs(json_out *j, const karp_tune *t, size_t *best)
{
    *best = 0;
    json_member_array(j, "designs");
    for (size_t i = 0; i < t->design_count; i++) {
        const karp_tune_design d = tune_design_at(t, i);
        json_open_object(j);
        json_member_uint(j, "design", i);
        write_changes(j, t, &d);
        if (d.known) write_figures(j, t, &d);
        json_end(j);
        if (d.best) *best = i;
    }
    json_end(j);
}

/* Designs that have one change of the best design alone. */
static void write_alone(json_out *j, const karp_tune *t, size_t best)
{
    json_member_array(j, "alone");
    for (size_t i = 1; i < t->design_count; i++) {
        const karp_tune_design d = tune_design_at(t, i);
        bool part = d.known && d.changes == 1;
        for (size_t a = 0; part && a < t->axis_count; a++)
            part = d.values[a] == 0 || d.values[a] == t->designs[best].values[a];
        if (!part) continue;
        json_flat_object(j);
        json_member_uint(j, "design", i);
        write_cost(j, t, d.cost - t->designs[0].result.cost);
        json_end(j);
    }
    json_end(j);
}

/* Days on which the best design costs more than the input as it is. */
static void write_days(json_out *j, const karp_tune *t, size_t best)
{
    karp_tune_day own = { .size = sizeof own }, day = { .size = sizeof day };
    if (!t->replay) return;
    json_member_array(j, "dearerDays");
    for (size_t i = 0; karp_tune_get_day(t, best, i, &day) == KARP_OK && karp_tune_get_day(t, 0, i, &own) == KARP_OK;
         i++) {
        if (!(day.cost > own.cost + 1e-6)) continue;
        json_flat_object(j);
        json_member_time(j, "day", day.begins);
        json_member_money(j, "dollars", day.cost - own.cost);
        json_end(j);
    }
    json_end(j);
}

static void write_document(const write_job *job, const karp_tune *t)
{
    json_out json, *j = &json;
    size_t best = 0;
    json_open_document(j, job->out, job->options->compact != 0, "Tuning");
    json_member_engine(j);
    json_member_catalogue(j, job->options->catalogue);
    json_member_text(j, "method", t->replay ? "replay" : "settle");
    json_member_uint(j, "grid", karp_tune_grid(t));
    json_member_uint(j, "seed", t->seed);
    write_loads(j, t);
    write_axes(j, t);
    if (t->image_count > 0) json_member_strings(j, "imagesKept", t->images, t->image_count);
    write_designs(j, t, &best);
    json_member_uint(j, "best", best);
    write_alone(j, t, best);
    write_days(j, t, best);
    if (t->floor > 0) json_member_money(j, "floorPerHour", t->floor);
    if (t->problem_count) json_member_strings(j, "replayProblems", t->problems, t->problem_count);
    licences_as_json(j, job->options);
    notes_as_json(j, job);
    json_close(j);
}

karp_status karp_write_tune(karp_context *context, const karp_tune *tune, const karp_write_options *options,
                            karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, tune, "a search", WRITE_JSON | WRITE_HTML);
    if (status) return status;
    if (call.options.format == KARP_FORMAT_HTML) tune_write_html(tune, &call.options, &call.buffer);
    else write_document(&call.job, tune);
    return write_end(&call);
}
