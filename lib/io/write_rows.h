/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines about nodes in text output: one row per node, with aligned columns and two bars; and the commands and kept
 * nodes of a disruption.
 */
#pragma once

#include "write_decision.h"
#include "write_text.h"

typedef struct node_row {
    const char *mark; /* "+", "-", "~" */
    text_style style;
    karp_str name;
    karp_str instance_type;
    karp_str zone;
    karp_str capacity_type;
    double cpu; /* requested / allocatable; negative = unknown */
    double memory;
    double price; /* per hour; negative = unknown */
} node_row;

typedef struct row_widths {
    size_t name, instance_type, zone, capacity_type, price;
    bool use; /* a row has bars */
} row_widths;

enum { ROW_INDENT = 6 };

node_row launch_row(const karp_launch *launch);
node_row existing_row(const karp_node_use *node, const char *mark, text_style style);

void row_measure(row_widths *widths, const node_row *row);
void row_write(const text_out *t, const row_widths *widths, const node_row *row);

void section(const text_out *t, const char *title);

/* "3 pods  web/web-{0..2}" on the lines after a row. */
void rows_pods(const text_out *t, const write_job *job, const karp_decision *decision, const char *verb,
               const uint32_t *pods, size_t count);

/* The reason, wrapped from `column` on, followed by the reason code and the end of the line. Without a detail the
 * code's standard text is used. */
void rows_reason(const text_out *t, size_t column, size_t most_lines, karp_str detail, uint32_t code);
/* The same for a kept node. A detail that is only a name ("default/db-0") is put after the code's standard text. */
void rows_kept_reason(const text_out *t, size_t column, size_t most_lines, const karp_kept *kept);

/* Why each pool, and at the full explain level each node, rejects an unschedulable pod. */
void rows_refusal(const text_out *t, const karp_unschedulable *pod, size_t most_lines);

void rows_command(const text_out *t, const write_job *job, const karp_decision *decision, size_t index);
void rows_commands(const text_out *t, const write_job *job, const karp_decision *decision);
void rows_kept(const text_out *t, const write_job *job, const karp_decision *decision);

typedef struct command_totals {
    size_t deleted; /* nodes that are deleted without a replacement */
    size_t replaced; /* nodes that are replaced */
    size_t expired; /* commands that count on nodes which have expired */
    double savings;
} command_totals;
void count_commands(const write_job *job, const karp_decision *decision, command_totals *totals);

/* "Cost: $0.864/h -> $0.760/h (…)", without the end of the line. */
void cost_line(const text_out *t, const char *what, double before, double after);
/* The line below it: how nodes that have drifted are replaced; nothing if none has. `paragraph`: set apart, as in
 * Markdown. */
void drift_line(write_buffer *b, const write_job *job, bool paragraph);

/* What the cluster comes to after all rounds. */
typedef struct settled_cost {
    double cost; /* per hour */
    size_t rounds, left; /* left: unschedulable pods at the end */
    bool is_final; /* false = rounds would have gone on */
} settled_cost;

/* false = the options have no settlement. */
bool settled_cost_of(const write_job *job, settled_cost *out);
/* The same, and also false if the decision itself comes to that cost. */
bool settled_apart(const write_job *job, settled_cost *out);
/* "settled after 3 rounds, 0 pods left" */
void settled_words(write_buffer *b, const settled_cost *settled);
/* A line with the cost after all rounds, if it is another one. */
void settled_line(const text_out *t, const write_job *job);

/* "; 2 pods have no node, so this is not a saving": appended to a cost that is lower because of the changes of karp
 * whatif. */
void no_saving(write_buffer *b, const karp_decision *decision);
void header_line(const text_out *t, const write_job *job, const char *verb);

/* Writes the names in their order, e.g. "web/web-{0..4} web/api-1", wrapped to at most `most_lines` lines. */
void text_pods(text_flow *flow, const write_job *job, const karp_decision *decision, const uint32_t *pods,
               size_t count);

/* ---- write_folds.c: equal launches in one row: "new-{1..24} 24 × m6a.large us-west-2b on-demand" ----------------- */

/* Launches of a decision from `first` on. Both arrays are indexed relative to `first`. `same` = the number of equal
 * launches, at the first of them; 0 = an earlier launch represents it. `next` = the next equal launch. */
typedef struct launch_folds {
    const karp_decision *decision;
    size_t first, count;
    uint32_t *same, *next;
} launch_folds;

/* Launches are equal if their rows, their requests, the alternatives shown, and the numbers of pods of each workload
 * are equal. Groups of up to three are not merged. Nothing is merged when the width is unlimited (-o wide). After a
 * failure, which is recorded, there are no launches. */
void launch_folds_find(launch_folds *folds, const write_job *job, const karp_decision *decision, size_t first,
                       size_t count, size_t width);
void launch_folds_free(launch_folds *folds, const write_job *job);

enum { FOLD_TEXT = 160 };

/* The row of a launch and all equal ones; the price is the sum. Its texts are stored in `name` and `type`. */
node_row folded_row(const launch_folds *folds, const write_job *job, size_t first, char name[FOLD_TEXT],
                    char type[FOLD_TEXT]);
/* The smallest number of possible instance types among these launches. */
size_t folded_type_count(const launch_folds *folds, const write_job *job, size_t first);
/* The pods of these launches, grouped by workload, in the format of rows_pods(). */
void folded_pods(const text_out *t, const launch_folds *folds, const write_job *job, const char *verb, size_t first);

/* ---- write_totals.c: the launches of a plan by NodePool, capacity type, zone and instance type ------------------- */

/* Writes a section of text. Writes nothing for a plan with few launches. */
void totals_as_text(const text_out *t, const write_job *job);
