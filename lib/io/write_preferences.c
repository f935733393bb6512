/* SPDX-License-Identifier: Apache-2.0 */
#include <io/write_notes.h>

#include "html.h"

#include <records/rows.h>

enum { PREFERENCE_INDENT = 6, PREFERENCE_LINES = 6 };

static const record_names preference_kinds = { karp_preference_name, KARP_PREFERENCE_NODE_AFFINITY,
                                               KARP_PREFERENCE_SPREAD, false };
static const record record_preference = {
    SIZED(karp_preference, dropped),
    OPEN({ NAMED("kind", karp_preference, kind, preference_kinds) }, { TEXT("pod", karp_preference, pod) },
         { TEXT("preferred", karp_preference, text) }, { INT32("weight", karp_preference, weight), GIVEN },
         { SIZE("pods", karp_preference, pods) }, { SIZE("kept", karp_preference, kept) },
         { SIZE("dropped", karp_preference, dropped) })
};
SOURCE_ROWS(found, karp_preferences_count, karp_preferences_at)
SOURCE_ROWS(decided, karp_decision_preference_count, karp_decision_preference)
static const encode_source source_found = SOURCE(found, record_preference, true);
static const encode_source source_decided = SOURCE(decided, record_preference, true);

/* Those that the options have with their cost, or those of the decision. */
typedef struct preference_list {
    const encode_source *source;
    const void *of;
    size_t count;
} preference_list;

static preference_list preferences_of(const write_job *job)
{
    const karp_preferences *found = job->options->preferences;
    if (found != NULL) return (preference_list){ &source_found, found, karp_preferences_count(found) };
    size_t count = job->decision != NULL ? karp_decision_preference_count(job->decision) : 0;
    return (preference_list){ &source_decided, job->decision, count };
}

static karp_preference preference_at(const write_job *job, const preference_list *list, size_t index)
{
    karp_preference row = { .size = sizeof(row) };
    write_refuse(job, list->source->row(list->of, index, &row), "a preference cannot be read");
    return row;
}

void preferences_as_json(const encoder *e)
{
    const karp_preferences *found = e->job->options->preferences;
    preference_list list = preferences_of(e->job);
    if (list.count == 0) return;
    encode_all(e, "preferences", list.source, list.of);
    if (found == NULL) return;
    json_member_flat_object(e->json, "preferenceCost");
    json_member_sum(e->json, "respect", karp_preferences_cost(found));
    if (karp_preferences_cost_ignored(found) >= 0)
        json_member_sum(e->json, "ignore", karp_preferences_cost_ignored(found));
    json_end(e->json);
}

static const char *described(uint32_t kind)
{
    static const char *const texts[] = {
        [KARP_PREFERENCE_NODE_AFFINITY] = "preferred node affinity ",
        [KARP_PREFERENCE_POD_AFFINITY] = "preferred pod affinity by ",
        [KARP_PREFERENCE_POD_ANTI_AFFINITY] = "preferred pod anti-affinity by ",
        [KARP_PREFERENCE_SPREAD] = "topology spread (ScheduleAnyway) by ",
    };
    return texts[kind];
}

/* "kept for 12 pods" */
static void add_share(write_buffer *b, const char *what, size_t count, const karp_preference *p)
{
    buffer_text(b, what);
    if (p->pods == 1) return;
    buffer_text(b, count == p->pods ? " for all " : " for ");
    buffer_count(b, count, "pod");
}

static void add_fate(write_buffer *b, const karp_preference *p)
{
    size_t unused = p->pods - p->kept - p->dropped;
    const char *kept = p->kind == KARP_PREFERENCE_NODE_AFFINITY ? "kept as a requirement of the nodes" : "kept";
    if (p->kept > 0) add_share(b, kept, p->kept, p);
    if (p->kept > 0 && p->dropped > 0) buffer_text(b, ", ");
    if (p->dropped > 0) add_share(b, "dropped", p->dropped, p);
    if (unused == 0) return;
    buffer_text(b, p->kept + p->dropped > 0 ? ", " : "");
    add_share(b, "not looked at beside a heavier one", unused, p);
}

/* "web-0 and 3 more: preferred pod affinity by ZONE of app=web: kept for all 4 pods". The caller frees `line`. */
static void describe(const write_job *job, const karp_preference *p, write_buffer *line)
{
    buffer_init(line, job->context);
    buffer_str(line, p->pod);
    if (p->pods > 1) {
        buffer_between_u(line, " and ", p->pods - 1, " more");
    }
    buffer_text(line, ": ");
    buffer_text(line, described(p->kind));
    buffer_str(line, p->text);
    buffer_text(line, ": ");
    add_fate(line, p);
}

static void write_preference(const text_out *t, const write_job *job, const karp_preference *p)
{
    write_buffer line;
    describe(job, p, &line);
    flow_line(t, "  *   ", PREFERENCE_INDENT, PREFERENCE_LINES, &line);
}

/* "The nodes to launch cost $840.96/month (730 h); without preferences $140.16/month (730 h)" */
static void write_costs(write_buffer *b, const karp_preferences *found)
{
    double with = karp_preferences_cost(found), without = karp_preferences_cost_ignored(found);
    buffer_text(b, "The nodes to launch cost ");
    text_per_month(b, with, false);
    if (without < 0) buffer_text(b, "; what they cost without preferences was not found in time");
    else if (with > without || with < without) {
        buffer_text(b, "; without preferences ");
        text_per_month(b, without, false);
    } else {
        buffer_text(b, ", with and without preferences");
    }
    buffer_text(b, " (--preferences ignore).");
}

void preferences_as_text(const text_out *t, const write_job *job)
{
    preference_list list = preferences_of(job);
    bool kept = false;
    if (list.count == 0) return;
    buffer_char(t->out, '\n');
    text_styled(t, STYLE_HEADING, "Preferences");
    buffer_char(t->out, '\n');
    for (size_t i = 0; i < list.count; i++) {
        karp_preference row = preference_at(job, &list, i);
        write_preference(t, job, &row);
        kept = kept || row.kept > 0;
    }
    if (kept) buffer_text(t->out, "  A preference is given up only for a pod that cannot be placed with it.\n");
    if (job->options->preferences == NULL) return;
    buffer_text(t->out, "  ");
    write_costs(t->out, job->options->preferences);
    buffer_char(t->out, '\n');
}

/* Rows in another format: each between two texts, and written by `write`. */
static void put_rows(const write_job *job, const char *before, void (*write)(write_buffer *b, karp_str text),
                     const char *after)
{
    preference_list list = preferences_of(job);
    for (size_t i = 0; i < list.count; i++) {
        karp_preference row = preference_at(job, &list, i);
        write_buffer line;
        describe(job, &row, &line);
        buffer_text(job->out, before);
        write(job->out, buffer_content(&line));
        buffer_text(job->out, after);
        job->out->text.failed = job->out->text.failed || line.text.failed;
        buffer_free(&line);
    }
}

void preferences_as_markdown(const write_job *job)
{
    if (preferences_of(job).count == 0) return;
    buffer_text(job->out, "\n**Preferences**\n\n");
    put_rows(job, "- ", text_markdown, "\n");
}

void preferences_as_html(const write_job *job)
{
    if (preferences_of(job).count == 0) return;
    buffer_text(job->out, "<details><summary>Preferences</summary>");
    put_rows(job, "<div>", html_text, "</div>");
    buffer_text(job->out, "</details>\n");
}
