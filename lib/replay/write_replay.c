/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a replay as JSON, text and CSV. */
#include <replay/commit.h>
#include <replay/replay.h>
#include <replay/spread.h>
#include <replay/state_rows.h>

#include <math.h>

#include <karp/peer.h>
#include <io/write_licences.h>
#include <io/write_notes.h>
#include <io/write_plan_json.h>
#include <io/write_requests.h>
#include <io/write_text.h>

static double rounded(double value) { return round(value * 1e6) / 1e6; }

static void number(json_out *j, const char *key, double value) { json_member_double(j, key, rounded(value)); }

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_disruptions(json_out *j, const replay_result *p)
{
    json_member_object(j, "disruptions");
    if (p->commands[KARP_METHOD_ANY]) json_member_uint(j, "Repack", p->commands[KARP_METHOD_ANY]);
    for (uint32_t m = 1; m < METHODS_MOST; m++) {
        if (p->commands[m]) json_member_uint(j, karp_method_name(m), p->commands[m]);
    }
    json_end(j);
}

static double value_of(const replay_point *point, const record_field *column)
{
    const void *at = (const char *)point + column->at;
    return column->kind == FIELD_UINT32 ? *(const uint32_t *)at : rounded(*(const double *)at);
}

static void write_series(json_out *j, const replay_result *p)
{
    json_member_object(j, "series");
    json_member_flat_array(j, "time");
    for (size_t i = 0; i < p->point_count; i++) json_int(j, p->points[i].at / SECOND);
    json_end(j);
    for (size_t c = 1; c < state_point.count; c++) {
        json_member_flat_array(j, state_point.fields[c].name);
        for (size_t i = 0; i < p->point_count; i++) json_double(j, value_of(&p->points[i], &state_point.fields[c]));
        json_end(j);
    }
    json_end(j);
}

/* As the settlement of a cluster says it. */
static karp_drift drift_of(const replay_result *p)
{
    const replay_drift_result *d = &p->drift;
    return (karp_drift){ .size = sizeof(karp_drift),
                         .nodes = (size_t)d->nodes,
                         .left = (size_t)(d->nodes > d->gone ? d->nodes - d->gone : 0),
                         .at_once = (size_t)d->at_once,
                         .begins = d->begins,
                         .ends = d->ends,
                         .cost_before = d->before,
                         .cost_during = d->during,
                         .cost_after = d->after,
                         .played = 1 };
}

void replay_write_figures(json_out *j, const replay_result *p)
{
    number(j, "dollars", p->dollars);
    if (p->unpriced_nodes) json_member_uint(j, "nodesWithoutPrice", p->unpriced_nodes);
    number(j, "idleDollars", p->idle_dollars);
    number(j, "nodeHours", p->node_hours);
    json_member_uint(j, "nodesMost", p->most_nodes);
    json_member_uint(j, "launches", p->launches);
    json_member_uint(j, "failedLaunches", p->failed_launches);
    json_member_uint(j, "endedNodes", p->ended_nodes);
    json_member_uint(j, "evictions", p->evictions);
    json_member_uint(j, "interruptions", p->interruptions);
    number(j, "expectedInterruptions", p->expected);
    json_member_uint(j, "expirations", p->expirations);
    json_member_uint(j, "killedPods", p->killed_pods);
    json_member_uint(j, "lostPods", p->lost_pods);
    if (p->preemptions) json_member_uint(j, "preemptions", p->preemptions);
    if (p->failures) json_member_uint(j, "nodeFailures", p->failures);
    if (p->taint_evictions) json_member_uint(j, "taintEvictions", p->taint_evictions);
    write_disruptions(j, p);
    const karp_drift drift = drift_of(p);
    drift_as_json(j, &drift, IN_PLAN);
    json_member_uint(j, "abandonedDisruptions", p->given_up);
    json_member_flat_object(j, "pendingSeconds");
    number(j, "p50", p->wait_p50);
    number(j, "p99", p->wait_p99);
    number(j, "max", p->wait_most);
    json_end(j);
    number(j, "cpuUse", p->cpu_use);
    number(j, "memoryUse", p->memory_use);
    json_member_uint(j, "podStarts", p->starts);
    json_member_uint(j, "podsEnded", p->ended_pods);
    json_member_uint(j, "podsRunning", p->running_pods);
    json_member_uint(j, "podsPending", p->pending_pods);
    json_member_uint(j, "podsUnplaced", p->unplaced_pods);
    json_member_uint(j, "launchDecisions", p->decisions);
    json_member_uint(j, "disruptionPasses", p->passes);
    if (p->preferences_kept + p->preferences_dropped == 0) return;
    json_member_flat_object(j, "preferences");
    json_member_uint(j, "kept", p->preferences_kept);
    json_member_uint(j, "dropped", p->preferences_dropped);
    json_end(j);
}

