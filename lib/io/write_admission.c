/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Admission documents: the answers for a queue of workloads (docs/formats.md, "Admission"). */
#include "encode.h"
#include "write_notes.h"
#include "write_text.h"

#include <karp/admit.h>
#include <karp/peer.h>
#include <records/rows.h>
#include <stdio.h>

static void get_answer(const write_job *job, const karp_admission *found, size_t index, karp_admitted *out)
{
    *out = (karp_admitted){ .size = sizeof *out };
    write_refuse(job, karp_admission_at(found, index, out), "an answer cannot be read");
}

static void get_flavour(const write_job *job, const karp_admission *found, size_t number, size_t index,
                        karp_flavour *out)
{
    *out = (karp_flavour){ .size = sizeof *out };
    write_refuse(job, karp_admission_flavour(found, number, index, out), "a flavour cannot be read");
}

static void get_change(const write_job *job, const karp_admission *found, size_t number, size_t index, karp_remedy *out)
{
    *out = (karp_remedy){ .size = sizeof *out };
    write_refuse(job, karp_admission_change(found, number, index, out), "a change cannot be read");
}

/* How many workloads have each answer, and what the launches cost. */
typedef struct admission_sum {
    size_t of[KARP_ADMIT_NEVER + 1];
    size_t launches;
    double cost;
} admission_sum;

