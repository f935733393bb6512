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

/* ---- moves ------------------------------------------------------------------------------------------------------- */

/* A pod that is moved, added or deleted. */
typedef struct move {
    karp_str pod;
    const char *before, *after, *group_before, *group_after; /* NULL = the pod does not exist there */
} move;

typedef struct moves {
    const design *a, *b;
    size_t i, k;
} moves;

/* The next pod whose place differs; false = there is none. */
static bool next_move(moves *m, move *out)
{
    while (m->i < m->a->place_count || m->k < m->b->place_count) {
        const design_place *x = m->i < m->a->place_count ? &m->a->places[m->i] : NULL;
        const design_place *y = m->k < m->b->place_count ? &m->b->places[m->k] : NULL;
        int order = x == NULL ? 1 : y == NULL ? -1 : compare_str(x->pod, y->pod);
        m->i += order <= 0;
        m->k += order >= 0;
        *out = (move){ .pod = x != NULL && order <= 0 ? x->pod : y->pod };
        if (x != NULL && order <= 0) {
            out->before = m->a->texts.ptr + x->text;
            out->group_before = m->a->texts.ptr + x->group;
        }
        if (y != NULL && order >= 0) {
            out->after = m->b->texts.ptr + y->text;
            out->group_after = m->b->texts.ptr + y->group;
        }
        if (order != 0 || strcmp(out->before, out->after) != 0) return true;
    }
    return false;
}

