/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine.h>
#include <replay/story.h>

#include <karp/peer.h>

#include <io/write_licences.h>
#include <io/write_notes.h>
#include <io/write_text.h>

static bool is_json(const story *s) { return s->write.format == KARP_FORMAT_JSON; }

/* Whether the output is a series, which has no steps. */
static bool is_series(const story *s)
{
    return s->write.format == KARP_FORMAT_CSV || s->write.format == KARP_FORMAT_HTML;
}

static void add_time(const story *s, strbuf *out)
{
    char text[KARP_VALUE_TEXT];
    karp_time_format(s->e->now, text);
    strbuf_adds(out, text);
}

static void describe(const story *s, const story_step *step, strbuf *out)
{
    char text[KARP_VALUE_TEXT];
    switch (step->what) {
    case STORY_SCALE:
        strbuf_adds(out, "scale ");
        strbuf_addname(out, s->workloads[step->workload].namespace_, s->workloads[step->workload].name);
        strbuf_putu(out, " to ", step->replicas, "");
        return;
    case STORY_WAIT:
        strbuf_adds(out, "wait ");
        karp_duration_format(step->duration, text);
        strbuf_adds(out, text);
        return;
    case STORY_USAGE:
        strbuf_adds(out, "usage of ");
        strbuf_addname(out, s->workloads[step->workload].namespace_, s->workloads[step->workload].name);
        return;
    case STORY_INTERRUPT: strbuf_adds(out, "interrupt"); return;
    case STORY_FAIL: strbuf_adds(out, "fail"); return;
    case STORY_CHANGE:
        strbuf_adds(out, step->verb);
        strbuf_addc(out, ' ');
        strbuf_addstr(out, step->title);
        return;
    default: strbuf_adds(out, "expire "); strbuf_add(out, step->node.ptr, step->node.len);
    }
}

/* Writes the common basis of the decisions; each decision only adds its time. */
static void write_header(story *s, karp_str catalogue)
{
    strbuf_adds(&s->out, "karp simulate");
    if (s->write.title.len) strbuf_adds(&s->out, "  ");
    strbuf_addstr(&s->out, s->write.title);
    strbuf_adds(&s->out, "  \xc2\xb7  profile ");
    strbuf_adds(&s->out, karp_profile_name(s->options.profile, s->options.peer_version));
    if (catalogue.len) strbuf_adds(&s->out, "  \xc2\xb7  catalogue ");
    strbuf_addstr(&s->out, catalogue);
    strbuf_adds(&s->out, "\n\n");
}

/* Leaves the object open: steps and totals follow. */
static void write_kind(story *s, karp_str catalogue)
{
    json_out j;
    write_buffer text = buffer_on(s->context);
    json_init(&j, &text, true);
    json_open_object(&j);
    json_member_text(&j, "apiVersion", "karp/v1");
    json_member_text(&j, "kind", "Simulation");
    json_member_engine(&j);
    json_member_profile(&j, s->options.profile);
    json_member_text(&j, "peerVersion", karp_peer_version_name(s->options.peer_version));
    json_member_catalogue(&j, catalogue);
    strbuf_addstr(&s->out, buffer_content(&text));
    s->out.failed = s->out.failed || text.text.failed;
    buffer_free(&text);
    strbuf_adds(&s->out, ",\"steps\":[");
}

void story_write_begin(story *s)
{
    karp_str catalogue = s->write.catalogue.len ? s->write.catalogue : str(s->title);
    if (is_json(s)) write_kind(s, catalogue);
    else write_header(s, catalogue);
    s->first_step = true;
}

void story_write_step(story *s, const story_step *step)
{
    if (is_series(s)) return;
    if (is_json(s)) {
        strbuf fields = strbuf_on(s->context);
        describe(s, step, &fields);
        strbuf_adds(&s->out, s->first_step ? "\n{\"step\":" : ",\n{\"step\":");
        if (fields.failed) s->out.failed = true;
        else tree_write_string(&s->out, (karp_str){ fields.ptr, fields.len });
        strbuf_free(&fields);
        strbuf_adds(&s->out, ",\"time\":\"");
        add_time(s, &s->out);
        strbuf_adds(&s->out, "\",\"decisions\":[");
    } else {
        if (!s->first_step) strbuf_addc(&s->out, '\n');
        strbuf_adds(&s->out, "== ");
        describe(s, step, &s->out);
        strbuf_adds(&s->out, "  (");
        add_time(s, &s->out);
        strbuf_adds(&s->out, ")\n");
    }
    s->first_step = false;
    s->first_decision = s->first_event = true;
}

void story_write_step_end(story *s)
{
    if (!is_json(s)) return;
    strbuf_adds(&s->out, "],\"events\":[");
    if (s->step_events.len > 0) strbuf_add(&s->out, s->step_events.ptr, s->step_events.len);
    strbuf_adds(&s->out, "]}");
    if (s->step_events.failed) s->out.failed = true;
    s->step_events.len = 0;
}

