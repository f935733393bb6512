/* SPDX-License-Identifier: Apache-2.0 */
/* What EC2 had none of a while ago: insufficient capacity, by the caller's clock. */
#ifndef AWS_MARKS_H
#define AWS_MARKS_H

#include <providers/aws/node_class.h>
#include <providers/fail.h>

#define AWS_MARK_TTL (INT64_C(180) * 1000000000)

typedef struct aws_mark {
    karp_str capacity_type, instance_type, zone, group, partition, subnet, reservation; /* "" = any */
    int64_t until;
    char *text; /* of all of them */
    size_t bytes;
} aws_mark;

typedef struct aws_marks {
    const karp_allocator *allocator;
    aws_mark *list;
    size_t count, capacity;
} aws_marks;

void aws_marks_free(aws_marks *marks);
/* Adds one, or prolongs it. EC2 tells of a type in a zone under a capacity type (and in a placement group, in a partition of
 * it), of a whole capacity type, of a subnet, of a reservation; and a zone that launches are shifted away from, by its name or id.
 * Anything else is INVALID. */
uint32_t aws_marks_add(aws_marks *marks, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                       karp_provider_problem *problem);
/* Drops what has ended; true = there was such. */
bool aws_marks_expire(aws_marks *marks, int64_t now);

/* Is there none of it? "" = not of a group, of a partition. */
bool aws_marked(const aws_marks *marks, karp_str capacity_type, karp_str instance_type, karp_str zone, karp_str group,
                karp_str partition);
/* Does any mark concern the type, or all types? Spares asking for each offering. */
bool aws_marks_concern(const aws_marks *marks, karp_str instance_type);
bool aws_subnet_marked(const aws_marks *marks, karp_str subnet);
bool aws_reservation_marked(const aws_marks *marks, karp_str id);
bool aws_zone_shifted(const aws_marks *marks, karp_str name, karp_str id); /* id "" = not known */

#endif
