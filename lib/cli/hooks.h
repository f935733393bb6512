/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of Helm's hooks that come before the release. */
#ifndef CLI_HOOKS_H
#define CLI_HOOKS_H

#include "writer.h"

enum { HOOK_ROUNDS = 2 };

typedef struct hook_rounds {
    cli_input inputs[HOOK_ROUNDS];
    karp_decision *plans[HOOK_ROUNDS];
    karp_hook_round rows[HOOK_ROUNDS];
    char phases[HOOK_ROUNDS][40];
    size_t count;
} hook_rounds;

/* Reads the input again for each round that it has, and plans it. Errors: those of reading and deciding. */
karp_status hook_rounds_plan(cli_answer *answer, hook_rounds *rounds);
void hook_rounds_free(const cli_options *options, hook_rounds *rounds);
/* "Before the release, Helm's hooks", and a line for each round; nothing without rounds. */
void hook_rounds_write(cli_writer *w, const hook_rounds *rounds);
/* Whether a pod of a round gets no node; prints that. */
bool hook_rounds_fail(const hook_rounds *rounds);

#endif
