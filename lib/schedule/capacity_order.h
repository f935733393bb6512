/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of a template in the order of their room, one resource after the other: those that have room for an amount
 * are then the end of a list, and most of that is a mask that was made once. */
#ifndef SCHEDULE_CAPACITY_ORDER_H
#define SCHEDULE_CAPACITY_ORDER_H

#include <schedule/templates.h>

/* Takes the variants without room for the vector out of `bits`. On a refused allocation `failed` is set. */
void capacity_filter(scheduler *s, template_ *t, const int64_t *total, uint64_t *bits);

#endif