static admission_sum sum_up(const write_job *job, const karp_admission *found)
{
    admission_sum sum = { { 0 }, 0, 0 };
    for (size_t i = 0; i < karp_admission_count(found); i++) {
        karp_admitted row;
        get_answer(job, found, i, &row);
        sum.of[row.verdict <= KARP_ADMIT_NEVER ? row.verdict : 0]++;
        sum.launches += row.launches;
        sum.cost += row.cost;
    }
    return sum;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static const record_names admit_names = { karp_admit_name, KARP_ADMIT_NOW, KARP_ADMIT_NEVER, false };
static const record_names reason_names = { karp_reason_name, 0, UINT32_MAX - 1, false };
static const record_names change_names = { karp_remedy_name, 1, 100, false };
static const record record_admitted = {
    SIZED(karp_admitted, condition_count),
    OPEN({ TEXT("workload", karp_admitted, name) }, { TEXT("kind", karp_admitted, kind), GIVEN },
         { NAMED("answer", karp_admitted, verdict, admit_names) },
         { NAMED("code", karp_admitted, code, reason_names), WHEN(karp_admitted, code) },
         { TEXT("reason", karp_admitted, detail), GIVEN },
         { FLAG("startsAlone", karp_admitted, starts_alone), WHEN(karp_admitted, starts_alone) },
         { INT32("priority", karp_admitted, priority) }, { UINT32("pods", karp_admitted, pods) },
         { UINT32("placed", karp_admitted, placed) }, { UINT32("waiting", karp_admitted, waiting) },
         { UINT32("launches", karp_admitted, launches) }, { MONEY("cost", karp_admitted, cost) },
         { DURATION("readyAfter", karp_admitted, ready_after) }, { TEXT("domain", karp_admitted, domain), GIVEN },
         { TEXTS("nodes", karp_admitted, nodes, node_count) })
};
static const record record_flavour = {
    SIZED(karp_flavour, resource_flavor),
    OPEN({ TEXT("resourceFlavor", karp_flavour, resource_flavor), GIVEN },
         { TEXT("nodePool", karp_flavour, node_pool), GIVEN }, { TEXT("zone", karp_flavour, zone), GIVEN },
         { TEXT("capacityType", karp_flavour, capacity_type), GIVEN },
         { TEXT("reservation", karp_flavour, reservation), GIVEN },
         { NAMED("answer", karp_flavour, verdict, admit_names) }, { UINT32("placed", karp_flavour, placed) },
         { UINT32("launches", karp_flavour, launches) }, { MONEY("cost", karp_flavour, cost) },
         { TEXT("reason", karp_flavour, detail), GIVEN })
};
static const record record_change = {
    SIZED(karp_remedy, choice), OPEN({ NAMED("kind", karp_remedy, kind, change_names) },
                                     { UINT32("changes", karp_remedy, changes) }, { TEXT("text", karp_remedy, text) })
};

typedef struct one_workload {
    const karp_admission *found;
    size_t number;
} one_workload;

static karp_status flavour_row(const void *of, size_t index, void *out)
{
    const one_workload *w = of;
    return karp_admission_flavour(w->found, w->number, index, out);
}

static karp_status change_row(const void *of, size_t index, void *out)
{
    const one_workload *w = of;
    return karp_admission_change(w->found, w->number, index, out);
}

static const record record_condition = {
    SIZED(karp_request_condition, message),
    OPEN({ TEXT("type", karp_request_condition, type) }, { TEXT("status", karp_request_condition, status) },
         { TEXT("reason", karp_request_condition, reason) }, { TEXT("message", karp_request_condition, message) })
};

static karp_status condition_row(const void *of, size_t index, void *out)
{
    const one_workload *w = of;
    return karp_admission_condition(w->found, w->number, index, out);
}

static const encode_source source_conditions = { &record_condition, NULL, condition_row, true };
static const encode_source source_flavours = { &record_flavour, NULL, flavour_row, true };
static const encode_source source_changes = { &record_change, NULL, change_row, true };

static void workload_as_json(const encoder *e, const karp_admission *found, size_t number)
{
    const one_workload of = { found, number };
    karp_admitted row;
    get_answer(e->job, found, number, &row);
    json_open_object(e->json);
    encode_members(e, &record_admitted, &row);
    if (row.flavour_count > 0) encode_some(e, "flavours", &source_flavours, &of, 0, row.flavour_count);
    if (row.change_count > 0) encode_some(e, "changes", &source_changes, &of, 0, row.change_count);
    if (row.condition_count > 0) encode_some(e, "conditions", &source_conditions, &of, 0, row.condition_count);
    json_end(e->json);
}

static void as_json(const write_job *job, const karp_admission *found)
{
    const karp_write_options *options = job->options;
    const karp_decision *plan = karp_admission_decision(found);
    admission_sum sum = sum_up(job, found);
    json_out json, *j = &json;
    encoder e = { .json = j, .job = job, .decision = plan, .document = IN_PLAN };
    json_open_document(j, job->out, options->compact != 0, "Admission");
    json_member_engine(j);
    json_member_profile(j, karp_decision_profile(plan));
    json_member_catalogue(j, options->catalogue);
    json_member_flat_object(j, "summary");
    for (uint32_t i = KARP_ADMIT_NOW; i <= KARP_ADMIT_NEVER; i++) json_member_uint(j, karp_admit_name(i), sum.of[i]);
    json_member_uint(j, "launches", sum.launches);
    json_member_money(j, "cost", sum.cost);
    json_end(j);
    json_member_array(j, "workloads");
    for (size_t i = 0; i < karp_admission_count(found); i++) workload_as_json(&e, found, i);
    json_end(j);
    encode_all(&e, "launches", &source_launches, plan);
    notes_as_json(j, job);
    json_close(j);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum {
    LEAST_NAME = 12,
    MOST_NAME = 48,
    ANSWER_COLUMNS = 8,
    NUMBER_COLUMNS = 9,
    MONEY_COLUMNS = 12,
    DETAIL_INDENT = 4,
    DETAIL_LINES = 8
};

static void name_workload(write_buffer *b, const karp_admitted *row)
{
    text_clean(b, row->kind);
    if (row->kind.len > 0) buffer_char(b, ' ');
    text_clean(b, row->name);
}

static size_t name_columns(const write_job *job, const karp_admission *found)
{
    size_t most = LEAST_NAME;
    for (size_t i = 0; i < karp_admission_count(found); i++) {
        karp_admitted row;
        get_answer(job, found, i, &row);
        size_t own = text_columns(row.kind) + (row.kind.len > 0) + text_columns(row.name);
        if (own > most) most = own;
    }
    return most < MOST_NAME ? most : MOST_NAME;
}

static void put_number(write_buffer *b, size_t columns, uint32_t value)
{
    char text[KARP_VALUE_TEXT];
    (void)snprintf(text, sizeof text, "%lu", (unsigned long)value);
    text_right(b, str(text), columns);
}

static void put_pods(write_buffer *b, uint32_t placed, uint32_t pods)
{
    char text[48];
    (void)snprintf(text, sizeof text, "%u/%u", (unsigned)placed, (unsigned)pods);
    text_right(b, str(text), NUMBER_COLUMNS);
}

static void put_costs(write_buffer *b, uint32_t launches, double cost)
{
    char text[64];
    put_number(b, NUMBER_COLUMNS, launches);
    (void)snprintf(text, sizeof text, "$%.4f", cost);
    if (launches > 0) text_right(b, str(text), MONEY_COLUMNS);
}

/* A line of details below a workload. */
static void detail_line(const text_out *t, const char *title, karp_str words)
{
    text_flow flow;
    buffer_text(t->out, "    ");
    buffer_text(t->out, title);
    flow_begin(&flow, t, DETAIL_INDENT, DETAIL_INDENT + strlen(title), DETAIL_LINES);
    flow_words(&flow, words);
    buffer_char(t->out, '\n');
}

/* "NodePool gpu · us-west-2a · spot" */
static void name_flavour(write_buffer *b, const karp_flavour *f)
{
    const karp_str parts[] = { f->zone, f->capacity_type, f->reservation };
    if (f->resource_flavor.len > 0) {
        text_between(b, "ResourceFlavor ", f->resource_flavor, "");
        return;
    }
    buffer_text(b, f->node_pool.len > 0 ? "NodePool " : "no NodePool");
    text_clean(b, f->node_pool);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].len == 0) continue;
        text_between(b, ", ", parts[i], "");
    }
}

