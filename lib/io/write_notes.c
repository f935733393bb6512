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

bool problem_is_unknown(const karp_write_options *options, size_t index)
{
    return str_starts(options->warnings[index], KARP_NOT_UNDERSTOOD);
}

/* The two kinds of problems. */
static const struct {
    const char *title;
    size_t begins; /* bytes that all problems of the kind begin with, behind KARP_PROBLEM */
} problem_kinds[] = { { "Not planned", 0 }, { "Not understood", sizeof KARP_NOT_UNDERSTOOD - sizeof KARP_PROBLEM } };
enum { PROBLEM_KINDS = sizeof problem_kinds / sizeof *problem_kinds };

/* The next problem of the kind, from *at on, without what it begins with. false = there are no more. */
static bool next_problem(const karp_write_options *options, size_t kind, size_t *at, karp_str *text)
{
    size_t count = problem_count(options), begins = problem_kinds[kind].begins;
    while (*at < count && problem_is_unknown(options, *at) != (kind == 1)) (*at)++;
    if (*at == count) return false;
    *text = problem_at(options, (*at)++);
    *text = (karp_str){ text->ptr + begins, text->len - begins };
    return true;
}

void put_incomplete(write_buffer *b, const karp_write_options *options)
{
    size_t count = problem_count(options), parts = 0;
    char text[INCOMPLETE_TEXT];
    if (count == 0) return;
    for (size_t i = 0; i < count; i++) parts += problem_is_unknown(options, i);
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

void notes_section(const text_out *t, const write_job *job)
{
    size_t count = note_count(job);
    karp_str text;
    for (size_t kind = 0; kind < PROBLEM_KINDS; kind++) {
        bool first = true;
        for (size_t at = 0; next_problem(job->options, kind, &at, &text); first = false) {
            if (first) section(t, problem_kinds[kind].title);
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
    karp_str text;
    for (size_t kind = 0; kind < PROBLEM_KINDS; kind++) {
        bool first = true;
        for (size_t at = 0; next_problem(job->options, kind, &at, &text); first = false) {
            if (first) {
                buffer_text(b, "\n**");
                buffer_text(b, problem_kinds[kind].title);
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
