/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/bound.h>

#include <base/bits.h>
#include <string.h>

bool same_capacity(const bound_problem *p, uint32_t x, uint32_t y)
{
    return memcmp(p->capacity + (size_t)x * p->dims, p->capacity + (size_t)y * p->dims,
                  p->dims * sizeof *p->capacity) == 0;
}

bool offers_alike(const bound_problem *p, uint32_t x, uint32_t y)
{
    size_t words = bits_words(p->class_count);
    return same_capacity(p, x, y) &&
           memcmp(p->allowed + x * words, p->allowed + y * words, words * sizeof *p->allowed) == 0;
}

int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The common divisors of what the pods that fit the row request of each resource; 0 = they request nothing. */
static void find_units(const bound_problem *p, uint32_t row, int64_t *units)
{
    memset(units, 0, p->dims * sizeof *units);
    for (uint32_t c = 0; c < p->class_count; c++) {
        const int64_t *requests = p->requests + (size_t)c * p->dims;
        if (bound_copies(p, row, c) == 0) continue;
        for (uint32_t d = 0; d < p->dims; d++) {
            if (units[d] != 1) units[d] = common_divisor(requests[d], units[d]);
        }
    }
}

bool bound_use_whole_units(arena *a, bound_problem *p)
{
    size_t rows = p->offer_count + (size_t)p->node_count;
    int64_t *usable = arena_array(a, rows * p->dims + 1, sizeof *usable);
    int64_t *units = arena_array(a, p->dims + (size_t)1, sizeof *units);
    if (usable == NULL || units == NULL) return false;
    for (uint32_t r = 0; r < rows; r++) {
        int64_t *out = usable + (size_t)r * p->dims;
        if (r > 0 && offers_alike(p, r, r - 1)) {
            memcpy(out, out - p->dims, p->dims * sizeof *out);
            continue;
        }
        if (!mem_work(a->context, p->dims * (size_t)p->class_count)) return false;
        find_units(p, r, units);
        for (uint32_t d = 0; d < p->dims; d++) {
            int64_t has = p->capacity[(size_t)r * p->dims + d];
            out[d] = has > 0 && units[d] > 1 ? has - has % units[d] : has;
        }
    }
    p->capacity = usable;
    return true;
}
