/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot takes over from the one it continues: most places have the pods they had (store_pods.h), and those stand in
 * the same order, whatever they are ordered by. So of an order only what became different is found; the rest is copied.
 */
#ifndef MODEL_REUSE_PODS_H
#define MODEL_REUSE_PODS_H

#include <model/state_nodes.h>

/* What nodes and claims say: pairs with a node or claim that came, went or changed are joined anew, all others are reused. */
struct reused_node_state {
    bool any; /* some node or claim is not what it was */
    uint64_t
        *providers; /* bits by names id: the provider ids that these have and had; whose state nodes are made anew */
    size_t provider_words;
    state_node_list made; /* the pairs with those ids as they are now, by name; without their pods */
    arena data; /* what they point to */
};

struct reused_pods {
    const karp_snapshot *before;
    size_t count; /* pods there are now */
    uint32_t *gone, *fresh; /* places whose pod is not what it was: in `before`, and now; both in order */
    size_t gone_count, fresh_count;
    size_t room; /* of each of the two; 0 = nothing was found */
    struct reused_node_state node_state; /* likewise of nodes and claims */
    bool classes; /* classes were taken over, too … */
    bool renumbered; /* … but some have another number */
};

/* Compares the pods of a store by what they say. */
typedef int (*compare_pods)(const store *s, const pod *a, const pod *b);

int pods_by_name(const store *s, const pod *a, const pod *b); /* pod_names.c: by namespace and name */

/* What became of the pods of `before` in a store that continues its store. Nothing, where too much is different for it to be of
 * use. false = out of memory. */
bool reused_pods_find(struct reused_pods *k, const karp_snapshot *before, const store *now);
void reused_pods_free(struct reused_pods *k, karp_context *context);

bool place_gone(const struct reused_pods *k, uint32_t place); /* whether its pod is not what it was */

/* Whether all that was found holds for the pods of the snapshot; never without a snapshot before. */
bool pods_reused(const karp_snapshot *s);

/* How an order of all pods, or of some, became another. */
typedef struct order_change {
    const struct reused_pods *pods;
    uint32_t *gone_at; /* positions in the order as it was, ascending */
    uint32_t *fresh_at; /* likewise, before which the fresh ones come … */
    uint32_t *fresh; /* … in their order */
    size_t gone_count, fresh_count;
    bool none; /* the order is what it was */
} order_change;

/* Of the pods in the order `was`, of the snapshot before; `ranks` has their positions in it by place, NULL = nobody noted them;
 * `picks` tells which pods are in it, NULL = all. Equals come in the order of their places. false = out of memory. To be freed in
 * any case. */
bool order_change_find(order_change *o, const karp_snapshot *s, const uint32_t *was, const uint32_t *ranks,
                       size_t count, compare_pods compare, bool (*picks)(const pod *p));
void order_change_free(order_change *o, karp_context *context);
/* What stands beside the order, `size` bytes each, in the new one; fresh[i] belongs to o->fresh[i]. */
void order_change_apply(const order_change *o, const void *was, size_t count, const void *fresh, size_t size,
                        void *out);
/* By pod its position in the order `now`, when `was` has it for the order before. */
void order_change_ranks(const order_change *o, const karp_snapshot *s, const uint32_t *was, const uint32_t *now,
                        uint32_t *out);

/* *fits false: it cannot be had without looking at more. Errors: NOMEM. */
karp_status reused_node_state_find(struct reused_node_state *f, karp_snapshot *s, bool *fits, karp_error *error);
void reused_node_state_free(struct reused_node_state *f, karp_context *context);

/* Calls `see` once for each place in the list of nodes, or of claims, where another stands than before, or none, or the first. The
 * lists had and have so many. false = some call returned that. */
bool each_changed(const karp_snapshot *s, enum kind kind, size_t before, size_t now,
                  bool (*see)(void *user, uint32_t index), void *user);

#endif
