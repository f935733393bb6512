/* SPDX-License-Identifier: Apache-2.0 */
#include "diff.h"

#include <stdio.h>
#include <string.h>

#include <karp/peer.h>

enum { SHOWN = 160 }; /* the maximum length of a text for people */

typedef struct writer {
    const cli_options *options;
    const diff_list *list;
    cli_text *out;
    bool refused;
} writer;

static const struct {
    const char *json, *title, *one, *many;
} kinds[DIFF_KINDS] = {
    [DIFF_LAUNCH] = { "launches", "Launches", "launch", "launches" },
    [DIFF_PLACEMENT] = { "placements", "Pods on existing nodes", "placement", "placements" },
    [DIFF_REFUSAL] = { "refusals", "Pods that are unschedulable or not considered", "refusal", "refusals" },
    [DIFF_COMMAND] = { "commands", "Disruption", "command", "commands" },
    [DIFF_NODE] = { "kept", "Why nodes stay", "reason to stay", "reasons to stay" },
};

static void put(writer *w, const char *bytes, size_t length)
{
    w->refused = w->refused || !text_add(w->options, w->out, bytes, length);
}

static void put_text(writer *w, const char *text) { put(w, text, strlen(text)); }

static uint32_t kind_of(const difference *d) { return d->before != NULL ? d->before->kind : d->after->kind; }

static const char *subject_of(const writer *w, const difference *d)
{
    return d->before != NULL ? diff_text(w->list->a, d->before->subject) : diff_text(w->list->b, d->after->subject);
}

static const char *answer_of(const diff_side *side, const diff_row *row)
{
    return row == NULL ? NULL : diff_text(side, row->answer);
}

static size_t count_of(const diff_list *list, uint32_t kind)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) n += kind_of(&list->items[i]) == kind;
    return n;
}

static bool rule_at(uint64_t rules, size_t i, karp_peer_rule *out)
{
    *out = (karp_peer_rule){ .size = sizeof *out };
    return ((rules >> i) & 1) != 0 && karp_peer_rule_at(i, out) == KARP_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_quoted(writer *w, const char *text, size_t length)
{
    put_text(w, "\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        char escaped[8];
        if (c == '"' || c == '\\') {
            snprintf(escaped, sizeof escaped, "\\%c", c);
            put_text(w, escaped);
        } else if (c < 0x20 || c == 0x7f) {
            snprintf(escaped, sizeof escaped, "\\u%04x", c);
            put_text(w, escaped);
        } else {
            put(w, &text[i], 1);
        }
    }
    put_text(w, "\"");
}

static void put_member(writer *w, const char *name, const char *value)
{
    put_quoted(w, name, strlen(name));
    put_text(w, ": ");
    if (value == NULL) put_text(w, "null");
    else put_quoted(w, value, strlen(value));
}

static void json_rules(writer *w, uint64_t rules, bool in_full)
{
    const char *between = "";
    put_text(w, "[");
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (!rule_at(rules, i, &rule)) continue;
        put_text(w, between);
        between = ", ";
        if (in_full) put_text(w, "{\"id\": ");
        put_quoted(w, rule.id.ptr, rule.id.len);
        if (!in_full) continue;
        put_text(w, ", \"name\": ");
        put_quoted(w, rule.name.ptr, rule.name.len);
        put_text(w, ", \"text\": ");
        put_quoted(w, rule.text.ptr, rule.text.len);
        put_text(w, "}");
    }
    put_text(w, "]");
}

static void write_json(writer *w)
{
    put_text(w, "{\"apiVersion\": \"karp/v1\", \"kind\": \"Diff\",\n ");
    put_member(w, "before", w->list->a->name);
    put_text(w, ", ");
    put_member(w, "after", w->list->b->name);
    put_text(w, ",\n \"rules\": ");
    json_rules(w, w->list->rules, true);
    for (uint32_t kind = 0; kind < DIFF_KINDS; kind++) {
        const char *between = "\n  ";
        put_text(w, ",\n ");
        put_quoted(w, kinds[kind].json, strlen(kinds[kind].json));
        put_text(w, ": [");
        for (size_t i = 0; i < w->list->count; i++) {
            const difference *d = &w->list->items[i];
            if (kind_of(d) != kind) continue;
            put_text(w, between);
            between = ",\n  ";
            put_text(w, "{");
            put_member(w, "subject", subject_of(w, d));
            put_text(w, ", ");
            put_member(w, "before", answer_of(w->list->a, d->before));
            put_text(w, ", ");
            put_member(w, "after", answer_of(w->list->b, d->after));
            put_text(w, ", \"rules\": ");
            json_rules(w, d->rules, false);
            put_text(w, "}");
        }
        put_text(w, "]");
    }
    put_text(w, "}\n");
}

