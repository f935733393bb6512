/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Top documents: the workloads of a cluster by cost (docs/formats.md, "Top"). */
#include "write_decision.h"
#include "write_json.h"
#include "write_licences.h"
#include "write_text.h"

#include "owner.h"

#include <karp/library.h>

/* The pods of a workload. */
typedef struct owner_sum {
    karp_str name_space, name;
    bool daemon;
    uint64_t pods, unpriced; /* pods on nodes whose price is unknown are not in the costs */
    double cpu, memory, cost, idle;
} owner_sum;

typedef struct owners {
    const write_job *job;
    int64_t now;
    owner_sum *items;
    size_t count, room;
    owner_sum all, empty; /* empty: nodes whose pods request nothing, and those without pods; its name says how many */
    char empty_name[48];
} owners;

/* The Deployment, another controller, or else the common part of the names of its pods. */
static karp_str owner_name(const karp_listed_pod *pod, karp_str full_name)
{
    if (pod->owner.len == 0) return str_after(text_workload(full_name), '/');
    karp_str deployment = pod->owner_kind == KARP_SELECTS_REPLICA_SET ? io_deployment_of_set(pod->owner) : str("");
    return deployment.len > 0 ? deployment : pod->owner;
}

static int by_name(const void *a, const void *b, const void *user)
{
    const owner_sum *x = a, *y = b;
    (void)user;
    int order = compare_str(x->name_space, y->name_space);
    if (order == 0) order = compare_str(x->name, y->name);
    return order != 0 ? order : (int)x->daemon - (int)y->daemon;
}

static int by_cost(const void *a, const void *b, const void *user)
{
    const owner_sum *x = a, *y = b;
    double cost = x->cost + x->idle, other = y->cost + y->idle;
    (void)user;
    return cost > other ? -1 : cost < other;
}

static void add(owner_sum *to, const owner_sum *from)
{
    to->pods += from->pods;
    to->unpriced += from->unpriced;
    to->cpu += from->cpu;
    to->memory += from->memory;
    to->cost += from->cost;
    to->idle += from->idle;
}

/* Nodes whose price no pod bears. `borne`: by node, whether one does. */
static void read_empty(owners *o, const karp_node_list *list, const char *borne)
{
    size_t count = 0;
    for (size_t i = 0; i < karp_node_list_count(list); i++) {
        karp_listed_node node = { .size = sizeof node };
        write_refuse(o->job, karp_node_list_at(list, i, &node), "a node cannot be read");
        if (borne[i] || !(node.price > 0)) continue;
        o->empty.idle += node.price;
        count++;
    }
    str_append(o->empty_name, sizeof o->empty_name, "%zu %s without requests", count, count == 1 ? "node" : "nodes");
    o->empty.name = str(count > 0 ? o->empty_name : "");
    add(&o->all, &o->empty);
}

static bool read_pods(owners *o, const karp_node_list *list)
{
    size_t nodes = karp_node_list_count(list) + 1;
    char *borne = write_array(o->job, nodes, 1);
    o->room = karp_node_list_pod_count(list);
    o->items = write_array(o->job, o->room, sizeof *o->items);
    if (borne == NULL) return false;
    memset(borne, 0, nodes);
    for (size_t i = 0; i < o->room && o->items != NULL; i++) {
        karp_listed_pod pod = { .size = sizeof pod };
        karp_str name = karp_node_list_pod_name(list, i);
        karp_listed_node node = { .size = sizeof node };
        write_refuse(o->job, karp_node_list_pod(list, i, &pod), "a pod cannot be read");
        write_refuse(o->job, karp_node_list_at(list, pod.node, &node), "a node cannot be read");
        o->items[i] = (owner_sum){ .name_space = str_before(name, '/'),
                                   .name = owner_name(&pod, name),
                                   .daemon = pod.daemon != 0,
                                   .pods = 1,
                                   .unpriced = !(node.price > 0),
                                   .cpu = pod.cpu,
                                   .memory = pod.memory,
                                   .cost = pod.cost,
                                   .idle = pod.idle };
        borne[pod.node] = borne[pod.node] || pod.cost > 0;
    }
    read_empty(o, list, borne);
    karp_free(o->job->context, borne, nodes);
    return o->items != NULL;
}

