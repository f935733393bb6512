/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/gcp/types.h>

#include <base/sort.h>
#include <stdio.h>

#include <providers/cloud/write.h>

/* Generated from data/gcp.txt by the build. */
extern const char gcp_table[];
extern const size_t gcp_table_length;

static karp_str gcp_table_text(void) { return (karp_str){ gcp_table, gcp_table_length }; }

const cloud_format gcp_format = { "gcp", 6, gcp_table_text, GCP_USUAL_REGION, false };

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

static bool read_accelerator(karp_str cell, gcp_type *out)
{
    out->accelerator = str_until(&cell, '*');
    out->accelerators = 0;
    double part = 0;
    if (out->accelerator.len == 0) return cell.len == 0;
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

static karp_status read_row(const cloud_table *t, const cloud_row *row, uint32_t zones, gcp_type *out,
                            karp_error *error)
{
    const karp_str *c = row->cells;
    memset(out, 0, sizeof *out);
    out->name = c[0];
    out->on_demand = out->spot = -1;
    if (!good_name(c[0])) return cloud_table_bad(t, row, "name", error, "is no machine type: FAMILY-SHAPE-SIZE");
    if (!cloud_whole(c[1], 4096, &out->vcpus) || out->vcpus == 0)
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
    if (!read_zones(str_until(&offer, '/'), zones, &out->zones))
        return cloud_table_bad(t, row, "zones", error, "must be letters of zones that the region has");
    if (!cloud_price(str_until(&offer, '/'), &out->on_demand))
        return cloud_table_bad(t, row, "on-demand price", error, "must be a price that is not negative");
    if (!cloud_price(offer, &out->spot))
        return cloud_table_bad(t, row, "spot price", error, "must be a price that is not negative");
    return KARP_OK;
}

/* The text must live as long as the facts. */
static karp_status read_table(gcp_facts *f, karp_str text, karp_error *error)
{
    cloud_table t;
    cloud_row row;
    size_t room = 0;
    bool more = false;
    karp_status status = cloud_table_open(&t, &gcp_format, text, f->region, error);
    if (status) return status;
    f->as_of = t.as_of;
    f->sources = t.sources;
    f->zones = 0;
    (void)read_zones(t.zones, (UINT32_C(1) << GCP_NO_ZONE) - 1, &f->zones);
    while ((status = cloud_table_next(&t, &row, &more, error)) == KARP_OK && more) {
        gcp_type type;
        status = read_row(&t, &row, f->zones, &type, error);
        if (status) return status;
        if (row.offer.len == 0) continue;
        if (!scratch_grow(&f->s, (void **)&f->list, &room, f->count + 1, sizeof *f->list)) return fail_nomem(error);
        f->list[f->count++] = type;
    }
    return status;
}

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

static void empty(gcp_facts *f, karp_context *context)
{
    memset(f, 0, sizeof *f);
    scratch_init(&f->s, context);
    f->region = f->as_of = f->sources = str("");
}

karp_status gcp_facts_init(gcp_facts *facts, karp_context *context, karp_str region, karp_error *error)
{
    karp_error own = { .size = sizeof own };
    empty(facts, context);
    facts->region = scratch_text(&facts->s, region);
    karp_status status = facts->s.failed ? KARP_E_NOMEM : read_table(facts, gcp_table_text(), &own);
    if (status == KARP_OK || status == KARP_E_NOT_FOUND) return KARP_OK;
    gcp_facts_free(facts);
    return status == KARP_E_NOMEM ? fail_nomem(error) : error_give(&own, error);
}

void gcp_facts_free(gcp_facts *facts)
{
    scratch_free(&facts->s);
    memset(facts, 0, sizeof *facts);
}

static const gcp_type *find_type(const gcp_facts *facts, karp_str name)
{
    return cloud_find(facts->list, facts->count, sizeof *facts->list, name);
}

uint32_t gcp_zone_number(karp_str name, karp_str region)
{
    if (name.len != region.len + 2 || !str_has_prefix(name, region)) return GCP_NO_ZONE;
    char letter = name.ptr[region.len + 1];
    return name.ptr[region.len] == '-' && letter >= 'a' && letter <= 'z' ? (uint32_t)(letter - 'a') : GCP_NO_ZONE;
}

karp_str gcp_zone_name(scratch *s, karp_str region, uint32_t zone)
{
    char text[GCP_REGION_MOST + 4];
    int n = snprintf(text, sizeof text, "%.*s-%c", (int)region.len, region.ptr, (char)('a' + zone % 26));
    return scratch_text(s, (karp_str){ text, n > 0 ? (size_t)n : 0 });
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* ".../zones/us-central1-a", or only the name. */
static uint32_t zone_of(karp_str text, karp_str region)
{
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != '/') at--;
    return gcp_zone_number((karp_str){ text.ptr + at, text.len - at }, region);
}

static void read_described(decoder *d, const tree *entry, gcp_type *out)
{
    const tree *accelerators = NULL;
    out->name = decode_text(d, entry, "name");
    out->vcpus = decode_some(d, entry, "guestCpus");
    out->memory_mib = decode_some(d, entry, "memoryMb");
    out->arm64 = str_is(decode_text(d, entry, "architecture"), "ARM64");
    if (decode_list(d, entry, "accelerators", &accelerators) > 0) {
        const tree *first = tree_item(accelerators, 0);
        out->accelerator = decode_text(d, first, "guestAcceleratorType");
        out->accelerators = decode_count(d, first, "guestAcceleratorCount");
        if (out->accelerator.len == 0 || out->accelerators == 0)
            decode_bad(d, "accelerators", "must have guestAcceleratorType and guestAcceleratorCount");
    }
    const tree *disks = decode_object(d, entry, "bundledLocalSsds");
    if (disks) out->partitions = decode_count(d, disks, "partitionCount");
    if (!d->status && !good_name(out->name)) decode_bad(d, "name", "is no machine type: FAMILY-SHAPE-SIZE");
}

/* Merges entries of the same type, because the list has one for each zone. */
static bool merge(gcp_facts *f)
{
    size_t kept = 0;
    if (!sort_stable(f->s.context, f->list, f->count, sizeof *f->list, by_text, NULL)) return false;
    for (size_t i = 0; i < f->count; i++) {
        if (kept > 0 && equal_str(f->list[kept - 1].name, f->list[i].name)) f->list[kept - 1].zones |= f->list[i].zones;
        else f->list[kept++] = f->list[i];
    }
    f->count = kept;
    return true;
}

/* Reads the output of gcloud compute machine-types list --format=json. */
static karp_status load_machine_types(const gcp_facts *old, gcp_facts *f, karp_str text, karp_error *error)
{
    decoder d;
    tree *root = NULL;
    size_t room = 0;
    decode_begin(&d, f->s.context, &f->s, error);
    d.status = tree_read(&d.trees, str(""), text, &root, error);
    if (d.status == KARP_OK && !is_list(root)) decode_bad(&d, "", "must be a list of machine types");
    f->zones = 0;
    for (size_t i = 0; d.status == KARP_OK && i < items_of(root); i++) {
        const tree *entry = tree_item(root, i);
        gcp_type type = { .name = str(""), .accelerator = str(""), .on_demand = -1, .spot = -1 };
        decode_at_element(&d, "", i);
        uint32_t zone = zone_of(decode_text(&d, entry, "zone"), f->region);
        if (!is_map(entry)) decode_bad(&d, "", "must be an object");
        if (d.status || zone == GCP_NO_ZONE) continue;
        read_described(&d, entry, &type);
        type.zones = UINT32_C(1) << zone;
        f->zones |= type.zones;
        const gcp_type *known = find_type(old, type.name);
        if (known) {
            type.on_demand = known->on_demand;
            type.spot = known->spot;
        }
        if (!scratch_grow(&f->s, (void **)&f->list, &room, f->count + 1, sizeof *f->list)) break;
        f->list[f->count++] = type;
    }
    decode_at(&d, "");
    if (d.status == KARP_OK && f->count == 0 && !f->s.failed)
        decode_bad(&d, "zone", "has no machine type in a zone of the region");
    karp_status status = d.status;
    decode_end(&d);
    if (status) return status;
    return f->s.failed || !merge(f) ? fail_nomem(error) : KARP_OK;
}

static void take_prices(decoder *d, gcp_facts *f, const tree *prices, const char *name, bool spot)
{
    const tree *list = decode_object(d, prices, name);
    for (size_t i = 0; i < f->count && list; i++) {
        gcp_type *t = &f->list[i];
        const tree *value = tree_find_str(list, t->name);
        double *to = spot ? &t->spot : &t->on_demand;
        if (tree_is_null(value)) *to = -1;
        else if (!cloud_price_of(value, to)) decode_bad(d, name, "must be prices that are not negative, by type");
    }
}

/* {"prices": {"us-central1": {"on_demand": {"e2-medium": 0.03}, "spot": {…}}}} */
static karp_status load_prices(gcp_facts *f, karp_str text, karp_error *error)
{
    decoder d;
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

static void copy(const gcp_facts *from, gcp_facts *to)
{
    to->zones = from->zones;
    to->as_of = scratch_text(&to->s, from->as_of);
    to->list = scratch_array(&to->s, from->count, sizeof *to->list);
    to->count = to->list ? from->count : 0;
    for (size_t i = 0; i < to->count; i++) {
        to->list[i] = from->list[i];
        to->list[i].name = scratch_text(&to->s, from->list[i].name);
        to->list[i].accelerator = scratch_text(&to->s, from->list[i].accelerator);
    }
}

karp_status gcp_facts_load(const gcp_facts *facts, karp_str kind, karp_str text, gcp_facts *next, karp_error *error)
{
    karp_status status = KARP_OK;
    empty(next, facts->s.context);
    next->region = scratch_text(&next->s, facts->region);
    if (str_is(kind, "all")) {
        karp_str own = scratch_text(&next->s, text);
        if (!next->s.failed) status = read_table(next, own, error);
    } else if (str_is(kind, "machine-types")) {
        next->as_of = scratch_text(&next->s, facts->as_of);
        status = load_machine_types(facts, next, text, error);
    } else if (str_is(kind, "prices")) {
        copy(facts, next);
        next->as_of = str(""); /* such a file states no date */
        if (!next->s.failed) status = load_prices(next, text, error);
    } else {
        status = provider_fail(error, KARP_E_INVALID, "kind", "gcp has facts of the kinds all, machine-types, prices");
    }
    if (!str_is(kind, "all")) next->sources = cloud_sources(&next->s, facts->sources, kind);
    if (status == KARP_OK && next->s.failed) status = fail_nomem(error);
    if (status) gcp_facts_free(next);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_type(cloud_writer *w, const gcp_facts *f, const gcp_type *t)
{
    cloud_write_cell(w, t->name);
    cloud_write_whole(w, t->vcpus);
    cloud_write_whole(w, t->memory_mib);
    cloud_write_cell(w, str(t->arm64 ? "a" : ""));
    cloud_write_cell(w, str(""));
    cloud_write_text(w, t->accelerator, "*");
    if (t->accelerator.len > 0) {
        strbuf_addc(&w->out, '*');
        cloud_write_decimal(w, t->accelerator_part > 0 ? t->accelerator_part : (double)t->accelerators);
    }
    cloud_write_whole(w, t->partitions);
    cloud_write_cell(w, str(""));
    if (t->zones != f->zones) cloud_write_letters(w, t->zones, 'a');
    strbuf_addc(&w->out, '/');
    cloud_write_price(w, t->on_demand);
    strbuf_addc(&w->out, '/');
    cloud_write_price(w, t->spot);
    cloud_write_row(w);
}

uint32_t gcp_facts_write(const gcp_facts *facts, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem)
{
    cloud_writer w;
    cloud_write_begin(&w, facts->s.context, &gcp_format, facts->as_of, facts->sources, facts->region, facts->zones,
                      'a');
    for (size_t i = 0; i < facts->count; i++) write_type(&w, facts, &facts->list[i]);
    return cloud_write_end(&w, memory, text, problem);
}

static const cloud_kind gcp_kinds[] = {
    { "machine-types", "machine-types.json", "gcloud compute machine-types list --filter=\"zone~^@-\" --format=json",
      "machine types and their zones", "no machine type of @ is known", false },
    { "prices", "prices.json", "",
      "gcloud prints no prices: take them from a facts file of @ that comes with a release (--facts FILE, and then "
      "machine-types), or write {\"prices\": {\"@\": {\"on_demand\": {\"e2-standard-4\": 0.134}, \"spot\": {}}}}",
      "no machine type of @ has a price", false },
};

uint32_t gcp_facts_about(const gcp_facts *facts, const karp_provider_memory *memory, karp_provider_facts_info *info,
                         karp_provider_problem *problem)
{
    uint32_t missing = 2 | (facts->count == 0);
    for (size_t i = 0; i < facts->count; i++) {
        if (facts->list[i].on_demand >= 0) missing &= ~UINT32_C(2);
    }
    return cloud_facts_info(memory, &gcp_format, gcp_kinds, sizeof gcp_kinds / sizeof *gcp_kinds, missing,
                            facts->region, facts->as_of, info, problem);
}
