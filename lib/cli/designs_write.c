/* SPDX-License-Identifier: Apache-2.0 */
#include "designs.h"
#include "writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/library.h>
#include <karp/peer.h>

enum { ROWS_SHOWN = 40 };

static bool same_text(karp_str a, karp_str b) { return (a.ptr == NULL) == (b.ptr == NULL) && equal_str(a, b); }

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* "  (alone +$12.00/month, 2 more pods left pending)" */
static void put_alone(cli_writer *w, const karp_design_field *f)
{
    char money[MONEY_TEXT];
    if (f->alone == 0) return;
    (void)money_dollars((f->alone_price - w->first->totals.price) * HOURS_A_MONTH, true, money);
    cli_put_format(w, "  (alone %s/month", money);
    long long more = (long long)f->alone_left - (long long)w->first->totals.pods_left;
    if (more != 0) {
        cli_put_format(w, ", %lld %s %s left pending", more < 0 ? -more : more, more < 0 ? "fewer" : "more",
                       more == 1 || more == -1 ? "pod" : "pods");
    }
    cli_put_text(w, ")");
}

static void begin_item(cli_writer *w)
{
    cli_put_text(w, w->html ? "<div class=\"l\">" : w->markdown ? "- " : "");
    w->item = w->out->len;
}

enum { ITEM_INDENT = 2, ITEM_GOES_ON = 6 };

/* Wraps the item at the width in text. */
static void end_item(cli_writer *w)
{
    size_t length = w->out->len - w->item;
    if (!w->html && !w->markdown && length > 0 && !w->out->failed) {
        char *line = karp_alloc(w->options->context, length);
        if (line == NULL) {
            w->out->failed = true;
            return;
        }
        memcpy(line, w->out->ptr + w->item, length);
        w->out->len = w->item;
        cli_put_text(w, "  ");
        cli_put_words(w, ITEM_INDENT, ITEM_GOES_ON, line, length);
        karp_free(w->options->context, line, length);
    }
    cli_put_text(w, w->html ? "</div>\n" : "\n");
}

/* A difference that is not of an object but of the side's options. */
static void put_option(cli_writer *w, const char *name, const char *before, const char *after)
{
    before = before == NULL ? "\xe2\x80\x93" : before;
    after = after == NULL ? "\xe2\x80\x93" : after;
    if (strcmp(before, after) == 0) return;
    w->differs = true;
    begin_item(w);
    cli_put_text(w, "option ");
    cli_put_text(w, w->html ? "<b>" : w->markdown ? "**" : "");
    cli_put_text(w, name);
    cli_put_text(w, w->html ? "</b> " : w->markdown ? "** " : "  ");
    cli_put_shown(w, before, strlen(before));
    cli_put_text(w, " \xe2\x86\x92 ");
    cli_put_shown(w, after, strlen(after));
    end_item(w);
}

static const char *last_of(const cli_list *list) { return list->count == 0 ? NULL : list->items[list->count - 1]; }

/* The name of the first proposal that is on; NULL = none. */
static const char *preview_name(const cli_options *options)
{
    karp_peer_rule rule = { .size = sizeof rule };
    for (size_t i = 0; i < karp_peer_rule_count() && options->preview != 0; i++) {
        if ((options->preview >> i & 1) != 0 && karp_peer_rule_at(i, &rule) == KARP_OK) return rule.name.ptr;
    }
    return NULL;
}

static void put_options(cli_writer *w, const cli_options *a, const cli_options *b)
{
    put_option(w, "--profile", karp_profile_name(a->profile, a->peer_version),
               karp_profile_name(b->profile, b->peer_version));
    put_option(w, "--preview", preview_name(a), preview_name(b));
    put_option(w, "--provider", a->provider, b->provider);
    put_option(w, "--region", a->region, b->region);
    put_option(w, "--catalogue", last_of(&a->catalogues), last_of(&b->catalogues));
    put_option(w, "--facts", last_of(&a->facts), last_of(&b->facts));
    put_option(w, "--set", last_of(&a->settings), last_of(&b->settings));
    put_option(w, "--prices", last_of(&a->prices), last_of(&b->prices));
    put_option(w, "--feature-gates", a->feature_gates, b->feature_gates);
}

