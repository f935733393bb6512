/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts as a text table, read and written, and the commands that print facts with AWS's tools. docs/providers.md lists
 * the columns.
 */
#include <providers/aws/facts_read.h>

#include <providers/aws/defaults.h>
#include <providers/cloud/write.h>

static const cloud_letter ec2_letters[] = {
    { 'A', EC2_ARM64 },
    { 'b', EC2_BARE_METAL },
    { 'e', EC2_ENCRYPTION },
    { 'n', EC2_NITRO_ENCLAVES },
    { 't', EC2_TRUNKING },
    { 'v', EC2_NVME },
    { 'k', EC2_CLUSTER_PLACEMENT },
    { 'o', EC2_ON_DEMAND },
    { 's', EC2_SPOT },
    { 'c', EC2_CAPACITY_BLOCK },
    { 'N', EC2_NESTED_VIRTUALIZATION },
    { 'P', EC2_NO_PARTITION_PLACEMENT },
    { 'S', EC2_NO_SPREAD_PLACEMENT },
    { 'E', EC2_NO_ENA },
};

enum { EC2_LETTERS = sizeof ec2_letters / sizeof *ec2_letters };

enum {
    CELL_NAME,
    CELL_VCPUS,
    CELL_MEMORY,
    CELL_FLAGS,
    CELL_MAKER,
    CELL_CLOCK,
    CELL_HYPERVISOR,
    CELL_ENIS,
    CELL_ADDRESSES,
    CELL_CARDS,
    CELL_BRANCHES,
    CELL_EFAS,
    CELL_LIMITS,
    CELL_NETWORK,
    CELL_EBS,
    CELL_LOCAL,
    CELL_DEVICES,
    CELL_CARD_ENIS,
    CELL_COUNT
};

static const cloud_format aws_format = { "aws", CELL_COUNT, NULL, AWS_USUAL_REGION, true };

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct whole_cell {
    uint32_t cell;
    int64_t least, most;
    size_t at; /* offset in aws_type */
    const char *field;
} whole_cell;

#define AT(member) offsetof(aws_type, member)

static const whole_cell ec2_whole_cells[] = {
    { CELL_VCPUS, 1, 65535, AT(vcpus), "vcpus" },
    { CELL_MEMORY, 1, INT32_MAX, AT(memory_mib), "memory" },
    { CELL_CLOCK, 0, 1000000, AT(clock_mhz), "clock" },
    { CELL_ENIS, 1, 65535, AT(enis), "interfaces" },
    { CELL_ADDRESSES, 1, 65535, AT(ipv4_per_eni), "addresses" },
    { CELL_CARDS, 1, AWS_CARDS_MOST, AT(network_cards), "network cards" },
    { CELL_BRANCHES, 0, INT32_MAX, AT(branch_enis), "branch interfaces" },
    { CELL_EFAS, 0, INT32_MAX, AT(efas), "EFA interfaces" },
    { CELL_LIMITS, AWS_UNKNOWN, INT32_MAX, AT(limits_ipv4), "addresses by limit" },
    { CELL_NETWORK, AWS_UNKNOWN, INT32_MAX, AT(network_mbps), "network bandwidth" },
    { CELL_EBS, AWS_UNKNOWN, INT32_MAX, AT(ebs_mbps), "EBS bandwidth" },
    { CELL_LOCAL, AWS_UNKNOWN, INT32_MAX, AT(local_gb), "local storage" },
};

enum { EC2_WHOLE_CELLS = sizeof ec2_whole_cells / sizeof *ec2_whole_cells };

/* An empty cell means the minimum: none, or unknown. */
static bool read_whole(const whole_cell *c, karp_str cell, aws_type *out)
{
    int64_t value = c->least;
    if (cell.len == 0 && c->least > 0) return false;
    if (cell.len > 0 && (!cloud_whole(cell, c->most, &value) || value < c->least)) return false;
    memcpy((char *)out + c->at, &value, sizeof value);
    return true;
}

