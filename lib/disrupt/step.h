/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a command under construction: the next state and the advice. */
#pragma once

#include <base/error.h>
#include <disrupt/advice.h>
#include <karp/command.h>
#include <records/tables.h>

struct karp_step {
    karp_context *context;
    arena data;
    karp_command_state state; /* its arrays are in `data` */
    karp_command_node *nodes; /* the same, writable while the step is built; likewise below */
    karp_replacement *replacements;
    karp_advice *advice;
};

/* A step with a copy of `from` as its state, and empty advice at `now` (0 = the snapshot's time). NULL = out of
 * memory. */
karp_step *step_new(const karp_snapshot *snapshot, const karp_command_state *from, int64_t now);

/* Removes the nodes with `removed` = 0, and keeps the order. */
void step_keep_nodes(karp_step *s, const uint32_t *removed);

/* Whether a command is still valid, given the known part of it: from a decision, or from a command state. */

typedef struct validated {
    uint32_t method;
    const karp_str *nodes;
    size_t node_count;
    const karp_launch *launch; /* the only replacement, NULL = none */
    size_t launch_count;
} validated;

/* As karp_disrupt_validate(). `removed` NULL = not needed. */
karp_status validate_command(const karp_snapshot *later_snapshot, const karp_disrupt_options *options,
                             const validated *command, uint32_t *removed, karp_validation *out, karp_error *error);
