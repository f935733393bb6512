/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/plugin.h>

#include <base/error.h>
#include <base/nearest.h>
#include <providers/aws/devices.h>

/* ---- offerings: of each zone of the region, and of the class's reservations -------------------------------------- */

enum { REQUIREMENTS_MOST = 7 };

/* Data shared by the offerings of all types; computed once. */
typedef struct offering_parts {
    /* by zone and partition: [0] on-demand, [1] spot; NULL = out of memory */
    const karp_requirement *requirements[AWS_ZONES_MOST][2];
    size_t requirement_count[AWS_ZONES_MOST];
    size_t zones; /* of the region */
    size_t partitions; /* copies of each list, at least 1 */
} offering_parts;

static const karp_str on_demand[] = { TEXT("on-demand") }, spot[] = { TEXT("spot") }, reserved[] = { TEXT("reserved") };
static const karp_str word_true[] = { TEXT("true") }, word_false[] = { TEXT("false") };

static karp_requirement in(karp_str key, const karp_str *value)
{
    return (karp_requirement){ .key = key, .op = KARP_OP_IN, .values = value, .value_count = 1 };
}

static karp_requirement none(karp_str key) { return (karp_requirement){ .key = key, .op = KARP_OP_DOES_NOT_EXIST }; }

/* Requirements of a zone's offerings: one list for each partition, one after the other. */
static karp_requirement *of_zone(scratch *s, const aws_place *place, const aws_zone *zone,
                                 const karp_str *capacity_type, size_t copies, size_t *count)
{
    karp_requirement *list = scratch_array(s, copies * REQUIREMENTS_MOST, sizeof *list);
    *count = 0;
    if (!list) return NULL;
    for (size_t i = 0; i < copies; i++) {
        karp_requirement *r = list + i * REQUIREMENTS_MOST;
        size_t n = 0;
        r[n++] = in(aws_key_capacity_type, capacity_type);
        r[n++] = in(aws_key_zone, &zone->name);
        r[n++] = none(aws_key_reservation_id);
        r[n++] = none(aws_key_reservation_type);
        r[n++] = none(aws_key_reservation_interruptible);
        if (zone->id.len) r[n++] = in(aws_key_zone_id, &zone->id);
        if (place->partition_count) r[n++] = in(aws_key_partition, &place->partitions[i]);
        *count = n;
    }
    return list;
}

static void make_parts(scratch *s, const aws_place *place, offering_parts *out)
{
    out->partitions = place->partition_count ? place->partition_count : 1;
    out->zones = 0;
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        const aws_zone *zone = &place->zones[i];
        if (zone->name.len == 0) continue;
        out->zones++;
        out->requirements[i][0] = of_zone(s, place, zone, on_demand, out->partitions, &out->requirement_count[i]);
        out->requirements[i][1] = of_zone(s, place, zone, spot, out->partitions, &out->requirement_count[i]);
    }
}

/* ---- whether launches of the class can use the type -------------------------------------------------------------- */

/* Built-in types lack the number of interfaces of each card: it is assumed to equal that of the default card. */
static bool card_takes(const aws_type *t, const aws_network_interface *interface)
{
    if (interface->card >= t->network_cards || interface->card >= AWS_CARDS_MOST) return false;
    return interface->device < (t->cards_told ? t->card_enis[interface->card] : t->enis);
}

/* Even an empty list requires the driver of such interfaces. */
static bool interfaces_fit(const aws_type *t, const aws_node_class *c)
{
    int64_t efas = 0;
    if (c->has_interfaces && (t->flags & EC2_NO_ENA)) return false;
    for (size_t i = 0; i < c->interface_count; i++) {
        if (!card_takes(t, &c->interfaces[i])) return false;
        if (c->interfaces[i].efa_only) efas++;
    }
    return efas <= t->efas;
}

static bool placement_fits(const aws_type *t, const aws_placement_group *group)
{
    if (group->id.len == 0) return true;
    if (str_is(group->strategy, "cluster")) return (t->flags & EC2_CLUSTER_PLACEMENT) != 0;
    if (str_is(group->strategy, "partition")) return !(t->flags & EC2_NO_PARTITION_PLACEMENT);
    return !(str_is(group->strategy, "spread") && (t->flags & EC2_NO_SPREAD_PLACEMENT));
}

static bool fits_class(const aws_type *t, const aws_node_class *c)
{
    if (c->family == AWS_AL2023 && str_starts(t->name, "a1.")) return false; /* AL2023 needs newer cores */
    if (c->connection_tracking && !str_is(t->hypervisor, "nitro")) return false;
    if (c->nested_virtualization && !(t->flags & EC2_NESTED_VIRTUALIZATION)) return false;
    if (c->enclaves && !(t->flags & EC2_NITRO_ENCLAVES)) return false;
    return interfaces_fit(t, c) && placement_fits(t, &c->placement_group);
}

