/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Karpenter's slice of open claims. It is sorted by pod count before each attempt at a pod, with Go's sort.Slice, which
 * does not keep the order of equals above 12 elements (go_sort.h). What the sort does is known beforehand except in a
 * few cases, because since the last one a single claim has received a pod or has been opened.
 *
 * The slice also has the claims that are retired. With the option for a stable order it is not maintained.
 */
#pragma once

#include <schedule/common.h>

enum { SLICE_QUARTERS = 3 };

struct claim_slice {
    uint32_t count, first;
    uint32_t *last; /* by pod count: the last claim with so many pods, NO_ID = none; in the round's arena */
    uint32_t last_count;
    uint32_t quarters[SLICE_QUARTERS]; /* the claims at 1/4, 2/4, 3/4, where Go looks for a pivot; from 50 claims on */
    uint64_t *slots; /* scratch for sorting; in the round's arena */
    uint32_t slot_count;
};

void slice_clear(scheduler *s);

/* Sort the slice, and give the claim its stamp. true = claims with equally many pods have changed places, so that all
 * claims have other stamps. */
bool slice_sort_grown(scheduler *s, uint32_t number); /* the claim has received one pod */
bool slice_sort_opened(scheduler *s, uint32_t number); /* the claim is new and has one pod */
/* Sorts the slice after claims that are in no list have lost pods. */
void slice_sort_again(scheduler *s);
