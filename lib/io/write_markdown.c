/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes decisions as Markdown, for pull requests and issues: equal launches in one row, then unschedulable pods,
 * notes and the cost.
 */
#include "write_licences.h"
#include "write_rows.h"
#include "write_notes.h"

#include <karp/library.h>
#include <karp/objective.h>

static void put_cell(write_buffer *b, karp_str text)
{
    buffer_text(b, " | ");
    text_markdown(b, text);
}

static void put_amount(write_buffer *b, double per_hour) { text_between_money(b, " | $", per_hour, ""); }

/* ---- launches ---------------------------------------------------------------------------------------------------- */

typedef struct launch_group {
    karp_str pool, type, zone, capacity_type;
    double price; /* of one launch */
    size_t count, pods;
} launch_group;

static launch_group *group_of(launch_group *groups, size_t *count, const karp_launch *l)
{
    for (size_t i = 0; i < *count; i++) {
        launch_group *g = &groups[i];
        if (equal_str(g->type, l->choice.instance_type) && equal_str(g->zone, l->choice.zone) &&
            equal_str(g->capacity_type, l->choice.capacity_type) && equal_str(g->pool, l->node_pool))
            return g;
    }
    launch_group *made = &groups[(*count)++];
    *made = (launch_group){
        l->node_pool, l->choice.instance_type, l->choice.zone, l->choice.capacity_type, l->choice.price, 0, 0
    };
    return made;
}

static void put_launches(write_buffer *b, const launch_group *groups, size_t count)
{
    if (count == 0) {
        buffer_text(b, "Nothing to launch.\n");
        return;
    }
    buffer_text(b,
                "| launch | NodePool | zone | capacity type | pods | $/h |\n| --- | --- | --- | --- | ---: | ---: |\n");
    for (size_t i = 0; i < count; i++) {
        const launch_group *g = &groups[i];
        buffer_between_u(b, "| ", g->count, " \xc3\x97 ");
        text_markdown(b, g->type);
        put_cell(b, g->pool);
        put_cell(b, g->zone);
        put_cell(b, g->capacity_type);
        buffer_between_u(b, " | ", g->pods, "");
        put_amount(b, g->price * (double)g->count);
        buffer_text(b, " |\n");
    }
}

static void write_launch_table(const write_job *job)
{
    size_t all = karp_decision_launch_count(job->decision), count = 0;
    launch_group *groups = write_array(job, all + 1, sizeof *groups);
    if (groups == NULL) return;
    for (size_t i = 0; i < all; i++) {
        karp_launch l;
        get_launch(job, job->decision, i, &l);
        launch_group *g = group_of(groups, &count, &l);
        g->count++;
        g->pods += l.pod_count;
    }
    put_launches(job->out, groups, count);
    karp_free(job->context, groups, (all + 1) * sizeof *groups);
}

/* ---- unschedulable pods, notes, cost ----------------------------------------------------------------------------- */

static void write_left(const write_job *job)
{
    write_buffer *b = job->out;
    size_t all = karp_decision_unschedulable_count(job->decision);
    if (all > 0) buffer_text(b, "\n| unschedulable pod | reason |\n| --- | --- |\n");
    for (size_t i = 0; i < all; i++) {
        karp_unschedulable row;
        get_unschedulable(job, i, &row);
        buffer_text(b, "| ");
        text_markdown(b, karp_decision_pod_name(job->decision, row.pod));
        put_cell(b, row.message);
        buffer_text(b, " |\n");
    }
}

/* `saved`: savings of the disruption's commands. */
static void write_cost(const write_job *job, double saved)
{
    const karp_decision *decision = job->decision;
    write_buffer *b = job->out;
    double before = karp_decision_cost_before(decision), after = karp_decision_cost_after(decision) - saved;
    text_between_money(b, "\n**$", before, "/h \xe2\x86\x92 $");
    text_money(b, after);
    buffer_text(b, "/h** (");
    text_per_month(b, after - before, true);
    buffer_char(b, ')');
    no_saving(b, decision);
    buffer_char(b, '\n');
    settled_cost settled;
    if (settled_apart(job, &settled)) {
        text_between_money(b, "\nAll rounds: **$", settled.cost, "/h** (");
        text_per_month(b, settled.cost - before, true);
        buffer_text(b, "), ");
        settled_words(b, &settled);
        buffer_char(b, '\n');
    }
    licences_line(b, job->options, true);
    unknown_prices_line(b, job->decision, true);
    drift_line(b, job, true);
    karp_cost cost = { .size = sizeof cost };
    if (karp_decision_cost(decision, &cost) == KARP_OK) {
        buffer_char(b, '\n');
        (void)text_saving(b, decision);
        buffer_char(b, '\n');
    }
    if (karp_decision_complete(decision) == 0) buffer_text(b, "\n**Incomplete: the search was stopped.**\n");
    hooks_as_markdown(job);
    notes_as_markdown(job);
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static void put_nodes(write_buffer *b, const karp_command *c)
{
    for (size_t i = 0; i < c->node_count; i++) {
        if (i > 0) buffer_text(b, ", ");
        text_markdown(b, c->nodes[i]);
    }
}

static void put_replacements(const write_job *job, const karp_decision *decision, const karp_command *c)
{
    for (size_t i = 0; i < c->launch_count; i++) {
        karp_launch l;
        get_launch(job, decision, c->launch_first + i, &l);
        if (i > 0) buffer_text(job->out, ", ");
        text_markdown(job->out, l.choice.instance_type);
        buffer_char(job->out, ' ');
        text_markdown(job->out, l.choice.capacity_type);
    }
}

static void write_commands(const write_job *job, const karp_decision *decision)
{
    write_buffer *b = job->out;
    size_t all = karp_decision_command_count(decision);
    if (all == 0) buffer_text(b, "No node is disrupted.\n");
    else buffer_text(b, "| command | reason | nodes | replaced by | saves $/h |\n| --- | --- | --- | --- | ---: |\n");
    for (size_t i = 0; i < all; i++) {
        karp_command c;
        get_command(job, decision, i, &c);
        buffer_text(b, "| ");
        buffer_text(b, command_word(&c));
        buffer_text(b, " | ");
        buffer_text(b, karp_method_reason(c.method));
        buffer_text(b, " | ");
        put_nodes(b, &c);
        buffer_text(b, " | ");
        put_replacements(job, decision, &c);
        put_amount(b, c.savings);
        buffer_text(b, " |\n");
    }
}

void plan_as_markdown(const write_job *job)
{
    command_totals commands = { 0 };
    if (job->disruption != NULL) count_commands(job, job->disruption, &commands);
    write_launch_table(job);
    if (job->disruption != NULL) {
        buffer_char(job->out, '\n');
        write_commands(job, job->disruption);
    }
    write_left(job);
    preferences_as_markdown(job);
    write_cost(job, commands.savings);
}

void disruption_as_markdown(const write_job *job)
{
    write_commands(job, job->decision);
    write_cost(job, 0);
}
