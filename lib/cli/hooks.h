/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of Helm's hooks that come before the release. */
#pragma once

#include "writer.h"

#include <karp/what_if.h>

enum { HOOK_ROUNDS = 2 };

typedef struct hook_rounds {
    cli_input inputs[HOOK_ROUNDS];
    karp_decision *plans[HOOK_ROUNDS];
    karp_hook_round rows[HOOK_ROUNDS];
    char phases[HOOK_ROUNDS][40];
    size_t count;
} hook_rounds;

/* Reads the input again for each round that it has, and plans it with the changes. Errors: those of reading and
 * deciding. */
karp_status hook_rounds_plan(const cli_options *options, const cli_input *input, const karp_change *changes,
                             size_t change_count, hook_rounds *rounds, karp_error *error);
/* The same for an answer, whose writers receive the rounds. */
karp_status hook_rounds_answer(cli_answer *answer, const karp_change *changes, size_t change_count,
                               hook_rounds *rounds);
void hook_rounds_free(const cli_options *options, hook_rounds *rounds);
/* "Before the release, Helm's hooks", and a line for each round; nothing without rounds. */
void hook_rounds_write(cli_writer *w, const hook_rounds *rounds);
/* Prints each round as a note. */
void hook_rounds_note(const char *side, const hook_rounds *rounds);
/* Whether a pod of a round gets no node; prints that. */
bool hook_rounds_fail(const hook_rounds *rounds);
