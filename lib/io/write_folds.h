/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges equal launches of a plan, or of a disruption command, into one row of text: "new-{1..24} 24 × m6a.large
 * us-west-2b on-demand".
 */
#ifndef IO_WRITE_FOLDS_H
#define IO_WRITE_FOLDS_H

#include "write_rows.h"

/* Launches of a decision from `first` on. Both arrays are indexed relative to `first`. `same` = the number of equal
 * launches, at the first of them; 0 = an earlier launch represents it. `next` = the next equal launch. */
typedef struct launch_folds {
    const karp_decision *decision;
    size_t first, count;
    uint32_t *same, *next;
} launch_folds;

/* Launches are equal if their rows, their requests, the alternatives shown, and the numbers of pods of each workload
 * are equal. Groups of up to three are not merged. Nothing is merged when the width is unlimited (-o wide). Call
 * launch_folds_free() in any case. */
karp_status launch_folds_find(launch_folds *folds, const write_job *job, const karp_decision *decision, size_t first,
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

#endif
