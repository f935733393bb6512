/* SPDX-License-Identifier: Apache-2.0 */
#include "write_notes.h"

#include "write_rows.h"

#include <base/bisect.h>
#include <base/incomplete.h>

enum { MOST_NOTE_LINES = 6 };

size_t problem_count(const karp_write_options *options)
{
    bisection b = bisect(options->warning_count);
    while (bisecting(&b)) bisect_step(&b, str_starts(options->warnings[b.at], KARP_PROBLEM));
    return b.at;
}

karp_str problem_at(const karp_write_options *options, size_t index)
{
    const size_t prefix = sizeof KARP_PROBLEM - 1;
    karp_str text = options->warnings[index];
    return (karp_str){ text.ptr + prefix, text.len - prefix };
}

/* The problem without what all of its kind begin with. */
static karp_str problem_text(const karp_write_options *options, size_t index, bool *unknown)
{
    const size_t more = sizeof KARP_NOT_UNDERSTOOD - sizeof KARP_PROBLEM;
    karp_str text = problem_at(options, index);
    *unknown = str_starts(options->warnings[index], KARP_NOT_UNDERSTOOD);
    return *unknown ? (karp_str){ text.ptr + more, text.len - more } : text;
}

void put_incomplete(write_buffer *b, const karp_write_options *options)
{
    size_t count = problem_count(options), parts = 0;
    char text[INCOMPLETE_TEXT];
    if (count == 0) return;
    for (size_t i = 0; i < count; i++) parts += str_starts(options->warnings[i], KARP_NOT_UNDERSTOOD);
    incomplete_text(count - parts, parts, text);
    buffer_text(b, "INCOMPLETE: ");
    buffer_text(b, text);
    buffer_char(b, '\n');
}

size_t note_count(const write_job *job)
{
    bool beside = job->disruption != NULL && job->disruption != job->decision;
    size_t own = job->decision != NULL ? karp_decision_warning_count(job->decision) : 0;
    size_t more = beside ? karp_decision_warning_count(job->disruption) : 0;
    return job->options->warning_count - problem_count(job->options) + own + more;
}

karp_str note_at(const write_job *job, size_t index)
{
    index += problem_count(job->options);
    if (index < job->options->warning_count) return job->options->warnings[index];
    index -= job->options->warning_count;
    size_t own = karp_decision_warning_count(job->decision);
    return index < own ? karp_decision_warning(job->decision, index)
                       : karp_decision_warning(job->disruption, index - own);
}

static void note_line(const text_out *t, karp_str text)
{
    text_flow flow;
    flow_begin(&flow, t, ROW_INDENT, ROW_INDENT, MOST_NOTE_LINES);
    flow_words(&flow, text);
    buffer_char(t->out, '\n');
}

/* The titles of the two kinds of problems. */
static const char *const problem_titles[] = { "Not planned", "Not understood" };

void notes_section(const text_out *t, const write_job *job)
{
    size_t problems = problem_count(job->options), count = note_count(job);
    for (size_t kind = 0; kind < 2; kind++) {
        size_t shown = 0;
        for (size_t i = 0; i < problems; i++) {
            bool unknown;
            karp_str text = problem_text(job->options, i, &unknown);
            if (unknown != (kind == 1)) continue;
            if (shown++ == 0) section(t, problem_titles[kind]);
            buffer_text(t->out, "  ");
            text_styled(t, STYLE_ALERT, "!   ");
            note_line(t, text);
        }
    }
    if (count > 0) section(t, "Notes");
    for (size_t i = 0; i < count; i++) {
        buffer_text(t->out, "  *   ");
        note_line(t, note_at(job, i));
    }
}

void notes_as_markdown(const write_job *job)
{
    write_buffer *b = job->out;
    for (size_t kind = 0; kind < 2; kind++) {
        size_t shown = 0;
        for (size_t i = 0; i < problem_count(job->options); i++) {
            bool unknown;
            karp_str text = problem_text(job->options, i, &unknown);
            if (unknown != (kind == 1)) continue;
            if (shown++ == 0) {
                buffer_text(b, "\n**");
                buffer_text(b, problem_titles[kind]);
                buffer_text(b, "**\n\n");
            }
            buffer_text(b, "- ");
            text_markdown(b, text);
            buffer_char(b, '\n');
        }
    }
    for (size_t i = 0; i < note_count(job); i++) {
        buffer_text(b, i == 0 ? "\n- " : "- ");
        text_markdown(b, note_at(job, i));
        buffer_char(b, '\n');
    }
}

void notes_as_json(json_out *j, const write_job *job)
{
    size_t problems = problem_count(job->options), count = note_count(job);
    if (problems > 0) {
        json_member_array(j, "problems");
        for (size_t i = 0; i < problems; i++) json_str(j, problem_at(job->options, i));
        json_end(j);
    }
    json_member_array(j, "warnings");
    for (size_t i = 0; i < count; i++) json_str(j, note_at(job, i));
    json_end(j);
}