static void write_policy(json_out *j, const replay_result *p)
{
    json_open_object(j);
    json_member_str(j, "policy", p->policy);
    replay_write_figures(j, p);
    spread_as_json(j, p);
    replay_write_plan_json(j, p);
    commit_as_json(j, p);
    write_series(j, p);
    json_end(j);
}

karp_str replay_catalogue(const replay *r) { return r->write.catalogue.len ? r->write.catalogue : str(r->title); }

/* Members of an open object; omitted without changes of requests, and without notes. */
static void write_rest(json_out *j, const replay *r, write_buffer *out)
{
    karp_error error = { .size = sizeof error };
    const karp_write_options options = { .warnings = r->base.notes, .warning_count = r->base.note_count };
    const write_job job = { .context = r->base.context, .options = &options, .out = out, .error = &error };
    const encoder e = { .json = j, .job = &job };
    requests_as_json(&e, r->sized, NULL);
    if (r->base.note_count > 0) notes_as_json(j, &job);
}

void replay_write_json(const replay *r, write_buffer *out)
{
    json_out j;
    json_init(&j, out, r->write.compact != 0);
    json_open_object(&j);
    json_member_text(&j, "apiVersion", "karp/v1");
    json_member_text(&j, "kind", "Replay");
    json_member_engine(&j);
    json_member_newest_peer(&j);
    json_member_catalogue(&j, replay_catalogue(r));
    json_member_time(&j, "begins", r->base.trace.begins);
    json_member_time(&j, "ends", r->base.trace.ends);
    json_member_uint(&j, "seed", r->options.seed);
    json_member_uint(&j, "pods", r->pods);
    json_member_uint(&j, "notes", r->base.trace.notes);
    json_member_array(&j, "policies");
    for (size_t i = 0; i < r->result_count; i++) write_policy(&j, &r->results[i]);
    json_end(&j);
    licences_as_json(&j, &r->write);
    write_rest(&j, r, out);
    json_close(&j);
}

