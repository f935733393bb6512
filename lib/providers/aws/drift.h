/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an instance has drifted from its node class, and the repair policies for unhealthy nodes. */
#ifndef AWS_DRIFT_H
#define AWS_DRIFT_H

#include <providers/aws/node_class.h>
#include <providers/fail.h>

/* The first drift reason in the provider's order; "" = not drifted. `type`: requirements of the instance type, which
 * select its image. */
karp_str aws_drift(const aws_node_class *node_class, const karp_provider_node *node, const karp_requirement *type,
                   size_t count);

/* The class's hash as text, in `out`. */
enum { AWS_HASH_TEXT = 24 };
size_t aws_hash_text(uint64_t hash, char out[AWS_HASH_TEXT]);

extern const karp_repair_policy aws_repairs[];
extern const size_t aws_repair_count;

#endif
