/* SPDX-License-Identifier: Apache-2.0 */
/* The members of an object one after the other, in their order. jansson's iterators take a changeable object; they change
 * nothing. */
#ifndef PROVIDERS_MEMBERS_H
#define PROVIDERS_MEMBERS_H

#include <jansson.h>
#include <string.h>

static inline json_t *same_object(const json_t *object)
{
    json_t *same;
    memcpy(&same, &object, sizeof same);
    return same;
}

static inline void *first_member(const json_t *object) { return json_object_iter(same_object(object)); }

static inline void *next_member(const json_t *object, void *at)
{
    return json_object_iter_next(same_object(object), at);
}

#endif
