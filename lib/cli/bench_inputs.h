/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs for benchmarks, made from fixed seeds: the same on every machine. */
#ifndef CLI_BENCH_INPUTS_H
#define CLI_BENCH_INPUTS_H

#include "bench_question.h"

/* Prints one line per family of inputs ("b1-1000 …"), with its contents. */
void bench_list(void);
/* Whether the name is a family's prefix with a number of pods. */
bool bench_known(const char *name);
/* Adds all objects of the input to the builder. *question receives what to decide. Errors: those of the builder;
 * INVALID for an unknown name. */
karp_status bench_fill(karp_context *context, const char *name, karp_builder *builder, bench_question *question,
                       karp_error *error);

#endif
