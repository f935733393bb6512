/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of a type, as requirements: every label AWS's provider knows is there, some as DoesNotExist. */
#ifndef AWS_LABELS_H
#define AWS_LABELS_H

#include <providers/aws/facts.h>
#include <providers/aws/marks.h>
#include <providers/aws/node_class.h>
#include <providers/aws/shared.h>

#define AWS_GROUP "karpenter.k8s.aws/"

/* A zone of the region, and what the node class knows of it. */
typedef struct aws_zone {
    karp_str name; /* us-west-2a */
    karp_str id; /* usw2-az1; "" = not known */
    bool in_class; /* launches may go there … */
    bool out; /* … but not now: it is shifted away from, or none of the class's subnets there has addresses */
} aws_zone;

/* What is the same for all types of one catalogue. */
typedef struct aws_place {
    karp_str region;
    const aws_marks *marks;
    karp_str group; /* the placement group's id; "" = none */
    aws_zone zones[AWS_ZONES_MOST];
    uint32_t zones_in_class; /* bits */
    const karp_str *partitions; /* "1" … of a placement group by partitions */
    size_t partition_count;
} aws_place;

extern const karp_str aws_key_zone, aws_key_zone_id, aws_key_capacity_type, aws_key_reservation_id,
    aws_key_reservation_type, aws_key_reservation_interruptible, aws_key_partition;

/* Reservations of the node class for that type. */
size_t aws_reservation_count(const aws_node_class *node_class, const aws_type *type);

/* Fills the requirements of `out`, which has its name. They point into `s`, where the texts of the place have to be, too, and to
 * constants. Refused memory shows in s->failed. `shared` is of the same scratch and place. */
void aws_labels(scratch *s, const aws_type *type, const aws_node_class *node_class, const aws_place *place,
                aws_shared *shared, karp_instance_type *out);

#endif