/* The replicas that --scale set for an object that it created in the design: the input has the object's pods, or none,
 * but not the object itself. NULL = the object is new for another reason. */
static const char *scaled_to(const cli_writer *w, const karp_design_field *f)
{
    const cli_list *scaled = &w->second->options.scaled;
    const char *replicas = NULL;
    karp_str object = f->object;
    for (size_t i = 0; f->field.len == 0 && f->before.len == 0 && i < scaled->count; i++) {
        const char *slash = strrchr(scaled->items[i], '/');
        const char *name = slash != NULL ? slash + 1 : scaled->items[i];
        size_t length = strcspn(name, "=");
        if (length == 0 || object.len <= length || memcmp(object.ptr + object.len - length, name, length) != 0)
            continue;
        if (strchr(" /", object.ptr[object.len - length - 1]) != NULL) replicas = name + length + 1;
    }
    return replicas;
}

static void put_value(cli_writer *w, karp_str json)
{
    cli_put_shown(w, json.len > 0 ? json.ptr : "\xe2\x80\x93", json.len > 0 ? json.len : 3);
}

static void put_field(cli_writer *w, const karp_design_field *f)
{
    begin_item(w);
    cli_put_text(w, w->html ? "<b>" : w->markdown ? "**" : "");
    cli_put_shown(w, f->object.ptr, f->object.len);
    cli_put_text(w, w->html ? "</b> " : w->markdown ? "** " : "  ");
    if (f->field.len == 0) {
        const char *replicas = scaled_to(w, f);
        uint64_t number;
        if (replicas != NULL && parse_count(replicas, &number)) cli_put_format(w, "is scaled to %" PRIu64, number);
        else cli_put_text(w, f->before.len > 0 ? "is deleted" : "is new");
    } else {
        cli_put_shown(w, f->field.ptr, f->field.len);
        cli_put_text(w, ": ");
        put_value(w, f->before);
        cli_put_text(w, " \xe2\x86\x92 ");
        put_value(w, f->after);
    }
    put_alone(w, f);
    end_item(w);
}

static void put_fields(cli_writer *w, const karp_comparison *c, size_t number)
{
    size_t count = karp_comparison_field_count(c, number);
    w->differs = w->differs || count > 0;
    for (size_t i = 0; i < count && i < ROWS_SHOWN; i++) {
        karp_design_field f = { .size = sizeof f };
        if (karp_comparison_field(c, number, i, &f) == KARP_OK) put_field(w, &f);
    }
    if (count <= ROWS_SHOWN) return;
    begin_item(w);
    cli_put_format(w, "and %zu more (-o json has all)", count - ROWS_SHOWN);
    end_item(w);
}

/* ---- differences for people -------------------------------------------------------------------------------------- */

/* Writes the changes of karp whatif, for all designs. */
static void write_changes(cli_writer *w, const design *list)
{
    size_t count = karp_decision_warning_count(list[0].plan);
    for (size_t i = decision_note_count(list[0].plan); i < count; i++) {
        karp_str change = karp_decision_warning(list[0].plan, i);
        (void)is_change(&change);
        cli_put_text(w, w->html ? "<p>In every design: " : "In every design: ");
        cli_put_shown(w, change.ptr, change.len);
        cli_put_text(w, w->html ? "</p>\n" : "\n\n");
    }
}

static void put_place(cli_writer *w, karp_str place, const char *without)
{
    if (place.ptr == NULL) place = str(without);
    cli_put_shown(w, place.ptr, place.len);
}

static karp_design_move move_at(const karp_comparison *c, size_t number, size_t index)
{
    karp_design_move move = { .size = sizeof move };
    (void)karp_comparison_move(c, number, index, &move);
    return move;
}