/* KIND:MAKER:NAME:COUNT:N, separated by commas; N = MiB for a GPU, cores for a Neuron device. */
static bool read_devices(karp_str cell, aws_type *out)
{
    static const char *const kinds[] = { [EC2_GPU] = "gpu", [EC2_INFERENCE] = "inference", [EC2_NEURON] = "neuron" };
    while (cell.len > 0) {
        karp_str one = str_until(&cell, ','), kind = str_until(&one, ':');
        aws_device d = { .maker = str_until(&one, ':'), .name = str_until(&one, ':') };
        int64_t more = 0;
        while (d.kind <= EC2_NEURON && !str_is(kind, kinds[d.kind])) d.kind++;
        if (d.kind > EC2_NEURON || out->device_count == AWS_DEVICES_MOST || d.name.len == 0) return false;
        if (!cloud_whole(str_until(&one, ':'), 65535, &d.count)) return false; /* 0 = a fraction of one */
        if (!cloud_whole(one, INT32_MAX, &more)) return false;
        if (d.kind == EC2_GPU) d.memory_mib = more;
        if (d.kind == EC2_NEURON) d.cores = more;
        out->devices[out->device_count++] = d;
    }
    return true;
}

/* Numbers of interfaces by card, separated by commas. */
static bool read_cards(karp_str cell, aws_type *out)
{
    for (size_t i = 0; cell.len > 0; i++) {
        int64_t enis;
        if (i == AWS_CARDS_MOST || !cloud_whole(str_until(&cell, ','), 65535, &enis)) return false;
        out->card_enis[i] = (uint16_t)enis;
        out->cards_told = true;
    }
    return true;
}

/* The index of a letter: a to z, then A to F. AWS_ZONES_MOST = no letter of a zone. */
static size_t index_of(char letter)
{
    size_t i = 0;
    while (i < AWS_ZONES_MOST && cloud_letter_of((int)i, 'a') != letter) i++;
    return i;
}

static bool read_letters(karp_str letters, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < letters.len; i++) {
        size_t zone = index_of(letters.ptr[i]);
        if (zone == AWS_ZONES_MOST) return false;
        *out |= UINT32_C(1) << zone;
    }
    return true;
}

/* The price in the region, and those of local zones: ".096,i=.115". */
static bool read_on_demand(karp_str cell, aws_type *out)
{
    if (!cloud_price(str_until(&cell, ','), &out->on_demand)) return false;
    while (cell.len > 0) {
        karp_str price = str_until(&cell, ',');
        karp_str letter = str_until(&price, '=');
        size_t zone = letter.len == 1 ? index_of(*letter.ptr) : AWS_ZONES_MOST;
        if (zone == AWS_ZONES_MOST || !(out->zones >> zone & 1) || !cloud_price(price, &out->on_demand_in[zone]))
            return false;
        out->own_prices |= UINT32_C(1) << zone;
    }
    return true;
}

/* One price for each zone of the type, in the order of the zones. */
static bool read_spot(karp_str cell, aws_type *out, bool *known)
{
    if (cell.len == 0) return true;
    *known = true;
    for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) {
        if (!(out->zones >> zone & 1)) continue;
        bool last = out->zones >> zone == 1, comma = memchr(cell.ptr, ',', cell.len) != NULL;
        if (last == comma || !cloud_price(str_until(&cell, ','), &out->spot[zone])) return false;
    }
    return cell.len == 0;
}

static karp_status read_offer(const cloud_table *t, const cloud_row *row, uint32_t all, aws_type *out, bool *spot_known,
                              karp_error *error)
{
    karp_str offer = row->offer;
    karp_str letters = str_until(&offer, '/');
    if (str_is(letters, "-")) letters = str("");
    else if (letters.len == 0) out->zones = all;
    if (letters.len > 0 && (!read_letters(letters, &out->zones) || (out->zones & ~all) != 0))
        return cloud_table_bad(t, row, "zones", error, "must be letters of zones that the region has");
    if (!read_on_demand(str_until(&offer, '/'), out))
        return cloud_table_bad(t, row, "on-demand price", error,
                               "must be a price that is not negative, and i=PRICE in local zones, by commas");
    if (read_spot(offer, out, spot_known)) return KARP_OK;
    return cloud_table_bad(t, row, "spot price", error, "must be a price for each zone of the type, by commas");
}

