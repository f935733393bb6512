/* SPDX-License-Identifier: Apache-2.0 */
/* What the pods on a node make of it; for whoever has the node already (state_nodes.c makes nodes of what the input says). */
#ifndef MODEL_STATE_NODES_H
#define MODEL_STATE_NODES_H

#include <model/snapshot.h>

/* Its pods are those of its Node, which s->bound has, and what is left of it is what they leave. What that takes comes from the
 * arena. false = refused. */
bool state_node_load(const karp_snapshot *s, state_node *n, arena *to);

#endif
