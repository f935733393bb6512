/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the check of a proof, in exact arithmetic. It shares no code with the search for proofs. */
#pragma once

#include <optimise/bound.h>

/* That no content of a row, with the fewest and the most copies of each class, is worth more than `cost`. */
typedef struct content_claim {
    uint32_t row, share_count; /* share_count: at most CASE_PRICES */
    const int64_t *y, *low, *high; /* by class; `low` copies fit */
    const int64_t *shares; /* [share_count * dims] */
    int64_t cost;
    uint64_t *budget; /* how many contents may be looked at; counts down */
} content_claim;

/* Looks at all contents. */
enum proof_verdict contents_hold(karp_context *context, const bound_problem *p, const content_claim *claim);