static karp_status read_row(const cloud_table *t, const cloud_row *row, uint32_t all, aws_type *out, bool *spot_known,
                            karp_error *error)
{
    const karp_str *c = row->cells;
    memset(out, 0, sizeof *out);
    out->on_demand = AWS_UNKNOWN;
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) out->spot[i] = AWS_UNKNOWN;
    out->name = c[CELL_NAME];
    out->cpu_maker = c[CELL_MAKER];
    out->hypervisor = c[CELL_HYPERVISOR];
    if (!memchr(c[CELL_NAME].ptr, '.', c[CELL_NAME].len))
        return cloud_table_bad(t, row, "name", error, "is no instance type: FAMILY.SIZE");
    for (size_t i = 0; i < EC2_WHOLE_CELLS; i++) {
        const whole_cell *w = &ec2_whole_cells[i];
        if (!read_whole(w, c[w->cell], out))
            return cloud_table_bad(t, row, w->field, error, "must be a whole number that a type can have");
    }
    if (!cloud_flags(c[CELL_FLAGS], ec2_letters, EC2_LETTERS, &out->flags))
        return cloud_table_bad(t, row, "flags", error, "must be letters of A, b, e, n, t, v, k, o, s, c, N, P, S, E");
    if (!read_devices(c[CELL_DEVICES], out))
        return cloud_table_bad(t, row, "devices", error, "must be KIND:MAKER:NAME:COUNT:N, by commas");
    if (!read_cards(c[CELL_CARD_ENIS], out))
        return cloud_table_bad(t, row, "interfaces by card", error, "must be whole numbers, by commas");
    return read_offer(t, row, all, out, spot_known, error);
}

/* Observed memory comes from the user's nodes, not from the table. */
static void keep_seen(const aws_facts *from, aws_type *type)
{
    const aws_type *known = aws_facts_find(from, type->name);
    if (known) type->seen = known->seen;
}

/* For a region without known spot prices. */
static void spot_as_on_demand(aws_type *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) types[i].spot[zone] = aws_on_demand(&types[i], zone);
    }
}

static karp_status bad_zone(const cloud_zone *zone, const char *why, karp_error *error)
{
    return provider_fail(error, KARP_E_INVALID, "zone", "%c %s", zone->letter, why);
}

/* Ids and names stand only for zones that the region has. */
static karp_status take_zones(aws_facts *into, const cloud_table *t, uint32_t all, karp_error *error)
{
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) into->zones[i] = into->zone_ids[i] = str("");
    for (size_t i = 0; i < t->named_count; i++) {
        const cloud_zone *zone = &t->named[i];
        size_t at = index_of(zone->letter);
        if (at == AWS_ZONES_MOST || !(all >> at & 1)) return bad_zone(zone, "is no zone that the region has", error);
        if (zone->name.len > 0 && !aws_zone_is_local(into, zone->name))
            return bad_zone(zone, "has a name that is no local zone of the region", error);
        if (aws_facts_zone(into, zone->name) < AWS_ZONES_MOST)
            return bad_zone(zone, "has the name of another zone", error);
        into->zone_ids[at] = zone->id;
        into->zones[at] = zone->name;
    }
    return KARP_OK;
}

karp_status aws_table_read(aws_facts *into, karp_str text, karp_error *error)
{
    cloud_table t;
    cloud_row row;
    size_t room = 0, count = 0;
    uint32_t all = 0;
    bool more = false, spot_known = false;
    aws_type *types = NULL;
    karp_str own = scratch_text(&into->s, text);
    karp_status status = into->s.failed ? fail_nomem(error)
                                        : cloud_table_open(&t, &aws_format, own, into->region, error);
    if (status) return status;
    if (!read_letters(t.zones, &all)) {
        cloud_row none = { .cells = { str("") } };
        return cloud_table_bad(&t, &none, "regions", error, "must have the letters a to z and A to F as zones");
    }
    status = take_zones(into, &t, all, error);
    if (status) return status;
    while ((status = cloud_table_next(&t, &row, &more, error)) == KARP_OK && more) {
        if (row.offer.len == 0) continue;
        if (!scratch_grow(&into->s, (void **)&types, &room, count + 1, sizeof *types)) return fail_nomem(error);
        status = read_row(&t, &row, all, &types[count], &spot_known, error);
        if (status) return status;
        keep_seen(into, &types[count++]);
    }
    if (status) return status;
    if (count == 0) return provider_fail(error, KARP_E_INVALID, "", "has no instance type in the region");
    if (!spot_known) spot_as_on_demand(types, count);
    into->types = types;
    into->count = count;
    into->region_known = true;
    into->spot_known = spot_known;
    into->as_of = t.as_of;
    into->sources = t.sources;
    aws_facts_name_zones(into);
    return into->s.failed ? fail_nomem(error) : KARP_OK;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The index of each zone's letter, in ascending order: local zones have those after the others. false = more than 32.
 */
static bool letters_of(const aws_facts *f, size_t letter[AWS_ZONES_MOST], cloud_writer *w)
{
    enum { FIRST_LOCAL = 8 };
    size_t next = FIRST_LOCAL;
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        karp_str name = f->zones[i];
        letter[i] = AWS_ZONES_MOST;
        if (name.len == 0) continue;
        bool local = aws_zone_is_local(f, name);
        if (local) letter[i] = next;
        else if (name.len == f->region.len + 1) letter[i] = (size_t)(unsigned char)name.ptr[name.len - 1] - 'a';
        if (letter[i] >= AWS_ZONES_MOST) {
            str_shorten(w->bad, sizeof w->bad, name);
            return false;
        }
        if (letter[i] >= next) next = letter[i] + 1;
    }
    return true;
}

