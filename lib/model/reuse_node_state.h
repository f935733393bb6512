/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nodes and claims say, of a snapshot that continues another: the pairs that have something to do with those that came, went
 * or became others are joined anew, all others are what they were.
 */
#ifndef MODEL_REUSE_NODE_STATE_H
#define MODEL_REUSE_NODE_STATE_H

#include <model/state_nodes.h>

struct reused_node_state {
    bool any; /* some node or claim is not what it was */
    map64 providers; /* names ids of the provider ids that these have and had */
    state_node_list made; /* the pairs with those ids as they are now, by name; without their pods */
    arena data; /* what they point to */
};

/* *fits false: it cannot be had without looking at more. Errors: NOMEM. */
karp_status reused_node_state_find(struct reused_node_state *f, karp_snapshot *s, bool *fits, karp_error *error);
void reused_node_state_free(struct reused_node_state *f, karp_context *context);

/* Whether the state node of the snapshot before has such a provider id. */
bool reused_node_state_drop(const struct reused_node_state *f, const karp_snapshot *before, const state_node *n);

/* Calls `see` once for each place in the list of nodes, or of claims, where another stands than before, or none, or the first. The
 * lists had and have so many. false = some call returned that. */
bool each_changed(const karp_snapshot *s, enum kind kind, size_t before, size_t now,
                  bool (*see)(void *user, uint32_t index), void *user);

#endif
