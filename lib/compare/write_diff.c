/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Diff documents (docs/versions.md). */
#include <compare/answers.h>

#include <io/encode.h>
#include <io/write_text.h>
#include <records/rows.h>

#include <karp/peer.h>

static const struct {
    const char *json, *title, *one, *many;
} kinds[] = {
    [KARP_DIFFERENCE_LAUNCH] = { "launches", "Launches", "launch", "launches" },
    [KARP_DIFFERENCE_PLACEMENT] = { "placements", "Pods on existing nodes", "placement", "placements" },
    [KARP_DIFFERENCE_REFUSAL] = { "refusals", "Pods that are unschedulable or not considered", "refusal", "refusals" },
    [KARP_DIFFERENCE_COMMAND] = { "commands", "Disruption", "command", "commands" },
    [KARP_DIFFERENCE_NODE] = { "kept", "Why nodes stay", "reason to stay", "reasons to stay" },
};
enum { KINDS = sizeof kinds / sizeof kinds[0], RULES = 64 };

static size_t count_of(const karp_diff *d, uint32_t kind)
{
    size_t n = 0;
    for (size_t i = 0; i < d->count; i++) n += d->rows[i].kind == kind;
    return n;
}

static bool rule_at(uint64_t rules, size_t i, karp_peer_rule *out)
{
    *out = (karp_peer_rule){ .size = sizeof *out };
    return i < RULES && ((rules >> i) & 1) != 0 && karp_peer_rule_at(i, out) == KARP_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

typedef struct shown_difference {
    karp_str subject, before, after;
    const karp_str *rules;
    size_t rule_count;
} shown_difference;

static const record record_difference = { OPEN({ TEXT("subject", shown_difference, subject) },
                                               { TEXT("before", shown_difference, before), NULL_IS_NULL },
                                               { TEXT("after", shown_difference, after), NULL_IS_NULL },
                                               { TEXTS("rules", shown_difference, rules, rule_count) }) };

static const record record_rule = { OPEN({ TEXT("id", karp_peer_rule, id) }, { TEXT("name", karp_peer_rule, name) },
                                         { TEXT("text", karp_peer_rule, text) }) };

static void difference_as_json(const encoder *e, const karp_difference *d)
{
    karp_str ids[RULES];
    shown_difference shown = { d->subject, d->before, d->after, ids, 0 };
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (rule_at(d->rules, i, &rule)) ids[shown.rule_count++] = rule.id;
    }
    encode_object(e, &record_difference, &shown);
}

static void as_json(const write_job *job, const karp_diff *d)
{
    json_out json, *j = &json;
    const encoder e = { .json = j, .job = job };
    json_open_document(j, job->out, job->options->compact != 0, "Diff");
    json_member_str(j, "before", d->names[0]);
    json_member_str(j, "after", d->names[1]);
    json_member_array(j, "rules");
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (rule_at(d->rules, i, &rule)) encode_object(&e, &record_rule, &rule);
    }
    json_end(j);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        json_member_array(j, kinds[kind].json);
        for (size_t i = 0; i < d->count; i++) {
            if (d->rows[i].kind == kind) difference_as_json(&e, &d->rows[i]);
        }
        json_end(j);
    }
    json_close(j);
}

/* ---- text and Markdown ------------------------------------------------------------------------------------------- */

typedef struct diff_out {
    const karp_diff *diff;
    write_buffer *b;
    bool markdown;
} diff_out;

static void put_rules(const diff_out *o, uint64_t rules)
{
    const char *between = "";
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (!rule_at(rules, i, &rule)) continue;
        buffer_text(o->b, between);
        buffer_str(o->b, rule.id);
        buffer_char(o->b, ' ');
        buffer_str(o->b, rule.name);
        between = ", ";
    }
    if (rules == 0) buffer_text(o->b, o->diff->rules != 0 ? "no single rule" : "no rule of a version");
}

/* "2 launches, 1 command differ." */
static void put_summary(const diff_out *o)
{
    const char *between = "";
    if (o->diff->count == 0) {
        buffer_text(o->b, "Nothing differs.\n");
        return;
    }
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        size_t n = count_of(o->diff, kind);
        if (n == 0) continue;
        buffer_text(o->b, between);
        buffer_uint(o->b, n);
        buffer_char(o->b, ' ');
        buffer_text(o->b, n == 1 ? kinds[kind].one : kinds[kind].many);
        between = ", ";
    }
    buffer_text(o->b, o->diff->count == 1 ? " differs.\n" : " differ.\n");
}

/* The descriptions of the rules that make a difference, each once. */
static void put_legend(const diff_out *o)
{
    uint64_t used = 0;
    for (size_t i = 0; i < o->diff->count; i++) used |= o->diff->rows[i].rules;
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (!rule_at(used, i, &rule)) continue;
        buffer_text(o->b, o->markdown ? "- " : "");
        buffer_str(o->b, rule.id);
        buffer_text(o->b, "  ");
        buffer_str(o->b, rule.text);
        buffer_char(o->b, '\n');
    }
    if (used != 0) buffer_char(o->b, '\n');
}

enum { SHOWN = 160 }; /* the maximum length of a text for people */

static void put_text(const diff_out *o, karp_str text)
{
    karp_str shown = str_cut(text, SHOWN);
    (o->markdown ? text_markdown : text_clean)(o->b, shown);
    if (shown.len < text.len) buffer_text(o->b, " \xe2\x80\xa6");
}

static void put_side(const diff_out *o, size_t number, karp_str text)
{
    buffer_text(o->b, o->markdown ? "  - " : "      ");
    put_text(o, o->diff->names[number]);
    buffer_text(o->b, ": ");
    put_text(o, text.ptr == NULL ? str("\xe2\x80\x93") : text);
    buffer_char(o->b, '\n');
}

static void put_difference(const diff_out *o, const karp_difference *d)
{
    buffer_text(o->b, o->markdown ? "- **" : "  ");
    put_text(o, d->subject);
    buffer_text(o->b, o->markdown ? "** (" : "  (");
    put_rules(o, d->rules);
    buffer_text(o->b, ")\n");
    put_side(o, 0, d->before);
    put_side(o, 1, d->after);
}

static void for_people(const diff_out *o)
{
    buffer_text(o->b, o->markdown ? "# " : "karp diff  ");
    put_text(o, o->diff->names[0]);
    buffer_text(o->b, " \xe2\x86\x92 ");
    put_text(o, o->diff->names[1]);
    buffer_text(o->b, "\n\n");
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        if (count_of(o->diff, kind) == 0) continue;
        buffer_text(o->b, o->markdown ? "## " : "");
        buffer_text(o->b, kinds[kind].title);
        buffer_text(o->b, o->markdown ? "\n\n" : "\n");
        for (size_t i = 0; i < o->diff->count; i++) {
            if (o->diff->rows[i].kind == kind) put_difference(o, &o->diff->rows[i]);
        }
        buffer_char(o->b, '\n');
    }
    put_legend(o);
    put_summary(o);
}

karp_status karp_write_diff(karp_context *context, const karp_diff *diff, const karp_write_options *options,
                            karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, diff, "a diff", WRITE_JSON_PEOPLE);
    if (status != KARP_OK) return status;
    const diff_out o = { diff, &call.buffer, call.options.format == KARP_FORMAT_MARKDOWN };
    if (call.options.format == KARP_FORMAT_JSON) as_json(&call.job, diff);
    else for_people(&o);
    return write_end(&call);
}
