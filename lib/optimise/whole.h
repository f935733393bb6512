/* SPDX-License-Identifier: Apache-2.0 */
/* Pricing of offers by whole contents. */
#pragma once

#include <optimise/contents.h>

enum {
    FEW_BRANCHES = 32, /* branches for a content that need not be the best */
    CONTENTS_KEPT = 32, /* most columns of an offer in a round */
    MIRRORED = 4 /* of these, so many are kept for offers like it, too */
};
#define WHOLE_TOLERANCE 1e-7 /* relative to the bound */

/* Classes of the same pods, and offers of the same capacity. */
typedef struct class_kinds {
    uint32_t count; /* of kinds */
    uint32_t *of; /* by class: its kind */
    uint32_t *members, *first; /* classes by kind, narrowest first; by kind and one more: the index of its first */
    uint32_t *alike, *first_alike; /* offers by capacity, as indices; by group and one more: the index of its first */
    uint32_t *group; /* by index of an offer: its group */
    double *copies, *content; /* by kind; by class */
} class_kinds;

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
    const class_kinds *kinds; /* NULL = no classes were merged */
    bool merged, places_differ; /* it is of merged classes; these have different prices where they differ */
    const uint32_t *first_of; /* by merged class: the class in the solutions of the trail; NULL = itself */
    uint32_t trail_classes; /* number of classes in these solutions, for first_of */
    double lowered_part; /* weight of the master's prices in those that are lowered; 0 = not known yet */
    uint64_t next_lowered; /* the work at which prices are lowered again */
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
/* The worth of fractional contents of each offer at the prices that are tried. false as above. */
bool whole_fractions(whole *w);
/* Most branches of an offer: as the work goes on, contents are looked for more thoroughly. */
uint32_t whole_branches(const whole *w);
/* Finds the best content of the offer at this index that is worth more than `enough`. false as above. */
bool whole_solve(whole *w, uint32_t place, const double *worth, double enough, uint32_t branches);
/* Keeps a content as a column, and, if wanted, for offers with this capacity in other places, too. */
void whole_keep(whole *w, uint32_t place, const double *copies, bool mirror);
/* Runs rounds until no column is found or the work is done. More steps only add rounds. false as above. */
bool whole_generate(whole *w);
/* lower.c: lowers the prices that are tried until no content is worth more than its offer, and keeps them if they prove
 * more. false as above. */
bool whole_lower(whole *w);

/* ---- merged.c ---------------------------------------------------------------------------------------------------- */

/* If there are several classes of the same pods, raises the best prices to those of a problem with one class for them,
 * and starts from its contents. false as above. */
bool merged_raise(whole *w);
/* Keeps a content for the other offers with the capacity of this one, too, with the pods that are worth most there. */
void merged_mirror(whole *w, uint32_t place, const double *copies);
