/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/catalogue.h>

#include <base/str.h>

enum { REQUIREMENTS_MOST = 7 };

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

void aws_offering_parts_init(scratch *s, const aws_place *place, aws_offering_parts *out)
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

/* ---- whether launches of the class can use the type ------------------------------------------ */

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
    return interfaces_fit(t, c) && placement_fits(t, &c->placement_group);
}

/* ---- offerings ------------------------------------------------------------------------------- */

typedef struct offerings {
    karp_offering *list;
    size_t count;
    const aws_offering_parts *parts;
    const aws_place *place;
    karp_str type;
    bool marked; /* some mark concerns the type */
} offerings;

static bool is_marked(const offerings *o, karp_str capacity_type, karp_str zone, size_t partition)
{
    karp_str none = TEXT("");
    if (!o->marked) return false;
    return aws_marked(o->place->marks, capacity_type, o->type, zone, o->place->group,
                      o->place->partition_count ? o->place->partitions[partition] : none);
}

static void add_copies(offerings *o, const karp_requirement *first, size_t count, double price, int64_t capacity,
                       bool open)
{
    karp_str capacity_type = first[0].values[0],
             zone = first[1].values[0]; /* first two requirements of of_zone() and add_reserved() */
    bool known = price != AWS_UNKNOWN;
    for (size_t i = 0; i < o->parts->partitions; i++) {
        bool there = open && !is_marked(o, capacity_type, zone, i);
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

/* A reservation is treated as almost free: a ten-millionth of the price keeps the order among several. */
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
    int64_t left = aws_reservation_marked(place->marks, r->id) ? 0 : r->available_count;
    bool available = fits && left > 0 && !r->expiring && (t->zones & place->zones_in_class & bit) && !zone->out;
    double price = t->on_demand == AWS_UNKNOWN ? 0 : t->on_demand / 10000000.0;
    add_copies(o, list, n, price, left, available);
}

void aws_offerings(scratch *s, const aws_type *t, const aws_node_class *c, const aws_place *place,
                   const aws_offering_parts *parts, karp_instance_type *out)
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
        if (t->flags & EC2_ON_DEMAND) add_copies(&o, parts->requirements[i][0], count, t->on_demand, 0, open);
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
