/* SPDX-License-Identifier: Apache-2.0 */
/* karp tune: what its parts share. */
#pragma once

#include <karp/tune.h>
#include "cli.h"

typedef struct cli_tuning {
    cli_answer *answer;
    karp_tune *tune;
    bool replayed; /* otherwise settled */
    uint64_t seed;
    int64_t restart_loss; /* nanoseconds of a pod's work; 0 = restarts cost nothing */
    double loads[16];
    size_t load_count;
    strbuf images; /* the table of their architectures */
    double floor; /* $/h; 0 = unknown */
    size_t best;
    karp_status status; /* of the first design that failed; its error is answer->error */
} cli_tuning;

/* tune_write.c: writes the answer as text, or the NodePools as YAML. false = out of memory. */
bool tuning_write(const cli_tuning *t, strbuf *out);