typedef struct offerings {
    karp_offering *list;
    size_t count;
    const offering_parts *parts;
    const aws_place *place;
    karp_str type;
    bool marked; /* some mark concerns the type */
} offerings;

static bool is_marked(const offerings *o, karp_str capacity_type, karp_str zone, karp_str reservation, size_t partition)
{
    karp_str none = TEXT("");
    if (!o->marked) return false;
    return aws_marked(o->place->marks, capacity_type, o->type, zone, reservation, o->place->group,
                      o->place->partition_count ? o->place->partitions[partition] : none);
}

static void add_copies(offerings *o, const karp_requirement *first, size_t count, double price, int64_t capacity,
                       bool open)
{
    /* The first three requirements of of_zone() and add_reserved(). */
    karp_str capacity_type = first[0].values[0], zone = first[1].values[0], reservation = TEXT("");
    if (first[2].value_count > 0) reservation = first[2].values[0];
    bool known = price != AWS_UNKNOWN;
    for (size_t i = 0; i < o->parts->partitions; i++) {
        bool there = open && !is_marked(o, capacity_type, zone, reservation, i);
        o->list[o->count++] = (karp_offering){
            .requirements = first + i * REQUIREMENTS_MOST,
            .requirement_count = count,
            .price = known ? price : 0,
            .reservation_capacity = capacity,
            .available = there && known,
            .awaits_price = there && !known,
        };
    }
}

/*
 * A reservation is treated as almost free: a ten-millionth of the price keeps the order among several. From release
 * 1.15 on, one without a free instance is available, though nothing can be launched from it
 * (offering/reserved_capacity_resolver.go).
 */
static void add_reserved(scratch *s, offerings *o, const aws_type *t, const aws_place *place, const aws_reservation *r,
                         bool fits)
{
    const aws_zone *zone = NULL;
    uint32_t bit = 0;
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        karp_str name = place->zones[i].name;
        if (!equal_str(name, r->zone)) continue;
        zone = &place->zones[i];
        bit = 1u << i;
    }
    karp_requirement *list = scratch_array(s, o->parts->partitions * REQUIREMENTS_MOST, sizeof *list);
    karp_str *texts = scratch_array(s, 3, sizeof *texts);
    size_t n = 0;
    if (!list || !texts) return;
    texts[0] = scratch_text(s, r->zone);
    texts[1] = scratch_text(s, r->id);
    texts[2] = scratch_text(s, r->kind);
    for (size_t i = 0; i < o->parts->partitions; i++) {
        karp_requirement *into = list + i * REQUIREMENTS_MOST;
        n = 0;
        into[n++] = in(aws_key_capacity_type, reserved);
        into[n++] = in(aws_key_zone, &texts[0]);
        into[n++] = in(aws_key_reservation_id, &texts[1]);
        into[n++] = in(aws_key_reservation_type, &texts[2]);
        into[n++] = in(aws_key_reservation_interruptible, r->interruptible ? word_true : word_false);
        if (zone && zone->id.len) into[n++] = in(aws_key_zone_id, &zone->id);
        if (place->partition_count) into[n++] = in(aws_key_partition, &place->partitions[i]);
    }
    int64_t left = aws_reservation_full(place->marks, r->id) ? 0 : r->available_count;
    bool available = fits && !r->expiring && (t->zones & place->zones_in_class & bit) && !zone->out;
    if (place->full_is_unavailable) available = available && left > 0;
    double price = zone ? aws_on_demand(t, (size_t)(zone - place->zones)) : t->on_demand;
    price = price == AWS_UNKNOWN ? 0 : price / 10000000.0;
    add_copies(o, list, n, price, left, available);
}

/* Fills the offerings of `out`: by zone, on-demand before spot, then reservations. A refused allocation sets
 * s->failed. */
static void add_offerings(scratch *s, const aws_type *t, const aws_node_class *c, const aws_place *place,
                          const offering_parts *parts, karp_instance_type *out)
{
    size_t reservations = aws_reservation_count(c, t);
    offerings o = {
        .parts = parts, .place = place, .type = t->name, .marked = aws_marks_concern(place->marks, t->name)
    };
    o.list = scratch_alloc(s, (parts->zones * 2 + reservations) * parts->partitions * sizeof *o.list + 1);
    if (s->failed) return;
    bool fits = fits_class(t, c);
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        const aws_zone *zone = &place->zones[i];
        if (zone->name.len == 0) continue;
        bool open = fits && (t->zones >> i & 1) && zone->in_class && !zone->out;
        size_t count = parts->requirement_count[i];
        if (t->flags & EC2_ON_DEMAND) add_copies(&o, parts->requirements[i][0], count, aws_on_demand(t, i), 0, open);
        if (t->flags & EC2_SPOT) add_copies(&o, parts->requirements[i][1], count, t->spot[i], 0, open);
    }
    for (size_t i = 0; i < c->reservation_count; i++) {
        const aws_reservation *r = &c->reservations[i];
        if (!equal_str(r->instance_type, t->name)) continue;
        add_reserved(s, &o, t, place, r, fits);
    }
    out->offerings = o.list;
    out->offering_count = o.count;
}

