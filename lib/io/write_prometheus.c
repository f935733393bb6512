/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the totals of a decision in Prometheus' text format, for the node exporter's textfile collector or a
 * Pushgateway.
 */
#include "write_rows.h"
#include "write_notes.h"

#include <base/sort.h>
#include <base/money.h>

#include <karp/library.h>

/* Equal launches, or existing nodes. */
typedef struct group {
    karp_str pool, type, zone, capacity_type;
    size_t count;
    double price;
} group;

static int compare(const void *a, const void *b, const void *user)
{
    const group *x = a, *y = b;
    const karp_str *s = &x->pool, *t = &y->pool;
    int order = 0;
    (void)user;
    for (size_t i = 0; i < 4 && order == 0; i++) order = compare_str(s[i], t[i]);
    return order;
}

static void label(write_buffer *b, const char *name, karp_str value, bool first)
{
    buffer_text(b, first ? "{" : ",");
    buffer_text(b, name);
    buffer_text(b, "=\"");
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == '\\' || c == '"') buffer_char(b, '\\');
        if (c == '\n') buffer_text(b, "\\n");
        else buffer_char(b, c);
    }
    buffer_char(b, '"');
}

static void family(write_buffer *b, const char *name, const char *help)
{
    buffer_text(b, "# HELP ");
    buffer_text(b, name);
    buffer_char(b, ' ');
    buffer_text(b, help);
    buffer_text(b, "\n# TYPE ");
    buffer_text(b, name);
    buffer_text(b, " gauge\n");
}

static void value_of(write_buffer *b, double value)
{
    buffer_char(b, ' ');
    buffer_double(b, money_without_noise(value));
    buffer_char(b, '\n');
}

/* name{label="word"} value */
static void sample(write_buffer *b, const char *name, const char *key, const char *word, double value)
{
    buffer_text(b, name);
    label(b, key, str(word), true);
    buffer_char(b, '}');
    value_of(b, value);
}

