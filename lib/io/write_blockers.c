/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Blockers documents, which show what prevents savings: docs/formats.md, "Blockers". */
#include "encode.h"
#include "write_notes.h"
#include "write_text.h"

#include <records/rows.h>
#include <stdio.h>

#include <karp/blockers.h>
#include <karp/peer.h>

enum { NODES_SHOWN = 3 };

static void get_blocker(const write_job *job, const karp_blockers *found, size_t index, karp_savings_blocker *out)
{
    *out = (karp_savings_blocker){ .size = sizeof(*out) };
    write_refuse(job, karp_blockers_at(found, index, out), "a blocker cannot be read");
}

static const record_names blocker_kinds = { karp_blocker_kind_name, KARP_BLOCKER_PDB, KARP_BLOCKER_NO_NODE_POOL,
                                            false };
static const record record_savings_blocker = {
    SIZED(karp_savings_blocker, savings),
    OPEN({ NAMED("kind", karp_savings_blocker, kind, blocker_kinds) }, { TEXT("object", karp_savings_blocker, object) },
         { MONEY("savings", karp_savings_blocker, savings) }, { SIZE("pods", karp_savings_blocker, pod_count) },
         { TEXTS("nodes", karp_savings_blocker, nodes, node_count) },
         { TEXTS("podNames", karp_savings_blocker, pods, pod_count), GIVEN },
         { SIZE("nodesWithoutPrice", karp_savings_blocker, unpriced_count), GIVEN })
};
SOURCE_ROWS(blockers, karp_blockers_count, karp_blockers_at)
static const encode_source source_blockers = SOURCE(blockers, record_savings_blocker, false);

static void as_json(const write_job *job, const karp_blockers *found)
{
    const karp_write_options *options = job->options;
    json_out json, *j = &json;
    encoder e = { .json = j, .job = job, .document = IN_PLAN };
    json_open_document(j, job->out, options->compact != 0, "Blockers");
    json_member_engine(j);
    json_member_profile(j, karp_blockers_profile(found));
    json_member_text(j, "peerVersion", karp_peer_version_name(karp_blockers_peer_version(found)));
    json_member_catalogue(j, options->catalogue);
    json_member_money(j, "now", karp_blockers_savings_now(found));
    json_member_money(j, "together", karp_blockers_savings_together(found));
    encode_all(&e, "blockers", &source_blockers, found);
    notes_as_json(j, job);
    json_close(j);
}

enum { KIND_COLUMNS = 18, LEAST_OBJECT = 12, MOST_OBJECT = 44, COUNT_COLUMNS = 7, SAVED_COLUMNS = 22 };

/* Writes the names of the nodes below the row of their blocker; with -o wide all of them, and the pods. */
static void held_nodes(write_buffer *b, const text_out *t, const karp_savings_blocker *row)
{
    write_buffer line = buffer_on(b->text.context);
    size_t shown = t->width >= FOLD_NEVER ? SIZE_MAX : NODES_SHOWN;
    for (size_t n = 0; n < row->node_count && n < shown; n++) {
        buffer_text(&line, n == 0 ? "" : ", ");
        text_clean(&line, row->nodes[n]);
    }
    if (row->node_count > shown) {
        buffer_between_u(&line, " and ", row->node_count - NODES_SHOWN, " more");
    }
    text_flow flow;
    buffer_text(b, "    ");
    flow_begin(&flow, t, 4, 4, 100);
    flow_words(&flow, buffer_content(&line));
    for (size_t i = 0; i < row->pod_count && shown == SIZE_MAX; i++) {
        buffer_text(b, i == 0 ? "\n    pods: " : ", ");
        text_clean(b, row->pods[i]);
    }
    if (row->unpriced_count > 0) {
        buffer_text(b, "\n    the price of ");
        buffer_count(b, row->unpriced_count, "node");
        buffer_text(b, " is unknown: what that saves is not counted");
    }
    b->text.failed = b->text.failed || line.text.failed;
    buffer_free(&line);
    buffer_char(b, '\n');
}

/* Whether the price of no node of the row is known. */
static bool nothing_known(const karp_savings_blocker *row)
{
    return row->unpriced_count > 0 && row->unpriced_count == row->node_count;
}

static void right_number(write_buffer *b, uint64_t number)
{
    char text[KARP_VALUE_TEXT];
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    text_right(b, str(text), COUNT_COLUMNS);
}

