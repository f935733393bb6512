/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the findings of karp_lint_snapshot(), with the notes of the reader as findings of an additional rule. */
#include <io/write_json.h>
#include <io/write_notes.h>
#include <io/write_text.h>

static const karp_lint_rule of_notes = { sizeof of_notes, "input-note",
                                         "a part of the input is not used, or is filled in", KARP_LINT_WARNING, 0 };

static const karp_lint_rule of_problems = { sizeof of_problems, "unplanned",
                                            "an object creates pods that are not planned", KARP_LINT_ERROR, 0 };

static const karp_lint_rule of_unknown = { sizeof of_unknown, "not-understood",
                                           "a field, version or kind is not understood", KARP_LINT_ERROR, 0 };

/* Finding `index` of the lint's findings followed by the problems and the notes. */
static karp_lint_finding finding_at(const karp_lint *lint, const karp_write_options *options, size_t index)
{
    karp_lint_finding f = { .size = sizeof f };
    size_t count = karp_lint_count(lint);
    if (karp_lint_at(lint, index, &f) == KARP_OK) return f;
    bool problem = index - count < problem_count(options);
    const karp_lint_rule *rule = !problem                                     ? &of_notes
                                 : problem_is_unknown(options, index - count) ? &of_unknown
                                                                              : &of_problems;
    f.rule = rule->name;
    f.severity = rule->severity;
    f.kind = f.object = f.field = f.remedy = str("");
    f.text = problem ? problem_at(options, index - count) : options->warnings[index - count];
    return f;
}

static size_t count_all(const karp_lint *lint, const karp_write_options *options)
{
    return karp_lint_count(lint) + options->warning_count;
}

static void count_severities(const karp_lint *lint, const karp_write_options *options, size_t counts[3])
{
    memset(counts, 0, 3 * sizeof *counts);
    for (size_t i = 0; i < count_all(lint, options); i++) counts[finding_at(lint, options, i).severity]++;
}

/* ---- text and Markdown ------------------------------------------------------------------------------------------- */

static void put_totals(write_buffer *b, const size_t counts[3])
{
    size_t all = counts[0] + counts[1] + counts[2];
    if (all == 0) {
        buffer_text(b, "Nothing found.\n");
        return;
    }
    buffer_count(b, all, "finding");
    const char *between = ": ";
    for (size_t s = 3; s-- > 0;) {
        if (counts[s] == 0) continue;
        buffer_text(b, between);
        buffer_uint(b, counts[s]);
        buffer_char(b, ' ');
        buffer_text(b, karp_lint_severity_name((uint32_t)s));
        if (counts[s] > 1 && s > 0) buffer_char(b, 's');
        between = ", ";
    }
    buffer_text(b, ".\n");
}

enum { FINDING_INDENT = 9, MOST_LINES = 50 };

static void put_words(const text_out *t, size_t indent, size_t column, karp_str text, const char *rule)
{
    text_flow flow;
    flow_begin(&flow, t, indent, column, MOST_LINES);
    flow_words(&flow, text);
    if (rule != NULL && flow_fits(&flow, 4 + strlen(rule))) {
        buffer_text(t->out, flow.wrapped ? "[" : "  [");
        buffer_text(t->out, rule);
        buffer_char(t->out, ']');
    }
    buffer_char(t->out, '\n');
}

static void put_text(const text_out *t, const karp_lint_finding *f)
{
    write_buffer *b = t->out;
    const char *severity = karp_lint_severity_name(f->severity);
    buffer_text(b, severity);
    buffer_repeat(b, " ", FINDING_INDENT - strlen(severity));
    text_clean(b, f->kind);
    buffer_text(b, f->kind.len > 0 ? " " : "");
    text_clean(b, f->object);
    buffer_text(b, f->field.len > 0 ? "  " : "");
    text_clean(b, f->field);
    if (f->kind.len > 0) {
        buffer_char(b, '\n');
        buffer_repeat(b, " ", FINDING_INDENT);
    }
    put_words(t, FINDING_INDENT, FINDING_INDENT, f->text, f->rule);
    if (f->remedy.len == 0) return;
    buffer_repeat(b, " ", FINDING_INDENT);
    buffer_text(b, "-> ");
    put_words(t, FINDING_INDENT + 3, FINDING_INDENT + 3, f->remedy, NULL);
}

static void put_row(write_buffer *b, const karp_lint_finding *f)
{
    buffer_text(b, "| ");
    buffer_text(b, karp_lint_severity_name(f->severity));
    buffer_text(b, " | `");
    buffer_text(b, f->rule);
    buffer_text(b, "` | ");
    text_markdown(b, f->kind);
    buffer_text(b, f->kind.len > 0 ? " " : "");
    text_markdown(b, f->object);
    buffer_text(b, " | ");
    text_markdown(b, f->field);
    buffer_text(b, " | ");
    text_markdown(b, f->text);
    buffer_text(b, f->remedy.len > 0 ? "; " : "");
    text_markdown(b, f->remedy);
    buffer_text(b, " |\n");
}

static void write_people(write_buffer *b, const karp_lint *lint, const karp_write_options *options)
{
    bool markdown = options->format == KARP_FORMAT_MARKDOWN;
    size_t counts[3], all = count_all(lint, options);
    const text_out t = { b, options->width, false };
    count_severities(lint, options, counts);
    if (markdown && all > 0)
        buffer_text(b, "| severity | rule | object | field | finding |\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < all; i++) {
        karp_lint_finding f = finding_at(lint, options, i);
        if (markdown) put_row(b, &f);
        else put_text(&t, &f);
    }
    if (all > 0) buffer_char(b, '\n');
    put_totals(b, counts);
}

