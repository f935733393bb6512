/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the known name that is most similar to a misspelt one. */
#pragma once

#include <base/str.h>

/* Candidates are offered one by one. Of equally similar ones, the first by name wins. */
typedef struct nearest {
    karp_str wanted, best; /* best.ptr NULL = none is similar */
    uint32_t distance; /* edit distance of the best one; initially the largest that counts as similar */
    bool by_family, by_zone; /* of a value: it is an instance type, or a zone */
} nearest;

nearest nearest_to(karp_str wanted);
/* The same for a label value. For instance types, the most similar is one of the same family, or else of a family
 * with the same letters ("p3dn" and "p5" for "p3") and the closest generation. */
nearest nearest_to_value(karp_str key, karp_str value);
void nearest_offer(nearest *n, karp_str candidate);

/* Whether NodePools list the value for any cluster: it is not misspelt where no instance type or offering has it. */
bool is_customary_value(karp_str key, karp_str value);

/* Of names as "us-east-1, us-west-2" the one that a misspelt name means: with the same letters and digits, or one
 * letter more, less or changed. Names with other digits are others. ptr NULL = none. */
karp_str nearest_place(karp_str wanted, karp_str names);
