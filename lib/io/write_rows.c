/* SPDX-License-Identifier: Apache-2.0 */
#include "write_rows.h"
#include <base/money.h>

#include "write_launch.h"

#include <math.h>
#include <string.h>

#include <karp/what_if.h>
#include <karp/peer.h>

enum { MOST_POD_LINES = 4, MOST_DETAIL_LINES = 6, BAR_CELLS = 12, LEAST_CELLS = 4 };

static double share(double part, double whole) { return whole > 0 ? part / whole : -1; }

node_row launch_row(const karp_launch *launch)
{
    bool chosen = launch->choice.instance_type.len > 0;
    node_row row = { "+",
                     STYLE_ADD,
                     launch->id,
                     launch->choice.instance_type,
                     launch->choice.zone,
                     launch->choice.capacity_type,
                     -1,
                     -1,
                     chosen ? launch->choice.price : -1 };
    if (!chosen) {
        row.instance_type = str("any type");
        return row;
    }
    row.cpu = share(resource_amount(launch->requests, launch->request_count, "cpu"),
                    resource_amount(launch->allocatable, launch->allocatable_count, "cpu"));
    row.memory = share(resource_amount(launch->requests, launch->request_count, "memory"),
                       resource_amount(launch->allocatable, launch->allocatable_count, "memory"));
    return row;
}

node_row existing_row(const karp_node_use *node, const char *mark, text_style style)
{
    return (node_row){ mark,
                       style,
                       node->node,
                       node->instance_type,
                       node->zone,
                       node->capacity_type,
                       share(node->cpu_requested, node->cpu_allocatable),
                       share(node->memory_requested, node->memory_allocatable),
                       node->price > 0 ? node->price : -1 };
}

static size_t most(size_t a, size_t b) { return a > b ? a : b; }

static size_t digits_before_point(double price)
{
    size_t digits = 1;
    while (price >= 10 && digits < 18) {
        price /= 10;
        digits++;
    }
    return digits;
}

void row_measure(row_widths *widths, const node_row *row)
{
    widths->name = most(widths->name, text_columns(row->name));
    widths->instance_type = most(widths->instance_type, text_columns(row->instance_type));
    widths->zone = most(widths->zone, text_columns(row->zone));
    widths->capacity_type = most(widths->capacity_type, text_columns(row->capacity_type));
    widths->use = widths->use || row->cpu >= 0 || row->memory >= 0;
    size_t digits = digits_before_point(row->price);
    widths->price = most(widths->price, 8 + digits + (digits - 1) / 3); /* "$", ".1234" and "/h" */
}

static void write_use(const text_out *t, const char *what, double fraction, size_t cells)
{
    buffer_text(t->out, what);
    if (cells > 0) {
        text_bar(t->out, fraction, cells);
        buffer_char(t->out, ' ');
    }
    if (fraction >= 0) text_percent(t->out, fraction, 4);
    else buffer_text(t->out, "   ?");
}

static void column(const text_out *t, karp_str text, size_t width)
{
    if (width > 0) {
        text_left(t->out, text, width);
        buffer_text(t->out, " ");
    }
}

void row_write(const text_out *t, const row_widths *w, const node_row *row)
{
    write_buffer *b = t->out;
    buffer_text(b, "  ");
    text_style_begin(t, row->style);
    text_left(b, str(row->mark), ROW_INDENT - 2);
    size_t columns = w->instance_type + w->zone + w->capacity_type + 3 + w->price;
    columns += w->use ? 1 + 2 * (size_t)sizeof("cpu  100%") + 2 + 2 : 2;
    size_t begins = ROW_INDENT + w->name + 2;
    bool apart = begins + columns > t->width; /* the name is so long that the other columns are below it */
    text_left(b, row->name, apart ? 0 : w->name);
    text_style_end(t, row->style);
    if (apart) {
        begins = ROW_INDENT;
        buffer_char(b, '\n');
        buffer_repeat(b, " ", ROW_INDENT);
    } else {
        buffer_text(b, "  ");
    }
    column(t, row->instance_type, w->instance_type);
    column(t, row->zone, w->zone);
    column(t, row->capacity_type, w->capacity_type);
    size_t cells = t->width > begins + columns ? (t->width - begins - columns) / 2 : 0;
    cells = cells > BAR_CELLS ? BAR_CELLS : cells < LEAST_CELLS ? 0 : cells;
    if (row->cpu >= 0 || row->memory >= 0) {
        buffer_char(b, ' ');
        write_use(t, "cpu ", row->cpu, cells);
        buffer_text(b, "  ");
        write_use(t, "mem ", row->memory, cells);
    }
    if (row->price >= 0) {
        text_between_money(b, "  $", row->price, "/h");
    }
    buffer_trim(b);
    buffer_char(b, '\n');
}

