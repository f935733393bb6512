/* SPDX-License-Identifier: Apache-2.0 */
/* What there was none of: a size in a zone, or, where a quota ran out, a whole family. */
#include <providers/azure/azure.h>

#include <string.h>

static const int64_t usual_ttl = INT64_C(3600000000000); /* an hour */

static bool put(char *to, size_t room, karp_str text)
{
    if (text.len >= room) return false;
    if (text.len) memcpy(to, text.ptr, text.len);
    to[text.len] = '\0';
    return true;
}

static bool make_room(azure_handle *h)
{
    if (h->mark_count < h->mark_capacity) return true;
    size_t more = h->mark_capacity ? h->mark_capacity * 2 : 16;
    azure_mark *list = h->allocator->alloc(more * sizeof *list, h->allocator->user);
    if (!list) return false;
    if (h->mark_count) memcpy(list, h->marks, h->mark_count * sizeof *list);
    if (h->marks) h->allocator->free(h->marks, h->mark_capacity * sizeof *list, h->allocator->user);
    h->marks = list;
    h->mark_capacity = more;
    return true;
}

uint32_t azure_mark_add(void *handle, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                        karp_provider_problem *problem)
{
    azure_handle *h = handle;
    azure_mark mark;
    memset(&mark, 0, sizeof mark);
    if (scope->group.len || scope->partition.len || scope->subnet.len || scope->reservation.len ||
        !(scope->instance_type.len || scope->family.len) || scope->capacity_type.len == 0) {
        return azure_problem(problem, KARP_PROVIDER_INVALID, "scope",
                             "a capacity type and a size or family are needed, a zone is possible");
    }
    if (!put(mark.capacity_type, sizeof mark.capacity_type, scope->capacity_type) ||
        !put(mark.size, sizeof mark.size, scope->instance_type) || !put(mark.zone, sizeof mark.zone, scope->zone) ||
        !put(mark.family, sizeof mark.family, scope->family)) {
        return azure_problem(problem, KARP_PROVIDER_INVALID, "scope", "a name is longer than any of Azure's");
    }
    if (ttl == 0) ttl = usual_ttl;
    if (now > INT64_MAX - ttl) return azure_problem(problem, KARP_PROVIDER_INVALID, "now", "is beyond all time");
    if (!make_room(h)) return azure_problem(problem, KARP_PROVIDER_NO_MEMORY, "", "out of memory");
    mark.until = now + ttl;
    h->marks[h->mark_count++] = mark;
    h->generation++;
    return KARP_PROVIDER_OK;
}

void azure_marks_expire(void *handle, int64_t now)
{
    azure_handle *h = handle;
    size_t left = 0, before = h->mark_count;
    for (size_t i = 0; i < before; i++) {
        if (h->marks[i].until > now) h->marks[left++] = h->marks[i];
    }
    h->mark_count = left;
    if (left < before) h->generation++;
}

bool azure_marked(const azure_handle *h, const char *capacity_type, const char *size, const char *zone, karp_str family)
{
    for (size_t i = 0; i < h->mark_count; i++) {
        const azure_mark *m = &h->marks[i];
        if (strcmp(m->capacity_type, capacity_type) != 0) continue;
        if (m->size[0] && strcmp(m->size, size) != 0) continue;
        if (m->zone[0] && strcmp(m->zone, zone) != 0) continue;
        if (m->family[0] && !azure_is(family, m->family)) continue;
        return true;
    }
    return false;
}
