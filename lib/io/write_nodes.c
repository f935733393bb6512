/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Nodes documents: the nodes of a cluster by NodePool, with what each costs (docs/formats.md, "Nodes"). */
#include "write_decision.h"
#include "write_json.h"
#include "write_licences.h"
#include "write_text.h"

#include <base/sort.h>
#include <karp/library.h>

/* The nodes of a NodePool, or of all. */
typedef struct node_sum {
    karp_str node_pool; /* "" = nodes that belong to none */
    size_t first; /* of its nodes in the listing */
    uint64_t nodes, pods, unpriced;
    double price, idle, cpu_requested, cpu_allocatable, memory_requested, memory_allocatable;
} node_sum;

typedef struct listing {
    const write_job *job;
    const karp_node_list *list;
    karp_listed_node *nodes; /* by NodePool, then by idle cost, the most first */
    node_sum *pools; /* the most expensive first */
    size_t count, pool_count;
    node_sum all;
} listing;

static void add_node(node_sum *sum, const karp_listed_node *n)
{
    sum->nodes++;
    sum->pods += n->pod_count;
    sum->unpriced += n->price <= 0;
    sum->price += n->price;
    sum->idle += n->idle;
    sum->cpu_requested += n->cpu_requested;
    sum->cpu_allocatable += n->cpu_allocatable;
    sum->memory_requested += n->memory_requested;
    sum->memory_allocatable += n->memory_allocatable;
}

static int compare_falling(double a, double b) { return a > b ? -1 : a < b; }

static int by_pool_name(const void *a, const void *b, const void *user)
{
    (void)user;
    return compare_str(((const karp_listed_node *)a)->node_pool, ((const karp_listed_node *)b)->node_pool);
}

static int by_idle(const void *a, const void *b, const void *user)
{
    (void)user;
    return compare_falling(((const karp_listed_node *)a)->idle, ((const karp_listed_node *)b)->idle);
}

/* Nodes that belong to no NodePool come last. */
static int by_price(const void *a, const void *b, const void *user)
{
    const node_sum *x = a, *y = b;
    (void)user;
    if ((x->node_pool.len == 0) != (y->node_pool.len == 0)) return x->node_pool.len == 0 ? 1 : -1;
    return compare_falling(x->price, y->price);
}

/* The nodes by the names of their NodePools, each NodePool summed up. */
static void sum_pools(listing *l)
{
    for (size_t i = 0; i < l->count; i++) {
        bool first = i == 0 || !equal_str(l->nodes[i].node_pool, l->nodes[i - 1].node_pool);
        if (first) l->pools[l->pool_count++] = (node_sum){ .node_pool = l->nodes[i].node_pool, .first = i };
        add_node(&l->pools[l->pool_count - 1], &l->nodes[i]);
        add_node(&l->all, &l->nodes[i]);
    }
}

static bool listing_init(listing *l, const write_job *job, const karp_node_list *list)
{
    *l = (listing){ .job = job, .list = list, .count = karp_node_list_count(list) };
    l->nodes = write_array(job, l->count + 1, sizeof *l->nodes);
    l->pools = write_array(job, l->count + 1, sizeof *l->pools);
    if (l->nodes == NULL || l->pools == NULL) return false;
    for (size_t i = 0; i < l->count; i++) {
        l->nodes[i].size = sizeof l->nodes[i];
        write_refuse(job, karp_node_list_at(list, i, &l->nodes[i]), "a node cannot be read");
    }
    bool sorted = sort_stable(job->context, l->nodes, l->count, sizeof *l->nodes, by_idle, NULL) &&
                  sort_stable(job->context, l->nodes, l->count, sizeof *l->nodes, by_pool_name, NULL);
    sum_pools(l);
    sorted = sorted && sort_stable(job->context, l->pools, l->pool_count, sizeof *l->pools, by_price, NULL);
    if (!sorted) write_refuse(job, KARP_E_NOMEM, "out of memory");
    return sorted;
}

