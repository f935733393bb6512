/* SPDX-License-Identifier: Apache-2.0 */
/** @file plans.h  Two Plans compared by what they decide. */
#ifndef PROPERTY_PLANS_H
#define PROPERTY_PLANS_H

/**
 * The first differences of two Plan texts, to be freed with free(); NULL if they agree. Compared are launches (pool,
 * pods, types in order, requirements), placements, the pods that fit nowhere and those left out. Messages and codes are
 * free.
 */
char *plans_difference(const char *reference, const char *library);

#endif
