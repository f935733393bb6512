/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a command is still valid, given the known part of it: from a decision, or from a command state. */
#pragma once

#include <karp/lifecycle.h>

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
