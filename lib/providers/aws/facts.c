/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/facts.h>

#include <base/bisect.h>

#include <providers/cloud/table.h>

static karp_str text_at(uint16_t offset) { return (karp_str){ ec2_strings + offset, strlen(ec2_strings + offset) }; }

static int64_t amount(uint32_t value) { return value == EC2_NONE ? AWS_UNKNOWN : (int64_t)value; }

/* Whole millionths and 10^6 are both exact, so the quotient is the double nearest to the decimal price. */
static double price(uint32_t micro) { return micro == EC2_NONE ? AWS_UNKNOWN : (double)micro / 1e6; }

/* ---- the built-in table ------------------------------------------------------------------------------------------ */

static void get_devices(const ec2_row *row, aws_type *out)
{
    out->device_count = row->device_count < AWS_DEVICES_MOST ? row->device_count : AWS_DEVICES_MOST;
    for (size_t i = 0; i < out->device_count; i++) {
        const ec2_device *d = &ec2_devices[row->first_device + i];
        out->devices[i] = (aws_device){
            .maker = text_at(d->maker),
            .name = text_at(d->name),
            .kind = d->kind,
            .count = d->count,
            .memory_mib = d->kind == EC2_GPU ? d->memory_or_cores : 0,
            .cores = d->kind == EC2_NEURON ? d->memory_or_cores : 0,
        };
    }
}

static void get_limits(const ec2_row *row, aws_type *out)
{
    out->flags |= row->flags & EC2_TRUNKING;
    out->branch_enis = row->branch_enis;
    out->limits_ipv4 = amount(row->limits_ipv4);
    out->network_mbps = amount(row->network_mbps);
}

static void get_row(const ec2_row *row, aws_type *out)
{
    out->name = text_at(row->name);
    out->cpu_maker = text_at(row->cpu_maker);
    out->hypervisor = text_at(row->hypervisor);
    out->flags = row->flags;
    out->vcpus = row->vcpus;
    out->memory_mib = row->memory_mib;
    out->clock_mhz = row->clock_mhz;
    out->enis = row->enis;
    out->ipv4_per_eni = row->ipv4_per_eni;
    out->network_cards = row->network_cards;
    out->efas = row->efas;
    get_limits(row, out);
    out->ebs_mbps = amount(row->ebs_mbps);
    out->local_gb = amount(row->local_gb);
    out->seen = NULL;
    out->cards_told = false;
    get_devices(row, out);
    out->on_demand = AWS_UNKNOWN;
    out->own_prices = 0;
    for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) out->spot[zone] = AWS_UNKNOWN;
}

static void get_offers(const ec2_row *row, size_t region, aws_type *out)
{
    out->zones = row->zones[region];
    out->on_demand = price(row->on_demand[region]);
    size_t next = row->spot[region];
    for (size_t zone = 0; zone < 8 && row->has_spot[region]; zone++) {
        if (out->zones >> zone & 1) out->spot[zone] = price(ec2_spot_prices[next++]);
    }
}

static size_t find_region(karp_str name)
{
    size_t i = 0;
    while (i < EC2_REGIONS && !equal_str(text_at(ec2_region_names[i]), name)) i++;
    return i;
}

static void unpack(const aws_facts *facts, size_t index, aws_type *out)
{
    get_row(&ec2_rows[index], out);
    if (facts->built_in < EC2_REGIONS) get_offers(&ec2_rows[index], facts->built_in, out);
}

const aws_type *aws_facts_type(const aws_facts *facts, size_t index, aws_type *room)
{
    if (facts->types) return &facts->types[index];
    unpack(facts, index, room);
    return room;
}

uint32_t aws_facts_zones(const aws_facts *facts)
{
    uint32_t there = 0;
    for (size_t i = 0; i < facts->count; i++) {
        if (facts->types) there |= facts->types[i].zones;
        else if (facts->built_in < EC2_REGIONS) there |= ec2_rows[i].zones[facts->built_in];
    }
    return there;
}

static karp_str name_zone(aws_facts *facts, size_t index)
{
    char *name = scratch_alloc(&facts->s, facts->region.len + 2);
    if (!name) return str("");
    memcpy(name, facts->region.ptr, facts->region.len);
    name[facts->region.len] = (char)('a' + index);
    name[facts->region.len + 1] = '\0';
    return (karp_str){ name, facts->region.len + 1 };
}

bool aws_zone_is_local(const aws_facts *facts, karp_str name)
{
    size_t region = facts->region.len;
    return name.len > region && str_has_prefix(name, facts->region) && name.ptr[region] == '-';
}

double aws_on_demand(const aws_type *type, size_t zone)
{
    return type->own_prices >> zone & 1 ? type->on_demand_in[zone] : type->on_demand;
}

/* Names such as us-west-2a, for every letter with an offered type. A local zone has a name. */
void aws_facts_name_zones(aws_facts *facts)
{
    static const karp_str none = TEXT("");
    uint32_t there = aws_facts_zones(facts);
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        if (!(there >> i & 1)) facts->zones[i] = none;
        else if (!aws_zone_is_local(facts, facts->zones[i])) facts->zones[i] = name_zone(facts, i);
    }
}