void section(const text_out *t, const char *title)
{
    buffer_char(t->out, '\n');
    text_styled(t, STYLE_HEADING, title);
    buffer_char(t->out, '\n');
}

void rows_pods(const text_out *t, const write_job *job, const karp_decision *decision, const char *verb,
               const uint32_t *pods, size_t count)
{
    write_buffer *b = t->out;
    size_t start = b->text.len;
    buffer_repeat(b, " ", ROW_INDENT);
    buffer_text(b, verb);
    buffer_plural(b, count, " pod  ", " pods  ");
    text_flow flow;
    flow_begin(&flow, t, ROW_INDENT + 2, b->text.len - start, MOST_POD_LINES);
    flow.indent = b->text.len - start; /* no space before the first name */
    text_pods(&flow, job, decision, pods, count);
    buffer_char(b, '\n');
}

/* Writes "-> 3 × m6a.large us-west-2b on-demand  $0.2592/h" and the pods, for a launch and its equal launches. */
static void replacement(const text_out *t, const write_job *job, const launch_folds *folds, size_t index)
{
    write_buffer *b = t->out;
    char name[FOLD_TEXT], type[FOLD_TEXT];
    karp_launch launch;
    get_launch(job, folds->decision, folds->first + index, &launch);
    node_row row = folded_row(folds, job, index, name, type);
    buffer_repeat(b, " ", ROW_INDENT);
    buffer_text(b, "-> ");
    text_clean(b, launch.choice.instance_type.len > 0 || folds->same[index] > 1 ? row.instance_type : launch.node_pool);
    if (launch.choice.instance_type.len > 0) {
        buffer_char(b, ' ');
        text_clean(b, row.zone);
        buffer_char(b, ' ');
        text_clean(b, row.capacity_type);
        text_between_money(b, "  $", row.price, "/h");
    }
    buffer_char(b, '\n');
    if (launch.pod_count > 0) folded_pods(t, folds, job, "   ", index);
}

/* Writes the lines of a command's replacements and of the nodes that receive its pods. */
static void command_details(const text_out *t, const write_job *job, const karp_decision *decision,
                            const karp_command *command)
{
    write_buffer *b = t->out;
    launch_folds folds;
    launch_folds_find(&folds, job, decision, command->launch_first, command->launch_count, t->width);
    for (size_t i = 0; i < folds.count; i++) {
        if (folds.same[i] > 0) replacement(t, job, &folds, i);
    }
    launch_folds_free(&folds, job);
    for (size_t i = 0; i < command->placement_count; i++) {
        karp_placement placement;
        get_placement(job, decision, command->placement_first + i, &placement);
        buffer_repeat(b, " ", ROW_INDENT);
        text_between(b, "-> ", placement.node, "");
        buffer_char(b, '\n');
        rows_pods(t, job, decision, "   ", placement.pods, placement.pod_count);
    }
}

/* Writes a row for each node that is removed, with its type and its cost. */
static void command_nodes(const text_out *t, const write_job *job, const karp_decision *decision,
                          const karp_command *command)
{
    row_widths widths = { 0 };
    text_style style = command->replaces ? STYLE_CHANGE : STYLE_REMOVE;
    for (int writing = 0; writing < 2; writing++) {
        for (size_t k = 0; k < command->node_count; k++) {
            karp_node_use node;
            (void)get_node_named(job, decision, command->nodes[k], &node);
            node_row row = existing_row(&node,
                                        command->decision == KARP_COMMAND_REBOOT ? "~"
                                        : command->replaces                      ? "-/+"
                                                                                 : "-",
                                        style);
            row.cpu = row.memory = -1; /* the decision shows the node without its pods */
            if (writing) row_write(t, &widths, &row);
            else row_measure(&widths, &row);
        }
    }
}

