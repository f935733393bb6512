/* SPDX-License-Identifier: Apache-2.0 */
/** @file shrink.h  Making a failing world small. */
#ifndef PROPERTY_SHRINK_H
#define PROPERTY_SHRINK_H

#include <jansson.h>
#include <stdbool.h>

/** Does a world still fail in the way that is looked for? */
typedef bool shrink_test(json_t *world, void *user);

/**
 * Takes objects, list items and fields out of @p world, in place, as long as it fails. What identifies an object and
 * its times stays, so that nothing that remains changes its meaning.
 */
void shrink(json_t *world, shrink_test *fails, void *user);

#endif
