/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to buy a type: each zone of the region, on demand and as spot, and the node class's reservations. In zones that do not
 * have it, or not now, they are not available. */
#ifndef AWS_OFFERINGS_H
#define AWS_OFFERINGS_H

#include <providers/aws/labels.h>

/* What offerings of all types share; made once. */
typedef struct aws_offering_parts {
    /* by zone and partition: [0] on demand, [1] spot; NULL = refused memory */
    const karp_requirement *requirements[AWS_ZONES_MOST][2];
    size_t requirement_count[AWS_ZONES_MOST];
    size_t zones; /* of the region */
    size_t partitions; /* copies of each, at least 1 */
} aws_offering_parts;

void aws_offering_parts_init(scratch *s, const aws_place *place, aws_offering_parts *out);

/* Fills the offerings of `out`: by zone, on demand before spot, then reservations. Refused memory shows in s->failed. */
void aws_offerings(scratch *s, const aws_type *type, const aws_node_class *node_class, const aws_place *place,
                   const aws_offering_parts *parts, karp_instance_type *out);

#endif