/* Pods with the same move share one row, which the first of them begins. */
static void write_moves(cli_writer *w, const karp_comparison *c, size_t number)
{
    size_t rows = 0, all = karp_comparison_move_count(c, number);
    for (size_t i = 0; i < all && rows <= ROWS_SHOWN; i++) {
        const karp_design_move one = move_at(c, number, i);
        size_t first = SIZE_MAX, count = 0;
        for (size_t k = 0; k < all && first >= i; k++) {
            const karp_design_move other = move_at(c, number, k);
            if (!same_text(one.group_before, other.group_before) || !same_text(one.group_after, other.group_after))
                continue;
            if (count++ == 0) first = k;
        }
        if (first != i || rows++ >= ROWS_SHOWN) continue;
        begin_item(w);
        cli_put_shown(w, one.pod.ptr, one.pod.len);
        if (count > 1) cli_put_format(w, " and %zu more", count - 1);
        cli_put_text(w, ": ");
        bool coarse = count > 1 && !same_text(one.group_before, one.group_after);
        put_place(w, coarse ? one.group_before : one.before, "added");
        cli_put_text(w, " \xe2\x86\x92 ");
        put_place(w, coarse ? one.group_after : one.after, "deleted");
        end_item(w);
    }
    w->differs = w->differs || all > 0;
    if (rows > ROWS_SHOWN) {
        begin_item(w);
        cli_put_text(w, "and others (-o json has all)");
        end_item(w);
    }
}

static void heading(cli_writer *w, const char *text, const char *name)
{
    cli_put_text(w, w->html ? "<div class=\"d\">" : w->markdown ? "\n## " : "\n");
    cli_put_text(w, text);
    cli_put_shown(w, name, strlen(name));
    cli_put_text(w, w->html ? "</div>\n" : w->markdown ? "\n\n" : "\n");
}

/* Takes the heading back if nothing follows it. */
static void end_part(cli_writer *w, size_t start, size_t body)
{
    if (w->out->len == body && !w->out->failed) w->out->len = start;
}

static void write_difference(cli_writer *w, const karp_comparison *c, const design *list, size_t number)
{
    const design *b = &list[number];
    size_t start = w->out->len, body;
    w->first = &list[0];
    w->second = b;
    heading(w, "What differs in ", b->name);
    body = w->out->len;
    put_options(w, &list[0].options, &b->options);
    put_fields(w, c, number);
    end_part(w, start, body);
    start = w->out->len;
    heading(w, "Requests in ", b->name);
    body = w->out->len;
    design_write_requests(w, b);
    end_part(w, start, body);
    start = w->out->len;
    heading(w, "Pods that differ in ", b->name);
    body = w->out->len;
    write_moves(w, c, number);
    end_part(w, start, body);
}

/* Writes the differences from the first design, one list for each of the others. */
static void write_differences(cli_writer *w, const karp_comparison *c, const design *list, size_t count)
{
    for (size_t i = 1; i < count; i++) write_difference(w, c, list, i);
    if (w->differs) return;
    cli_put_text(w, w->html ? "" : "\n");
    cli_put_text(w, "Nothing differs.\n");
}

/* ---- the page: totals, differences, and the picture of each plan ------------------------------------------------- */

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>karp";

static const char page_style[] =
    "</title>\n<style>.designs{color-scheme:light dark;--ink:#1c2530;--dim:#5b6673;--page:#fff;--line:#d9dee4;"
    "font:13px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:var(--ink);"
    "background:var(--page);padding:18px 20px 4px}"
    ".designs .t{font-size:18px;font-weight:650}.designs .d{font-size:14px;font-weight:650;margin:20px 0 6px}"
    ".designs .s{color:var(--dim);font-size:12px}.designs .l{overflow-wrap:anywhere;padding:1px 0}"
    ".designs .wide{overflow-x:auto}.designs table{border-collapse:collapse;margin-top:12px;"
    "font-variant-numeric:tabular-nums}"
    ".designs td,.designs th{padding:3px 0 3px 22px;text-align:right;border-bottom:1px solid var(--line);"
    "white-space:nowrap}"
    ".designs th{padding-left:0;text-align:left;font-weight:400;color:var(--dim)}"
    ".designs tr:first-child td,.designs tr:nth-child(2) td{font-weight:650}"
    ".side{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,520px),1fr))}"
    ".side>div{min-width:0;border-top:1px solid #8a94a355;margin-top:14px}"
    "@media(max-width:600px){.designs{padding:12px 14px 4px}.designs td,.designs th{white-space:normal}"
    ".designs td{padding-left:10px}.designs th{min-width:84px;overflow-wrap:break-word}}"
    "@media(prefers-color-scheme:dark){.designs{--ink:#e6ebf0;--dim:#9aa6b3;--page:#121212;--line:#343c46}}"
    "</style></head>\n<body style=\"margin:0\">\n<div class=\"designs\">\n<div class=\"t\">Designs side by "
    "side</div>\n";