/* ---- the catalogue ----------------------------------------------------------------------------------------------- */

/* EC2's maximum for a placement group. */
enum { PARTITIONS_MOST = 7 };

aws_settings aws_settings_default(void)
{
    return (aws_settings){ .options = { .vm_memory_overhead = 0.075 }, .zones = 7 };
}

static bool names_zone(karp_str names, karp_str zone)
{
    while (names.len > 0) {
        if (equal_str(str_until(&names, ','), zone)) return true;
    }
    return false;
}

/* The account's name of a zone whose id the facts state. "" = the name is that of another zone, by its id: then the
 * class has no subnet in this one. */
static karp_str name_by_id(scratch *s, const aws_node_class *c, karp_str id, karp_str name)
{
    karp_str found = name;
    for (size_t k = 0; k < c->subnet_count && id.len > 0; k++) {
        const aws_subnet *subnet = &c->subnets[k];
        if (equal_str(subnet->zone_id, id)) return scratch_text(s, subnet->zone);
        if (subnet->zone_id.len > 0 && equal_str(subnet->zone, name)) found = str("");
    }
    return found;
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
    out->full_is_unavailable = settings->release_1_14_3;
    uint32_t known = aws_facts_zones(facts), before = 0; /* availability zones before this one */
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        if (!(known >> i & 1)) continue;
        aws_zone *zone = &out->zones[i];
        zone->name = name_by_id(s, c, facts->zone_ids[i], scratch_text(s, facts->zones[i]));
        bool local = aws_zone_is_local(facts, zone->name);
        if (c->subnet_count == 0)
            zone->in_class = (!local && (settings->zones >> before & 1)) ||
                             names_zone(settings->zone_names, zone->name);
        else use_subnets(s, c, marks, zone);
        if (aws_zone_shifted(marks, zone->name, zone->id)) zone->out = true;
        if (zone->in_class) out->zones_in_class |= 1u << i;
        /* Without subnets only the configured zones of the region exist. */
        if (c->subnet_count == 0 && !zone->in_class) zone->name = (karp_str){ "", 0 };
        before += !local;
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
        int shown = str_shown(facts->region, 64);
        char known[REGIONS_ROOM];
        aws_facts_regions(known, sizeof known);
        karp_str near = nearest_place(facts->region, str(known));
        return provider_fail(error, KARP_E_NOT_FOUND, "region",
                             "no facts of region \"%.*s\" are built in, but of %s%s%.*s%s", shown,
                             shown ? facts->region.ptr : "", known, near.ptr ? "; did you mean " : "", (int)near.len,
                             near.ptr ? near.ptr : "", near.ptr ? "?" : "");
    }
    if (!(options->vm_memory_overhead >= 0 && options->vm_memory_overhead < 1))
        return provider_fail(error, KARP_E_INVALID, "vmMemoryOverheadPercent", "must be at least 0 and less than 1");
    if (options->reserved_enis >= 0) return KARP_OK;
    return provider_fail(error, KARP_E_INVALID, "reservedENIs", "must not be negative");
}

/* Zones that are to be the only ones have to exist. */
static karp_status check_zones(const aws_facts *facts, const aws_settings *settings, karp_error *error)
{
    karp_str names = settings->zone_names;
    while (settings->zones == 0 && names.len > 0) {
        karp_str name = str_until(&names, ',');
        if (aws_facts_zone(facts, name) == AWS_ZONES_MOST)
            return provider_fail(error, KARP_E_INVALID, "zones", "%.*s is no zone of %.*s", str_shown(name, 60),
                                 name.ptr, str_shown(facts->region, 60), facts->region.ptr);
    }
    return KARP_OK;
}

karp_status aws_instance_types(scratch *s, const aws_facts *facts, const aws_marks *marks, const aws_settings *settings,
                               const aws_node_class *node_class, const karp_instance_type **types, size_t *count,
                               karp_error *error)
{
    static const aws_node_class plain;
    const aws_node_class *c = node_class ? node_class : &plain;
    karp_status status = check(facts, &settings->options, error);
    if (status == KARP_OK) status = check_zones(facts, settings, error);
    if (status) return status;
    offering_parts parts;
    aws_place *place = scratch_array(s, 1, sizeof *place); /* offerings refer to it */
    karp_instance_type *list = scratch_array(s, facts->count, sizeof *list);
    aws_shared *shared = scratch_array(s, 1, sizeof *shared);
    if (!list || !place || !shared || !make_place(s, facts, marks, settings, c, place)) return fail_nomem(error);
    make_parts(s, place, &parts);
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
        add_offerings(s, type, c, place, &parts, out);
        aws_type_devices(s, settings->device_gates, c, out);
    }
    if (s->failed) return fail_nomem(error);
    *types = list;
    *count = n;
    return KARP_OK;
}