static void event_as_json(story *s, const char *event, karp_str node, karp_str detail)
{
    strbuf *out = &s->step_events;
    strbuf_adds(out, s->first_event ? "{\"time\":\"" : ",{\"time\":\"");
    add_time(s, out);
    strbuf_adds(out, "\",\"event\":");
    tree_write_string(out, str(event));
    strbuf_adds(out, ",\"node\":");
    tree_write_string(out, node);
    if (detail.len > 0) {
        strbuf_adds(out, ",\"detail\":");
        tree_write_string(out, detail);
    }
    strbuf_addc(out, '}');
    s->first_event = false;
}

void story_write_event(story *s, const char *event, karp_str node, karp_str detail)
{
    if (is_series(s)) return;
    if (is_json(s)) {
        event_as_json(s, event, node, detail);
        return;
    }
    add_time(s, &s->out);
    strbuf_adds(&s->out, "  ");
    strbuf_add(&s->out, node.ptr, node.len);
    strbuf_addc(&s->out, ' ');
    strbuf_adds(&s->out, event);
    if (detail.len > 0) {
        strbuf_adds(&s->out, ": ");
        strbuf_add(&s->out, detail.ptr, detail.len);
    }
    strbuf_addc(&s->out, '\n');
}

karp_status story_write_decision(story *s, const karp_decision *decision, bool disruption)
{
    karp_text text = { 0 };
    karp_write_options options = s->write;
    if (is_series(s)) return KARP_OK;
    options.compact = 1;
    karp_status status = disruption ? karp_write_disruption(s->context, decision, &options, &text, &s->error)
                                    : karp_write_plan(s->context, decision, NULL, &options, &text, &s->error);
    if (status) return status;
    if (is_json(s)) {
        if (!s->first_decision) strbuf_addc(&s->out, ',');
        while (text.len > 0 && text.ptr[text.len - 1] == '\n') text.len--;
        strbuf_add(&s->out, text.ptr, text.len);
        s->first_decision = false;
    } else {
        strbuf_addc(&s->out, '\n');
        add_time(s, &s->out);
        strbuf_adds(&s->out, "  ");
        strbuf_add(&s->out, text.ptr, text.len);
        strbuf_addc(&s->out, '\n');
    }
    karp_text_free(&text);
    return s->out.failed ? story_nomem(s) : KARP_OK;
}

/* "problems" or "warnings"; omitted if there are none. */
static void write_notes(const story *s, bool problems, write_buffer *out)
{
    const replay_base *b = &s->played.base;
    const karp_write_options options = { .warnings = b->notes, .warning_count = b->note_count };
    size_t count = problem_count(&options), end = problems ? count : b->note_count;
    for (size_t i = problems ? 0 : count; i < end; i++) {
        if (i == 0 || i == count) buffer_text(out, problems ? ",\n\"problems\":[" : ",\n\"warnings\":[");
        else buffer_char(out, ',');
        buffer_json_string(out, problems ? problem_at(&options, i) : b->notes[i]);
        if (i + 1 == end) buffer_char(out, ']');
    }
}

static void write_totals(const story *s, write_buffer *out)
{
    json_out j;
    if (!is_json(s)) {
        buffer_text(out, "\n== totals\n");
        replay_write_rows(&s->played, 0, 1, out);
        replay_write_notes_text(&s->played, out);
        return;
    }
    buffer_text(out, "],\n\"totals\":");
    json_init(&j, out, true);
    json_open_object(&j);
    replay_write_figures(&j, &s->e->meter.result);
    licences_as_json(&j, &s->write);
    json_end(&j);
    write_notes(s, true, out);
    write_notes(s, false, out);
    buffer_text(out, "}\n");
}

karp_status story_write_end(story *s, karp_text *out)
{
    replay *r = &s->played;
    if (s->out.failed) return story_nomem(s);
    r->results = &s->e->meter.result;
    r->result_count = 1;
    r->pods = s->e->pods.count;
    r->write = s->write;
    str_shorten(r->title, sizeof r->title, str(s->title));
    if (replay_note_results(r)) return story_nomem(s);
    s->e->meter.result.policy = str(karp_profile_name(s->options.profile, s->options.peer_version));
    karp_status given = replay_give_outcome(r);
    if (given) return story_fail(s, given, "%s", r->error.message);
    write_buffer buffer = buffer_on(s->context);
    switch (s->write.format) {
    case KARP_FORMAT_CSV: replay_write_csv(r, &buffer); break;
    case KARP_FORMAT_HTML: replay_write_html(r, "karp simulate", &buffer); break;
    default: buffer_bytes(&buffer, s->out.ptr, s->out.len); write_totals(s, &buffer);
    }
    if (s->write.format == KARP_FORMAT_TEXT) text_fold_buffer(&buffer, s->write.width);
    return buffer_finish(&buffer, out, &s->error);
}
