/* SPDX-License-Identifier: Apache-2.0 */
#include "write_preferences.h"

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
SOURCE_ROWS(preferences, karp_preferences_count, karp_preferences_at)
static const encode_source source_preferences = SOURCE(preferences, record_preference, true);

void preferences_as_json(const encoder *e)
{
    const karp_preferences *found = e->job->options->preferences;
    if (karp_preferences_count(found) == 0) return;
    encode_all(e, "preferences", &source_preferences, found);
    json_member_flat_object(e->json, "preferenceCost");
    json_member_sum(e->json, "respect", karp_preferences_cost(found));
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

static void write_preference(const text_out *t, const write_job *job, const karp_preference *p)
{
    write_buffer line;
    buffer_init(&line, job->context);
    buffer_str(&line, p->pod);
    if (p->pods > 1) {
        buffer_text(&line, " and ");
        buffer_uint(&line, p->pods - 1);
        buffer_text(&line, " more");
    }
    buffer_text(&line, ": ");
    buffer_text(&line, described(p->kind));
    buffer_str(&line, p->text);
    buffer_text(&line, ": ");
    add_fate(&line, p);
    text_flow flow;
    buffer_text(t->out, "  *   ");
    flow_begin(&flow, t, PREFERENCE_INDENT, PREFERENCE_INDENT, PREFERENCE_LINES);
    flow_words(&flow, buffer_content(&line));
    t->out->text.failed = t->out->text.failed || line.text.failed;
    buffer_free(&line);
    buffer_char(t->out, '\n');
}

void preferences_as_text(const text_out *t, const write_job *job)
{
    const karp_preferences *found = job->options->preferences;
    if (karp_preferences_count(found) == 0) return;
    buffer_char(t->out, '\n');
    text_styled(t, STYLE_HEADING, "Preferences");
    buffer_char(t->out, '\n');
    for (size_t i = 0; i < karp_preferences_count(found); i++) {
        karp_preference row = { .size = sizeof(row) };
        write_refuse(job, karp_preferences_at(found, i, &row), "a preference cannot be read");
        write_preference(t, job, &row);
    }
    double with = karp_preferences_cost(found), without = karp_preferences_cost_ignored(found);
    buffer_text(t->out, "  The nodes to launch cost ");
    text_per_month(t->out, with, false);
    if (with > without || with < without) {
        buffer_text(t->out, "; without preferences ");
        text_per_month(t->out, without, false);
    } else {
        buffer_text(t->out, ", with and without preferences");
    }
    buffer_text(t->out, " (--preferences ignore).\n");
}
