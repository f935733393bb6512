/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two answers. A side is an input with its options. Its decisions become a sorted list of rows, each with a
 * subject (a launch's pods, a pod, a node, the nodes of a command) and the answer about it. Two lists are merged to
 * differences. For differences between Karpenter versions, the rules that cause them are determined.
 */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "cli.h"

enum { DIFF_LAUNCH, DIFF_PLACEMENT, DIFF_REFUSAL, DIFF_COMMAND, DIFF_NODE, DIFF_KINDS };

/* One row. Its texts are in the side's text, NUL-terminated. */
typedef struct diff_row {
    uint32_t kind; /* DIFF_* */
    size_t subject, answer; /* offsets */
} diff_row;

typedef struct diff_side {
    const char *name;
    const karp_snapshot *snapshot;
    karp_options options;
    uint32_t method; /* method of the disruption pass: KARP_METHOD_* */
    strbuf text;
    diff_row *rows; /* sorted by kind, subject, answer */
    size_t row_count, row_room;
} diff_side;

/* diff_side.c: makes the side's decisions and lists their rows. Errors: those of the decisions, NOMEM. */
karp_status diff_side_decide(const cli_options *options, diff_side *side, karp_error *error);
void diff_side_free(const cli_options *options, diff_side *side);
static inline const char *diff_text(const diff_side *side, size_t offset) { return side->text.ptr + offset; }
/* Compares by kind, subject and answer. *same_subject receives whether kind and subject are equal. */
int diff_compare(const diff_side *a, const diff_row *x, const diff_side *b, const diff_row *y, bool *same_subject);
/* Whether the side has such a row. */
bool diff_side_has(const diff_side *side, const diff_side *of, const diff_row *row);

/* A row that the other side does not have, and the other side's row about the same subject. */
typedef struct difference {
    const diff_row *before, *after; /* NULL = the side has no row about the subject */
    uint64_t rules; /* rules that cause it, with the bits of karp_options.flip_rules; 0 = none of them alone */
} difference;

typedef struct diff_list {
    const diff_side *a, *b;
    difference *items;
    size_t count, room;
    uint64_t rules; /* rules in which the two sides differ */
} diff_list;

/* diff_write.c: writes the list. false = out of memory. */
bool diff_write(const cli_options *options, const diff_list *list, strbuf *out);

#endif