/* Counts the pods that have to leave, and finds the pool of the first node. "" when the node is not among the
 * decision's candidates. */
static void count_leaving(const write_job *job, const karp_decision *decision, const karp_command *command,
                          size_t *pods, karp_str *pool)
{
    *pods = 0;
    *pool = (karp_str){ 0 };
    for (size_t i = 0; i < karp_decision_candidate_count(decision); i++) {
        karp_candidate candidate;
        get_candidate(job, decision, i, &candidate);
        for (size_t k = 0; k < command->node_count; k++) {
            if (equal_str(candidate.node, command->nodes[k])) {
                *pods += candidate.pod_count;
                *pool = k == 0 ? candidate.node_pool : *pool;
            }
        }
    }
}

/* The pods of its nodes that have a place elsewhere: those that cannot be evicted have none until the drain ends. */
static size_t count_moving(const write_job *job, const karp_decision *decision, const karp_command *command)
{
    size_t pods = 0;
    for (size_t i = 0; i < command->launch_count; i++) {
        karp_launch launch;
        get_launch(job, decision, command->launch_first + i, &launch);
        pods += launch.pod_count;
    }
    for (size_t i = 0; i < command->placement_count; i++) {
        karp_placement placement;
        get_placement(job, decision, command->placement_first + i, &placement);
        pods += placement.pod_count;
    }
    return pods - command->waiting;
}

/* Writes a line such as "5 pods move  budget of default 2  to be validated after 15s", if any part applies. */
static void command_reach(const text_out *t, const write_job *job, const karp_decision *decision,
                          const karp_command *command)
{
    write_buffer *b = t->out;
    size_t pods = 0;
    size_t start = b->text.len;
    karp_str pool;
    count_leaving(job, decision, command, &pods, &pool);
    size_t moving = count_moving(job, decision, command), staying = pods > moving ? pods - moving : 0;
    buffer_repeat(b, " ", ROW_INDENT - 2);
    if (moving > 0) {
        buffer_between_u(b, "  ", moving, "");
        buffer_text(b, moving == 1 ? " pod moves" : " pods move");
    }
    if (staying > 0) {
        buffer_between_u(b, "  ", staying, "");
        buffer_text(b, staying == 1 ? " pod stays until the drain ends" : " pods stay until the drain ends");
    }
    for (size_t i = 0; i < karp_decision_budget_count(decision); i++) {
        karp_pool_budget budget;
        get_budget(job, decision, i, &budget);
        if (pool.len > 0 && equal_str(budget.node_pool, pool) && budget.remaining < 1000000) {
            text_between(b, "  budget of ", pool, "");
            buffer_char(b, ' ');
            buffer_int(b, budget.remaining);
        }
    }
    if (command->validate_after > 0) {
        char wait[KARP_VALUE_TEXT];
        karp_duration_format(command->validate_after, wait);
        buffer_text(b, "  to be validated after ");
        buffer_text(b, wait);
    }
    if (b->text.len - start > ROW_INDENT - 2) buffer_char(b, '\n');
    else buffer_cut(b, start);
}

void rows_command(const text_out *t, const write_job *job, const karp_decision *decision, size_t index)
{
    write_buffer *b = t->out;
    karp_command command;
    get_command(job, decision, index, &command);
    command_nodes(t, job, decision, &command);
    buffer_repeat(b, " ", ROW_INDENT);
    buffer_text(b, command_word(&command));
    buffer_text(b, ", ");
    buffer_text(b, karp_method_reason(command.method));
    buffer_text(b, " (");
    buffer_text(b, karp_method_name(command.method));
    bool same_price = command.launch_count > 0 && !money_seen(fabs(command.savings));
    buffer_text(b, command.expired != 0  ? ")  counts on nodes that have expired and go anyway"
                   : same_price          ? ")  at the same price"
                   : command.savings < 0 ? ")  costs $"
                                         : ")  saves $");
    if (command.expired == 0 && !same_price) {
        text_money(b, fabs(command.savings));
        buffer_text(b, command.savings < 0 ? "/h more" : "/h");
    }
    if (command.waiting > 0) {
        buffer_between_u(b, ", nodes for ", command.waiting, "");
        buffer_text(b, command.waiting == 1 ? " pod that was pending included" : " pods that were pending included");
    }
    if (command.score >= 0) {
        buffer_text(b, "  score ");
        text_fixed(b, command.score, 3, 4);
        buffer_text(b, " >= 0.5");
    }
    buffer_char(b, '\n');
    command_reach(t, job, decision, &command);
    command_details(t, job, decision, &command);
}

