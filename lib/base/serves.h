/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements of the public structs; whether a price rule or a commitment applies to an offering. */
#ifndef BASE_SERVES_H
#define BASE_SERVES_H

#include <karp/objects.h>
#include <stdbool.h>

/* The first requirement on the key; NULL = none. */
const karp_requirement *requirement_find(const karp_requirement *list, size_t count, karp_str key);

/* Whether the labels in `own` and `others` satisfy all of `wanted`. `own` takes precedence. Gt and Lt have one number
 * as value. */
bool requirements_served(const karp_requirement *wanted, size_t count, const karp_requirement *own, size_t own_count,
                         const karp_requirement *others, size_t other_count);

#endif
