/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary search:
 *
 *     bisection b = bisect(count);
 *     while (bisecting(&b)) bisect_step(&b, numbers[b.at] < number);
 *
 * `b.at` is the position to look at. The caller says whether what it searches for comes after that position. In the
 * end `b.at` is the first position for which this is not so, or the count.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct bisection {
    size_t at, low, high;
} bisection;

static inline bisection bisect(size_t count) { return (bisection){ .at = count / 2, .high = count }; }

static inline bool bisecting(const bisection *b) { return b->low < b->high; }

static inline void bisect_step(bisection *b, bool after)
{
    if (after) b->low = b->at + 1;
    else b->high = b->at;
    b->at = b->low + (b->high - b->low) / 2;
}
