/* SPDX-License-Identifier: Apache-2.0 */
/* Pricing of offers by whole contents. */
#pragma once

#include <optimise/contents.h>

enum { FIRST_KEPT = 10000 }; /* the first stop at which prices are kept, in steps */

typedef struct whole {
    master m;
    contents contents;
    arena scratch; /* for the search */
    arena *a; /* for its result */
    double rise; /* factor by which caps are raised next */
    uint32_t *order; /* offers by worth of their fractional contents per dollar, descending */
    double *ratios; /* worth per dollar, by offer */
    uint32_t *classes; /* 0, 1, 2 … */
    double *known; /* by class: copies in a known content */
    bound_trail *trail; /* NULL = not wanted */
    bool thorough; /* this round looks for the best contents, and not only for good ones */
    bool wants_bound, continues; /* not only columns; known columns and prices are of a problem with more pods */
    uint32_t passed; /* stops of the trail whose solutions are listed */
    double *kept[MOST_KEPT]; /* the best prices at fixed stops, and when no others can be found */
    uint64_t kept_work[MOST_KEPT]; /* the work until then */
    uint32_t kept_count;
    uint64_t next_kept; /* the next stop, in steps; 0 = none are kept */
    uint64_t work, most_work;
    uint32_t found; /* number of columns found by the last pricing */
} whole;

/* Starts from the prices of the proof `from`. The scratch arena is to be freed in any case. false = out of memory. */
bool whole_init(whole *w, arena *a, const bound_problem *p, const bound_proof *from, uint64_t steps);
/* Solves offers at the prices that are tried, and keeps contents that are worth more than the offer at the master's
 * own. An offer is solved only if its fractional content could be worth more than those of others. *worst: the most
 * that a content is worth per dollar. false = out of memory, or stopped. */
bool whole_price(whole *w, double *worst);
