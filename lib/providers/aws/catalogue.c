/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/catalogue.h>

#include <base/str.h>

/* EC2's maximum for a placement group. */
enum { PARTITIONS_MOST = 7 };

aws_settings aws_settings_default(void)
{
    return (aws_settings){ .options = { .vm_memory_overhead = 0.075 }, .zones = 7 };
}

/* A zone of the class is excluded if all its subnets are marked. */
static void use_subnets(scratch *s, const aws_node_class *c, const aws_marks *marks, aws_zone *zone)
{
    bool left = false;
    for (size_t k = 0; k < c->subnet_count; k++) {
        if (!equal_str(c->subnets[k].zone, zone->name)) continue;
        zone->in_class = true;
        left = left || !aws_subnet_marked(marks, c->subnets[k].id);
        if (c->subnets[k].zone_id.len) zone->id = scratch_text(s, c->subnets[k].zone_id);
    }
    zone->out = zone->in_class && !left;
}

/* `out` must be zeroed and in `s`. */
static bool make_place(scratch *s, const aws_facts *facts, const aws_marks *marks, const aws_settings *settings,
                       const aws_node_class *c, aws_place *out)
{
    out->region = scratch_text(s, facts->region);
    out->marks = marks;
    uint32_t known = aws_facts_zones(facts);
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        if (!(known >> i & 1)) continue;
        aws_zone *zone = &out->zones[i];
        zone->name = scratch_text(s, facts->zones[i]);
        if (c->subnet_count == 0) zone->in_class = settings->zones >> i & 1;
        else use_subnets(s, c, marks, zone);
        if (aws_zone_shifted(marks, zone->name, zone->id)) zone->out = true;
        if (zone->in_class) out->zones_in_class |= 1u << i;
        /* Without subnets only the configured zones of the region exist. */
        if (c->subnet_count == 0 && !zone->in_class) zone->name = (karp_str){ "", 0 };
    }
    const aws_placement_group *group = &c->placement_group;
    out->group = scratch_text(s, group->id);
    if (group->id.len && group->partitions > 0 && str_is(group->strategy, "partition")) {
        out->partition_count = group->partitions < PARTITIONS_MOST ? (size_t)group->partitions : PARTITIONS_MOST;
        karp_str *partitions = scratch_array(s, out->partition_count, sizeof *partitions);
        for (size_t i = 0; partitions && i < out->partition_count; i++) partitions[i] = scratch_uint(s, i + 1);
        out->partitions = partitions;
    }
    return !s->failed;
}

/* Whether some zone offers the type. */
static bool is_offered(const aws_type *t, const aws_place *place)
{
    if (!(t->flags & (EC2_ON_DEMAND | EC2_SPOT))) return false;
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        if ((t->zones >> i & 1) && place->zones[i].name.len) return true;
    }
    return false;
}

enum { REGIONS_ROOM = 200 };

static karp_status check(const aws_facts *facts, const aws_options *options, karp_error *error)
{
    if (!facts->region_known) {
        int shown = facts->region.len < 64 ? (int)facts->region.len : 64;
        char known[REGIONS_ROOM];
        aws_facts_regions(known, sizeof known);
        return provider_fail(error, KARP_E_NOT_FOUND, "region", "no facts of region \"%.*s\" are built in, but of %s",
                             shown, shown ? facts->region.ptr : "", known);
    }
    if (!(options->vm_memory_overhead >= 0 && options->vm_memory_overhead < 1)) {
        return provider_fail(error, KARP_E_INVALID, "vmMemoryOverheadPercent", "must be at least 0 and less than 1");
    }
    if (options->reserved_enis >= 0) return KARP_OK;
    return provider_fail(error, KARP_E_INVALID, "reservedENIs", "must not be negative");
}

karp_status aws_instance_types(scratch *s, const aws_facts *facts, const aws_marks *marks, const aws_settings *settings,
                               const aws_node_class *node_class, const karp_instance_type **types, size_t *count,
                               karp_error *error)
{
    static const aws_node_class plain;
    const aws_node_class *c = node_class ? node_class : &plain;
    karp_status status = check(facts, &settings->options, error);
    if (status) return status;
    aws_offering_parts parts;
    aws_place *place = scratch_array(s, 1, sizeof *place); /* offerings refer to it */
    karp_instance_type *list = scratch_array(s, facts->count, sizeof *list);
    aws_shared *shared = scratch_array(s, 1, sizeof *shared);
    if (!list || !place || !shared || !make_place(s, facts, marks, settings, c, place)) return provider_nomem(error);
    aws_offering_parts_init(s, place, &parts);
    size_t n = 0;
    for (size_t i = 0; i < facts->count && !s->failed; i++) {
        aws_type room;
        const aws_type *type = aws_facts_type(facts, i, &room);
        if (!settings->all_types && !is_offered(type, place)) continue;
        karp_instance_type *out = &list[n++];
        out->size = sizeof *out;
        out->name = scratch_text(s, type->name);
        aws_labels(s, type, c, place, shared, out);
        aws_resources(s, type, c, &settings->options, shared, out);
        aws_offerings(s, type, c, place, &parts, out);
    }
    if (s->failed) return provider_nomem(error);
    *types = list;
    *count = n;
    return KARP_OK;
}
