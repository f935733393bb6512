/* SPDX-License-Identifier: Apache-2.0 */
/* The steps in which a state node is made. reuse_node_state.c and reuse_nodes.c use some of them. */
#ifndef MODEL_STATE_NODES_H
#define MODEL_STATE_NODES_H

#include <model/snapshot.h>

typedef LIST_OF(state_node) state_node_list;

/* The key by which a Node is joined to its NodeClaim: its provider id, else its name; a names id. */
static inline uint32_t node_provider(const node *n) { return n->provider_id != 0 ? n->provider_id : n->meta.name; }

/* Lists the pairs of Nodes and NodeClaims in the scheduler's cluster state, sorted by name, with their identity.
 * `only` has bits of provider ids; NULL = all. The caller frees the list in any case. false = out of memory. */
bool state_nodes_choose(const karp_snapshot *s, const uint64_t *only, state_node_list *out);
/* Sets what follows from the two members of a pair. false = it is not in the cluster state. */
bool state_node_identify(const karp_snapshot *s, state_node *n);
/* Their sort order. Equal names are in input order. */
int state_nodes_by_name(const karp_snapshot *s, const state_node *a, const state_node *b);
/* Sets the taints and amounts, in memory of the arena. false = out of memory. */
bool state_node_fill(const karp_snapshot *s, state_node *n, arena *to);
/* Sets the pods, which are those of its Node in s->bound, the amounts that they leave available, and the instance
 * type from the NodePool's table. false = out of memory. */
bool state_node_load(const karp_snapshot *s, state_node *n, arena *to);

#endif
