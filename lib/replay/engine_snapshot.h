/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster as a snapshot that is edited as the cluster changes. */
#pragma once

#include <replay/common.h>

struct replay_objects {
    trees memory;
    tree *documents; /* from the documents, with the objects that the trace applied */
    io_table index; /* "kind namespace/name" -> number; empty until the trace applies an object */
    tree **latest; /* by number */
    size_t count, capacity;
    trees shapes_memory;
    karp_snapshot *snapshot;
    uint32_t *dirty_pods, *dirty_nodes;
    size_t dirty_pod_count, dirty_pod_capacity, dirty_node_count, dirty_node_capacity;
    uint64_t rows_since_rebuild; /* rows removed: their memory is only freed by a new snapshot */
    bool stale; /* the next snapshot is built anew */
};

/* The current cluster: borrowed, NULL after a failure. */
karp_snapshot *engine_snapshot(engine *e);
/* Puts a changed copy in the place of an object: the next snapshot has it. */
void engine_replace_object(engine *e, const tree *object, tree *fresh);
/* A reader with the current objects, before its completion. */
karp_status engine_reader(engine *e, bool keep_documents, karp_reader **out);

/* ---- engine_dump.c */
karp_status engine_dump(engine *e, karp_text *out);