/* ---- JSON and SARIF ---------------------------------------------------------------------------------------------- */

static void write_json(json_out *j, const karp_lint *lint, const karp_write_options *options)
{
    size_t counts[3];
    count_severities(lint, options, counts);
    json_open_object(j);
    json_member_text(j, "apiVersion", "karp/v1");
    json_member_text(j, "kind", "Lint");
    json_member_engine(j);
    json_member_newest_peer(j);
    json_member_catalogue(j, options->catalogue);
    json_member_array(j, "findings");
    for (size_t i = 0; i < count_all(lint, options); i++) {
        karp_lint_finding f = finding_at(lint, options, i);
        json_flat_object(j);
        json_member_text(j, "rule", f.rule);
        json_member_text(j, "severity", karp_lint_severity_name(f.severity));
        json_member_str(j, "kind", f.kind);
        json_member_str(j, "object", f.object);
        json_member_str(j, "field", f.field);
        json_member_str(j, "text", f.text);
        json_member_str(j, "remedy", f.remedy);
        json_end(j);
    }
    json_end(j);
    json_member_flat_object(j, "totals");
    for (uint32_t s = 0; s < 3; s++) json_member_uint(j, karp_lint_severity_name(s), counts[s]);
    json_end(j);
    json_close(j);
}

static void sarif_message(json_out *j, const char *key, karp_str text, karp_str more)
{
    json_member_flat_object(j, key);
    if (more.len == 0) json_member_str(j, "text", text);
    else {
        /* The two texts are joined in one string. */
        write_buffer joined = buffer_on(j->out->text.context);
        buffer_str(&joined, text);
        buffer_text(&joined, "; ");
        buffer_str(&joined, more);
        j->out->text.failed = j->out->text.failed || joined.text.failed;
        json_member_str(j, "text", buffer_content(&joined));
        buffer_free(&joined);
    }
    json_end(j);
}

static const char *sarif_level(uint32_t severity)
{
    return severity == KARP_LINT_INFO ? "note" : karp_lint_severity_name(severity);
}

static void sarif_rule(json_out *j, const karp_lint_rule *rule)
{
    json_open_object(j);
    json_member_text(j, "id", rule->name);
    sarif_message(j, "shortDescription", str(rule->summary), str(""));
    json_member_flat_object(j, "defaultConfiguration");
    json_member_text(j, "level", sarif_level(rule->severity));
    json_end(j);
    json_end(j);
}

/* "NodePool/default/spec.limits.cpu", and the file when there is one. */
static void sarif_location(json_out *j, const karp_lint_finding *f, karp_str file)
{
    json_member_array(j, "locations");
    json_open_object(j);
    if (file.len > 0) {
        json_member_flat_object(j, "physicalLocation");
        json_member_flat_object(j, "artifactLocation");
        json_member_str(j, "uri", file);
        json_end(j);
        json_end(j);
    }
    write_buffer name = buffer_on(j->out->text.context);
    buffer_str(&name, f->kind);
    buffer_char(&name, '/');
    buffer_str(&name, f->object);
    if (f->field.len > 0) buffer_char(&name, '/');
    buffer_str(&name, f->field);
    j->out->text.failed = j->out->text.failed || name.text.failed;
    json_member_flat_array(j, "logicalLocations");
    json_flat_object(j);
    json_member_str(j, "fullyQualifiedName", buffer_content(&name));
    json_end(j);
    json_end(j);
    buffer_free(&name);
    json_end(j);
    json_end(j);
}

static void sarif_results(json_out *j, const karp_lint *lint, const karp_write_options *options)
{
    json_member_array(j, "results");
    for (size_t i = 0; i < count_all(lint, options); i++) {
        karp_lint_finding f = finding_at(lint, options, i);
        json_open_object(j);
        json_member_text(j, "ruleId", f.rule);
        json_member_text(j, "level", sarif_level(f.severity));
        sarif_message(j, "message", f.text, f.remedy);
        if (f.kind.len > 0) sarif_location(j, &f, options->title);
        json_end(j);
    }
    json_end(j);
}

static void write_sarif(json_out *j, const karp_lint *lint, const karp_write_options *options)
{
    json_open_object(j);
    json_member_text(j, "version", "2.1.0");
    json_member_array(j, "runs");
    json_open_object(j);
    json_member_object(j, "tool");
    json_member_object(j, "driver");
    json_member_text(j, "name", "karp");
    json_member_text(j, "version", karp_version());
    json_member_array(j, "rules");
    karp_lint_rule rule = { .size = sizeof rule };
    for (size_t i = 0; karp_lint_rule_at(i, &rule) == KARP_OK; i++) sarif_rule(j, &rule);
    sarif_rule(j, &of_problems);
    sarif_rule(j, &of_unknown);
    sarif_rule(j, &of_notes);
    json_end(j);
    json_end(j);
    json_end(j);
    sarif_results(j, lint, options);
    json_end(j);
    json_end(j);
    json_close(j);
}

karp_status karp_write_lint(karp_context *context, const karp_lint *lint, const karp_write_options *options,
                            karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, lint, "a result of karp_lint_snapshot()",
                                     WRITE_JSON_PEOPLE | 1u << KARP_FORMAT_SARIF);
    if (status != KARP_OK) return status;
    if (call.options.format == KARP_FORMAT_TEXT || call.options.format == KARP_FORMAT_MARKDOWN) {
        write_people(&call.buffer, lint, &call.options);
    } else {
        json_out json;
        json_init(&json, &call.buffer, call.options.compact != 0);
        if (call.options.format == KARP_FORMAT_SARIF) write_sarif(&json, lint, &call.options);
        else write_json(&json, lint, &call.options);
    }
    return write_end(&call);
}
