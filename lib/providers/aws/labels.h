/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of a type, as requirements: all labels of AWS's provider, some as DoesNotExist. */
#pragma once

#include <providers/aws/marks.h>
#include <providers/aws/capacity.h>
#include <karp/provider.h>

#define AWS_GROUP "karpenter.k8s.aws/"

/* A zone of the region, with its state for the node class. */
typedef struct aws_zone {
    karp_str name; /* us-west-2a */
    karp_str id; /* usw2-az1; "" = unknown */
    bool in_class; /* permits launches */
    bool out; /* temporarily excluded: shifted away, or all subnets there are marked */
} aws_zone;

/* Data shared by all types of a catalogue. */
typedef struct aws_place {
    karp_str region;
    const aws_marks *marks;
    karp_str group; /* the placement group's id; "" = none */
    aws_zone zones[AWS_ZONES_MOST];
    uint32_t zones_in_class; /* bits */
    bool full_is_unavailable; /* a reservation without a free instance, as before release 1.15 */
    const karp_str *partitions; /* "1" … of a partition placement group */
    size_t partition_count;
} aws_place;

extern const karp_str aws_key_zone, aws_key_zone_id, aws_key_capacity_type, aws_key_reservation_id,
    aws_key_reservation_type, aws_key_reservation_interruptible, aws_key_partition;

/* The number of the node class's reservations for this type. */
size_t aws_reservation_count(const aws_node_class *node_class, const aws_type *type);

/* Fills the requirements of `out`, whose name is set. They refer to constants and to `s`, which must also own the texts
 * of `place`. A refused allocation sets s->failed. `shared` must be for the same scratch and place. */
void aws_labels(scratch *s, const aws_type *type, const aws_node_class *node_class, const aws_place *place,
                aws_shared *shared, karp_instance_type *out);

/* ---- label tables ------------------------------------------------------------------------------------------------ */

/* Sets only the tables of `into`; the lists live forever. Well-known labels are sorted. */
void aws_label_tables(karp_provider_labels *into);