static karp_status put_picture(cli_writer *w, const design *d, karp_error *error)
{
    karp_text text = { 0 };
    karp_write_options options = write_options_of(w->options, &d->input);
    options.format = KARP_FORMAT_HTML;
    options.compact = 1;
    options.title = str(d->name);
    karp_status status = karp_write_plan(w->options->context, d->plan, NULL, &options, &text, error);
    cli_put_text(w, "<div>\n");
    if (status == KARP_OK) cli_put(w, text.ptr, text.len);
    cli_put_text(w, "</div>\n");
    karp_text_free(&text);
    return status;
}

/* The drift of each side, unless it is the same in all. */
static void put_drifts(cli_writer *w, const design *list, size_t count)
{
    char first[KARP_DRIFT_TEXT], other[KARP_DRIFT_TEXT];
    bool differs = false;
    (void)karp_drift_text(&list[0].drift, first);
    for (size_t i = 1; i < count; i++) {
        (void)karp_drift_text(&list[i].drift, other);
        differs = differs || strcmp(first, other) != 0;
    }
    for (size_t i = 0; i < count && differs; i++) {
        if (list[i].drift.nodes > 0 && !w->markdown && !w->html) cli_put_text(w, "\n");
        cli_put_drift(w, list[i].name, &list[i].drift);
    }
}

static void write_html(cli_writer *w, const karp_comparison *c, const design *list, size_t count)
{
    karp_error error = { .size = sizeof error };
    cli_put_text(w, page_head);
    for (size_t i = 0; i < count; i++) {
        cli_put_text(w, i == 0 ? " \xc2\xb7 " : " / ");
        cli_put_shown(w, list[i].name, strlen(list[i].name));
    }
    cli_put_text(w, page_style);
    cli_put_made_by(w, list[0].verb, &list[0].options, &list[0].input);
    write_changes(w, list);
    cli_put_text(w, "<div class=\"wide\"><table>\n");
    designs_write_table(w, list, count);
    cli_put_text(w, "</table></div>\n");
    put_drifts(w, list, count);
    write_differences(w, c, list, count);
    cli_put_text(w, "</div>\n<div class=\"side\">\n");
    for (size_t i = 0; i < count && !w->out->failed; i++)
        if (put_picture(w, &list[i], &error) != KARP_OK) w->out->failed = true; /* of an existing plan: no memory */
    cli_put_text(w, "</div>\n</body></html>\n");
}

bool designs_write(const cli_options *options, const karp_comparison *comparison, design *list, size_t count,
                   strbuf *out, bool *differs)
{
    cli_writer w = { .options = options,
                     .out = out,
                     .markdown = options->format == KARP_FORMAT_MARKDOWN,
                     .html = options->format == KARP_FORMAT_HTML };
    if (w.html) {
        write_html(&w, comparison, list, count);
    } else {
        if (w.markdown) cli_put_text(&w, "# Designs side by side\n\n");
        cli_put_made_by(&w, list[0].verb, &list[0].options, &list[0].input);
        write_changes(&w, list);
        designs_write_table(&w, list, count);
        put_drifts(&w, list, count);
        write_differences(&w, comparison, list, count);
        for (size_t i = 0; i < count && w.markdown; i++)
            cli_list_notes(&w, &list[i].input, list[i].name, &list[0].input);
        for (size_t i = 0; i < count; i++) cli_put_incomplete(&w, list[i].name, &list[i].input);
    }
    *differs = w.differs;
    return !out->failed;
}
