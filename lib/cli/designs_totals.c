/* SPDX-License-Identifier: Apache-2.0 */
#include "designs.h"
#include "writer.h"

#include <base/memory.h>
#include <base/sort.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <karp/columns.h>
#include <karp/inspect.h>
#include <karp/library.h>

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Adds a node to the group of that name. false = out of memory. */
static bool design_group_add(const cli_options *options, design_groups *g, karp_str name, double price)
{
    size_t at = 0;
    while (at < g->count && compare_str(g->items[at].name, name) < 0) at++;
    if (at == g->count || !equal_str(g->items[at].name, name)) {
        if (!grow(options->context, (void **)&g->items, &g->room, g->count + 1, sizeof *g->items)) return false;
        memmove(&g->items[at + 1], &g->items[at], (g->count - at) * sizeof *g->items);
        g->items[at] = (design_group){ .name = name };
        g->count++;
    }
    g->items[at].nodes++;
    g->items[at].price += price;
    return true;
}

static void count_node(design *d, karp_str pool, karp_str zone, karp_str capacity_type, karp_str type, double price)
{
    d->nodes++;
    d->price += price;
    if (str_is(capacity_type, "spot")) d->spot_price += price;
    bool ok = design_group_add(&d->options, &d->pools, pool, price) &&
              design_group_add(&d->options, &d->zones, zone, price) &&
              (capacity_type.len == 0 || design_group_add(&d->options, &d->capacity_types, capacity_type, price)) &&
              design_group_add(&d->options, &d->types, type, price);
    if (!ok) keep_failure(&d->status, KARP_E_NOMEM);
}

static double amount(const karp_resource *list, size_t count, const char *name)
{
    double value = 0;
    for (size_t i = 0; i < count; i++) {
        if (str_is(list[i].name, name)) (void)karp_quantity_double(list[i].text, &value);
    }
    return value;
}

static void count_nodes(design *d, const karp_decision *of)
{
    for (size_t i = 0; i < karp_decision_node_count(of); i++) {
        karp_node_use n = { .size = sizeof n };
        keep_failure(&d->status, karp_decision_node(of, i, &n));
        if (n.marked) continue;
        d->cpu_requested += n.cpu_requested;
        d->cpu_allocatable += n.cpu_allocatable;
        d->memory_requested += n.memory_requested;
        d->memory_allocatable += n.memory_allocatable;
        count_node(d, n.node_pool, n.zone, n.capacity_type, n.instance_type, n.price);
    }
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static size_t add_words(design *d, const char *before, const karp_str *words, size_t count)
{
    size_t start = d->texts.len;
    strbuf_adds(&d->texts, before);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) strbuf_addc(&d->texts, ' ');
        strbuf_addstr(&d->texts, words[i]);
    }
    strbuf_add(&d->texts, "", 1);
    return start;
}

static void add_place(design *d, karp_str pod, size_t text, size_t group)
{
    if (!grow(d->options.context, (void **)&d->places, &d->place_room, d->place_count + 1, sizeof *d->places))
        keep_failure(&d->status, KARP_E_NOMEM);
    else d->places[d->place_count++] = (design_place){ pod, text, group };
}

static void add_pods(design *d, const uint32_t *pods, size_t count, size_t text, size_t group)
{
    for (size_t i = 0; i < count; i++) add_place(d, karp_decision_pod_name(d->plan, pods[i]), text, group);
    d->placed += count;
}

static void count_launches(design *d)
{
    static const karp_str of_pool = { "of pool", 7 };
    for (size_t i = 0; i < karp_decision_launch_count(d->plan); i++) {
        karp_launch l = { .size = sizeof l };
        keep_failure(&d->status, karp_decision_launch(d->plan, i, &l));
        karp_str words[] = { l.choice.instance_type, l.choice.zone, l.choice.capacity_type, of_pool, l.node_pool };
        size_t text = add_words(d, "new ", words, 5), group = add_words(d, "new ", words + 2, 3);
        add_pods(d, l.pods, l.pod_count, text, group);
        d->launched++;
        d->cpu_requested += amount(l.requests, l.request_count, "cpu");
        d->memory_requested += amount(l.requests, l.request_count, "memory");
        d->cpu_allocatable += amount(l.allocatable, l.allocatable_count, "cpu");
        d->memory_allocatable += amount(l.allocatable, l.allocatable_count, "memory");
        count_node(d, l.node_pool, l.choice.zone, l.choice.capacity_type, l.choice.instance_type, l.choice.price);
    }
}

static void count_placements(design *d)
{
    for (size_t i = 0; i < karp_decision_placement_count(d->plan); i++) {
        karp_placement p = { .size = sizeof p };
        keep_failure(&d->status, karp_decision_placement(d->plan, i, &p));
        size_t text = add_words(d, "node ", &p.node, 1);
        add_pods(d, p.pods, p.pod_count, text, text);
    }
}

