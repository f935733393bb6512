/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Comparison documents (docs/formats.md, "Designs side by side"). */
#include <compare/comparison.h>

#include <io/write_notes.h>
#include <io/write_plan_json.h>
#include <io/write_requests.h>
#include <records/rows.h>

#include <karp/inspect.h>
#include <karp/objective.h>
#include <karp/peer.h>
#include <karp/what_if.h>

/* ---- a design ---------------------------------------------------------------------------------------------------- */

typedef struct shown_design {
    karp_design_totals totals;
    double month; /* $ */
    karp_str licences; /* "" = the cost lacks none */
    size_t unpriced; /* nodes that it counts as 0 */
    const karp_cost *objective; /* NULL = it is no least-cost plan */
} shown_design;

static const record record_group = { OF(karp_design_group), OPEN({ TEXT("name", karp_design_group, name) },
                                                                 { SIZE("nodes", karp_design_group, nodes) },
                                                                 { MONEY("perHour", karp_design_group, price) }) };

static const record design_cost = { OPEN(
    { MONEY("perHour", shown_design, totals.price) }, { MONEY("perMonth", shown_design, month) },
    { MONEY("spot", shown_design, totals.spot_price) }, { TEXT("withoutLicences", shown_design, licences), GIVEN },
    { SIZE("nodesWithoutPrice", shown_design, unpriced), POSITIVE }) };

static const record design_objective = {
    OF(karp_cost), OPEN({ CONSTANT("name", "cost") }, { MONEY("cost", karp_cost, cost) },
                        { MONEY("compatibleCost", karp_cost, compatible_cost) }, { MONEY("bound", karp_cost, bound) },
                        { REAL("gap", karp_cost, gap), NEGATIVE_IS_NULL })
};

static const record design_cpu = { OPEN({ MONEY("requested", shown_design, totals.cpu_requested) },
                                        { MONEY("allocatable", shown_design, totals.cpu_allocatable) }) };
static const record design_memory = { OPEN({ MONEY("requested", shown_design, totals.memory_requested) },
                                           { MONEY("allocatable", shown_design, totals.memory_allocatable) }) };

#define GROUP_LIST(text, m, n) LIST(text, shown_design, totals.m, totals.n, record_group), FLAT

static const record record_design = { OPEN(
    { SIZE("nodes", shown_design, totals.nodes) }, { SIZE("launches", shown_design, totals.launches) },
    { SIZE("podsPlaced", shown_design, totals.pods_placed) }, { SIZE("podsLeft", shown_design, totals.pods_left) },
    { OBJECT("cost", design_cost), FLAT },
    { POINTER("objective", shown_design, objective, design_objective), FLAT, GIVEN },
    { OBJECT("cpu", design_cpu), FLAT }, { OBJECT("memory", design_memory), FLAT },
    { GROUP_LIST("nodePools", node_pools, node_pool_count) }, { GROUP_LIST("zones", zones, zone_count) },
    { GROUP_LIST("capacityTypes", capacity_types, capacity_type_count) },
    { GROUP_LIST("instanceTypes", instance_types, instance_type_count) }) };

/* What is known of the input. */
static void input_as_json(const encoder *e, const summed_design *d)
{
    karp_str digest = karp_reader_digest(d->design.reader), title = karp_reader_catalogue_title(d->design.reader);
    if (title.ptr == NULL) write_refuse(e->job, KARP_E_NOMEM, "out of memory");
    if (digest.len > 0) json_member_str(e->json, "sha256", digest);
    json_member_catalogue(e->json, title);
}

static void design_notes(const encoder *e, const summed_design *d)
{
    karp_write_options options = *e->job->options;
    options.warnings = d->design.warnings;
    options.warning_count = d->design.warning_count;
    const write_job job = { e->job->context, NULL, NULL, &options, e->job->out, e->job->error };
    notes_as_json(e->json, &job);
}

