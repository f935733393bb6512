/* SPDX-License-Identifier: Apache-2.0 */
/* What a cloud had none of a while ago, by the caller's clock. */
#ifndef CLOUD_MARKS_H
#define CLOUD_MARKS_H

#include <base/str.h>
#include <providers/fail.h>

enum { CLOUD_MARK_TEXT = 64 };

typedef struct cloud_mark {
    /* "" = any */
    char capacity_type[CLOUD_MARK_TEXT], instance_type[CLOUD_MARK_TEXT], zone[CLOUD_MARK_TEXT], family[CLOUD_MARK_TEXT];
    int64_t least_cpus; /* with a family: types of fewer CPUs can still be had */
    int64_t until;
} cloud_mark;

typedef struct cloud_marks {
    const karp_allocator *allocator;
    cloud_mark *list;
    size_t count, capacity;
} cloud_marks;

void cloud_marks_free(cloud_marks *marks);
/* Adds one, or prolongs it. Parts of a scope that these clouds do not have are INVALID. */
uint32_t cloud_marks_add(cloud_marks *marks, const karp_provider_scope *scope, int64_t least_cpus, int64_t now,
                         int64_t ttl, karp_provider_problem *problem);
/* Drops what has ended; true = there was such. */
bool cloud_marks_expire(cloud_marks *marks, int64_t now);
bool cloud_marked(const cloud_marks *marks, karp_str capacity_type, karp_str instance_type, karp_str zone,
                  karp_str family, int64_t cpus);

#endif