void rows_commands(const text_out *t, const write_job *job, const karp_decision *decision)
{
    size_t count = karp_decision_command_count(decision);
    for (size_t i = 0; i < count; i++) rows_command(t, job, decision, i);
}

static void end_reason(text_flow *flow, uint32_t code)
{
    const char *name = karp_reason_name(code);
    flow->lines_left++; /* it is always written */
    (void)flow_fits(flow, strlen(name) + 2);
    buffer_text(flow->t->out, flow->wrapped ? "" : "  ");
    text_styled(flow->t, STYLE_DIM, name);
    buffer_char(flow->t->out, '\n');
}

void rows_reason(const text_out *t, size_t column, size_t most_lines, karp_str detail, uint32_t code)
{
    text_flow flow;
    flow_begin(&flow, t, column, column, most_lines);
    flow_words(&flow, detail.len > 0 ? detail : str(karp_reason_text(code)));
    end_reason(&flow, code);
}

/* Whether the detail of a kept node is a name and not a sentence. */
static bool detail_names(uint32_t code)
{
    return code == KARP_REASON_POD_DO_NOT_DISRUPT || code == KARP_REASON_PDB_MULTIPLE ||
           code == KARP_REASON_PDB_BLOCKED || code == KARP_REASON_INVALID_PDB || code == KARP_REASON_BUDGET ||
           code == KARP_REASON_STATIC_LIMIT || code == KARP_REASON_GROUP_ELSEWHERE ||
           code == KARP_REASON_PODS_WOULD_NOT_SCHEDULE;
}

void rows_kept_reason(const text_out *t, size_t column, size_t most_lines, const karp_kept *kept)
{
    if (kept->detail.len == 0 || !detail_names(kept->code)) {
        rows_reason(t, column, most_lines, kept->detail, kept->code);
        return;
    }
    text_flow flow;
    flow_begin(&flow, t, column, column, most_lines);
    flow_words(&flow, str(karp_reason_text(kept->code)));
    buffer_char(t->out, ':');
    flow.column++;
    flow_words(&flow, kept->detail);
    end_reason(&flow, kept->code);
}

void rows_kept(const text_out *t, const write_job *job, const karp_decision *decision)
{
    enum { LEAST_REASON = 30, BELOW = ROW_INDENT + 2 }; /* width of a reason beside names; a longer one is below them */
    write_buffer *b = t->out;
    size_t count = karp_decision_kept_count(decision);
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        karp_kept kept;
        get_kept(job, decision, i, &kept);
        width = most(width, text_columns(kept.node));
    }
    bool apart = ROW_INDENT + width + 2 + LEAST_REASON > t->width;
    for (size_t i = 0; i < count; i++) {
        karp_kept kept;
        get_kept(job, decision, i, &kept);
        buffer_text(b, "      ");
        text_left(b, kept.node, apart ? 0 : width);
        buffer_text(b, apart ? "\n        " : "  ");
        rows_kept_reason(t, apart ? BELOW : ROW_INDENT + width + 2, MOST_DETAIL_LINES, &kept);
    }
}

void count_commands(const write_job *job, const karp_decision *decision, command_totals *totals)
{
    *totals = (command_totals){ 0 };
    size_t count = karp_decision_command_count(decision);
    for (size_t i = 0; i < count; i++) {
        karp_command command;
        get_command(job, decision, i, &command);
        *(command.replaces ? &totals->replaced : &totals->deleted) += command.node_count;
        totals->expired += command.expired != 0;
        totals->savings += command.savings;
    }
}

void cost_line(const text_out *t, const char *what, double before, double after)
{
    write_buffer *b = t->out;
    double delta = after - before;
    const char *sign = delta > 0 ? "+" : "";
    buffer_text(b, what);
    text_between_money(b, ": $", before, "/h -> $");
    text_money(b, after);
    buffer_text(b, "/h");
    if (fabs(delta) < 0.00005) return;
    buffer_text(b, "  (");
    buffer_text(b, delta < 0 ? "-$" : "+$");
    text_money(b, fabs(delta));
    buffer_text(b, "/h, ");
    text_per_month(b, delta, true);
    if (money_seen(before)) {
        buffer_text(b, ", ");
        buffer_text(b, sign);
        text_fixed(b, delta / before * 100, 1, 1);
        buffer_char(b, '%');
    }
    buffer_char(b, ')');
}

