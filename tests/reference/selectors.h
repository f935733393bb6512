/* SPDX-License-Identifier: Apache-2.0 */
/** @file selectors.h  Label selectors. */
#ifndef REFERENCE_SELECTORS_H
#define REFERENCE_SELECTORS_H

#include "requirements.h"

struct selector {
    bool given; /* false: nil */
    struct labels labels;
    struct expressions expressions;
};

struct selector ref_selector_read(const json_t *object);
/** A nil selector selects nothing, an empty one everything. */
bool ref_selects(const struct selector *selector, struct labels labels);
/** Adds `key In [value]`. Once more of the same is harmless: expressions are a set. */
void ref_selector_require(struct selector *selector, const char *key, const char *value);
/** Alike to the peer's structural hash: expressions are a set, equal values of one cancel in pairs. */
bool ref_selectors_alike(const struct selector *a, const struct selector *b);
/** Values that occur an odd number of times. */
struct names ref_odd(struct names values);

#endif
