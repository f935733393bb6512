/* SPDX-License-Identifier: Apache-2.0 */
/* Equal launches of a plan, and of a disruption's command, are one row in text: "new-{1..24}  24 × m6a.large us-west-2b on-demand". */
#ifndef IO_WRITE_FOLDS_H
#define IO_WRITE_FOLDS_H

#include "write_rows.h"

/* Launches of a decision from `first` on. By their place among them: `same` = how many are alike, at the first of them; 0 = an earlier
 * one stands for it. `next` = the next that is alike. */
typedef struct launch_folds {
    const karp_decision *decision;
    size_t first, count;
    uint32_t *same, *next;
} launch_folds;

/* Launches are alike when their rows, their requests, the alternatives that are named, and the numbers of pods of each workload are
 * equal. Up to three stay apart; so does every one where the lines have no end (-o wide). To be freed in any case. */
karp_status launch_folds_find(launch_folds *folds, const write_job *job, const karp_decision *decision, size_t first,
                              size_t count, size_t width);
void launch_folds_free(launch_folds *folds, const write_job *job);

enum { FOLD_TEXT = 160 };

/* The row of a launch and all that are like it: their price is the sum. The texts live in the rooms. */
node_row folded_row(const launch_folds *folds, const write_job *job, size_t first, char name[FOLD_TEXT],
                    char type[FOLD_TEXT]);
/* How many types each of them could be of, at least. */
size_t folded_type_count(const launch_folds *folds, const write_job *job, size_t first);
/* Their pods, those of one workload together, as rows_pods() has them. */
void folded_pods(const text_out *t, const launch_folds *folds, const write_job *job, const char *verb, size_t first);

#endif
