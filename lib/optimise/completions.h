/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Upper bounds on what can be added to a partial content of a node. The classes are in an order; the bound is on the
 * worth of further copies of those from a certain one on. All resources but two are paid for at fixed prices. Of the
 * others, the one with the fewest units is counted exactly, and one in coarse units, each request rounded down. What
 * can be gained within these two is computed for every amount of them that is left.
 */
#pragma once

#include <optimise/bound.h>

enum { LOAD_FIELDS = 32, COMPLETION_TABLES = 3 };

/* How a load is packed: a field of bits for each resource that can limit the contents, and a bit above each. */
typedef struct load_form {
    uint32_t count, at[LOAD_FIELDS], bits[LOAD_FIELDS]; /* by field: its lowest bit; number of its bits */
    uint64_t full[LOAD_FIELDS]; /* by field: units of a node */
    double rates[LOAD_FIELDS]; /* by field: price of a unit */
} load_form;

static inline uint64_t load_field(const load_form *f, uint64_t load, uint32_t field)
{
    return load >> f->at[field] & ((UINT64_C(1) << f->bits[field]) - 1);
}

/* The classes in their order, and their loads. The caller owns the arrays. */
typedef struct completion_classes {
    const uint32_t *items;
    uint32_t count;
    const uint64_t *load; /* by class, as the others */
    const double *worth;
    const int64_t *most;
} completion_classes;

typedef struct completions {
    double *memory; /* of all tables */
    size_t capacity; /* numbers in a table */
    const load_form *form;
    uint32_t table_count, scarce; /* scarce: the field that is counted exactly; UINT32_MAX = none */
    uint32_t field[COMPLETION_TABLES], shift[COMPLETION_TABLES]; /* by table: coarse field; bits of a coarse unit */
    uint32_t width[COMPLETION_TABLES]; /* by table: amounts of the coarse field */
    uint64_t work;
} completions;

/* Allocates memory for so many classes. false = out of memory. */
bool completions_init(completions *x, arena *a, uint32_t class_count);
/* Makes the tables, with about so many numbers for each class. */
void completions_make(completions *x, const load_form *form, const completion_classes *c, uint32_t cells);
/* The most that copies of the classes from this item on can be worth in what a load leaves. */
double completions_worth(const completions *x, uint32_t from, uint64_t load);
