/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A linear program that columns are added to: buy what satisfies every row for the least price.
 *
 *     least sum of price × x, with sum of entry × x >= need in each row and x >= 0
 *
 * Its dual prices y of the rows say which column would pay: one whose entries are worth more than its price.
 */
#ifndef OPTIMISE_LINEAR_H
#define OPTIMISE_LINEAR_H

#include <model/store.h>

typedef struct linear_entry {
    uint32_t row;
    double amount;
} linear_entry;

typedef struct linear_column {
    size_t first; /* its entries */
    uint32_t count;
    double price;
} linear_column;

typedef struct linear {
    karp_context *context;
    uint32_t rows;
    double *inverse, *level, *paid, *direction; /* of the basis: [row * row]; by row */
    double *y, cost; /* the answer: by row; what the basis costs */
    uint64_t exchanges; /* in all; each is the square of the rows of work */
    LIST_OF(linear_column) columns;
    LIST_OF(linear_entry) entries;
} linear;

/* false = refused, here and below. linear_free() may follow in any case. */
bool linear_init(linear *l, arena *a, uint32_t rows);
void linear_free(linear *l);
/* The first basis has one of these in each row: what satisfies this row alone, for a price, and does not come back once it has left; or what
 * is left over (need <= 0). */
void linear_start(linear *l, uint32_t row, double need, double price);
void linear_start_left_over(linear *l, uint32_t row, double need);
/* A column, entry by entry after it. */
bool linear_column_add(linear *l, double price);
bool linear_entry_add(linear *l, uint32_t row, double value);
/* Takes columns in until none pays, so many exchanges were made in all, or somebody wants to stop. */
bool linear_solve(linear *l, uint64_t most);

#endif
