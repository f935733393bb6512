/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots that differ from another in one object. */
#ifndef SUPPORT_EDITING_H
#define SUPPORT_EDITING_H

#include <karp/snapshot.h>

/* The pod default/NAME runs on the node, and asks for so much; node_name NULL = it is gone. NULL = some call failed. */
karp_snapshot *edited_pod(const karp_snapshot *from, const char *name, const char *node_name, const char *cpu);
/* The Node has room for so much, under the provider id "test://NAME"; cpu NULL = it is gone. Likewise. */
karp_snapshot *edited_node(const karp_snapshot *from, const char *name, const char *cpu);

#endif
