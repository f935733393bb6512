/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The offerings of a type: each zone of the region, on-demand and spot, and the node class's reservations. Offerings
 * are unavailable in zones without the type or without capacity.
 */
#ifndef AWS_OFFERINGS_H
#define AWS_OFFERINGS_H

#include <providers/aws/labels.h>

/* Data shared by the offerings of all types; computed once. */
typedef struct aws_offering_parts {
    /* by zone and partition: [0] on-demand, [1] spot; NULL = out of memory */
    const karp_requirement *requirements[AWS_ZONES_MOST][2];
    size_t requirement_count[AWS_ZONES_MOST];
    size_t zones; /* of the region */
    size_t partitions; /* copies of each list, at least 1 */
} aws_offering_parts;

void aws_offering_parts_init(scratch *s, const aws_place *place, aws_offering_parts *out);

/* Fills the offerings of `out`: by zone, on-demand before spot, then reservations. A refused allocation sets
 * s->failed. */
void aws_offerings(scratch *s, const aws_type *type, const aws_node_class *node_class, const aws_place *place,
                   const aws_offering_parts *parts, karp_instance_type *out);

#endif
