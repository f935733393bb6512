/* SPDX-License-Identifier: Apache-2.0 */
/* The known name that a misspelt one is nearest to. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

#include <base/str.h>

/* Candidates are offered one by one; among equally near ones the first by name wins. */
typedef struct nearest {
    karp_str wanted, best; /* best.ptr NULL = none is near */
    uint32_t distance; /* of the best one; at first the largest that is near */
    bool by_family;
} nearest;

nearest nearest_to(karp_str wanted);
/* The same of a label's value. Of instance types, one of the same family is nearest, then one of the family's letters ("p3dn" and
 * "p5" for "p3"), of the generation that is least far away. */
nearest nearest_to_value(karp_str key, karp_str value);
void nearest_offer(nearest *n, karp_str candidate);

#endif
