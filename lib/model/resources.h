/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of resources with exact amounts, sorted by resource id. Ids are those of the store's table of resource names.
 */
#pragma once

#include <base/amount.h>
#include <base/hash.h>
#include <karp/objects.h>

/* Ids that are the same in every store. */
enum { RESOURCE_CPU = 0, RESOURCE_MEMORY = 1, RESOURCE_PODS = 2, RESOURCE_NODES = 3, RESOURCE_FIXED = 4 };

typedef struct resource_amount {
    amount value;
    uint32_t resource;
    bool binary; /* printed with binary suffixes */
} resource_amount;

int by_resource(const void *a, const void *b, const void *user); /* a comparison for sort_stable() */

typedef struct resource_list {
    resource_amount *items;
    uint32_t count;
} resource_list;

/* false = out of memory */
bool resource_names_init(strings *names, karp_context *context);
bool resource_is_hugepages(const strings *names, uint32_t resource);

/* Reads a caller's list. A repeated name is an error. *bad receives the index of the entry, from which the caller
 * sets the error's field "…[i]". Errors: NOMEM, INVALID, RANGE. */
karp_status resource_list_read(strings *names, arena *a, const karp_resource *list, size_t count, resource_list *out,
                               size_t *bad, karp_error *error);

/* NULL = not in the list. */
const resource_amount *resource_list_find(resource_list list, uint32_t resource);
amount resource_list_get(resource_list list, uint32_t resource); /* zero when absent */

/* These create new lists in the arena. Status: OK, NOMEM, RANGE. A sum is printed in the suffix family of its first
 * non-zero summand. */
karp_status resource_list_sum(arena *a, resource_list x, resource_list y, resource_list *out);
karp_status resource_list_max(arena *a, resource_list x, resource_list y, resource_list *out);
/* only the resources of x */
karp_status resource_list_subtract(arena *a, resource_list x, resource_list y, resource_list *out);
/* The sum of many lists that are concatenated in `items`. Reorders `items`. */
karp_status resource_list_total(arena *a, resource_amount *items, size_t count, resource_list *out);
/* x with the entries of y added, or replaced by them */
karp_status resource_list_override(arena *a, resource_list x, resource_list y, resource_list *out);
karp_status resource_list_set(arena *a, resource_list x, uint32_t resource, amount value, resource_list *out);
