/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on what the input has and the decision does not use, each with the reason and what would change it. */
#ifndef IO_UNUSED_H
#define IO_UNUSED_H

#include <io/reader.h>

/* The name of a feature gate, from 0; NULL beyond the last. `bit` receives KARP_GATE_*. */
const char *io_gate_name(size_t index, uint32_t *bit);
/* Reads "NodeOverlay=true,StaticCapacity=false" of the reader's options. Errors: INVALID. */
karp_status io_gates_read(karp_reader *reader);
/* Lays the gates of the options over settings. */
void io_gates_apply(const karp_reader *reader, karp_settings *settings);

/* Without a Snapshot that states others (read_snapshot.c): keeps them for the dump. */
karp_status io_settle_gates(karp_reader *reader);

/* Finds NodePools that validation under these settings refuses, and says so in their conditions (check_pools.c). */
karp_status io_check_pools(karp_reader *reader, const karp_settings *settings);

/* As they go into the builder. Errors: NOMEM. */
karp_status io_unused_pool(karp_reader *reader, const karp_node_pool *pool);
karp_status io_unused_object(karp_reader *reader, uint32_t gate, karp_str name);
karp_status io_unused_node(karp_reader *reader, const karp_node *node);
karp_status io_unused_claim(karp_reader *reader, const karp_node_claim *claim);
/* Counts a Job that is suspended. */
karp_status io_unused_job(karp_reader *reader, const tree *root);
karp_status io_unused_workload(karp_reader *reader, const tree *root);
/* A kind that is not read, and the one that may be meant. */
karp_status io_unused_kind(karp_reader *reader, karp_str api_version, karp_str kind);
/* Once everything is known. Errors: NOMEM. */
karp_status io_unused_tell(karp_reader *reader);

#endif
