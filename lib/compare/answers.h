/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers of a side: its decisions as a sorted list of rows, each with a subject (a launch's pods, a pod, a node,
 * the nodes of a command) and what is said about it.
 */
#pragma once

#include <base/strbuf.h>

#include <karp/compare.h>

/* Its texts are in the side's text, NUL-terminated. */
typedef struct diff_answer {
    uint32_t kind; /* KARP_DIFFERENCE_* */
    size_t subject, text; /* offsets */
} diff_answer;

typedef struct diff_answers {
    karp_context *context;
    const karp_snapshot *snapshot;
    karp_options options;
    uint32_t method;
    strbuf text;
    diff_answer *rows; /* sorted by kind, subject, text */
    size_t count, room;
} diff_answers;

/* Makes the decisions and lists their rows. Errors: those of the decisions, NOMEM. */
karp_status diff_answers_decide(diff_answers *a, karp_error *error);
void diff_answers_free(diff_answers *a);
static inline const char *diff_answers_text(const diff_answers *a, size_t offset) { return a->text.ptr + offset; }
/* Compares by kind, subject and text. *same_subject receives whether kind and subject are equal. */
int diff_answers_compare(const diff_answers *a, const diff_answer *x, const diff_answers *b, const diff_answer *y,
                         bool *same_subject);
/* Whether the side has such a row. */
bool diff_answers_have(const diff_answers *a, uint32_t kind, const char *subject, const char *text);

/* The differences of two sides' answers. */

struct karp_diff {
    karp_context *context;
    arena data;
    karp_str names[2];
    diff_answers sides[2];
    karp_difference *rows; /* in the order of the diff_answers */
    size_t count, room;
    uint64_t rules; /* in which the sides differ */
};
