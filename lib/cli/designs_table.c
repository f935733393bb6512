/* SPDX-License-Identifier: Apache-2.0 */
#include "designs.h"
#include "writer.h"

#include <base/licence_words.h>
#include <base/money.h>

#include <karp/inspect.h>
#include <math.h>
#include <stdio.h>

bool design_cost(const design *d, karp_cost *out)
{
    *out = (karp_cost){ .size = sizeof *out };
    return d->plan != NULL && karp_decision_cost(d->plan, out) == KARP_OK;
}

enum { LABEL = 28, COLUMN = 22 };

static void begin_row(cli_writer *w, const char *label, size_t length)
{
    cli_put_text(w, w->html ? "<tr><th>" : w->markdown ? "| " : "");
    w->cell = 0;
    size_t start = w->out->len;
    cli_put_shown(w, label, length);
    cli_put_text(w, w->html ? "</th>" : "");
    if (w->markdown || w->html) return;
    for (size_t i = w->out->len - start; i < LABEL; i++) cli_put_text(w, " ");
}

static void put_cell(cli_writer *w, const char *text)
{
    size_t cell = w->cell++;
    if (w->end_cell > 0 && (cell < w->first_cell || cell >= w->end_cell)) return;
    if (w->html) {
        cli_put_text(w, "<td>");
        cli_put_shown(w, text, strlen(text));
        cli_put_text(w, "</td>");
    } else if (w->markdown) {
        cli_put_text(w, " | ");
        cli_put_shown(w, text, strlen(text));
    } else {
        for (size_t used = cli_columns(text, strlen(text)); used < COLUMN; used++) cli_put_text(w, " ");
        cli_put_shown(w, text, strlen(text));
    }
}

static void end_row(cli_writer *w) { cli_put_text(w, w->html ? "</tr>\n" : w->markdown ? " |\n" : "\n"); }

static void money_cell(cli_writer *w, double price, double before, bool first)
{
    char text[160], change[80] = "", money[MONEY_TEXT];
    if (!first && before > 0 && fabs(price - before) > 1e-9)
        (void)snprintf(change, sizeof change, " (%+.1f%%)", (price / before - 1) * 100);
    if (change[0] != '\0' && (fabs(price / before - 1) < 0.0005 || !money_seen(before))) { /* it would say nothing */
        (void)money_dollars((price - before) * HOURS_A_MONTH, true, money);
        (void)snprintf(change, sizeof change, " (%s)", money);
    }
    (void)money_dollars(price * HOURS_A_MONTH, false, money);
    (void)snprintf(text, sizeof text, "%s%s", money, change);
    put_cell(w, text);
}

static void count_row(cli_writer *w, const char *label, const design *list, size_t count, size_t offset)
{
    begin_row(w, label, strlen(label));
    for (size_t i = 0; i < count; i++) {
        char text[64];
        size_t number, first;
        memcpy(&number, (const char *)&list[i] + offset, sizeof number);
        memcpy(&first, (const char *)&list[0] + offset, sizeof first);
        if (number == first) (void)snprintf(text, sizeof text, "%zu", number);
        else (void)snprintf(text, sizeof text, "%zu (%+lld)", number, (long long)number - (long long)first);
        put_cell(w, text);
    }
    end_row(w);
}

static void part_row(cli_writer *w, const char *label, const design *list, size_t count, size_t of, size_t all)
{
    begin_row(w, label, strlen(label));
    for (size_t i = 0; i < count; i++) {
        char text[32];
        double part, whole;
        memcpy(&part, (const char *)&list[i] + of, sizeof part);
        memcpy(&whole, (const char *)&list[i] + all, sizeof whole);
        (void)snprintf(text, sizeof text, whole > 0 ? "%.0f%%" : "-", whole > 0 ? part / whole * 100 : 0);
        put_cell(w, text);
    }
    end_row(w);
}

/* By which nodes are grouped. */
typedef enum grouping { NODE_POOLS, ZONES, CAPACITY_TYPES } grouping;

