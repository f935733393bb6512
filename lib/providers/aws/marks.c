/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/plugin.h>

#include <base/str.h>
#include <karp/library.h>

void aws_marks_free(aws_marks *m)
{
    for (size_t i = 0; i < m->count; i++) karp_free(m->context, m->list[i].text, m->list[i].bytes);
    karp_free(m->context, m->list, m->capacity * sizeof *m->list);
    m->list = NULL;
    m->count = m->capacity = 0;
}

static bool equal(const aws_mark *m, const karp_provider_scope *s)
{
    return equal_str(m->capacity_type, s->capacity_type) && equal_str(m->instance_type, s->instance_type) &&
           equal_str(m->zone, s->zone) && equal_str(m->group, s->group) && equal_str(m->partition, s->partition) &&
           equal_str(m->subnet, s->subnet) && equal_str(m->reservation, s->reservation);
}

static const char *wrong(const karp_provider_scope *s)
{
    bool place = s->instance_type.len || s->group.len || s->partition.len;
    if (s->family.len) return "EC2 does not report what a whole family lacks";
    bool reserved = s->reservation.len && str_is(s->capacity_type, "reserved") && s->instance_type.len && s->zone.len;
    if (reserved && !(s->group.len || s->partition.len || s->subnet.len)) return NULL;
    if (s->subnet.len || s->reservation.len) {
        bool alone = !(place || s->zone.len || s->capacity_type.len) && !(s->subnet.len && s->reservation.len);
        return alone ? NULL : "a subnet or a reservation stands alone, or a reservation with its type and zone";
    }
    if (!s->capacity_type.len && s->zone.len && !place) return NULL;
    if (!s->capacity_type.len) return "a capacity type, a zone alone, a subnet or a reservation is needed";
    if (!place && !s->zone.len) return NULL;
    if (!s->instance_type.len || !s->zone.len) return "a type and a zone belong together";
    return s->partition.len && !s->group.len ? "a partition is one of a placement group" : NULL;
}

static karp_str put(char **to, karp_str text)
{
    karp_str copy = { *to, text.len };
    if (text.len) memcpy(*to, text.ptr, text.len);
    (*to)[text.len] = '\0';
    *to += text.len + 1;
    return copy;
}

uint32_t aws_marks_add(aws_marks *m, const karp_provider_scope *s, int64_t now, int64_t ttl,
                       karp_provider_problem *problem)
{
    const char *why = wrong(s);
    if (why) return provider_problem(problem, KARP_PROVIDER_INVALID, "scope", "%s", why);
    if (ttl == 0) ttl = AWS_MARK_TTL;
    if (now > INT64_MAX - ttl)
        return provider_problem(problem, KARP_PROVIDER_INVALID, "now", "is too late: its end is after the year 2262");
    for (size_t i = 0; i < m->count; i++) {
        if (!equal(&m->list[i], s)) continue;
        if (m->list[i].until < now + ttl) m->list[i].until = now + ttl;
        return KARP_PROVIDER_OK;
    }
    size_t bytes = s->capacity_type.len + s->instance_type.len + s->zone.len + s->group.len + s->partition.len +
                   s->subnet.len + s->reservation.len + 7;
    bool room = grow(m->context, (void **)&m->list, &m->capacity, m->count + 1, sizeof *m->list);
    char *text = room ? karp_alloc(m->context, bytes) : NULL;
    if (!text) return provider_no_memory(problem);
    aws_mark *mark = &m->list[m->count++];
    char *at = text;
    mark->text = text;
    mark->bytes = bytes;
    mark->capacity_type = put(&at, s->capacity_type);
    mark->instance_type = put(&at, s->instance_type);
    mark->zone = put(&at, s->zone);
    mark->group = put(&at, s->group);
    mark->partition = put(&at, s->partition);
    mark->subnet = put(&at, s->subnet);
    mark->reservation = put(&at, s->reservation);
    mark->until = now + ttl;
    return KARP_PROVIDER_OK;
}

bool aws_marks_expire(aws_marks *m, int64_t now)
{
    size_t left = 0, before = m->count;
    for (size_t i = 0; i < before; i++) {
        if (m->list[i].until > now) m->list[left++] = m->list[i];
        else karp_free(m->context, m->list[i].text, m->list[i].bytes);
    }
    m->count = left;
    return left < before;
}

/* A mark without a group applies to every group; a mark of a group applies to all its partitions. */
bool aws_marked(const aws_marks *m, karp_str capacity_type, karp_str instance_type, karp_str zone, karp_str reservation,
                karp_str group, karp_str partition)
{
    for (size_t i = 0; i < m->count; i++) {
        const aws_mark *mark = &m->list[i];
        if (!equal_str(mark->capacity_type, capacity_type)) continue;
        if (mark->instance_type.len == 0) return true;
        if (!equal_str(mark->instance_type, instance_type) || !equal_str(mark->zone, zone)) continue;
        if (mark->reservation.len && !equal_str(mark->reservation, reservation)) continue;
        if (mark->group.len && !equal_str(mark->group, group)) continue;
        if (mark->partition.len == 0 || equal_str(mark->partition, partition)) return true;
    }
    return false;
}

bool aws_marks_concern(const aws_marks *m, karp_str instance_type)
{
    for (size_t i = 0; i < m->count; i++) {
        const aws_mark *mark = &m->list[i];
        if (mark->capacity_type.len && (!mark->instance_type.len || equal_str(mark->instance_type, instance_type)))
            return true;
    }
    return false;
}

bool aws_subnet_marked(const aws_marks *m, karp_str subnet)
{
    for (size_t i = 0; i < m->count && subnet.len; i++) {
        if (equal_str(m->list[i].subnet, subnet)) return true;
    }
    return false;
}

bool aws_reservation_full(const aws_marks *m, karp_str id)
{
    for (size_t i = 0; i < m->count && id.len; i++) {
        if (!m->list[i].capacity_type.len && equal_str(m->list[i].reservation, id)) return true;
    }
    return false;
}

bool aws_zone_shifted(const aws_marks *m, karp_str name, karp_str id)
{
    for (size_t i = 0; i < m->count; i++) {
        const aws_mark *mark = &m->list[i];
        if (mark->capacity_type.len || !mark->zone.len) continue;
        if (equal_str(mark->zone, name) || equal_str(mark->zone, id)) return true;
    }
    return false;
}