static void one(write_buffer *b, const char *name, const char *help, double value)
{
    family(b, name, help);
    buffer_text(b, name);
    value_of(b, value);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void write_groups(write_buffer *b, const char *name, const char *help, const group *groups, size_t count,
                         bool prices)
{
    family(b, name, help);
    for (size_t i = 0, next; i < count; i = next) {
        const group *g = &groups[i];
        double sum = 0;
        for (next = i; next < count && compare(g, &groups[next], NULL) == 0; next++)
            sum += prices ? groups[next].price : (double)groups[next].count;
        buffer_text(b, name);
        label(b, "node_pool", g->pool, true);
        label(b, "instance_type", g->type, false);
        label(b, "zone", g->zone, false);
        label(b, "capacity_type", g->capacity_type, false);
        buffer_char(b, '}');
        value_of(b, sum);
    }
}

static void write_launches(const write_job *job, const karp_decision *decision, group *groups)
{
    size_t count = karp_decision_launch_count(decision);
    for (size_t i = 0; i < count; i++) {
        karp_launch l;
        get_launch(job, decision, i, &l);
        groups[i] = (group){ l.node_pool, l.choice.instance_type, l.choice.zone, l.choice.capacity_type,
                             1,           l.choice.price };
    }
    if (!sort_stable(job->context, groups, count, sizeof *groups, compare, NULL))
        write_refuse(job, KARP_E_NOMEM, "out of memory");
    write_groups(job->out, "karp_launches", "Nodes to launch.", groups, count, false);
    write_groups(job->out, "karp_launch_dollars_per_hour", "What the nodes to launch cost.", groups, count, true);
}

static void write_nodes(const write_job *job, group *groups)
{
    size_t count = karp_decision_node_count(job->decision);
    for (size_t i = 0; i < count; i++) {
        karp_node_use n;
        get_node(job, job->decision, i, &n);
        groups[i] = (group){ n.node_pool, n.instance_type, n.zone, n.capacity_type, 1, n.price };
    }
    if (!sort_stable(job->context, groups, count, sizeof *groups, compare, NULL))
        write_refuse(job, KARP_E_NOMEM, "out of memory");
    write_groups(job->out, "karp_nodes", "Existing nodes.", groups, count, false);
    write_groups(job->out, "karp_node_dollars_per_hour", "What existing nodes cost; 0 = not known.", groups, count,
                 true);
}

static void write_machines(const write_job *job)
{
    size_t nodes = karp_decision_node_count(job->decision), launches = karp_decision_launch_count(job->decision);
    size_t most = (nodes > launches ? nodes : launches) + 1;
    group *groups = write_array(job, most, sizeof *groups);
    if (groups == NULL) return;
    write_nodes(job, groups);
    write_launches(job, job->decision, groups);
    karp_free(job->context, groups, most * sizeof *groups);
}

/* ---- totals ------------------------------------------------------------------------------------------------------ */

static void write_cost(const write_job *job, double saved)
{
    static const char name[] = "karp_cost_dollars_per_hour";
    settled_cost settled;
    family(job->out, name, "What all nodes cost, before and after the decision, and when the cluster has settled.");
    sample(job->out, name, "when", "before", karp_decision_cost_before(job->decision));
    sample(job->out, name, "when", "after", karp_decision_cost_after(job->decision) - saved);
    if (settled_cost_of(job, &settled)) sample(job->out, name, "when", "settled", settled.cost);
    one(job->out, "karp_notes", "Notes on the input and the decision.", (double)note_count(job));
    one(job->out, "karp_unplanned_objects", "Objects that create pods that are not planned.",
        (double)problem_count(job->options));
    one(job->out, "karp_complete", "1 = everything was considered.", karp_decision_complete(job->decision));
}

static void write_pods(const write_job *job)
{
    static const char name[] = "karp_pods";
    size_t launched = 0, placed = 0;
    for (size_t i = 0; i < karp_decision_launch_count(job->decision); i++) {
        karp_launch l;
        get_launch(job, job->decision, i, &l);
        launched += l.pod_count;
    }
    for (size_t i = 0; i < karp_decision_placement_count(job->decision); i++) {
        karp_placement p;
        get_placement(job, job->decision, i, &p);
        placed += p.pod_count;
    }
    family(job->out, name, "Pending pods, by what becomes of them.");
    sample(job->out, name, "outcome", "launch", (double)launched);
    sample(job->out, name, "outcome", "node", (double)placed);
    sample(job->out, name, "outcome", "unschedulable", (double)karp_decision_unschedulable_count(job->decision));
    sample(job->out, name, "outcome", "ignored", (double)karp_decision_ignored_count(job->decision));
}

static void write_commands(const write_job *job, const karp_decision *decision, const command_totals *totals)
{
    static const char name[] = "karp_disrupted_nodes";
    family(job->out, name, "Nodes that are removed, by whether others take their place.");
    sample(job->out, name, "action", "delete", (double)totals->deleted);
    sample(job->out, name, "action", "replace", (double)totals->replaced);
    one(job->out, "karp_disruption_savings_dollars_per_hour", "What the commands save.", totals->savings);
    one(job->out, "karp_nodes_kept", "Nodes that are not disrupted.", (double)karp_decision_kept_count(decision));
}

void plan_as_prometheus(const write_job *job)
{
    command_totals totals = { 0 };
    if (job->disruption != NULL) count_commands(job, job->disruption, &totals);
    write_cost(job, totals.savings);
    write_pods(job);
    write_machines(job);
    if (job->disruption != NULL) write_commands(job, job->disruption, &totals);
}

void disruption_as_prometheus(const write_job *job)
{
    command_totals totals = { 0 };
    count_commands(job, job->decision, &totals);
    write_cost(job, 0);
    write_machines(job);
    write_commands(job, job->decision, &totals);
}