static void count_left(design *d, const karp_decision *of)
{
    size_t refused = karp_decision_unschedulable_count(of), all = refused + karp_decision_ignored_count(of);
    for (size_t i = 0; i < all; i++) {
        karp_unschedulable u = { .size = sizeof u };
        karp_ignored g = { .size = sizeof g };
        keep_failure(&d->status,
                     i < refused ? karp_decision_unschedulable(of, i, &u) : karp_decision_ignored(of, i - refused, &g));
        if (i >= refused && g.code == KARP_REASON_NOT_FOR_KARPENTER) continue;
        karp_str word = str(karp_reason_text(i < refused ? u.code : g.code));
        size_t text = add_words(d, "no node: ", &word, 1);
        add_place(d, karp_decision_pod_name(of, i < refused ? u.pod : g.pod), text, text);
        d->left++;
    }
}

typedef struct node_table {
    karp_table *rows;
    karp_column names, pods, pools, types, zones, capacity_types;
} node_table;

static karp_status read_nodes(const karp_snapshot *snapshot, node_table *t)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    const struct {
        const char *name;
        karp_column *column;
    } columns[] = { { "name", &t->names },          { "pods", &t->pods },  { "node_pool", &t->pools },
                    { "instance_type", &t->types }, { "zone", &t->zones }, { "capacity_type", &t->capacity_types } };
    karp_status status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_NODES, &t->rows, &error);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0] && status == KARP_OK; i++) {
        columns[i].column->size = sizeof *columns[i].column;
        status = karp_table_find(t->rows, str(columns[i].name), columns[i].column);
    }
    return status;
}

static karp_str node_name(const node_table *t, size_t row)
{
    return (karp_str){ (const char *)t->names.values + t->names.offsets[row],
                       (size_t)(t->names.offsets[row + 1] - t->names.offsets[row]) };
}

static karp_str word_of(const karp_column *column, size_t row)
{
    uint32_t entry = ((const uint32_t *)column->values)[row];
    const int32_t *at = column->dictionary_offsets;
    return (karp_str){ column->dictionary + at[entry], (size_t)(at[entry + 1] - at[entry]) };
}

static size_t add_new(design *d, const node_table *t, size_t row, size_t *group)
{
    const karp_str words[] = { word_of(&t->types, row), word_of(&t->zones, row), word_of(&t->capacity_types, row),
                               str("of pool"), word_of(&t->pools, row) };
    *group = add_words(d, "new ", words + 2, 3);
    return add_words(d, "new ", words, 5);
}

/* Adds the pods that run on nodes. Those of a node that `known` (NULL = everything is known) lacks are on a new one. */
static void add_running(design *d, const karp_snapshot *of, const karp_snapshot *known)
{
    node_table nodes = { 0 }, before = { 0 };
    karp_status status = read_nodes(of, &nodes);
    if (status == KARP_OK && known != NULL) status = read_nodes(known, &before);
    size_t rows = status == KARP_OK ? karp_table_row_count(nodes.rows) : 0, at = 0;
    size_t known_rows = status == KARP_OK && known != NULL ? karp_table_row_count(before.rows) : 0;
    for (size_t i = 0; i < rows; i++) {
        karp_str name = node_name(&nodes, i);
        while (at < known_rows && compare_str(node_name(&before, at), name) < 0) at++;
        bool is_new = known != NULL && (at == known_rows || !equal_str(node_name(&before, at), name));
        size_t group = 0, text = is_new ? add_new(d, &nodes, i, &group) : add_words(d, "node ", &name, 1);
        for (int32_t k = nodes.pods.offsets[i]; k < nodes.pods.offsets[i + 1]; k++) {
            uint32_t pod = ((const uint32_t *)nodes.pods.values)[k];
            add_place(d, karp_snapshot_pod_name(of, pod), text, is_new ? group : text);
        }
    }
    karp_table_free(nodes.rows);
    karp_table_free(before.rows);
    keep_failure(&d->status, status);
}

/* The cluster after all rounds has the nodes that were launched, and pods that are bound to them. */
static void count_settled(design *d)
{
    const karp_decision *last = karp_settlement_last(d->settlement);
    karp_settle_round round = { .size = sizeof round };
    for (size_t i = 0; karp_settlement_round(d->settlement, i, &round) == KARP_OK; i++) d->launched += round.launches;
    for (size_t i = 0; i < karp_decision_launch_count(d->plan); i++) {
        karp_launch l = { .size = sizeof l };
        keep_failure(&d->status, karp_decision_launch(d->plan, i, &l));
        d->placed += l.pod_count;
    }
    for (size_t i = 0; i < karp_decision_placement_count(d->plan); i++) {
        karp_placement p = { .size = sizeof p };
        keep_failure(&d->status, karp_decision_placement(d->plan, i, &p));
        d->placed += p.pod_count;
    }
    size_t left = karp_decision_pods_left(d->plan), at_last = karp_decision_pods_left(last);
    d->placed += left > at_last ? left - at_last : 0;
    count_nodes(d, last);
    count_left(d, last);
    add_running(d, karp_settlement_snapshot(d->settlement), d->input.snapshot);
}

/* For a running pod that is moved, the move is kept: it was added first. */
static void keep_first(design *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->place_count; i++) {
        if (kept == 0 || compare_str(d->places[kept - 1].pod, d->places[i].pod) != 0) d->places[kept++] = d->places[i];
    }
    d->place_count = kept;
}