void replay_write_csv(const replay *r, write_buffer *out)
{
    char text[KARP_VALUE_TEXT];
    buffer_text(out, "policy,time");
    for (size_t c = 1; c < state_point.count; c++) {
        buffer_char(out, ',');
        buffer_text(out, state_point.fields[c].name);
    }
    buffer_char(out, '\n');
    for (size_t i = 0; i < r->result_count; i++) {
        const replay_result *p = &r->results[i];
        for (size_t k = 0; k < p->point_count; k++) {
            karp_time_format(p->points[k].at, text);
            buffer_str(out, p->policy);
            buffer_char(out, ',');
            buffer_text(out, text);
            for (size_t c = 1; c < state_point.count; c++) {
                buffer_char(out, ',');
                buffer_double(out, value_of(&p->points[k], &state_point.fields[c]));
            }
            buffer_char(out, '\n');
        }
    }
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum { CELL = 32 };

/* Formats with this number of decimal places. */
static void fixed(char out[CELL], double value, int digits)
{
    double unit = digits == 2 ? 100 : digits == 1 ? 10 : 1, scaled = round(value * unit);
    if (!(scaled < 1e15 && scaled >= 0)) scaled = 0;
    uint64_t whole = (uint64_t)scaled / (uint64_t)unit, rest = (uint64_t)scaled % (uint64_t)unit;
    size_t length = write_digits(out, whole);
    if (digits) {
        out[length++] = '.';
        if (digits == 2) out[length++] = (char)('0' + rest / 10);
        out[length++] = (char)('0' + rest % 10);
    }
    out[length] = '\0';
}

typedef struct text_row {
    const char *name;
    double (*value)(const replay_result *p);
    int digits;
    const char *unit;
    bool unless_zero; /* nothing is said if it is 0 under all policies */
} text_row;

static double row_dollars(const replay_result *p) { return p->dollars; }
static double row_idle(const replay_result *p) { return p->idle_dollars; }
static double row_hours(const replay_result *p) { return p->node_hours; }
static double row_most(const replay_result *p) { return p->most_nodes; }
static double row_launches(const replay_result *p) { return (double)p->launches; }
static double row_failed(const replay_result *p) { return (double)p->failed_launches; }
static double row_evictions(const replay_result *p) { return (double)p->evictions; }
static double row_interruptions(const replay_result *p) { return (double)p->interruptions; }
static double row_expirations(const replay_result *p) { return (double)p->expirations; }
static double row_lost(const replay_result *p) { return (double)p->lost_pods; }
static double row_p50(const replay_result *p) { return p->wait_p50; }
static double row_p99(const replay_result *p) { return p->wait_p99; }
static double row_max(const replay_result *p) { return p->wait_most; }
static double row_cpu(const replay_result *p) { return p->cpu_use * 100; }
static double row_memory(const replay_result *p) { return p->memory_use * 100; }
static double row_kept(const replay_result *p) { return (double)p->preferences_kept; }
static double row_dropped(const replay_result *p) { return (double)p->preferences_dropped; }
static double row_pending(const replay_result *p) { return p->pending_pods; }

static double row_unpriced(const replay_result *p) { return (double)p->unpriced_nodes; }

static double row_runs(const replay_result *p) { return (double)p->run_count; }
static double row_cost_p50(const replay_result *p) { return spread_at(p, SPREAD_COST, 50); }
static double row_cost_p95(const replay_result *p) { return spread_at(p, SPREAD_COST, 95); }
static double row_wait_p50(const replay_result *p) { return spread_at(p, SPREAD_WAIT, 50); }
static double row_wait_p95(const replay_result *p) { return spread_at(p, SPREAD_WAIT, 95); }
static double row_interrupted_p50(const replay_result *p) { return spread_at(p, SPREAD_INTERRUPTIONS, 50); }
static double row_interrupted_p95(const replay_result *p) { return spread_at(p, SPREAD_INTERRUPTIONS, 95); }

static const text_row rows[] = {
    { "cost", row_dollars, 2, "$", false },
    { "nodes at $0", row_unpriced, 0, "", true }, /* their price is not known */
    { "idle cost", row_idle, 2, "$", false },
    { "node-hours", row_hours, 1, "", false },
    { "nodes at most", row_most, 0, "", false },
    { "launches", row_launches, 0, "", false },
    { "failed launches", row_failed, 0, "", false },
    { "evictions", row_evictions, 0, "", false },
    { "interruptions", row_interruptions, 0, "", false },
    { "expirations", row_expirations, 0, "", false },
    { "pods lost", row_lost, 0, "", false },
    { "pending p50", row_p50, 1, " s", false },
    { "pending p99", row_p99, 1, " s", false },
    { "pending max", row_max, 1, " s", false },
    { "cpu requested", row_cpu, 1, "%", false },
    { "memory requested", row_memory, 1, "%", false },
    { "preferences kept", row_kept, 0, "", true },
    { "and dropped", row_dropped, 0, "", true },
    { "pending at the end", row_pending, 0, "", false },
    { "runs", row_runs, 0, "", true },
    { "cost, p50", row_cost_p50, 2, "$", true },
    { "cost, p95", row_cost_p95, 2, "$", true },
    { "pending p99, p50", row_wait_p50, 1, " s", true },
    { "pending p99, p95", row_wait_p95, 1, " s", true },
    { "interrupted, p50", row_interrupted_p50, 0, "", true },
    { "interrupted, p95", row_interrupted_p95, 0, "", true },
};

static void cell(write_buffer *out, const char *text, size_t length, size_t width)
{
    for (size_t i = length; i < width; i++) buffer_char(out, ' ');
    buffer_bytes(out, text, length);
}

enum { NAMES = 19 };

static size_t column_width(const replay_result *p) { return p->policy.len > 14 ? p->policy.len + 2 : 16; }

void replay_write_text(const replay *r, write_buffer *out)
{
    char text[KARP_VALUE_TEXT];
    karp_str catalogue = replay_catalogue(r);
    buffer_text(out, "karp replay  \xc2\xb7  Karpenter ");
    buffer_text(out, karp_peer_version_name(0));
    buffer_text(out, catalogue.len ? "  \xc2\xb7  catalogue " : "");
    text_clean(out, catalogue);
    buffer_text(out, "\n");
    karp_time_format(r->base.trace.begins, text);
    buffer_text(out, text);
    karp_time_format(r->base.trace.ends, text);
    buffer_text(out, " to ");
    buffer_text(out, text);
    buffer_between_u(out, ", ", r->pods, "");
    buffer_text(out, r->pods == 1 ? " pod" : " pods");
    if (r->base.trace.notes) {
        buffer_between_u(out, ", ", r->base.trace.notes, " contradictory events left out");
    }
    buffer_text(out, "\n\n");
    for (size_t from = 0, to; from < r->result_count; from = to) { /* as many policies side by side as fit */
        size_t width = NAMES;
        for (to = from;
             to < r->result_count && (to == from || width + column_width(&r->results[to]) <= r->write.width);)
            width += column_width(&r->results[to++]);
        buffer_text(out, from > 0 ? "\n" : "");
        for (size_t i = 0; i < NAMES; i++) buffer_char(out, ' ');
        for (size_t i = from; i < to; i++)
            cell(out, r->results[i].policy.ptr, r->results[i].policy.len, column_width(&r->results[i]));
        buffer_char(out, '\n');
        replay_write_rows(r, from, to, out);
    }
    replay_write_plan_text(r, out);
    for (size_t i = 0; i < r->result_count; i++) commit_as_text(out, &r->results[i]);
    requests_as_text(out, r->sized);
    replay_write_notes_text(r, out);
}

static void write_drifts(const replay *r, write_buffer *out)
{
    char text[KARP_DRIFT_TEXT];
    for (size_t i = 0; i < r->result_count; i++) {
        const karp_drift drift = drift_of(&r->results[i]);
        if (karp_drift_text(&drift, text) || text[0] == '\0') continue;
        buffer_text(out, r->result_count > 1 ? "\nDrift, " : "\nDrift");
        if (r->result_count > 1) text_clean(out, r->results[i].policy);
        buffer_text(out, ": ");
        buffer_text(out, text);
        buffer_text(out, ".\n");
    }
}

void replay_write_notes_text(const replay *r, write_buffer *out)
{
    const text_out t = { out, r->write.width, r->write.color != 0 };
    const karp_write_options options = { .warnings = r->base.notes, .warning_count = r->base.note_count };
    const write_job job = { .options = &options, .out = out };
    licences_line(out, &r->write, true);
    write_drifts(r, out);
    notes_section(&t, &job);
    put_incomplete(out, &options);
}

/* A dollar amount, formatted as in all text output. */
static void money_cell(write_buffer *out, double value, size_t width)
{
    write_buffer text = buffer_on(out->text.context);
    text_dollars(&text, value, false);
    cell(out, text.text.ptr, text.text.len, width);
    out->text.failed = out->text.failed || text.text.failed;
    buffer_free(&text);
}

static bool is_silent(const replay *r, const text_row *row)
{
    bool zero = row->unless_zero;
    for (size_t i = 0; i < r->result_count && zero; i++) zero = !(row->value(&r->results[i]) > 0);
    return zero;
}

void replay_write_rows(const replay *r, size_t from, size_t to, write_buffer *out)
{
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (is_silent(r, &rows[k])) continue;
        size_t length = strlen(rows[k].name);
        buffer_text(out, rows[k].name);
        for (; length < NAMES; length++) buffer_char(out, ' ');
        for (size_t i = from; i < to; i++) {
            char value[CELL + 4];
            if (rows[k].unit[0] == '$') {
                money_cell(out, rows[k].value(&r->results[i]), column_width(&r->results[i]));
                continue;
            }
            fixed(value, rows[k].value(&r->results[i]), rows[k].digits);
            size_t n = strlen(value), u = strlen(rows[k].unit);
            memcpy(value + n, rows[k].unit, u + 1);
            cell(out, value, n + u, column_width(&r->results[i]));
        }
        buffer_char(out, '\n');
    }
}
