/* SPDX-License-Identifier: Apache-2.0 */
/* Which variants of a template have room for a vector; those that are looked at have no less than nothing of anything. */
#ifndef SCHEDULE_CAPACITY_H
#define SCHEDULE_CAPACITY_H

#include <schedule/templates.h>

/* CPU, memory and pods, which every type has. */
enum { CAPACITY_DENSE = 3 };

struct capacity {
    struct capacity_order *orders; /* by resource; empty until asked for often */
    uint32_t asked; /* how often it was filtered */
    /* of the resources beyond the dense ones; NULL when there are none */
    uint32_t *holder_first, *holders; /* [dim + 1]: the variants that have some of it */
    uint32_t *dim_first, *dims; /* [variant + 1]: what it has some of */
};

/* The variants that have some of a resource. */
typedef struct holders {
    const uint32_t *variants;
    uint32_t count;
} holders;

static inline holders capacity_holders(const template_ *t, uint32_t dim)
{
    const struct capacity *c = t->capacity;
    return (holders){ c->holders + c->holder_first[dim], c->holder_first[dim + 1] - c->holder_first[dim] };
}

static inline bool vector_within(const int64_t *small, const int64_t *large, uint32_t dims)
{
    for (uint32_t d = 0; d < dims; d++) {
        if (small[d] > large[d]) return false;
    }
    return true;
}

/* Whether what is asked for is left; of what is not asked for too much may be gone without Q-24. */
static inline bool vector_has_room(const int64_t *left, const int64_t *requests, uint32_t dims)
{
    for (uint32_t d = 0; d < dims; d++) {
        if (requests[d] > left[d] && requests[d] > 0) return false;
    }
    return true;
}

/* Once the template's rooms are known. false = out of memory. */
bool capacity_init(scheduler *s, template_ *t);
bool variant_fits(const scheduler *s, const template_ *t, uint32_t variant_number, const int64_t *total);
/* Whether the variant has room for all that the other has room for. */
bool variant_covers(const scheduler *s, const template_ *t, uint32_t variant_number, uint32_t other);
/* Takes the variants without room for the vector out of `bits`. When an allocation fails `failed` is set. */
void capacity_filter(scheduler *s, template_ *t, const int64_t *total, uint64_t *bits);

#endif
