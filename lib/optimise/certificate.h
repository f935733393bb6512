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

/*
 * What can still be added to a partial content, for the check of a proof: in integers, rounded up. The classes are in
 * an order; the bound is on the worth of further copies of those from a certain one on. All resources but two are paid
 * for at fixed prices per unit. Of the others, the one with the fewest units is counted exactly, and one in coarse
 * units, of which a pod takes its request rounded down. For each amount of the two that is left, a table has the most
 * that can be gained beyond those prices. Any prices give a true bound.
 */

enum { REST_FIELDS = 32, REST_TABLES = 3 };

/* How a load is packed: a field of bits for each resource. */
typedef struct rest_form {
    uint32_t count, at[REST_FIELDS], bits[REST_FIELDS]; /* by field: its lowest bit; number of its bits */
    uint64_t full[REST_FIELDS]; /* by field: units of a node */
    int64_t rates[REST_FIELDS]; /* by field: price of a unit, not negative */
} rest_form;

/* The classes in their order. The caller owns the arrays. */
typedef struct rest_classes {
    const uint32_t *classes;
    uint32_t count;
    const uint64_t *loads; /* by class, as the others; at most a full field and one unit */
    const int64_t *y, *room; /* worth of a copy, not negative; most copies that can be added, not negative */
} rest_classes;

typedef struct rest_tables {
    rest_form form;
    uint32_t table_count, scarce; /* scarce: the field that is counted exactly; UINT32_MAX = none */
    uint32_t field[REST_TABLES], shift[REST_TABLES]; /* by table: the coarse field; bits of a coarse unit */
    size_t rows, width[REST_TABLES]; /* amounts of the scarce field; by table: of the coarse field */
    int64_t *most[REST_TABLES];
} rest_tables;

/* Makes the tables in the arena: none if there is no price, or if a sum could overflow. false = out of memory. */
bool rest_make(arena *a, rest_tables *x, const rest_form *form, const rest_classes *c);
/* The most that copies of the classes from this one on can be worth in what a load leaves. INT64_MAX = not known. */
int64_t rest_worth(const rest_tables *x, uint32_t from, uint64_t load);
