/* SPDX-License-Identifier: Apache-2.0 */
/* AWS's arithmetic: capacity and overhead of an instance type under a node class. */
#ifndef AWS_CAPACITY_H
#define AWS_CAPACITY_H

#include <providers/aws/facts.h>
#include <providers/aws/node_class.h>
#include <providers/aws/shared.h>

/* Settings of the provider. */
typedef struct aws_options {
    double vm_memory_overhead; /* fraction of memory for the hypervisor; default 0.075 */
    int64_t reserved_enis;
} aws_options;

/* Fills capacity and overhead of `out`. A refused allocation sets s->failed. `shared` must be for the same scratch,
 * class and options. */
void aws_resources(scratch *s, const aws_type *type, const aws_node_class *node_class, const aws_options *options,
                   aws_shared *shared, karp_instance_type *out);

/* Whether `text` is a valid eviction threshold: a quantity or a percentage. */
bool aws_threshold_valid(karp_str text);

bool aws_is_windows(aws_family family);

#endif