static uint32_t zones_by_letter(uint32_t zones, const size_t letter[AWS_ZONES_MOST])
{
    uint32_t out = 0;
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        if ((zones >> i & 1) && letter[i] < AWS_ZONES_MOST) out |= UINT32_C(1) << letter[i];
    }
    return out;
}

static void write_devices(cloud_writer *w, const aws_type *t)
{
    static const char *const kinds[] = { [EC2_GPU] = "gpu:", [EC2_INFERENCE] = "inference:", [EC2_NEURON] = "neuron:" };
    cloud_write_cell(w, str(""));
    for (size_t i = 0; i < t->device_count; i++) {
        const aws_device *d = &t->devices[i];
        strbuf_adds(&w->out, i ? "," : "");
        strbuf_adds(&w->out, kinds[d->kind]);
        cloud_write_text(w, d->maker, ":,");
        strbuf_addc(&w->out, ':');
        cloud_write_text(w, d->name, ":,");
        strbuf_addc(&w->out, ':');
        strbuf_addu(&w->out, (uint64_t)d->count);
        strbuf_addc(&w->out, ':');
        strbuf_addu(&w->out, (uint64_t)(d->kind == EC2_GPU ? d->memory_mib : d->cores));
    }
}

static void write_cards(cloud_writer *w, const aws_type *t)
{
    size_t count = t->cards_told ? AWS_CARDS_MOST : 0;
    cloud_write_cell(w, str(""));
    while (count > 1 && t->card_enis[count - 1] == 0) count--;
    for (size_t i = 0; i < count; i++) {
        strbuf_adds(&w->out, i ? "," : "");
        strbuf_addu(&w->out, t->card_enis[i]);
    }
}

/* Zones are in the order of their letters. */
static void write_offer(cloud_writer *w, const aws_facts *f, const aws_type *t, const size_t letter[AWS_ZONES_MOST],
                        uint32_t all)
{
    uint32_t zones = zones_by_letter(t->zones, letter);
    const char *between = "";
    cloud_write_cell(w, str(""));
    if (zones == 0) strbuf_addc(&w->out, '-');
    else if (zones != all) cloud_write_letters(w, zones, 'a');
    strbuf_addc(&w->out, '/');
    cloud_write_price(w, t->on_demand);
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        if (!(t->zones & t->own_prices & UINT32_C(1) << i)) continue;
        strbuf_addc(&w->out, ',');
        strbuf_addc(&w->out, cloud_letter_of((int)letter[i], 'a'));
        strbuf_addc(&w->out, '=');
        cloud_write_price(w, t->on_demand_in[i]);
    }
    strbuf_addc(&w->out, '/');
    bool any = false;
    for (size_t i = 0; i < AWS_ZONES_MOST && f->spot_known; i++) any = any || ((t->zones >> i & 1) && t->spot[i] >= 0);
    for (size_t i = 0; i < AWS_ZONES_MOST && any; i++) {
        if (!(t->zones >> i & 1)) continue;
        strbuf_adds(&w->out, between);
        cloud_write_price(w, t->spot[i]);
        between = ",";
    }
}

static void write_type(cloud_writer *w, const aws_facts *f, const aws_type *t, const size_t letter[AWS_ZONES_MOST],
                       uint32_t all)
{
    const whole_cell *number = ec2_whole_cells;
    for (uint32_t cell = CELL_NAME; cell < CELL_DEVICES; cell++) {
        cloud_write_cell(w, cell == CELL_NAME         ? t->name
                            : cell == CELL_MAKER      ? t->cpu_maker
                            : cell == CELL_HYPERVISOR ? t->hypervisor
                                                      : str(""));
        for (size_t i = 0; cell == CELL_FLAGS && i < EC2_LETTERS; i++) {
            if (t->flags & ec2_letters[i].flag) strbuf_addc(&w->out, ec2_letters[i].letter);
        }
        if (number == ec2_whole_cells + EC2_WHOLE_CELLS || number->cell != cell) continue;
        int64_t value;
        memcpy(&value, (const char *)t + number->at, sizeof value);
        if (value > number->least || number->least > 0) strbuf_addu(&w->out, (uint64_t)value);
        number++;
    }
    write_devices(w, t);
    write_cards(w, t);
    write_offer(w, f, t, letter, all);
    cloud_write_row(w);
}

