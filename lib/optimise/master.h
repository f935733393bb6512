/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The master problem of column generation. It buys fractions of node contents ("columns") so that every class is
 * served. The pricing steps in fluid.c and whole.c evaluate its prices y for every offer. Any y becomes a valid bound
 * when divided by the highest worth per dollar of an offer's content (Farley), so there is a bound in every round.
 */
#pragma once

#include <optimise/bound.h>
#include <optimise/knapsack.h>

typedef struct column {
    size_t first; /* index of its first entry */
    uint32_t count, offer; /* number of entries; index in `offers` */
} column;

typedef struct entry {
    uint32_t class_;
    double copies;
} entry;

typedef struct master {
    const bound_problem *problem;
    const int64_t *counts; /* number of copies to serve, by class */
    knapsack *knapsacks; /* by index in `offers` */
    double *sizes, *prices; /* requests; $/h by offer */
    double *inverse, *level, *paid, *direction; /* of the basis: [class * class]; the others by row */
    /* With master_cap(): pods can also be served without a node, at the cap of their class. So no price is above it. */
    double *caps;
    /* [2 * pair_count]: a pod of the first class can take the place of one of the second wherever that is. So its price
     * is not higher in most cases, and from the start it is not, which saves rounds. */
    uint32_t *pairs, pair_count;
    struct entry *choice; /* room for the entries of a choice */
    uint32_t *swapped; /* by row: the class that takes the place of another; UINT32_MAX = none */
    double *content; /* content of each row of the basis: [class * class]; NULL = not kept */
    uint32_t *bought; /* by row: index of its offer; UINT32_MAX = none */
    uint32_t *served; /* by row: the class that is served at its cap; UINT32_MAX = none */
    double *factors, *result; /* for inverting the basis: [class * class] */
    double *y, *tried, *best; /* prices: of the basis, of the current pricing, of the best bound */
    double bound, cost; /* best bound so far; cost of the master's solution */
    uint32_t *offers, offer_count; /* offers that no other one dominates, cheapest first */
    uint32_t *replaced_by; /* by offer: index of the one that dominates it, or its own */
    knapsack shared_arrays; /* arrays that the knapsacks share */
    column *columns; /* at most one per offer and round */
    uint32_t near; /* the first so many were worth their price in the last full check */
    entry *entries;
    uint32_t column_count, column_capacity;
    size_t entry_count, entry_capacity, round_entries; /* the others: capacity, and most entries per round */
    uint32_t rounds, pivots; /* rounds of adding columns; changes of the basis */
    uint64_t work; /* of pivots: each counts as the square of the number of classes */
} master;

/* A column that enters the basis: a content of an offer, the surplus of a class, a pod that is served at its cap, one
 * that takes the place of another, or the choice of a domain, which turns pods of a group into pods of that domain. */
typedef struct entrant {
    const entry *entries;
    uint32_t count, offer, served, swapped; /* offer, served, swapped: UINT32_MAX = none */
    double price;
} entrant;

bool master_init(master *m, arena *a, const bound_problem *p);
/* Selects the offers to price: those that no other one dominates. */
bool master_choose_offers(master *m, arena *a);
/* The knapsack of a row, with only the resources that the row has. Classes that request others do not appear in it. */
bool master_knapsack(master *m, arena *a, uint32_t row, knapsack *k);
/* The knapsacks of all chosen offers, and memory for the columns of so many rounds, with whole or fractional pods. */
bool master_knapsacks(master *m, arena *a, uint32_t rounds, bool whole);
/* Keeps the contents of the basis, for later reading and for inverting it again. Call before master_start(). false =
 * out of memory. */
bool master_keep_contents(master *m, arena *a);
/* Starts with the caps `factor` times the best prices, instead of master_start(). Contents have to be kept. false = out
 * of memory. */
bool master_start_capped(master *m, arena *a, double factor);
/* Right after that: the caps become `factor` times these prices. */
void master_cap_at(master *m, const double *prices, double factor);
/* Right after that: raises caps to at least this part of what pods cost on nodes of their own. */
void master_lift_caps(master *m, double part);
/* What a pod costs on nodes with its class alone; infinite = it fits on none. */
double master_alone(const master *m, uint32_t class_);
/* Raises the caps of the classes that are served at them. false = there are none. */
bool master_raise_caps(master *m, double factor);
/* Finds the pairs of classes, except for those whose number on a node is limited. false = out of memory. */
bool master_find_pairs(master *m, arena *a);
/* From now on no class takes the place of another at no cost. false = none did. */
bool master_drop_pairs(master *m);
/* Sets the initial basis: each class on nodes of its own, with whole pods if `whole`. Classes without demand, and
 * classes that fit nowhere, cost nothing. */
void master_start(master *m, bool whole);
void master_price_classes(master *m);
/* Sets the prices of the classes of choices to those of their cheapest domains. Call it whenever prices are set. */
void master_price_choices(const master *m, double *y);
/* Before a round: drops columns if there is no memory for those of another round. */
void master_drop_columns(master *m);
/* Keeps a content of the offer at this index, if it is worth more than the offer costs at the master's own prices. */
void master_keep(master *m, uint32_t place, const uint32_t *classes, const double *copies, uint32_t count);
/* Keeps a content in any case: it may be worth that at other prices. */
void master_keep_known(master *m, uint32_t place, const uint32_t *classes, const double *copies, uint32_t count);
/* Pivots until no kept column improves the solution. *limited: the problem is still bounded, and work is left. false
 * = stopped. */
bool master_use_columns(master *m, const arena *a, bool *limited);
/* Interpolates between the master's prices and those of the best bound, which damps oscillation. 1 = the master's
 * own. */
void master_choose_prices(master *m, double weight);
/* Reports work on `rows` rows of a table over all classes and resources. false = stop, as after a failed allocation. */
bool master_worked(const arena *a, const bound_problem *p, size_t rows);

/* ---- basis.c ----------------------------------------------------------------------------------------------------- */

/* The column enters the basis; false = the problem is unbounded. */
bool master_enter(master *m, const entrant *e);
void master_sum_cost(master *m);

/* ---- prove.c: turns prices of the master problem, in doubles, into a proof in integers (bound.h) ----------------- */

/* The charge of the class on a row with these shares. */
int64_t prove_paid(const bound_problem *p, uint32_t row, const int64_t *shares, uint32_t class_);
/* Sets the prices of the classes of choices to what those of their domains allow. */
void prove_choices(const bound_problem *p, int64_t *y);
/* Allocates a proof and determines its rows. false = out of memory, here and below. */
bool prove_begin(const master *m, arena *a, bound_proof *out);
/* Lowers the best prices of the master problem until the continuous knapsacks of all offers bear them. */
bool prove_offers(master *m, const arena *a, bound_proof *out);
/* Gives each existing node shares for these prices. The differences become extras. */
bool prove_nodes(master *m, arena *a, bound_proof *out);
