/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which variants of a template have enough capacity for a vector of requests. The variants in question have no
 * negative free capacity of any resource.
 */
#pragma once

#include <schedule/templates.h>

/* The first resources of a vector: CPU, memory and pods. Every type has them. */
enum { CAPACITY_DENSE = 3 };

struct capacity {
    struct capacity_order *orders; /* by resource; each is built when first needed */
    uint32_t lookups; /* number of calls that checked the variants one by one */
    bool complete; /* the spaces of variants that are filtered out are 0, no longer undefined */
    /* Indices for resources beyond the dense ones; NULL when there are none. */
    uint32_t *holder_first, *holders; /* [dim + 1]: the variants that have some of the resource */
    uint32_t *dim_first, *dims; /* [variant + 1]: the resources that the variant has some of */
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

/* Whether `left` covers every positive request. A negative amount that is left matters only for requested resources. */
static inline bool vector_fits(const int64_t *left, const int64_t *requests, uint32_t dims)
{
    for (uint32_t d = 0; d < dims; d++) {
        if (requests[d] > left[d] && requests[d] > 0) return false;
    }
    return true;
}

/* Call when the template's spaces have been computed. false = out of memory. */
bool capacity_init(scheduler *s, template_ *t);
bool variant_fits(const scheduler *s, const template_ *t, uint32_t variant_number, const int64_t *total);
/* Whether the variant has at least as much space as the other in every resource. */
bool variant_covers(const scheduler *s, const template_ *t, uint32_t variant_number, uint32_t other);
/* Clears the bits of variants without enough space for the vector. Sets `failed` when an allocation fails. */
void capacity_filter(scheduler *s, template_ *t, const int64_t *total, uint64_t *bits);
