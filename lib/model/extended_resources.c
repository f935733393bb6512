/* SPDX-License-Identifier: Apache-2.0 */
#include <model/extended_resources.h>

#include <base/str.h>
#include <model/devices.h>

/* Every DeviceClass serves the resource of its own name as well. */
#define IMPLICIT "deviceclass.resource.kubernetes.io/"

static bool serves(const karp_snapshot *s, const device_class *c, karp_str resource)
{
    static const karp_str prefix = { IMPLICIT, sizeof IMPLICIT - 1 };
    if (c->extended != NO_TEXT && equal_str(text_of(s, c->extended), resource)) return true;
    return str_has_prefix(resource, prefix) &&
           equal_str((karp_str){ resource.ptr + prefix.len, resource.len - prefix.len }, name_of(s, c->meta.name));
}

static bool precedes(const karp_snapshot *s, const device_class *a, const device_class *b)
{
    if (a->meta.creation != b->meta.creation) return a->meta.creation > b->meta.creation;
    return compare_str(name_of(s, a->meta.name), name_of(s, b->meta.name)) < 0;
}

uint32_t extended_class(const karp_snapshot *s, uint32_t resource)
{
    const store *raw = &s->raw;
    uint32_t found = NO_ID;
    if (raw->device_classes.count == 0) return NO_ID;
    karp_str name = strings_get(&raw->resources, resource);
    if (memchr(name.ptr, '/', name.len) == NULL) return NO_ID; /* no extended resource */
    for (uint32_t i = 0; i < raw->device_classes.count; i++) {
        const device_class *c = &raw->device_classes.items[i];
        if (serves(s, c, name) && (found == NO_ID || precedes(s, c, &raw->device_classes.items[found]))) found = i;
    }
    return found;
}

bool shape_needs_devices(const karp_snapshot *s, const shape *h)
{
    bool any = h->has_claims;
    for (uint32_t i = 0; i < h->requests.count && !any && s->raw.device_classes.count > 0; i++)
        any = extended_class(s, h->requests.items[i].resource) != NO_ID;
    return any;
}

bool column_served(const karp_snapshot *s, uint32_t column)
{
    return s->devices != NULL && column != s->nowhere && extended_class(s, s->resource_of[column]) != NO_ID;
}
