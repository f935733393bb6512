/* SPDX-License-Identifier: Apache-2.0 */
/* Quicksort that defeats patterns, as Go 1.19 and later have it (scheduling.md, appendix A). */
#include "go_sort.h"

#include <stdbool.h>
#include <stdint.h>

struct list {
    char *items;
    size_t size;
    int (*compare)(const void *, const void *);
};

enum hint { UNKNOWN, INCREASING, DECREASING };

static bool less(const struct list *l, size_t i, size_t j)
{
    return l->compare(l->items + i * l->size, l->items + j * l->size) < 0;
}

static void swap(const struct list *l, size_t i, size_t j)
{
    for (size_t k = 0; k < l->size; k++) {
        char byte = l->items[i * l->size + k];
        l->items[i * l->size + k] = l->items[j * l->size + k];
        l->items[j * l->size + k] = byte;
    }
}

static void insertion_sort(const struct list *l, size_t a, size_t b)
{
    for (size_t i = a + 1; i < b; i++) {
        for (size_t j = i; j > a && less(l, j, j - 1); j--) {
            swap(l, j, j - 1);
        }
    }
}

static void sift_down(const struct list *l, size_t first, size_t root, size_t count)
{
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && less(l, first + child, first + child + 1)) {
            child++;
        }
        if (!less(l, first + root, first + child)) {
            return;
        }
        swap(l, first + root, first + child);
        root = child;
    }
}

static void heap_sort(const struct list *l, size_t a, size_t b)
{
    for (size_t i = (b - a - 1) / 2 + 1; i > 0; i--) {
        sift_down(l, a, i - 1, b - a);
    }
    for (size_t i = b - a; i > 0; i--) {
        swap(l, a, a + i - 1);
        sift_down(l, a, 0, i - 1);
    }
}

/** Exchanges two places, not what is there, if they are not in order. */
static void order(const struct list *l, size_t *i, size_t *j, int *exchanges)
{
    if (less(l, *j, *i)) {
        size_t place = *i;
        *i = *j;
        *j = place;
        (*exchanges)++;
    }
}

static size_t median(const struct list *l, size_t i, size_t j, size_t k, int *exchanges)
{
    order(l, &i, &j, exchanges);
    order(l, &j, &k, exchanges);
    order(l, &i, &j, exchanges);
    return j;
}

static size_t choose_pivot(const struct list *l, size_t a, size_t b, enum hint *hint)
{
    size_t quarter = (b - a) / 4, i = a + quarter, j = a + 2 * quarter, k = a + 3 * quarter;
    int exchanges = 0;
    if (b - a >= 50) {
        i = median(l, i - 1, i, i + 1, &exchanges);
        j = median(l, j - 1, j, j + 1, &exchanges);
        k = median(l, k - 1, k, k + 1, &exchanges);
    }
    j = median(l, i, j, k, &exchanges);
    *hint = exchanges == 0 ? INCREASING : exchanges == 12 ? DECREASING : UNKNOWN;
    return j;
}

static void break_patterns(const struct list *l, size_t a, size_t b)
{
    uint64_t random = b - a, mask = 1;
    while (mask <= b - a) {
        mask *= 2;
    }
    size_t middle = a + (b - a) / 4 * 2;
    for (size_t i = middle - 1; i < middle + 2; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        size_t other = (size_t)(random & (mask - 1));
        swap(l, i, a + (other >= b - a ? other - (b - a) : other));
    }
}

/** Whether the list is sorted after at most five repairs. */
static bool partial_insertion_sort(const struct list *l, size_t a, size_t b)
{
    size_t i = a + 1;
    for (int repairs = 0; repairs < 5; repairs++) {
        while (i < b && !less(l, i, i - 1)) {
            i++;
        }
        if (i == b) {
            return true;
        }
        if (b - a < 50) {
            return false;
        }
        swap(l, i, i - 1);
        if (i - a >= 2) {
            for (size_t j = i - 1; j >= 1 && less(l, j, j - 1); j--) {
                swap(l, j, j - 1);
            }
        }
        if (b - i >= 2) {
            for (size_t j = i + 1; j < b && less(l, j, j - 1); j++) {
                swap(l, j, j - 1);
            }
        }
    }
    return false;
}

/** Smaller ones before the pivot; its new place. */
static size_t partition(const struct list *l, size_t a, size_t b, size_t pivot, bool *nothing_moved)
{
    size_t i = a + 1, j = b - 1;
    *nothing_moved = true;
    swap(l, a, pivot);
    for (;;) {
        while (i <= j && less(l, i, a)) {
            i++;
        }
        while (i <= j && !less(l, j, a)) {
            j--;
        }
        if (i > j) {
            break;
        }
        *nothing_moved = false;
        swap(l, i++, j--);
    }
    swap(l, j, a);
    return j;
}

/** The pivot is a minimum: its equals first, and where the greater ones begin. */
static size_t partition_equal(const struct list *l, size_t a, size_t b, size_t pivot)
{
    size_t i = a + 1, j = b - 1;
    swap(l, a, pivot);
    for (;;) {
        while (i <= j && !less(l, a, i)) {
            i++;
        }
        while (i <= j && less(l, a, j)) {
            j--;
        }
        if (i > j) {
            return i;
        }
        swap(l, i++, j--);
    }
}

static void sort(const struct list *l, size_t a, size_t b, int limit)
{
    bool balanced = true, partitioned = true;
    for (;;) {
        if (b - a <= 12) {
            insertion_sort(l, a, b);
            return;
        }
        if (limit == 0) {
            heap_sort(l, a, b);
            return;
        }
        if (!balanced) {
            break_patterns(l, a, b);
            limit--;
        }
        enum hint hint;
        size_t pivot = choose_pivot(l, a, b, &hint);
        if (hint == DECREASING) {
            for (size_t i = a, j = b - 1; i < j; i++, j--) {
                swap(l, i, j);
            }
            pivot = (b - 1) - (pivot - a);
            hint = INCREASING;
        }
        if (balanced && partitioned && hint == INCREASING && partial_insertion_sort(l, a, b)) {
            return;
        }
        if (a > 0 && !less(l, a - 1, pivot)) {
            a = partition_equal(l, a, b, pivot);
            continue;
        }
        size_t middle = partition(l, a, b, pivot, &partitioned);
        size_t left = middle - a, right = b - middle, eighth = (b - a) / 8;
        if (left < right) {
            balanced = left >= eighth;
            sort(l, a, middle, limit);
            a = middle + 1;
        } else {
            balanced = right >= eighth;
            sort(l, middle + 1, b, limit);
            b = middle;
        }
    }
}

void ref_go_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    struct list list = { items, size, compare };
    int limit = 0;
    for (size_t n = count; n > 0; n /= 2) {
        limit++;
    }
    sort(&list, 0, count, limit);
}
