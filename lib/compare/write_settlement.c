/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Settlement documents (docs/formats.md, "Settled"). */
#include <compare/comparison.h>

#include <io/write_notes.h>
#include <io/write_licences.h>
#include <io/write_plan_json.h>
#include <records/rows.h>

typedef struct shown_round {
    karp_settle_round round;
    karp_str method; /* "" = nodes are launched for pending pods */
    karp_str launched; /* "2 × c6g.large, 1 × m6a.large" */
    karp_str removed;
} shown_round;

static const record record_round = { OPEN(
    { TIME("time", shown_round, round.at) }, { TEXT("method", shown_round, method) },
    { SIZE("launches", shown_round, round.launches) }, { TEXT("launched", shown_round, launched) },
    { SIZE("nodesRemoved", shown_round, round.removed_count) }, { TEXT("removed", shown_round, removed) },
    { SIZE("podsLaunchedFor", shown_round, round.pods_launched_for) },
    { SIZE("podsLeft", shown_round, round.pods_left) }, { MONEY("perHour", shown_round, round.cost) }) };

static void round_as_json(const encoder *e, const karp_settlement *s, size_t index)
{
    shown_round shown = { .round = { .size = sizeof shown.round } };
    const karp_settle_round *r = &shown.round;
    write_refuse(e->job, karp_settlement_round(s, index, &shown.round), "a round cannot be read");
    write_buffer launched = buffer_on(e->job->context);
    write_buffer removed = buffer_on(e->job->context);
    for (size_t i = 0; i < r->launched_count; i++) {
        buffer_text(&launched, i > 0 ? ", " : "");
        buffer_uint(&launched, r->launched[i].nodes);
        buffer_text(&launched, " \xc3\x97 ");
        buffer_str(&launched, r->launched[i].instance_type);
    }
    for (size_t i = 0; i < r->removed_count; i++) {
        buffer_text(&removed, i > 0 ? " " : "");
        buffer_str(&removed, r->removed[i]);
    }
    shown.launched = buffer_content(&launched);
    shown.removed = buffer_content(&removed);
    if (r->method != KARP_METHOD_ANY) shown.method = str(karp_method_name(r->method));
    else shown.method = str(r->is_static != 0 ? "StaticProvisioning" : "");
    json_flat_object(e->json);
    encode_members(e, &record_round, &shown);
    json_end(e->json);
    if (launched.text.failed || removed.text.failed) write_refuse(e->job, KARP_E_NOMEM, "out of memory");
    buffer_free(&launched);
    buffer_free(&removed);
}

static void as_json(const write_job *job, const karp_settlement *s, const karp_comparison *both)
{
    json_out json, *j = &json;
    const encoder e = { .json = j, .job = job, .document = IN_COMPARISON };
    const encoder of_plan = { .json = j, .job = job, .document = IN_PLAN };
    karp_drift drift = { .size = sizeof drift };
    json_open_document(j, job->out, job->options->compact != 0, "Settlement");
    json_member_engine(j);
    json_member_catalogue(j, job->options->catalogue);
    json_member_array(j, "rounds");
    for (size_t i = 0; i < karp_settlement_round_count(s); i++) round_as_json(&e, s, i);
    json_end(j);
    json_member_array(j, "designs");
    for (size_t i = 0; i < both->count; i++) design_as_json(&e, &both->designs[i]);
    json_end(j);
    hooks_as_json(&of_plan, job);
    licences_as_json(j, job->options);
    write_refuse(job, karp_settlement_drift(s, &drift), "the drift cannot be read");
    drift_as_json(j, &drift, e.document);
    notes_as_json(j, job);
    json_close(j);
}

karp_status karp_write_settlement(karp_context *context, const karp_settlement *settlement,
                                  const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_comparison *both = NULL;
    karp_status status = write_begin(&call, options, settlement, "a settlement", WRITE_JSON);
    if (status != KARP_OK) return status;
    status = karp_compare_settlement(context, settlement, &both, error);
    if (status == KARP_OK) as_json(&call.job, settlement, both);
    else call.buffer.status = status;
    karp_comparison_free(both);
    return write_end(&call);
}
