/* SPDX-License-Identifier: Apache-2.0 */
/* What the built-in provider adds to the input: its label tables, and for each NodePool the instance types under the
 * pool's node class. Failures leave their error in reader->error. */
#ifndef IO_BUILTIN_H
#define IO_BUILTIN_H

#include <io/reader.h>
#include <providers/aws/catalogue.h>

#define IO_AWS "karpenter.k8s.aws"

/* Whether instance types are the built-in ones. */
bool io_builtin_types(const karp_reader *reader);

/* Without a Snapshot, which states its own: sets the label tables of AWS where it provides the nodes, and makes what
 * the given catalogues name well known. */
karp_status io_settle_labels(karp_reader *reader);

/* Hands the catalogues to the builder: those that were given, else each pool's own. */
karp_status io_settle_catalogues(karp_reader *reader);

/* Reads the node class of waiting object `number`, completed from the one it is based on. */
karp_status io_read_node_class(karp_reader *reader, uint32_t number, scratch *s, aws_node_class *out);

#endif
