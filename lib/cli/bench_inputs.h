/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs for measuring, made from fixed seeds: the same on every machine. */
#ifndef CLI_BENCH_INPUTS_H
#define CLI_BENCH_INPUTS_H

#include "bench_question.h"

/* "b1-1000 …": one line for each family, with what is in it. */
void bench_list(void);
/* Whether the name is one of a family's, with a number of pods. */
bool bench_known(const char *name);
/* Adds everything of the input to the builder. *question receives what is to be asked. Errors: those of the builder; INVALID
 * for a name that is none. */
karp_status bench_fill(karp_context *context, const char *name, karp_builder *builder, bench_question *question,
                       karp_error *error);

#endif