static void right_money(write_buffer *b, double savings)
{
    write_buffer money = buffer_on(b->text.context);
    text_dollars(&money, savings * HOURS_A_MONTH, true);
    buffer_text(&money, "/month");
    text_right(b, buffer_content(&money), SAVED_COLUMNS);
    b->text.failed = b->text.failed || money.text.failed;
    buffer_free(&money);
}

static size_t object_columns(const write_job *job, const karp_blockers *found)
{
    size_t most = LEAST_OBJECT;
    for (size_t i = 0; i < karp_blockers_count(found); i++) {
        karp_savings_blocker row;
        get_blocker(job, found, i, &row);
        if (text_columns(row.object) > most) most = text_columns(row.object);
    }
    return most < MOST_OBJECT ? most : MOST_OBJECT;
}

static void blocker_heading(const text_out *t, size_t object)
{
    write_buffer *b = t->out;
    text_style_begin(t, STYLE_HEADING);
    text_left(b, str("blocker"), KIND_COLUMNS);
    text_left(b, str("of"), object);
    text_right(b, str("nodes"), COUNT_COLUMNS);
    text_right(b, str("pods"), COUNT_COLUMNS);
    text_right(b, str("saved without it"), SAVED_COLUMNS);
    text_style_end(t, STYLE_HEADING);
    buffer_char(b, '\n');
}

static void as_text(const write_job *job, const karp_blockers *found)
{
    write_buffer *b = job->out;
    const karp_write_options *options = job->options;
    const text_out t = { b, options->width, options->color != 0 };
    size_t object = object_columns(job, found);
    buffer_text(b, "As things are, the next passes of emptiness and consolidation save ");
    text_per_month(b, karp_blockers_savings_now(found), false);
    buffer_text(b, ".\n");
    if (karp_blockers_count(found) == 0) {
        buffer_text(b, "No blocker that can be lifted keeps it from saving more.\n");
        return;
    }
    buffer_char(b, '\n');
    blocker_heading(&t, object);
    for (size_t i = 0; i < karp_blockers_count(found); i++) {
        karp_savings_blocker row;
        get_blocker(job, found, i, &row);
        text_left(b, str(karp_blocker_kind_name(row.kind)), KIND_COLUMNS);
        text_left(b, row.object, object);
        right_number(b, row.node_count);
        right_number(b, row.pod_count);
        if (nothing_known(&row)) text_right(b, str("unknown"), SAVED_COLUMNS);
        else right_money(b, row.savings);
        buffer_char(b, '\n');
        held_nodes(b, &t, &row);
    }
    text_left(b, str("all together"), KIND_COLUMNS + object + COUNT_COLUMNS + COUNT_COLUMNS);
    right_money(b, karp_blockers_savings_together(found));
    buffer_char(b, '\n');
}

static void as_markdown(const write_job *job, const karp_blockers *found)
{
    write_buffer *b = job->out;
    buffer_text(b,
                "| blocker | object | nodes | pods | saved by itself, per month (730 h) |\n|---|---|---:|---:|---:|\n");
    for (size_t i = 0; i < karp_blockers_count(found); i++) {
        karp_savings_blocker row;
        get_blocker(job, found, i, &row);
        buffer_text(b, "| ");
        buffer_text(b, karp_blocker_kind_name(row.kind));
        buffer_text(b, " | ");
        text_markdown(b, row.object);
        buffer_between_u(b, " | ", row.node_count, " | ");
        buffer_uint(b, row.pod_count);
        buffer_text(b, " | ");
        if (nothing_known(&row)) buffer_text(b, "unknown");
        else text_dollars(b, row.savings * HOURS_A_MONTH, true);
        buffer_text(b, " |\n");
    }
    buffer_text(b, "| all together | | | | ");
    text_dollars(b, karp_blockers_savings_together(found) * HOURS_A_MONTH, true);
    buffer_text(b, " |\n");
    buffer_text(b, note_count(job) > 0 ? "\n## Notes\n" : "");
    notes_as_markdown(job);
}

karp_status karp_write_blockers(karp_context *context, const karp_blockers *blockers, const karp_write_options *options,
                                karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, blockers, "blockers", WRITE_JSON_PEOPLE);
    if (status != KARP_OK) return status;
    uint32_t format = call.options.format;
    (format == KARP_FORMAT_JSON ? as_json : format == KARP_FORMAT_TEXT ? as_text : as_markdown)(&call.job, blockers);
    return write_end(&call);
}
