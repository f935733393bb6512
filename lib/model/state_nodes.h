/* SPDX-License-Identifier: Apache-2.0 */
/* How a state node is made, in steps, for whoever makes only some (reused_node_state.c, reuse_nodes.c). */
#ifndef MODEL_STATE_NODES_H
#define MODEL_STATE_NODES_H

#include <model/snapshot.h>

typedef LIST_OF(state_node) state_node_list;

/* What a Node is joined to its claim by: its provider id, else its name; a names id. */
static inline uint32_t node_provider(const node *n) { return n->provider_id != 0 ? n->provider_id : n->meta.name; }

/* The pairs of Nodes and claims that the scheduler knows, by name, with what tells them apart; `only` are provider ids, as bits; NULL = all.
 * false = out of memory; the list is to be freed in any case. */
bool state_nodes_choose(const karp_snapshot *s, const uint64_t *only, state_node_list *out);
/* Their order: equal names are in that of the input. */
int state_nodes_by_name(const karp_snapshot *s, const state_node *a, const state_node *b);
/* Its taints and amounts; what that takes comes from the arena. false = out of memory. */
bool state_node_says(const karp_snapshot *s, state_node *n, arena *to);
/* Its pods are those of its Node, which s->bound has, and what is left of it is what they leave; its type is the pool's of that name.
 * false = out of memory. */
bool state_node_load(const karp_snapshot *s, state_node *n, arena *to);

#endif
