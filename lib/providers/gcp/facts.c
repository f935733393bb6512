/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/gcp/types.h>

#include <stdio.h>

/* Generated from data/gcp.txt by the build. */
extern const char gcp_table[];
extern const size_t gcp_table_length;

static karp_str gcp_table_text(void) { return (karp_str){ gcp_table, gcp_table_length }; }

static const cloud_format format = { "gcp", 6, gcp_table_text, GCP_USUAL_REGION, false };

/* ---- rows of a table --------------------------------------------------------------------------------------------- */

static bool read_zones(karp_str letters, uint32_t all, uint32_t *out)
{
    *out = letters.len > 0 ? 0 : all;
    for (size_t i = 0; i < letters.len; i++) {
        if (letters.ptr[i] < 'a' || letters.ptr[i] > 'z') return false;
        *out |= UINT32_C(1) << (letters.ptr[i] - 'a');
    }
    return (*out & ~all) == 0;
}

static bool read_all_zones(karp_str letters, uint32_t *out)
{
    return read_zones(letters, (UINT32_C(1) << GCP_NO_ZONE) - 1, out);
}

static bool read_accelerator(karp_str cell, gcp_type *out)
{
    out->base.group = str_until(&cell, '*');
    out->accelerators = 0;
    double part = 0;
    if (out->base.group.len == 0) return cell.len == 0;
    if (!cloud_decimal(cell, &part) || part <= 0 || part > 1024) return false;
    out->accelerators = part < 1 ? 1 : (int64_t)part;
    out->accelerator_part = part < 1 ? part : 0;
    return true;
}

/* Whether the name has at least two parts: a family, and what follows the dash. */
static bool good_name(karp_str name)
{
    const char *dash = memchr(name.ptr, '-', name.len);
    return dash && dash != name.ptr && dash + 1 < name.ptr + name.len;
}

static karp_status read_row(const cloud_table *t, const cloud_row *row, uint32_t zones, void *type, karp_error *error)
{
    const karp_str *c = row->cells;
    gcp_type *out = type;
    out->base.name = c[0];
    out->base.initial = out->base.on_demand = out->base.spot = -1;
    if (!good_name(c[0])) return cloud_table_bad(t, row, "name", error, "is no machine type: FAMILY-SHAPE-SIZE");
    if (!cloud_whole(c[1], 4096, &out->base.vcpus) || out->base.vcpus == 0)
        return cloud_table_bad(t, row, "vcpus", error, "must be a whole number from 1 to 4096");
    if (!cloud_whole(c[2], INT64_C(1) << 30, &out->memory_mib) || out->memory_mib == 0)
        return cloud_table_bad(t, row, "memory", error, "must be a whole number of MiB");
    out->arm64 = str_is(c[3], "a");
    if (c[3].len > 0 && !out->arm64) return cloud_table_bad(t, row, "arch", error, "must be empty, or a for arm64");
    if (!read_accelerator(c[4], out)) return cloud_table_bad(t, row, "accelerator", error, "must be NAME*COUNT");
    if (c[5].len > 0 && !cloud_whole(c[5], 1024, &out->partitions))
        return cloud_table_bad(t, row, "local SSD", error, "must be a number of partitions");
    if (row->offer.len == 0) return KARP_OK;
    karp_str offer = row->offer;
    if (!read_zones(str_until(&offer, '/'), zones, &out->base.zones))
        return cloud_table_bad(t, row, "zones", error, "must be letters of zones that the region has");
    if (!cloud_price(str_until(&offer, '/'), &out->base.on_demand))
        return cloud_table_bad(t, row, "on-demand price", error, "must be a price that is not negative");
    if (!cloud_price(offer, &out->base.spot))
        return cloud_table_bad(t, row, "spot price", error, "must be a price that is not negative");
    return KARP_OK;
}

uint32_t gcp_zone_number(karp_str name, karp_str region)
{
    if (name.len != region.len + 2 || !str_has_prefix(name, region)) return GCP_NO_ZONE;
    char letter = name.ptr[region.len + 1];
    return name.ptr[region.len] == '-' && letter >= 'a' && letter <= 'z' ? (uint32_t)(letter - 'a') : GCP_NO_ZONE;
}

