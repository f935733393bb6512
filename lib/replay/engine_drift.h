/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes drift when the trace replaces the NodePool or node class that they were launched from. */
#pragma once

#include <replay/common.h>

/* What was replaced since nodes were looked at last. */
struct replay_drift {
    karp_snapshot *before; /* has the earlier NodePools; NULL = nothing was replaced */
    karp_node_class_ref *node_classes; /* whose fields changed */
    size_t class_count, class_capacity;
};

/* The trace replaces this object, before the snapshot changes. NULL = there was none. */
void drift_expect(engine *e, const tree *before, const tree *after);
/* Sets and clears the drift of nodes. */
void drift_note(engine *e);
void drift_free(engine *e);

/* The meter of drift: a command begins with the node, or lets it go; a node was launched; the node has ended. */
void drift_goes(engine *e, uint32_t node, bool goes);
void drift_launched(engine *e);
void drift_gone(engine *e, uint32_t node);