/* One row for each workload, the most expensive first. */
static bool owners_init(owners *o, const write_job *job, const karp_node_list *list)
{
    *o = (owners){ .job = job, .now = karp_node_list_now(list) };
    if (!read_pods(o, list)) return false;
    bool sorted = sort_stable(job->context, o->items, o->room, sizeof *o->items, by_name, NULL);
    for (size_t i = 0; i < o->room && sorted; i++) {
        add(&o->all, &o->items[i]);
        if (o->count > 0 && by_name(&o->items[o->count - 1], &o->items[i], NULL) == 0)
            add(&o->items[o->count - 1], &o->items[i]);
        else o->items[o->count++] = o->items[i];
    }
    sorted = sorted && sort_stable(job->context, o->items, o->count, sizeof *o->items, by_cost, NULL);
    if (!sorted) write_refuse(job, KARP_E_NOMEM, "out of memory");
    return sorted;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_sums(json_out *j, const owner_sum *sum)
{
    json_member_uint(j, "pods", sum->pods);
    if (sum->unpriced > 0) json_member_uint(j, "podsWithoutPrice", sum->unpriced);
    json_member_double(j, "cpu", sum->cpu);
    json_member_double(j, "memory", sum->memory);
    json_member_money(j, "cost", sum->cost);
    json_member_money(j, "idle", sum->idle);
}

static void as_json(const owners *o)
{
    const karp_write_options *options = o->job->options;
    json_out json, *j = &json;
    json_open_document(j, o->job->out, options->compact != 0, "Top");
    json_member_engine(j);
    json_member_catalogue(j, options->catalogue);
    json_member_time(j, "now", o->now);
    json_member_object(j, "total");
    json_sums(j, &o->all);
    licences_as_json(j, options);
    json_end(j);
    if (o->empty.idle > 0) json_member_money(j, "nodesWithoutRequests", o->empty.idle);
    json_member_array(j, "workloads");
    for (size_t i = 0; i < o->count; i++) {
        json_open_object(j);
        json_member_str(j, "namespace", o->items[i].name_space);
        json_member_str(j, "name", o->items[i].name);
        json_member_bool(j, "daemon", o->items[i].daemon);
        json_sums(j, &o->items[i]);
        json_end(j);
    }
    json_end(j);
    json_member_array(j, "warnings");
    for (size_t i = 0; i < options->warning_count; i++) json_str(j, options->warnings[i]);
    json_end(j);
    json_close(j);
}

/* ---- text, Markdown and CSV -------------------------------------------------------------------------------------- */

enum { NAME, PODS, CPU, MEMORY, COST, IDLE, TOTAL, COLUMNS };
enum { MOST_NAME = 60, NUMBER_WIDTH = 10 };

static const char *const headings[COLUMNS] = { "workload", "pods", "cpu", "memory", "requested", "idle", "a month" };

static void write_gibibytes(write_buffer *b, double bytes)
{
    text_fixed(b, bytes / 1073741824, 0, 1);
    buffer_text(b, "Gi");
}

/* "unknown" if the price of no node of the pods is known */
static void write_month(write_buffer *b, const owner_sum *sum, double an_hour)
{
    if (sum->unpriced > 0 && sum->unpriced == sum->pods) buffer_text(b, "unknown");
    else text_dollars(b, an_hour * HOURS_A_MONTH, false);
}

/* Says of how many pods the costs are not in the table. */
static void unpriced_line(write_buffer *b, const owners *o)
{
    if (o->all.unpriced == 0) return;
    buffer_text(b, "not counted: ");
    buffer_count(b, o->all.unpriced, "pod");
    buffer_text(b, o->all.unpriced == 1 ? " on a node whose price is unknown\n" : " on nodes whose price is unknown\n");
}

static void write_cell(write_buffer *b, const owner_sum *sum, unsigned column)
{
    switch (column) {
    case NAME:
        text_clean(b, sum->name_space);
        buffer_text(b, sum->name_space.len > 0 ? "/" : "");
        text_clean(b, sum->name);
        buffer_text(b, sum->daemon ? " (DaemonSet)" : "");
        return;
    case PODS: buffer_uint(b, sum->pods); return;
    case CPU: text_fixed(b, sum->cpu, 0, 2); return;
    case MEMORY: write_gibibytes(b, sum->memory); return;
    case COST: write_month(b, sum, sum->cost); return;
    case IDLE: write_month(b, sum, sum->idle); return;
    default: write_month(b, sum, sum->cost + sum->idle);
    }
}

static size_t name_width(const owners *o, write_buffer *cell)
{
    size_t most = strlen(headings[NAME]);
    if (o->empty.name.len > most) most = o->empty.name.len;
    for (size_t i = 0; i < o->count; i++) {
        buffer_cut(cell, 0);
        write_cell(cell, &o->items[i], NAME);
        size_t columns = text_columns(buffer_content(cell));
        if (columns > most) most = columns < MOST_NAME ? columns : MOST_NAME;
    }
    return most;
}

static void text_row(write_buffer *b, write_buffer *cell, const owner_sum *sum, size_t name)
{
    for (unsigned c = 0; c < COLUMNS; c++) {
        buffer_cut(cell, 0);
        write_cell(cell, sum, c);
        if (c == NAME) text_left(b, buffer_content(cell), name);
        else text_right(b, buffer_content(cell), NUMBER_WIDTH);
    }
    buffer_char(b, '\n');
}

static void as_text(const owners *o)
{
    const text_out t = { o->job->out, o->job->options->width, o->job->options->color != 0 };
    write_buffer cell = buffer_on(o->job->context);
    size_t name = name_width(o, &cell);
    text_style_begin(&t, STYLE_HEADING);
    text_left(t.out, str(headings[NAME]), name);
    for (unsigned c = PODS; c < COLUMNS; c++) text_right(t.out, str(headings[c]), NUMBER_WIDTH);
    text_style_end(&t, STYLE_HEADING);
    buffer_char(t.out, '\n');
    for (size_t i = 0; i < o->count; i++) text_row(t.out, &cell, &o->items[i], name);
    if (o->empty.name.len > 0) text_row(t.out, &cell, &o->empty, name);
    owner_sum total = o->all;
    total.name_space = str("");
    total.name = str("total");
    text_row(t.out, &cell, &total, name);
    unpriced_line(t.out, o);
    licences_line(t.out, o->job->options, true);
    if (cell.text.failed) write_refuse(o->job, KARP_E_NOMEM, "out of memory");
    buffer_free(&cell);
}

static void markdown_row(write_buffer *b, write_buffer *cell, const owner_sum *sum)
{
    for (unsigned c = 0; c < COLUMNS; c++) {
        buffer_cut(cell, 0);
        write_cell(cell, sum, c);
        buffer_text(b, c == 0 ? "| " : " | ");
        text_markdown(b, buffer_content(cell));
    }
    buffer_text(b, " |\n");
}

static void as_markdown(const owners *o)
{
    write_buffer *b = o->job->out, cell;
    buffer_init(&cell, o->job->context);
    for (unsigned c = 0; c < COLUMNS; c++) {
        buffer_text(b, c == 0 ? "| " : " | ");
        buffer_text(b, headings[c]);
    }
    buffer_text(b, " |\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < o->count; i++) markdown_row(b, &cell, &o->items[i]);
    if (o->empty.name.len > 0) markdown_row(b, &cell, &o->empty);
    buffer_text(b, o->all.unpriced > 0 ? "\n" : "");
    unpriced_line(b, o);
    licences_line(b, o->job->options, true);
    if (cell.text.failed) write_refuse(o->job, KARP_E_NOMEM, "out of memory");
    buffer_free(&cell);
}

static void as_csv(const owners *o)
{
    write_buffer *b = o->job->out;
    buffer_text(b, "namespace,workload,daemon,pods,cpu,memory,cost,idle,pods_without_price\n");
    for (size_t i = 0; i < o->count; i++) {
        const owner_sum *s = &o->items[i];
        const double numbers[] = { s->cpu, s->memory, s->cost, s->idle };
        csv_field(b, s->name_space);
        buffer_char(b, ',');
        csv_field(b, s->name);
        buffer_text(b, s->daemon ? ",1," : ",0,");
        buffer_uint(b, s->pods);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            buffer_char(b, ',');
            buffer_double(b, numbers[k]);
        }
        buffer_char(b, ',');
        buffer_uint(b, s->unpriced);
        buffer_char(b, '\n');
    }
}

karp_status karp_write_top(karp_context *context, const karp_node_list *list, const karp_write_options *options,
                           karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, list, "a list of nodes",
                                     WRITE_JSON_PEOPLE | 1u << KARP_FORMAT_CSV);
    if (status != KARP_OK) return status;
    uint32_t format = call.options.format;
    owners o;
    if (owners_init(&o, &call.job, list)) {
        (format == KARP_FORMAT_JSON   ? as_json
         : format == KARP_FORMAT_TEXT ? as_text
         : format == KARP_FORMAT_CSV  ? as_csv
                                      : as_markdown)(&o);
    }
    if (o.items != NULL) karp_free(context, o.items, (o.room == 0 ? 1 : o.room) * sizeof *o.items);
    return write_end(&call);
}
