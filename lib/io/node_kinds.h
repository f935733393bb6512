/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of the input counted by instance type, zone and capacity type, and the CPUs that pending pods request: what prices need
 * to know of them, whether they come before the prices or after. */
#ifndef IO_NODE_KINDS_H
#define IO_NODE_KINDS_H

#include <io/reader.h>

typedef struct io_node_kind {
    karp_str type, zone, capacity_type;
    size_t count, unmanaged; /* of them in no NodePool */
} io_node_kind;

/* As they go into the builder. Errors: NOMEM. */
karp_status io_node_kinds_add(karp_reader *reader, const karp_node *node, bool unmanaged);
void io_pending_add(karp_reader *reader, const karp_pod *pod);

/* The type and offering that such nodes are; false = no catalogue has them with a price. */
bool io_node_kind_find(const karp_reader *reader, const io_node_kind *kind, const karp_instance_type **type,
                       const karp_offering **offering);

#endif