karp_str gcp_zone_name(scratch *s, karp_str region, uint32_t zone)
{
    char text[CLOUD_REGION_MOST + 4];
    int n = snprintf(text, sizeof text, "%.*s-%c", (int)region.len, region.ptr, (char)('a' + zone % 26));
    return scratch_text(s, (karp_str){ text, n > 0 ? (size_t)n : 0 });
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void read_described(decoder *d, const tree *entry, gcp_type *out)
{
    const tree *accelerators = NULL;
    out->base.group = str("");
    out->base.name = decode_text(d, entry, "name");
    out->base.vcpus = decode_some(d, entry, "guestCpus");
    out->memory_mib = decode_some(d, entry, "memoryMb");
    out->arm64 = str_is(decode_text(d, entry, "architecture"), "ARM64");
    if (decode_list(d, entry, "accelerators", &accelerators) > 0) {
        const tree *first = tree_item(accelerators, 0);
        out->base.group = decode_text(d, first, "guestAcceleratorType");
        out->accelerators = decode_count(d, first, "guestAcceleratorCount");
        if (out->base.group.len == 0 || out->accelerators == 0)
            decode_bad(d, "accelerators", "must have guestAcceleratorType and guestAcceleratorCount");
    }
    const tree *disks = decode_object(d, entry, "bundledLocalSsds");
    if (disks) out->partitions = decode_count(d, disks, "partitionCount");
    if (!d->status && !good_name(out->base.name)) decode_bad(d, "name", "is no machine type: FAMILY-SHAPE-SIZE");
}

/* An entry of gcloud compute machine-types list --format=json, which has one for each zone. */
static bool read_entry(decoder *d, const cloud_facts *f, const tree *entry, void *type)
{
    gcp_type *out = type;
    karp_str place = decode_text(d, entry, "zone"); /* ".../zones/us-central1-a", or only the name */
    uint32_t zone = gcp_zone_number(str_after_last(place, '/'), f->region);
    if (zone == GCP_NO_ZONE) return false;
    read_described(d, entry, out);
    out->base.zones = UINT32_C(1) << zone;
    return true;
}

static void take_prices(decoder *d, cloud_facts *f, const tree *prices, const char *name, bool spot)
{
    const tree *list = decode_object(d, prices, name);
    for (size_t i = 0; i < f->count && list; i++) {
        cloud_machine *t = cloud_facts_at(f, i);
        const tree *value = tree_find_str(list, t->name);
        double *to = spot ? &t->spot : &t->on_demand;
        if (tree_is_null(value)) *to = -1;
        else if (!cloud_price_of(value, to)) decode_bad(d, name, "must be prices that are not negative, by type");
    }
}

/* {"prices": {"us-central1": {"on_demand": {"e2-medium": 0.03}, "spot": {…}}}} */
static karp_status load_prices(const cloud_facts *old, cloud_facts *f, karp_str text, karp_error *error)
{
    decoder d;
    (void)old;
    decode_begin(&d, f->s.context, &f->s, error);
    const tree *root = decode_tree(&d, text, "the price list");
    const tree *regions = root ? decode_object(&d, root, "prices") : NULL;
    const tree *region = tree_find_str(regions, f->region);
    if (!d.status && !is_map(region)) decode_bad(&d, "prices", "has no prices of the region");
    decode_at(&d, "prices");
    if (!d.status && !decode_object(&d, region, "on_demand")) decode_bad(&d, "on_demand", "must be there");
    if (!d.status) {
        take_prices(&d, f, region, "on_demand", false);
        take_prices(&d, f, region, "spot", true);
    }
    karp_status status = d.status;
    decode_end(&d);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_type(cloud_writer *w, const cloud_facts *f, const void *type)
{
    const gcp_type *t = type;
    cloud_write_cell(w, t->base.name);
    cloud_write_whole(w, t->base.vcpus);
    cloud_write_whole(w, t->memory_mib);
    cloud_write_cell(w, str(t->arm64 ? "a" : ""));
    cloud_write_cell(w, str(""));
    cloud_write_text(w, t->base.group, "*");
    if (t->base.group.len > 0) {
        strbuf_addc(&w->out, '*');
        cloud_write_decimal(w, t->accelerator_part > 0 ? t->accelerator_part : (double)t->accelerators);
    }
    cloud_write_whole(w, t->partitions);
    cloud_write_cell(w, str(""));
    if (t->base.zones != f->zones) cloud_write_letters(w, t->base.zones, 'a');
    strbuf_addc(&w->out, '/');
    cloud_write_price(w, t->base.on_demand);
    strbuf_addc(&w->out, '/');
    cloud_write_price(w, t->base.spot);
}

static const cloud_file files[] = { { "machine-types", CLOUD_MACHINES, cloud_read_machines },
                                    { "prices", CLOUD_PRICES, load_prices } };

const cloud_facts_kind gcp_facts = {
    .format = &format,
    .bytes = sizeof(gcp_type),
    .first_zone = 'a',
    .read_zones = read_all_zones,
    .read_row = read_row,
    .write_row = write_type,
    .read_entry = read_entry,
    .no_list = "must be a list of machine types",
    .where = "zone",
    .no_entry = "has no machine type in a zone of the region",
    .files = files,
    .file_count = sizeof files / sizeof *files,
    .no_file = "gcp has facts of the kinds all, machine-types, prices",
    .described = { { "machine-types", "machine-types.json",
                     "gcloud compute machine-types list --filter=\"zone~^@-\" --format=json",
                     "machine types and their zones", "no machine type of @ is known", false },
                   { "prices", "prices.json", "",
                     "gcloud prints no prices: take them from a facts file of @ that comes with a release (--facts "
                     "FILE, and then "
                     "machine-types), or write {\"prices\": {\"@\": {\"on_demand\": {\"e2-standard-4\": 0.134}, "
                     "\"spot\": {}}}}",
                     "no machine type of @ has a price", false } },
};