static bool same_text(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* The effect of the current row's difference alone. */
static const design_alone *alone_of(const cli_writer *w)
{
    size_t row = w->rows - 1;
    const design *d = w->second;
    return row < d->alone_count && d->alone[row].known ? &d->alone[row] : NULL;
}

static void json_row(karp_str object, karp_str field, karp_str before, karp_str after, void *user)
{
    cli_writer *w = user;
    w->differs = true;
    cli_put_text(w, w->rows++ > 0 ? ",\n   {\"object\": " : "\n   {\"object\": ");
    cli_put_quoted(w, object.ptr, object.len);
    cli_put_text(w, ", \"field\": ");
    cli_put_quoted(w, field.ptr, field.len);
    cli_put_text(w, ", \"before\": ");
    cli_put(w, before.len > 0 ? before.ptr : "null", before.len > 0 ? before.len : 4);
    cli_put_text(w, ", \"after\": ");
    cli_put(w, after.len > 0 ? after.ptr : "null", after.len > 0 ? after.len : 4);
    const design_alone *alone = alone_of(w);
    if (alone != NULL) {
        cli_put_text(w, ", \"alone\": {\"perHour\": ");
        cli_put_number(w, alone->price);
        cli_put_format(w, ", \"podsLeft\": %zu}", alone->left);
    }
    cli_put_text(w, "}");
}

/* "  (alone +$12.00/month, 2 more pods left pending)" */
static void put_alone(cli_writer *w)
{
    const design_alone *alone = alone_of(w);
    char money[MONEY_TEXT];
    if (alone == NULL) return;
    (void)money_dollars((alone->price - w->first->price) * HOURS_A_MONTH, true, money);
    cli_put_format(w, "  (alone %s/month", money);
    long long more = (long long)alone->left - (long long)w->first->left;
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
static const char *scaled_to(const cli_writer *w, karp_str object, karp_str field, karp_str before)
{
    const cli_list *scaled = &w->second->options.scaled;
    const char *replicas = NULL;
    for (size_t i = 0; field.len == 0 && before.len == 0 && i < scaled->count; i++) {
        const char *slash = strrchr(scaled->items[i], '/');
        const char *name = slash != NULL ? slash + 1 : scaled->items[i];
        size_t length = strcspn(name, "=");
        if (length == 0 || object.len <= length || memcmp(object.ptr + object.len - length, name, length) != 0)
            continue;
        if (strchr(" /", object.ptr[object.len - length - 1]) != NULL) replicas = name + length + 1;
    }
    return replicas;
}

static void text_row(karp_str object, karp_str field, karp_str before, karp_str after, void *user)
{
    cli_writer *w = user;
    w->differs = true;
    if (w->rows++ >= ROWS_SHOWN) return;
    begin_item(w);
    cli_put_text(w, w->html ? "<b>" : w->markdown ? "**" : "");
    cli_put_shown(w, object.ptr, object.len);
    cli_put_text(w, w->html ? "</b> " : w->markdown ? "** " : "  ");
    if (field.len == 0) {
        const char *replicas = scaled_to(w, object, field, before);
        uint64_t number;
        if (replicas != NULL && parse_count(replicas, &number)) cli_put_format(w, "is scaled to %" PRIu64, number);
        else cli_put_text(w, before.len > 0 ? "is deleted" : "is new");
        put_alone(w);
        end_item(w);
        return;
    }
    cli_put_shown(w, field.ptr, field.len);
    cli_put_text(w, ": ");
    cli_put_shown(w, before.len > 0 ? before.ptr : "\xe2\x80\x93", before.len > 0 ? before.len : 3);
    cli_put_text(w, " \xe2\x86\x92 ");
    cli_put_shown(w, after.len > 0 ? after.ptr : "\xe2\x80\x93", after.len > 0 ? after.len : 3);
    put_alone(w);
    end_item(w);
}

static void put_fields(cli_writer *w, const design *a, const design *b, karp_reader_difference *row)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    w->rows = 0;
    w->first = a;
    w->second = b;
    if (karp_reader_compare(a->input.reader, b->input.reader, row, w, &error) != KARP_OK) w->out->failed = true;
}

/* ---- least-cost plans -------------------------------------------------------------------------------------------- */

static void json_objective(cli_writer *w, const design *d)
{
    karp_cost cost;
    if (!design_cost(d, &cost)) return;
    cli_put_text(w, ",\n   \"objective\": {\"name\": \"cost\", \"cost\": ");
    cli_put_number(w, cost.cost);
    cli_put_text(w, ", \"compatibleCost\": ");
    cli_put_number(w, cost.compatible_cost);
    cli_put_text(w, ", \"bound\": ");
    cli_put_number(w, cost.bound);
    cli_put_text(w, ", \"gap\": ");
    if (cost.gap < 0) cli_put_text(w, "null");
    else cli_put_number(w, cost.gap);
    cli_put_text(w, "}");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_groups(cli_writer *w, const char *name, const design_groups *groups)
{
    cli_put_format(w, ",\n   \"%s\": [", name);
    for (size_t i = 0; i < groups->count; i++) {
        cli_put_text(w, i > 0 ? ", {\"name\": " : "{\"name\": ");
        cli_put_quoted(w, groups->items[i].name.ptr, groups->items[i].name.len);
        cli_put_format(w, ", \"nodes\": %zu, \"perHour\": ", groups->items[i].nodes);
        cli_put_number(w, groups->items[i].price);
        cli_put_text(w, "}");
    }
    cli_put_text(w, "]");
}

static void json_use(cli_writer *w, const char *name, double requested, double allocatable)
{
    cli_put_format(w, ",\n   \"%s\": {\"requested\": ", name);
    cli_put_number(w, requested);
    cli_put_text(w, ", \"allocatable\": ");
    cli_put_number(w, allocatable);
    cli_put_text(w, "}");
}

static void put_member(cli_writer *w, const char *before, const char *name, karp_str value)
{
    cli_put_format(w, "%s\"%s\": ", before, name);
    cli_put_quoted(w, value.ptr, value.len);
}

void design_write_clouds(cli_writer *w, karp_reader *reader)
{
    size_t count = karp_reader_cloud_count(reader), dated = 0;
    for (size_t i = 0; i < count; i++) {
        karp_reader_cloud cloud = { .size = sizeof cloud };
        if (karp_reader_get_cloud(reader, i, &cloud, NULL) != KARP_OK) w->out->failed = true;
        if (w->out->failed || cloud.prices.len == 0) continue;
        if (count == 1) {
            put_member(w, ", \"catalogue\": {", "name", cloud.region.len > 0 ? cloud.region : cloud.provider);
            put_member(w, ", ", "prices", cloud.prices);
            cli_put_text(w, "}");
        }
        put_member(w, dated++ == 0 ? ", \"clouds\": [{" : ", {", "provider", cloud.provider);
        put_member(w, ", ", "region", cloud.region);
        put_member(w, ", ", "prices", cloud.prices);
        cli_put_text(w, "}");
    }
    if (dated > 0) cli_put_text(w, "]");
}

void design_write_json(cli_writer *w, const design *d)
{
    cli_put_text(w, "\n  {\"name\": ");
    cli_put_quoted(w, d->name, strlen(d->name));
    if (d->input.reader != NULL) { /* otherwise the design has no input of its own */
        karp_str digest = karp_reader_digest(d->input.reader);
        cli_put_text(w, ", \"sha256\": ");
        cli_put_quoted(w, digest.ptr, digest.len);
        design_write_clouds(w, d->input.reader);
    }
    if (d->plan != NULL)
        cli_put_format(w, ", \"profile\": \"%s\", \"peerVersion\": \"%s\"",
                       karp_decision_profile(d->plan) == KARP_PROFILE_KARP ? "karp" : "karpenter",
                       karp_peer_version_name(karp_decision_peer_version(d->plan)));
    cli_put_format(w, ",\n   \"nodes\": %zu, \"launches\": %zu, \"podsPlaced\": %zu, \"podsLeft\": %zu", d->nodes,
                   d->launched, d->placed, d->left);
    cli_put_text(w, ",\n   \"cost\": {\"perHour\": ");
    cli_put_number(w, d->price);
    cli_put_text(w, ", \"perMonth\": ");
    cli_put_number(w, d->price * HOURS_A_MONTH);
    cli_put_text(w, ", \"spot\": ");
    cli_put_number(w, d->spot_price);
    if (d->input.reader != NULL) cli_put_licences(w, &d->input);
    cli_put_text(w, "}");
    json_objective(w, d);
    json_use(w, "cpu", d->cpu_requested, d->cpu_allocatable);
    json_use(w, "memory", d->memory_requested, d->memory_allocatable);
    json_groups(w, "nodePools", &d->pools);
    json_groups(w, "zones", &d->zones);
    json_groups(w, "capacityTypes", &d->capacity_types);
    json_groups(w, "instanceTypes", &d->types);
    cli_put_drift_json(w, &d->drift);
    if (d->input.reader != NULL) cli_put_notes(w, &d->input);
    cli_put_text(w, "}");
}

static void json_place(cli_writer *w, const char *name, const char *place)
{
    cli_put_format(w, ", \"%s\": ", name);
    if (place == NULL) cli_put_text(w, "null");
    else cli_put_quoted(w, place, strlen(place));
}

static void json_difference(cli_writer *w, const design *a, const design *b)
{
    moves m = { a, b, 0, 0 };
    move one;
    cli_put_text(w, "\n  {\"design\": ");
    cli_put_quoted(w, b->name, strlen(b->name));
    cli_put_text(w, ", \"fields\": [");
    put_fields(w, a, b, json_row);
    cli_put_text(w, "],\n   \"moves\": [");
    for (size_t n = 0; next_move(&m, &one); n++) {
        w->differs = true;
        cli_put_text(w, n > 0 ? ",\n   {\"pod\": " : "\n   {\"pod\": ");
        cli_put_quoted(w, one.pod.ptr, one.pod.len);
        const char *change = one.before == NULL ? "new" : one.after == NULL ? "deleted" : "moved";
        cli_put_format(w, ", \"change\": \"%s\"", change);
        json_place(w, "before", one.before);
        json_place(w, "after", one.after);
        cli_put_text(w, "}");
    }
    cli_put_text(w, "]");
    design_json_requests(w, b);
    cli_put_text(w, "}");
}

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

static void json_changes(cli_writer *w, const design *list)
{
    size_t count = karp_decision_warning_count(list[0].plan), first = decision_note_count(list[0].plan);
    if (count == first) return;
    cli_put_text(w, ",\n \"changes\": [");
    for (size_t i = first; i < count; i++) {
        karp_str change = karp_decision_warning(list[0].plan, i);
        cli_put_text(w, i > first ? ", " : "");
        cli_put_quoted(w, change.ptr, change.len);
    }
    cli_put_text(w, "]");
}

static void write_json(cli_writer *w, design *list, size_t count)
{
    cli_put_text(w, "{\"apiVersion\": \"karp/v1\", \"kind\": \"Comparison\",\n ");
    cli_put_engine(w);
    cli_put_text(w, ",\n \"designs\": [");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) cli_put_text(w, ",");
        design_write_json(w, &list[i]);
    }
    cli_put_text(w, "],\n \"differences\": [");
    for (size_t i = 1; i < count; i++) {
        if (i > 1) cli_put_text(w, ",");
        json_difference(w, &list[0], &list[i]);
    }
    cli_put_text(w, "]");
    json_changes(w, list);
    cli_put_text(w, "}\n");
}