bool settled_cost_of(const write_job *job, settled_cost *out)
{
    const karp_settlement *settlement = job->options->settlement;
    if (settlement == NULL) return false;
    const karp_decision *last = karp_settlement_last(settlement);
    *out = (settled_cost){ .cost = karp_decision_cost_after(last),
                           .rounds = karp_settlement_round_count(settlement),
                           .left = karp_decision_pods_left(last),
                           .is_final = karp_settlement_settled(settlement) != 0 };
    return true;
}

bool settled_apart(const write_job *job, settled_cost *out)
{
    if (!settled_cost_of(job, out)) return false;
    return !out->is_final || fabs(out->cost - karp_decision_cost_after(job->decision)) >= 0.00005;
}

void settled_words(write_buffer *b, const settled_cost *settled)
{
    buffer_text(b, settled->is_final ? "settled after " : "not settled after ");
    buffer_plural(b, settled->rounds, " round, ", " rounds, ");
    buffer_plural(b, settled->left, " pod left", " pods left");
}

void settled_line(const text_out *t, const write_job *job)
{
    settled_cost settled;
    if (!settled_apart(job, &settled)) return;
    cost_line(t, "All rounds", karp_decision_cost_before(job->decision), settled.cost);
    buffer_text(t->out, "; ");
    settled_words(t->out, &settled);
    buffer_char(t->out, '\n');
}

void no_saving(write_buffer *b, const karp_decision *decision)
{
    size_t failed = karp_decision_unschedulable_count(decision);
    bool cheaper = karp_decision_cost_after(decision) < karp_decision_cost_before(decision);
    if (failed == 0 || !cheaper || karp_decision_change_count(decision) == 0) return;
    buffer_between_u(b, "; ", failed, "");
    buffer_text(b, failed == 1 ? " pod has no node, so this is not a saving"
                               : " pods have no node, so this is not a saving");
}

/* Makes room for another part of the header. It goes to the next line if it does not fit. */
static void header_begin_part(const text_out *t, size_t *column, size_t columns)
{
    bool fits = *column + 5 + columns <= t->width;
    buffer_text(t->out, fits ? "  \xc2\xb7  " : "\n  ");
    *column = (fits ? *column + 5 : 2) + columns;
}

static void header_part(const text_out *t, size_t *column, const char *label, karp_str value)
{
    header_begin_part(t, column, strlen(label) + text_columns(value));
    buffer_text(t->out, label);
    text_clean(t->out, value);
}

/* "4890…2f" */
static karp_str short_digest(karp_str digest, char into[16])
{
    memcpy(into, digest.ptr, 4);
    memcpy(into + 4, "\xe2\x80\xa6", 3);
    memcpy(into + 7, digest.ptr + digest.len - 2, 2);
    return (karp_str){ into, 9 };
}

void header_line(const text_out *t, const write_job *job, const char *verb)
{
    write_buffer *b = t->out;
    const karp_write_options *options = job->options;
    char now[KARP_VALUE_TEXT];
    char digest[16];
    size_t column = strlen(verb);
    text_styled(t, STYLE_HEADING, verb);
    if (options->title.len > 0) {
        text_between(b, "  ", options->title, "");
        column += 2 + text_columns(options->title);
    }
    header_part(
        t, &column, "profile ",
        str(karp_profile_name(karp_decision_profile(job->decision), karp_decision_peer_version(job->decision))));
    if (options->catalogue.len > 0) header_part(t, &column, "catalogue ", options->catalogue);
    karp_time_format(karp_decision_now(job->decision), now);
    header_part(t, &column, "now ", str(now));
    if (options->digest.len >= 8) header_part(t, &column, "input sha256:", short_digest(options->digest, digest));
    if (karp_decision_complete(job->decision) == 0) {
        static const char stopped[] = "incomplete: the search was stopped";
        header_begin_part(t, &column, sizeof(stopped) - 1);
        text_styled(t, STYLE_ALERT, stopped);
    }
    buffer_char(b, '\n');
}
