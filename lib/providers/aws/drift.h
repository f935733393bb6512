/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a machine still is what its node class says, and how often sick nodes are replaced. */
#ifndef AWS_DRIFT_H
#define AWS_DRIFT_H

#include <providers/aws/node_class.h>
#include <providers/fail.h>

/* The first reason in the provider's order; "" = it has not drifted. `type`: its requirements, to find its image by. */
karp_str aws_drift(const aws_node_class *node_class, const karp_provider_node *node, const karp_requirement *type,
                   size_t count);

/* The class's hash as text, in `out`. */
enum { AWS_HASH_TEXT = 24 };
size_t aws_hash_text(uint64_t hash, char out[AWS_HASH_TEXT]);

extern const karp_repair_policy aws_repairs[];
extern const size_t aws_repair_count;

#endif
