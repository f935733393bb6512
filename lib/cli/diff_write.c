/* SPDX-License-Identifier: Apache-2.0 */
#include "diff.h"
#include "writer.h"

#include <stdio.h>
#include <string.h>

#include <karp/peer.h>

enum { SHOWN = 160 }; /* the maximum length of a text for people */

static const struct {
    const char *json, *title, *one, *many;
} kinds[DIFF_KINDS] = {
    [DIFF_LAUNCH] = { "launches", "Launches", "launch", "launches" },
    [DIFF_PLACEMENT] = { "placements", "Pods on existing nodes", "placement", "placements" },
    [DIFF_REFUSAL] = { "refusals", "Pods that are unschedulable or not considered", "refusal", "refusals" },
    [DIFF_COMMAND] = { "commands", "Disruption", "command", "commands" },
    [DIFF_NODE] = { "kept", "Why nodes stay", "reason to stay", "reasons to stay" },
};

static uint32_t kind_of(const difference *d) { return d->before != NULL ? d->before->kind : d->after->kind; }

static const char *subject_of(const cli_writer *w, const difference *d)
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

static void put_member(cli_writer *w, const char *name, const char *value)
{
    cli_put_quoted(w, name, strlen(name));
    cli_put_text(w, ": ");
    if (value == NULL) cli_put_text(w, "null");
    else cli_put_quoted(w, value, strlen(value));
}

static void json_rules(cli_writer *w, uint64_t rules, bool in_full)
{
    const char *between = "";
    cli_put_text(w, "[");
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (!rule_at(rules, i, &rule)) continue;
        cli_put_text(w, between);
        between = ", ";
        if (in_full) cli_put_text(w, "{\"id\": ");
        cli_put_quoted(w, rule.id.ptr, rule.id.len);
        if (!in_full) continue;
        cli_put_text(w, ", \"name\": ");
        cli_put_quoted(w, rule.name.ptr, rule.name.len);
        cli_put_text(w, ", \"text\": ");
        cli_put_quoted(w, rule.text.ptr, rule.text.len);
        cli_put_text(w, "}");
    }
    cli_put_text(w, "]");
}

static void write_json(cli_writer *w)
{
    cli_put_text(w, "{\"apiVersion\": \"karp/v1\", \"kind\": \"Diff\",\n ");
    put_member(w, "before", w->list->a->name);
    cli_put_text(w, ", ");
    put_member(w, "after", w->list->b->name);
    cli_put_text(w, ",\n \"rules\": ");
    json_rules(w, w->list->rules, true);
    for (uint32_t kind = 0; kind < DIFF_KINDS; kind++) {
        const char *between = "\n  ";
        cli_put_text(w, ",\n ");
        cli_put_quoted(w, kinds[kind].json, strlen(kinds[kind].json));
        cli_put_text(w, ": [");
        for (size_t i = 0; i < w->list->count; i++) {
            const difference *d = &w->list->items[i];
            if (kind_of(d) != kind) continue;
            cli_put_text(w, between);
            between = ",\n  ";
            cli_put_text(w, "{");
            put_member(w, "subject", subject_of(w, d));
            cli_put_text(w, ", ");
            put_member(w, "before", answer_of(w->list->a, d->before));
            cli_put_text(w, ", ");
            put_member(w, "after", answer_of(w->list->b, d->after));
            cli_put_text(w, ", \"rules\": ");
            json_rules(w, d->rules, false);
            cli_put_text(w, "}");
        }
        cli_put_text(w, "]");
    }
    cli_put_text(w, "}\n");
}

/* ---- text and markdown ------------------------------------------------------------------------------------------- */

static void put_rules(cli_writer *w, const difference *d)
{
    const char *between = "";
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (!rule_at(d->rules, i, &rule)) continue;
        cli_put_text(w, between);
        cli_put(w, rule.id.ptr, rule.id.len);
        cli_put_text(w, " ");
        cli_put(w, rule.name.ptr, rule.name.len);
        between = ", ";
    }
    if (d->rules == 0) cli_put_text(w, w->list->rules != 0 ? "no single rule" : "no rule of a version");
}

/* "2 launches, 1 command differ." */
static void put_summary(cli_writer *w)
{
    const char *between = "";
    char number[32];
    if (w->list->count == 0) {
        cli_put_text(w, "Nothing differs.\n");
        return;
    }
    for (uint32_t kind = 0; kind < DIFF_KINDS; kind++) {
        size_t n = count_of(w->list, kind);
        if (n == 0) continue;
        snprintf(number, sizeof number, "%s%zu ", between, n);
        cli_put_text(w, number);
        cli_put_text(w, n == 1 ? kinds[kind].one : kinds[kind].many);
        between = ", ";
    }
    cli_put_text(w, w->list->count == 1 ? " differs.\n" : " differ.\n");
}

/* The descriptions of the rules that caused a difference, each once. */
static void put_legend(cli_writer *w, const char *before)
{
    uint64_t used = 0;
    for (size_t i = 0; i < w->list->count; i++) used |= w->list->items[i].rules;
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule;
        if (!rule_at(used, i, &rule)) continue;
        cli_put_text(w, before);
        cli_put(w, rule.id.ptr, rule.id.len);
        cli_put_text(w, "  ");
        cli_put(w, rule.text.ptr, rule.text.len);
        cli_put_text(w, "\n");
    }
    if (used != 0) cli_put_text(w, "\n");
}

static void put_text_of(cli_writer *w, const char *text) { cli_put_at_most(w, text, strlen(text), SHOWN); }

static void put_side(cli_writer *w, const char *before, const diff_side *side, const diff_row *row)
{
    cli_put_text(w, before);
    cli_put_text(w, side->name);
    cli_put_text(w, ": ");
    put_text_of(w, row == NULL ? "\xe2\x80\x93" : diff_text(side, row->answer));
    cli_put_text(w, "\n");
}

static void write_people(cli_writer *w)
{
    bool markdown = w->markdown;
    cli_put_text(w, markdown ? "# " : "karp diff  ");
    cli_put_text(w, w->list->a->name);
    cli_put_text(w, " \xe2\x86\x92 ");
    cli_put_text(w, w->list->b->name);
    cli_put_text(w, "\n\n");
    for (uint32_t kind = 0; kind < DIFF_KINDS; kind++) {
        if (count_of(w->list, kind) == 0) continue;
        cli_put_text(w, markdown ? "## " : "");
        cli_put_text(w, kinds[kind].title);
        cli_put_text(w, markdown ? "\n\n" : "\n");
        for (size_t i = 0; i < w->list->count; i++) {
            const difference *d = &w->list->items[i];
            if (kind_of(d) != kind) continue;
            cli_put_text(w, markdown ? "- **" : "  ");
            put_text_of(w, subject_of(w, d));
            cli_put_text(w, markdown ? "** (" : "  (");
            put_rules(w, d);
            cli_put_text(w, ")\n");
            put_side(w, markdown ? "  - " : "      ", w->list->a, d->before);
            put_side(w, markdown ? "  - " : "      ", w->list->b, d->after);
        }
        cli_put_text(w, "\n");
    }
    put_legend(w, markdown ? "- " : "");
    put_summary(w);
}

bool diff_write(const cli_options *options, const diff_list *list, strbuf *out)
{
    cli_writer w = {
        .options = options, .list = list, .out = out, .markdown = options->format == KARP_FORMAT_MARKDOWN
    };
    if (options->format == KARP_FORMAT_JSON) write_json(&w);
    else write_people(&w);
    return !out->failed;
}
