/* SPDX-License-Identifier: Apache-2.0 */
/* The edit that the inputs b7 measure. */
#ifndef CLI_BENCH_EDIT_H
#define CLI_BENCH_EDIT_H

#include "bench_question.h"

/* Whether what is asked is asked of a snapshot that was edited. */
bool bench_edits(enum bench_ask ask);
/* Replaces one object of the input, by another each turn: *snapshot is given up for the one that follows from it. */
karp_status bench_edit(karp_snapshot **snapshot, enum bench_ask ask, unsigned turn, karp_error *error);

#endif