/* ---- text and markdown ------------------------------------------------------------------------------------------- */

/* Writes a text that is cut if it is long, with control characters as '?'. For Markdown its syntax is escaped. */
static void put_shown(writer *w, const char *text)
{
    bool markdown = w->options->format == KARP_FORMAT_MARKDOWN;
    size_t length = strlen(text), most = length > SHOWN ? SHOWN : length;
    while (most < length && most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80) most--;
    for (size_t i = 0; i < most; i++) {
        if (markdown && strchr("\\`*_<>|[]#", text[i]) != NULL) put_text(w, "\\");
        put(w, (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? "?" : &text[i], 1);
    }
    if (most < length) put_text(w, " \xe2\x80\xa6");
}

static void put_rules(writer *w, const difference *d)
{
    const char *between = "";
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (!rule_at(d->rules, i, &rule)) continue;
        put_text(w, between);
        put(w, rule.id.ptr, rule.id.len);
        put_text(w, " ");
        put(w, rule.name.ptr, rule.name.len);
        between = ", ";
    }
    if (d->rules == 0) put_text(w, w->list->rules != 0 ? "no single rule" : "no rule of a version");
}

/* "2 launches, 1 command differ." */
static void put_summary(writer *w)
{
    const char *between = "";
    char number[32];
    if (w->list->count == 0) {
        put_text(w, "Nothing differs.\n");
        return;
    }
    for (uint32_t kind = 0; kind < DIFF_KINDS; kind++) {
        size_t n = count_of(w->list, kind);
        if (n == 0) continue;
        snprintf(number, sizeof number, "%s%zu ", between, n);
        put_text(w, number);
        put_text(w, n == 1 ? kinds[kind].one : kinds[kind].many);
        between = ", ";
    }
    put_text(w, w->list->count == 1 ? " differs.\n" : " differ.\n");
}

/* The descriptions of the rules that caused a difference, each once. */
static void put_legend(writer *w, const char *before)
{
    uint64_t used = 0;
    for (size_t i = 0; i < w->list->count; i++) used |= w->list->items[i].rules;
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (!rule_at(used, i, &rule)) continue;
        put_text(w, before);
        put(w, rule.id.ptr, rule.id.len);
        put_text(w, "  ");
        put(w, rule.text.ptr, rule.text.len);
        put_text(w, "\n");
    }
    if (used != 0) put_text(w, "\n");
}

static void put_side(writer *w, const char *before, const diff_side *side, const diff_row *row)
{
    put_text(w, before);
    put_text(w, side->name);
    put_text(w, ": ");
    put_shown(w, row == NULL ? "\xe2\x80\x93" : diff_text(side, row->answer));
    put_text(w, "\n");
}

static void write_people(writer *w, bool markdown)
{
    put_text(w, markdown ? "# " : "karp diff  ");
    put_text(w, w->list->a->name);
    put_text(w, " \xe2\x86\x92 ");
    put_text(w, w->list->b->name);
    put_text(w, "\n\n");
    for (uint32_t kind = 0; kind < DIFF_KINDS; kind++) {
        if (count_of(w->list, kind) == 0) continue;
        put_text(w, markdown ? "## " : "");
        put_text(w, kinds[kind].title);
        put_text(w, markdown ? "\n\n" : "\n");
        for (size_t i = 0; i < w->list->count; i++) {
            const difference *d = &w->list->items[i];
            if (kind_of(d) != kind) continue;
            put_text(w, markdown ? "- **" : "  ");
            put_shown(w, subject_of(w, d));
            put_text(w, markdown ? "** (" : "  (");
            put_rules(w, d);
            put_text(w, ")\n");
            put_side(w, markdown ? "  - " : "      ", w->list->a, d->before);
            put_side(w, markdown ? "  - " : "      ", w->list->b, d->after);
        }
        put_text(w, "\n");
    }
    put_legend(w, markdown ? "- " : "");
    put_summary(w);
}

bool diff_write(const cli_options *options, const diff_list *list, cli_text *out)
{
    writer w = { .options = options, .list = list, .out = out };
    if (options->format == KARP_FORMAT_JSON) write_json(&w);
    else write_people(&w, options->format == KARP_FORMAT_MARKDOWN);
    return !w.refused;
}
