/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the providers of the input's clouds (clouds.h) add to it: their label tables, and for each NodePool the instance
 * types under the pool's node class. Failures leave their error in reader->error.
 */
#pragma once

#include <io/reader.h>

/* For an input without a Snapshot (a Snapshot states its own labels): sets the provider's label tables where the
 * provider runs the nodes, and makes the labels of the given catalogues well-known. */
karp_status io_settle_labels(karp_reader *reader);

/* Makes the catalogues: those that were given, otherwise one for each pool. */
karp_status io_settle_catalogues(karp_reader *reader);
/* Passes the catalogues to the builder. Call it after all nodes and pods have been added. */
karp_status io_give_catalogues(karp_reader *reader);

/* Lets `provider` read the node class of deferred object `number`, after completing it from its base class. */
karp_status io_read_node_class(karp_reader *reader, karp_provider *provider, uint32_t number,
                               karp_provider_class **out);
