/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the input's nodes by instance type, zone and capacity type, and the CPUs that pending pods request. Prices
 * need both, whether the nodes are read before or after the Prices.
 */
#ifndef IO_NODE_KINDS_H
#define IO_NODE_KINDS_H

#include <io/reader.h>

typedef struct io_node_kind {
    karp_str type, zone, capacity_type;
    size_t count, unmanaged; /* how many of them are in no NodePool */
} io_node_kind;

/* Called for each node that is added to the builder. Errors: NOMEM. */
karp_status io_node_kinds_add(karp_reader *reader, const karp_node *node, bool unmanaged);
void io_pending_add(karp_reader *reader, const karp_pod *pod);

/* The type and offering of these nodes. false = no catalogue has them with a price. */
bool io_node_kind_find(const karp_reader *reader, const io_node_kind *kind, const karp_instance_type **type,
                       const karp_offering **offering);

#endif
