/* SPDX-License-Identifier: Apache-2.0 */
#include <base/go_sort.h>

#include <stdbool.h>

enum {
    MOST_MENDED = 5,
    ALL_INVERTED = 12 /* number of exchanges if the elements that are looked at are in descending order */
};

enum hint { HINT_NONE, HINT_INCREASING, HINT_DECREASING };

static bool less(const uint64_t *x, size_t i, size_t j) { return x[i] >> 32 < x[j] >> 32; }

static void swap(uint64_t *x, size_t i, size_t j)
{
    uint64_t one = x[i];
    x[i] = x[j];
    x[j] = one;
}

static void reverse(uint64_t *x, size_t from, size_t to)
{
    while (from + 1 < to) swap(x, from++, --to);
}

static unsigned bit_length(size_t n)
{
    unsigned length = 0;
    for (; n > 0; n >>= 1) length++;
    return length;
}

static void insertion_sort(uint64_t *x, size_t from, size_t to)
{
    for (size_t i = from + 1; i < to; i++) {
        for (size_t j = i; j > from && less(x, j, j - 1); j--) swap(x, j, j - 1);
    }
}

/* ---- heap sort --------------------------------------------------------------------------------------------------- */

/* `x` is the start of the range, of which the first `count` elements are the heap. */
static void sift_down(uint64_t *x, size_t root, size_t count)
{
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && less(x, child, child + 1)) child++;
        if (!less(x, root, child)) return;
        swap(x, root, child);
        root = child;
    }
}

static void heap_sort(uint64_t *x, size_t count)
{
    for (size_t i = (count - 1) / 2 + 1; i-- > 0;) sift_down(x, i, count);
    for (size_t i = count; i-- > 0;) {
        swap(x, 0, i);
        sift_down(x, 0, i);
    }
}

/* ---- the pivot --------------------------------------------------------------------------------------------------- */

/* Puts two places in the order of their elements, and counts an exchange. */
static void order_places(const uint64_t *x, size_t *i, size_t *j, unsigned *exchanges)
{
    if (!less(x, *j, *i)) return;
    size_t one = *i;
    *i = *j;
    *j = one;
    ++*exchanges;
}

static size_t median(const uint64_t *x, size_t i, size_t j, size_t k, unsigned *exchanges)
{
    order_places(x, &i, &j, exchanges);
    order_places(x, &j, &k, exchanges);
    order_places(x, &i, &j, exchanges);
    return j;
}

static size_t choose_pivot(const uint64_t *x, size_t from, size_t to, enum hint *hint)
{
    size_t n = to - from, quarter = n / 4;
    size_t i = from + quarter, j = from + 2 * quarter, k = from + 3 * quarter;
    unsigned exchanges = 0;
    if (n >= GO_SORT_LONG) {
        i = median(x, i - 1, i, i + 1, &exchanges);
        j = median(x, j - 1, j, j + 1, &exchanges);
        k = median(x, k - 1, k, k + 1, &exchanges);
    }
    j = median(x, i, j, k, &exchanges);
    *hint = exchanges == 0 ? HINT_INCREASING : exchanges == ALL_INVERTED ? HINT_DECREASING : HINT_NONE;
    return j;
}

/* Exchanges three elements around the middle with others, chosen by a generator that starts with the length. */
static void break_patterns(uint64_t *x, size_t from, size_t to)
{
    size_t n = to - from, middle = from + n / 4 * 2;
    uint64_t random = n, mask = (UINT64_C(1) << bit_length(n)) - 1;
    for (size_t i = middle - 1; i <= middle + 1; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        size_t other = (size_t)(random & mask);
        if (other >= n) other -= n;
        swap(x, i, from + other);
    }
}

/* ---- partitions -------------------------------------------------------------------------------------------------- */

/* Mends a few inversions. false = there are more, and the list may have changed. */
static bool mend(uint64_t *x, size_t from, size_t to)
{
    size_t i = from + 1;
    for (unsigned mended = 0; mended < MOST_MENDED; mended++) {
        while (i < to && !less(x, i, i - 1)) i++;
        if (i == to) return true;
        if (to - from < GO_SORT_LONG) return false;
        swap(x, i, i - 1);
        for (size_t j = i - 1; i - from >= 2 && j >= 1 && less(x, j, j - 1); j--) swap(x, j, j - 1);
        for (size_t j = i + 1; to - i >= 2 && j < to && less(x, j, j - 1); j++) swap(x, j, j - 1);
    }
    return false;
}

/* Puts smaller elements before the pivot, and returns its new place. *was_partitioned: nothing had to be moved. */
static size_t partition(uint64_t *x, size_t from, size_t to, size_t pivot, bool *was_partitioned)
{
    size_t i = from + 1, j = to - 1;
    swap(x, from, pivot);
    *was_partitioned = true;
    for (;;) {
        while (i <= j && less(x, i, from)) i++;
        while (i <= j && !less(x, j, from)) j--;
        if (i > j) break;
        *was_partitioned = false;
        swap(x, i++, j--);
    }
    swap(x, j, from);
    return j;
}

/* The pivot is a minimum: puts its equals first, and returns where the greater ones begin. */
static size_t partition_equal(uint64_t *x, size_t from, size_t to, size_t pivot)
{
    size_t i = from + 1, j = to - 1;
    swap(x, from, pivot);
    for (;;) {
        while (i <= j && !less(x, from, i)) i++;
        while (i <= j && less(x, from, j)) j--;
        if (i > j) return i;
        swap(x, i++, j--);
    }
}

static void sort_range(uint64_t *x, size_t from, size_t to, unsigned limit)
{
    bool balanced = true, partitioned = true;
    while (to - from > GO_SORT_SHORT) {
        enum hint hint;
        if (limit == 0) {
            heap_sort(x + from, to - from);
            return;
        }
        if (!balanced) {
            break_patterns(x, from, to);
            limit--;
        }
        size_t pivot = choose_pivot(x, from, to, &hint);
        if (hint == HINT_DECREASING) {
            reverse(x, from, to);
            pivot = to - 1 - (pivot - from);
            hint = HINT_INCREASING;
        }
        if (balanced && partitioned && hint == HINT_INCREASING && mend(x, from, to)) return;
        if (from > 0 && !less(x, from - 1, pivot)) {
            from = partition_equal(x, from, to, pivot);
            continue;
        }
        size_t n = to - from, middle = partition(x, from, to, pivot, &partitioned);
        size_t left = middle - from, right = to - middle;
        balanced = (left < right ? left : right) >= n / 8;
        if (left < right) {
            sort_range(x, from, middle, limit);
            from = middle + 1;
        } else {
            sort_range(x, middle + 1, to, limit);
            to = middle;
        }
    }
    insertion_sort(x, from, to);
}

void go_sort(uint64_t *slots, size_t count) { sort_range(slots, 0, count, bit_length(count)); }
