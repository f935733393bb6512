/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a replay's repack plan, as JSON and as text. */
#include <replay/replay.h>

#include <io/write_text.h>

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void attempt_as_json(json_out *j, const replay_attempt *a)
{
    json_flat_object(j);
    json_member_uint(j, "plan", a->plan);
    json_member_uint(j, "step", a->step);
    json_member_uint(j, "of", a->steps);
    json_member_time(j, "begins", a->began);
    json_member_time(j, "ends", a->ended);
    json_member_uint(j, "nodes", a->nodes);
    json_member_uint(j, "launches", a->launches);
    json_member_bool(j, "done", a->done);
    if (a->reason) json_member_text(j, "reason", karp_reason_name(a->reason));
    if (a->ended != KARP_NO_TIME) {
        json_member_uint(j, "evictions", a->evictions);
        json_member_money(j, "costAfter", a->cost);
    }
    json_end(j);
}

void replay_write_plan_json(json_out *j, const replay_result *p)
{
    const replay_repack_result *r = &p->repack;
    if (!r->played) return;
    json_member_object(j, "repack");
    json_member_money(j, "costBefore", r->cost_before);
    json_member_money(j, "costAfter", r->cost_after);
    json_member_uint(j, "evictions", r->evictions);
    json_member_uint(j, "pending", r->pending);
    json_member_money(j, "promisedCostBefore", r->promised_before);
    json_member_money(j, "promisedCostAfter", r->promised_after);
    json_member_uint(j, "promisedEvictions", r->promised_evictions);
    json_member_uint(j, "plans", r->plans);
    json_member_uint(j, "stepsDone", r->done);
    json_member_time(j, "ends", r->ended);
    json_member_array(j, "steps");
    for (size_t i = 0; i < r->attempt_count; i++) attempt_as_json(j, &r->attempts[i]);
    json_end(j);
    json_end(j);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void some(write_buffer *out, uint64_t n, const char *one, const char *many)
{
    buffer_uint(out, n);
    buffer_char(out, ' ');
    buffer_text(out, n == 1 ? one : many);
}

static void rate(write_buffer *out, double value)
{
    buffer_char(out, '$');
    text_money(out, value);
    buffer_text(out, "/h");
}

/* Writes a time as "1:02:45" since the start. */
static void since(write_buffer *out, int64_t nanoseconds)
{
    int64_t seconds = nanoseconds / SECOND;
    buffer_uint(out, (uint64_t)(seconds / 3600));
    for (int64_t unit = 60; unit >= 1; unit /= 60) {
        int64_t part = seconds / unit % 60;
        buffer_char(out, ':');
        buffer_char(out, (char)('0' + part / 10));
        buffer_char(out, (char)('0' + part % 10));
    }
}

static void attempt_as_text(write_buffer *out, const replay_attempt *a, int64_t begins)
{
    buffer_text(out, "  ");
    since(out, (a->ended == KARP_NO_TIME ? a->began : a->ended) - begins);
    buffer_between_u(out, "  step ", a->step, " of ");
    buffer_uint(out, a->steps);
    buffer_text(out, ": ");
    if (a->reason) {
        buffer_text(out, "not carried out, ");
        buffer_text(out, karp_reason_name(a->reason));
        buffer_text(out, "; what is left is planned again\n");
        return;
    }
    some(out, a->nodes, "node removed, ", "nodes removed, ");
    buffer_uint(out, a->launches);
    buffer_text(out, " launched");
    if (a->done) {
        buffer_text(out, ", ");
        some(out, a->evictions, "eviction, then ", "evictions, then ");
        rate(out, a->cost);
    } else {
        buffer_text(out, "; under way at the end");
    }
    buffer_char(out, '\n');
}

static void outcome(write_buffer *out, const char *what, double before, double after, uint64_t evictions)
{
    buffer_text(out, what);
    rate(out, before);
    buffer_text(out, " to ");
    rate(out, after);
    buffer_text(out, " with ");
    some(out, evictions, "eviction", "evictions");
}

void replay_write_plan_text(const replay *r, write_buffer *out)
{
    for (size_t i = 0; i < r->result_count; i++) {
        const replay_repack_result *p = &r->results[i].repack;
        if (!p->played) continue;
        buffer_text(out, "\nRepack plan");
        if (r->result_count > 1) {
            buffer_text(out, ", ");
            buffer_str(out, r->results[i].policy);
        }
        buffer_char(out, '\n');
        for (size_t k = 0; k < p->attempt_count; k++) attempt_as_text(out, &p->attempts[k], r->base.trace.begins);
        outcome(out, "  promised  ", p->promised_before, p->promised_after, p->promised_evictions);
        outcome(out, "\n  came out  ", p->cost_before, p->cost_after, p->evictions);
        buffer_text(out, ", ");
        some(out, p->pending, "pod pending", "pods pending");
        buffer_text(out, p->ended == KARP_NO_TIME ? "; not over\n" : "\n");
    }
}
