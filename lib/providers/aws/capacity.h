/* SPDX-License-Identifier: Apache-2.0 */
/* AWS's arithmetic: capacity and overhead of a type under a node class. */
#ifndef AWS_CAPACITY_H
#define AWS_CAPACITY_H

#include <providers/aws/facts.h>
#include <providers/aws/node_class.h>
#include <providers/aws/shared.h>

/* Settings of the provider itself. */
typedef struct aws_options {
    double vm_memory_overhead; /* the part of memory that the hypervisor takes; 0.075 unless set */
    int64_t reserved_enis;
} aws_options;

/* Fills capacity and overhead of `out`. Refused memory shows in s->failed. `shared` is of the same scratch, class and options. */
void aws_resources(scratch *s, const aws_type *type, const aws_node_class *node_class, const aws_options *options,
                   aws_shared *shared, karp_instance_type *out);

/* Is `text` what an eviction threshold may be: a quantity or a percentage? */
bool aws_threshold_valid(karp_str text);

bool aws_is_windows(aws_family family);

#endif
