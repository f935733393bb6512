/* SPDX-License-Identifier: Apache-2.0 */
/* Offerings of a cloud that were unavailable recently, by the caller's clock. */
#pragma once

#include <base/str.h>
#include <providers/fail.h>

enum { CLOUD_MARK_TEXT = 64 };

typedef struct cloud_mark {
    /* "" = any */
    char capacity_type[CLOUD_MARK_TEXT], instance_type[CLOUD_MARK_TEXT], zone[CLOUD_MARK_TEXT], family[CLOUD_MARK_TEXT];
    int64_t least_cpus; /* with a family: types with fewer CPUs are still available */
    int64_t until;
} cloud_mark;

typedef struct cloud_marks {
    karp_context *context; /* not a reference */
    cloud_mark *list;
    size_t count, capacity;
} cloud_marks;

void cloud_marks_free(cloud_marks *marks);
/* Adds a mark, or extends it. Members of the scope that these clouds do not support are INVALID. */
uint32_t cloud_marks_add(cloud_marks *marks, const karp_provider_scope *scope, int64_t least_cpus, int64_t now,
                         int64_t ttl, karp_provider_problem *problem);
/* Removes expired marks; true = there were some. */
bool cloud_marks_expire(cloud_marks *marks, int64_t now);
bool cloud_marked(const cloud_marks *marks, karp_str capacity_type, karp_str instance_type, karp_str zone,
                  karp_str family, int64_t cpus);