/* ---- differences for people -------------------------------------------------------------------------------------- */

static void put_place(cli_writer *w, const char *place, const char *without)
{
    const char *text = place == NULL ? without : place;
    cli_put_shown(w, text, strlen(text));
}

/* Pods with the same move share one row, which the first of them begins. */
static void write_moves(cli_writer *w, const design *a, const design *b)
{
    moves m = { a, b, 0, 0 };
    move one, other;
    size_t rows = 0, all = 0;
    while (next_move(&m, &one)) {
        moves before = { a, b, 0, 0 };
        bool first = true;
        size_t count = 0;
        all++;
        while (first && rows < ROWS_SHOWN && next_move(&before, &other)) {
            bool alike = same_text(one.group_before, other.group_before) &&
                         same_text(one.group_after, other.group_after);
            if (alike && count == 0) first = compare_str(other.pod, one.pod) == 0;
            count += alike;
        }
        if (!first || rows++ >= ROWS_SHOWN) continue;
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
    if (all > 0) w->differs = true;
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

static void write_difference(cli_writer *w, const design *a, const design *b)
{
    size_t start = w->out->len, body;
    heading(w, "What differs in ", b->name);
    body = w->out->len;
    put_options(w, &a->options, &b->options);
    put_fields(w, a, b, text_row);
    if (w->rows > ROWS_SHOWN) {
        begin_item(w);
        cli_put_format(w, "and %zu more (-o json has all)", w->rows - ROWS_SHOWN);
        end_item(w);
    }
    if (w->out->len == body && !w->out->failed) w->out->len = start;
    start = w->out->len;
    heading(w, "Requests in ", b->name);
    body = w->out->len;
    design_write_requests(w, b);
    if (w->out->len == body && !w->out->failed) w->out->len = start;
    start = w->out->len;
    heading(w, "Pods that differ in ", b->name);
    body = w->out->len;
    write_moves(w, a, b);
    if (w->out->len == body && !w->out->failed) w->out->len = start;
}

/* Writes the differences from the first design, one list for each of the others. */
static void write_differences(cli_writer *w, const design *list, size_t count)
{
    for (size_t i = 1; i < count; i++) write_difference(w, &list[0], &list[i]);
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

static void write_html(cli_writer *w, const design *list, size_t count)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
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
    write_differences(w, list, count);
    cli_put_text(w, "</div>\n<div class=\"side\">\n");
    for (size_t i = 0; i < count && !w->out->failed; i++)
        if (put_picture(w, &list[i], &error) != KARP_OK) w->out->failed = true; /* of an existing plan: no memory */
    cli_put_text(w, "</div>\n</body></html>\n");
}

/* ---- every format ------------------------------------------------------------------------------------------------ */

bool designs_write(const cli_options *options, design *list, size_t count, strbuf *out, bool *differs)
{
    cli_writer w = { .options = options,
                     .out = out,
                     .json = options->format == KARP_FORMAT_JSON,
                     .markdown = options->format == KARP_FORMAT_MARKDOWN,
                     .html = options->format == KARP_FORMAT_HTML };
    if (w.json) {
        write_json(&w, list, count);
    } else if (w.html) {
        write_html(&w, list, count);
    } else {
        if (w.markdown) cli_put_text(&w, "# Designs side by side\n\n");
        cli_put_made_by(&w, list[0].verb, &list[0].options, &list[0].input);
        write_changes(&w, list);
        designs_write_table(&w, list, count);
        put_drifts(&w, list, count);
        write_differences(&w, list, count);
        for (size_t i = 0; i < count && w.markdown; i++)
            cli_list_notes(&w, &list[i].input, list[i].name, &list[0].input);
        for (size_t i = 0; i < count; i++) cli_put_incomplete(&w, list[i].name, &list[i].input);
    }
    *differs = w.differs;
    return !out->failed;
}
