/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on objects of the input that the decision does not use, each with the reason and what would change it. */
#ifndef IO_UNUSED_H
#define IO_UNUSED_H

#include <io/reader.h>

/* The name of a feature gate by index; NULL beyond the last. `bit` receives KARP_GATE_*. */
const char *io_gate_name(size_t index, uint32_t *bit);
/* Parses the reader's option for feature gates, e.g. "NodeOverlay=true,StaticCapacity=false". Errors: INVALID. */
karp_status io_gates_read(karp_reader *reader);
/* Overrides the gates in settings by those of the options. */
void io_gates_apply(const karp_reader *reader, karp_settings *settings);

/* If no Snapshot states gates (read_snapshot.c): keeps those of the options for the dump. */
karp_status io_settle_gates(karp_reader *reader);

/* Called for each object that is added to the builder. Errors: NOMEM. */
karp_status io_unused_pool(karp_reader *reader, const karp_node_pool *pool);
karp_status io_unused_object(karp_reader *reader, uint32_t gate, karp_str name);
karp_status io_unused_node(karp_reader *reader, const karp_node *node);
karp_status io_unused_claim(karp_reader *reader, const karp_node_claim *claim);
/* Counts a suspended Job. */
karp_status io_unused_job(karp_reader *reader, const tree *root);
karp_status io_unused_workload(karp_reader *reader, const tree *root);
/* Counts an object of a kind that is not read, and notes the kind that may have been meant. */
karp_status io_unused_kind(karp_reader *reader, karp_str api_version, karp_str kind);
/* Adds the notes. Call it after everything has been read. Errors: NOMEM. */
karp_status io_unused_note(karp_reader *reader);

#endif
