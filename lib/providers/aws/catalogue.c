/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/catalogue.h>

#include <string.h>

#include <karp/io.h>
#include <providers/aws/offerings.h>

/* EC2 has no groups with more. */
enum { PARTITIONS_MOST = 7 };

aws_settings aws_settings_default(karp_str region)
{
    return (aws_settings){ .region = region, .options = { .vm_memory_overhead = 0.075 }, .zones = 7 };
}

static bool same(karp_str a, karp_str b)
{
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

/* `out` is zeroed, and in `s`. */
static bool make_place(scratch *s, size_t region, const aws_settings *settings, const aws_node_class *c, aws_place *out)
{
    out->region = aws_region_name(region);
    uint32_t known = aws_region_zones(region);
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        if (!(known >> i & 1)) continue;
        aws_zone *zone = &out->zones[i];
        char *name = scratch_alloc(s, out->region.len + 2);
        if (!name) return false;
        memcpy(name, out->region.ptr, out->region.len);
        name[out->region.len] = (char)('a' + i);
        name[out->region.len + 1] = '\0';
        zone->name = (karp_str){ name, out->region.len + 1 };
        zone->in_class = c->subnet_count == 0 && (settings->zones >> i & 1);
        for (size_t k = 0; k < c->subnet_count; k++) {
            if (!same(c->subnets[k].zone, zone->name)) continue;
            zone->in_class = true;
            if (c->subnets[k].zone_id.len) zone->id = c->subnets[k].zone_id;
        }
        if (zone->in_class) out->zones_in_class |= 1u << i;
        /* Without subnets there is no more to the region than the zones that were asked for. */
        if (c->subnet_count == 0 && !zone->in_class) zone->name = (karp_str){ "", 0 };
    }
    const aws_placement_group *group = &c->placement_group;
    if (group->id.len && group->partitions > 0 && group->strategy.len == 9 && !memcmp(group->strategy.ptr, "partition", 9)) {
        out->partition_count = group->partitions < PARTITIONS_MOST ? (size_t)group->partitions : PARTITIONS_MOST;
        karp_str *partitions = scratch_array(s, out->partition_count, sizeof *partitions);
        for (size_t i = 0; partitions && i < out->partition_count; i++) partitions[i] = scratch_uint(s, i + 1);
        out->partitions = partitions;
    }
    return !s->failed;
}

/* Is there anything to say of the type here? */
static bool is_offered(const aws_type *t, const aws_place *place)
{
    if (t->on_demand == AWS_UNKNOWN || !(t->flags & (EC2_ON_DEMAND | EC2_SPOT))) return false;
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        if ((t->zones >> i & 1) && place->zones[i].name.len) return true;
    }
    return false;
}

karp_status aws_instance_types(scratch *s, const aws_settings *settings, const aws_node_class *node_class,
                               const karp_instance_type **types, size_t *count, karp_error *error)
{
    static const aws_node_class plain;
    const aws_node_class *c = node_class ? node_class : &plain;
    const aws_options *options = &settings->options;
    size_t region;
    if (!aws_region_find(settings->region, &region)) {
        int shown = settings->region.len < 64 ? (int)settings->region.len : 64;
        return aws_fail(error, KARP_E_NOT_FOUND, "region", "no facts of region \"%.*s\" are built in", shown,
                        shown ? settings->region.ptr : "");
    }
    if (!(options->vm_memory_overhead >= 0 && options->vm_memory_overhead < 1)) {
        return aws_fail(error, KARP_E_INVALID, "vmMemoryOverheadPercent", "must be at least 0 and less than 1");
    }
    if (options->reserved_enis < 0) return aws_fail(error, KARP_E_INVALID, "reservedENIs", "must not be negative");
    aws_offering_parts parts;
    aws_place *place = scratch_array(s, 1, sizeof *place); /* offerings point into it */
    karp_instance_type *list = scratch_array(s, aws_type_count(), sizeof *list);
    if (!list || !place || !make_place(s, region, settings, c, place)) {
        return aws_fail(error, KARP_E_NOMEM, "", "out of memory");
    }
    aws_offering_parts_init(s, place, &parts);
    size_t n = 0;
    for (size_t i = 0; i < aws_type_count() && !s->failed; i++) {
        aws_type type;
        aws_type_get(i, region, &type);
        if (!settings->all_types && !is_offered(&type, place)) continue;
        karp_instance_type *out = &list[n++];
        out->size = sizeof *out;
        out->name = type.name;
        aws_labels(s, &type, c, place, out);
        aws_resources(s, &type, c, options, out);
        aws_offerings(s, &type, c, place, &parts, out);
    }
    if (s->failed) return aws_fail(error, KARP_E_NOMEM, "", "out of memory");
    *types = list;
    *count = n;
    return KARP_OK;
}

karp_status aws_catalogue(karp_context *context, const aws_settings *settings, const aws_node_class *node_class,
                          karp_catalogue **out, karp_error *error)
{
    scratch s;
    scratch_init(&s, context);
    const karp_instance_type *types = NULL;
    size_t count = 0;
    karp_status status = aws_instance_types(&s, settings, node_class, &types, &count, error);
    if (status == KARP_OK) status = karp_catalogue_new(context, types, count, out, error);
    scratch_free(&s);
    return status;
}

karp_status karp_catalogue_builtin(karp_context *context, karp_str region, karp_catalogue **out, karp_error *error)
{
    aws_settings settings = aws_settings_default(region);
    return aws_catalogue(context, &settings, NULL, out, error);
}