static const karp_design_group *groups_of(const design *d, grouping by, size_t *count)
{
    const karp_design_totals *t = &d->totals;
    *count = by == NODE_POOLS ? t->node_pool_count : by == ZONES ? t->zone_count : t->capacity_type_count;
    return by == NODE_POOLS ? t->node_pools : by == ZONES ? t->zones : t->capacity_types;
}

static const karp_design_group *find_group(const design *d, grouping by, karp_str name)
{
    size_t count;
    const karp_design_group *list = groups_of(d, by, &count);
    for (size_t i = 0; i < count; i++) {
        if (equal_str(list[i].name, name)) return &list[i];
    }
    return NULL;
}

static void group_row(cli_writer *w, const char *what, karp_str name, const design *list, size_t count, grouping by)
{
    char label[64];
    (void)snprintf(label, sizeof label, "%s%.*s", what, str_shown(name, 40), name.len > 0 ? name.ptr : "");
    begin_row(w, label, strlen(label));
    for (size_t i = 0; i < count; i++) {
        char text[80] = "-", money[MONEY_TEXT];
        const karp_design_group *g = find_group(&list[i], by, name);
        if (g != NULL) {
            (void)money_dollars(g->price * HOURS_A_MONTH, false, money);
            (void)snprintf(text, sizeof text, "%zu, %s", g->nodes, money);
        }
        put_cell(w, text);
    }
    end_row(w);
}

/* One row for each group that a design has. */
static void group_rows(cli_writer *w, const char *what, const design *list, size_t count, grouping by)
{
    for (size_t i = 0; i < count; i++) {
        size_t groups;
        const karp_design_group *g = groups_of(&list[i], by, &groups);
        for (size_t k = 0; k < groups; k++) {
            bool before = false;
            for (size_t n = 0; n < i; n++) before = before || find_group(&list[n], by, g[k].name) != NULL;
            const char *label = g[k].name.len > 0 ? what : "nodes outside NodePools";
            if (!before) group_row(w, label, g[k].name, list, count, by);
        }
    }
}

/* A row of one figure; it is empty for designs that are decided with Karpenter's profile. */
static void cost_row(cli_writer *w, const char *label, const design *list, size_t count, size_t offset, bool is_part)
{
    begin_row(w, label, strlen(label));
    for (size_t i = 0; i < count; i++) {
        karp_cost cost;
        char text[MONEY_TEXT] = "-";
        double value = 0;
        bool known = design_cost(&list[i], &cost);
        if (known) memcpy(&value, (const char *)&cost + offset, sizeof value);
        if (known && is_part && value >= 0) (void)snprintf(text, sizeof text, "%.1f%%", value * 100);
        if (known && !is_part) (void)money_dollars(value * HOURS_A_MONTH, false, text);
        put_cell(w, text);
    }
    end_row(w);
}

static void cost_rows(cli_writer *w, const design *list, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        karp_cost cost;
        any = any || design_cost(&list[i], &cost);
    }
    if (!any) return;
    cost_row(w, "launches, least cost", list, count, offsetof(karp_cost, cost), false);
    cost_row(w, "launches, Karpenter's plan", list, count, offsetof(karp_cost, compatible_cost), false);
    cost_row(w, "lower bound for launches", list, count, offsetof(karp_cost, bound), false);
    cost_row(w, "can still be saved, at most", list, count, offsetof(karp_cost, gap), true);
}

static const char *licences_of(const design *d)
{
    return d->input.reader == NULL ? "" : karp_reader_missing_licences(d->input.reader).ptr;
}

static size_t design_unpriced(const design *d)
{
    return karp_decision_unpriced_count(d->settlement != NULL ? karp_settlement_last(d->settlement) : d->plan);
}

/* The systems whose licences the costs lack, if a design has any. */
static void licence_row(cli_writer *w, const design *list, size_t count)
{
    const char *words = NULL;
    char label[48];
    for (size_t i = 0; i < count && words == NULL; i++)
        if (licences_of(&list[i])[0] != '\0') words = licence_words(str(licences_of(&list[i])));
    if (words == NULL) return;
    (void)snprintf(label, sizeof label, "without %.*s", (int)strlen(words) - 1, words);
    begin_row(w, label, strlen(label));
    for (size_t i = 0; i < count; i++) put_cell(w, licences_of(&list[i])[0] != '\0' ? licences_of(&list[i]) : "-");
    end_row(w);
}

