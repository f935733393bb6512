/* SPDX-License-Identifier: Apache-2.0 */
#include "write_topology.h"

#include <string.h>

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum { CAUSE_LINES = 8, DOMAIN_LINES = 6, COUNT_LINES = 3, DOMAIN_INDENT = 2, COLUMN_GAP = 3 };

/* "spread", "pod affinity" */
static const char *words_of(uint32_t kind)
{
    static const char *const words[] = { "topology", "spread", "pod affinity", "pod anti-affinity",
                                         "pod anti-affinity of other pods" };
    return words[kind <= KARP_TOPOLOGY_ANTI_AFFINITY_OF_OTHERS ? kind : 0];
}

static void write_value(write_buffer *b, karp_str value)
{
    if (value.len == 0) buffer_text(b, "\"\"");
    else text_clean(b, value);
}

static size_t value_columns(karp_str value) { return value.len == 0 ? 2 : text_columns(value); }

static size_t digits(uint64_t number)
{
    size_t count = 1;
    for (; number >= 10; number /= 10) count++;
    return count;
}

/* "us-west-2a has 2, us-west-2b has 1"; a name and its number stay on one line. */
static void write_counts(const text_out *t, const karp_topology *row)
{
    text_flow flow;
    buffer_repeat(t->out, " ", ROW_INDENT + 2);
    buffer_text(t->out, "pods there:");
    flow_begin(&flow, t, ROW_INDENT + 2, ROW_INDENT + 2 + strlen("pods there:"), COUNT_LINES);
    for (size_t i = 0; i < row->domain_count; i++) {
        const karp_topology_domain *d = &row->domains[i];
        bool last = i + 1 == row->domain_count;
        if (!flow_fits(&flow, value_columns(d->value) + 1 + strlen(" has ") + digits(d->count) + !last)) {
            buffer_text(t->out, " \xe2\x80\xa6");
            break;
        }
        buffer_text(t->out, flow.wrapped ? "" : " ");
        write_value(t->out, d->value);
        buffer_between_u(t->out, " has ", d->count, "");
        buffer_text(t->out, last ? "" : ",");
    }
    buffer_char(t->out, '\n');
}

void topology_rows(const text_out *t, const karp_unschedulable *pod)
{
    for (size_t i = 0; i < pod->topology_count; i++) {
        const karp_topology *row = &pod->topologies[i];
        text_flow flow;
        buffer_repeat(t->out, " ", ROW_INDENT);
        flow_begin(&flow, t, ROW_INDENT + 2, ROW_INDENT + 2, CAUSE_LINES);
        buffer_text(t->out, words_of(row->kind));
        text_between(t->out, " on ", row->key, "");
        buffer_char(t->out, ':');
        flow.column += text_columns(str(words_of(row->kind))) + 3 + text_columns(row->key);
        (void)flow_words(&flow, row->cause);
        buffer_char(t->out, '\n');
        if (row->domain_count > 0) write_counts(t, row);
    }
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* "NodePool leftover names it, 2 nodes" */
static void write_source(write_buffer *b, const karp_topology_domain *d)
{
    if (d->pool_count > 0) {
        text_between(b, "NodePool ", d->node_pool, "");
        if (d->pool_count > 1) {
            buffer_between_u(b, " + ", d->pool_count - 1, "");
        }
    }
    if (d->node_count > 0) {
        buffer_text(b, d->pool_count > 0 ? ", node " : "node ");
        text_clean(b, d->node);
        if (d->node_count > 1) {
            buffer_between_u(b, " + ", d->node_count - 1, "");
        }
    }
}

static void heading(const text_out *t, const karp_topology *row)
{
    write_buffer *b = t->out;
    text_flow flow;
    buffer_char(b, '\n');
    text_style_begin(t, STYLE_HEADING);
    buffer_text(b, words_of(row->kind));
    text_between(b, " on ", row->key, "");
    text_style_end(t, STYLE_HEADING);
    if (row->kind == KARP_TOPOLOGY_SPREAD) {
        buffer_text(b, ", maxSkew ");
        buffer_int(b, row->max_skew);
        if (row->min_domains > 0) {
            buffer_text(b, ", minDomains ");
            buffer_int(b, row->min_domains);
        }
    }
    if (row->selector.len > 0) {
        text_between(b, ", pods ", row->selector, "");
    }
    buffer_text(b, "\n  ");
    flow_begin(&flow, t, 2, 2, CAUSE_LINES);
    (void)flow_words(&flow, row->cause);
    buffer_char(b, '\n');
}

static void table_of_domains(const text_out *t, const karp_topology *row)
{
    size_t value = strlen("domain"), source = strlen("from");
    write_buffer *b = t->out, from;
    buffer_init(&from, b->text.context);
    for (size_t i = 0; i < row->domain_count; i++) {
        const karp_topology_domain *d = &row->domains[i];
        buffer_cut(&from, 0);
        write_source(&from, d);
        size_t columns = text_columns(buffer_content(&from));
        value = value_columns(d->value) > value ? value_columns(d->value) : value;
        source = columns > source ? columns : source;
    }
    text_style_begin(t, STYLE_DIM);
    buffer_repeat(b, " ", DOMAIN_INDENT);
    text_left(b, str("domain"), value);
    buffer_text(b, "  pods   ");
    text_left(b, str("from"), source);
    buffer_text(b, "   for this pod");
    text_style_end(t, STYLE_DIM);
    buffer_char(b, '\n');
    size_t at = DOMAIN_INDENT + value + strlen("  pods   ") + source + COLUMN_GAP;
    bool chosen = false; /* the domain that is allowed is the one that Karpenter chooses */
    for (size_t i = 0; i < row->domain_count; i++) chosen = chosen || row->domains[i].code == KARP_DOMAIN_NOT_CHOSEN;
    bool apart = at + 30 > t->width; /* too narrow: the reason is on lines of its own */
    for (size_t i = 0; i < row->domain_count; i++) {
        const karp_topology_domain *d = &row->domains[i];
        char number[KARP_VALUE_TEXT];
        text_flow flow;
        karp_double_format(d->count, number);
        buffer_cut(&from, 0);
        write_source(&from, d);
        buffer_repeat(b, " ", DOMAIN_INDENT);
        write_value(b, d->value);
        buffer_repeat(b, " ", value - value_columns(d->value));
        text_right(b, str(number), strlen("  pods"));
        buffer_text(b, "   ");
        text_left(b, buffer_content(&from), apart ? 0 : source);
        if (apart) buffer_text(b, "\n      ");
        else buffer_text(b, "   ");
        flow_begin(&flow, t, apart ? 6 : at, apart ? 6 : at, DOMAIN_LINES);
        (void)flow_words(&flow, d->code != KARP_DOMAIN_ALLOWED ? d->detail : str(chosen ? "chosen" : "allowed"));
        buffer_char(b, '\n');
    }
    buffer_free(&from);
    if (row->domain_total > row->domain_count) {
        buffer_text(b, "  and ");
        buffer_count(b, row->domain_total - row->domain_count, "more domain");
        buffer_char(b, '\n');
    }
}

void topology_tables(const text_out *t, const karp_unschedulable *pod)
{
    for (size_t i = 0; i < pod->topology_count; i++) {
        heading(t, &pod->topologies[i]);
        if (pod->topologies[i].domain_count > 0) table_of_domains(t, &pod->topologies[i]);
    }
    if (pod->topology_count > 0) buffer_char(t->out, '\n');
}
