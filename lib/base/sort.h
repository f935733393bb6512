/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting that keeps the order of equals. (qsort does not, so it is not used anywhere.) */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <base/memory.h>
#include <base/str.h>

typedef int (*compare_fn)(const void *a, const void *b, const void *user);

/* Merge sort of `count` elements of `size` bytes. false = no memory for the scratch half; the array is unchanged then. */
bool sort_stable(karp_context *context, void *base, size_t count, size_t size, compare_fn compare, const void *user);

/* The same for pointers: they are ordered by what they point at. */
bool sort_pointers(karp_context *context, const void **items, size_t count,
                   int (*compare)(const void *a, const void *b));

/* The same for 32-bit ids, which is what most callers sort. */
bool sort_ids(karp_context *context, uint32_t *ids, size_t count,
              int (*compare)(uint32_t a, uint32_t b, const void *user), const void *user);

/* Numbers in ascending order; `once` leaves each once and counts what is left. false as above. */
bool sort_numbers(karp_context *context, uint32_t *numbers, size_t count);
bool sort_numbers_once(karp_context *context, uint32_t *numbers, size_t *count);
/* The ids in the order of their numbers of 64 bits, ids[i] having numbers[i]; both lists are put in order. false as above. */
bool sort_ids_by_numbers(karp_context *context, uint32_t *ids, uint64_t *numbers, size_t count);
bool numbers_have(const uint32_t *ascending, size_t count, uint32_t number);

#endif
