/* SPDX-License-Identifier: Apache-2.0 */
/* The known name that a misspelt one is nearest to. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stdint.h>

#include <base/str.h>

/* Candidates are offered one by one; among equally near ones the first by name wins. */
typedef struct nearest {
    karp_str wanted, best; /* best.ptr NULL = none is near */
    uint32_t distance; /* edits of the best one; at first the most that are near */
} nearest;

nearest nearest_to(karp_str wanted);
void nearest_offer(nearest *n, karp_str candidate);

#endif
