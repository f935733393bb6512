/* SPDX-License-Identifier: Apache-2.0 */
/* Recent insufficient-capacity errors of EC2, by the caller's clock. */
#pragma once

#include <providers/aws/node_class.h>

#define AWS_MARK_TTL (INT64_C(180) * 1000000000)

typedef struct aws_mark {
    karp_str capacity_type, instance_type, zone, group, partition, subnet, reservation; /* "" = any */
    int64_t until;
    char *text; /* the text of all these members */
    size_t bytes;
} aws_mark;

typedef struct aws_marks {
    karp_context *context; /* not a reference */
    aws_mark *list;
    size_t count, capacity;
} aws_marks;

void aws_marks_free(aws_marks *marks);
/* Adds a mark, or extends it. A scope of EC2 is one of: a type in a zone with a capacity type (optionally in a
 * placement group, and in a partition of it), a capacity type, a subnet, a reservation that has no free capacity, a
 * reservation with its type and zone that cannot be used for another reason, or a zone that launches are shifted away
 * from, by name or id. Anything else is INVALID. */
uint32_t aws_marks_add(aws_marks *marks, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                       karp_provider_problem *problem);
/* Removes expired marks; true = there were some. */
bool aws_marks_expire(aws_marks *marks, int64_t now);

/* Whether this is marked as unavailable. "" = without a reservation, a group, or a partition. */
bool aws_marked(const aws_marks *marks, karp_str capacity_type, karp_str instance_type, karp_str zone,
                karp_str reservation, karp_str group, karp_str partition);
/* Whether any mark concerns the type, or all types. If not, individual offerings need no check. */
bool aws_marks_concern(const aws_marks *marks, karp_str instance_type);
bool aws_subnet_marked(const aws_marks *marks, karp_str subnet);
bool aws_reservation_full(const aws_marks *marks, karp_str id);
bool aws_zone_shifted(const aws_marks *marks, karp_str name, karp_str id); /* id "" = unknown */
