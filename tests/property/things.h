/* SPDX-License-Identifier: Apache-2.0 */
/* Small clusters out of things: pods, nodes, claims, pools, daemons and budgets, each made of its number and a variant.
 */
#ifndef PROPERTY_THINGS_H
#define PROPERTY_THINGS_H

#include <stdbool.h>

#include <karp/io.h>
#include <karp/karp.h>

enum {
    PODS = 240,
    NODES = 24,
    POOLS = 3,
    DAEMONS = 2,
    BUDGETS = 2,
    THINGS = PODS + 2 * NODES + POOLS + DAEMONS + BUDGETS
};

typedef struct world {
    karp_context *context;
    karp_catalogue *catalogue;
    unsigned variants[THINGS]; /* + 1; 0 = absent */
} world;

/* Fails the test, with the error shown, when the status is one. */
void must(karp_status status, const karp_error *error);

karp_status add_pod(karp_builder *b, unsigned number, unsigned variant, karp_error *error);
karp_status add_node(karp_builder *b, unsigned number, unsigned variant, bool claim, karp_error *error);
/* `thing` counts pods, nodes, claims, pools, daemons and budgets in a row. */
karp_status add_thing(karp_builder *b, unsigned thing, unsigned variant, karp_error *error);
karp_status remove_thing(karp_builder *b, unsigned thing, unsigned variant, karp_error *error);

karp_catalogue *make_catalogue(karp_context *context);
karp_snapshot *build_afresh(const world *w);
/* A launch plan and a disruption plan, one after the other; to be freed with free(). */
char *decisions_on(const world *w, const karp_snapshot *snapshot);

#endif