karp_status design_add_up(design *d)
{
    strbuf_init(&d->texts, d->options.context);
    if (d->settlement != NULL) {
        count_settled(d);
    } else {
        count_nodes(d, d->plan);
        count_launches(d);
        count_placements(d);
        count_left(d, d->plan);
    }
    /* Pods that the plan does not move, so that pods which another design lacks are reported. */
    if (d->input.snapshot != NULL) add_running(d, d->input.snapshot, NULL);
    if (d->texts.failed ||
        !sort_stable(d->options.context, d->places, d->place_count, sizeof *d->places, by_text, NULL))
        keep_failure(&d->status, KARP_E_NOMEM);
    if (d->status == KARP_OK) keep_first(d);
    return d->status;
}

void design_free(design *d)
{
    const cli_options *options = &d->options;
    design_groups *groups[] = { &d->pools, &d->zones, &d->capacity_types, &d->types };
    for (size_t i = 0; i < 4; i++)
        karp_free(options->context, groups[i]->items, groups[i]->room * sizeof *groups[i]->items);
    karp_free(options->context, d->alone, d->alone_count * sizeof *d->alone);
    karp_free(options->context, d->saved, d->saved_count * sizeof *d->saved);
    karp_free(options->context, d->places, d->place_room * sizeof *d->places);
    strbuf_free(&d->texts);
    karp_settlement_free(d->settlement);
    karp_decision_unref(d->plan);
    input_free(options, &d->input);
}

bool design_cost(const design *d, karp_cost *out)
{
    *out = (karp_cost){ .size = sizeof *out };
    return d->plan != NULL && karp_decision_cost(d->plan, out) == KARP_OK;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

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
    if (change[0] != '\0' && fabs(price / before - 1) < 0.0005) { /* it would be shown as 0.0 % */
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

static const design_groups *groups_of(const design *d, size_t offset)
{
    return (const design_groups *)(const void *)((const char *)d + offset);
}

static const design_group *find_group(const design_groups *g, karp_str name)
{
    for (size_t i = 0; i < g->count; i++) {
        if (compare_str(g->items[i].name, name) == 0) return &g->items[i];
    }
    return NULL;
}

static void group_row(cli_writer *w, const char *what, karp_str name, const design *list, size_t count, size_t offset)
{
    char label[64];
    (void)snprintf(label, sizeof label, "%s%.*s", what, str_shown(name, 40), name.len > 0 ? name.ptr : "");
    begin_row(w, label, strlen(label));
    for (size_t i = 0; i < count; i++) {
        char text[80] = "-", money[MONEY_TEXT];
        const design_group *g = find_group(groups_of(&list[i], offset), name);
        if (g != NULL) {
            (void)money_dollars(g->price * HOURS_A_MONTH, false, money);
            (void)snprintf(text, sizeof text, "%zu, %s", g->nodes, money);
        }
        put_cell(w, text);
    }
    end_row(w);
}

/* One row for each group that a design has. */
static void group_rows(cli_writer *w, const char *what, const design *list, size_t count, size_t offset)
{
    for (size_t i = 0; i < count; i++) {
        const design_groups *g = groups_of(&list[i], offset);
        for (size_t k = 0; k < g->count; k++) {
            bool before = false;
            for (size_t n = 0; n < i; n++) before = before || find_group(groups_of(&list[n], offset), g->items[k].name);
            if (!before)
                group_row(w, g->items[k].name.len > 0 ? what : "nodes outside NodePools", g->items[k].name, list, count,
                          offset);
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

/* The systems whose licences the costs lack, if a design has any. */
static void licence_row(cli_writer *w, const design *list, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) any = any || licences_of(&list[i])[0] != '\0';
    if (!any) return;
    begin_row(w, "without licences of", 19);
    for (size_t i = 0; i < count; i++) put_cell(w, licences_of(&list[i])[0] != '\0' ? licences_of(&list[i]) : "-");
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
    for (size_t i = 0; i < count; i++) money_cell(w, list[i].price, list[0].price, i == 0);
    end_row(w);
    licence_row(w, list, count);
    cost_rows(w, list, count);
    count_row(w, "nodes", list, count, offsetof(design, nodes));
    if (!w->settled) {
        count_row(w, "nodes to launch", list, count, offsetof(design, launched));
        count_row(w, "pods placed", list, count, offsetof(design, placed));
    }
    count_row(w, "pods left pending", list, count, offsetof(design, left));
    part_row(w, "spot share of cost", list, count, offsetof(design, spot_price), offsetof(design, price));
    part_row(w, "CPU requested", list, count, offsetof(design, cpu_requested), offsetof(design, cpu_allocatable));
    part_row(w, "memory requested", list, count, offsetof(design, memory_requested),
             offsetof(design, memory_allocatable));
    group_rows(w, "NodePool ", list, count, offsetof(design, pools));
    group_rows(w, "zone ", list, count, offsetof(design, zones));
    group_rows(w, "", list, count, offsetof(design, capacity_types));
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
