/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What two answers have in common, and what not. A side is an input under options; what it decides is a sorted list of rows,
 * each a subject (a launch's pods, a pod, a node, the nodes of a command) and what is said of it. Two lists are merged into
 * differences, and of those between versions of Karpenter the rules are found that make them.
 */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "cli.h"

enum { DIFF_LAUNCH, DIFF_PLACEMENT, DIFF_REFUSAL, DIFF_COMMAND, DIFF_NODE, DIFF_KINDS };

/* One row; its texts are in the side's, each with a NUL. */
typedef struct diff_row {
    uint32_t kind; /* DIFF_* */
    size_t subject, answer; /* offsets */
} diff_row;

typedef struct diff_side {
    const char *name;
    const karp_snapshot *snapshot;
    karp_options options;
    uint32_t method; /* of the disruption pass: KARP_METHOD_* */
    cli_text text;
    diff_row *rows; /* by kind, subject, answer */
    size_t row_count, row_room;
} diff_side;

/* diff_side.c: decides and lists. Errors: those of the decisions, NOMEM. */
karp_status diff_side_decide(const cli_options *options, diff_side *side, karp_error *error);
void diff_side_free(const cli_options *options, diff_side *side);
static inline const char *diff_text(const diff_side *side, size_t offset) { return side->text.ptr + offset; }
/* By kind, subject and answer; `same_subject` receives whether the first two agree. */
int diff_compare(const diff_side *a, const diff_row *x, const diff_side *b, const diff_row *y, bool *same_subject);
/* Whether the side has such a row. */
bool diff_side_has(const diff_side *side, const diff_side *of, const diff_row *row);

/* A row that the other side does not have, and what it has of the same subject instead. */
typedef struct difference {
    const diff_row *before, *after; /* NULL = nothing is said there */
    uint64_t rules; /* that make it, bit by bit as karp_options.flip_rules; 0 = none of them alone */
} difference;

typedef struct diff_list {
    const diff_side *a, *b;
    difference *items;
    size_t count, room;
    uint64_t rules; /* in which the two sides differ */
} diff_list;

/* diff_list.c: merges two sides. Errors: NOMEM. */
karp_status diff_find(const cli_options *options, const diff_side *a, const diff_side *b, diff_list *out);
void diff_list_free(const cli_options *options, diff_list *list);

/* diff_rules.c: finds the rules, by switching one at a time on either side. Errors: those of the decisions. */
karp_status diff_blame(const cli_options *options, diff_list *list, karp_error *error);

/* diff_write.c: false = no memory. */
bool diff_write(const cli_options *options, const diff_list *list, cli_text *out);

#endif