static void listing_free(listing *l)
{
    karp_free(l->job->context, l->nodes, (l->count + 1) * sizeof *l->nodes);
    karp_free(l->job->context, l->pools, (l->count + 1) * sizeof *l->pools);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_usage(json_out *j, const char *key, double requested, double allocatable)
{
    json_member_flat_object(j, key);
    json_member_double(j, "requested", requested);
    json_member_double(j, "allocatable", allocatable);
    json_end(j);
}

static void json_sum(json_out *j, const node_sum *sum)
{
    json_member_uint(j, "nodes", sum->nodes);
    json_member_uint(j, "pods", sum->pods);
    json_member_uint(j, "nodesWithoutPrice", sum->unpriced);
    json_member_money(j, "price", sum->price);
    json_member_money(j, "idle", sum->idle);
    json_usage(j, "cpu", sum->cpu_requested, sum->cpu_allocatable);
    json_usage(j, "memory", sum->memory_requested, sum->memory_allocatable);
}

static void json_node(json_out *j, const karp_listed_node *n, bool losses)
{
    json_open_object(j);
    json_member_str(j, "name", n->node);
    if (n->node_pool.len > 0) json_member_str(j, "nodePool", n->node_pool);
    json_member_str(j, "instanceType", n->instance_type);
    json_member_str(j, "zone", n->zone);
    json_member_str(j, "capacityType", n->capacity_type);
    json_member_text(j, "state", karp_node_state_name(n->state));
    json_member_time(j, "created", n->created);
    json_member_uint(j, "pods", n->pod_count);
    json_member_uint(j, "daemonPods", n->daemon_count);
    if (n->pods_allocatable != KARP_NO_AMOUNT) json_member_int(j, "podsAllocatable", n->pods_allocatable);
    if (n->price > 0) json_member_money(j, "price", n->price);
    json_member_money(j, "idle", n->idle);
    json_usage(j, "cpu", n->cpu_requested, n->cpu_allocatable);
    json_usage(j, "memory", n->memory_requested, n->memory_allocatable);
    if (losses) {
        json_member_object(j, "ifLost");
        json_member_money(j, "launches", n->replacement);
        json_member_uint(j, "podsLeftPending", n->left_pending);
        json_end(j);
    }
    json_end(j);
}

static void as_json(const listing *l)
{
    const karp_write_options *options = l->job->options;
    bool losses = karp_node_list_losses(l->list) != 0;
    json_out json, *j = &json;
    json_open_document(j, l->job->out, options->compact != 0, "Nodes");
    json_member_engine(j);
    json_member_catalogue(j, options->catalogue);
    json_member_time(j, "now", karp_node_list_now(l->list));
    json_member_object(j, "total");
    json_sum(j, &l->all);
    licences_as_json(j, options);
    json_end(j);
    json_member_array(j, "nodePools");
    for (size_t i = 0; i < l->pool_count; i++) {
        json_open_object(j);
        json_member_str(j, "nodePool", l->pools[i].node_pool);
        json_sum(j, &l->pools[i]);
        json_end(j);
    }
    json_end(j);
    json_member_array(j, "nodes");
    for (size_t p = 0; p < l->pool_count; p++) {
        for (size_t i = 0; i < l->pools[p].nodes; i++) json_node(j, &l->nodes[l->pools[p].first + i], losses);
    }
    json_end(j);
    json_member_array(j, "warnings");
    for (size_t i = 0; i < options->warning_count; i++) json_str(j, options->warnings[i]);
    json_end(j);
    json_close(j);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum { NAME, TYPE, ZONE, CAPACITY_TYPE, AGE, CPU, MEMORY, PODS, PRICE, IDLE, LOSS, COLUMNS };
enum { BAR_CELLS = 5, MOST_TEXT = 44 };

static const char *const headings[COLUMNS] = { "node", "type", "zone", "capacity", "age",    "cpu",
                                               "mem",  "pods", "$/h",  "idle",     "if lost" };

typedef struct text_table {
    const listing *l;
    const text_out *t;
    size_t widths[COLUMNS];
    bool bars;
    karp_str domain; /* ".us-west-2.compute.internal": left out of names; "" = names are whole */
} text_table;

/* "3d4h", "12m": the two largest units of an age. */
static void write_age(write_buffer *b, int64_t created, int64_t now)
{
    static const struct {
        int64_t seconds;
        char letter;
    } units[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
    enum { COUNT = sizeof units / sizeof *units };
    if (created == KARP_NO_TIME || created > now) return;
    int64_t seconds = now / 1000000000 - created / 1000000000;
    size_t u = 0;
    while (u + 1 < COUNT && seconds < units[u].seconds) u++;
    buffer_int(b, seconds / units[u].seconds);
    buffer_char(b, units[u].letter);
    int64_t rest = u + 1 < COUNT ? seconds % units[u].seconds / units[u + 1].seconds : 0;
    if (rest == 0 || u == 2) return;
    buffer_int(b, rest);
    buffer_char(b, units[u + 1].letter);
}

static void write_usage(write_buffer *b, double requested, double allocatable, bool bars)
{
    if (allocatable <= 0) return;
    if (bars) {
        text_bar(b, requested / allocatable, BAR_CELLS);
        buffer_char(b, ' ');
    }
    text_percent(b, requested / allocatable, 3);
}

static void write_loss(write_buffer *b, const karp_listed_node *n)
{
    if (n->replacement < 0 || n->replacement > 0) {
        buffer_char(b, n->replacement < 0 ? '-' : '+');
        text_money(b, n->replacement < 0 ? -n->replacement : n->replacement);
    }
    if (n->left_pending == 0) return;
    if (b->text.len > 0) buffer_text(b, ", ");
    buffer_uint(b, n->left_pending);
    buffer_text(b, " pending");
}

static void write_money_cell(write_buffer *b, double value)
{
    if (value > 0) text_money(b, value);
}

static void write_cell(write_buffer *b, const text_table *table, const karp_listed_node *n, unsigned column)
{
    switch (column) {
    case NAME: text_clean(b, (karp_str){ n->node.ptr, n->node.len - table->domain.len }); return;
    case TYPE: text_clean(b, n->instance_type); return;
    case ZONE: text_clean(b, n->zone); return;
    case CAPACITY_TYPE:
        text_clean(b, n->capacity_type);
        if (n->state != KARP_NODE_READY) buffer_text(b, n->capacity_type.len > 0 ? " " : "");
        if (n->state != KARP_NODE_READY) buffer_text(b, karp_node_state_name(n->state));
        return;
    case AGE: write_age(b, n->created, karp_node_list_now(table->l->list)); return;
    case CPU: write_usage(b, n->cpu_requested, n->cpu_allocatable, table->bars); return;
    case MEMORY: write_usage(b, n->memory_requested, n->memory_allocatable, table->bars); return;
    case PODS:
        buffer_uint(b, n->pod_count);
        if (n->pods_allocatable == KARP_NO_AMOUNT) return;
        buffer_char(b, '/');
        buffer_int(b, n->pods_allocatable);
        return;
    case PRICE: write_money_cell(b, n->price); return;
    case IDLE: write_money_cell(b, n->idle); return;
    default: write_loss(b, n);
    }
}

static unsigned column_count(const text_table *table)
{
    return karp_node_list_losses(table->l->list) ? COLUMNS : COLUMNS - 1;
}

static size_t total_width(const text_table *table)
{
    size_t sum = 0;
    for (unsigned c = 0; c < column_count(table); c++) sum += table->widths[c] + 2;
    return sum;
}

static void measure(text_table *table)
{
    write_buffer cell = buffer_on(table->l->job->context);
    for (unsigned c = 0; c < column_count(table); c++) {
        table->widths[c] = strlen(headings[c]);
        for (size_t i = 0; i < table->l->count; i++) {
            buffer_cut(&cell, 0);
            write_cell(&cell, table, &table->l->nodes[i], c);
            size_t columns = text_columns(buffer_content(&cell));
            if (columns > table->widths[c]) table->widths[c] = columns < MOST_TEXT ? columns : MOST_TEXT;
        }
    }
    buffer_free(&cell);
}

/* The part of the names from the first dot on, if all nodes have the same one. */
static karp_str common_domain(const listing *l)
{
    karp_str common = str("");
    for (size_t i = 0; i < l->count; i++) {
        karp_str name = l->nodes[i].node;
        size_t head = str_before(name, '.').len;
        karp_str own = head == 0 ? str("") : (karp_str){ name.ptr + head, name.len - head };
        if (i > 0 && !equal_str(own, common)) return str("");
        common = own;
    }
    return common;
}

static bool is_number(unsigned column) { return column == AGE || (column >= PODS && column != LOSS); }

static void write_padded(const text_table *table, karp_str text, unsigned column)
{
    buffer_text(table->t->out, "  ");
    if (is_number(column)) text_right(table->t->out, text, table->widths[column]);
    else text_left(table->t->out, text, table->widths[column]);
}

static void write_headings(const text_table *table)
{
    text_style_begin(table->t, STYLE_DIM);
    for (unsigned c = 0; c < column_count(table); c++) write_padded(table, str(headings[c]), c);
    buffer_trim(table->t->out);
    text_style_end(table->t, STYLE_DIM);
    buffer_char(table->t->out, '\n');
}

static void write_node(const text_table *table, const karp_listed_node *n)
{
    write_buffer cell = buffer_on(table->l->job->context);
    for (unsigned c = 0; c < column_count(table); c++) {
        buffer_cut(&cell, 0);
        write_cell(&cell, table, n, c);
        write_padded(table, buffer_content(&cell), c);
    }
    if (cell.text.failed) write_refuse(table->l->job, KARP_E_NOMEM, "out of memory");
    buffer_free(&cell);
    buffer_trim(table->t->out);
    buffer_char(table->t->out, '\n');
}

static void write_share(write_buffer *b, const char *name, double requested, double allocatable)
{
    if (allocatable <= 0) return;
    buffer_text(b, "  ");
    buffer_text(b, name);
    buffer_char(b, ' ');
    write_usage(b, requested, allocatable, true);
}

/* "3 nodes  12 pods  cpu ███░░  61%  mem ██░░░  40%  $0.288/h  $210.24/month (730 h), idle $97.02" */
static void write_sum(const text_out *t, const node_sum *sum, const char *remark)
{
    write_buffer *b = t->out;
    buffer_count(b, sum->nodes, "node");
    buffer_text(b, "  ");
    buffer_count(b, sum->pods, "pod");
    write_share(b, "cpu", sum->cpu_requested, sum->cpu_allocatable);
    write_share(b, "mem", sum->memory_requested, sum->memory_allocatable);
    if (sum->price > 0) {
        text_between_money(b, "  $", sum->price, "/h, ");
        text_per_month(b, sum->price, false);
        buffer_text(b, ", idle ");
        text_dollars(b, sum->idle * HOURS_A_MONTH, false);
    }
    if (sum->unpriced > 0) {
        buffer_text(b, "; the price of ");
        buffer_count(b, sum->unpriced, "node");
        buffer_text(b, " is unknown");
    }
    buffer_text(b, remark);
    buffer_char(b, '\n');
}

static void write_pool(const text_table *table, const node_sum *pool)
{
    write_buffer *b = table->t->out;
    if (table->l->pool_count != 1) buffer_char(b, '\n');
    text_style_begin(table->t, STYLE_HEADING);
    if (pool->node_pool.len > 0) text_clean(b, pool->node_pool);
    else buffer_text(b, "of no NodePool");
    text_style_end(table->t, STYLE_HEADING);
    buffer_text(b, "  ");
    write_sum(table->t, pool, pool->node_pool.len == 0 ? "; decisions do not count these nodes in the cost" : "");
    write_headings(table);
    for (size_t i = 0; i < pool->nodes; i++) write_node(table, &table->l->nodes[pool->first + i]);
}

static void as_text(const listing *l)
{
    const karp_write_options *options = l->job->options;
    const text_out t = { l->job->out, options->width, options->color != 0 };
    text_table table = { .l = l, .t = &t, .bars = true };
    measure(&table);
    for (int less = 0; less < 2 && options->width > 0 && total_width(&table) > options->width; less++) {
        if (less == 0) table.domain = common_domain(l);
        else table.bars = false;
        measure(&table);
    }
    if (l->pool_count != 1) write_sum(&t, &l->all, "");
    for (size_t i = 0; i < l->pool_count; i++) write_pool(&table, &l->pools[i]);
    licences_line(t.out, options, true);
}

/* ---- Markdown and CSV -------------------------------------------------------------------------------------------- */

static void as_markdown(const listing *l)
{
    write_buffer *b = l->job->out, cell;
    const text_out t = { b, 0, false };
    const text_table table = { .l = l, .t = &t };
    unsigned columns = column_count(&table);
    buffer_init(&cell, l->job->context);
    buffer_text(b, "| NodePool |");
    for (unsigned c = 0; c < columns; c++) {
        buffer_char(b, ' ');
        buffer_text(b, headings[c]);
        buffer_text(b, " |");
    }
    buffer_text(b, "\n|---|");
    for (unsigned c = 0; c < columns; c++) buffer_text(b, is_number(c) || c == CPU || c == MEMORY ? "---:|" : "---|");
    for (size_t i = 0; i < l->count; i++) {
        buffer_text(b, "\n| ");
        text_markdown(b, l->nodes[i].node_pool);
        for (unsigned c = 0; c < columns; c++) {
            buffer_cut(&cell, 0);
            write_cell(&cell, &table, &l->nodes[i], c);
            buffer_text(b, " | ");
            text_markdown(b, buffer_content(&cell));
        }
        buffer_text(b, " |");
    }
    buffer_text(b, "\n\n");
    write_sum(&t, &l->all, "");
    licences_line(b, l->job->options, true);
    if (cell.text.failed) write_refuse(l->job, KARP_E_NOMEM, "out of memory");
    buffer_free(&cell);
}

static void csv_numbers(write_buffer *b, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffer_char(b, ',');
        buffer_double(b, values[i]);
    }
}

static void as_csv(const listing *l)
{
    write_buffer *b = l->job->out;
    buffer_text(b, "node,node_pool,instance_type,zone,capacity_type,state,pods,price,idle,cpu_requested,"
                   "cpu_allocatable,memory_requested,memory_allocatable,replacement,left_pending\n");
    for (size_t i = 0; i < l->count; i++) {
        const karp_listed_node *n = &l->nodes[i];
        const karp_str texts[] = { n->node, n->node_pool,     n->instance_type,
                                   n->zone, n->capacity_type, str(karp_node_state_name(n->state)) };
        const double money[] = { n->price, n->idle };
        const double numbers[] = { n->cpu_requested, n->cpu_allocatable, n->memory_requested, n->memory_allocatable,
                                   n->replacement };
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            if (k > 0) buffer_char(b, ',');
            csv_field(b, texts[k]);
        }
        buffer_char(b, ',');
        buffer_uint(b, n->pod_count);
        if (n->price > 0) csv_numbers(b, money, 2);
        else buffer_text(b, ",,"); /* unknown */
        csv_numbers(b, numbers, sizeof numbers / sizeof *numbers);
        buffer_char(b, ',');
        buffer_uint(b, n->left_pending);
        buffer_char(b, '\n');
    }
}

karp_status karp_write_nodes(karp_context *context, const karp_node_list *list, const karp_write_options *options,
                             karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, list, "a list of nodes",
                                     WRITE_JSON_PEOPLE | 1u << KARP_FORMAT_CSV);
    if (status != KARP_OK) return status;
    uint32_t format = call.options.format;
    listing l;
    if (listing_init(&l, &call.job, list)) {
        (format == KARP_FORMAT_JSON   ? as_json
         : format == KARP_FORMAT_TEXT ? as_text
         : format == KARP_FORMAT_CSV  ? as_csv
                                      : as_markdown)(&l);
    }
    listing_free(&l);
    return write_end(&call);
}