static void flavour_line(const write_job *job, const text_out *t, const karp_flavour *f, size_t name)
{
    write_buffer own = buffer_on(job->context);
    buffer_text(&own, "    ");
    name_flavour(&own, f);
    text_left(t->out, buffer_content(&own), name);
    t->out->text.failed = t->out->text.failed || own.text.failed;
    buffer_free(&own);
    buffer_text(t->out, "  ");
    text_left(t->out, str(karp_admit_name(f->verdict)), ANSWER_COLUMNS);
    put_number(t->out, NUMBER_COLUMNS, f->placed);
    put_costs(t->out, f->launches, f->cost);
    buffer_char(t->out, '\n');
}

static bool launch_of(const karp_decision *plan, karp_str id, karp_launch *out)
{
    for (size_t i = 0; i < karp_decision_launch_count(plan); i++) {
        *out = (karp_launch){ .size = sizeof *out };
        if (karp_decision_launch(plan, i, out) == KARP_OK && equal_str(out->id, id)) return true;
    }
    return false;
}

/* "on n1, n2, new-1 (c5.large, us-west-2a, spot)": for the answer of a single workload. */
static void name_nodes(const write_job *job, const text_out *t, const karp_admitted *row)
{
    text_flow flow;
    if (row->node_count == 0) return;
    buffer_text(t->out, "    on");
    flow_begin(&flow, t, DETAIL_INDENT, DETAIL_INDENT + 2, DETAIL_LINES);
    for (size_t i = 0; i < row->node_count; i++) {
        karp_launch l = { .size = sizeof l };
        write_buffer own = buffer_on(job->context);
        text_clean(&own, row->nodes[i]);
        if (launch_of(job->decision, row->nodes[i], &l)) {
            const karp_str parts[] = { l.choice.instance_type, l.choice.zone, l.choice.capacity_type };
            for (size_t k = 0; k < 3; k++) {
                buffer_text(&own, k == 0 ? " (" : ", ");
                text_clean(&own, parts[k]);
            }
            buffer_char(&own, ')');
        }
        if (i + 1 < row->node_count) buffer_char(&own, ',');
        (void)flow_words(&flow, buffer_content(&own));
        t->out->text.failed = t->out->text.failed || own.text.failed;
        buffer_free(&own);
    }
    buffer_char(t->out, '\n');
}

#define WAITS                                                                                                          \
    "no launch of its own; it starts when nodes are ready that are starting, or launched for workloads before it"

static bool is_waiting(const karp_admitted *row) { return row->verdict == KARP_ADMIT_LAUNCH && row->launches == 0; }

static const char *answer_words(const karp_admitted *row)
{
    if (is_waiting(row)) return "waits";
    return karp_admit_name(row->verdict);
}

static void write_workload(const write_job *job, const text_out *t, const karp_admission *found, size_t number,
                           size_t name)
{
    static const text_style styles[] = { STYLE_PLAIN, STYLE_ADD, STYLE_CHANGE, STYLE_ALERT };
    karp_admitted row;
    get_answer(job, found, number, &row);
    write_buffer own = buffer_on(job->context);
    name_workload(&own, &row);
    text_left(t->out, buffer_content(&own), name);
    t->out->text.failed = t->out->text.failed || own.text.failed;
    buffer_free(&own);
    buffer_text(t->out, "  ");
    text_style style = styles[row.verdict <= KARP_ADMIT_NEVER ? row.verdict : 0];
    text_style_begin(t, style);
    text_left(t->out, str(answer_words(&row)), ANSWER_COLUMNS);
    text_style_end(t, style);
    put_pods(t->out, row.placed, row.pods);
    put_costs(t->out, row.launches, row.cost);
    buffer_char(t->out, '\n');
    if (row.domain.len > 0) detail_line(t, "in", row.domain);
    if (karp_admission_count(found) == 1) name_nodes(job, t, &row);
    if (row.detail.len > 0) detail_line(t, "", row.detail);
    if (row.starts_alone != 0) detail_line(t, "", str("it would start if nothing of the queue came before it"));
    for (size_t i = 0; i < row.change_count; i++) {
        karp_remedy change;
        get_change(job, found, number, i, &change);
        detail_line(t, i == 0 ? "it starts if you" : "or if you", change.text);
    }
    for (size_t i = 0; i < row.flavour_count; i++) {
        karp_flavour f;
        get_flavour(job, found, number, i, &f);
        flavour_line(job, t, &f, name);
    }
}

