/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which instance types remain possible: bit masks per requirement, interned type sets, and which of them have enough
 * capacity.
 */
#pragma once

#include <base/bits.h>
#include <schedule/capacity.h>

/* Which variants of a template are still possible. */
typedef struct typeset {
    uint32_t template_;
    uint64_t *bits; /* variants */
    /* variants whose space no other variant exceeds in every resource; they decide whether a vector fits */
    uint32_t *maximal;
    uint32_t maximal_count; /* NO_ID = not computed yet */
    int64_t *most; /* per resource, the largest space of any variant, for a fast test; NULL until computed */
    /* per resource that the NodePool limits, the variant with the most capacity; NULL until computed */
    uint32_t *biggest;
} typeset;

/* Types in price order: see pricing.c. */
struct price_order {
    uint32_t *types; /* all types of the table; those without an offering come last; NULL = not sorted yet */
    double *prices; /* by type: the lowest price, as last computed */
    const uint64_t *offered; /* bits of offerings that can be launched */
    uint32_t capacity_types; /* number of different capacity types of these offerings */
};

struct types {
    LIST_OF(typeset) sets;
    words set_keys;
    map64 narrowed; /* (typeset, set) -> typeset */
    struct type_masks *masks; /* by table: see types.c */
    LIST_OF(struct price_order) price_orders;
    map64 price_order_of; /* (table, set) -> index */
};

bool types_init(scheduler *s);
void types_free(scheduler *s);

/* Variants of a table whose labels match the set and that have a compatible available offering. */
const uint64_t *types_mask(scheduler *s, uint32_t table, uint32_t set);
/* Variants whose labels match, regardless of offerings. For reasons. */
bool types_label_mask(scheduler *s, uint32_t table, uint32_t set, uint64_t *out);
/* Available offerings compatible with the set. `out` has one bit per offering. */
bool types_offered(scheduler *s, uint32_t table, uint32_t set, uint64_t *out);
/* The types of the variants, in the order of the table; returns their number. `list` may be NULL. */
uint32_t types_of_variants(const type_table *t, const uint64_t *variants, uint32_t *list);
/* Whether the offering is compatible with the set (availability aside). */
bool offering_compatible(scheduler *s, const offering *o, uint32_t set);

/* Whether the offering can be launched now: it is available, and not a reservation without free capacity (K15-3). */
bool offering_launchable(const scheduler *s, const offering *o);

/* The type set with this template and these bits; equal ones have one number. NO_ID when `failed`. */
uint32_t typeset_make(scheduler *s, uint32_t template_, const uint64_t *bits);
uint32_t typeset_narrow(scheduler *s, uint32_t types, uint32_t set);
/* The type set without some variants. */
uint32_t typeset_without(scheduler *s, uint32_t types, const uint64_t *without);
/* The intersection of two type sets of one template. */
uint32_t typeset_both(scheduler *s, uint32_t types, uint32_t others);
static inline bool typeset_empty(const struct types *t, uint32_t types)
{
    return t->sets.items[types].maximal_count == 0;
}

/* Whether some variant has enough space for the vector. */
bool typeset_fits(scheduler *s, uint32_t types, const int64_t *total);
/* Per resource, the largest space of the variants that have enough space for the vector, or of all variants if there
 * are none. Valid until the next call. NULL = out of memory. */
const int64_t *typeset_most(scheduler *s, uint32_t types, const int64_t *total);
/* The variants that have enough space for the vector; false when there are none. `out` has one bit per variant. */
bool typeset_fitting(scheduler *s, uint32_t types, const int64_t *total, uint64_t *out);

static inline size_t template_words(const template_ *t) { return bits_words(t->table->variant_count); }
