/* SPDX-License-Identifier: Apache-2.0 */
/* Whether nodes can be removed with at most one cheaper replacement. */
#pragma once

#include <disrupt/simulate.h>

typedef struct attempt {
    bool possible;
    command command; /* if possible; the caller owns its simulation */
    uint32_t outcome; /* of the simulation */
    uint32_t code; /* why it is not possible */
    uint32_t found; /* see karp_kept */
    karp_str detail; /* borrowed from the snapshot or the pass */
} attempt;

/* Tries to consolidate candidates, in the order of the command; the array must outlive it. With `filter_types` a
 * replacement must not have the type of a removed node (for several nodes). Balanced pools must approve. Status: OK,
 * NOMEM. */
karp_status consolidate(pass *p, const uint32_t *candidates, uint32_t count, bool filter_types, attempt *out,
                        karp_error *error);

/* What a command with final replacements saves an hour. */
double command_savings(const pass *p, const command *c);
