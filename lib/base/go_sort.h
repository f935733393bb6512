/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go's sort.Slice, which Karpenter uses: a quicksort that defeats patterns. It is deterministic, and above 12 elements
 * it does not keep the order of equals. Go has had this algorithm since 1.19; the tests hold it against Go 1.26.9.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    GO_SORT_SHORT = 12, /* lists up to this length are sorted by insertion, so that equals keep their order */
    GO_SORT_LONG = 50 /* from this length on the pivot is chosen from nine elements, and a few inversions are mended */
};

/* Sorts by the upper 32 bits, ascending. The lower 32 bits say which element it is. */
void go_sort(uint64_t *slots, size_t count);
