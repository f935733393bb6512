/* SPDX-License-Identifier: Apache-2.0 */
/* What the provider adds to the input: its label tables, and for each NodePool the instance types under the pool's node
 * class. It is the one that was given or named, else aws. Failures leave their error in reader->error. */
#ifndef IO_BUILTIN_H
#define IO_BUILTIN_H

#include <io/reader.h>

#define IO_AWS "karpenter.k8s.aws"

/* Whether instance types come from the provider. */
bool io_builtin_types(const karp_reader *reader);

/* The provider, opened for the region that the input tells when it was only named. */
karp_status io_provider(karp_reader *reader, karp_provider **out);
/* Fails when there is no provider of the name given. */
karp_status io_provider_check(karp_reader *reader);
void io_provider_free(karp_reader *reader);
/* Whether the region is one that nobody asked for: the input's labels name it. */
bool io_region_told(const karp_reader *reader);

/* Without a Snapshot, which states its own: sets the label tables of the provider where it has the nodes, and makes what
 * the given catalogues name well known. */
karp_status io_settle_labels(karp_reader *reader);

/* Makes the catalogues: those that were given, else each pool's own. */
karp_status io_settle_catalogues(karp_reader *reader);
/* Hands them to the builder, once nodes and pods are there. */
karp_status io_give_catalogues(karp_reader *reader);

/* Has `provider` read the node class of waiting object `number`, completed from the one it is based on. */
karp_status io_read_node_class(karp_reader *reader, karp_provider *provider, uint32_t number,
                               karp_provider_class **out);

#endif
