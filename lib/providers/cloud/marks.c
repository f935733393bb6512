/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/cloud/marks.h>

#include <base/memory.h>
#include <karp/library.h>

void cloud_marks_free(cloud_marks *marks)
{
    karp_free(marks->context, marks->list, marks->capacity * sizeof *marks->list);
    marks->list = NULL;
    marks->count = marks->capacity = 0;
}

static bool put(char to[CLOUD_MARK_TEXT], karp_str text)
{
    if (text.len >= CLOUD_MARK_TEXT) return false;
    if (text.len) memcpy(to, text.ptr, text.len);
    to[text.len] = '\0';
    return true;
}

static bool same_scope(const cloud_mark *a, const cloud_mark *b)
{
    return strcmp(a->capacity_type, b->capacity_type) == 0 && strcmp(a->instance_type, b->instance_type) == 0 &&
           strcmp(a->zone, b->zone) == 0 && strcmp(a->family, b->family) == 0 && a->least_cpus == b->least_cpus;
}

uint32_t cloud_marks_add(cloud_marks *marks, const karp_provider_scope *scope, int64_t least_cpus, int64_t now,
                         int64_t ttl, karp_provider_problem *problem)
{
    cloud_mark mark;
    memset(&mark, 0, sizeof mark);
    if (scope->group.len || scope->partition.len || scope->subnet.len || scope->reservation.len) {
        return provider_problem(
            problem, KARP_PROVIDER_INVALID, "scope",
            "has a placement group, a subnet or a reservation, which is not supported for this cloud");
    }
    if (!put(mark.capacity_type, scope->capacity_type) || !put(mark.instance_type, scope->instance_type) ||
        !put(mark.zone, scope->zone) || !put(mark.family, scope->family))
        return provider_problem(problem, KARP_PROVIDER_INVALID, "scope", "a name is longer than any of the cloud's");
    if (ttl < 0 || now > INT64_MAX - ttl)
        return provider_problem(problem, KARP_PROVIDER_INVALID, "now", "is too late: its end is after the year 2262");
    mark.least_cpus = least_cpus;
    mark.until = now + ttl;
    for (size_t i = 0; i < marks->count; i++) {
        if (!same_scope(&marks->list[i], &mark)) continue;
        if (marks->list[i].until < mark.until) marks->list[i].until = mark.until;
        return KARP_PROVIDER_OK;
    }
    if (!grow(marks->context, (void **)&marks->list, &marks->capacity, marks->count + 1, sizeof mark))
        return provider_no_memory(problem);
    marks->list[marks->count++] = mark;
    return KARP_PROVIDER_OK;
}

bool cloud_marks_expire(cloud_marks *marks, int64_t now)
{
    size_t left = 0, before = marks->count;
    for (size_t i = 0; i < before; i++) {
        if (marks->list[i].until > now) marks->list[left++] = marks->list[i];
    }
    marks->count = left;
    return left < before;
}

static bool covers(const char *marked, karp_str what) { return !marked[0] || str_is(what, marked); }

bool cloud_marked(const cloud_marks *marks, karp_str capacity_type, karp_str instance_type, karp_str zone,
                  karp_str family, int64_t cpus)
{
    for (size_t i = 0; i < marks->count; i++) {
        const cloud_mark *m = &marks->list[i];
        if (covers(m->capacity_type, capacity_type) && covers(m->instance_type, instance_type) &&
            covers(m->zone, zone) && covers(m->family, family) && cpus >= m->least_cpus)
            return true;
    }
    return false;
}