karp_status aws_facts_init(aws_facts *facts, karp_context *context, karp_str region, karp_error *error)
{
    memset(facts, 0, sizeof *facts);
    scratch_init(&facts->s, context);
    facts->built_in = find_region(region);
    facts->region_known = facts->spot_known = facts->built_in < EC2_REGIONS;
    facts->region = facts->region_known ? text_at(ec2_region_names[facts->built_in]) : scratch_text(&facts->s, region);
    karp_str dates = str(ec2_as_of);
    facts->as_of = facts->region_known ? dates : str_until(&dates, ','); /* those of the types alone */
    facts->sources = str(ec2_sources);
    facts->count = ec2_row_count;
    aws_facts_name_zones(facts);
    if (!facts->s.failed) return KARP_OK;
    aws_facts_free(facts);
    return fail_nomem(error);
}

void aws_facts_free(aws_facts *facts)
{
    scratch_free(&facts->s);
    memset(facts, 0, sizeof *facts);
}

void aws_facts_regions(char *into, size_t room)
{
    size_t at = 0;
    for (size_t i = 0; i < EC2_REGIONS; i++) {
        karp_str name = text_at(ec2_region_names[i]);
        if (name.len + 3 > room - at) break;
        if (i > 0) memcpy(into + at, ", ", 2);
        at += i > 0 ? 2 : 0;
        memcpy(into + at, name.ptr, name.len);
        at += name.len;
    }
    into[at] = '\0';
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* Empty texts need no copy. */
static karp_str keep(scratch *s, karp_str text) { return text.len ? scratch_text(s, text) : text; }

/* A copy in the same order, in memory of `s`. */
static const aws_seen *copy_seen(scratch *s, const aws_seen *seen)
{
    const aws_seen *first = NULL, **at = &first;
    for (; seen && !s->failed; seen = seen->next) {
        aws_seen *copy = scratch_array(s, 1, sizeof *copy);
        karp_str *images = scratch_array(s, seen->image_count, sizeof *images);
        if (!copy || !images) break;
        for (size_t i = 0; i < seen->image_count; i++) images[i] = scratch_text(s, seen->images[i]);
        *copy = (aws_seen){ images, seen->image_count, seen->bytes, NULL };
        *at = copy;
        at = &copy->next;
    }
    return first;
}

karp_status aws_facts_copy(const aws_facts *from, aws_facts *to, karp_error *error)
{
    *to = *from;
    scratch_init(&to->s, from->s.context);
    scratch *s = &to->s;
    to->region = keep(s, from->region);
    to->as_of = keep(s, from->as_of);
    to->sources = keep(s, from->sources);
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        to->zones[i] = keep(s, from->zones[i]);
        to->zone_ids[i] = keep(s, from->zone_ids[i]);
    }
    to->types = scratch_array(s, from->count, sizeof *to->types);
    for (size_t i = 0; to->types && i < from->count; i++) {
        aws_type *t = &to->types[i];
        if (from->types) *t = from->types[i];
        else unpack(from, i, t);
        t->name = keep(s, t->name);
        t->cpu_maker = keep(s, t->cpu_maker);
        t->hypervisor = keep(s, t->hypervisor);
        t->seen = copy_seen(s, t->seen);
        for (size_t k = 0; k < t->device_count; k++) {
            t->devices[k].maker = keep(s, t->devices[k].maker);
            t->devices[k].name = keep(s, t->devices[k].name);
        }
    }
    if (!s->failed) return KARP_OK;
    aws_facts_free(to);
    return fail_nomem(error);
}

aws_type *aws_facts_find(const aws_facts *facts, karp_str name)
{
    return cloud_find(facts->types, facts->count, sizeof *facts->types, name);
}

/* Row in the built-in table; ec2_row_count = not found. */
static size_t find_row(karp_str name)
{
    bisection b = bisect(ec2_row_count);
    while (bisecting(&b)) bisect_step(&b, compare_str(text_at(ec2_rows[b.at].name), name) < 0);
    return b.at < ec2_row_count && equal_str(text_at(ec2_rows[b.at].name), name) ? b.at : ec2_row_count;
}

const aws_type *aws_facts_look_up(const aws_facts *facts, karp_str name, aws_type *room)
{
    if (facts->types) return aws_facts_find(facts, name);
    size_t row = find_row(name);
    return row < ec2_row_count ? aws_facts_type(facts, row, room) : NULL;
}

void aws_facts_add_limits(aws_type *type)
{
    size_t row = find_row(type->name);
    if (row < ec2_row_count) get_limits(&ec2_rows[row], type);
}

size_t aws_facts_zone(const aws_facts *facts, karp_str name)
{
    size_t i = 0;
    while (i < AWS_ZONES_MOST && !(name.len && equal_str(facts->zones[i], name))) i++;
    return i;
}

/* ---- observed memory --------------------------------------------------------------------------------------------- */

static bool in_class(const aws_node_class *c, karp_str image)
{
    for (size_t i = 0; i < c->image_count; i++) {
        if (equal_str(c->images[i].id, image)) return true;
    }
    return false;
}

/* Compares both as sets. */
static bool of_images(const aws_seen *seen, const aws_node_class *c)
{
    bool same = true;
    for (size_t i = 0; same && i < c->image_count; i++) same = str_in(c->images[i].id, seen->images, seen->image_count);
    for (size_t i = 0; same && i < seen->image_count; i++) same = in_class(c, seen->images[i]);
    return same;
}

int64_t aws_seen_least(const aws_seen *seen, const aws_node_class *c)
{
    int64_t least = AWS_UNKNOWN;
    for (; seen; seen = seen->next) {
        if (least != AWS_UNKNOWN && seen->bytes >= least) continue;
        if (seen->image_count == 0 || of_images(seen, c)) least = seen->bytes;
    }
    return least;
}
