/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of resources with exact amounts, ordered by resource id. Ids come from the store's table of resource names. */
#ifndef MODEL_RESOURCES_H
#define MODEL_RESOURCES_H

#include <base/amount.h>
#include <base/hash.h>
#include <karp/objects.h>

/* Ids every store has. */
enum { RESOURCE_CPU = 0, RESOURCE_MEMORY = 1, RESOURCE_PODS = 2, RESOURCE_NODES = 3, RESOURCE_FIXED = 4 };

typedef struct resource_amount {
    amount value;
    uint32_t resource;
    bool binary; /* print with binary suffixes */
} resource_amount;

typedef struct resource_list {
    resource_amount *items;
    uint32_t count;
} resource_list;

/* false = out of memory */
bool resource_names_init(strings *names, karp_context *context);
bool resource_is_hugepages(const strings *names, uint32_t resource);

/* A caller's list; a repeated name is an error (field "…[i]" is set by the caller from *bad). Errors: NOMEM, INVALID, RANGE. */
karp_status resource_list_read(strings *names, arena *a, const karp_resource *list, size_t count, resource_list *out,
                               size_t *bad, karp_error *error);

/* NULL = not in the list. */
const resource_amount *resource_list_find(resource_list list, uint32_t resource);
amount resource_list_get(resource_list list, uint32_t resource); /* zero when absent */

/* New lists in the arena. Status: OK, NOMEM, RANGE. A sum prints in the family of its first non-zero summand. */
karp_status resource_list_sum(arena *a, resource_list x, resource_list y, resource_list *out);
karp_status resource_list_max(arena *a, resource_list x, resource_list y, resource_list *out);
karp_status resource_list_subtract(arena *a, resource_list x, resource_list y, resource_list *out); /* x's keys only */
/* The sum of many lists, whose `count` entries stand one list after the other; the order of these is lost. */
karp_status resource_list_total(arena *a, resource_amount *items, size_t count, resource_list *out);
/* x with the entries of y added or replaced */
karp_status resource_list_override(arena *a, resource_list x, resource_list y, resource_list *out);
karp_status resource_list_set(arena *a, resource_list x, uint32_t resource, amount value, resource_list *out);

#endif