/* The lines before "regions", which has the zones `all`. */
static void write_about(const aws_facts *f, const size_t letter[AWS_ZONES_MOST], uint32_t all, strbuf *out)
{
    strbuf_addstr(out, f->sources);
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        bool local = aws_zone_is_local(f, f->zones[i]);
        if (letter[i] == AWS_ZONES_MOST || !(all >> letter[i] & 1) || (f->zone_ids[i].len == 0 && !local)) continue;
        strbuf_put(out, "zone ", f->region, "");
        strbuf_addc(out, ':');
        strbuf_addc(out, cloud_letter_of((int)letter[i], 'a'));
        strbuf_addc(out, ' ');
        strbuf_addstr(out, f->zone_ids[i].len > 0 ? f->zone_ids[i] : str("-"));
        if (local) strbuf_addc(out, ' ');
        if (local) strbuf_addstr(out, f->zones[i]);
        strbuf_addc(out, '\n');
    }
}

uint32_t aws_table_write(const aws_facts *facts, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem)
{
    size_t letter[AWS_ZONES_MOST];
    cloud_writer w = { .bad = "" };
    if (!letters_of(facts, letter, &w))
        return provider_problem(problem, KARP_PROVIDER_INVALID, "offerings", "a table of facts cannot have the zone %s",
                                w.bad);
    uint32_t all = zones_by_letter(aws_facts_zones(facts), letter);
    strbuf about = strbuf_on(facts->s.context);
    write_about(facts, letter, all, &about);
    cloud_write_begin(&w, facts->s.context, &aws_format, facts->as_of, (karp_str){ about.ptr, about.len },
                      facts->region, all, 'a');
    w.out.failed = w.out.failed || about.failed;
    strbuf_free(&about);
    for (size_t i = 0; i < facts->count; i++) {
        aws_type room;
        const aws_type *type = aws_facts_type(facts, i, &room);
        if (type->zones || type->on_demand >= 0) write_type(&w, facts, type, letter, all);
    }
    return cloud_write_end(&w, memory, text, problem);
}

/* ---- sources of facts -------------------------------------------------------------------------------------------- */

static const cloud_kind aws_kinds[] = {
    { "types", "types.json", "aws ec2 describe-instance-types --region @ --output json",
      "what the types are; of those that are built in, nothing else is needed", "", true },
    { "offerings", "offerings.json",
      "aws ec2 describe-instance-type-offerings --location-type availability-zone --region @ "
      "--filters 'Name=location,Values=@?' --output json",
      "which zone has which types", "no zone of @ is known", false },
    { "on-demand-prices", "prices.json",
      "aws pricing get-products --service-code AmazonEC2 --region us-east-1 --output json --filters "
      "Type=TERM_MATCH,Field=regionCode,Value=@ Type=TERM_MATCH,Field=operatingSystem,Value=Linux "
      "Type=TERM_MATCH,Field=preInstalledSw,Value=NA Type=TERM_MATCH,Field=capacitystatus,Value=Used",
      "the price list", "no type of @ has a price", false },
    { "spot-prices", "spot.json",
      "aws ec2 describe-spot-price-history --product-descriptions Linux/UNIX --region @ "
      "--start-time \"$(date -u +%FT%TZ)\" --output json",
      "spot prices by zone", "spot is taken to cost what on-demand does", true },
};

uint32_t aws_table_about(const aws_facts *facts, const karp_provider_memory *memory, karp_provider_facts_info *info,
                         karp_provider_problem *problem)
{
    uint32_t missing = 4 | (facts->region_known ? 0 : 2) | (facts->spot_known ? 0 : 8);
    for (size_t i = 0; i < facts->count; i++) {
        aws_type room;
        if (aws_facts_type(facts, i, &room)->on_demand >= 0) missing &= ~UINT32_C(4);
    }
    uint32_t kind = cloud_describe(memory, &aws_format, aws_kinds, sizeof aws_kinds / sizeof *aws_kinds, missing,
                                   facts->region, facts->as_of, info, problem);
    if (kind) return kind;
    char regions[160];
    scratch s;
    scratch_init_on(&s, memory);
    aws_facts_regions(regions, sizeof regions);
    info->built_in = scratch_text(&s, str(regions));
    info->as_of = str(ec2_as_of);
    info->sources = str(ec2_sources);
    return s.failed ? provider_no_memory(problem) : KARP_PROVIDER_OK;
}
