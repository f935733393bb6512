/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing the pods of an edited snapshot with those of the snapshot that it continues. Most places have the same
 * pod as before (store_pods.h), and the relative order of these pods is the same in every sort order. So only the
 * changes of an order are computed, and the rest is copied.
 */
#pragma once

#include <model/prepare.h>

/* Node state: pairs of Nodes and NodeClaims. Pairs with an added, removed or changed member are joined again, all
 * others are reused. */
struct reused_node_state {
    bool any; /* some Node or NodeClaim has changed */
    bool in_place; /* every pair has the members, the name and the position that it had */
    /* bits by names id: old and new provider ids of changed members; their state nodes are made again */
    uint64_t *providers;
    size_t provider_words;
    state_node_list made; /* the new pairs with these ids, sorted by name, without their pods */
    arena data; /* memory that they point to */
};

struct reused_pods {
    const karp_snapshot *before;
    bool alone; /* nobody else has it, nor will it be read again */
    bool emptied; /* its nodes were changed in place: if that does not go on to the end, it is of no further use */
    size_t count; /* current number of pods */
    uint32_t *gone, *fresh; /* places whose pod has changed, in `before` and now; both ascending */
    size_t gone_count, fresh_count;
    size_t capacity; /* capacity of each of the two; 0 = nothing was computed */
    struct reused_node_state node_state; /* the same for Nodes and NodeClaims */
    bool classes; /* classes were taken over as well */
    bool renumbered; /* some of these classes have a new number */
};

/* Compares two pods of a store. */
typedef int (*compare_pods)(const store *s, const pod *a, const pod *b);

int pods_by_name(const store *s, const pod *a, const pod *b); /* queue.c: by namespace and name */

/* Compares the pods of a store with those of `before`, the snapshot whose store it continues. Computes nothing if too
 * many have changed for it to be useful. false = out of memory. */
bool reused_pods_find(struct reused_pods *k, const karp_snapshot *before, const store *now);
void reused_pods_free(struct reused_pods *k, karp_context *context);

bool place_gone(const struct reused_pods *k, uint32_t place); /* whether its pod has changed */

/* Whether the comparison is valid for all pods of the snapshot; false without a snapshot before. */
bool pods_reused(const karp_snapshot *s);

/* The difference between two orders of all pods, or of some. */
typedef struct order_change {
    const struct reused_pods *pods;
    uint32_t *gone_at; /* positions in the old order, ascending */
    uint32_t *fresh_at; /* positions before which the fresh ones are inserted, ascending */
    uint32_t *fresh; /* the fresh pods, in order */
    size_t gone_count, fresh_count;
    bool none; /* the order has not changed */
} order_change;

/* Compares with the order `was` of the snapshot before. `ranks` has the position in it by place; NULL = not known.
 * `picks` selects the pods that are in the order; NULL = all. Pods that compare equal are in the order of their
 * places. false = out of memory. Call order_change_free() in any case. */
bool order_change_find(order_change *o, const karp_snapshot *s, const uint32_t *was, const uint32_t *ranks,
                       size_t count, compare_pods compare, bool (*picks)(const pod *p));
void order_change_free(order_change *o, karp_context *context);
/* Applies the change to data parallel to the order, with elements of `size` bytes. fresh[i] belongs to o->fresh[i]. */
void order_change_apply(const order_change *o, const void *was, size_t count, const void *fresh, size_t size,
                        void *out);
/* The position of each pod in the order `now`, where `was` has those in the old order. */
void order_change_ranks(const order_change *o, const karp_snapshot *s, const uint32_t *was, const uint32_t *now,
                        uint32_t *out);

/* *fits false: not possible without looking at more. Errors: NOMEM. */
karp_status reused_node_state_find(struct reused_node_state *f, karp_snapshot *s, bool *fits, karp_error *error);
void reused_node_state_free(struct reused_node_state *f, karp_context *context);
