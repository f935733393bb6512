/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The master problem of column generation: it buys fractions of node contents ("columns") so that every class is served. Its prices
 * y are tried on every offer, by whoever prices: fluid.c and whole.c. Any y becomes a bound when it is divided by the most that an
 * offer's content is worth per dollar (Farley), so there is one at every round.
 */
#ifndef OPTIMISE_MASTER_H
#define OPTIMISE_MASTER_H

#include <optimise/bound.h>
#include <optimise/knapsack.h>

typedef struct column {
    size_t first; /* its entries */
    uint32_t count, offer; /* of entries; a place in `offers` */
} column;

typedef struct entry {
    uint32_t class_;
    double copies;
} entry;

typedef struct master {
    const bound_problem *problem;
    const int64_t *counts; /* what is to be served */
    knapsack *knapsacks; /* by place in `offers` */
    double *sizes, *prices; /* requests; $/h by offer */
    double *inverse, *level, *paid, *direction; /* of the basis: [class * class]; by row */
    double *content; /* of the rows of the basis: [class * class]; NULL = nobody asks */
    uint32_t *bought; /* … and the place of their offer; UINT32_MAX = none */
    double *y, *tried, *best; /* prices: of the basis, of this pricing, of the best bound */
    double bound, cost; /* the best bound so far; what the master pays */
    uint32_t *offers, offer_count; /* those that no other one replaces, cheapest first */
    uint32_t *replaced_by; /* by offer: the place of the one that does, or its own */
    knapsack room; /* that the knapsacks share */
    column *columns; /* at most one of each offer a round … */
    uint32_t near; /* … of which so many, the first ones, were worth their price when all were looked at */
    entry *entries;
    uint32_t column_count, column_room;
    size_t entry_count, entry_room, round_entries; /* … and what one round takes at most */
    uint32_t rounds; /* of letting columns in */
    uint64_t work; /* of exchanges: each is the square of the classes */
} master;

bool master_init(master *m, arena *a, const bound_problem *p);
/* Only offers that are not replaced are priced. */
bool master_choose_offers(master *m, arena *a);
/* The knapsack of a row, in the resources that it has: what needs others does not come. */
bool master_knapsack(master *m, arena *a, uint32_t row, knapsack *k);
/* Those of all chosen offers, and memory for the columns of so many rounds, of whole pods or of fractions. */
bool master_knapsacks(master *m, arena *a, uint32_t rounds, bool whole);
/* Before master_start(), when somebody asks what is in the basis. false = refused. */
bool master_keep_contents(master *m, arena *a);
/* The first basis: each class on nodes of its own, of whole pods if that is asked. One that needs nothing, or fits nowhere, costs nothing. */
void master_start(master *m, bool whole);
void master_price_classes(master *m);
double master_worth_of(const master *m, const column *c);
/* Before a round: forgets columns when there is no memory for those of another round. */
void master_make_room(master *m);
/* Keeps a content of the offer at the place when it is worth more than that costs under the master's own prices. */
void master_keep(master *m, uint32_t place, const uint32_t *classes, const double *copies, uint32_t count);
/* Lets in what is kept until none of it is worth its price; *limited = the master still has an end, and work left. false = stopped. */
bool master_use_columns(master *m, const arena *a, bool *limited);
/* Between the master's prices and those of the best bound, which keeps the prices from swinging; 1 = the master's own. */
void master_choose_prices(master *m, double weight);
/* Work on `rows` rows of a table of all classes and resources; false = to be ended, as if memory had been refused. */
bool master_worked(const arena *a, const bound_problem *p, size_t rows);

#endif
