/* SPDX-License-Identifier: Apache-2.0 */
/* The edits of inputs b7. */
#ifndef CLI_BENCH_EDIT_H
#define CLI_BENCH_EDIT_H

#include "bench_question.h"

/* Whether the decision is made on an edited snapshot. */
bool bench_edits(enum bench_ask ask);
/* Replaces one object of the input, with different values in each turn. *snapshot is released and replaced by the
 * edited one. */
karp_status bench_edit(karp_snapshot **snapshot, enum bench_ask ask, unsigned turn, karp_error *error);

#endif
