/* SPDX-License-Identifier: Apache-2.0 */
/* Stable sorting. (qsort is not stable and therefore not used.) */
#pragma once

#include <base/memory.h>
#include <base/str.h>

typedef int (*compare_fn)(const void *a, const void *b, const void *user);

/* Compare elements that begin with a karp_str, a uint32_t or a double. `user` is not used. */
int by_text(const void *a, const void *b, const void *user);
int by_number(const void *a, const void *b, const void *user);
int by_double(const void *a, const void *b, const void *user);
/* Compare ids, or elements that begin with an id, by their numbers in an array of uint32_t. */
int by_rank(uint32_t a, uint32_t b, const void *ranks);
int by_falling(uint32_t a, uint32_t b, const void *values); /* doubles; the largest first */
int by_first_rank(const void *a, const void *b, const void *ranks);

/* Merge sort of `count` elements of `size` bytes. false = out of memory for scratch space; the array is unchanged. */
bool sort_stable(karp_context *context, void *base, size_t count, size_t size, compare_fn compare, const void *user);
/* The same with the caller's scratch space, which has space for half of the elements. */
void sort_with(void *scratch, void *base, size_t count, size_t size, compare_fn compare, const void *user);

/* The same for pointers, compared by what they point to. */
bool sort_pointers(karp_context *context, const void **items, size_t count,
                   int (*compare)(const void *a, const void *b));

/* The same for 32-bit ids, the most frequent use. */
bool sort_ids(karp_context *context, uint32_t *ids, size_t count,
              int (*compare)(uint32_t a, uint32_t b, const void *user), const void *user);

/* Sorts numbers in ascending order. `once` also removes duplicates and updates the count. false as above. */
bool sort_numbers(karp_context *context, uint32_t *numbers, size_t count);
bool sort_numbers_once(karp_context *context, uint32_t *numbers, size_t *count);
/* Sorts ids by 64-bit keys: the key of ids[i] is numbers[i]. Both arrays are sorted. false as above. */
bool sort_ids_by_numbers(karp_context *context, uint32_t *ids, uint64_t *numbers, size_t count);

/* Sorts ids by numbers, and those of equal numbers by texts. false = out of memory; the ids are in any order then. */
typedef struct text_order {
    uint64_t (*number)(uint32_t id, const void *user);
    karp_str (*text)(uint32_t id, const void *user);
    const void *user;
} text_order;
bool sort_ids_by_texts(karp_context *context, uint32_t *ids, size_t count, const text_order *order);

bool numbers_have(const uint32_t *ascending, size_t count, uint32_t number);
static inline bool ids_have(const uint32_t *ids, size_t count, uint32_t id) /* in any order */
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == id) return true;
    }
    return false;
}