static void write_summary(write_buffer *b, const admission_sum *sum, size_t count)
{
    buffer_count(b, count, "workload");
    buffer_between_u(b, ": ", sum->of[KARP_ADMIT_NOW], " can start now, ");
    buffer_uint(b, sum->of[KARP_ADMIT_LAUNCH]);
    buffer_text(b, " after launching ");
    buffer_count(b, sum->launches, "node");
    buffer_text(b, " (");
    text_per_month(b, sum->cost, true);
    buffer_between_u(b, "), ", sum->of[KARP_ADMIT_NEVER], " never.\n");
}

/* The longest name of a flavour, as its line has it. */
static size_t flavour_columns(const write_job *job, const karp_admission *found, size_t least)
{
    karp_admitted row = { .size = sizeof row };
    size_t most = least;
    if (karp_admission_at(found, 0, &row) != KARP_OK) return least;
    for (size_t i = 0; i < row.flavour_count; i++) {
        karp_flavour f;
        get_flavour(job, found, 0, i, &f);
        write_buffer own = buffer_on(job->context);
        name_flavour(&own, &f);
        size_t columns = 4 + text_columns(buffer_content(&own));
        if (columns > most) most = columns;
        buffer_free(&own);
    }
    return most;
}

static void as_text(const write_job *job, const karp_admission *found)
{
    write_buffer *b = job->out;
    const text_out t = { b, job->options->width, job->options->color != 0 };
    size_t name = flavour_columns(job, found, name_columns(job, found));
    admission_sum sum = sum_up(job, found);
    if (karp_admission_count(found) == 0) {
        buffer_text(b, "Nothing waits: no pod is pending.\n");
        return;
    }
    if (karp_admission_count(found) > 1) {
        write_summary(b, &sum, karp_admission_count(found));
        buffer_char(b, '\n');
    }
    text_style_begin(&t, STYLE_HEADING);
    text_left(b, str("workload"), name + 2);
    text_left(b, str("answer"), ANSWER_COLUMNS);
    text_right(b, str("pods"), NUMBER_COLUMNS);
    text_right(b, str("launches"), NUMBER_COLUMNS);
    text_right(b, str("$/h"), MONEY_COLUMNS);
    text_style_end(&t, STYLE_HEADING);
    buffer_char(b, '\n');
    size_t waiting = 0;
    for (size_t i = 0; i < karp_admission_count(found); i++) {
        karp_admitted row;
        get_answer(job, found, i, &row);
        waiting += is_waiting(&row);
        write_workload(job, &t, found, i, name);
    }
    if (waiting > 0) buffer_text(b, "\nwaits: " WAITS ".\n");
}

/* ---- Markdown ---------------------------------------------------------------------------------------------------- */

static void as_markdown(const write_job *job, const karp_admission *found)
{
    write_buffer *b = job->out;
    size_t waiting = 0;
    buffer_text(b, "| workload | answer | pods | launches | $/h | why not |\n|---|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < karp_admission_count(found); i++) {
        karp_admitted row;
        get_answer(job, found, i, &row);
        waiting += is_waiting(&row);
        buffer_text(b, "| ");
        text_markdown(b, row.kind);
        buffer_text(b, row.kind.len > 0 ? " " : "");
        text_markdown(b, row.name);
        buffer_text(b, " | ");
        buffer_text(b, answer_words(&row));
        buffer_between_u(b, " | ", row.placed, "");
        buffer_char(b, '/');
        buffer_uint(b, row.pods);
        buffer_between_u(b, " | ", row.launches, " | ");
        text_money(b, row.cost);
        buffer_text(b, " | ");
        text_markdown(b, row.detail);
        buffer_text(b, " |\n");
    }
    if (waiting > 0) buffer_text(b, "\nwaits: " WAITS ".\n");
    buffer_text(b, note_count(job) > 0 ? "\n## Notes\n" : "");
    notes_as_markdown(job);
}

karp_status karp_write_admission(karp_context *context, const karp_admission *admission,
                                 const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, admission, "an admission", WRITE_JSON_PEOPLE);
    if (status != KARP_OK) return status;
    call.job.decision = karp_admission_decision(admission);
    uint32_t format = call.options.format;
    (format == KARP_FORMAT_JSON ? as_json : format == KARP_FORMAT_TEXT ? as_text : as_markdown)(&call.job, admission);
    return write_end(&call);
}