void design_as_json(const encoder *e, const summed_design *d)
{
    const karp_decision *plan = d->design.plan;
    karp_cost cost = { .size = sizeof cost };
    bool least = karp_decision_cost(plan, &cost) == KARP_OK;
    shown_design shown = { d->totals, d->totals.price * HOURS_A_MONTH, { "", 0 }, 0, least ? &cost : NULL };
    shown.unpriced = karp_decision_unpriced_count(d->design.settlement ? karp_settlement_last(d->design.settlement)
                                                                       : plan);
    json_open_object(e->json);
    json_member_str(e->json, "name", d->design.name);
    if (d->design.reader != NULL) input_as_json(e, d);
    if (d->design.reader != NULL) shown.licences = karp_reader_missing_licences(d->design.reader);
    json_member_profile(e->json, karp_decision_profile(plan));
    json_member_text(e->json, "peerVersion", karp_peer_version_name(karp_decision_peer_version(plan)));
    encode_members(e, &record_design, &shown);
    drift_as_json(e->json, d->design.drift, e->document);
    if (d->design.reader != NULL) design_notes(e, d);
    json_end(e->json);
}

/* ---- what differs ------------------------------------------------------------------------------------------------ */

static const record field_alone = { OPEN({ MONEY("perHour", karp_design_field, alone_price) },
                                         { SIZE("podsLeft", karp_design_field, alone_left) }) };
static const record record_changed_field = {
    OF(karp_design_field),
    OPEN({ TEXT("object", karp_design_field, object) }, { TEXT("field", karp_design_field, field) },
         { JSON("before", karp_design_field, before) }, { JSON("after", karp_design_field, after) },
         { OBJECT("alone", field_alone), WHEN(karp_design_field, alone) })
};

typedef struct shown_move {
    karp_design_move move;
    karp_str change;
} shown_move;

static const record record_move = { OPEN({ TEXT("pod", shown_move, move.pod) }, { TEXT("change", shown_move, change) },
                                         { TEXT("before", shown_move, move.before), NULL_IS_NULL },
                                         { TEXT("after", shown_move, move.after), NULL_IS_NULL }) };

/* An array's element on one line. */
static void line_as_json(const encoder *e, const record *r, const void *from)
{
    json_flat_object(e->json);
    encode_members(e, r, from);
    json_end(e->json);
}

static void difference_as_json(const encoder *e, const summed_design *d)
{
    json_open_object(e->json);
    json_member_str(e->json, "design", d->design.name);
    json_member_array(e->json, "fields");
    for (size_t i = 0; i < d->field_count; i++) line_as_json(e, &record_changed_field, &d->fields[i]);
    json_end(e->json);
    json_member_array(e->json, "moves");
    for (size_t i = 0; i < d->move_count; i++) {
        const karp_design_move *m = &d->moves[i];
        const shown_move shown = { *m, str(m->before.ptr == NULL  ? "new"
                                           : m->after.ptr == NULL ? "deleted"
                                                                  : "moved") };
        line_as_json(e, &record_move, &shown);
    }
    json_end(e->json);
    if (d->design.saved_count > 0) requests_as_json(e, d->design.reader, d->design.saved);
    json_end(e->json);
}

/* The changes of karp_what_if(), which every design has. */
static void changes_as_json(const encoder *e, const karp_decision *plan)
{
    size_t count = karp_decision_warning_count(plan), changes = karp_decision_change_count(plan);
    if (changes == 0) return;
    json_member_array(e->json, "changes");
    for (size_t i = count - changes; i < count; i++) json_str(e->json, karp_decision_warning(plan, i));
    json_end(e->json);
}

karp_status karp_write_comparison(karp_context *context, const karp_comparison *comparison,
                                  const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, comparison, "a comparison", WRITE_JSON);
    if (status != KARP_OK) return status;
    json_out json;
    const encoder e = { .json = &json, .job = &call.job, .document = IN_COMPARISON };
    json_open_document(&json, &call.buffer, call.options.compact != 0, "Comparison");
    json_member_engine(&json);
    json_member_array(&json, "designs");
    for (size_t i = 0; i < comparison->count; i++) design_as_json(&e, &comparison->designs[i]);
    json_end(&json);
    json_member_array(&json, "differences");
    for (size_t i = 1; i < comparison->count; i++) difference_as_json(&e, &comparison->designs[i]);
    json_end(&json);
    changes_as_json(&e, comparison->designs[0].design.plan);
    json_close(&json);
    return write_end(&call);
}
