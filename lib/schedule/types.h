/* SPDX-License-Identifier: Apache-2.0 */
/* Which instance types are left: bit masks per requirement, interned type sets, and what fits into them (§10.3, §22). */
#ifndef SCHEDULE_TYPES_H
#define SCHEDULE_TYPES_H

#include <base/bits.h>
#include <schedule/capacity.h>

/* Which variants of a template are still possible. */
typedef struct typeset {
    uint32_t template_;
    uint64_t *bits; /* variants */
    uint32_t *maximal; /* variants whose room no other one exceeds in every resource; they decide what fits */
    uint32_t maximal_count; /* NO_ID = not computed yet */
    int64_t *most; /* per resource, the most room of any: a quick test. NULL until computed */
    uint32_t *biggest; /* per limited resource of the pool, the variant with most capacity. NULL until computed */
} typeset;

/* Types in price order: see pricing.c. */
struct price_order {
    uint32_t *types; /* all types of the table; those without an offering come last. NULL = nobody asked for so many */
    double *prices; /* by type: the least, of those that were asked for last */
    const uint64_t *offered; /* offerings that can be launched */
    uint32_t capacity_types; /* how many different ones the offerings have that can be launched */
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

/* Variants of a table whose labels agree with the set and that have an available offering compatible with it. */
const uint64_t *types_mask(scheduler *s, uint32_t table, uint32_t set);
/* Variants whose labels agree, offerings aside: for reasons. */
bool types_label_mask(scheduler *s, uint32_t table, uint32_t set, uint64_t *out);
/* Available offerings compatible with the set; `out` has the width of the offerings. */
bool types_offered(scheduler *s, uint32_t table, uint32_t set, uint64_t *out);
/* Whether the offering is compatible with the set (availability aside). */
bool offering_compatible(scheduler *s, const offering *o, uint32_t set);

/* Whether a launch could have the offering now: it is available, and no reservation that is full (K15-3). */
bool offering_launchable(const scheduler *s, const offering *o);

/* Interned by (template, bits). NO_ID when `failed`. */
uint32_t typeset_make(scheduler *s, uint32_t template_, const uint64_t *bits);
uint32_t typeset_narrow(scheduler *s, uint32_t types, uint32_t set);
/* Without the variants in `without`. */
uint32_t typeset_without(scheduler *s, uint32_t types, const uint64_t *without);
/* What two sets of one template have in common. */
uint32_t typeset_both(scheduler *s, uint32_t types, uint32_t others);
static inline bool typeset_empty(const struct types *t, uint32_t types)
{
    return t->sets.items[types].maximal_count == 0;
}

/* Computes what decides whether a vector fits, unless it is there: the maximal variants and the most room. false = out of memory. */
bool typeset_measure(scheduler *s, uint32_t types);
/* Whether some variant has room for the vector. */
bool typeset_fits(scheduler *s, uint32_t types, const int64_t *total);
/* Per resource, the most room of any variant that has room for the vector, or of any at all; until the next call. NULL = out of
 * memory. */
const int64_t *typeset_most(scheduler *s, uint32_t types, const int64_t *total);
/* The variants that have room for it; false when there are none. `out` has the template's width. */
bool typeset_fitting(scheduler *s, uint32_t types, const int64_t *total, uint64_t *out);

static inline size_t template_words(const template_ *t) { return bits_words(t->table->variant_count); }

#endif
