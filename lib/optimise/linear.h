/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A linear program to which columns are added:
 *
 *   minimise the sum of price × x
 *   subject to sum of entry × x >= need in each row, and x >= 0
 *
 * The dual prices y of the rows show which new column would improve the solution: one whose entries are worth more
 * than its price.
 */
#pragma once

#include <model/store.h>

typedef struct linear_entry {
    uint32_t row;
    double amount;
} linear_entry;

typedef struct linear_column {
    size_t first; /* index of its first entry */
    uint32_t count;
    double price;
} linear_column;

typedef struct linear {
    karp_context *context;
    uint32_t rows;
    double *inverse, *level, *paid, *direction; /* of the basis: [row * row]; the others by row */
    uint32_t *basis; /* by row: its column; UINT32_MAX = an artificial or surplus variable */
    double *y, cost; /* the result: dual prices by row; cost of the basis */
    uint64_t exchanges; /* number of pivots so far; each takes work in the square of the rows */
    LIST_OF(linear_column) columns;
    LIST_OF(linear_entry) entries;
} linear;

/* false = out of memory, here and below. Call linear_free() in any case. */
bool linear_init(linear *l, arena *a, uint32_t rows);
void linear_free(linear *l);
/* The initial basis has one of these in each row: an artificial variable that satisfies the row at a price and does
 * not return once it has left the basis, or a surplus variable (need <= 0). */
void linear_start(linear *l, uint32_t row, double need, double price);
void linear_start_left_over(linear *l, uint32_t row, double need);
/* Adds a column; its entries are added afterwards. */
bool linear_column_add(linear *l, double price);
bool linear_entry_add(linear *l, uint32_t row, double value);
/* Pivots until no column improves the solution, `most` pivots were made in all, or the caller stops it. */
bool linear_solve(linear *l, uint64_t most);
