/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array in pages, which several arrays may have in common: what continues another begins with the same pages, and a page
 * that others have too is copied before it is written to. So an array of any length is continued for the price of its list of
 * pages. Whoever writes has the array to himself; those that only read may be many.
 */
#ifndef BASE_PAGED_H
#define BASE_PAGED_H

#include <base/memory.h>

/* An edit of a few elements copies the pages they are in, so pages are short. */
enum { PAGE_SHIFT = 8, PAGE_ELEMENTS = 1 << PAGE_SHIFT };

typedef struct paged {
    karp_context *context;
    size_t element_bytes;
    size_t count; /* elements */
    size_t room; /* elements there is memory for; below PAGE_ELEMENTS there is one small page */
    char **list; /* the first element of each page */
    size_t page_count, page_capacity;
    bool continued; /* some pages may be others' too */
} paged;

void paged_init(paged *p, karp_context *context, size_t element_bytes);
void paged_free(paged *p); /* empty again */
/* An empty array becomes the same as another, whose pages it shares. false = out of memory. */
bool paged_continue(paged *p, const paged *from);
/* Room for one more element: the next paged_push() cannot fail. false = out of memory. */
bool paged_reserve(paged *p);
void *paged_push(paged *p); /* a new cleared element at the end; NULL = out of memory */
/* An empty array gets so many cleared elements. false = out of memory, and the array is empty. */
bool paged_fill(paged *p, size_t count);
/* The element, to be written to: until the array is continued it is this array's alone. NULL = out of memory. */
void *paged_own(paged *p, size_t i);

/* The bytes of an element are given anew, so that the product is known when this is compiled. */
static inline void *paged_at(const paged *p, size_t i, size_t element_bytes)
{
    return p->list[i >> PAGE_SHIFT] + (i & (PAGE_ELEMENTS - 1)) * element_bytes;
}

#endif