/* Nodes that count as $0, if a design has any. */
static void unpriced_row(cli_writer *w, const design *list, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) any = any || design_unpriced(&list[i]) > 0;
    if (!any) return;
    begin_row(w, "nodes without a price", 21);
    for (size_t i = 0; i < count; i++) {
        char text[24];
        (void)snprintf(text, sizeof text, "%zu", design_unpriced(&list[i]));
        put_cell(w, text);
    }
    end_row(w);
}

static bool name_is_long(const cli_writer *w, const design *list, size_t count)
{
    bool is_long = false;
    for (size_t i = 0; i < count; i++)
        is_long = is_long || cli_columns(list[i].name, strlen(list[i].name)) + 2 > COLUMN;
    return is_long && !w->markdown && !w->html;
}

/* Names that are too long for their columns have a line each, and end where their columns do. */
static void write_names(cli_writer *w, const design *list, size_t count)
{
    if (!name_is_long(w, list, count)) {
        begin_row(w, "", 0);
        for (size_t i = 0; i < count; i++) put_cell(w, list[i].name);
        end_row(w);
        return;
    }
    size_t first = w->end_cell > 0 ? w->first_cell : 0,
           end = w->end_cell > 0 && w->end_cell < count ? w->end_cell : count;
    for (size_t i = first; i < end; i++) {
        size_t room = LABEL + COLUMN * (i - first + 1), used = cli_columns(list[i].name, strlen(list[i].name));
        for (; used < room; used++) cli_put_text(w, " ");
        cli_put_shown(w, list[i].name, strlen(list[i].name));
        cli_put_text(w, "\n");
    }
}

static void write_table(cli_writer *w, const design *list, size_t count)
{
    write_names(w, list, count);
    if (w->markdown) {
        cli_put_text(w, "|---");
        for (size_t i = 0; i < count; i++) cli_put_text(w, "|--:");
        cli_put_text(w, "|\n");
    }
    begin_row(w, "$/month (730 h)", 15);
    for (size_t i = 0; i < count; i++) money_cell(w, list[i].totals.price, list[0].totals.price, i == 0);
    end_row(w);
    licence_row(w, list, count);
    unpriced_row(w, list, count);
    cost_rows(w, list, count);
    count_row(w, "nodes", list, count, offsetof(design, totals.nodes));
    if (!w->settled) {
        count_row(w, "nodes to launch", list, count, offsetof(design, totals.launches));
        count_row(w, "pods placed", list, count, offsetof(design, totals.pods_placed));
    }
    count_row(w, "pods left pending", list, count, offsetof(design, totals.pods_left));
    part_row(w, "spot share of cost", list, count, offsetof(design, totals.spot_price), offsetof(design, totals.price));
    part_row(w, "CPU requested", list, count, offsetof(design, totals.cpu_requested),
             offsetof(design, totals.cpu_allocatable));
    part_row(w, "memory requested", list, count, offsetof(design, totals.memory_requested),
             offsetof(design, totals.memory_allocatable));
    group_rows(w, "NodePool ", list, count, NODE_POOLS);
    group_rows(w, "zone ", list, count, ZONES);
    group_rows(w, "", list, count, CAPACITY_TYPES);
}

/* If there are too many designs for the width of text, the table is split into several below one another. */
void designs_write_table(cli_writer *w, const design *list, size_t count)
{
    size_t room = w->options->width > LABEL + COLUMN ? (w->options->width - LABEL) / COLUMN : 1;
    if (w->html || w->markdown || count <= room) {
        write_table(w, list, count);
        return;
    }
    for (size_t from = 0; from < count; from += room) {
        if (from > 0) cli_put_text(w, "\n");
        w->first_cell = from;
        w->end_cell = from + room;
        write_table(w, list, count);
    }
    w->end_cell = 0;
}
