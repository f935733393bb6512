/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array in pages that several arrays can share. An array that continues another one starts with the same pages. A
 * shared page is copied before it is written to. So continuing an array only costs a copy of its list of pages. An
 * array has a single writer; readers may be many.
 */
#pragma once

#include <base/memory.h>

/* Editing a few elements copies the pages they are in, so pages are short; but small elements share one. The logarithm
 * of the number of elements of a page. */
static inline unsigned page_shift(size_t element_bytes) { return element_bytes > 32 ? 8 : element_bytes > 8 ? 9 : 10; }
static inline size_t page_elements(size_t element_bytes) { return (size_t)1 << page_shift(element_bytes); }

typedef struct paged {
    karp_context *context;
    size_t element_bytes;
    size_t count; /* elements */
    size_t page_size; /* elements for which there is memory; below page_elements() there is one smaller page */
    char **list; /* the pages, each a block (memory.h) */
    size_t page_count, page_capacity;
    bool continued; /* some pages may be shared */
} paged;

void paged_init(paged *p, karp_context *context, size_t element_bytes);
void paged_free(paged *p); /* the array is empty afterwards */
/* Makes an empty array share the pages of another. false = out of memory. */
bool paged_continue(paged *p, const paged *from);
/* Reserves room for one more element, which the caller then writes and counts. false = out of memory. */
bool paged_reserve(paged *p);
/* Adds `count` zeroed elements to an empty array. false = out of memory, and the array is empty. */
bool paged_fill(paged *p, size_t count);
/* The element for writing. It belongs to this array alone until the array is continued. NULL = out of memory. */
void *paged_own(paged *p, size_t i);

/* The element size is a parameter so that it is a compile-time constant. */
static inline void *paged_at(const paged *p, size_t i, size_t element_bytes)
{
    return p->list[i >> page_shift(element_bytes)] + (i & (page_elements(element_bytes) - 1)) * element_bytes;
}
