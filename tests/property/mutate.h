/* SPDX-License-Identifier: Apache-2.0 */
/** @file mutate.h  Plans made wrong on purpose. */
#ifndef PROPERTY_MUTATE_H
#define PROPERTY_MUTATE_H

#include <jansson.h>
#include <stdint.h>

/** The ways, 0 … MUTATIONS − 1. */
enum { MUTATIONS = 16 };

/** "a pod is left out", … */
const char *mutation_name(unsigned way);

/**
 * A copy of the @p plan for @p world that is wrong in the given way, chosen by @p seed; NULL when the plan has nothing
 * that can be made wrong so, or when it is not certain that the result is wrong. *code receives the finding that must
 * come up.
 */
json_t *mutate(const json_t *world, const json_t *plan, unsigned way, uint64_t seed, const char **code);

#endif
